"""Handlers of the pack "write": prepare and commit.

``prepare_…`` validates and shows the effect; the token between it and the commit is made, armed and checked in
``approvals.py``. Files are written beside their target and moved there at the end, so that a stopped or failed write
leaves nothing behind and never touches a file that exists.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Generator, List, Optional

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsVectorFileWriter,
    QgsVectorFileWriterTask,
    QgsVectorLayer,
)
from qgis.PyQt import sip

from ...call import Call
from ...cards import write_card
from ...confirm import ConfirmWrite, committed
from ...drafts import draft_of, move, not_written, remove, require_free, with_suffix
from ...errors import INVALID_PARAM, ToolError, nearest
from ...features import FeatureReader
from ...i18n import translate
from ...layers import clean_text
from ...sources.shapefile_limits import LossReader, preview_lines, short_names
from ...work import Answer, Done, Step, Work, hold, release
from ..registry import tool

_SUFFIXES = {"GPKG": ".gpkg", "GeoJSON": ".geojson", "CSV": ".csv", "ESRI Shapefile": ".shp"}
_SIDECARS = (".shx", ".dbf", ".prj", ".cpg", ".qmd")
"""What the shapefile driver writes beside the .shp."""


@tool("prepare_export_layer", effect="write", runs="task")
def prepare_export_layer(
    call: Call,
    layer_id: str,
    path: str,
    format: str = "GPKG",
    crs: Optional[str] = None,
) -> Generator[Step, Any, Answer]:
    """Preview an export to a new file, and carry it out when the person agrees."""
    layer = call.vector_layer(layer_id)
    target = call.host.paths.writable(with_suffix(path, _SUFFIXES[format], list(_SUFFIXES.values())))
    _require_no_sidecars(target)
    target_crs = _target_crs(layer, crs, format)
    reader = FeatureReader(layer, ())
    count = yield Work(translate("QgisAgent", "Counting"), reader.count)
    lines = _effect_lines(layer, target, format, target_crs, count)
    if format == "ESRI Shapefile":
        losses = LossReader(layer)
        lost = yield Work(translate("QgisAgent", "Looking for what a shapefile cannot hold"), losses.count)
        lines += preview_lines(layer.fields(), lost)
    card = write_card(call, translate("QgisAgent", "Write a new file?"), lines, reversible=False)
    state = layer_state(layer)
    export = _Export(layer, target, format, target_crs, count)
    token = call.host.ledger.prepare(
        call.capability, call.tool, call.arguments, state=state, card=card, reversible=False, commit=export.run
    )
    agreed = yield ConfirmWrite(token)
    if not agreed:
        return Answer(
            {"confirm_token": token, "armed": False, "written": False, "effect": dict(card["lines"])},
            translate("QgisAgent", "Nothing is written yet: a person must agree, then commit_action writes it."),
        )
    pending = call.host.ledger.redeem(token, call.capability, lambda _pending: layer_state(layer))
    return (yield from committed(call, pending))


def layer_state(layer: QgsVectorLayer) -> str:
    """What a preview was made of: source, filter, edits and file time. When it differs, the preview is not true any more.

    "" for a layer that is gone.
    """
    if sip.isdeleted(layer):
        return ""
    source = layer.source().split("|")[0]
    try:
        stamp = str(os.stat(source).st_mtime_ns)
    except OSError:
        stamp = ""
    buffer = layer.editBuffer()
    edits = "" if buffer is None else "{}/{}".format(layer.undoStack().index(), layer.featureCount())
    memory = str(layer.featureCount()) if layer.providerType() == "memory" else ""
    parts = (layer.source(), layer.subsetString(), stamp, edits, memory)
    return "|".join(parts)


class _Export:
    """One export, prepared: writes to a temporary name and moves the result to its place."""

    def __init__(
        self, layer: QgsVectorLayer, target: Path, format_name: str, crs: QgsCoordinateReferenceSystem, count: int
    ) -> None:
        self._layer = layer
        self._target = target
        self._format = format_name
        self._crs = crs
        self._count = count

    def state(self) -> str:
        """See ``layer_state``."""
        return layer_state(self._layer)

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Write, count what was written, and only then give the file its name."""
        require_free([self._target])
        draft = draft_of(self._target)
        try:
            yield _WriteStep(self._layer, draft, self._format, self._crs, call.host.project.transformContext())
            written = self._verified(draft)
            count = yield Work(translate("QgisAgent", "Checking what was written"), written.count)
            if count != self._count:
                raise _failed(translate("QgisAgent", "{} of {} features were written.").format(count, self._count))
            move(draft, self._target)
        finally:
            remove(draft)
        call.acted("export", path=str(self._target), features=self._count)
        call.add_evidence(
            self._target.name, translate("QgisAgent", "{} features, {}").format(self._count, self._format)
        )
        data = {
            "written": True,
            "path": str(self._target),
            "format": self._format,
            "feature_count": self._count,
            "crs": self._crs.authid(),
            "bytes": self._target.stat().st_size,
        }
        return Answer(data, translate("QgisAgent", "Written and counted: {} features.").format(self._count))

    @staticmethod
    def _verified(draft: Path) -> FeatureReader:
        layer = QgsVectorLayer(str(draft), "written", "ogr")
        if not layer.isValid():
            raise _failed(translate("QgisAgent", "The file that was written cannot be read."))
        return FeatureReader(layer, ())


