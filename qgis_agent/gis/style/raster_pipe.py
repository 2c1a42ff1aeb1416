"""What all raster renderers share in the style document: colour adjustments, resampling, nodata colour, transparency, limits."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import (
    Qgis,
    QgsBilinearRasterResampler,
    QgsCubicRasterResampler,
    QgsHueSaturationFilter,
    QgsRasterDataProvider,
    QgsRasterLayer,
    QgsRasterMinMaxOrigin,
    QgsRasterRenderer,
    QgsRasterResampler,
    QgsRasterTransparency,
)
from qgis.PyQt.QtGui import QColor

from ..features import json_value
from ..i18n import translate
from .merge import Document, flag, invalid, number, one_of, only, whole
from .symbol_values import hex_color, parse_color

COMMON = ("adjust", "resampling", "nodata_color", "alpha_band", "transparent", "limits", "unsupported")
"""Keys of every raster renderer beside its own."""
_GRAY = {
    "off": QgsHueSaturationFilter.GrayscaleMode.GrayscaleOff,
    "lightness": QgsHueSaturationFilter.GrayscaleMode.GrayscaleLightness,
    "luminosity": QgsHueSaturationFilter.GrayscaleMode.GrayscaleLuminosity,
    "average": QgsHueSaturationFilter.GrayscaleMode.GrayscaleAverage,
}
_METHODS = {
    each.lower(): getattr(QgsRasterDataProvider.ResamplingMethod, each)
    for each in ("Nearest", "Bilinear", "Cubic", "CubicSpline", "Lanczos", "Average", "Mode", "Gauss")
}
_DRAWING = ("nearest", "bilinear", "cubic")
"""Resampling of what is drawn; while reading (``stage`` "reading") there are more."""
_LIMITS = {
    "manual": QgsRasterMinMaxOrigin.Limits.None_,
    "minmax": QgsRasterMinMaxOrigin.Limits.MinMax,
    "stddev": QgsRasterMinMaxOrigin.Limits.StdDev,
    "cumulative_cut": QgsRasterMinMaxOrigin.Limits.CumulativeCut,
}
_EXTENTS = {
    "raster": QgsRasterMinMaxOrigin.Extent.WholeRaster,
    "view": QgsRasterMinMaxOrigin.Extent.CurrentCanvas,
    "every_view": QgsRasterMinMaxOrigin.Extent.UpdatedCanvas,
}
_MAX_VALUES = 200


def read_common(layer: QgsRasterLayer, renderer: QgsRasterRenderer) -> Document:
    """The shared part of a document. What is not there is null, so that a document put onto another layer removes it."""
    return {
        "adjust": _read_adjust(layer),
        "resampling": _read_resampling(layer),
        "nodata_color": hex_color(renderer.nodataColor()) if renderer.nodataColor().isValid() else None,
        "alpha_band": renderer.alphaBand() if renderer.alphaBand() > 0 else None,
        "transparent": _read_transparent(renderer.rasterTransparency()),
        "limits": _read_limits(renderer.minMaxOrigin()),
    }


def check_common(document: Document, bands: int, path: str) -> None:
    """INVALID_PARAM for what cannot be applied; nothing is changed."""
    adjust_values(document.get("adjust", {}), path + ".adjust")
    resampling_values(document.get("resampling", {}), path + ".resampling")
    if "nodata_color" in document:
        parse_color(document["nodata_color"], path + ".nodata_color")
    if "alpha_band" in document:
        band_number(document["alpha_band"], bands, path + ".alpha_band")
    transparency(document.get("transparent", []), path + ".transparent")
    limits_origin(document.get("limits", {}), path + ".limits")


def set_common(renderer: QgsRasterRenderer, document: Document, path: str) -> None:
    """The shared properties of a new renderer."""
    renderer.setNodataColor(
        parse_color(document["nodata_color"], path + ".nodata_color") if "nodata_color" in document else QColor()
    )
    renderer.setAlphaBand(int(document.get("alpha_band", -1)))
    renderer.setRasterTransparency(transparency(document.get("transparent", []), path + ".transparent"))
    renderer.setMinMaxOrigin(limits_origin(document.get("limits", {}), path + ".limits"))


def set_pipe(layer: QgsRasterLayer, document: Document, path: str) -> None:
    """Colour adjustments and resampling of a layer."""
    adjust = adjust_values(document.get("adjust", {}), path + ".adjust")
    brightness, hue = layer.brightnessFilter(), layer.hueSaturationFilter()
    brightness.setBrightness(adjust["brightness"])
    brightness.setContrast(adjust["contrast"])
    brightness.setGamma(adjust["gamma"])
    hue.setSaturation(adjust["saturation"])
    hue.setGrayscaleMode(_GRAY[adjust["grayscale"]])
    hue.setInvertColors(adjust["invert"])
    hue.setColorizeOn(adjust["colorize"] is not None)
    if adjust["colorize"] is not None:
        hue.setColorizeColor(parse_color(adjust["colorize"], path))
        hue.setColorizeStrength(adjust["colorize_strength"])
    _set_resampling(layer, resampling_values(document.get("resampling", {}), path + ".resampling"))


# colour adjustments


def adjust_values(given: Any, path: str) -> Dict[str, Any]:
    """All adjustments with their defaults: brightness -255 to 255, contrast and saturation -100 to 100, gamma 0.1 to 10."""
    keys = ("brightness", "contrast", "gamma", "saturation", "grayscale", "invert", "colorize", "colorize_strength")
    only(given, keys, path)
    colorize = given.get("colorize")
    return {
        "brightness": whole(given.get("brightness", 0), path + ".brightness", -255, 255),
        "contrast": whole(given.get("contrast", 0), path + ".contrast", -100, 100),
        "gamma": number(given.get("gamma", 1.0), path + ".gamma", 0.1, 10),
        "saturation": whole(given.get("saturation", 0), path + ".saturation", -100, 100),
        "grayscale": one_of(given.get("grayscale", "off"), list(_GRAY), path + ".grayscale"),
        "invert": flag(given.get("invert", False), path + ".invert"),
        "colorize": hex_color(parse_color(colorize, path + ".colorize")) if colorize is not None else None,
        "colorize_strength": whole(given.get("colorize_strength", 100), path + ".colorize_strength", 0, 100),
    }


def _read_adjust(layer: QgsRasterLayer) -> Document:
    brightness, hue = layer.brightnessFilter(), layer.hueSaturationFilter()
    found: Document = {}
    if brightness is not None:
        found.update(
            brightness=brightness.brightness(), contrast=brightness.contrast(), gamma=round(brightness.gamma(), 4)
        )
    if hue is not None:
        found.update(
            saturation=hue.saturation(), grayscale=_name(_GRAY, hue.grayscaleMode()), invert=hue.invertColors()
        )
        found["colorize"] = hex_color(hue.colorizeColor()) if hue.colorizeOn() else None
        if hue.colorizeOn():
            found["colorize_strength"] = hue.colorizeStrength()
    return found


# resampling


def resampling_values(given: Any, path: str) -> Dict[str, Any]:
    """zoomed_in, zoomed_out, max_oversampling and the stage: while drawing, or while reading the file."""
    only(given, ("zoomed_in", "zoomed_out", "max_oversampling", "stage"), path)
    stage = one_of(given.get("stage", "drawing"), ("drawing", "reading"), path + ".stage")
    allowed = list(_DRAWING) if stage == "drawing" else list(_METHODS)
    return {
        "stage": stage,
        "zoomed_in": one_of(given.get("zoomed_in", "nearest"), allowed, path + ".zoomed_in"),
        "zoomed_out": one_of(given.get("zoomed_out", "nearest"), allowed, path + ".zoomed_out"),
        "max_oversampling": number(given.get("max_oversampling", 2.0), path + ".max_oversampling", 1, 99),
    }


def _read_resampling(layer: QgsRasterLayer) -> Document:
    if layer.resamplingStage() == Qgis.RasterResamplingStage.Provider:
        provider = layer.dataProvider()
        return {
            "stage": "reading",
            "zoomed_in": _name(_METHODS, provider.zoomedInResamplingMethod()),
            "zoomed_out": _name(_METHODS, provider.zoomedOutResamplingMethod()),
            "max_oversampling": round(provider.maxOversampling(), 4),
        }
    resample = layer.resampleFilter()
    if resample is None:
        return {}
    return {
        "stage": "drawing",
        "zoomed_in": _resampler_name(resample.zoomedInResampler()),
        "zoomed_out": _resampler_name(resample.zoomedOutResampler()),
        "max_oversampling": round(resample.maxOversampling(), 4),
    }


def _set_resampling(layer: QgsRasterLayer, wanted: Dict[str, Any]) -> None:
    provider, resample = layer.dataProvider(), layer.resampleFilter()
    reading = wanted["stage"] == "reading"
    if resample is not None:
        resample.setZoomedInResampler(None if reading else _resampler(wanted["zoomed_in"]))
        resample.setZoomedOutResampler(None if reading else _resampler(wanted["zoomed_out"]))
        resample.setMaxOversampling(wanted["max_oversampling"])
    layer.setResamplingStage(
        Qgis.RasterResamplingStage.Provider if reading else Qgis.RasterResamplingStage.ResampleFilter
    )
    if reading:
        provider.setZoomedInResamplingMethod(_METHODS[wanted["zoomed_in"]])
        provider.setZoomedOutResamplingMethod(_METHODS[wanted["zoomed_out"]])
        provider.setMaxOversampling(wanted["max_oversampling"])


def _resampler(name: str) -> Optional[QgsRasterResampler]:
    made = {"bilinear": QgsBilinearRasterResampler, "cubic": QgsCubicRasterResampler}.get(name)
    return made() if made is not None else None


def _resampler_name(resampler: Optional[QgsRasterResampler]) -> str:
    return str(resampler.type()) if resampler is not None else "nearest"


# values that are not drawn


def transparency(given: Any, path: str) -> QgsRasterTransparency:
    """Values with an opacity of their own: {min, max, opacity}, or {red, green, blue, opacity} for colours."""
    if not isinstance(given, list) or len(given) > _MAX_VALUES:
        raise invalid(path, translate("QgisAgent", "must be a list of at most {} entries").format(_MAX_VALUES))
    single: List[QgsRasterTransparency.TransparentSingleValuePixel] = []
    colored: List[QgsRasterTransparency.TransparentThreeValuePixel] = []
    for index, entry in enumerate(given):
        here = "{}[{}]".format(path, index)
        if isinstance(entry, dict) and "red" in entry:
            colored.append(_transparent_color(entry, here))
            continue
        only(entry, ("min", "max", "opacity"), here)
        pixel = QgsRasterTransparency.TransparentSingleValuePixel()
        pixel.min = number(entry.get("min"), here + ".min", -1e308, 1e308)
        pixel.max = number(entry.get("max", entry.get("min")), here + ".max", -1e308, 1e308)
        pixel.opacity = number(entry.get("opacity", 0), here + ".opacity", 0, 1)
        single.append(pixel)
    made = QgsRasterTransparency()
    made.setTransparentSingleValuePixelList(single)
    made.setTransparentThreeValuePixelList(colored)
    return made


def _transparent_color(entry: Any, here: str) -> QgsRasterTransparency.TransparentThreeValuePixel:
    only(entry, ("red", "green", "blue", "opacity"), here)
    pixel = QgsRasterTransparency.TransparentThreeValuePixel()
    for part in ("red", "green", "blue"):
        setattr(pixel, part, number(entry.get(part), "{}.{}".format(here, part), -1e308, 1e308))
    pixel.opacity = number(entry.get("opacity", 0), here + ".opacity", 0, 1)
    return pixel


def _read_transparent(made: Optional[QgsRasterTransparency]) -> List[Document]:
    if made is None:
        return []
    found: List[Document] = [
        {"min": json_value(each.min), "max": json_value(each.max), "opacity": round(each.opacity, 4)}
        for each in made.transparentSingleValuePixelList()
    ]
    for each in made.transparentThreeValuePixelList():
        color = {"red": json_value(each.red), "green": json_value(each.green), "blue": json_value(each.blue)}
        found.append(dict(color, opacity=round(each.opacity, 4)))
    return found


# where the limits of a stretch come from


def limits_origin(given: Any, path: str) -> QgsRasterMinMaxOrigin:
    """What QGIS shows, and uses when it computes the limits anew: method, extent, exactness, cut in percent, factor."""
    only(given, ("method", "extent", "exact", "cut", "stdev_factor"), path)
    origin = QgsRasterMinMaxOrigin()
    origin.setLimits(_LIMITS[one_of(given.get("method", "manual"), list(_LIMITS), path + ".method")])
    origin.setExtent(_EXTENTS[one_of(given.get("extent", "raster"), list(_EXTENTS), path + ".extent")])
    accuracy = QgsRasterMinMaxOrigin.StatAccuracy
    origin.setStatAccuracy(accuracy.Exact if flag(given.get("exact", False), path + ".exact") else accuracy.Estimated)
    cut = given.get("cut", [2, 98])
    if not isinstance(cut, list) or len(cut) != 2:
        raise invalid(path + ".cut", translate("QgisAgent", "must be two numbers of percent, low and high"))
    low, high = (number(each, path + ".cut", 0, 100) for each in cut)
    if low >= high:
        raise invalid(path + ".cut", translate("QgisAgent", "must be two numbers of percent, low and high"))
    origin.setCumulativeCutLower(low / 100)
    origin.setCumulativeCutUpper(high / 100)
    origin.setStdDevFactor(number(given.get("stdev_factor", 2), path + ".stdev_factor", 0.1, 20))
    return origin


def _read_limits(origin: QgsRasterMinMaxOrigin) -> Document:
    found: Document = {
        "method": _name(_LIMITS, origin.limits()),
        "extent": _name(_EXTENTS, origin.extent()),
        "exact": origin.statAccuracy() == QgsRasterMinMaxOrigin.StatAccuracy.Exact,
    }
    if found["method"] == "cumulative_cut":
        found["cut"] = [round(100 * origin.cumulativeCutLower(), 4), round(100 * origin.cumulativeCutUpper(), 4)]
    if found["method"] == "stddev":
        found["stdev_factor"] = round(origin.stdDevFactor(), 4)
    return found


def band_number(value: Any, bands: int, path: str, none: bool = False) -> int:
    """A band of the raster; 0 means none where that is allowed."""
    found = number(value, path, 0 if none else 1, bands)
    if found != int(found):
        raise invalid(path, translate("QgisAgent", "must be a whole number"))
    return int(found)


def _name(names: Dict[str, Any], value: Any) -> str:
    return next((name for name, each in names.items() if each == value), next(iter(names)))
