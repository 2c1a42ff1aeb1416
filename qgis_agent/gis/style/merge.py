"""Merge patches of style documents (RFC 7386), with one addition, and what differs between two documents.

The addition: an object that says what it is (``type`` of a renderer, symbol or ramp; ``kind`` of a symbol layer) is not mixed
with another thing. A ``type`` that differs from the present one, and any ``kind``, start from an empty object, so that what
is not given takes its default.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..errors import INVALID_PARAM, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text

Document = Dict[str, Any]
MAX_DEPTH = 24
_NUMBER_TOLERANCE = 1e-6
_EVALUATED = re.compile(r"\[%|<\s*[A-Za-z/!?]")
"""What QGIS, or a text that is drawn as HTML, would not take as it stands."""
_NUMBER = re.compile(r"^([+-]?\d+(?:\.\d+)?)\s*(%|mm|pt|px)?$", re.IGNORECASE)


def merged(base: Any, patch: Any, depth: int = 0) -> Any:
    """``base`` with ``patch`` applied; neither is changed. A null removes a key, which brings back the default."""
    if not isinstance(patch, dict):
        return patch
    if depth > MAX_DEPTH:
        raise invalid("patch", translate("QgisAgent", "is nested too deeply"))
    fresh = not isinstance(base, dict) or "kind" in patch or ("type" in patch and patch["type"] != base.get("type"))
    result: Document = {} if fresh else dict(base)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value, depth + 1)
    return result


def same(one: Any, other: Any) -> bool:
    """Equal, numbers within a millionth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other))
    if _is_number(one) and _is_number(other):
        return bool(abs(one - other) <= _NUMBER_TOLERANCE * max(1.0, abs(one), abs(other)))
    return type(one) is type(other) and bool(one == other)


def differences(before: Any, after: Any, path: str = "") -> Iterator[Tuple[str, Any, Any]]:
    """(path, before, after) of each leaf that differs; None stands for "not there"."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in list(before) + [each for each in after if each not in before]:
            inner = "{}.{}".format(path, key) if path else str(key)
            yield from differences(before.get(key), after.get(key), inner)
    elif not same(before, after):
        yield path, before, after


def leaves(document: Any, path: Tuple[str, ...] = ()) -> Iterator[Tuple[Tuple[str, ...], Any]]:
    """The keys that lead to each value that is no object, and the value."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*path, str(key)))
    else:
        yield path, document


