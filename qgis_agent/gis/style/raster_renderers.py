"""From the ``renderer`` part of a style document to a raster renderer, and back."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

from qgis.core import (
    QgsColorRampLegendNodeSettings,
    QgsColorRampShader,
    QgsContrastEnhancement,
    QgsHillshadeRenderer,
    QgsMultiBandColorRenderer,
    QgsPalettedRasterRenderer,
    QgsRasterContourRenderer,
    QgsRasterLayer,
    QgsRasterRenderer,
    QgsRasterShader,
    QgsRasterSingleColorRenderer,
    QgsSingleBandGrayRenderer,
    QgsSingleBandPseudoColorRenderer,
)

from ..features import json_value
from ..i18n import translate
from ..layers import clean_text
from . import palettes
from .merge import Document, flag, in_order, invalid, number, one_of, only
from .raster_pipe import COMMON, band_number
from .symbol_values import hex_color, parse_color

Entries = List[Dict[str, Any]]
TYPES = {
    "singlebandgray": "gray",
    "singlebandpseudocolor": "pseudocolor",
    "multibandcolor": "multiband",
    "paletted": "paletted",
    "hillshade": "hillshade",
    "contour": "contour",
    "singlecolor": "single",
}
KEYS: Dict[str, Tuple[str, ...]] = {
    "gray": ("band", "gradient", "stretch"),
    "pseudocolor": ("band", "interpolation", "mode", "min", "max", "clip", "palette", "reverse", "classes"),
    "multiband": ("bands", "stretch"),
    "paletted": ("band", "palette", "reverse", "classes"),
    "hillshade": ("band", "azimuth", "altitude", "z_factor", "multidirectional"),
    "contour": ("band", "interval", "index_interval", "downscale"),
    "single": ("band", "color"),
    "other": ("name",),
}
_HUGE = 1.7976931348623157e308
MAX_CLASSES = 1024
_TAG = re.compile(r"\[%|<[A-Za-z/!]")
_ALGORITHMS = {
    "none": QgsContrastEnhancement.ContrastEnhancementAlgorithm.NoEnhancement,
    "stretch": QgsContrastEnhancement.ContrastEnhancementAlgorithm.StretchToMinimumMaximum,
    "stretch_clip": QgsContrastEnhancement.ContrastEnhancementAlgorithm.StretchAndClipToMinimumMaximum,
    "clip": QgsContrastEnhancement.ContrastEnhancementAlgorithm.ClipToMinimumMaximum,
}
_GRADIENTS = {
    "black_to_white": QgsSingleBandGrayRenderer.Gradient.BlackToWhite,
    "white_to_black": QgsSingleBandGrayRenderer.Gradient.WhiteToBlack,
}
_INTERPOLATIONS = {
    "linear": QgsColorRampShader.Type.Interpolated,
    "discrete": QgsColorRampShader.Type.Discrete,
    "exact": QgsColorRampShader.Type.Exact,
}
_MODES = {
    "continuous": QgsColorRampShader.ClassificationMode.Continuous,
    "equal_interval": QgsColorRampShader.ClassificationMode.EqualInterval,
    "quantile": QgsColorRampShader.ClassificationMode.Quantile,
}
_COLORS = ("red", "green", "blue")


def read_renderer(renderer: QgsRasterRenderer) -> Tuple[Document, Entries]:
    """The renderer's own part of the document, and its classes."""
    kind = TYPES.get(renderer.type(), "other")
    head: Document = {"type": kind}
    if kind == "other":
        name = clean_text(renderer.type(), 40)
        return dict(head, name=name, unsupported=[name]), []
    own, entries = _READ[kind](renderer)
    return {**head, **own}, entries


