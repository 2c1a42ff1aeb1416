"""Traces: what one run did, in one JSON object, to be read, shown, replayed and scored. The specification of the form.

A trace file has one trace a line (JSON lines, UTF-8). A trace is a *view* of the session's log (``agent/records``), made
when somebody asks for it; it is never kept beside the log. Standard library only: both sides read and compare with this file.

``schema``       "qgis-agent/trace/1"
``trace_id``     tr_YYYYMMDD_xxxxxxxx
``recorded_at``  ISO 8601 with zone, when the run began
``session_id``, ``run``  the conversation and the run's number in it, from 1: the traces of a conversation replay in this order
                 on one copy of the project, because a run may use what an earlier one made
``user_text``    the person's words
``intent``       what the router took them for, "" where it was not asked
``versions``     {plugin, model, prompts (hash of the rules), tools (hash of the schemas), qgis, locale}
``project``      {name, key, path}: ``key`` as in gis/sessions.py; ``path`` of the file, "" for one that is not saved
``aliases``      {alias: {layer_id, name, source_digest}} of the layers when the run began, and with ``made`` of those that came
``start``        {extent [xmin, ymin, xmax, ymax] in ``crs``, crs, rotation (degrees), size [px, px]}: what the map showed
``state_in``     canonical map state when the run began (gis/map_state.py); {} where nobody could tell it, or values stay at
                 home: such a trace cannot be replayed
``steps``        [{step, call_id, tool, args, origin, caller, result, decision, actions, ms}] in the order in which they ended
  ``args``       as they were carried out (after repairs)
  ``caller``     "chat", or "subagent"
  ``result``     {ok, code, reason, digest, data}: ``digest`` is the SHA-256 of ``stable_result``; ``data`` what the model saw
  ``decision``   {effect, decision, by}
  ``actions``    [{op, args, ok, error}]: what was done to the map, each with its outcome
``final``        {ok, termination, answer, map_actions, legend, evidence, numbers, question, error, usage, map_state}:
                 ``map_state`` is the canonical map state when the run had ended; null where nobody could tell it any more
``redacted``     [] or what was taken out (names, ids, values): such a trace can be read and scored, not replayed
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional

SCHEMA = "qgis-agent/trace/1"
Trace = Dict[str, Any]
_DROPPED = frozenset(
    [
        "message",
        "hint",
        "ms",
        "seconds",
        "now",
        "time_zone",
        "made_at",
        "modified",
        "expires_in_s",
        "retryable",
        "other_folders",
    ]
)
"""Keys of a result that time, language or machine decide, not the data."""
_WORDS = frozenset(["warnings", "notes", "note", "remarks"])
"""Keys with sentences in the person's language: that they are there is compared, their words are not."""
_HANDLES = frozenset(["result_ref", "confirm_token", "rule_id", "undo_id", "path", "file", "folder"])
"""Keys whose values are made up anew each time, or name a place on this machine."""
_UNORDERED = frozenset(["ids", "feature_ids", "selected_ids"])
NOT_ALIASES = frozenset(["name", "label", "title", "group", "field", "fields", "value", "values", "filters"])
"""Keys whose texts are the data's own, also where one of them is spelled as the alias of a layer."""
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_DIGITS = 10
"""Significant digits of a float that are compared: the last ones are the processor's."""
_ABSENT = "(nothing)"
EXCERPT = 300
MAX_LINE = 16 * 1024 * 1024


class TraceError(ValueError):
    """What was read is no trace; the message says where and why."""


def to_line(trace: Mapping[str, Any]) -> str:
    """One trace as one line of a trace file, with its end."""
    return json.dumps(trace, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def read_traces(lines: Iterable[str]) -> List[Trace]:
    """The traces of a file, in its order. TraceError names the line that is none."""
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE:
            raise TraceError("line {}: is too long for a trace".format(number))
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TraceError("line {}: is no JSON: {}".format(number, error)) from error
        found.append(checked(value, "line {}".format(number)))
    if not found:
        raise TraceError("there is no trace in it")
    return found


def checked(value: Any, place: str = "trace") -> Trace:
    """``value`` as a trace. TraceError where a part that replay and scoring read has another form."""
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        found = value.get("schema") if isinstance(value, dict) else type(value).__name__
        raise TraceError("{}: is no trace ({} expected, {} found)".format(place, SCHEMA, str(found)[:80]))
    for key in ("project", "versions", "start"):
        value.setdefault(key, {})
    _require(value, _WHOLE, place)
    _require(value, _PERHAPS, place, may_lack=True)
    for key, told in value["aliases"].items():
        _require({key: told}, {key: dict}, place + ".aliases")
    for number, step in enumerate(value["steps"], 1):
        where = "{}.steps[{}]".format(place, number)
        _require(step if isinstance(step, dict) else {}, _STEP, where)
        _require(step, _STEP_PERHAPS, where, may_lack=True)
        _require(step["result"], _RESULT_PERHAPS, where + ".result", may_lack=True)
        for at, action in enumerate(step.get("actions") or [], 1):
            if not isinstance(action, dict):
                raise TraceError("{}.actions[{}]: must be an object".format(where, at))
    _check_state(value.get("state_in"), place + ".state_in")
    _require(value["final"], {"map_state": dict}, place + ".final", may_lack=True)
    _check_state(value["final"].get("map_state"), place + ".final.map_state")
    return value


_KINDS = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}
_Types = Dict[str, type]
_WHOLE: _Types = {
    "trace_id": str,
    "user_text": str,
    "steps": list,
    "final": dict,
    "aliases": dict,
    "project": dict,
    "versions": dict,
    "start": dict,
}
_PERHAPS: _Types = {"run": int, "session_id": str, "state_in": dict, "redacted": list}
"""What may be missing, or null, of a trace; and so for the others."""
_STEP: _Types = {"tool": str, "args": dict, "result": dict}
_STEP_PERHAPS: _Types = {"step": int, "decision": dict, "actions": list}
_RESULT_PERHAPS: _Types = {"code": str, "reason": str, "digest": str}
_STATE_PERHAPS: _Types = {
    "view": dict,
    "visible": list,
    "created": list,
    "filters": dict,
    "selection": dict,
    "layers": dict,
    "styles": dict,
}


