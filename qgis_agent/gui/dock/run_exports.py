"""Writes the algorithms of a run as a Processing model or as a script, where a person chose to."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, NamedTuple

from qgis.PyQt.QtCore import QStandardPaths
from qgis.PyQt.QtWidgets import QFileDialog, QWidget

from ...bridge.trace import Trace
from ...gis.errors import ToolError
from ...gis.export_run.model import export_model
from ...gis.export_run.script import export_script
from ...gis.export_run.steps import has_algorithms
from ...gis.i18n import translate

Say = Callable[[str, str], None]


class _Kind(NamedTuple):
    """A kind of file: what writes it, the dialog's title and kinds of files, the end of names."""

    write: Callable[..., Dict[str, Any]]
    title: str
    files: str
    suffix: str


def kind_of(what: str) -> _Kind:
    """What is written for an entry of the menu."""
    if what == "export_model":
        title, files = translate("QgisAgent", "Export as model"), translate("QgisAgent", "Processing models (*.model3)")
        return _Kind(export_model, title, files, ".model3")
    title, files = translate("QgisAgent", "Export as script"), translate("QgisAgent", "Python scripts (*.py)")
    return _Kind(export_script, title, files, ".py")


def export_run(what: str, traces: List[Trace], evidence: List[Dict[str, Any]], window: QWidget, say: Say) -> None:
    """Ask for a file and write the last of the traces; the others are the conversation before it. ``say`` tells how it ended.

    ``evidence`` is what this QGIS still knows of the run: its record has less where attribute values stay at home.
    """
    *before, trace = traces
    if has_algorithms({"evidence": evidence}):
        trace = {**trace, "final": {**trace["final"], "evidence": evidence}}
    kind = kind_of(what)
    path = _chosen_path(kind, str(trace["trace_id"]), window, say)
    if not path:
        return
    try:
        told = kind.write(trace, path, before)
    except ToolError as error:
        say("{} {}".format(error.envelope["message"], error.envelope["hint"]), "warning")
        return
    words = translate("QgisAgent", "Written to {}: {} algorithms.").format(path, told["steps"])
    if told["needs_plugin"]:
        words += " " + translate("QgisAgent", "It needs the plugin QGIS Agent.")
    if told["notes"]:
        words += " " + translate("QgisAgent", "{} steps are no Processing; they stand in its help.").format(
            len(told["notes"])
        )
    say(" ".join([words, *told["risks"]]), "warning" if told["risks"] else "info")


def _chosen_path(kind: _Kind, name: str, window: QWidget, say: Say) -> str:
    """The file that the person chose, with its end; "" for none, and where that would replace a file without asking."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    suggested = "{}/{}{}".format(folder, name, kind.suffix)
    path = str(QFileDialog.getSaveFileName(window.window(), kind.title, suggested, kind.files)[0])
    if not path or path.lower().endswith(kind.suffix):
        return path
    path += kind.suffix
    if os.path.lexists(path):
        say(translate("QgisAgent", "{} is there already and was not replaced.").format(path), "warning")
        return ""
    return path