class _WriteStep:
    """Writes a layer with QGIS's own writer task; gives True or raises what the writer said."""

    def __init__(
        self, layer: QgsVectorLayer, path: Path, format_name: str, crs: QgsCoordinateReferenceSystem, context: Any
    ) -> None:
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = format_name
        options.fileEncoding = "UTF-8"
        options.layerName = clean_text(layer.name(), 60)
        options.ct = QgsCoordinateTransform(layer.crs(), crs, context)
        options.actionOnExistingFile = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteFile
        if format_name == "GPKG":
            options.layerOptions = _fid_option(layer)
        if format_name == "CSV":
            options.layerOptions = ["GEOMETRY=AS_WKT", "STRING_QUOTING=ALWAYS"]
        if format_name == "GeoJSON":
            options.layerOptions = ["RFC7946=YES"]
        if format_name == "ESRI Shapefile":
            options.attributes = list(range(layer.fields().count()))
            options.attributesExportNames = short_names(layer.fields().names())
        self._task = QgsVectorFileWriterTask(layer, str(path), options)
        self._done: Done = lambda _result, _error: None

    def start(self, feedback: Any, done: Done) -> None:
        """See Step. The task tells by these two signals on the main thread, when it has finished."""
        self._done = done
        self._task.writeComplete.connect(self._written)
        self._task.errorOccurred.connect(self._failed)
        feedback.canceled.connect(self._task.cancel)
        hold(self)
        QgsApplication.taskManager().addTask(self._task)

    def _written(self, _path: str) -> None:
        release(self)
        self._done(True, None)

    def _failed(self, _code: int, message: str) -> None:
        release(self)
        self._done(None, _failed(clean_text(message, 300) or translate("QgisAgent", "The writer gave no reason.")))


def _fid_option(layer: QgsVectorLayer) -> List[str]:
    """A GeoPackage's key is called "fid", and an attribute of that name would have to be one: then the key gets another."""
    names = [each.name().lower() for each in layer.fields()]
    keys = [names[index] for index in layer.primaryKeyAttributes()]
    if "fid" not in names or "fid" in keys:
        return []
    number = 1
    while "fid_{}".format(number) in names:
        number += 1
    return ["FID=fid_{}".format(number)]


def _failed(why: str) -> ToolError:
    return not_written(why, translate("QgisAgent", "Try another format (GPKG keeps most) or another folder."))


def _require_no_sidecars(target: Path) -> None:
    if target.suffix == ".shp":
        found = [each for each in _SIDECARS if os.path.lexists(str(target.with_suffix(each)))]
        if found:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "A file '{}' exists already beside it.").format(
                    target.with_suffix(found[0]).name
                ),
                hint=translate("QgisAgent", "Choose a new name."),
                reason="file_exists",
            )


def _target_crs(layer: QgsVectorLayer, crs: Optional[str], format_name: str) -> QgsCoordinateReferenceSystem:
    if format_name == "GeoJSON" and layer.isSpatial() and not layer.crs().isValid():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer has no CRS, and GeoJSON is always in EPSG:4326 (RFC 7946)."),
            hint=translate("QgisAgent", "State its CRS with set_layer_crs first, or use the format GPKG."),
            reason="crs",
        )
    if format_name == "GeoJSON" and crs is None:
        return QgsCoordinateReferenceSystem("EPSG:4326")  # RFC 7946 knows no other CRS
    if crs is None:
        return layer.crs()
    wanted = QgsCoordinateReferenceSystem(crs)
    if not wanted.isValid() or not layer.crs().isValid():
        known = ["EPSG:4326", "EPSG:3857", "EPSG:4490", layer.crs().authid()]
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Coordinates cannot be converted to '{}'.").format(crs),
            hint=translate("QgisAgent", "Known here: {}.").format(
                ", ".join(nearest(crs, [each for each in known if each], 4) or known)
            ),
            reason="crs",
        )
    if format_name == "GeoJSON" and wanted.authid() != "EPSG:4326":
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "GeoJSON is always in EPSG:4326 (RFC 7946)."),
            hint=translate("QgisAgent", "Leave crs out, or use the format GPKG."),
            reason="crs",
        )
    return wanted


def _effect_lines(
    layer: QgsVectorLayer, target: Path, format_name: str, crs: QgsCoordinateReferenceSystem, count: int
) -> List[List[str]]:
    lines = [
        [translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)],
        [translate("QgisAgent", "Features"), str(count)],
        [translate("QgisAgent", "New file"), str(target)],
        [translate("QgisAgent", "Format"), format_name],
        [translate("QgisAgent", "CRS"), crs.authid() or crs.description() or translate("QgisAgent", "none")],
        [translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")],
    ]
    if layer.subsetString():
        lines.append([translate("QgisAgent", "Filter in force"), clean_text(layer.subsetString(), 300)])
    return lines
