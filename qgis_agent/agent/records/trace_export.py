"""From the session's log to traces: a trace is a view of the records, in the form of ``bridge/trace.py``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...bridge.trace import SCHEMA, Trace, aliases_of, result_of
from .sessions import Record

_FINAL = (
    "ok", "termination", "answer", "map_actions", "legend", "evidence", "numbers", "question", "error", "usage",
    "answered_by",
)  # fmt: skip
_NEVER_ENDED = {"ok": False, "termination": "interrupted"}


def traces_of(records: Sequence[Record], session_id: str = "", project_path: str = "") -> list[Trace]:
    """One trace for each run that the records tell of, in their order.

    ``project_path`` names the file of the project that is open now; it is said of the runs of that project only, which is
    the last one's. A run that never ended is "interrupted", and its calls without a result are left out.
    """
    runs: dict[str, list[Record]] = {}
    for record in records:
        run_id = record.get("run_id")
        if isinstance(run_id, str):
            runs.setdefault(run_id, []).append(record)
    begun = [(run_id, each) for run_id, each in runs.items() if each[0].get("t") == "run_start"]
    traces = [_trace(each, session_id, number) for number, (_run_id, each) in enumerate(begun, 1)]
    key = traces[-1]["project"]["key"] if traces else ""
    for trace in traces:
        trace["project"]["path"] = project_path if trace["project"]["key"] == key else ""
    return traces


def _trace(records: Sequence[Record], session_id: str, number: int) -> Trace:
    start = records[0]
    whole_map = _object(start.get("map"))
    ended = _last(records, "map_state")
    end = _last(records, "run_end")
    project = _object(start.get("project"))
    versions = _object(whole_map.get("versions"))
    sections = _object(end.get("sections"))
    return {
        "schema": SCHEMA,
        "trace_id": str(start.get("trace_id", "")),
        "recorded_at": _when(start.get("at")),
        "session_id": session_id,
        "run": number,
        "profile": str(start.get("profile", "")),
        "user_text": str(_last(records, "user").get("content", "")),
        "intent": str(_last(records, "route").get("intent", "")),
        "versions": {
            "model": str(start.get("model", "")),
            "prompts": str(sections.get("S0", "")),
            "tools": str(sections.get("tools", "")),
            **{key: str(versions.get(key, "")) for key in ("plugin", "qgis", "locale")},
        },
        "project": {"name": str(project.get("name", "")), "key": str(project.get("key", "")), "path": ""},
        "aliases": aliases_of(_object(whole_map.get("aliases")), _object(ended.get("aliases"))),
        "start": _object(whole_map.get("start")),
        "state_in": _object(whole_map.get("state_in")),
        "steps": _steps(records),
        "final": _final(end, ended),
        "redacted": [],
    }


def _steps(records: Sequence[Record]) -> list[dict[str, Any]]:
    calls = {str(each.get("call_id")): each for each in records if each.get("t") == "call"}
    steps: list[dict[str, Any]] = []
    for record in records:
        envelope = record.get("envelope")
        if record.get("t") != "result" or not isinstance(envelope, dict):
            continue
        call = calls.get(str(record.get("call_id")), {})
        arguments = record.get("arguments")
        steps.append(
            {
                "step": len(steps) + 1,
                "call_id": str(record.get("call_id", "")),
                "tool": str(record.get("tool", "")),
                "args": arguments if isinstance(arguments, dict) and arguments else _parsed(call.get("raw")),
                "origin": str(call.get("origin", "native")),
                "result": result_of(envelope),
                "decision": _object(record.get("decision")),
                "actions": record.get("actions") if isinstance(record.get("actions"), list) else [],
                "ms": record.get("ms", 0),
            }
        )
    return steps


def _final(end: Mapping[str, Any], ended: Mapping[str, Any]) -> dict[str, Any]:
    final = {key: end.get(key) for key in _FINAL if key in end} or dict(_NEVER_ENDED)
    final["answer"] = str(end.get("final", ""))
    for key in ("map_actions", "legend", "evidence", "numbers"):
        final.setdefault(key, [])
    final["map_state"] = ended.get("map_state")
    return final


def _last(records: Sequence[Record], kind: str) -> Record:
    return next((each for each in reversed(records) if each.get("t") == kind), {})


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _parsed(raw: Any) -> dict[str, Any]:
    try:
        value = json.loads(raw) if isinstance(raw, str) else {}
    except (ValueError, RecursionError):
        return {}
    return _object(value)


def _when(seconds: Any) -> str:
    """ISO 8601 in this machine's zone."""
    if not isinstance(seconds, (int, float)):
        return ""
    return datetime.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