def at(document: Any, path: Sequence[str]) -> Any:
    """The value that these keys lead to; None where there is none."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def only(
    given: Any, allowed: Sequence[str], path: str, inside: Optional[Mapping[str, Sequence[str]]] = None
) -> Document:
    """``given`` when it is an object with no other keys; else INVALID_PARAM with the nearest names.

    ``inside`` names the parts of parts: a key that belongs into one of these is told so.
    """
    if not isinstance(given, dict):
        raise invalid(path, translate("QgisAgent", "must be an object"))
    for key in given:
        if key not in allowed:
            raise invalid(
                "{}.{}".format(path, clean_text(str(key), 40)),
                translate("QgisAgent", "is no part of the style document"),
                key_hint(str(key), allowed, inside),
            )
    return given


def key_hint(key: str, allowed: Sequence[str], inside: Optional[Mapping[str, Sequence[str]]] = None) -> str:
    """Where a key belongs: into a part, under another name that says the same, or under the nearest name."""
    word = next((each for each in _SAME.get(key.casefold(), ()) if each in allowed), "") or _inner_word(key, inside)
    for part, keys in (inside or {}).items():
        if part in allowed and word in keys and word not in allowed:
            return str(translate("QgisAgent", "Write {}.").format('{{"{}": {{"{}": …}}}}'.format(part, word)))
    if word in allowed:
        return str(translate("QgisAgent", "Did you mean '{}'?").format(word))
    return hint_for_name(clean_text(key, 40), list(allowed), translate("QgisAgent", "parts"))


def _inner_word(key: str, inside: Optional[Mapping[str, Sequence[str]]]) -> str:
    words = _SAME.get(key.casefold(), ())
    return next((each for each in words if any(each in keys for keys in (inside or {}).values())), key)


_SAME = {
    "text": ("field", "label"), "label_field": ("field",), "attribute": ("field",), "column": ("field",),
    "fieldname": ("field",), "field_name": ("field",), "colour": ("color",), "fill_color": ("color",),
    "font_color": ("color",), "text_color": ("color",), "line_color": ("color",), "font_size": ("size",),
    "text_size": ("size",), "fontsize": ("size",), "font_family": ("font",), "buffer": ("halo",), "filter": ("where",),
    "condition": ("where",), "conditions": ("where",), "alpha": ("opacity",), "transparency": ("opacity",),
    "stroke_color": ("outline_color",), "stroke_width": ("outline_width",), "line_width": ("width",),
    "is_else": ("else",), "active": ("visible",), "title": ("label",), "name": ("label",), "blend_mode": ("blend",),
}  # fmt: skip
"""Words of other programs, by that of the document."""


def invalid(path: str, why: str, hint: str = "", reason: str = "style_patch") -> ToolError:
    """INVALID_PARAM about one place of a patch."""
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} {}.").format(path, why),
        hint=hint or translate("QgisAgent", "get_style shows the layer's style document; patch a part of it."),
        reason=reason,
    )


def number(value: Any, path: str, low: float = -1e9, high: float = 1e9) -> float:
    """A finite number in [low, high], else INVALID_PARAM."""
    if _is_number(value) and low <= value <= high:
        return float(value)
    why = translate("QgisAgent", "must be a number from {:g} to {:g}").format(low, high)
    meant = _meant(value, low, high)
    raise invalid(path, why, translate("QgisAgent", "Write {:g}.").format(meant) if meant is not None else "")


def _meant(value: Any, low: float, high: float) -> Optional[float]:
    """The number that a text or a percentage most likely means: "50%" or 50 where 0 to 1 is asked for, "3 mm"."""
    found = _NUMBER.match(value.strip()) if isinstance(value, str) else None
    if found is None and not _is_number(value):
        return None
    number_given = float(found.group(1)) if found is not None else float(value)
    share = (low, high) == (0, 1) and (number_given > 1 or (found is not None and found.group(2) == "%"))
    meant = number_given / 100 if share else number_given
    return meant if low <= meant <= high else None


def whole(value: Any, path: str, low: int, high: int) -> int:
    """A whole number in [low, high], else INVALID_PARAM."""
    found = number(value, path, low, high)
    if not found.is_integer():
        raise invalid(path, translate("QgisAgent", "must be a whole number"))
    return int(found)


def one_of(value: Any, allowed: Sequence[str], path: str) -> str:
    """One of the allowed texts, else INVALID_PARAM that names them."""
    if isinstance(value, str) and value in allowed:
        return value
    raise invalid(
        path,
        translate("QgisAgent", "must be one of the allowed values"),
        translate("QgisAgent", "Allowed: {}.").format(", ".join(allowed)),
    )


def flag(value: Any, path: str) -> bool:
    """true or false, else INVALID_PARAM."""
    if isinstance(value, bool):
        return value
    raise invalid(path, translate("QgisAgent", "must be true or false"))


def text(value: Any, path: str, length: int = 120) -> str:
    """A plain text without anything that QGIS would evaluate, else INVALID_PARAM."""
    if not isinstance(value, str) or len(value) > length:
        raise invalid(path, translate("QgisAgent", "must be a text of at most {} characters").format(length))
    shown = clean_text(value, length)  # first: what is taken out may stand between two signs
    if _EVALUATED.search(shown):
        raise invalid(
            path,
            translate("QgisAgent", "holds an expression or markup"),
            translate("QgisAgent", 'Give plain text without "[%" and tags such as <b>; "< 100" is one.'),
        )
    return shown


def in_order(entries: Document) -> List[str]:
    """The ids of classes, rules or symbol layers by ``order``, then by the number in the id."""

    def place(ident: str) -> Tuple[float, float, str]:
        order: Optional[Any] = entries[ident].get("order") if isinstance(entries[ident], dict) else None
        digits = "".join(each for each in ident if each.isdigit())
        return (float(order) if _is_number(order) else float("inf"), float(digits or "inf"), ident)

    return sorted(entries, key=place)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) != float("inf")
        and value == value
    )
