"""The legend of a layout: the layers that its map draws, small enough for its place."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Sequence, Tuple

from qgis.core import (
    QgsLayerTreeGroup,
    QgsLayerTreeLayer,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsLayoutUtils,
    QgsLegendRenderer,
    QgsLegendStyle,
    QgsMapLayer,
    QgsPrintLayout,
    QgsRasterLayer,
)
from qgis.PyQt.QtCore import QSizeF, Qt

from ...bridge.text import wide
from ..scope import hides_layer
from ..scope_looks import hides_look
from .items import add, box_of, items_of, place
from .sheets import Box
from .words import defused, text_format, wrapped

SIZES = (9.0, 8.0, 7.0, 6.0)
"""Points of the entries, tried one after the other until the legend fits."""
COLUMN_MM = 36.0
"""A column is no narrower: words and numbers would be torn."""
MM_PER_HALF_EM = 0.3528 * 0.56
"""Millimetres that a half-width character takes for each point of size, about."""
SYMBOL_MM = 10.0
_OWN = "qgis_agent/"
"""Prefix of custom properties: of a layer's node the texts that were set here, of the item its place and format."""
_LABEL, _TITLE = "legend/label-", "legend/title-label"


class Fitted(NamedTuple):
    """The legend, whether it fits its place, and how many entries it has."""

    item: QgsLayoutItemLegend
    fits: bool
    entries: int


def make_legend(
    layout: QgsPrintLayout, box: Box, of: QgsLayoutItemMap, layers: Sequence[QgsMapLayer], title: str = ""
) -> Fitted:
    """A legend of ``layers`` (topmost first) without basemaps, with names broken into lines so that none leaves the box."""
    item = QgsLayoutItemLegend(layout)
    item.setLinkedMap(of)
    item.setAutoUpdateModel(False)
    item.setWrapString("\n")
    item.setBoxSpace(0.0)
    item.setResizeToContents(True)
    item.setTitle(title)
    root = item.model().rootGroup()
    root.clear()
    for layer in layers:
        if hides_layer(layer) or hides_look(layer, "renderer"):
            continue  # its classes are values of an excluded field
        if layer.isSpatial() and not is_basemap(layer):  # a table has no entry, only a name
            _counts_as_in_tree(item, root.addLayer(layer))
    add(layout, item, "legend", box)
    return fit(item, box)


def _counts_as_in_tree(item: QgsLayoutItemLegend, node: QgsLayerTreeLayer) -> None:
    """Numbers of features beside the classes, where the person or set_legend has switched them on in the layer tree."""
    own = item.layout().project().layerTreeRoot().findLayer(node.layerId())
    if own is not None:
        node.setCustomProperty("showFeatureCount", own.customProperty("showFeatureCount", 0))


def is_basemap(layer: QgsMapLayer) -> bool:
    """Whether a layer is a picture from a service, which a legend has nothing to say about."""
    return isinstance(layer, QgsRasterLayer) and layer.providerType() in ("wms", "arcgismapserver")


def fit(item: QgsLayoutItemLegend, box: Box) -> Fitted:
    """Make the legend as large as its place lets it be: smaller letters, then more columns where the box is wide."""
    item.setCustomProperty(_OWN + "room", "{} {}".format(box.width, box.height))
    tried: List[Tuple[float, float, float, int]] = []
    for size in SIZES:
        for count in range(1, max(1, min(3, int(box.width / COLUMN_MM))) + 1):
            entries = _format(item, size, count, box)
            needed = size_of(item)
            if needed.width() <= box.width + 0.5 and needed.height() <= box.height + 0.5:
                place(item, Box(box.x, box.y, needed.width(), needed.height()))
                return Fitted(item, True, entries)
            tried.append((max(0.0, needed.width() - box.width - 0.5), needed.height(), size, count))
    _, _, size, count = min(tried)  # nothing fits: what is no wider than its place, and then the lowest
    entries = _format(item, size, count, box)
    needed = size_of(item)
    place(item, Box(box.x, box.y, needed.width(), needed.height()))
    return Fitted(item, False, entries)


def brought_up_to_date(layout: QgsPrintLayout) -> None:
    """Fit the legends that were made here to the styles that the layers have now.

    A label that was broken into lines would else stay beside another class, and a new one could be an expression. Letters
    and columns that a person has changed since are left as they are.
    """
    for item in items_of(layout):
        room = item.customProperty(_OWN + "room")
        if not isinstance(item, QgsLayoutItemLegend) or not isinstance(room, str):
            continue
        width, height = (float(each) for each in room.split())
        here = box_of(item)
        if item.customProperty(_OWN + "format") == _format_of(item):
            fit(item, Box(here.x, here.y, width, height))
        else:
            size = item.style(QgsLegendStyle.Style.SymbolLabel).textFormat().size()
            _wrap(item, _column_mm(width, item.columnCount()), size)
        item.refresh()
        for node in layer_nodes(item.model().rootGroup()):
            _counts_as_in_tree(item, node)


