"""Handlers of the pack "layout": making and describing layouts."""

from __future__ import annotations

import datetime
from typing import Any, Dict, Generator, List, Mapping, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsLayoutItemMap,
    QgsPrintLayout,
    QgsRectangle,
    QgsVectorLayer,
)

from ...call import Call
from ...conditions import is_key_field, require_field
from ...errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ...features import FeatureReader
from ...host import WGS84, transformed
from ...i18n import translate
from ...layers import clean_text, field_type
from ...layouts.build import Built, Wanted, build, free_name, layout_of, sources_text, summary
from ...layouts.items import items_of, main_map, page_name_expression
from ...layouts.words import literal
from ...moves import WholeMap, joined_box
from ...scope import seen_fields
from ...work import Answer, Step, Work
from ..registry import tool

ATLAS_MARGIN = 0.1


@tool("create_layout", effect="create", runs="task")
def create_layout(
    call: Call,
    name: str,
    template: str = "a4_landscape",
    title: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Generator[Step, Any, Answer]:
    """A layout of what the map shows. A name that is taken gets a number, and that is said."""
    more = dict(options or {})
    coverage = _coverage(call, more)
    pages = (yield from _counted(call, str(more["atlas_layer_id"]))) if coverage is not None else 0
    rows = (yield from _counted(call, str(more["table_layer_id"]))) if more.get("table_layer_id") else 0
    around, lost = (yield from _around_all(call)) if more.get("overview") else (None, [])
    project = call.host.project
    layers = call.host.layers.visible_layers()
    layers = [each for each in layers if each.isValid() and each.isSpatial()]
    if not layers:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "No layer is visible, so the map of the layout would be empty."),
            hint=translate("QgisAgent", "Show layers with toggle_layer first."),
            reason="no_layers",
        )
    wanted = Wanted(
        template=template,
        title=literal(title or "", 120, "title"),
        subtitle=literal(str(more.get("subtitle") or ""), 160, "subtitle"),
        attribution=literal(str(more["attribution"]), 200, "attribution")
        if more.get("attribution")
        else sources_text(project, layers, datetime.datetime.now().astimezone()),
        extent=_extent(call, more.get("bbox")),
        scale=more.get("scale"),
        layers=layers,
        overview=around,
        table=call.vector_layer(str(more["table_layer_id"])) if more.get("table_layer_id") else None,
        rotation=0.0 if more.get("bbox") else call.host.view.rotation(),
        table_rows=rows,
        whole=bool(more.get("bbox")),
        atlas=coverage is not None,
    )
    coverage = _coverage(call, more)
    free = free_name(project, literal(name, 80, "name"))
    built = build(project, free, wanted)
    if coverage is not None:
        _set_atlas(built.layout, *coverage, fixed=wanted.scale is not None)
        if wanted.scale is None:
            built.notes.append(
                translate("QgisAgent", "Each page of the atlas has a scale of its own, at which its feature fits.")
            )
    if lost:
        built.notes.append(
            translate("QgisAgent", "The overview leaves out what has no place on the map: {}.").format(
                ", ".join(lost[:5])
            )
        )
    return _added(call, built, free, name, pages)


def _counted(call: Call, layer_id: str) -> Generator[Step, Any, int]:
    number: int = yield Work(translate("QgisAgent", "Counting"), FeatureReader(call.vector_layer(layer_id), ()).count)
    return number


def _added(call: Call, built: Built, free: str, asked: str, atlas_pages: int) -> Answer:
    manager = call.host.project.layoutManager()
    if not manager.addLayout(built.layout) or manager.layoutByName(free) is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "QGIS did not take the layout '{}'.").format(free),
            hint=translate("QgisAgent", "Use another name."),
            reason="layout",
        )
    call.host.project.setDirty(True)
    notes = list(built.notes)
    if free != literal(asked, 80, "name"):
        notes.append(translate("QgisAgent", "The name '{}' is taken; the layout is called '{}'.").format(asked, free))
    data = dict(summary(built.layout), scale=round(main_map(built.layout).scale()))
    data["warnings"] = notes + data["warnings"]
    if "atlas" in data:
        data["atlas"]["pages"] = atlas_pages
    call.acted("layout", layout=free, template=str(call.arguments.get("template", "a4_landscape")))
    call.add_evidence(free, translate("QgisAgent", "Layout at scale 1:{}").format(_scale(built.layout)))
    return Answer(data, " ".join(data["warnings"]), rows_key="items")


def _scale(layout: QgsPrintLayout) -> str:
    return "{:,}".format(round(main_map(layout).scale()))


