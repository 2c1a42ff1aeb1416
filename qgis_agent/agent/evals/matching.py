"""Whether a value is the one that was expected.

An expected value is a plain value, which must be equal, or one of: ``{"near": number, "tolerance": number}``,
``{"any_of": [values]}``, ``{"contains": value}`` (a text or a list that holds it), ``{"absent": true}``, ``{"count": n}`` (of a
list or an object). An expected object asks for its own keys only; lists of objects (conditions) may come in any order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

RELATIVE = 1e-9
"""Two numbers that differ by less, relatively, are one: they went through JSON and back."""
_MISSING = object()
_MATCHERS = frozenset(("near", "any_of", "contains", "absent", "count"))


def matches(expected: Any, found: Any) -> bool:
    """Whether ``found`` is what was expected. See the module."""
    if isinstance(expected, Mapping):
        if expected and set(expected) - {"tolerance"} <= _MATCHERS:
            return _matcher(expected, found)
        if not isinstance(found, Mapping):
            return False
        return all(matches(value, found.get(key, _MISSING)) for key, value in expected.items())
    if found is _MISSING:
        return False
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(expected) == len(found) and _same_items(expected, found)
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(expected, found, rel_tol=RELATIVE, abs_tol=1e-12)
    if isinstance(expected, str) and isinstance(found, str):
        return expected.strip().casefold() == found.strip().casefold()
    return bool(expected == found)


def _matcher(expected: Mapping[str, Any], found: Any) -> bool:
    if "absent" in expected:
        return (found is _MISSING or found is None) is bool(expected["absent"])
    if found is _MISSING:
        return False
    if "near" in expected:
        wanted = float(expected["near"])
        tolerance = float(expected.get("tolerance", abs(wanted) * RELATIVE))
        return isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found - wanted) <= tolerance
    if "any_of" in expected:
        return any(matches(each, found) for each in expected["any_of"])
    if "count" in expected:
        return isinstance(found, (list, tuple, Mapping)) and len(found) == expected["count"]
    return _contains(expected["contains"], found)


def _contains(wanted: Any, found: Any) -> bool:
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted.casefold() in found.casefold()
    return isinstance(found, (list, tuple)) and any(matches(wanted, each) for each in found)


def _same_items(expected: Sequence[Any], found: Sequence[Any]) -> bool:
    """In order for plain values. Objects (conditions, classes) each find one of their own."""
    if not any(isinstance(each, Mapping) for each in expected):
        return all(matches(one, other) for one, other in zip(expected, found))
    left = list(found)
    for each in expected:
        at = next((index for index, other in enumerate(left) if matches(each, other)), None)
        if at is None:
            return False
        left.pop(at)
    return True


def wrong_params(expected: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """The expected parameters that a call does not have. A name that begins with "/" is a JSON pointer into the arguments."""
    return [name for name, value in expected.items() if not matches(value, value_at(arguments, name))]


def value_at(document: Any, path: str) -> Any:
    """What a key, or a JSON pointer (RFC 6901), leads to; a mark that matches nothing where there is none."""
    if not path.startswith("/"):
        return document.get(path, _MISSING) if isinstance(document, Mapping) else _MISSING
    value = document
    for part in path[1:].split("/") if path != "/" else [""]:
        value = _child(value, part.replace("~1", "/").replace("~0", "~"))
    return value


def shown(value: Any) -> str:
    """A found value for a person, short."""
    text = "nothing" if value is _MISSING else str(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _child(value: Any, part: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(part, _MISSING)
    if isinstance(value, (list, tuple)) and part.lstrip("-").isdigit():
        at = int(part)
        return value[at] if -len(value) <= at < len(value) else _MISSING
    return _MISSING


def missing_from(expected: Sequence[str], used: Sequence[str]) -> str:
    """The first expected name that is not found in order in ``used``; "" when all are a subsequence of it."""
    rest = iter(used)
    for name in expected:
        if not any(name == each for each in rest):
            return name
    return ""
