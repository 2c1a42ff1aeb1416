"""The runs of a session's file as the panel shows them again: the events that it saw, made from the records.

Only lines are read here, also of a file that another process writes: a torn or damaged line is no record, nothing is mended,
and the file may grow meanwhile. What an event holds is said in EVENT_FIELDS of bridge/messages.py; ``remark`` {text} stands for
text that was streamed before calls, and ``step_outcome`` {call_id, tool, envelope, evidence, recipes} for what QGIS told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...bridge.envelope import size_bytes
from ...bridge.messages import failed_report
from .migrate import META, migrated

PAGE_BYTES = 256 * 1024
"""Of one answer: about ten runs with many steps. A page has one run at least."""
RUN_BYTES = 512 * 1024
"""A larger run is shown without the results of its steps, then without their arguments."""
_RUN = b'{"t":"run_start"'
_USAGE = b'{"t":"event"'
Record = dict[str, Any]
PastRun = dict[str, Any]


class RunFile:
    """The lines of a session's file, read once. OSError where it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._lines = path.read_bytes().splitlines(keepends=True)
        self._starts = [at for at, line in enumerate(self._lines) if line.startswith(_RUN)]

    @property
    def total(self) -> int:
        """How many runs there are."""
        return len(self._starts)

    def page(self, before: int | None = None) -> tuple[list[PastRun], int]:
        """The runs before run ``before`` (the last ones without), oldest first, and the number of the first of them."""
        end = self.total if before is None else max(0, min(before, self.total))
        found: list[PastRun] = []
        size = 0
        while end - len(found) > 0:
            run = fitted(self._run(end - len(found) - 1))
            size += size_bytes(run)
            if found and size > PAGE_BYTES:
                break
            found.insert(0, run)
        return found, end - len(found)

    def usage(self) -> dict[str, Any]:
        """What the model calls of all runs took, see ``totals_of``."""
        lines = [line for line in self._lines if line.startswith(_USAGE) and b'"usage"' in line]
        events = [each.get("event") for each in _records(lines)]
        return totals_of(each for each in events if isinstance(each, dict) and each.get("type") == "usage")

    def project(self) -> dict[str, str]:
        """{key, name} of the project of the last run, empty texts where it is not known."""
        for start in reversed(self._starts):
            for record in _records(self._lines[start : start + 1]):
                given = record.get("project")
                given = given if isinstance(given, dict) else {}
                return {key: str(given.get(key) or "") for key in ("key", "name")}
        return {"key": "", "name": ""}

    def _run(self, number: int) -> PastRun:
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < self.total else len(self._lines)
        metas = [line for line in self._lines[:start] if line.startswith(META)]
        return past_run(migrated(_records([*metas[-1:], *self._lines[start:end]])))


def past_run(records: Sequence[Record]) -> PastRun:
    """One run as the panel shows it: {run_id, at, ms, text, ended, events, report}. ``at`` in seconds since 1970."""
    start = next((each for each in records if each.get("t") == "run_start"), None) or _begun(records)
    own = [each for each in records if each.get("run_id") == start.get("run_id")]
    end = next((each for each in own if each.get("t") == "run_end"), None)
    said = next((each for each in own if each.get("t") == "user"), {})
    at = _seconds(start)
    return {
        "run_id": str(start.get("run_id", "")),
        "at": at,
        "ms": max(0, round((_seconds((own or [start])[-1]) - at) * 1000)),
        "text": str(said.get("content", "")),
        "ended": end is not None,
        "events": events_of(own),
        "report": report_of(own, start, end),
    }


def events_of(records: Sequence[Record]) -> list[Record]:
    """The events of a run's steps, in order. Arguments are those that ran; of a call without a result, as the model wrote them."""
    found: list[Record] = []
    started: set[str] = set()
    ran = {str(each.get("call_id")): each.get("arguments") for each in records if each.get("t") == "result"}
    for record in records:
        kind, ident, tool = record.get("t"), str(record.get("call_id", "")), str(record.get("tool", ""))
        if kind == "assistant" and record.get("tool_calls") and str(record.get("content", "")).strip():
            found.append({"type": "remark", "text": str(record["content"])})
        elif kind == "call":
            started.add(ident)
            known = ran.get(ident)
            found.append(_started(ident, tool, known if isinstance(known, dict) else _object(record.get("raw"))))
        elif kind == "result" and isinstance(record.get("envelope"), dict):
            if ident not in started:  # refused before it began
                found.append(_started(ident, tool, {}))
            found += _ended(ident, tool, record)
        elif kind == "event" and isinstance(record.get("event"), dict) and record["event"].get("type") == "notice":
            found.append(dict(record["event"]))
    return found


