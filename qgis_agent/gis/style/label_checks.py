"""Checks of single values of a labels patch. Each raises INVALID_PARAM with the path and what would be right."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence

from qgis.core import QgsPalLayerSettings, QgsTextFormat, QgsVectorLayer
from qgis.PyQt.QtGui import QColor

from ..conditions import require_field
from ..errors import INVALID_PARAM, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text, field_type
from ..scope import seen_fields
from .merge import key_hint
from .symbol_values import color_hint

HEX = re.compile(r"^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$")
Check = Callable[[str, Any, QgsVectorLayer], None]


class Entry(NamedTuple):
    """One key of the labels document.

    ``read`` and ``write`` take the settings and the text format that belongs to them, apart: QGIS hands out copies.
    ``nullable`` keys mean "none" by null; null gives any other key its default back.
    """

    key: str
    check: Check
    read: Callable[[QgsPalLayerSettings, QgsTextFormat], Any]
    write: Callable[[QgsPalLayerSettings, QgsTextFormat, Any], None]
    nullable: bool = False


def invalid(path: str, why: str, hint: str = "") -> ToolError:
    """What is wrong with the value at ``path``."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{}: {}.").format(path, why),
        hint=hint or translate("QgisAgent", "get_style shows the present values; change one and send only that."),
        reason="style_patch",
    )


def boolean(path: str, value: Any, _layer: Any = None) -> None:
    """true or false."""
    if not isinstance(value, bool):
        raise invalid(path, translate("QgisAgent", "must be true or false"))


def number(low: float, high: float, whole: bool = False) -> Check:
    """A finite number from ``low`` to ``high``."""

    def check(path: str, value: Any, _layer: Any = None) -> None:
        right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not right or not math.isfinite(value) or not low <= value <= high:
            kind = translate("QgisAgent", "a whole number") if whole else translate("QgisAgent", "a number")
            raise invalid(path, translate("QgisAgent", "must be {} from {:g} to {:g}").format(kind, low, high))

    return check


def pair(low: float, high: float) -> Check:
    """Two numbers, x and y."""
    each = number(low, high)

    def check(path: str, value: Any, layer: Any = None) -> None:
        if not isinstance(value, list) or len(value) != 2:
            raise invalid(path, translate("QgisAgent", "must be a list of two numbers, [x, y]"))
        for part in value:
            each(path, part, layer)

    return check


def text(longest: int) -> Check:
    """A text of 1 to ``longest`` characters without control characters."""

    def check(path: str, value: Any, _layer: Any = None) -> None:
        if not isinstance(value, str) or not 1 <= len(value) <= longest or not value.isprintable():
            raise invalid(path, translate("QgisAgent", "must be a text of 1 to {} characters").format(longest))

    return check


def one_of(words: Iterable[str]) -> Check:
    """One word of a list."""
    known = list(words)

    def check(path: str, value: Any, _layer: Any = None) -> None:
        if not isinstance(value, str) or value not in known:
            shown = clean_text(str(value), 40)
            raise invalid(
                path, translate("QgisAgent", "'{}' is not known").format(shown), hint_for_name(shown, known, path)
            )

    return check


def several_of(words: Iterable[str]) -> Check:
    """A list of different words of a list."""
    each = one_of(words)

    def check(path: str, value: Any, layer: Any = None) -> None:
        if not isinstance(value, list) or not value:
            raise invalid(path, translate("QgisAgent", "must be a list"))
        for part in value:
            each(path, part, layer)

    return check


def color(path: str, value: Any, _layer: Any = None) -> None:
    """A colour as #rrggbb, or #rrggbbaa where it is see-through."""
    if not isinstance(value, str) or not HEX.match(value):
        raise invalid(path, translate("QgisAgent", "must be a colour in hexadecimal"), color_hint(value))


def group(checks: Mapping[str, Check]) -> Check:
    """An object with these keys, each optional."""

    def check(path: str, value: Any, layer: Any = None) -> None:
        if not isinstance(value, dict) or not value:
            raise invalid(
                path,
                translate("QgisAgent", "must be an object"),
                translate("QgisAgent", "Keys: {}.").format(", ".join(checks)),
            )
        for key, part in value.items():
            known_key(path, key, list(checks))
            checks[key]("{}.{}".format(path, key), part, layer)

    return check


def any_field(path: str, value: Any, layer: QgsVectorLayer) -> None:
    """A field of the layer."""
    _field(path, value, layer, ())


def number_field(path: str, value: Any, layer: QgsVectorLayer) -> None:
    """A number field of the layer."""
    _field(path, value, layer, ("integer", "number"))


def _field(path: str, value: Any, layer: QgsVectorLayer, kinds: Sequence[str]) -> None:
    if not isinstance(value, str):
        raise invalid(path, translate("QgisAgent", "must be the name of a field"))
    found = require_field(layer, value, kinds)
    if kinds and field_type(found) not in kinds:
        names = [each.name() for each in seen_fields(layer) if field_type(each) in kinds]
        raise invalid(
            path,
            translate("QgisAgent", "the field '{}' ({}) is no number field").format(value, field_type(found)),
            translate("QgisAgent", "Number fields: {}.").format(", ".join(names[:12]) or "-"),
        )


def known_key(path: str, key: Any, known: Sequence[str], inside: Optional[Mapping[str, Sequence[str]]] = None) -> None:
    """Refuse an unknown key, with the part that it belongs into (``inside``: keys by part) or the nearest that there are."""
    if key not in known:
        where = "{}.{}".format(path, clean_text(str(key), 40))
        raise invalid(where, translate("QgisAgent", "there is no such key"), key_hint(str(key), known, inside))


def scale_range(path: str, value: Any, _layer: Any = None) -> None:
    """{"min": n, "max": m}, denominators: hidden when zoomed out beyond 1:min and when zoomed in beyond 1:max; 0 is none."""
    each = number(0, 1e12)
    group({"min": each, "max": each})(path, value)
    check_scales(path, value.get("min"), value.get("max"))


def check_scales(path: str, low: Optional[float], high: Optional[float]) -> None:
    """The smallest scale has the larger denominator."""
    if low and high and low <= high:
        raise invalid(
            path,
            translate("QgisAgent", "the range of scales is turned round"),
            translate(
                "QgisAgent", "min is the scale when zoomed out, with the larger number: min {:.0f}, max {:.0f}."
            ).format(max(low, high), min(low, high)),
        )


def hex_of(value: QColor) -> str:
    """A colour as #rrggbb, or #rrggbbaa where it is see-through."""
    name = str(value.name())
    return name if value.alpha() == 255 else "{}{:02x}".format(name, value.alpha())


def color_of(value: str) -> QColor:
    """A checked hexadecimal colour."""
    found = QColor(value[:7])
    if len(value) == 9:
        found.setAlpha(int(value[7:], 16))
    return found


def plain_number(value: float) -> Any:
    """10.0 as 10."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)
