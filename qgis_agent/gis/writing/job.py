"""One export, prepared: writes beside its target, compares what was written, and moves it to its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple

from osgeo import osr
from qgis.core import QgsCoordinateReferenceSystem, QgsFeedback, QgsRasterLayer, QgsVectorLayer, QgsWkbTypes

from ..call import Call
from ..drafts import draft_folder, draft_of, family, move, remove, remove_folder, require_free
from ..gdal_calls import attempt
from ..i18n import translate
from ..selection import selected_ids
from ..undo.record import record_files
from ..undo.stamps import Stamp, stamps_by_ending
from ..work import Answer, Step, Work
from .csv_file import CsvWriter
from .facts import Facts, FactsReader, Written, differences, read_file
from .formats import grid_of, has_shapes
from .losses import lossy_fields
from .raster import RasterWriter
from .state import layer_state, selection_state
from .vector import ChosenWriter, TaskStep, Wish, export_names, failed

Steps = Generator[Step, Any, Answer]
_NO_CRS = ("CSV", "XLSX", "ODS", "DXF")


class ExportJob:
    """Features to a file. ``facts``: what the preview was made of; ``lost``: fields that a shapefile cuts or rounds."""

    def __init__(self, layer: QgsVectorLayer, wish: Wish, facts: Facts, lost: Sequence[str]) -> None:
        self._layer = layer
        self._wish = wish
        self._facts = facts
        self._lossy = set(lossy_fields(wish.fields, facts, wish.name)) | set(lost)
        self._kinds = FactsReader(layer, (), None, wish.fields, "UTF-8").kinds

    def state(self) -> str:
        """See ``layer_state``; with the selected features where only these are meant."""
        state = layer_state(self._layer)
        if state and self._wish.selected_only:
            return "{}#{}".format(state, selection_state(self._layer))
        return state

    def run(self, call: Call) -> Steps:
        """Write, compare what was written, and only then give the file its name."""
        wish = self._wish
        require_free([wish.target] + [wish.target.with_suffix(each) for each in wish.form.beside])
        folder = draft_folder(wish.target) if wish.name == "GML" else None  # it names its schema after itself
        draft = draft_of(wish.target) if folder is None else folder / wish.target.name
        try:
            yield self._step(call, draft)
            written, stamps = yield Work(
                translate("QgisAgent", "Checking what was written"), lambda feedback: self._look(draft, feedback)
            )
            self._require_same(written)
            files = move(draft, wish.target)
            record_files(call, wish.target, files, stamps)
        finally:
            remove(draft) if folder is None else remove_folder(folder)
        return self._answer(call, files, written)

    def _look(self, draft: Path, feedback: QgsFeedback) -> Tuple[Optional[Written], Dict[str, Stamp]]:
        """What the file holds, and its bytes, for Undo. On a worker thread."""
        wish = self._wish
        written = read_file(draft, wish.form, export_names(wish), self._kinds, wish.encoding, feedback)
        return written, stamps_by_ending(draft, family(draft))

    def _step(self, call: Call, draft: Path) -> Step:
        context = call.host.project.transformContext()
        holes = self._facts.without_geometry > 0
        ids = selected_ids(self._layer) if self._wish.selected_only else None
        if self._wish.name == "CSV":
            return Work(
                translate("QgisAgent", "Writing"), CsvWriter(self._layer, draft, self._wish, ids, context).write
            )
        if not self._wish.where and not self._facts.rounded:
            return TaskStep(self._layer, draft, self._wish, holes, context)
        writer = ChosenWriter(self._layer, draft, self._wish, ids, holes, context)
        return Work(translate("QgisAgent", "Writing"), writer.write)

    def _require_same(self, written: Any) -> None:
        if written is None:
            raise failed(translate("QgisAgent", "The file that was written cannot be read."))
        wish = self._wish
        shapes = has_shapes(self._layer) and wish.form.geometry and not (wish.name == "CSV" and wish.geometry != "wkt")
        straight = QgsWkbTypes.isCurvedType(self._layer.wkbType()) and not wish.form.curves
        moved = has_shapes(self._layer) and (straight or self._layer.crs() != wish.crs)
        form = wish.form._replace(
            ordered=wish.form.ordered and not wish.selected_only,  # a selection has no order
            grid=grid_of(wish.name, wish.crs.isGeographic()),
        )
        found = differences(self._facts, written.facts, wish.fields, form, self._lossy, shapes=shapes, moved=moved)
        if found:
            raise failed("; ".join(found))

    def _answer(self, call: Call, files: List[Path], written: Written) -> Answer:
        wish, count = self._wish, self._facts.count
        call.acted("export", path=str(wish.target), features=count)
        call.add_evidence(wish.target.name, translate("QgisAgent", "{} features, {}").format(count, wish.name))
        data: Dict[str, Any] = {
            "written": True,
            "path": str(wish.target),
            "format": wish.name,
            "feature_count": count,
            "geometry_type": written.geometry_type,
            "fields": written.fields,
            "crs": wish.crs.authid(),
            "bytes": sum(each.stat().st_size for each in files),
            "checked": translate("QgisAgent", "count, extent, sums of numbers, lengths of texts, first and last row"),
        }
        warning = self._crs_warning(written)
        if warning:
            data["warnings"] = [warning]
        message = translate("QgisAgent", "Written and compared: {} features.").format(count)
        return Answer(data, message + (" " + warning if warning else ""))

    def _crs_warning(self, written: Written) -> str:
        """What is said when the file does not tell its CRS as it should."""
        if not has_shapes(self._layer) or self._wish.name in _NO_CRS or not self._wish.crs.isValid():
            return ""
        expected, found = osr.SpatialReference(), osr.SpatialReference()
        attempt(expected.ImportFromWkt, self._wish.crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT2_2019))
        if written.crs_wkt:
            attempt(found.ImportFromWkt, written.crs_wkt)  # what was not understood is not the same
            attempt(found.DemoteTo2D)  # GDAL tells a GeoJSON with heights as WGS 84 in 3D
        same = ["IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS"]
        if written.crs_wkt and attempt(expected.IsSame, found, same)[0]:
            return ""
        name = attempt(found.GetName)[0] or "-" if written.crs_wkt else translate("QgisAgent", "none")
        return translate("QgisAgent", "The file names its CRS as '{}', not as {}.").format(
            name, self._wish.crs.authid()
        )


class RasterJob:
    """A raster to a GeoTIFF."""

    def __init__(
        self, layer: QgsRasterLayer, source: str, target: Path, crs: QgsCoordinateReferenceSystem, moves: bool
    ) -> None:
        self._layer = layer
        self._source = source
        self._target = target
        self._crs = crs
        self._moves = moves

    def state(self) -> str:
        """See ``layer_state``."""
        return layer_state(self._layer)

    def run(self, call: Call) -> Steps:
        """Write, compare the cells, and only then give the file its name."""
        require_free([self._target])
        draft = draft_of(self._target)
        try:
            writer = RasterWriter(self._source, draft, self._crs if self._moves else None)
            found = yield Work(translate("QgisAgent", "Writing"), writer.write)
            stamps = yield Work(
                translate("QgisAgent", "Checking what was written"),
                lambda _feedback: stamps_by_ending(draft, family(draft)),
            )
            record_files(call, self._target, move(draft, self._target), stamps)
        finally:
            remove(draft)
        call.acted("export", path=str(self._target))
        call.add_evidence(self._target.name, "{} × {}".format(found["width"], found["height"]))
        data = dict(found, written=True, path=str(self._target), format="GeoTIFF", crs=self._crs.authid())
        data["bytes"] = self._target.stat().st_size
        if self._moves:
            return Answer(
                data, translate("QgisAgent", "Written; resampled (nearest cell) into {}.").format(self._crs.authid())
            )
        return Answer(data, translate("QgisAgent", "Written; the cells are the same, by their checksums."))
