"""Makes and reads the items of a layout. An item's id is a short plain name ("map", "legend-2"), unique in its layout."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Optional, Sequence

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsCsException,
    QgsExpression,
    QgsLayoutFrame,
    QgsLayoutItem,
    QgsLayoutItemAttributeTable,
    QgsLayoutItemLabel,
    QgsLayoutItemMap,
    QgsLayoutItemMapOverview,
    QgsLayoutItemPicture,
    QgsLayoutItemRegistry,
    QgsLayoutItemScaleBar,
    QgsLayoutMeasurement,
    QgsLayoutPoint,
    QgsLayoutSize,
    QgsMapLayer,
    QgsMapLayerStyle,
    QgsPrintLayout,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor

from ..errors import NOT_FOUND, ToolError, hint_for_name
from ..extents import bbox_degrees
from ..i18n import translate
from ..layers import clean_text, layer_kind
from ..scope import hides_layer, seen_fields
from .scale import SEGMENTS, ground_width_m, plan_bar
from .sheets import Box
from .words import INK, MUTED, text_format

MAX_TABLE_ROWS = 12
MAX_TABLE_COLUMNS = 6
_KINDS = (
    (QgsLayoutItemMap, "map"),
    (QgsLayoutItemScaleBar, "scale_bar"),
    (QgsLayoutItemPicture, "picture"),
    (QgsLayoutItemLabel, "text"),
    (QgsLayoutFrame, "table"),
)
KIND = "qgis_agent/kind"
"""Custom property of an item: what a tool made it as (title, north_arrow …)."""


def items_of(layout: QgsPrintLayout) -> List[QgsLayoutItem]:
    """The items that a person sees in the item list, bottom first; the pages are none."""
    return [
        each
        for each in layout.items()
        if isinstance(each, QgsLayoutItem) and each.type() != QgsLayoutItemRegistry.ItemType.LayoutPage
    ]


def kind_of(item: QgsLayoutItem) -> str:
    """map, legend, scale_bar, north_arrow, title, text, table, overview, picture or other."""
    made_as = item.customProperty(KIND)
    if isinstance(made_as, str) and made_as:
        return made_as
    if item.type() == QgsLayoutItemRegistry.ItemType.LayoutLegend:
        return "legend"
    return next((kind for base, kind in _KINDS if isinstance(item, base)), "other")


def shown_id(item: QgsLayoutItem) -> str:
    """The id as it may be said: one that a project's file brings is untrusted text."""
    return clean_text(item.id(), 80)


def item_of(layout: QgsPrintLayout, item_id: str) -> QgsLayoutItem:
    """The item of an id, as it was said. NOT_FOUND with the ids that there are."""
    all_items = items_of(layout)
    exact = (each for each in all_items if each.id() == item_id)
    found = next(exact, None) or next((each for each in all_items if shown_id(each) == item_id), None)
    if found is None:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layout has no item '{}'.").format(clean_text(item_id, 80)),
            hint=hint_for_name(item_id, [shown_id(each) for each in all_items if each.id()], "item_id"),
            reason="item",
        )
    return found


def main_map(layout: QgsPrintLayout) -> QgsLayoutItemMap:
    """The map that legend, scale bar and arrow belong to: the largest. NOT_FOUND without one."""
    found = largest_map(layout)
    if found is None:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layout '{}' has no map.").format(clean_text(layout.name(), 80)),
            hint=translate("QgisAgent", "Add one with add_layout_item, kind map."),
            reason="no_map",
        )
    return found


def largest_map(layout: QgsPrintLayout) -> Optional[QgsLayoutItemMap]:
    """The largest map of a layout, or None."""
    maps = [each for each in items_of(layout) if isinstance(each, QgsLayoutItemMap)]
    return max(maps, key=lambda each: each.rect().width() * each.rect().height(), default=None)


def add(layout: QgsPrintLayout, item: QgsLayoutItem, kind: str, box: Box) -> QgsLayoutItem:
    """Put an item on the first page and give it a free id."""
    taken = {each.id() for each in items_of(layout)}
    ident, number = kind, 1
    while ident in taken:
        number += 1
        ident = "{}-{}".format(kind, number)
    item.setId(ident)
    item.setCustomProperty(KIND, kind)
    if item.scene() is None:
        layout.addLayoutItem(item)
    place(item, box)
    return item


def place(item: QgsLayoutItem, box: Box) -> None:
    """Position and size in millimetres on the item's own page; the reference point is the upper left corner."""
    page = max(0, item.page())
    item.setReferencePoint(QgsLayoutItem.ReferencePoint.UpperLeft)
    item.attemptMove(QgsLayoutPoint(box.x, box.y, Qgis.LayoutUnit.Millimeters), True, False, page)
    item.attemptResize(QgsLayoutSize(box.width, box.height, Qgis.LayoutUnit.Millimeters))


def page_box(layout: QgsPrintLayout, number: int) -> Box:
    """The box of a page (counted from 0) in millimetres; that of the first one for an item on no page."""
    pages = layout.pageCollection()
    page = pages.page(number if 0 <= number < pages.pageCount() else 0).rect()
    return Box(0.0, 0.0, page.width(), page.height())


