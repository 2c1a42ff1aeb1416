"""Makes renderers with explicit classes and checks that a layer really has them."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsClassificationCustom,
    QgsClassificationEqualInterval,
    QgsClassificationJenks,
    QgsClassificationLogarithmic,
    QgsClassificationPrettyBreaks,
    QgsClassificationQuantile,
    QgsClassificationStandardDeviation,
    QgsFeatureRenderer,
    QgsGraduatedSymbolRenderer,
    QgsRendererCategory,
    QgsRendererRange,
    QgsSingleSymbolRenderer,
    QgsSymbol,
    QgsVectorLayer,
)

from ..errors import UPSTREAM_ERROR, ToolError
from ..features import json_value
from ..i18n import translate
from ..layouts.words import defused
from . import density, palettes, sizes
from .classification import Classes
from .density import Density
from .sizes import Sizes
from .symbols import add_casing, base_symbol, coloured, main_width
from .values import Category

_METHODS = {
    "equal_interval": QgsClassificationEqualInterval,
    "quantile": QgsClassificationQuantile,
    "natural_breaks": QgsClassificationJenks,
    "pretty": QgsClassificationPrettyBreaks,
    "standard_deviation": QgsClassificationStandardDeviation,
    "logarithmic": QgsClassificationLogarithmic,
    "manual": QgsClassificationCustom,
}
_QGIS_TYPES = {"single": "singleSymbol", "categorized": "categorizedSymbol", "graduated": "graduatedSymbol"}


class Look(NamedTuple):
    """What all symbols of a rule share: a fixed size (mm, 0 = as it was), sizes by a field, opacity (None = as it was)."""

    size_mm: float = 0.0
    sizes: Optional[Sizes] = None
    opacity: Optional[float] = None

    def put_on(self, symbol: QgsSymbol) -> QgsSymbol:
        """The symbol with this look."""
        if self.opacity is not None:
            symbol.setOpacity(self.opacity)
        if self.size_mm:
            sizes.set_fixed(symbol, self.size_mm)
        if self.sizes is not None:
            sizes.set_by_field(symbol, self.sizes)
        return symbol

    def of_class(self, symbol: QgsSymbol) -> QgsSymbol:
        """The symbol of one class with this look; lines get an edge."""
        self.put_on(symbol)
        add_casing(symbol, self.sizes)
        return symbol

    def is_on(self, symbol: QgsSymbol) -> bool:
        """Whether a symbol, read back, has this look."""
        if self.opacity is not None and abs(symbol.opacity() - self.opacity) > 0.005:
            return False
        size = symbol.size() if hasattr(symbol, "size") else main_width(symbol) if hasattr(symbol, "width") else 0.0
        if self.size_mm and abs(size - self.size_mm) > 1e-6:
            return False
        return self.sizes is None or sizes.has_sizes(symbol, self.sizes)


class Drawn(NamedTuple):
    """A renderer and what it stands for: its attribute, the classes as data, their colours in order, the shared look."""

    renderer: QgsFeatureRenderer
    attribute: str
    classes: List[Any]
    colors: List[str]
    look: Look = Look()
    density: Optional[Density] = None


def graduated(
    layer: QgsVectorLayer,
    attribute: str,
    found: Classes,
    method: str,
    palette: str,
    reverse: bool,
    look: Look = Look(),  # noqa: B008  immutable
) -> Drawn:
    """A graduated renderer with these limits. ``method`` is what QGIS's style panel shows."""
    colors = palettes.colors(palette, len(found.counts), reverse)
    base, kind = base_symbol(layer, classed=True), layer.geometryType()
    ranges, classes = [], []
    for lower, upper, color, label, count in zip(found.limits, found.limits[1:], colors, found.labels(), found.counts):
        ranges.append(QgsRendererRange(lower, upper, look.of_class(coloured(base, kind, color)), label))
        classes.append({"label": label, "lower": lower, "upper": upper, "color": color, "count": count})
    renderer = QgsGraduatedSymbolRenderer(attribute, ranges)
    renderer.setClassificationMethod(_METHODS[method]())
    renderer.setSourceSymbol(look.put_on(base.clone()))
    renderer.setSourceColorRamp(palettes.color_ramp(palette, reverse))
    return _with_legend(Drawn(renderer, attribute, classes, colors, look))


