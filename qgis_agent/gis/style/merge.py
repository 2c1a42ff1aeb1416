"""Merge patches of style documents (RFC 7386), with one addition, and what differs between two documents.

The addition: an object that says what it is (``type`` of a renderer, symbol or ramp; ``kind`` of a symbol layer) is not mixed
with another thing. A ``type`` that differs from the present one, and any ``kind``, start from an empty object, so that what
is not given takes its default.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ..errors import INVALID_PARAM, ToolError, hint_for_name
from ..i18n import translate

Document = Dict[str, Any]
MAX_DEPTH = 24
_NUMBER_TOLERANCE = 1e-6


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


def only(given: Any, allowed: Sequence[str], path: str) -> Document:
    """``given`` when it is an object with no other keys; else INVALID_PARAM with the nearest names."""
    if not isinstance(given, dict):
        raise invalid(path, translate("QgisAgent", "must be an object"))
    for key in given:
        if key not in allowed:
            raise invalid(
                "{}.{}".format(path, key),
                translate("QgisAgent", "is no part of the style document"),
                hint_for_name(str(key), list(allowed), translate("QgisAgent", "parts")),
            )
    return given


def invalid(path: str, why: str, hint: str = "", reason: str = "style_patch") -> ToolError:
    """INVALID_PARAM about one place of a patch."""
    return ToolError(
        INVALID_PARAM,
        "{} {}.".format(path, why),
        hint=hint or translate("QgisAgent", "get_style shows the layer's style document; patch a part of it."),
        reason=reason,
    )


def number(value: Any, path: str, low: float = -1e9, high: float = 1e9) -> float:
    """A finite number in [low, high], else INVALID_PARAM."""
    if _is_number(value) and low <= value <= high:
        return float(value)
    raise invalid(path, translate("QgisAgent", "must be a number from {:g} to {:g}").format(low, high))


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
    if "[%" in value or "<" in value:
        raise invalid(
            path,
            translate("QgisAgent", "holds an expression or markup"),
            translate("QgisAgent", "Give plain text without [% and <."),
        )
    return value


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