def report_of(records: Sequence[Record], start: Record, end: Record | None) -> dict[str, Any]:
    """The run's report; of one that never ended, what its results say."""
    results = [each for each in records if each.get("t") == "result" and isinstance(each.get("envelope"), dict)]
    steps = [_step(at, each) for at, each in enumerate(results, 1)]
    if end is not None:
        report = {key: value for key, value in end.items() if key in failed_report({}) or key in _MORE}
        final = {"answer": str(end.get("final") or ""), "steps": steps}
        return {**failed_report({}), "error": None, "charts": [], **report, **final}
    shown = [each for each in results if each["envelope"].get("ok")]
    kept = {key: [one for each in shown for one in each.get(key) or []] for key in ("legend", "evidence", "charts")}
    said = [each for each in records if each.get("t") == "assistant" and not each.get("tool_calls")]
    answer = str(said[-1].get("content", "")) if said else ""
    unfinished = {"trace_id": str(start.get("trace_id", "")), "answer": answer, "steps": steps}
    return {**failed_report({}, "interrupted"), "error": None, **kept, **unfinished}


_MORE = ("charts", "plan", "answered_by")


def totals_of(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of ``usage`` events: {calls, input_tokens, output_tokens, cached_tokens, source, context_tokens, context_limit,
    costs}. ``source`` is "estimated" where some are; ``costs`` are the texts of the calls, for currencies and unknown ones are
    not added up here; how full the context is, the last one says."""
    totals: dict[str, Any] = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "source": ""}
    costs: list[str] = []
    last: Mapping[str, Any] = {}
    for event in events:
        last = event if event.get("context_limit") else last  # a summary says nothing of the context
        totals["calls"] += 1
        for key in ("input_tokens", "output_tokens", "cached_tokens"):
            totals[key] += _count(event.get(key))
        totals["source"] = "estimated" if event.get("source") == "estimated" else totals["source"]
        costs.append(str(event.get("cost") or "")[:40])
    context = {key: _count(last.get(key)) for key in ("context_tokens", "context_limit")}
    return {**totals, **context, "costs": [each for each in costs if each]}


def fitted(run: PastRun) -> PastRun:
    """The run, small enough for a page: the results of its steps go first, then their arguments, then long lists."""
    if size_bytes(run) <= RUN_BYTES:
        return run
    run = {**run, "events": [each for each in run["events"] if each["type"] != "step_outcome"]}
    if size_bytes(run) > RUN_BYTES:
        run["events"] = [{**each, "arguments": {}} if "arguments" in each else each for each in run["events"]]
    if size_bytes(run) > RUN_BYTES:
        report = dict(run["report"])
        for key in ("map_actions", "numbers", "evidence", "legend", "steps"):
            report[key] = list(report.get(key) or [])[:50]
        run["report"] = {**report, "answer": report["answer"][: RUN_BYTES // 8]}
        run["events"], run["text"] = run["events"][:200], run["text"][: RUN_BYTES // 8]
    return run


def _begun(records: Sequence[Record]) -> Record:
    """The beginning of a run whose own line is damaged, as far as the lines after it tell."""
    ids = [each for each in records if isinstance(each.get("run_id"), str)]
    said = [each for each in ids if each.get("t") == "user"]
    first = next(iter(said or ids), {})
    return {"t": "run_start", "run_id": first.get("run_id", ""), "at": _seconds(first)}


def _step(number: int, record: Record) -> Record:
    envelope = record["envelope"]
    ok = bool(envelope.get("ok"))
    code = "" if ok else str(envelope.get("code", ""))
    return {"step": number, "tool": str(record.get("tool", "")), "ok": ok, "code": code, "ms": _count(record.get("ms"))}


def _started(ident: str, tool: str, arguments: Record) -> Record:
    return {"type": "tool_started", "call_id": ident, "tool": tool, "label": tool, "arguments": arguments}


def _ended(ident: str, tool: str, record: Record) -> list[Record]:
    envelope = record["envelope"]
    told = {"envelope": envelope, "evidence": record.get("evidence") or [], "recipes": record.get("recipes") or []}
    finished = {
        "ok": bool(envelope.get("ok")),
        "code": str(envelope.get("code", "")),
        "message": str(envelope.get("message", "")),
        "ms": _count(record.get("ms")),
    }
    call = {"call_id": ident, "tool": tool}
    return [{"type": "step_outcome", **call, **told}, {"type": "tool_finished", **call, **finished}]


def _records(lines: Iterable[bytes]) -> list[Record]:
    found = []
    for line in lines:
        try:
            record = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def _object(raw: Any) -> Record:
    try:
        value = json.loads(raw) if isinstance(raw, str) else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(record: Mapping[str, Any]) -> float:
    at = record.get("at")
    return float(at) if isinstance(at, (int, float)) else 0.0


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0