def _require(value: Mapping[str, Any], kinds: _Types, place: str, may_lack: bool = False) -> None:
    """TraceError that names the first part of ``value`` that is of another kind."""
    for key, kind in kinds.items():
        found = value.get(key)
        fits = isinstance(found, kind) and not isinstance(found, bool)
        if not fits and not (may_lack and found is None):
            raise TraceError("{}.{}: must be {}".format(place, key, _KINDS[kind]))


def _check_state(state: Any, place: str) -> None:
    if not isinstance(state, dict):
        return
    _require(state, _STATE_PERHAPS, place, may_lack=True)
    for alias, told in (state.get("layers") or {}).items():
        _require({alias: told}, {alias: dict}, place + ".layers")


def aliases_of(begun: Mapping[str, Any], ended: Mapping[str, Any]) -> Dict[str, Any]:
    """``aliases`` of a trace: those when the run began, and those that came in it, marked ``made``."""
    came = {alias: dict(told, made=True) for alias, told in ended.items() if alias not in begun}
    return {**begun, **came}


def canonical_json(value: Any) -> str:
    """The one spelling of a value: keys sorted, no space, floats to 10 significant digits, no -0."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def digest_of(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def stable_result(envelope: Mapping[str, Any], renamed: Optional[Mapping[str, str]] = None) -> Dict[str, Any]:
    """What of a result is the same each time: {ok, code, reason, data} without times, handles, paths and sentences.

    ``renamed`` maps names of this time (aliases, handles) to those of the recorded time.
    """
    known = renamed or {}
    return {
        "ok": bool(envelope.get("ok")),
        "code": str(envelope.get("code") or ""),
        "reason": str(envelope.get("reason") or ""),
        "data": _stable(envelope.get("data"), known),
    }


def result_of(envelope: Mapping[str, Any]) -> Dict[str, Any]:
    """The ``result`` of a step."""
    stable = stable_result(envelope)
    kept = {key: stable[key] for key in ("ok", "code", "reason")}
    return {**kept, "digest": digest_of(stable), "data": envelope.get("data")}


def first_difference(expected: Any, found: Any, path: str = "") -> Optional[Dict[str, Any]]:
    """{path (JSON pointer), expected, found} of the first place where two values differ, in sorted order; None where none is."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(set(expected) | set(found)):
            inner = first_difference(
                expected.get(key, _ABSENT), found.get(key, _ABSENT), "{}/{}".format(path, _token(key))
            )
            if inner is not None:
                return inner
        return None
    if isinstance(expected, list) and isinstance(found, list):
        for at in range(max(len(expected), len(found))):
            inner = first_difference(_item(expected, at), _item(found, at), "{}/{}".format(path, at))
            if inner is not None:
                return inner
        return None
    if canonical_json(expected) == canonical_json(found):
        return None
    return {"path": path or "/", "expected": _excerpt(expected), "found": _excerpt(found)}


def _token(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _item(values: List[Any], at: int) -> Any:
    return values[at] if at < len(values) else _ABSENT


def _excerpt(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return value if len(text) <= EXCERPT else text[:EXCERPT] + "…"


def _stable(value: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {_named(str(key), renamed): _part(str(key), each, renamed) for key, each in value.items() if _kept(key)}
    if isinstance(value, (list, tuple)):
        return [_stable(each, renamed) for each in value]
    if isinstance(value, str):
        return _UUID.sub("<uuid>", _named(value, renamed))
    return _plain(value)


def _kept(key: Any) -> bool:
    return str(key) not in _DROPPED


def _part(key: str, value: Any, renamed: Mapping[str, str]) -> Any:
    if key in _HANDLES and isinstance(value, str):
        return "<{}>".format(key)
    if key in _WORDS:
        return len(value) if isinstance(value, (list, tuple)) else bool(value)
    if key in _UNORDERED and isinstance(value, (list, tuple)):
        return sorted((_stable(each, renamed) for each in value), key=canonical_json)
    return _stable(value, {} if key in NOT_ALIASES else renamed)


def _named(text: str, renamed: Mapping[str, str]) -> str:
    return renamed.get(text, text)


def _plain(value: Any) -> Any:
    """JSON data with floats rounded; whole floats are integers, so that 5.0 and 5 are one spelling."""
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        rounded = float("{:.{}g}".format(value, _DIGITS))
        return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (str, int, bool)) or value is None else str(value)
