"""The properties of symbol layers as plain values: QGIS keeps texts ("255,0,0,255,rgb:…", "0.26"), the document has hex colours
and numbers. What names a file or is evaluated by QGIS has no place in the document.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Optional

from qgis.core import QgsApplication, QgsSymbolLayerUtils, QgsUnitTypes, QgsVariantUtils
from qgis.PyQt.QtGui import QColor

from ..i18n import translate
from .merge import invalid, number

HEX = re.compile(r"^#[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?$")
NOT_EXPRESSED = (
    "imageFile",
    "svgFile",
    "data",
    "parameters",
    "color_ramp_shader",
    "numeric_format",
    "text_format",
    "geometryModifier",
    "mask_symbollayers",
    "x_attribute",
    "y_attribute",
)
"""Files, embedded pictures, expressions and nested settings: kept as they are, named in ``unsupported``, never written."""
SEEDS = ("seed",)
"""Their default differs from one new layer to the next, so that it is always said."""
SVG_KINDS = ("SvgMarker",)
_COLOR = re.compile(r"^\d{1,3},\d{1,3},\d{1,3}(,\d{1,3})?(,.*)?$")
_NUMBER = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
_WORDS = re.compile(r"^[\w .,:;+-]{0,80}$")
_STOP = re.compile(r"^([\d.eE+-]+);([^;]*)(?:;(rgb);(ccw|cw))?$")
_ALLOWED = {
    "line_style": "solid, dash, dot, dash dot, dash dot dot, no",
    "outline_style": "solid, dash, dot, dash dot, dash dot dot, no",
    "style": "solid, horizontal, vertical, cross, b_diagonal, f_diagonal, diagonal_x, dense1 … dense7, no",
    "joinstyle": "bevel, miter, round",
    "capstyle": "square, flat, round",
    "cap_style": "square, flat, round",
    "name": "circle, square, triangle, star, diamond, pentagon, hexagon, cross, cross2, arrow, line, half_square …",
}


def hex_color(color: QColor) -> str:
    """ "#rrggbb", or "#rrggbbaa" where it is not opaque."""
    name = str(color.name())
    return name if color.alpha() == 255 else "{}{:02x}".format(name, color.alpha())


def parse_color(value: Any, path: str) -> QColor:
    """A checked colour, else INVALID_PARAM."""
    if not isinstance(value, str) or not HEX.match(value):
        raise invalid(path, translate("QgisAgent", "must be a colour"), color_hint(value))
    color = QColor(value[:7])
    if len(value) == 9:
        color.setAlpha(int(value[7:], 16))
    return color


def color_hint(value: Any) -> str:
    """How to write a colour; one that is given by its English name is told."""
    name = value.strip().lower() if isinstance(value, str) else ""
    if name != "transparent" and name in QColor.colorNames():
        return str(translate("QgisAgent", "Write {} (#rrggbb).").format(QColor(name).name()))
    return str(translate("QgisAgent", "Write #rrggbb, for example #d7191c; with opacity #rrggbbaa."))


def plain_value(kind: str, key: str, raw: Any) -> Any:
    """A property as the document has it. None for what the document cannot say (and for what is not set)."""
    if key in NOT_EXPRESSED or raw is None or QgsVariantUtils.isNull(raw) or isinstance(raw, (dict, list)):
        return None
    if isinstance(raw, (bool, int, float)):
        return raw
    found = str(raw)
    if key == "name" and kind in SVG_KINDS:
        return library_name(found)
    if key == "stops":
        return _stops(found)
    if "color" in key and _COLOR.match(found):
        return hex_color(QgsSymbolLayerUtils.decodeColor(found))
    if _NUMBER.match(found) and key not in ("chr", "font", "font_style"):
        value = float(found)
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return found


def raw_value(kind: str, key: str, value: Any, default: Any, path: str) -> Any:
    """A value of the document as QGIS keeps it, checked against what the property is. INVALID_PARAM for any other."""
    plain = plain_value(kind, key, default)
    if key == "name" and kind in SVG_KINDS:
        return library_path(value, path)
    if key == "stops":
        return _raw_stops(value, path)
    if "color" in key and (plain is None or isinstance(plain, str)):
        return encoded(parse_color(value, path))
    if key.endswith(("_unit", "_units")) or key == "units":
        return _unit(value, path)
    if isinstance(plain, bool) or (isinstance(plain, (int, float)) and not isinstance(default, str)):
        return bool(value) if isinstance(plain, bool) else number(value, path)
    if isinstance(plain, (int, float)):
        return _number_text(int(value) if isinstance(value, bool) else number(value, path))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number_text(value)  # a text such as the dashes "5;2" that happens to be one number
    if key == "chr" and isinstance(value, str) and 1 <= len(value) <= 8 and "[%" not in value:
        return value
    if not isinstance(value, str) or not _WORDS.match(value):
        raise invalid(path, translate("QgisAgent", "must be a plain word or numbers"), allowed_hint(key))
    return value


def _number_text(value: float) -> str:
    """Whole numbers without a point: QGIS reads "1.0" as no integer."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def allowed_hint(key: str) -> str:
    """What a property takes, where it is one of few words."""
    return translate("QgisAgent", "Allowed: {}.").format(_ALLOWED[key]) if key in _ALLOWED else ""


