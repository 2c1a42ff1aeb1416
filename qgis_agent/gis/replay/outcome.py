"""What became of one step of a replay, and how steps are compared with what was recorded."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Set

from ...bridge.trace import canonical_json, digest_of, first_difference, stable_result
from ..errors import CANCELLED, CONFIRM_REQUIRED, FORBIDDEN, PERMISSION_DENIED, RATE_LIMITED, TIMEOUT
from .names import renamed

EQUAL, DIFFERENT, SKIPPED, NOT_RUN = "equal", "different", "skipped", "not_run"
OF_THE_MOMENT = frozenset([CANCELLED, TIMEOUT, RATE_LIMITED, FORBIDDEN, PERMISSION_DENIED, CONFIRM_REQUIRED])
"""Codes that time, a person or their settings decided: nothing was changed then, and nothing is repeated."""
REFUSED = frozenset([FORBIDDEN, PERMISSION_DENIED, CONFIRM_REQUIRED])

WHY_AGENT = "agent"
"""Answered by the agent process (a search, a chart, a question), or refused there: no part of the map."""
WHY_MOMENT = "not_done_then"
WHY_COMMIT = "commit"
"""A write, or what a person was asked about: it is not done again unless it is approved again."""
WHY_AFTER_COMMIT = "after_commit"
"""It uses what such a step would have made or changed."""


def why_not_repeated(step: Mapping[str, Any], tools: FrozenSet[str]) -> str:
    """Why a step is not done again; "" for one that is. ``tools`` are those of the QGIS side."""
    if step["tool"] not in tools or not step.get("decision"):
        return WHY_AGENT
    return WHY_MOMENT if step["result"].get("code") in OF_THE_MOMENT else ""


def is_refused(step: Mapping[str, Any], envelope: Mapping[str, Any]) -> bool:
    """Whether a step that was done then is not permitted now, or has only been prepared."""
    if not step["result"].get("ok"):
        return False
    if not envelope.get("ok"):
        return envelope.get("code") in REFUSED
    data = envelope.get("data")
    return isinstance(data, dict) and data.get("written") is False and "confirm_token" in data


def difference_of(
    step: Mapping[str, Any], envelope: Mapping[str, Any], actions: List[Any], back: Mapping[str, str]
) -> Optional[Dict[str, Any]]:
    """The first difference of a step's result and map operations with those of then, or None."""
    found = stable_result(envelope, back)
    recorded = step["result"]
    if digest_of(found) != recorded.get("digest"):
        then = stable_result({**recorded, "data": recorded.get("data")})
        told = first_difference(then, found, "/result")
        if told is not None:
            return told
        if digest_of(then) == recorded.get("digest") or recorded.get("data") is None:
            return {"path": "/result/digest", "expected": recorded.get("digest"), "found": digest_of(found)}
    return first_difference(_operations(step.get("actions") or [], {}), _operations(actions, back), "/actions")


def _operations(actions: List[Any], back: Mapping[str, str]) -> List[Any]:
    told = [each for each in actions if isinstance(each, dict)]
    return [
        {
            "op": each.get("op"),
            "ok": each.get("ok"),
            "args": stable_result({"data": each.get("args")}, back)["data"],
        }
        for each in told
    ]


def names_in(value: Any) -> Iterator[str]:
    """All texts in a value: names of layers and files among them."""
    if isinstance(value, dict):
        for each in value.values():
            yield from names_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from names_in(each)
    elif isinstance(value, str):
        yield value


def state_difference(
    recorded: Any, found: Dict[str, Any], back: Mapping[str, str], without: Set[str], path: str
) -> Optional[Dict[str, Any]]:
    """The first difference of two map states; ``without`` are aliases that skipped steps are about."""
    return first_difference(_without(recorded, without), _without(renamed(found, back), without), path)


def _without(value: Any, names: Set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(each, names) for key, each in value.items() if key not in names}
    if isinstance(value, list):
        return [_without(each, names) for each in value if not (isinstance(each, str) and each in names)]
    return value


def canonical_state(found: Dict[str, Any], back: Mapping[str, str]) -> str:
    """The canonical bytes of a map state, in the names of the trace."""
    return canonical_json(renamed(found, back))
