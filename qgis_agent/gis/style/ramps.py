"""Colour ramps in the style document: gradients by their stops, and the other kinds that hold no file."""

from __future__ import annotations

from typing import Any, Optional

from qgis.core import (
    QgsColorBrewerColorRamp,
    QgsColorRamp,
    QgsGradientColorRamp,
    QgsGradientStop,
    QgsLimitedRandomColorRamp,
    QgsPresetSchemeColorRamp,
)
from qgis.PyQt.QtGui import QColor

from ..i18n import translate
from .merge import Document, flag, invalid, one_of, only, whole
from .palettes import PALETTES, color_ramp
from .symbol_values import hex_color, parse_color, stop_list

_RANDOM = ("count", "hueMin", "hueMax", "satMin", "satMax", "valMin", "valMax")


def read_ramp(ramp: Optional[QgsColorRamp]) -> Optional[Document]:
    """The ramp as data; None for none and for kinds that the document does not have (files, other colour spaces)."""
    if isinstance(ramp, QgsColorBrewerColorRamp):
        return {"type": "colorbrewer", "scheme": ramp.schemeName(), "colors": ramp.colors()}
    if isinstance(ramp, QgsGradientColorRamp) and ramp.type() == "gradient":
        stops = [(0.0, ramp.color1())] + [(each.offset, each.color) for each in ramp.stops()] + [(1.0, ramp.color2())]
        if ramp.colorSpec() != QColor.Spec.Rgb or any(each.colorSpec() != QColor.Spec.Rgb for each in ramp.stops()):
            return None
        said: Document = {"type": "gradient", "stops": [[at, hex_color(color)] for at, color in stops]}
        return dict(said, discrete=True) if ramp.isDiscrete() else said
    if isinstance(ramp, QgsPresetSchemeColorRamp):
        return {"type": "preset", "colors": [hex_color(each) for each in ramp.colors()]}
    if isinstance(ramp, QgsLimitedRandomColorRamp):
        return {"type": "random", **{key: int(ramp.properties()[key]) for key in _RANDOM}}
    return None


def make_ramp(said: Any, path: str) -> QgsColorRamp:
    """The ramp of a document: a palette by its id, or one of the kinds above. INVALID_PARAM for anything else."""
    if isinstance(said, str):
        return color_ramp(one_of(said, PALETTES, path))
    only(said, ("type", "stops", "discrete", "colors", "scheme", *_RANDOM), path)
    kind = one_of(said.get("type"), ("gradient", "preset", "colorbrewer", "random"), path + ".type")
    if kind == "gradient":
        stops = stop_list(said.get("stops"), path + ".stops")
        if len(stops) < 2:
            raise invalid(path + ".stops", translate("QgisAgent", "needs two colours at least"))
        inner = [QgsGradientStop(each["at"], each["color"]) for each in stops[1:-1]]
        discrete = flag(said.get("discrete", False), path + ".discrete")
        return QgsGradientColorRamp(stops[0]["color"], stops[-1]["color"], discrete, inner)
    if kind == "preset":
        colors = said.get("colors")
        if not isinstance(colors, list) or not 1 <= len(colors) <= 256:
            raise invalid(path + ".colors", translate("QgisAgent", "must be a list of colours"))
        return QgsPresetSchemeColorRamp([parse_color(each, path + ".colors") for each in colors])
    if kind == "colorbrewer":
        schemes = QgsColorBrewerColorRamp.listSchemeNames()
        scheme = one_of(said.get("scheme"), schemes, path + ".scheme")
        return QgsColorBrewerColorRamp(scheme, whole(said.get("colors", 5), path + ".colors", 3, 20))
    return QgsLimitedRandomColorRamp.create(
        {key: str(whole(said[key], path + "." + key, 0, 1000)) for key in _RANDOM if key in said}
    )
