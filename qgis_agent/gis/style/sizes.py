"""Symbols whose size a number field sets: markers by area, lines by width, polygons by a circle at their centre."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCentroidFillSymbolLayer,
    QgsDataDefinedSizeLegend,
    QgsExpression,
    QgsFeatureRenderer,
    QgsFillSymbol,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsProperty,
    QgsSizeScaleTransformer,
    QgsSymbol,
    QgsSymbolLayer,
)
from qgis.PyQt.QtGui import QColor

from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layouts.words import defused
from .classification import format_numbers
from .data_defined import shown_in_legends, source_expression
from .values import Numbers

TOP_MM = {Qgis.GeometryType.Point: 10.0, Qgis.GeometryType.Line: 3.0, Qgis.GeometryType.Polygon: 12.0}
"""Diameter or width of the highest value."""
SMALLEST_MM = 0.5
"""Markers smaller than this are hard to see; lines are at least this part of a millimetre divided by five."""
SIZE_RANGE_MM = (0.1, 40.0)
"""What a fixed size may be."""
CIRCLE = {"name": "circle", "color": "84,39,136,130", "outline_color": "#ffffff", "outline_width": "0.4"}
"""Dark violet with a light rim: seen on pale areas by the one and on dark ones by the other, and no colour of a size legend,
which explains the markers of another layer."""
LEGEND_COLOR = "#606060"
"""Of the circles that a legend explains sizes with: no colour of a class, because all classes have these sizes."""


class Sizes(NamedTuple):
    """Sizes by a number field. ``attribute`` is what QGIS evaluates; ``top`` is the value drawn ``top_mm`` large."""

    field: str
    attribute: str
    top: float
    top_mm: float
    kind: Qgis.GeometryType
    missing: int
    not_positive: int
    tiny: int

    @property
    def exponent(self) -> float:
        """0.5: a value four times as high has a marker twice as wide, four times the area. Widths of lines go straight."""
        return 1.0 if self.kind == Qgis.GeometryType.Line else 0.5

    def mm(self, value: float) -> float:
        """Diameter or width of a value, in mm."""
        return self.top_mm * (max(0.0, value) / self.top) ** self.exponent


def sizes_of(field: str, attribute: str, numbers: Numbers, kind: Qgis.GeometryType) -> Sizes:
    """The sizes of these values. UNSUPPORTED when none is above 0."""
    top = float(numbers.values[-1]) if len(numbers.values) else 0.0
    if top <= 0:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "No value of '{}' is above 0, so it sets no sizes.").format(field),
            hint=translate("QgisAgent", "Use another field for size; the style was not changed."),
            reason="no_positive_values",
        )
    found = Sizes(field, attribute, top, TOP_MM[kind], kind, numbers.missing, 0, 0)
    smallest = top * ((SMALLEST_MM if found.exponent < 1 else SMALLEST_MM / 5) / found.top_mm) ** (1 / found.exponent)
    not_positive = int(np.searchsorted(numbers.values, 0.0, side="right"))
    tiny = int(np.searchsorted(numbers.values, smallest, side="left")) - not_positive
    return found._replace(not_positive=not_positive, tiny=max(0, tiny))


def check_fixed(size: float, kind: Qgis.GeometryType) -> float:
    """A size in mm that one can give to all symbols. INVALID_PARAM for polygons and outside of 0.1 to 40."""
    if kind == Qgis.GeometryType.Polygon:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Polygons have no symbol size."),
            hint=translate("QgisAgent", "Leave size out, or give a number field: it draws a circle on each polygon."),
            reason="size",
        )
    low, high = SIZE_RANGE_MM
    if not low <= size <= high:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "size {} is not between {} and {} mm.").format(size, low, high),
            hint=translate("QgisAgent", "Give millimetres, for example 3, or the name of a number field."),
            reason="size",
        )
    return float(size)


def set_fixed(symbol: QgsSymbol, size: float) -> None:
    """Marker size or line width in mm."""
    if isinstance(symbol, QgsMarkerSymbol):
        symbol.setSize(size)
        symbol.setSizeUnit(Qgis.RenderUnit.Millimeters)
    elif isinstance(symbol, QgsLineSymbol):
        symbol.setWidth(size)
        symbol.setWidthUnit(Qgis.RenderUnit.Millimeters)


def set_by_field(symbol: QgsSymbol, sizes: Sizes) -> None:
    """Let the field set the size: from 0 at the value 0, in true proportion. NULL and values below 0 are not drawn."""
    if isinstance(symbol, QgsFillSymbol):
        symbol.appendSymbolLayer(_circles(sizes))
        return
    set_fixed(symbol, sizes.top_mm)
    if isinstance(symbol, QgsMarkerSymbol):
        symbol.setDataDefinedSize(_property(sizes))
    elif isinstance(symbol, QgsLineSymbol):
        symbol.setDataDefinedWidth(_property(sizes))


def clear(symbol: QgsSymbol, marker_mm: float, line_mm: float) -> None:
    """Take away what ``set_by_field`` set; a size that the person's own expression sets stays."""
    if isinstance(symbol, QgsMarkerSymbol) and _is_ours(symbol.dataDefinedSize()):
        symbol.setDataDefinedSize(QgsProperty())
        set_fixed(symbol, marker_mm)
    elif isinstance(symbol, QgsLineSymbol) and _is_ours(_width_of(symbol)):
        symbol.setDataDefinedWidth(QgsProperty())
        set_fixed(symbol, line_mm)
    elif isinstance(symbol, QgsFillSymbol):
        for index in reversed(range(symbol.symbolLayerCount())):
            part = symbol.symbolLayer(index)
            if isinstance(part, QgsCentroidFillSymbolLayer) and _is_ours(part.subSymbol().dataDefinedSize()):
                symbol.deleteSymbolLayer(index)


