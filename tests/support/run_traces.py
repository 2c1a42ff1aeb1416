"""Traces of runs that a test makes call by call: what the agent's log would tell of them, in the form of ``bridge/trace.py``."""

from __future__ import annotations

from typing import Any


def trace_of_calls(bench: Any, text: str, calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Run the calls on a bench (tests/qgis/conftest.py); each must succeed. Returns the trace of the run."""
    steps: list[dict[str, Any]] = []
    evidence: list[dict[str, Any]] = []
    for number, (tool, arguments) in enumerate(calls, 1):
        outcome = bench.outcome(tool, **arguments)
        envelope = outcome["envelope"]
        assert envelope["ok"], (tool, envelope)
        evidence += outcome["evidence"]
        result = {"ok": True, "code": "", "reason": "", "digest": "", "data": envelope["data"]}
        steps.append(
            {
                "step": number,
                "call_id": f"c{number}",
                "tool": tool,
                "args": arguments,
                "origin": "native",
                "result": result,
                "decision": outcome["decision"],
                "actions": outcome["actions"],
                "ms": 1,
            }
        )
    layers = bench.host.layers
    aliases = {
        alias: {"layer_id": layers.by_alias(alias).id(), "name": layers.by_alias(alias).name(), "source_digest": ""}
        for alias in layers.aliases()
    }
    actions = [each for step in steps for each in step["actions"]]
    return {
        "schema": "qgis-agent/trace/1",
        "trace_id": "tr_20260101_00000000",
        "recorded_at": "2026-01-01T12:00:00+00:00",
        "user_text": text,
        "versions": {},
        "project": {"name": "city", "key": ""},
        "aliases": aliases,
        "start": {},
        "state_in": {},
        "steps": steps,
        "final": {
            "ok": True,
            "termination": "completed",
            "answer": "Done.",
            "map_actions": actions,
            "evidence": evidence,
        },
        "redacted": [],
    }