def box_of(item: QgsLayoutItem) -> Box:
    """Where an item is on its page, in millimetres."""
    at, size = item.pagePos(), item.rect()
    return Box(round(at.x(), 2), round(at.y(), 2), round(size.width(), 2), round(size.height(), 2))


def make_map(layout: QgsPrintLayout, box: Box, extent: QgsRectangle, layers: Sequence[QgsMapLayer]) -> QgsLayoutItemMap:
    """A map with a frame that shows at least ``extent`` (in the project's CRS). It keeps the layers that it is made with."""
    item = QgsLayoutItemMap(layout)
    add(layout, item, "map", box)
    item.setFrameEnabled(True)
    item.setFrameStrokeColor(QColor(INK))
    item.setFrameStrokeWidth(QgsLayoutMeasurement(0.3, Qgis.LayoutUnit.Millimeters))
    item.setBackgroundColor(QColor("white"))
    item.setLayers(list(layers))
    item.setKeepLayerSet(True)
    item.zoomToExtent(extent)
    return item


def make_overview(layout: QgsPrintLayout, box: Box, extent: QgsRectangle, of: QgsLayoutItemMap) -> QgsLayoutItemMap:
    """A small map of ``extent`` that shows where the main map is. Without points and labels, which would cover it."""
    item = QgsLayoutItemMap(layout)
    add(layout, item, "overview", box)
    item.setFrameEnabled(True)
    item.setFrameStrokeColor(QColor(MUTED))
    item.setFrameStrokeWidth(QgsLayoutMeasurement(0.2, Qgis.LayoutUnit.Millimeters))
    shown = [each for each in of.layers() if not hides_layer(each)]
    layers = [each for each in shown if layer_kind(each) != "point"] or shown
    item.setLayers(layers)
    item.setKeepLayerSet(True)
    item.setLayerStyleOverrides(_without_labels(layers))
    item.setKeepLayerStyles(True)
    item.zoomToExtent(_at_least(extent, of.extent()))
    overview = QgsLayoutItemMapOverview("main", item)
    overview.setLinkedMap(of)
    item.overviews().addOverview(overview)
    return item


def _at_least(extent: QgsRectangle, main: QgsRectangle) -> QgsRectangle:
    """An extent in which the main map is a part: at least three times as wide around its middle."""
    if extent.width() >= 2 * main.width() and extent.height() >= 2 * main.height():
        return extent
    wider = QgsRectangle(main)
    wider.scale(3.0)
    wider.combineExtentWith(extent)
    return wider


def _without_labels(layers: Sequence[QgsMapLayer]) -> Dict[str, str]:
    """Styles by layer id in which the labels are off: those of the main map would be huge in a small one."""
    styles: Dict[str, str] = {}
    for layer in layers:
        if isinstance(layer, QgsVectorLayer) and layer.labelsEnabled():
            style = QgsMapLayerStyle()
            style.readFromLayer(layer)
            styles[layer.id()] = style.xmlData().replace('labelsEnabled="1"', 'labelsEnabled="0"', 1)
    return styles


def make_page_name(layout: QgsPrintLayout, box: Box, size_pt: float) -> QgsLayoutItemLabel:
    """A label with the name of the atlas page. The expression is ours and has no text of anybody in it."""
    return make_text(layout, "page_name", box, "[% @atlas_pagename %]", size_pt, color=MUTED)


def has_scales_of_its_own(item: QgsLayoutItemMap) -> bool:
    """Whether each page of an atlas shows this map at another scale."""
    return bool(item.atlasDriven() and item.atlasScalingMode() != QgsLayoutItemMap.AtlasScalingMode.Fixed)


def fit_width_bar(item: QgsLayoutItemScaleBar, width_mm: float) -> None:
    """For an atlas, whose pages have scales of their own: QGIS chooses a round length for each page."""
    item.setSegmentSizeMode(Qgis.ScaleBarSegmentSizeMode.FitWidth)
    item.setMinimumBarWidth(width_mm * 0.35)
    item.setMaximumBarWidth(width_mm * 0.75)
    item.update()


def make_text(
    layout: QgsPrintLayout, kind: str, box: Box, text: str, size_pt: float, bold: bool = False, color: str = INK
) -> QgsLayoutItemLabel:
    """A label whose text is shown as it is: the caller has refused or taken apart what QGIS would evaluate."""
    item = QgsLayoutItemLabel(layout)
    item.setMode(QgsLayoutItemLabel.Mode.ModeFont)
    item.setText(text)
    item.setTextFormat(text_format(size_pt, color, bold))
    item.setVAlign(Qt.AlignmentFlag.AlignVCenter)
    item.setMarginX(0)
    item.setMarginY(0)
    add(layout, item, kind, box)
    return item


