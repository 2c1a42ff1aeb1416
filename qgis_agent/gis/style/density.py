"""Renderers for many points: heatmap, clusters with their count, and points moved apart."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from qgis.core import (
    Qgis,
    QgsColorRamp,
    QgsFeatureRenderer,
    QgsFontMarkerSymbolLayer,
    QgsGradientColorRamp,
    QgsGradientStop,
    QgsHeatmapRenderer,
    QgsMarkerSymbol,
    QgsPointClusterRenderer,
    QgsPointDisplacementRenderer,
    QgsPointDistanceRenderer,
    QgsProperty,
    QgsSingleSymbolRenderer,
    QgsSizeScaleTransformer,
    QgsSymbolLayer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QPointF
from qgis.PyQt.QtGui import QColor

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from . import palettes
from .symbols import plain_symbol, symbol_of

METHODS = ("heatmap", "cluster", "displacement")
RADIUS_MM = {"heatmap": 8.0, "cluster": 8.0, "displacement": 4.0}
"""How far a point reaches, on the paper or screen."""
RADIUS_RANGE_MM = (0.5, 100.0)
CLUSTER_MM = (6.0, 10.0)
"""Diameter of the disc of two points, and of a thousand and more."""
MANY = 1000.0
NUMBER_MM = 2.8
"""Size of the number: five digits fit into the largest disc."""
HALO = "#ffffff"
_EMBEDDABLE = ("singleSymbol", "categorizedSymbol", "graduatedSymbol", "RuleRenderer")
_FIRST_ALPHA = 110
"""The lowest density that is drawn at all shows the map below it."""


class Density(NamedTuple):
    """A renderer, its method and radius (mm), the weight of a heatmap ("" = every point counts 1), and its colours."""

    renderer: QgsFeatureRenderer
    method: str
    radius: float
    weight: str
    colors: List[str]


def radius_of(method: str, size: Optional[float]) -> float:
    """The radius in mm: what was given, else the usual one. INVALID_PARAM outside of 0.5 to 100."""
    if size is None:
        return RADIUS_MM[method]
    low, high = RADIUS_RANGE_MM
    if not low <= size <= high:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The radius {} is not between {} and {} mm.").format(size, low, high),
            hint=translate("QgisAgent", "Give size in millimetres on the screen, for example 10."),
            reason="size",
        )
    return float(size)


def require_points(layer: QgsVectorLayer, method: str) -> None:
    """INVALID_PARAM unless the layer has points."""
    if layer.geometryType() == Qgis.GeometryType.Point:
        return
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The method {} needs a point layer.").format(method),
        hint=translate("QgisAgent", "Use graduated or categorized, or a layer of points."),
        reason="layer_kind",
    )


def heatmap(radius: float, weight: str, palette: str, reverse: bool) -> Density:
    """Density of points in a palette that is clear where there are none. ``weight`` is a number field or ""."""
    renderer = QgsHeatmapRenderer()
    renderer.setRadius(radius)
    renderer.setRadiusUnit(Qgis.RenderUnit.Millimeters)
    renderer.setWeightExpression(weight)
    renderer.setRenderQuality(2)
    colors = _heat(palette, reverse)
    renderer.setColorRamp(_from_clear(colors))
    return Density(renderer, "heatmap", radius, weight, [colors[0], colors[len(colors) // 2], colors[-1]])


def grouped(layer: QgsVectorLayer, method: str, radius: float, color: str, opacity: Optional[float] = None) -> Density:
    """Points nearer than ``radius`` as one marker with their number (cluster), or moved apart (displacement).

    Lone points keep the layer's present look when that is a renderer of symbols, unless ``color`` is given; ``opacity``
    (0 to 1) goes with that colour.
    """
    embedded = _embedded(layer.renderer(), color, opacity)
    shown = color or _first_color(embedded)
    if method == "cluster":
        renderer: QgsPointDistanceRenderer = QgsPointClusterRenderer()
        renderer.setClusterSymbol(_counting(shown, opacity))
    else:
        renderer = QgsPointDisplacementRenderer()
        renderer.setPlacement(QgsPointDisplacementRenderer.Placement.Ring)
        renderer.setCircleWidth(0.3)
        renderer.setCircleColor(QColor(palettes.NEUTRAL))
        renderer.setCenterSymbol(QgsMarkerSymbol.createSimple({"size": "1", "color": palettes.NEUTRAL}))
    renderer.setTolerance(radius)
    renderer.setToleranceUnit(Qgis.RenderUnit.Millimeters)
    renderer.setEmbeddedRenderer(embedded)
    return Density(renderer, method, radius, "", [shown])


def matches(found: Optional[QgsFeatureRenderer], wanted: Density) -> bool:
    """Whether a renderer, read back from the layer, is this one."""
    if found is None or found.type() != wanted.renderer.type():
        return False
    if isinstance(found, QgsHeatmapRenderer):
        ends = found.colorRamp().color2().name() == wanted.colors[-1] if found.colorRamp() is not None else False
        return bool(found.radius() == wanted.radius and found.weightExpression() == wanted.weight and ends)
    inner = found.embeddedRenderer()
    same = found.tolerance() == wanted.radius and inner is not None
    if not same or inner.type() != wanted.renderer.embeddedRenderer().type():
        return False
    looks = [(each.color().name(), each.opacity()) for each in _own_symbols(found)]
    return bool(looks == [(each.color().name(), each.opacity()) for each in _own_symbols(wanted.renderer)])


def _own_symbols(renderer: Any) -> List[Any]:
    """The symbol of groups, and that of lone points."""
    group = renderer.clusterSymbol() if isinstance(renderer, QgsPointClusterRenderer) else renderer.centerSymbol()
    lone = symbol_of(renderer.embeddedRenderer())
    return [each for each in (group, lone) if each is not None]


def _heat(palette: str, reverse: bool) -> List[str]:
    """The palette without its palest quarter, which makes a dull veil on a dark map."""
    colors = palettes.colors(palette, palettes.size(palette), reverse)
    return colors[len(colors) // 4 :]


def _from_clear(colors: List[str]) -> QgsColorRamp:
    """From nothing to the full colour: opaque from the middle on."""
    shades = [QColor(each) for each in colors]
    first = QColor(colors[0])
    first.setAlpha(0)
    stops: List[Any] = []
    for index, each in enumerate(shades[:-1], 1):
        each.setAlpha(min(255, _FIRST_ALPHA + (255 - _FIRST_ALPHA) * (index - 1) * 2 // len(shades)))
        stops.append(QgsGradientStop(index / len(shades), each))
    return QgsGradientColorRamp(first, shades[-1], False, stops)


def _embedded(renderer: Optional[QgsFeatureRenderer], color: str, opacity: Optional[float]) -> QgsFeatureRenderer:
    if isinstance(renderer, QgsPointDistanceRenderer):
        renderer = renderer.embeddedRenderer()
    if not color and renderer is not None and renderer.type() in _EMBEDDABLE:
        return renderer.clone()
    symbol = plain_symbol(Qgis.GeometryType.Point, color or palettes.RESULT_COLORS[0])
    symbol.setOpacity(1.0 if opacity is None else opacity)
    return QgsSingleSymbolRenderer(symbol)


def _first_color(renderer: QgsFeatureRenderer) -> str:
    symbol = symbol_of(renderer) if renderer.type() == "singleSymbol" else None
    return str(symbol.color().name()) if symbol is not None else palettes.RESULT_COLORS[0]


def _counting(color: str, opacity: Optional[float]) -> QgsMarkerSymbol:
    """A disc with a light rim, larger for more points, and their number: dark on light discs and light on dark ones."""
    rim = {"outline_color": HALO, "outline_width": "0.5", "size": str(CLUSTER_MM[0]), "name": "circle", "color": color}
    symbol = QgsMarkerSymbol.createSimple(rim)
    symbol.setOpacity(1.0 if opacity is None else opacity)
    by_count = QgsProperty.fromExpression("@cluster_size")
    exponential = QgsSizeScaleTransformer.ScaleType.Exponential
    by_count.setTransformer(QgsSizeScaleTransformer(exponential, 2.0, MANY, *CLUSTER_MM, CLUSTER_MM[0], 0.25))
    symbol.symbolLayer(0).setDataDefinedProperty(QgsSymbolLayer.Property.Size, by_count)
    number = QgsFontMarkerSymbolLayer()
    number.setFontFamily("sans-serif")
    number.setSize(NUMBER_MM)
    number.setColor(QColor("#000000" if QColor(color).lightnessF() > 0.55 else "#ffffff"))
    number.setOffset(QPointF(0, -0.3))
    number.setDataDefinedProperty(QgsSymbolLayer.Property.Character, QgsProperty.fromExpression("@cluster_size"))
    number.setLocked(True)
    symbol.appendSymbolLayer(number)
    return symbol
