"""A run as a PyQGIS script that stands alone: plain QGIS Python runs it on a project and writes the layers into a folder.

Everything from the trace stands in it as a literal or as a comment of one line: a trace may come from anywhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from ..errors import UPSTREAM_ERROR, ToolError
from ..i18n import translate
from ..layers import clean_text
from .model import told_of
from .steps import Algorithm, RunSteps, steps_of
from .words import heading, needs, others, others_title, risks

_FRAME = Path(__file__).with_name("script_frame.txt")
"""The script without the run: what reads the project, runs algorithms and writes layers."""
_PLACE = re.compile("# <([A-Z]+)>")
_WIDTH = 100


def export_script(trace: Mapping[str, Any], path: str, before: Sequence[Mapping[str, Any]] = ()) -> Dict[str, Any]:
    """Write the algorithms of a run as a script (.py). Returns {path, steps, inputs, outputs, notes, risks, needs_plugin}.

    ``before``: see ``steps_of``. ToolError: UNSUPPORTED where no algorithm ran; UPSTREAM_ERROR where it cannot be written.
    """
    run = steps_of(trace, before)
    text = script_of(run)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The file {} cannot be written: {}.").format(
                clean_text(path, 300), clean_text(error.strerror or "", 100)
            ),
            hint=translate("QgisAgent", "Choose another folder."),
            reason="not_written",
        ) from error
    return {"path": path, **told_of(run)}


def script_of(run: RunSteps) -> str:
    """The script of a run."""
    parts = {
        "HEAD": "\n".join(_comment(each) for each in _head(run)),
        "LAYERS": _layers(run),
        "STEPS": _steps(run),
        "RESULTS": _results(run),
    }
    frame = _FRAME.read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: parts[found.group(1)], frame)  # one pass: what stands in a part is not looked at


def _head(run: RunSteps) -> List[str]:
    lines = [*heading(run), "", *risks(run), *needs(run, False)]
    lines.append(
        translate("QgisAgent", "Use: python3 {} PROJECT FOLDER (with the Python of QGIS)").format("this_script.py")
    )
    apart = others(run)
    return [*lines, "", others_title(), *apart] if apart else lines


def _comment(line: str) -> str:
    """A comment: a single line, whatever the trace says."""
    return "# {}".format(clean_text(line, 2_400)).rstrip()


def _layers(run: RunSteps) -> str:
    """The table of the layers that the run found."""
    rows = []
    for each in run.sources:
        entry = {"name": each.title, "id": each.layer_id, "file": each.file, "kind": each.kind}
        rows.append("    {!r}: {},".format(each.name, _literal(entry, 4)))
    return "\n".join(["LAYERS = {", *rows, "}"])


def _steps(run: RunSteps) -> str:
    """The body of ``steps``: a statement for each algorithm; ``done`` has the outputs by number."""
    places = {each.key: "layers[{!r}]".format(each.name) for each in run.sources}
    lines: List[str] = []
    before = None
    for number, step in enumerate(run.algorithms, 1):
        if step.settings != before:
            lines.append("    measure(context, {})".format(", ".join(map(repr, step.settings))))
            before = step.settings
        lines += _statement(step, number, places)
        if step.output:
            places[step.key] = "done[{}][{!r}]".format(number, step.output)
        places.update({"{}.{}".format(step.key, each): "done[{}][{!r}]".format(number, each) for each in step.more})
    return "\n".join(lines)


def _statement(step: Algorithm, number: int, places: Mapping[str, str]) -> List[str]:
    lines = ["    done[{}] = run({!r}, {{".format(number, step.ident)]
    for name, value in step.parameters.items():
        lines.append("        {!r}: {},".format(name, _value(value, places)))
    for output in filter(None, (step.output, *step.more)):
        place = "temporary('.fgb')" if step.indexed and output == step.output else "'TEMPORARY_OUTPUT'"
        lines.append("        {!r}: {},".format(output, place))
    lines.append("    }, context, feedback)")
    return lines


def _results(run: RunSteps) -> str:
    numbers = {each.key: number for number, each in enumerate(run.algorithms, 1)}
    rows = [
        "    {!r}: ({}, {!r}, {!r}),".format(each.name, numbers[each.key], each.parameter, each.title)
        for each in run.results
    ]
    return "\n".join(["RESULTS = {", *rows, "}"])


def _value(value: Any, places: Mapping[str, str]) -> str:
    """Source of a parameter."""
    if isinstance(value, dict) and "$ref" in value:
        return places[str(value["$ref"])]
    if isinstance(value, dict) and "$property" in value:
        return "QgsProperty.fromField({!r})".format(str(value["$property"]))
    if isinstance(value, dict) and "$text" in value:
        return "''.join([{}])".format(", ".join(_piece(each, places) for each in value["$text"]))
    if isinstance(value, list):
        return "[{}]".format(", ".join(_value(each, places) for each in value))
    if isinstance(value, dict):
        return "{{{}}}".format(", ".join("{!r}: {}".format(key, _value(each, places)) for key, each in value.items()))
    return repr(value)


def _piece(part: Any, places: Mapping[str, str]) -> str:
    return "str({})".format(_value(part, places)) if isinstance(part, dict) else repr(str(part))


def _literal(value: Mapping[str, Any], indent: int) -> str:
    """A flat table, on one line where it fits."""
    line = "{{{}}}".format(", ".join("{!r}: {!r}".format(key, each) for key, each in value.items()))
    if len(line) + indent <= _WIDTH:
        return line
    pad = " " * indent
    rows = ["{}    {!r}: {!r},".format(pad, key, each) for key, each in value.items()]
    return "\n".join(["{", *rows, pad + "}"])