def make_scale_bar(layout: QgsPrintLayout, box: Box, of: QgsLayoutItemMap) -> QgsLayoutItemScaleBar:
    """Two segments of a round length on the ground, measured along the middle of the map."""
    item = QgsLayoutItemScaleBar(layout)
    item.setStyle("Single Box")
    item.setLinkedMap(of)
    item.setMethod(Qgis.ScaleCalculationMethod.HorizontalMiddle)
    item.setTextFormat(text_format(8))
    item.setHeight(2.2)
    item.setLabelBarSpace(1.2)
    item.setBoxContentSpace(0.5)
    item.setNumberOfSegmentsLeft(0)
    item.setNumberOfSegments(SEGMENTS)
    add(layout, item, "scale_bar", box)
    fit_scale_bar(item, box)
    return item


def fit_scale_bar(item: QgsLayoutItemScaleBar, box: Box) -> None:
    """Choose the round length that fits ``box`` at the map's present scale."""
    of = item.linkedMap()
    if of is None:
        return
    try:
        plan = plan_bar(ground_width_m(of, item.layout().project()), of.rect().width(), box.width)
    except (ValueError, QgsCsException):  # a map of no ground keeps the bar that it has
        return
    item.setUnits(plan.unit)
    item.setUnitLabel(plan.sign)
    item.setUnitsPerSegment(plan.per_segment)
    item.update()


def make_north_arrow(layout: QgsPrintLayout, box: Box, of: QgsLayoutItemMap) -> QgsLayoutItemPicture:
    """QGIS's own arrow, which follows true north at the map's middle (grid north and the map's rotation included)."""
    item = QgsLayoutItemPicture(layout)
    item.setPicturePath(_arrow_path(), QgsLayoutItemPicture.Format.FormatSVG)
    item.setLinkedMap(of)
    item.setNorthMode(QgsLayoutItemPicture.NorthMode.TrueNorth)
    item.setResizeMode(QgsLayoutItemPicture.ResizeMode.Zoom)
    add(layout, item, "north_arrow", box)
    return item


def _arrow_path() -> str:
    for folder in QgsApplication.svgPaths():
        path = os.path.join(folder, "arrows", "NorthArrow_02.svg")
        if os.path.isfile(path):
            return path
    return ""


def table_rows(height_mm: float, size_pt: float) -> int:
    """How many rows fit below the head of a table, at most 12 and at least one."""
    return max(1, min(MAX_TABLE_ROWS, int(height_mm / row_mm(size_pt)) - 1))


def row_mm(size_pt: float) -> float:
    """The height of a row: letters of this size, and the margins of a cell."""
    return size_pt * 0.3528 * 1.35 + 2.0


def make_table(
    layout: QgsPrintLayout, box: Box, layer: QgsVectorLayer, size_pt: float, fields: Optional[Sequence[str]] = None
) -> QgsLayoutFrame:
    """The first rows of a layer's attributes: at most 12 rows of 6 fields, those that fit (``table_rows``)."""
    table = QgsLayoutItemAttributeTable.create(layout)
    layout.addMultiFrame(table)
    table.setVectorLayer(layer)
    names = list(fields or [each.name() for each in seen_fields(layer)])[:MAX_TABLE_COLUMNS]
    table.setDisplayedFields(names)
    table.setMaximumNumberOfFeatures(table_rows(box.height, size_pt))
    table.setHeaderTextFormat(text_format(size_pt, bold=True))
    table.setContentTextFormat(text_format(size_pt))
    table.setCellMargin(1.0)
    table.setGridColor(QColor("#b5b5b5"))
    table.setGridStrokeWidth(0.15)
    frame = QgsLayoutFrame(layout, table)
    table.addFrame(frame)
    add(layout, frame, "table", box)
    return frame


def describe(item: QgsLayoutItem) -> Dict[str, Any]:
    """An item as data; the extent of a map in degrees (EPSG:4326)."""
    box = box_of(item)
    found: Dict[str, Any] = {
        "item_id": shown_id(item),
        "kind": kind_of(item),
        "x": box.x,
        "y": box.y,
        "width": box.width,
        "height": box.height,
    }
    if item.page() > 0:
        found["page"] = item.page() + 1
    if not item.isVisible():
        found["visible"] = False
    if isinstance(item, QgsLayoutItemLabel):
        found["text"] = clean_text(item.text() if kind_of(item) != "page_name" else "", 120)
        found["font_size"] = round(item.textFormat().size(), 1)
    if isinstance(item, QgsLayoutItemMap):
        found["scale"] = round(item.scale()) if math.isfinite(item.scale()) else None
        found["bbox"] = bbox_degrees(item.extent(), item.crs(), item.layout().project())
        if item.mapRotation():
            found["rotation"] = round(item.mapRotation(), 1)
    if isinstance(item, QgsLayoutItemScaleBar):
        found["segment"] = "{:g} {}".format(item.unitsPerSegment(), clean_text(item.unitLabel(), 20))
    return found


def set_font_size(item: QgsLayoutItem, size_pt: float) -> bool:
    """The size of an item's text in points; False for an item without text of its own."""
    if not isinstance(item, (QgsLayoutItemLabel, QgsLayoutItemScaleBar)):
        return False
    made = item.textFormat()
    made.setSize(size_pt)
    item.setTextFormat(made)
    return True


def page_name_expression(field: str) -> str:
    """The expression that names an atlas page: one quoted field."""
    return str(QgsExpression.quotedColumnRef(field))
