"""The legend of a layout: the layers that its map draws, small enough for its place."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

from qgis.core import (
    QgsLayerTreeGroup,
    QgsLayerTreeLayer,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsLayoutUtils,
    QgsLegendRenderer,
    QgsLegendStyle,
    QgsMapLayer,
    QgsMapLayerLegendUtils,
    QgsPrintLayout,
    QgsRasterLayer,
)
from qgis.PyQt.QtCore import QSizeF, Qt

from .items import add, place
from .sheets import Box
from .words import defused, text_format, wide, wrapped

SIZES = (9.0, 8.0, 7.0, 6.0)
"""Points of the entries, tried one after the other until the legend fits."""
SMALL = 7.5
"""Below this size a narrow legend may have two columns."""
MM_PER_HALF_EM = 0.3528 * 0.56
"""Millimetres that a half-width character takes for each point of size, about."""
SYMBOL_MM = 10.0
MAX_ENTRIES = 60


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
        if not is_basemap(layer):
            root.addLayer(layer)
    add(layout, item, "legend", box)
    return fit(item, box)


def is_basemap(layer: QgsMapLayer) -> bool:
    """Whether a layer is a picture from a service, which a legend has nothing to say about."""
    return isinstance(layer, QgsRasterLayer) and layer.providerType() in ("wms", "arcgismapserver")


def fit(item: QgsLayoutItemLegend, box: Box) -> Fitted:
    """Make the legend as large as its place lets it be: smaller letters, then more columns where the box is wide."""
    needed = QSizeF()
    entries = 0
    for size in SIZES:
        for count in (1, 2, 3) if box.width > box.height else (1, 2) if size < SMALL else (1,):
            entries = _format(item, size, count, box)
            needed = size_of(item)
            if needed.width() <= box.width + 0.5 and needed.height() <= box.height + 0.5:
                place(item, Box(box.x, box.y, needed.width(), needed.height()))
                return Fitted(item, True, entries)
    place(item, Box(box.x, box.y, needed.width(), needed.height()))
    return Fitted(item, False, entries)


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
    room = (box.width - 3.0 * (columns - 1)) / columns
    return _wrap(item, room, size)


def _wrap(item: QgsLayoutItemLegend, room_mm: float, size: float) -> int:
    """Break names and labels into lines of the column's width; returns the number of entries."""
    per_character = MM_PER_HALF_EM * size
    model = item.model()
    entries = 0
    for node in layer_nodes(model.rootGroup()):
        layer = node.layer()
        if layer is None:
            continue
        name = node.customProperty("legend/plain-title") or defused(_title(item, node), 120)
        node.setCustomProperty("legend/plain-title", name)
        node.setCustomProperty("cached_name", name)
        node.setCustomProperty("legend/title-label", wrapped(name, max(8, int(room_mm / per_character / 1.1))))
        legend_nodes = model.layerOriginalLegendNodes(node)
        entries += max(1, len(legend_nodes))
        for index, each in enumerate(legend_nodes):
            own = getattr(each, "symbolLabel", None)
            label = str(own() if own is not None else each.data(Qt.ItemDataRole.DisplayRole) or "")
            plain = defused(" ".join(label.split()), 120)
            if (plain and wide(plain) * per_character > room_mm - SYMBOL_MM) or "[%" in label or "\n" in label:
                lines = wrapped(plain, max(6, int((room_mm - SYMBOL_MM) / per_character)))
                QgsMapLayerLegendUtils.setLegendNodeUserLabel(node, index, lines)
        model.refreshLayerLegend(node)
    return entries


def _title(item: QgsLayoutItemLegend, node: QgsLayerTreeLayer) -> str:
    """The title that the project's layer tree has for the legend, else the layer's name."""
    own = item.layout().project().layerTreeRoot().findLayer(node.layerId())
    title = own.customProperty("legend/title-label") if own is not None else None
    return str(title) if isinstance(title, str) and title else str(node.layer().name())


def layer_nodes(group: QgsLayerTreeGroup) -> List[QgsLayerTreeLayer]:
    """The layers of a legend, from the top."""
    return list(group.findLayers())