def make_renderer(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    """A renderer of the document's type. INVALID_PARAM for what it cannot be made of; the layer is not changed."""
    kind = one_of(document.get("type"), list(_MAKE), path + ".type")
    only(document, ("type", *KEYS[kind], *COMMON), path)
    return _MAKE[kind](layer, document, path)


# gray and colours by bands


def _read_gray(renderer: QgsSingleBandGrayRenderer) -> Tuple[Document, Entries]:
    return {
        "band": renderer.inputBand(),
        "gradient": _name(_GRADIENTS, renderer.gradient()),
        "stretch": _read_stretch(renderer.contrastEnhancement()),
    }, []


def _make_gray(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    band = band_number(document.get("band", 1), layer.bandCount(), path + ".band")
    renderer = QgsSingleBandGrayRenderer(layer.dataProvider(), band)
    renderer.setGradient(
        _GRADIENTS[one_of(document.get("gradient", "black_to_white"), list(_GRADIENTS), path + ".gradient")]
    )
    stretch = make_stretch(layer, band, document.get("stretch", {}), path + ".stretch")
    if stretch is not None:
        renderer.setContrastEnhancement(stretch)
    return renderer


def _read_multiband(renderer: QgsMultiBandColorRenderer) -> Tuple[Document, Entries]:
    bands = [renderer.redBand(), renderer.greenBand(), renderer.blueBand()]
    stretches = (
        renderer.redContrastEnhancement(),
        renderer.greenContrastEnhancement(),
        renderer.blueContrastEnhancement(),
    )
    found = {color: _read_stretch(each) for color, each in zip(_COLORS, stretches)}
    return {"bands": [max(0, each) for each in bands], "stretch": found}, []


def _make_multiband(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    bands = document.get("bands", [1, 2, 3] if layer.bandCount() >= 3 else None)
    if not isinstance(bands, list) or len(bands) != 3:
        raise invalid(path + ".bands", translate("QgisAgent", "must be three bands: red, green, blue (0 for none)"))
    numbers = [band_number(each, layer.bandCount(), path + ".bands", none=True) for each in bands]
    renderer = QgsMultiBandColorRenderer(layer.dataProvider(), *(each or -1 for each in numbers))
    stretches = only(document.get("stretch", {}), _COLORS, path + ".stretch")
    setters = (
        renderer.setRedContrastEnhancement,
        renderer.setGreenContrastEnhancement,
        renderer.setBlueContrastEnhancement,
    )
    for color, band, put in zip(_COLORS, numbers, setters):
        here = "{}.stretch.{}".format(path, color)
        stretch = make_stretch(layer, band or 1, stretches.get(color, {}), here)
        if stretch is not None and band:
            put(stretch)
    return renderer


def _read_stretch(stretch: Optional[QgsContrastEnhancement]) -> Document:
    algorithm = _name(_ALGORITHMS, stretch.contrastEnhancementAlgorithm()) if stretch is not None else "none"
    if stretch is None or algorithm == "none":
        return {"algorithm": "none"}
    return {
        "algorithm": algorithm,
        "min": json_value(stretch.minimumValue()),
        "max": json_value(stretch.maximumValue()),
    }


def make_stretch(layer: QgsRasterLayer, band: int, given: Any, path: str) -> Optional[QgsContrastEnhancement]:
    """A contrast enhancement {algorithm, min, max} of a band; None for the algorithm "none", the default."""
    only(given, ("algorithm", "min", "max"), path)
    limited = "min" in given or "max" in given
    default = "stretch" if limited else "none"
    algorithm = one_of(given.get("algorithm", default), list(_ALGORITHMS), path + ".algorithm")
    if algorithm == "none":
        return None
    low = number(given.get("min"), path + ".min", -_HUGE, _HUGE)
    high = number(given.get("max"), path + ".max", -_HUGE, _HUGE)
    if low > high:
        raise invalid(path, translate("QgisAgent", "has a min above its max"))
    stretch = QgsContrastEnhancement(layer.dataProvider().dataType(band))
    stretch.setMinimumValue(low)
    stretch.setMaximumValue(high)
    stretch.setContrastEnhancementAlgorithm(_ALGORITHMS[algorithm])
    return stretch


# colours by value


def _read_pseudocolor(renderer: QgsSingleBandPseudoColorRenderer) -> Tuple[Document, Entries]:
    head: Document = {"band": renderer.inputBand()}
    shader = renderer.shader()
    function = shader.rasterShaderFunction() if shader is not None else None
    if not isinstance(function, QgsColorRampShader):
        return dict(head, unsupported=["shader"]), []
    head.update(
        interpolation=_name(_INTERPOLATIONS, function.colorRampType()),
        mode=_name(_MODES, function.classificationMode()),
    )
    if math.isfinite(renderer.classificationMin()) and math.isfinite(renderer.classificationMax()):
        head.update(min=renderer.classificationMin(), max=renderer.classificationMax())
    head["clip"] = function.clip()
    entries: Entries = [
        {"label": clean_text(each.label, 120), "color": hex_color(each.color), "upper": json_value(each.value)}
        for each in function.colorRampItemList()
    ]
    return _with_palette(head, entries), entries


def _make_pseudocolor(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    band = band_number(document.get("band", 1), layer.bandCount(), path + ".band")
    kind = one_of(document.get("interpolation", "linear"), list(_INTERPOLATIONS), path + ".interpolation")
    mode = one_of(document.get("mode", "continuous"), list(_MODES), path + ".mode")
    items: List[QgsColorRampShader.ColorRampItem] = []
    for here, entry in _entries(document, ("label", "color", "upper", "order"), path):
        upper = number(entry["upper"], here + ".upper", -_HUGE, _HUGE) if entry.get("upper") is not None else math.inf
        label = _label(entry, here, "{:.10g}".format(upper))
        items.append(QgsColorRampShader.ColorRampItem(upper, parse_color(entry.get("color"), here + ".color"), label))
    values = [each.value for each in items]
    if values != sorted(values):
        raise invalid(path + ".classes", translate("QgisAgent", "must ascend by upper; one without upper is the last"))
    if kind != "discrete" and not math.isfinite(values[-1]):
        raise invalid(
            path + ".classes", translate("QgisAgent", "need upper, except the last of interpolation discrete")
        )
    finite = [each for each in values if math.isfinite(each)] or [0.0]
    low = number(document.get("min", finite[0]), path + ".min", -_HUGE, _HUGE)
    high = number(document.get("max", finite[-1]), path + ".max", -_HUGE, _HUGE)
    function = QgsColorRampShader(low, high, None, _INTERPOLATIONS[kind], _MODES[mode])
    function.setColorRampItemList(items)
    function.setClip(flag(document.get("clip", False), path + ".clip"))
    _keep_panel(layer, function)
    ramp = source_ramp(document, [each.color.name() for each in items], path)
    if ramp is not None:
        function.setSourceColorRamp(ramp)
    shader = QgsRasterShader(low, high)
    shader.setRasterShaderFunction(function)
    renderer = QgsSingleBandPseudoColorRenderer(layer.dataProvider(), band, shader)
    if "min" in document and "max" in document:
        renderer.setClassificationMin(low)
        renderer.setClassificationMax(high)
    return renderer


def _keep_panel(layer: QgsRasterLayer, function: QgsColorRampShader) -> None:
    """The ramp and the legend's settings of the present shader, which QGIS's own panel shows."""
    shader = layer.renderer().shader() if isinstance(layer.renderer(), QgsSingleBandPseudoColorRenderer) else None
    present = shader.rasterShaderFunction() if shader is not None else None
    if not isinstance(present, QgsColorRampShader):
        return
    if present.sourceColorRamp() is not None:
        function.setSourceColorRamp(present.sourceColorRamp().clone())
    if present.legendSettings() is not None:
        function.setLegendSettings(QgsColorRampLegendNodeSettings(present.legendSettings()))


def _read_paletted(renderer: QgsPalettedRasterRenderer) -> Tuple[Document, Entries]:
    entries: Entries = [
        {"label": clean_text(each.label, 120), "value": json_value(each.value), "color": hex_color(each.color)}
        for each in renderer.classes()
    ]
    return _with_palette({"band": renderer.inputBand()}, entries), entries


def _make_paletted(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    band = band_number(document.get("band", 1), layer.bandCount(), path + ".band")
    classes: List[QgsPalettedRasterRenderer.Class] = []
    for here, entry in _entries(document, ("label", "color", "value", "order"), path):
        value = number(entry.get("value"), here + ".value", -_HUGE, _HUGE)
        color = parse_color(entry.get("color"), here + ".color")
        classes.append(QgsPalettedRasterRenderer.Class(value, color, _label(entry, here, "{:.10g}".format(value))))
    if len({each.value for each in classes}) < len(classes):
        raise invalid(path + ".classes", translate("QgisAgent", "have a value twice"))
    renderer = QgsPalettedRasterRenderer(layer.dataProvider(), band, classes)
    ramp = source_ramp(document, [each.color.name() for each in classes], path)
    if ramp is not None:
        renderer.setSourceColorRamp(ramp)
    return renderer


def recolored(document: Document, path: str) -> Document:
    """The document with the colours of its ``palette`` in its classes, each keeping its place."""
    palette = one_of(document.get("palette"), palettes.PALETTES, path + ".palette")
    reverse = flag(document.get("reverse", False), path + ".reverse")
    classes = document.get("classes", {})
    order = in_order(classes)
    colors = palettes.colors(palette, len(order), reverse) if order else []
    return dict(document, classes={ident: dict(classes[ident], color=color) for ident, color in zip(order, colors)})


def source_ramp(document: Document, found: List[str], path: str) -> Any:
    """The palette as a ramp for QGIS's own panel; None without a palette."""
    palette, reverse = document.get("palette"), document.get("reverse", False)
    if palette is None:
        palette, reverse = palettes.palette_of(found)
        if not palette:
            return None
    return palettes.color_ramp(one_of(palette, palettes.PALETTES, path + ".palette"), flag(reverse, path + ".reverse"))


def _with_palette(head: Document, entries: Entries) -> Document:
    palette, reverse = palettes.palette_of([each["color"] for each in entries])
    return dict(head, palette=palette or None, reverse=reverse)


def _entries(document: Document, keys: Tuple[str, ...], path: str) -> List[Tuple[str, Document]]:
    classes = document.get("classes")
    if not isinstance(classes, dict) or not 1 <= len(classes) <= MAX_CLASSES:
        raise invalid(
            path + ".classes", translate("QgisAgent", "must be an object of 1 to {} classes").format(MAX_CLASSES)
        )
    found = []
    for ident in in_order(classes):
        here = "{}.classes.{}".format(path, ident)
        found.append((here, only(classes[ident], keys, here)))
    return found


def _label(entry: Document, here: str, default: str) -> str:
    label = entry.get("label", default)
    if not isinstance(label, str) or len(label) > 120 or _TAG.search(label):
        raise invalid(here + ".label", translate("QgisAgent", "must be a plain text of at most 120 characters"))
    return clean_text(label, 120)


# relief, contours, one colour


def _read_hillshade(renderer: QgsHillshadeRenderer) -> Tuple[Document, Entries]:
    return {
        "band": renderer.inputBand(),
        "azimuth": round(renderer.azimuth(), 6),
        "altitude": round(renderer.altitude(), 6),
        "z_factor": json_value(renderer.zFactor()),
        "multidirectional": renderer.multiDirectional(),
    }, []


def _make_hillshade(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    band = band_number(document.get("band", 1), layer.bandCount(), path + ".band")
    azimuth = number(document.get("azimuth", 315), path + ".azimuth", 0, 360)
    altitude = number(document.get("altitude", 45), path + ".altitude", 0, 90)
    renderer = QgsHillshadeRenderer(layer.dataProvider(), band, azimuth, altitude)
    renderer.setZFactor(number(document.get("z_factor", 1.0), path + ".z_factor", 1e-9, 1e6))
    renderer.setMultiDirectional(flag(document.get("multidirectional", False), path + ".multidirectional"))
    return renderer


def _read_contour(renderer: QgsRasterContourRenderer) -> Tuple[Document, Entries]:
    return {
        "band": renderer.inputBand(),
        "interval": json_value(renderer.contourInterval()),
        "index_interval": json_value(renderer.contourIndexInterval()),
        "downscale": json_value(renderer.downscale()),
        "unsupported": ["contour symbols"],
    }, []


def _make_contour(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    """The lines' symbols are kept; a layer that shows no contours yet gets QGIS's own."""
    present = layer.renderer()
    if isinstance(present, QgsRasterContourRenderer):
        renderer = present.clone()
    else:
        renderer = QgsRasterContourRenderer(layer.dataProvider())
    renderer.setInputBand(band_number(document.get("band", 1), layer.bandCount(), path + ".band"))
    renderer.setContourInterval(number(document.get("interval", 100), path + ".interval", 1e-9, 1e9))
    renderer.setContourIndexInterval(number(document.get("index_interval", 500), path + ".index_interval", 0, 1e9))
    renderer.setDownscale(number(document.get("downscale", 4), path + ".downscale", 0, 100))
    return renderer


def _read_single(renderer: QgsRasterSingleColorRenderer) -> Tuple[Document, Entries]:
    return {"band": renderer.inputBand(), "color": hex_color(renderer.color())}, []


def _make_single(layer: QgsRasterLayer, document: Document, path: str) -> QgsRasterRenderer:
    band = band_number(document.get("band", 1), layer.bandCount(), path + ".band")
    return QgsRasterSingleColorRenderer(layer.dataProvider(), band, parse_color(document.get("color"), path + ".color"))


def _name(names: Dict[str, Any], value: Any) -> str:
    return next((name for name, each in names.items() if each == value), next(iter(names)))


_READ: Dict[str, Callable[[Any], Tuple[Document, Entries]]] = {
    "gray": _read_gray,
    "pseudocolor": _read_pseudocolor,
    "multiband": _read_multiband,
    "paletted": _read_paletted,
    "hillshade": _read_hillshade,
    "contour": _read_contour,
    "single": _read_single,
}
_MAKE: Dict[str, Callable[[QgsRasterLayer, Document, str], QgsRasterRenderer]] = {
    "gray": _make_gray,
    "pseudocolor": _make_pseudocolor,
    "multiband": _make_multiband,
    "paletted": _make_paletted,
    "hillshade": _make_hillshade,
    "contour": _make_contour,
    "single": _make_single,
}