def _format_of(item: QgsLayoutItemLegend) -> str:
    size = item.style(QgsLegendStyle.Style.SymbolLabel).textFormat().size()
    return "{:g} {}".format(size, item.columnCount())


def _column_mm(width: float, columns: int) -> float:
    return (width - 3.0 * (columns - 1)) / max(1, columns)


def size_of(item: QgsLayoutItemLegend) -> QSizeF:
    """The size in millimetres that its contents need. The item itself knows it only after it has been drawn."""
    context = QgsLayoutUtils.createRenderContextForLayout(item.layout(), None)
    return QgsLegendRenderer(item.model(), item.legendSettings()).minimumSize(context)


def _format(item: QgsLayoutItemLegend, size: float, columns: int, box: Box) -> int:
    item.setColumnCount(columns)
    item.setSplitLayer(columns > 1)
    item.setEqualColumnWidth(columns > 1)
    item.setColumnSpace(3.0)
    item.setSymbolWidth(6.0 * size / 9)
    item.setSymbolHeight(3.6 * size / 9)
    for style, points, bold in (
        (QgsLegendStyle.Style.Title, size + 2, True),
        (QgsLegendStyle.Style.Group, size + 1, True),
        (QgsLegendStyle.Style.Subgroup, size, True),
        (QgsLegendStyle.Style.SymbolLabel, size, False),
    ):
        made = item.style(style)
        made.setTextFormat(text_format(points, bold=bold))
        item.setStyle(style, made)
    for style, gap in ((QgsLegendStyle.Style.Subgroup, 3.0), (QgsLegendStyle.Style.Symbol, 1.6)):
        made = item.style(style)
        made.setMargin(QgsLegendStyle.Side.Top, gap * size / 9)
        item.setStyle(style, made)
    item.setCustomProperty(_OWN + "format", _format_of(item))
    return _wrap(item, _column_mm(box.width, columns), size)


def _wrap(item: QgsLayoutItemLegend, room_mm: float, size: float) -> int:
    """Break names and labels into lines of the column's width; returns the number of entries.

    Texts that were set here before are forgotten first, so that what is broken is always what the layer says now; those
    that a person set are kept.
    """
    per_character = MM_PER_HALF_EM * size
    model = item.model()
    entries = 0
    for node in layer_nodes(model.rootGroup()):
        if node.layer() is None:
            continue
        if _forgotten(node):
            model.refreshLayerLegend(node)
        if node.customProperty(_TITLE) is None:
            name = defused(_title(item, node), 120)
            node.setCustomProperty("cached_name", name)
            _set(node, _TITLE, wrapped(name, max(8, int(room_mm / per_character / 1.1))))
        legend_nodes = model.layerOriginalLegendNodes(node)
        entries += max(1, len(legend_nodes))
        for index, each in enumerate(legend_nodes):
            label = _label(each)
            plain = defused(" ".join(label.split()), 120).replace(" – ", "\u00a0–\u00a0")  # a range is one word
            if node.customProperty(_LABEL + str(index)) is not None:
                continue
            if (plain and wide(plain) * per_character > room_mm - SYMBOL_MM) or "[%" in label or "\n" in label:
                _set(node, _LABEL + str(index), wrapped(plain, max(6, int((room_mm - SYMBOL_MM) / per_character))))
        model.refreshLayerLegend(node)
    return entries


def _label(legend_node: Any) -> str:
    own = getattr(legend_node, "symbolLabel", None)
    return str(own() if own is not None else legend_node.data(Qt.ItemDataRole.DisplayRole) or "")


def _set(node: QgsLayerTreeLayer, key: str, text: str) -> None:
    """Set a text of the legend, and remember that it is ours."""
    node.setCustomProperty(key, text)
    node.setCustomProperty(_OWN + key, text)


def _forgotten(node: QgsLayerTreeLayer) -> bool:
    """Take the texts away that were set here and that nobody has changed since; whether there was any."""
    marks = [each for each in node.customProperties() if each.startswith(_OWN)]
    for mark in marks:
        key = mark[len(_OWN) :]
        if node.customProperty(key) == node.customProperty(mark):
            node.removeCustomProperty(key)
        node.removeCustomProperty(mark)
    return bool(marks)


def _title(item: QgsLayoutItemLegend, node: QgsLayerTreeLayer) -> str:
    """The title that the project's layer tree has for the legend, else the layer's name."""
    own = item.layout().project().layerTreeRoot().findLayer(node.layerId())
    title = own.customProperty("legend/title-label") if own is not None else None
    return str(title) if isinstance(title, str) and title else str(node.layer().name())


def layer_nodes(group: QgsLayerTreeGroup) -> List[QgsLayerTreeLayer]:
    """The layers of a legend, from the top."""
    return list(group.findLayers())