def has_sizes(symbol: QgsSymbol, sizes: Sizes) -> bool:
    """Whether a symbol, read back, has these sizes."""
    return expression_on(symbol) == _expression(sizes)


def expression_on(symbol: QgsSymbol) -> str:
    """The expression of the sizes that ``set_by_field`` gave to a symbol; "" for a symbol without."""
    if isinstance(symbol, QgsMarkerSymbol):
        found = symbol.dataDefinedSize()
    elif isinstance(symbol, QgsLineSymbol):
        found = _width_of(symbol)
    else:
        last = symbol.symbolLayer(symbol.symbolLayerCount() - 1)
        found = last.subSymbol().dataDefinedSize() if isinstance(last, QgsCentroidFillSymbolLayer) else QgsProperty()
    return source_expression(found) if _is_ours(found) else ""


def widen(part: QgsSymbolLayer, sizes: Sizes, times: float) -> None:
    """Let the field set the width of one line of a symbol, ``times`` as wide as the others."""
    part.setDataDefinedProperty(
        QgsSymbolLayer.Property.StrokeWidth, _property(sizes._replace(top_mm=sizes.top_mm * times))
    )


def samples(sizes: Sizes) -> List[Dict[str, Any]]:
    """Three values for a legend with their sizes: round numbers near the top, a quarter and a tenth of it."""
    values = sorted({_rounded(sizes.top * part) for part in (1.0, 0.25, 0.05)}, reverse=True)
    texts = format_numbers(values[::-1])[::-1] if len(values) > 1 else ["{:g}".format(values[0])]
    return [{"label": text, "value": value, "size_mm": round(sizes.mm(value), 2)} for value, text in zip(values, texts)]


def in_legend(sizes: Sizes) -> bool:
    """Whether QGIS's legends explain these sizes: they do for markers alone."""
    return bool(sizes.kind == Qgis.GeometryType.Point)


def set_legend(renderer: QgsFeatureRenderer, sizes: Sizes) -> None:
    """Show the sizes in QGIS's own legend, where that can (markers), by circles in a colour of none of the classes."""
    if not in_legend(sizes) or not hasattr(renderer, "setDataDefinedSizeLegend"):
        return
    source = getattr(renderer, "sourceSymbol", lambda: None)()
    if source is not None:
        source = source.clone()
        source.setColor(QColor(LEGEND_COLOR))
        renderer.setSourceSymbol(source)
    legend = QgsDataDefinedSizeLegend()
    legend.setTitle(defused(sizes.field, 60))
    legend.setSizeScaleTransformer(_transformer(sizes))
    legend.setClasses([QgsDataDefinedSizeLegend.SizeClass(each["value"], each["label"]) for each in samples(sizes)])
    renderer.setDataDefinedSizeLegend(legend)