@tool("describe_layout", effect="read")
def describe_layout(call: Call, layout: Optional[str] = None) -> Answer:
    """One layout, or all of them in a line each."""
    project = call.host.project
    if layout is not None:
        return Answer(summary(layout_of(project, layout)), rows_key="items")
    found: List[Dict[str, Any]] = [
        {
            "layout": clean_text(each.name(), 80),
            "pages": each.pageCollection().pageCount(),
            "items": len(items_of(each)),
        }
        for each in project.layoutManager().layouts()
        if isinstance(each, QgsPrintLayout)
    ]
    message = "" if found else translate("QgisAgent", "The project has no layout; make one with create_layout.")
    return Answer({"layouts": found, "total": len(found)}, message, rows_key="layouts")


def _extent(call: Call, bbox: Optional[List[float]]) -> QgsRectangle:
    """What the map shows now, or ``bbox`` in degrees, in the project's CRS."""
    project = call.host.project
    if bbox is None:
        now = call.host.extent()
        extent = transformed(now, now.crs(), project.crs(), project)
    else:
        extent = extent_of_bbox(call, bbox)
    if extent.isEmpty() or not extent.isFinite():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The map shows no place, so there is nothing to lay out."),
            hint=translate("QgisAgent", "Zoom to a layer first, or give bbox."),
            reason="no_extent",
        )
    return extent


def extent_of_bbox(call: Call, bbox: List[float]) -> QgsRectangle:
    """A box in degrees in the project's CRS. INVALID_PARAM for one that is none, UNSUPPORTED where it has no place."""
    west, south, east, north = bbox
    if not (-180 <= west < east <= 360 and -90 <= south < north <= 90):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "bbox is not a box in degrees."),
            hint=translate("QgisAgent", "[west, south, east, north]: longitudes -180 to 180, latitudes -90 to 90."),
            reason="bbox",
        )
    project = call.host.project
    try:
        return QgsRectangle(
            transformed(QgsRectangle(*bbox), QgsCoordinateReferenceSystem(WGS84), project.crs(), project)
        )
    except QgsCsException:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "This place cannot be shown in the project's CRS ({}).").format(
                project.crs().authid()
            ),
            hint=translate("QgisAgent", "Use another bbox, or change the project CRS."),
            reason="crs",
        ) from None


def _around_all(call: Call) -> Generator[Step, Any, Tuple[QgsRectangle, List[str]]]:
    """Everything that the map shows, with a margin, in the project's CRS (the view where that has no place), and the aliases of
    layers without a place on earth."""
    boxes = yield Work(translate("QgisAgent", "Reading geometry"), WholeMap(call.host).read)
    whole, lost = joined_box(call.host, boxes)
    extent = _extent(call, None) if whole is None or whole[2] > 180 else extent_of_bbox(call, list(whole))
    if extent.isEmpty() or not extent.isFinite():
        extent = _extent(call, None)
    extent.scale(1.1)
    return extent, lost


def _coverage(call: Call, more: Mapping[str, Any]) -> Optional[Tuple[QgsVectorLayer, str]]:
    """The atlas layer and the field that names its pages."""
    if not more.get("atlas_layer_id"):
        return None
    layer = call.vector_layer(str(more["atlas_layer_id"]))
    if layer.geometryType() in (Qgis.GeometryType.Null, Qgis.GeometryType.Unknown):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The layer '{}' has no geometry, so it makes no pages.").format(
                clean_text(layer.name(), 120)
            ),
            hint=translate("QgisAgent", "Use a point, line or polygon layer for the atlas."),
            reason="layer_kind",
        )
    if more.get("atlas_name_field"):
        return layer, require_field(layer, str(more["atlas_name_field"])).name()
    texts = [each.name() for each in seen_fields(layer) if field_type(each) == "text" and not is_key_field(each.name())]
    named = [each for each in texts if "name" in each.lower() or "名" in each]
    return layer, (named or texts or [""])[0]


def _set_atlas(layout: QgsPrintLayout, layer: QgsVectorLayer, field: str, fixed: bool) -> None:
    """A page for each feature: at the scale that was asked for, or at one at which it fits."""
    atlas = layout.atlas()
    atlas.setEnabled(True)
    atlas.setCoverageLayer(layer)
    if field:
        atlas.setPageNameExpression(page_name_expression(field))
    item = main_map(layout)
    item.setAtlasDriven(True)
    modes = QgsLayoutItemMap.AtlasScalingMode
    item.setAtlasScalingMode(modes.Fixed if fixed else modes.Auto)
    item.setAtlasMargin(ATLAS_MARGIN)
