"""What became of one step of a replay, and how steps are compared with what was recorded."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Set

from ...bridge.trace import NOT_ALIASES, canonical_json, digest_of, first_difference, stable_result
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


def used_by(arguments: Any) -> Set[str]:
    """The names of layers, files, sheets and handles that a call was given. A text of the data that reads the same is none."""
    return set(_texts(arguments, False))


def touched_by(step: Mapping[str, Any], actions: List[Any]) -> Set[str]:
    """What a step that was not repeated, or came out otherwise, leaves other than it was: names of layers, files, sheets, handles.

    The map operations say which layers a tool changed or made, those of then (``step``) and of now (``actions``, in the names
    of then). What was only read is none of it.
    """
    done = [each.get("args") for each in [*(step.get("actions") or []), *actions] if isinstance(each, dict)]
    found = set(_named(done, _THINGS + _FILES))
    if done or step["tool"].startswith("prepare_"):
        found |= set(_named(step["args"], _FILES))  # as the model spells it, who names it so again
    return found | set(_named(step["result"].get("data"), _HANDLES))


_THINGS = ("layer_id", "layer_ids", "layout")
_FILES = ("path",)
_HANDLES = ("result_ref", "rule_id", "confirm_token")


def _named(value: Any, keys: Any) -> Iterator[str]:
    """The texts below these keys of a value."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(each, True) if str(key) in keys else _named(each, keys)
    elif isinstance(value, list):
        for each in value:
            yield from _named(each, keys)


def _texts(value: Any, also_data: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if also_data or key not in NOT_ALIASES:
                yield from _texts(each, also_data)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, also_data)
    elif isinstance(value, str):
        yield value


def state_difference(
    recorded: Any, found: Dict[str, Any], back: Mapping[str, str], without: Set[str], path: str, view: bool = True
) -> Optional[Dict[str, Any]]:
    """The first difference of two map states; ``without`` are aliases that skipped steps are about, ``view``: also the view."""
    return first_difference(_without(recorded, without, view), _without(renamed(found, back), without, view), path)


def _without(state: Any, names: Set[str], view: bool) -> Any:
    """A state without some layers, wherever aliases stand in it (gis/map_state.py): nowhere else is a text one."""
    if not isinstance(state, dict):
        return state
    kept = {key: each for key, each in state.items() if view or key != "view"}
    for key in ("visible", "created"):
        if isinstance(kept.get(key), list):
            kept[key] = [each for each in kept[key] if each not in names]
    for key in ("filters", "selection", "layers", "styles"):
        if isinstance(kept.get(key), dict):
            kept[key] = {alias: each for alias, each in kept[key].items() if alias not in names}
    return kept


def canonical_state(found: Dict[str, Any], back: Mapping[str, str]) -> str:
    """The canonical bytes of a map state, in the names of the trace."""
    return canonical_json(renamed(found, back))