def explained(renderer: Optional[QgsFeatureRenderer]) -> bool:
    """Whether QGIS's legend has entries for sizes. With numbers of features switched on it writes "[0]" beside each."""
    return bool(getattr(renderer, "dataDefinedSizeLegend", lambda: None)())


def title_for(sizes: Optional[Sizes], name: str) -> str:
    """A legend title that explains sizes which legends cannot show: of circles on polygons and of line widths; else ""."""
    if sizes is None or in_legend(sizes):
        return ""
    top = format_numbers([sizes.top])[0]
    pattern = (
        translate("QgisAgent", "{} (width by {}: {:g} mm = {})")
        if sizes.kind == Qgis.GeometryType.Line
        else translate("QgisAgent", "{} (circles by {}: {:g} mm = {})")
    )
    return str(pattern.format(defused(name, 30), defused(sizes.field, 24), sizes.top_mm, top))


def describe(sizes: Sizes, notes: List[str]) -> Dict[str, Any]:
    """What the result says of the sizes; remarks go to ``notes``."""
    left_out = sizes.missing + sizes.not_positive
    if left_out:
        notes.append(
            translate("QgisAgent", "{} features have no size, because '{}' is empty, 0 or below.").format(
                left_out, sizes.field
            )
        )
    if sizes.tiny:
        notes.append(
            translate("QgisAgent", "{} features are so small beside the largest that they are hard to see.").format(
                sizes.tiny
            )
        )
    proportion = "width" if sizes.kind == Qgis.GeometryType.Line else "area"
    return {
        "field": sizes.field,
        "proportional": proportion,
        "max_mm": sizes.top_mm,
        "max_value": sizes.top,
        "no_size": left_out,
        "legend": samples(sizes),
    }


def _property(sizes: Sizes, legend: bool = True) -> QgsProperty:
    """``legend``: the symbols of classes have a size in legends too."""
    transformer = _transformer(sizes)
    text = _expression(sizes)
    found = QgsProperty.fromExpression(shown_in_legends(text, transformer) if legend else text)
    found.setTransformer(transformer)
    return found


def _expression(sizes: Sizes) -> str:
    return sizes.attribute if sizes.attribute != sizes.field else str(QgsExpression.quotedColumnRef(sizes.attribute))


def _transformer(sizes: Sizes) -> QgsSizeScaleTransformer:
    kind = QgsSizeScaleTransformer.ScaleType.Area if sizes.exponent < 1 else QgsSizeScaleTransformer.ScaleType.Linear
    return QgsSizeScaleTransformer(kind, 0.0, sizes.top, 0.0, sizes.top_mm, 0.0, sizes.exponent)


def _width_of(symbol: QgsLineSymbol) -> QgsProperty:
    """What sets the width of the uppermost line."""
    last = symbol.symbolLayer(symbol.symbolLayerCount() - 1)
    return last.dataDefinedProperties().property(QgsSymbolLayer.Property.StrokeWidth)


def _is_ours(found: QgsProperty) -> bool:
    transformer = found.transformer() if found and found.isActive() else None
    return isinstance(transformer, QgsSizeScaleTransformer) and transformer.minValue() == transformer.minSize() == 0.0


def _circles(sizes: Sizes) -> QgsCentroidFillSymbolLayer:
    """A circle on each polygon, inside of it; locked, so that the colour of the class goes to the fill alone.

    Legends show the fill without it: their boxes are too small for both.
    """
    marker = QgsMarkerSymbol.createSimple(CIRCLE)
    set_fixed(marker, sizes.top_mm)
    marker.setDataDefinedSize(_property(sizes, legend=False))
    circles = QgsCentroidFillSymbolLayer()
    circles.setSubSymbol(marker)
    circles.setPointOnSurface(True)
    circles.setLocked(True)
    return circles


def _rounded(value: float) -> float:
    """Down to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-9))


def parsed(size: Any) -> Tuple[str, float]:
    """The option ``size`` as (field, 0.0) or ("", millimetres); ("", 0.0) where it is not given."""
    if isinstance(size, str):
        return size, 0.0
    return "", float(size or 0.0)
