"""Calls judged strictly: exactly these calls, each with allowed values only (``expect_calls`` of a case).

``[{tool: {parameter: [allowed values]}}]``. Each entry needs a call of its own, in any order; a parameter that is not named is
wrong, one whose allowed values hold "" may be left out. Inside an allowed object the values are lists of allowed values again.
This is how the Berkeley Function Calling Leaderboard states its answers (its "AST" verdict), which tests compare it with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .matching import matches

Call = tuple[str, Mapping[str, Any]]
SameText = Callable[[str, str], bool]
OPTIONAL = ""
"""Among the allowed values: the parameter may be left out."""


def same_text(one: str, other: str) -> bool:
    """Texts as the other metrics compare them."""
    return matches(one, other)


def calls_fault(
    allowed: Sequence[Mapping[str, Mapping[str, Sequence[Any]]]],
    calls: Sequence[Call],
    *,
    only: bool = False,
    same: SameText = same_text,
) -> str:
    """What is wrong with the calls, "" when nothing is. ``only``: calls of other tools are wrong too."""
    entries = [next(iter(each.items())) for each in allowed]
    named = {tool for tool, _params in entries}
    judged = [each for each in calls if only or each[0] in named]
    if len(judged) != len(entries):
        return f"{len(entries)} calls expected, {len(judged)} made"
    if _pairs(entries, judged, same):
        return ""
    alone = [tool for tool, params in entries if not any(_fits(tool, params, each, same) for each in judged)]
    return f"{(alone or [entries[0][0]])[0]}: no call has the allowed values"


def _pairs(entries: Sequence[tuple[str, Mapping[str, Any]]], calls: list[Call], same: SameText) -> bool:
    """Whether each entry finds a call of its own (a matching by augmenting paths: the first fit may be another's only one)."""
    taken: dict[int, int] = {}

    def place(entry: int, seen: set[int]) -> bool:
        for at, call in enumerate(calls):
            if at in seen or not _fits(*entries[entry], call, same):
                continue
            seen.add(at)
            if at not in taken or place(taken[at], seen):
                taken[at] = entry
                return True
        return False

    return all(place(entry, set()) for entry in range(len(entries)))


def _fits(tool: str, params: Mapping[str, Any], call: Call, same: SameText) -> bool:
    return call[0] == tool and _object_fits(params, call[1], same)


def _object_fits(params: Mapping[str, Any], found: Mapping[str, Any], same: SameText) -> bool:
    if any(name not in params for name in found):
        return False
    for name, allowed in params.items():
        if name not in found:
            if OPTIONAL not in allowed:
                return False
        elif not any(_value_fits(each, found[name], same) for each in allowed):
            return False
    return True


def _value_fits(allowed: Any, found: Any, same: SameText) -> bool:
    if isinstance(allowed, str):
        return isinstance(found, str) and same(allowed, found)
    if isinstance(allowed, Mapping):
        return isinstance(found, Mapping) and _object_fits(allowed, found, same)
    if isinstance(allowed, (list, tuple)):
        listed = isinstance(found, (list, tuple)) and len(found) == len(allowed)
        return listed and all(_value_fits(one, other, same) for one, other in zip(allowed, found))
    return matches(allowed, found)