def encoded(color: QColor) -> str:
    """A colour as QGIS keeps it."""
    return str(QgsSymbolLayerUtils.encodeColor(color))


def svg_folder() -> str:
    """The pictures that QGIS ships."""
    return os.path.join(QgsApplication.pkgDataPath(), "svg")


def library_name(path: str) -> Optional[str]:
    """The name of a picture in QGIS's library ("transport/transport_airport.svg"); None for any other file or address."""
    folder = os.path.realpath(svg_folder()) + os.sep
    full = os.path.realpath(os.path.join(folder, path))
    return full[len(folder) :].replace(os.sep, "/") if full.startswith(folder) and os.path.isfile(full) else None


def library_path(name: Any, path: str) -> str:
    """The file of a picture of QGIS's library. INVALID_PARAM for anything else: no paths, no addresses."""
    folder = os.path.realpath(svg_folder()) + os.sep
    if isinstance(name, str) and re.match(r"^[\w-]+(/[\w. -]+)*\.svg$", name):
        full = os.path.realpath(os.path.join(folder, *name.split("/")))
        if full.startswith(folder) and os.path.isfile(full):
            return full
    raise invalid(
        path,
        translate("QgisAgent", "is no picture of QGIS's library"),
        translate(
            "QgisAgent", "Give a name such as transport/transport_airport.svg; files and addresses are not taken."
        ),
        reason="picture",
    )


def stop_list(stops: Any, path: str) -> List[Dict[str, Any]]:
    """Checked stops [[position 0..1, colour], …], ascending."""
    if not isinstance(stops, list) or len(stops) > 256:
        raise invalid(path, translate("QgisAgent", "must be a list of [position, colour]"))
    found = []
    for index, each in enumerate(stops):
        inner = "{}[{}]".format(path, index)
        if not isinstance(each, list) or len(each) != 2:
            raise invalid(inner, translate("QgisAgent", "must be [position, colour]"))
        found.append({"at": number(each[0], inner, 0, 1), "color": parse_color(each[1], inner)})
    if any(low["at"] > high["at"] for low, high in zip(found, found[1:])):
        raise invalid(path, translate("QgisAgent", "must ascend"))
    return found


def _stops(raw: str) -> Any:
    found = []
    for part in re.split(r":(?=[\d.eE+-]+;)", raw):
        match = _STOP.match(part)
        if match is None or match.group(3) not in (None, "rgb"):
            return None
        found.append([float(match.group(1)), hex_color(QgsSymbolLayerUtils.decodeColor(match.group(2)))])
    return found


def _raw_stops(value: Any, path: str) -> str:
    stops = stop_list(value, path)
    return ":".join("{!r};{};rgb;ccw".format(each["at"], encoded(each["color"])) for each in stops)


def _unit(value: Any, path: str) -> str:
    if isinstance(value, str) and QgsUnitTypes.decodeRenderUnit(value)[1]:
        return value
    raise invalid(
        path,
        translate("QgisAgent", "must be a unit"),
        translate("QgisAgent", "Allowed: {}.").format(
            "MM, Point, Pixel, Inch, MapUnit, RenderMetersInMapUnits, Percentage"
        ),
    )
