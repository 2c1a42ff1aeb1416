"""Symbols of a new rule: the layer's own symbol in another colour, or a plain one where that cannot show a colour."""

from __future__ import annotations

from typing import List, Optional

from qgis.core import (
    Qgis,
    QgsFeatureRenderer,
    QgsFillSymbol,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsProperty,
    QgsRuleBasedRenderer,
    QgsSimpleFillSymbolLayer,
    QgsSymbol,
    QgsSymbolLayer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor

MIN_MARKER_MM = 2.4
"""Smaller markers do not show their colour."""
LINE_MM = 0.7
OUTLINE_MM = 0.2
OUTLINE = "#4d4d4d"
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
        found = renderer.sourceSymbol() or next((each.symbol() for each in renderer.ranges()), None)
    elif kind == "categorizedSymbol":
        found = renderer.sourceSymbol() or next((each.symbol() for each in renderer.categories()), None)
    elif isinstance(renderer, QgsRuleBasedRenderer):
        found = next((each.symbol() for each in renderer.rootRule().descendants() if each.symbol()), None)
    return found.clone() if found is not None else None


def base_symbol(layer: QgsVectorLayer) -> QgsSymbol:
    """The layer's present symbol, made fit to carry a colour: kind, size and outline are kept where that is possible."""
    kind = layer.geometryType()
    symbol = symbol_of(layer.renderer())
    if symbol is None or symbol.type() != plain_symbol(kind, OUTLINE).type():
        return plain_symbol(kind, OUTLINE)
    for part in layers_of(symbol):
        for each in _COLOR_PROPERTIES:
            part.setDataDefinedProperty(each, QgsProperty())
        part.setLocked(False)
        if isinstance(part, QgsSimpleFillSymbolLayer) and part.brushStyle() == Qt.BrushStyle.NoBrush:
            part.setBrushStyle(Qt.BrushStyle.SolidPattern)
    if kind == Qgis.GeometryType.Polygon and not any(
        isinstance(part, QgsSimpleFillSymbolLayer) for part in layers_of(symbol)
    ):
        return plain_symbol(kind, OUTLINE)
    if (
        isinstance(symbol, QgsMarkerSymbol)
        and symbol.size() < MIN_MARKER_MM
        and symbol.sizeUnit() == Qgis.RenderUnit.Millimeters
    ):
        symbol.setSize(MIN_MARKER_MM)
    return symbol


def coloured(base: QgsSymbol, kind: Qgis.GeometryType, color: str) -> QgsSymbol:
    """A copy of ``base`` in ``color`` ("#rrggbb"); a plain symbol where ``base`` does not take the colour (pictures)."""
    symbol = base.clone()
    symbol.setColor(QColor(color))
    return symbol if symbol.color().name() == color else plain_symbol(kind, color)


def layers_of(symbol: QgsSymbol) -> List[QgsSymbolLayer]:
    """The symbol's layers, bottom first."""
    return [symbol.symbolLayer(index) for index in range(symbol.symbolLayerCount())]
