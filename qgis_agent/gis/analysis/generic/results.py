"""The outputs of any algorithm: where they go, and what is told of those that are no layers.

Destinations are the host's to choose: memory for features, scratch files for the rest. A caller can only say which of the
optional ones it wants.
"""

from __future__ import annotations

import html
import os
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union

from qgis.core import (
    Qgis,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingParameterDefinition,
    QgsProject,
)

from ...features import json_value
from ...layers import clean_text
from ...secrets import without_secrets
from ..run.outputs import (
    Output,
    chosen_destinations,
)

Chooser = Callable[[QgsProcessingAlgorithm, QgsProcessingParameterDefinition], Optional[str]]
"""A host that chooses a destination itself (the golden tests); None for the usual one."""
MAX_TEXT = 1200
_MAX_READ = 200_000
_MAX_LISTED = 20


class Results(NamedTuple):
    """What came of a run: new layers by output, layers of the project that it gave back, plain values, and titles."""

    layers: Dict[str, QgsMapLayer]
    changed: Dict[str, QgsMapLayer]
    values: Dict[str, Any]
    titles: Dict[str, str]


def destinations(
    algorithm: QgsProcessingAlgorithm,
    wanted: Dict[str, bool],
    context: QgsProcessingContext,
    choose: Optional[Chooser] = None,
) -> Dict[str, str]:
    """Where each output goes: those that the algorithm makes by itself, and the wanted ones; not the unwanted ones."""
    found = chosen_destinations(algorithm, context, [name for name, yes in wanted.items() if yes])
    for definition in algorithm.destinationParameterDefinitions():
        name = definition.name()
        optional = bool(definition.flags() & Qgis.ProcessingParameterFlag.Optional)
        if optional and not wanted.get(name, True):
            found.pop(name, None)
        chosen = choose(algorithm, definition) if choose is not None else None
        if chosen:
            found[name] = chosen
    return found


def sorted_results(
    algorithm: QgsProcessingAlgorithm, outputs: Dict[str, Output], raw: Dict[str, Any], project: QgsProject
) -> Results:
    """The outputs by what is done with them. ``raw`` is the map of results, which may hold values that are not declared."""
    found = Results({}, {}, {}, {})
    for name, output in outputs.items():
        definition = algorithm.outputDefinition(name)
        title = clean_text(definition.description(), 60) if definition is not None else name
        for key, layer in _keyed(name, output).items():
            found.layers[key] = layer
            found.titles[key] = title if key == name else "{} {}".format(title, key[len(name) + 1 :])
        if output.kind in ("vector", "raster", "layer", "layers"):
            own = [project.mapLayer(str(each)) for each in _listed(output.value)]
            own = [each for each in own if each is not None]
            if own and not output.layers:
                found.changed[name] = own[0]
        elif not output.layers:
            found.values[name] = _told(output)
    declared = {each.name() for each in algorithm.outputDefinitions()} | {
        each.name() for each in algorithm.parameterDefinitions()
    }
    for name, value in raw.items():
        if name not in declared and isinstance(value, (bool, int, float, str)):
            found.values[name] = json_value(value)
    return found


def _listed(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _keyed(name: str, output: Output) -> Dict[str, QgsMapLayer]:
    if len(output.layers) == 1:
        return {name: output.layers[0]}
    return {"{}_{}".format(name, number): each for number, each in enumerate(output.layers, 1)}


def _told(output: Output) -> Any:
    """A number, a text, or what is in a file."""
    value = output.value
    if output.kind in ("html", "file"):
        return _file(str(value), output.kind == "html")
    if output.kind == "folder":
        names = sorted(os.listdir(str(value)))
        return {"files": len(names), "first": [clean_text(each, 60) for each in names[:10]]}
    if isinstance(value, (list, tuple)):
        return [json_value(each) for each in value[:_MAX_LISTED]]
    if isinstance(value, dict):
        return {clean_text(str(key), 60): json_value(each) for key, each in list(value.items())[:_MAX_LISTED]}
    return json_value(without_secrets(value) if isinstance(value, str) else value)


def _file(path: str, is_html: bool) -> Dict[str, Union[str, int]]:
    """Its name and size, and its text where it is one."""
    with open(path, "rb") as file:
        raw = file.read(_MAX_READ)
    told: Dict[str, Union[str, int]] = {"file": clean_text(os.path.basename(path), 80), "bytes": os.path.getsize(path)}
    if b"\0" not in raw:
        text = without_secrets(raw.decode("utf-8", "replace"))
        told["text"] = clean_text(plain_text(text) if is_html else text, MAX_TEXT)
    return told


def plain_text(markup: str) -> str:
    """HTML as text: no tags, no scripts, no styles."""
    text = re.sub(r"(?is)<(script|style|head)\b.*?</\1\s*>", " ", markup)
    text = re.sub(r"(?i)<(br|/p|/li|/tr|/h\d)\b[^>]*>", "; ", text)
    return html.unescape(re.sub(r"<[^>]*>", " ", text)).strip(" ;")
