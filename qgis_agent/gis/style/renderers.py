"""Makes renderers with explicit classes and checks that a layer really has them."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Sequence

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsClassificationCustom,
    QgsClassificationEqualInterval,
    QgsClassificationJenks,
    QgsClassificationPrettyBreaks,
    QgsClassificationQuantile,
    QgsFeatureRenderer,
    QgsGraduatedSymbolRenderer,
    QgsRendererCategory,
    QgsRendererRange,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
)

from ..errors import UPSTREAM_ERROR, ToolError
from ..features import json_value
from ..i18n import translate
from ..layers import clean_text
from . import palettes
from .classification import Classes, labels
from .symbols import base_symbol, coloured
from .values import Category

_METHODS = {
    "equal_interval": QgsClassificationEqualInterval,
    "quantile": QgsClassificationQuantile,
    "natural_breaks": QgsClassificationJenks,
    "pretty": QgsClassificationPrettyBreaks,
    "manual": QgsClassificationCustom,
}


class Drawn(NamedTuple):
    """A renderer and what it stands for: its attribute, the classes as data, and their colours in order."""

    renderer: QgsFeatureRenderer
    attribute: str
    classes: List[Any]
    colors: List[str]


def graduated(layer: QgsVectorLayer, attribute: str, found: Classes, method: str, palette: str, reverse: bool) -> Drawn:
    """A graduated renderer with these limits. ``method`` is what QGIS's style panel shows."""
    colors = palettes.colors(palette, len(found.counts), reverse)
    base, kind = base_symbol(layer), layer.geometryType()
    ranges, classes = [], []
    for lower, upper, color, label, count in zip(
        found.limits, found.limits[1:], colors, labels(found.limits), found.counts
    ):
        ranges.append(QgsRendererRange(lower, upper, coloured(base, kind, color), label))
        classes.append({"label": label, "lower": lower, "upper": upper, "color": color, "count": count})
    renderer = QgsGraduatedSymbolRenderer(attribute, ranges)
    renderer.setClassificationMethod(_METHODS[method]())
    renderer.setSourceSymbol(base.clone())
    renderer.setSourceColorRamp(palettes.color_ramp(palette, reverse))
    return Drawn(renderer, attribute, classes, colors)


def categorized(layer: QgsVectorLayer, attribute: str, found: Sequence[Category], palette: str, reverse: bool) -> Drawn:
    """A categorized renderer with these values. NULL (and the empty text, which QGIS draws alike) is one category."""
    colors = palettes.colors(palette, len(found), reverse)
    base, kind = base_symbol(layer), layer.geometryType()
    categories, classes = [], []
    for category, color in zip(found, colors):
        value = json_value(category.value, 120)
        label = translate("QgisAgent", "No value") if value is None else clean_text(str(value), 120)
        if isinstance(value, float) and value == int(value):
            label = str(int(value))
        categories.append(QgsRendererCategory(category.value, coloured(base, kind, color), label))
        entry = {"label": label, "value": value, "color": color, "count": category.count}
        classes.append(dict(entry, is_null=True) if value is None else entry)
    renderer = QgsCategorizedSymbolRenderer(attribute, categories)
    renderer.setSourceSymbol(base.clone())
    return Drawn(renderer, attribute, classes, colors)


def single(layer: QgsVectorLayer, color: str) -> Drawn:
    """One symbol of one colour."""
    symbol = coloured(base_symbol(layer), layer.geometryType(), color)
    label = clean_text(layer.name(), 80)
    return Drawn(QgsSingleSymbolRenderer(symbol), "", [{"label": label, "color": color}], [color])


def matches(layer: QgsVectorLayer, drawn: Drawn) -> bool:
    """Whether the layer, read back, has this renderer: kind, attribute, number of classes, limits and colours."""
    renderer = layer.renderer()
    if renderer is None or renderer.type() != drawn.renderer.type():
        return False
    if renderer.type() == "singleSymbol":
        return bool(renderer.symbol().color().name() == drawn.colors[0])
    if renderer.classAttribute() != drawn.attribute:
        return False
    if renderer.type() == "graduatedSymbol":
        entries = [(each.lowerValue(), each.upperValue(), each.symbol().color().name()) for each in renderer.ranges()]
        return entries == [(each["lower"], each["upper"], each["color"]) for each in drawn.classes]
    return [each.symbol().color().name() for each in renderer.categories()] == drawn.colors


def not_kept(layer: QgsVectorLayer) -> ToolError:
    """QGIS did not take the renderer over."""
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "QGIS did not take the new style of '{}' over; the earlier style is kept.").format(
            layer.name()
        ),
        hint=translate("QgisAgent", "Try another method or palette."),
        reason="not_verified",
    )
