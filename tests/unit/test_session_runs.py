"""The runs of a session's file: the events that the panel saw live, in pages, of any schema, from a file that nobody touches."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.llm.types import Usage
from qgis_agent.agent.parameters import ParamsError
from qgis_agent.agent.records import past_runs
from qgis_agent.agent.records.past_runs import RunFile
from qgis_agent.agent.session_service import SessionService
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.messages import EVENT_FIELDS, RunReport

LEGEND = [{"label": "0 – 4", "color": "#fee5d9", "layer_id": "schools"}]
EVIDENCE = [{"ref": "q1", "tool": "count_features", "text": "25 counted"}]


def counted(params: Any) -> dict[str, Any]:
    if params["arguments"]["layer_id"] == "hospitals":
        return failure("UPSTREAM_ERROR", "Not readable.", hint="repair it")
    return {
        "envelope": success({"count": 25}),
        "actions": [],
        "legend": LEGEND,
        "evidence": EVIDENCE,
        "recipes": ["processing.run('native:buffer')"],
        "decision": {"effect": "read", "decision": "allow", "by": "level"},
        "ms": 7,
    }


def service(bench: Bench, busy: bool = False) -> SessionService:
    return SessionService(bench.store, bench.folder, lambda: busy)


def runs(bench: Bench, **params: Any) -> dict[str, Any]:
    return asyncio.run(service(bench).runs({"session_id": "s-1", **params}))


@pytest.fixture
def live(tmp_path: Path) -> tuple[Bench, ListEvents, dict[str, Any]]:
    """A run with a remark, two calls of which one fails, and an answer."""
    bench, events = Bench(tmp_path), ListEvents()
    client = FakeClient(
        calls(("count_features", {"layer_id": "schools"}), text="Let me count."),
        calls(("count_features", {"layer_id": "hospitals"})),
        answer("There are 25 schools.", usage=Usage(1000, 20, 100, source="provider")),
    )
    bridge = FakeBridge(count_features=counted)
    return bench, events, bench.run("How many schools?", client, bridge, events=events)


def test_the_events_are_those_that_were_seen_live(live: tuple[Bench, ListEvents, dict[str, Any]]) -> None:
    bench, events, report = live
    (run,) = runs(bench)["runs"]
    kept = ("tool_started", "tool_finished", "notice")
    seen = [{"type": kind, **fields} for kind, fields in events.seen if kind in kept]
    again = [each for each in run["events"] if each["type"] in kept]
    for each in (*seen, *again):
        each.pop("label", None)  # the panel makes its own
    assert again == seen and len(seen) == 4
    assert [each["text"] for each in run["events"] if each["type"] == "remark"] == ["Let me count."]
    (told, other) = [each for each in run["events"] if each["type"] == "step_outcome"]
    assert (told["evidence"], told["recipes"]) == (EVIDENCE, ["processing.run('native:buffer')"])
    assert told["envelope"]["data"] == {"count": 25} and other["envelope"]["hint"] == "repair it"
    for each in again:
        assert set(EVENT_FIELDS[each["type"]]) - {"label"} <= set(each)
    same = ("ok", "termination", "answer", "legend", "evidence", "numbers", "charts", "usage", "trace_id", "question")
    assert {key: run["report"][key] for key in same} == {key: report[key] for key in same}
    assert set(run["report"]) <= set(RunReport.__annotations__)
    assert [(each["step"], each["tool"], each["code"]) for each in run["report"]["steps"]] == [
        (1, "count_features", ""),
        (2, "count_features", "UPSTREAM_ERROR"),
    ]
    assert run["text"] == "How many schools?" and run["ended"] and run["run_id"] == "run-1"


def test_a_call_that_was_refused_before_it_began_has_its_line(tmp_path: Path) -> None:
    """ask_user ends the batch: what stands behind it is answered as not run, and was shown so."""
    bench, events = Bench(tmp_path), ListEvents()
    asked = ("ask_user", {"question": "Which one?", "options": ["A", "B"]})
    bench.run("Zoom", FakeClient(calls(asked, ("zoom_to", {"layer_id": "schools"}))), events=events)
    (run,) = runs(bench)["runs"]
    seen = [fields["call_id"] for kind, fields in events.seen if kind == "tool_started"]
    assert [each["call_id"] for each in run["events"] if each["type"] == "tool_started"] == seen and len(seen) == 2
    assert run["report"]["termination"] == "awaiting_user" and run["report"]["question"]["text"] == "Which one?"


def test_usage_of_all_runs_comes_with_the_first_page_only(live: tuple[Bench, ListEvents, dict[str, Any]]) -> None:
    bench, events, _report = live
    bench.run("again", FakeClient(answer("Hello.", usage=Usage(500, 10, 0, source="estimated"))))
    taken = [fields for kind, fields in events.seen if kind == "usage"]
    usage = runs(bench)["usage"]
    assert usage["calls"] == len(taken) + 1
    assert usage["input_tokens"] == sum(each["input_tokens"] for each in taken) + 500
    assert usage["output_tokens"] == sum(each["output_tokens"] for each in taken) + 10
    assert usage["source"] == "estimated"
    assert "usage" not in runs(bench, before=1)


def test_pages_go_up_to_the_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    for at in range(5):
        bench.run(f"question {at}", FakeClient(answer("x" * 2000)))
    monkeypatch.setattr(past_runs, "PAGE_BYTES", 6000)
    found: list[str] = []
    page = runs(bench)
    while True:
        assert page["total"] == 5 and page["runs"], "a page has one run at least"
        found[:0] = [each["text"] for each in page["runs"]]
        if page["first"] == 0:
            break
        page = runs(bench, before=page["first"])
    assert found == [f"question {at}" for at in range(5)]
    monkeypatch.setattr(past_runs, "PAGE_BYTES", 10)
    assert [each["text"] for each in runs(bench, before=3)["runs"]] == ["question 2"]


def test_a_huge_run_still_crosses_the_bridge(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    big = [{"t": "run_start", "at": 1.0, "run_id": "r"}, {"t": "user", "at": 1.0, "run_id": "r", "content": "go"}]
    for at in range(300):
        call = {"run_id": "r", "call_id": f"c{at}", "tool": "query_features"}
        big.append({"t": "call", "at": 2.0, **call, "raw": json.dumps({"text": "y" * 2000})})
        big.append({"t": "result", "at": 2.0, **call, "envelope": success({"rows": "z" * 4000}), "ms": 1})
    big.append({"t": "run_end", "at": 9.5, "run_id": "r", "final": "a" * 400_000, "numbers": [{"text": "1"}] * 9000})
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in big), encoding="utf-8")
    (run,), first = RunFile(path).page()
    assert first == 0 and len(json.dumps(run)) < 1024 * 1024 and run["ms"] == 8500
    assert len([each for each in run["events"] if each["type"] == "tool_started"]) >= 100


def test_a_run_that_never_ended_shows_what_its_results_say(live: tuple[Bench, ListEvents, dict[str, Any]]) -> None:
    bench, _events, _report = live
    lines = bench.path.read_bytes().splitlines(keepends=True)
    cut = next(at for at, line in enumerate(lines) if line.startswith(b'{"t":"result"')) + 1
    bench.path.write_bytes(b"".join(lines[:cut]) + lines[cut][:9])
    before = bench.path.read_bytes()
    (run,) = runs(bench)["runs"]
    assert not run["ended"] and run["report"]["termination"] == "interrupted" and run["report"]["error"] is None
    assert (run["report"]["legend"], run["report"]["evidence"]) == (LEGEND, EVIDENCE)
    assert [each["tool"] for each in run["report"]["steps"]] == ["count_features"]
    assert bench.path.read_bytes() == before, "looking mends nothing"


@pytest.mark.parametrize("cut", [20, -1])
def test_a_run_whose_first_line_is_damaged_is_shown_by_the_others(tmp_path: Path, cut: int) -> None:
    """Damaged in the middle of the file, and torn as the last line of all."""
    bench = Bench(tmp_path)
    bench.run("first", FakeClient(answer("25.")))
    bench.run("second", FakeClient(calls(("count_features", {"layer_id": "schools"})), answer("26.")))
    lines = bench.path.read_bytes().splitlines(keepends=True)
    first, second = (at for at, line in enumerate(lines) if line.startswith(b'{"t":"run_start"'))
    if cut > 0:
        lines[first] = lines[first][:cut] + b"\n"
        bench.path.write_bytes(b"".join(lines))
        found = runs(bench)["runs"]
        assert [(each["text"], each["report"]["answer"]) for each in found] == [("first", "25."), ("second", "26.")]
        assert found[0]["run_id"] and found[0]["ended"] and found[0]["ms"] >= 0
    else:
        bench.path.write_bytes(b"".join(lines[:second]) + lines[second][:30])
        found = runs(bench)["runs"]
        assert [(each["text"], each["ended"]) for each in found] == [("first", True), ("", False)]


def test_lines_of_other_runs_and_of_single_calls_stay_apart(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run("first", FakeClient(calls(("count_features", {"layer_id": "schools"})), answer("25.")))
    bench.session.write("call", run_id="call-9", call_id="c9", tool="zoom_to", raw="{}", origin="cli")
    bench.session.write("title", title="A name")
    bench.run("second", FakeClient(answer("Hello.")))
    first, second = runs(bench)["runs"]
    assert [each["call_id"] for each in first["events"] if each["type"] == "tool_started"] == ["c0"]
    assert (second["text"], second["events"]) == ("second", [])


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert runs(bench)["reason"] == "missing" and runs(bench, own=True)["reason"] == "missing"
    bench.run("first", FakeClient(answer("25.")))
    assert asyncio.run(service(bench, busy=True).runs({"session_id": "s-1", "own": True}))["reason"] == "running"
    assert runs(bench, own=True)["reason"] == "" and bench.store.is_owned("s-1")
    for bad in ({"session_id": "../x"}, {"session_id": "s-1", "before": "1"}, {"session_id": "s-1", "before": True}):
        with pytest.raises(ParamsError):
            asyncio.run(service(bench).runs(bad))
