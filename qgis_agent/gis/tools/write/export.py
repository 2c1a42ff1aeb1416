"""Handlers of the pack "write": exporting a layer, prepared and committed.

``prepare_…`` validates and shows the effect; the token between it and the commit is made, armed and checked in
``approvals.py``. Files are written beside their target and moved there at the end, so that a stopped or failed write
leaves nothing behind and never touches a file that exists.
"""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsVectorLayer, QgsWkbTypes

from ...call import Call
from ...cards import write_card
from ...conditions import Where, require_field
from ...confirm import confirmed
from ...drafts import require_free, with_suffix
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError, nearest
from ...i18n import translate
from ...layers import clean_text
from ...raster_file import source_path
from ...scope import seen_fields
from ...scope_looks import filter_text
from ...selection import selected_ids
from ...source_files import local_path
from ...sources.shapefile_limits import LossReader, preview_lines
from ...undo.record import new_file_words
from ...work import Answer, Step, Work
from ...writing.facts import Facts, FactsReader
from ...writing.formats import FORMATS, RASTER, format_of, has_shapes, suffixes
from ...writing.job import ExportJob, RasterJob
from ...writing.losses import about_size, loss_lines
from ...writing.vector import Wish
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("prepare_export_layer", effect="write", runs="task")
def prepare_export_layer(
    call: Call,
    layer_id: str,
    path: str,
    format: Optional[str] = None,
    crs: Optional[str] = None,
    where: Where = (),
    options: Optional[Dict[str, Any]] = None,
) -> Steps:
    """Preview an export to a new file, and carry it out when the person agrees."""
    layer = call.layer(layer_id)
    if isinstance(layer, QgsRasterLayer):
        return (yield from _export_raster(call, layer, path, format, crs, bool(where or options)))
    layer = call.vector_layer(layer_id)
    wish = _wish(call, layer, path, format or "GPKG", crs, where, options or {})
    ids = selected_ids(layer) if wish.selected_only else None
    reader = FactsReader(layer, wish.where, ids, wish.fields, wish.encoding)
    facts = yield Work(translate("QgisAgent", "Counting"), reader.read)
    layer = call.vector_layer(layer_id)
    lines = _effect_lines(layer, wish, facts) + loss_lines(layer, wish.fields, facts, wish.name, wish.form)
    lost: Dict[str, int] = {}
    if wish.name == "ESRI Shapefile":
        losses = LossReader(layer, wish.encoding)
        lost = yield Work(translate("QgisAgent", "Looking for what a shapefile cannot hold"), losses.count)
        layer = call.vector_layer(layer_id)
        lines += preview_lines(layer.fields(), lost, wish.fields)
    title = translate("QgisAgent", "Write a new file?")
    card = write_card(call, title, lines, reversible=False, undo_words=new_file_words())
    return (yield from confirmed(call, card, ExportJob(layer, wish, facts, list(lost)), reversible=False))


def _wish(
    call: Call, layer: QgsVectorLayer, path: str, name: str, crs: Optional[str], where: Where, options: Dict[str, Any]
) -> Wish:
    if name == RASTER:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A vector layer cannot be written as {}.").format(RASTER),
            hint=translate("QgisAgent", "Formats: {}.").format(", ".join(FORMATS)),
            reason="format",
        )
    form = format_of(name)
    target = call.host.paths.writable(with_suffix(path, form.suffix, suffixes()))
    require_free([target.with_suffix(each) for each in form.beside])
    names = [require_field(layer, each).name() for each in options.get("fields") or ()]
    encoding, geometry = options.get("encoding") or "UTF-8", options.get("csv_geometry") or "wkt"
    if encoding != "UTF-8" and not form.encoded:
        raise _unfit(
            translate("QgisAgent", "{} is always written in UTF-8.").format(name),
            translate("QgisAgent", "Leave encoding out, or use the format ESRI Shapefile."),
        )
    if "csv_geometry" in options and name != "CSV":
        raise _unfit(
            translate("QgisAgent", "csv_geometry is for the format CSV only."),
            translate("QgisAgent", "Leave csv_geometry out."),
        )
    _check_shapes(layer, name, geometry)
    return Wish(
        form,
        name,
        target,
        _target_crs(layer, crs, name),
        list(dict.fromkeys(names)) or [each.name() for each in seen_fields(layer)],
        clean_text(options.get("layer_name") or layer.name(), 60),
        encoding,
        geometry if has_shapes(layer) else "none",
        where,
        bool(options.get("selected_only")),
    )


def _check_shapes(layer: QgsVectorLayer, name: str, csv_geometry: str) -> None:
    if name in ("GPX", "KML", "DXF", "ESRI Shapefile", "FlatGeobuf") and not has_shapes(layer):
        raise _unfit(
            translate("QgisAgent", "{} holds shapes, and this layer has none.").format(name),
            translate("QgisAgent", "Use CSV, XLSX or GPKG."),
        )
    flat = QgsWkbTypes.flatType(layer.wkbType())
    if name == "CSV" and csv_geometry == "xy" and has_shapes(layer) and flat != QgsWkbTypes.Type.Point:
        raise _unfit(
            translate("QgisAgent", "Columns X and Y are for layers of single points."),
            translate("QgisAgent", "Use csv_geometry wkt or none."),
        )
    areas = QgsWkbTypes.geometryType(flat) not in (
        QgsWkbTypes.GeometryType.PointGeometry,
        QgsWkbTypes.GeometryType.LineGeometry,
    )
    if name == "GPX" and (areas or flat == QgsWkbTypes.Type.MultiPoint):
        raise _unfit(
            translate("QgisAgent", "GPX holds single points and lines only."),
            translate("QgisAgent", "Use KML or GeoJSON."),
        )


