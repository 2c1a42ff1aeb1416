"""Symbols of a new rule: the layer's own symbol in another colour, or a plain one where that cannot show a colour."""

from __future__ import annotations

from typing import List, Optional

from qgis.core import (
    Qgis,
    QgsFeatureRenderer,
    QgsFillSymbol,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsPointDistanceRenderer,
    QgsProperty,
    QgsRuleBasedRenderer,
    QgsSimpleFillSymbolLayer,
    QgsSimpleLineSymbolLayer,
    QgsSymbol,
    QgsSymbolLayer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor

from . import sizes

MIN_MARKER_MM = 2.4
"""Smaller markers do not show their colour."""
LINE_MM = 0.7
MIN_LINE_MM = 0.5
"""Thinner lines of a classified layer do not show their colour."""
OUTLINE_MM = 0.2
OUTLINE = "#808080"
"""Grey halfway between white and black, so that pale classes have an edge on paper and dark ones on a dark map."""
CASING_MM = 0.15
"""How far the casing of a classified line stands out on either side."""
CASING_TIMES = 1.3
"""The same where a field sets the width."""
QGIS_OUTLINE = "#232323"
"""The outline that QGIS gives to a new layer: nobody has chosen it."""
QGIS_LINE_MM = 0.26
"""The width that QGIS gives to new lines: neither has anybody chosen that."""
_COLOR_PROPERTIES = (QgsSymbolLayer.Property.FillColor, QgsSymbolLayer.Property.StrokeColor)


def plain_symbol(kind: Qgis.GeometryType, color: str) -> QgsSymbol:
    """A simple marker, line or fill of one colour, for a layer's kind of geometry."""
    if kind == Qgis.GeometryType.Point:
        return QgsMarkerSymbol.createSimple(
            {
                "name": "circle",
                "color": color,
                "size": str(MIN_MARKER_MM),
                "outline_color": OUTLINE,
                "outline_width": "0.2",
            }
        )
    if kind == Qgis.GeometryType.Line:
        return QgsLineSymbol.createSimple({"line_color": color, "line_width": str(LINE_MM)})
    return QgsFillSymbol.createSimple({"color": color, "outline_color": OUTLINE, "outline_width": str(OUTLINE_MM)})


def symbol_of(renderer: Optional[QgsFeatureRenderer]) -> Optional[QgsSymbol]:
    """The symbol that stands for a renderer's look (its source symbol, or its first one), as a copy; None without one."""
    found: Optional[QgsSymbol] = None
    kind = renderer.type() if renderer is not None else ""
    if kind == "singleSymbol":
        found = renderer.symbol()
    elif kind == "graduatedSymbol":
        found = renderer.sourceSymbol() or next((each.symbol().clone() for each in renderer.ranges()), None)
    elif kind == "categorizedSymbol":
        found = renderer.sourceSymbol() or next((each.symbol().clone() for each in renderer.categories()), None)
    elif isinstance(renderer, QgsPointDistanceRenderer):
        return symbol_of(renderer.embeddedRenderer())
    elif isinstance(renderer, QgsRuleBasedRenderer):
        found = next((each.symbol() for each in renderer.rootRule().descendants() if each.symbol()), None)
    return (
        found.clone() if found is not None else None
    )  # ranges and categories are copies that take their symbols along


def base_symbol(layer: QgsVectorLayer, classed: bool = False, as_large: bool = False) -> QgsSymbol:
    """The layer's present symbol, made fit to carry a colour: kind, size and outline are kept where that is possible.

    ``classed``: the colour tells classes apart, so lines must be wide enough, and QGIS's own outline becomes grey.
    ``as_large``: sizes stay just as they are, because somebody else decides on them.
    """
    kind = layer.geometryType()
    symbol = symbol_of(layer.renderer())
    if symbol is None or symbol.type() != plain_symbol(kind, OUTLINE).type():
        return plain_symbol(kind, OUTLINE)
    if _is_casing(symbol.symbolLayer(0)) and symbol.symbolLayerCount() > 1:
        symbol.deleteSymbolLayer(0)
    sizes.clear(symbol, MIN_MARKER_MM, LINE_MM)
    for part in layers_of(symbol):
        if classed and hasattr(part, "setStrokeColor") and part.strokeColor().name() == QGIS_OUTLINE:
            part.setStrokeColor(QColor(OUTLINE))
        for each in _COLOR_PROPERTIES:
            part.setDataDefinedProperty(each, QgsProperty())
        part.setLocked(False)
        if isinstance(part, QgsSimpleFillSymbolLayer) and part.brushStyle() == Qt.BrushStyle.NoBrush:
            part.setBrushStyle(Qt.BrushStyle.SolidPattern)
    if kind == Qgis.GeometryType.Polygon and not any(
        isinstance(part, QgsSimpleFillSymbolLayer) for part in layers_of(symbol)
    ):
        return plain_symbol(kind, OUTLINE)
    if not as_large:
        _enlarge(symbol, classed)
    return symbol


def _enlarge(symbol: QgsSymbol, classed: bool) -> None:
    """Make markers and lines large enough to show a colour."""
    if isinstance(symbol, QgsMarkerSymbol) and symbol.size() < MIN_MARKER_MM and _in_mm(symbol):
        symbol.setSize(MIN_MARKER_MM)
    if isinstance(symbol, QgsLineSymbol) and _in_mm(symbol):
        if classed and symbol.width() < MIN_LINE_MM:
            symbol.setWidth(LINE_MM)
        elif abs(symbol.width() - QGIS_LINE_MM) < 1e-6:
            symbol.setWidth(MIN_LINE_MM)


def coloured(base: QgsSymbol, kind: Qgis.GeometryType, color: str) -> QgsSymbol:
    """A copy of ``base`` in ``color`` ("#rrggbb"); a plain symbol where ``base`` does not take the colour (pictures)."""
    symbol = base.clone()
    symbol.setColor(QColor(color))
    return symbol if symbol.color().name() == color else plain_symbol(kind, color)


def layers_of(symbol: QgsSymbol) -> List[QgsSymbolLayer]:
    """The symbol's layers, bottom first."""
    return [symbol.symbolLayer(index) for index in range(symbol.symbolLayerCount())]


def add_casing(symbol: QgsSymbol, by_field: Optional[sizes.Sizes] = None) -> None:
    """A grey edge below a plain line, so that pale classes are seen on paper and dark ones on a dark map.

    It is locked, so that the colour of the class goes to the line alone. Lines of several layers have a look of their own.
    Where a field sets the width, it sets the edge's too.
    """
    if symbol.symbolLayerCount() != 1 or not isinstance(symbol.symbolLayer(0), QgsSimpleLineSymbolLayer):
        return
    line = symbol.symbolLayer(0)
    if line.widthUnit() != Qgis.RenderUnit.Millimeters:
        return
    casing = line.clone()
    casing.setColor(QColor(OUTLINE))
    casing.setWidth(line.width() + 2 * CASING_MM)
    casing.setLocked(True)
    if by_field is not None:
        sizes.widen(casing, by_field, CASING_TIMES)
    symbol.insertSymbolLayer(0, casing)


def main_width(symbol: QgsLineSymbol) -> float:
    """The width of a line without its casing, in its own unit."""
    cased = symbol.symbolLayerCount() == 2 and _is_casing(symbol.symbolLayer(0))
    return float(symbol.symbolLayer(1).width() if cased else symbol.width())


def _is_casing(part: Optional[QgsSymbolLayer]) -> bool:
    return isinstance(part, QgsSimpleLineSymbolLayer) and part.isLocked() and part.color().name() == OUTLINE


def _in_mm(symbol: QgsSymbol) -> bool:
    return bool(symbol.outputUnit() == Qgis.RenderUnit.Millimeters)