def categorized(
    layer: QgsVectorLayer,
    attribute: str,
    found: Sequence[Category],
    palette: str,
    reverse: bool,
    look: Look = Look(),  # noqa: B008  immutable
) -> Drawn:
    """A categorized renderer with these values, and one neutral category for NULL (and the empty text) or the others.

    QGIS draws that one for every value that has no category of its own; it cannot tell NULL from them.
    """
    valued = [each for each in found if each.value is not None]
    colors = palettes.colors(palette, len(valued), reverse) if valued else []
    colors += [palettes.NEUTRAL] * (len(found) - len(valued))
    base, kind = base_symbol(layer, classed=True), layer.geometryType()
    categories, classes = [], []
    for category, color in zip(found, colors):
        entry = {"label": _label(category), "value": json_value(category.value, 120), "color": color}
        value = "" if category.others else category.value
        symbol = look.of_class(coloured(base, kind, color))
        categories.append(QgsRendererCategory(value, symbol, entry["label"]))
        entry["count"] = category.count
        if category.others:
            entry["others"] = True
        elif category.value is None:
            entry["is_null"] = True
        classes.append(entry)
    renderer = QgsCategorizedSymbolRenderer(attribute, categories)
    renderer.setSourceSymbol(look.put_on(base.clone()))
    if valued:
        renderer.setSourceColorRamp(palettes.color_ramp(palette, reverse))
    return _with_legend(Drawn(renderer, attribute, classes, colors, look))


def single(layer: QgsVectorLayer, color: str, look: Look = Look()) -> Drawn:  # noqa: B008  immutable
    """One symbol of one colour."""
    symbol = look.put_on(coloured(base_symbol(layer), layer.geometryType(), color))
    label = defused(layer.name(), 80)
    renderer = QgsSingleSymbolRenderer(symbol)
    return _with_legend(Drawn(renderer, "", [{"label": label, "color": color}], [color], look))


def of_density(found: Density) -> Drawn:
    """A heatmap, clusters or points moved apart."""
    if found.method == "heatmap":
        names = (translate("QgisAgent", "Few"), translate("QgisAgent", "Medium"), translate("QgisAgent", "Many"))
        classes: List[Dict[str, Any]] = [{"label": name, "color": each} for name, each in zip(names, found.colors)]
    else:
        name = (
            translate("QgisAgent", "Number of points") if found.method == "cluster" else translate("QgisAgent", "Point")
        )
        classes = [{"label": name, "color": found.colors[0]}]
    return Drawn(found.renderer, found.weight, classes, found.colors, density=found)


def matches(layer: QgsVectorLayer, drawn: Drawn) -> bool:
    """Whether the layer, read back, has this renderer: kind, attribute, number of classes, limits, colours, sizes."""
    renderer = layer.renderer()
    if drawn.density is not None:
        return density.matches(renderer, drawn.density)
    if renderer is None or renderer.type() != drawn.renderer.type():
        return False
    if renderer.type() == _QGIS_TYPES["single"]:
        symbol = renderer.symbol()
        return bool(symbol.color().name() == drawn.colors[0] and drawn.look.is_on(symbol))
    if renderer.classAttribute() != drawn.attribute:
        return False
    entries = renderer.ranges() if renderer.type() == _QGIS_TYPES["graduated"] else renderer.categories()
    if [each.symbol().color().name() for each in entries] != drawn.colors:
        return False
    if renderer.type() == _QGIS_TYPES["graduated"]:
        limits = [(each.lowerValue(), each.upperValue()) for each in entries]
        if limits != [(each["lower"], each["upper"]) for each in drawn.classes]:
            return False
    return all(drawn.look.is_on(each.symbol()) for each in entries)


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


def _label(category: Category) -> str:
    if category.others:
        return str(translate("QgisAgent", "All other values"))
    value = json_value(category.value, 120)
    if value is None:
        return str(translate("QgisAgent", "No value"))
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    text = defused(str(value), 120)
    raw = category.value
    if isinstance(raw, str) and raw != raw.strip():  # else "a" and "a " look alike in a legend
        return '"{}{}{}"'.format(" " * (raw[:1].isspace()), text, " " * (raw[-1:].isspace()))
    return text


def _with_legend(drawn: Drawn) -> Drawn:
    if drawn.look.sizes is not None:
        sizes.set_legend(drawn.renderer, drawn.look.sizes)
    return drawn