def _unfit(message: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason="format")


def _target_crs(layer: QgsVectorLayer, crs: Optional[str], name: str) -> QgsCoordinateReferenceSystem:
    degrees = FORMATS[name].degrees
    if degrees and has_shapes(layer) and not layer.crs().isValid():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer has no CRS, and {} is always in EPSG:4326.").format(name),
            hint=translate("QgisAgent", "State its CRS with set_layer_crs first, or use the format GPKG."),
            reason="crs",
        )
    if degrees and crs is None:
        return QgsCoordinateReferenceSystem("EPSG:4326")  # RFC 7946, KML and GPX know no other CRS
    if crs is None:
        return layer.crs()
    wanted = _known_crs(crs, layer.crs())
    if degrees and wanted.authid() != "EPSG:4326":
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "{} is always in EPSG:4326.").format(name),
            hint=translate("QgisAgent", "Leave crs out, or use the format GPKG."),
            reason="crs",
        )
    return wanted


def _known_crs(crs: str, own: QgsCoordinateReferenceSystem) -> QgsCoordinateReferenceSystem:
    wanted = QgsCoordinateReferenceSystem(crs)
    if not wanted.isValid() or not own.isValid():
        known = ["EPSG:4326", "EPSG:3857", "EPSG:4490", own.authid()]
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Coordinates cannot be converted to '{}'.").format(crs),
            hint=translate("QgisAgent", "Known here: {}.").format(
                ", ".join(nearest(crs, [each for each in known if each], 4) or known)
            ),
            reason="crs",
        )
    return wanted


def _effect_lines(layer: QgsVectorLayer, wish: Wish, facts: Facts) -> List[List[str]]:
    chosen = "" if not wish.selected_only else " " + translate("QgisAgent", "(selected ones only)")
    crs = wish.crs.authid() or wish.crs.description() or translate("QgisAgent", "none")
    lines = [
        [translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)],
        [translate("QgisAgent", "Features"), str(facts.count) + chosen],
        [translate("QgisAgent", "New file"), str(wish.target)],
        [translate("QgisAgent", "Format"), wish.name],
        [translate("QgisAgent", "Size"), about_size(facts, wish.name)],
        [translate("QgisAgent", "CRS"), crs],
    ]
    if len(wish.fields) < seen_fields(layer).count():
        lines.append(
            [translate("QgisAgent", "Only the fields"), ", ".join(clean_text(each, 60) for each in wish.fields)]
        )
    if wish.form.encoded:
        lines.append([translate("QgisAgent", "Encoding"), wish.encoding])
    lines.append([translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")])
    if wish.where:
        lines.append(
            [translate("QgisAgent", "Conditions"), translate("QgisAgent", "as in the arguments below (where)")]
        )
    if layer.subsetString():
        lines.append([translate("QgisAgent", "Filter in force"), filter_text(layer, 300)])
    if layer.isModified():
        lines.append([translate("QgisAgent", "Unsaved edits"), translate("QgisAgent", "are written too")])
    return lines


def _export_raster(
    call: Call, layer: QgsRasterLayer, path: str, name: Optional[str], crs: Optional[str], more: bool
) -> Steps:
    if name not in (None, RASTER) or more:
        raise _unfit(
            translate("QgisAgent", "A raster is written as {}, whole.").format(RASTER),
            translate("QgisAgent", "Give layer_id, path and perhaps crs; clip_raster cuts it first."),
        )
    if not layer.isValid() or layer.providerType() != "gdal" or not local_path(layer):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "Only rasters of a local file can be exported."),
            hint=translate("QgisAgent", "Export the map as a layout, or add the raster from a file."),
            reason="provider",
        )
    target = call.host.paths.writable(
        with_suffix(path, ".tiff" if path.lower().endswith(".tiff") else ".tif", suffixes())
    )
    wanted = _known_crs(crs, layer.crs()) if crs else layer.crs()
    lines = [
        [translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)],
        [translate("QgisAgent", "Cells"), "{} × {}, {}".format(layer.width(), layer.height(), layer.bandCount())],
        [translate("QgisAgent", "New file"), str(target)],
        [translate("QgisAgent", "Format"), RASTER],
        [translate("QgisAgent", "CRS"), wanted.authid() or translate("QgisAgent", "none")],
        [translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")],
    ]
    if wanted != layer.crs():
        lines.append([translate("QgisAgent", "Resampling"), translate("QgisAgent", "nearest cell, into the new CRS")])
    title = translate("QgisAgent", "Write a new file?")
    card = write_card(call, title, lines, reversible=False, undo_words=new_file_words())
    job = RasterJob(layer, source_path(layer), target, wanted, wanted != layer.crs())
    return (yield from confirmed(call, card, job, reversible=False))
