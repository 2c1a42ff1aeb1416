"""T8 in the loop: a long scripted run stays within its budget, and what the person said must hold is in every request."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls
from protocol_check import problem_of

from qgis_agent.agent.context.limits import ContextLimits
from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.governance.profile import PROFILES, Budget
from qgis_agent.agent.llm.tokens import request_tokens
from qgis_agent.agent.llm.types import ProviderRequest
from qgis_agent.bridge.envelope import success

PINNED = ("Never change the source data.", "所有面积都用公顷，不要用平方公里。")
LONG = replace(PROFILES["gis-build"], budget=Budget(model_calls=230, tool_calls=300, tokens=10**9, tool_s=1000))


def is_summary(request: ProviderRequest) -> bool:
    return not request.tools and request.max_output_tokens == 1200


def text_of(request: ProviderRequest) -> str:
    return json.dumps(request.messages, ensure_ascii=False)


def long_run(bench: Bench, window: int, summary: Any) -> tuple[list[ProviderRequest], dict[str, Any], ListEvents]:
    """200 turns with results of 3 KB in one run."""
    turn = [0]

    def model(request: ProviderRequest) -> Any:
        if is_summary(request):
            return summary(request)
        turn[0] += 1
        if turn[0] > 200:
            return answer("Done.")
        return calls(("query_features", {"layer_id": "schools", "limit": turn[0]}))

    def rows(params: dict[str, Any]) -> Any:
        number = params["arguments"]["limit"]
        names = [{"name": f"学校 {number}-{each}", "area_m2": number * 1000.5 + each} for each in range(40)]
        return success({"rows": names, "result_ref": f"query:{number:08d}"})

    client = FakeClient(model, kind="model")
    events = ListEvents()
    words = f"Count the schools of every district. {PINNED[0]} {PINNED[1]}"
    report = bench.run(
        words,
        client,
        FakeBridge(query_features=rows),
        profile=LONG,
        events=events,
        options=RunOptions(limits=ContextLimits.for_window(window)),
    )
    return client.requests, report, events


@pytest.mark.parametrize("window", [24_000, 100_000])
def test_at08_two_hundred_turns_stay_within_the_budget(tmp_path: Path, window: int) -> None:
    """Every request fits, is valid, and holds what the person pinned; the history itself is whole."""
    requests, report, events = long_run(Bench(tmp_path), window, lambda _request: answer("## Goal\n- count schools"))
    assert (report["termination"], report["answer"]) == ("completed", "Done.")
    turns = [each for each in requests if not is_summary(each)]
    assert len(turns) == 201
    limits = ContextLimits.for_window(window)
    for request in turns:
        assert request_tokens(request.messages, request.tools) <= limits.usable
        assert problem_of(request.messages) is None
        assert all(each in text_of(request) for each in PINNED)
    kinds = {fields["kind"] for kind, fields in events.seen if kind == "compaction"}
    assert kinds == ({"pruned"} if window == 100_000 else {"pruned", "summarised"})
    assert len(report["bundle"].context.history) == 1 + 200 * 2 + 1
    latest = text_of(turns[-1])
    assert "query:00000200" in latest  # the newest handle is open
    changes = report["bundle"].context.prefix_events.count("compaction")
    broken = sum(
        1
        for a, b in zip(turns, turns[1:])
        if text_of(replace(b, messages=b.messages[: len(a.messages) - 1]))
        != text_of(replace(a, messages=a.messages[:-1]))
    )
    assert broken == changes <= 40


def test_at08_a_model_that_cannot_summarise_loses_nothing_pinned(tmp_path: Path) -> None:
    """The program's own digest stands in, and the run goes on."""
    requests, report, events = long_run(Bench(tmp_path), 24_000, lambda _request: answer(""))
    assert report["termination"] == "completed"
    kinds = [fields["kind"] for kind, fields in events.seen if kind == "compaction"]
    assert "fallback" in kinds
    assert all(each in text_of(requests[-1]) for each in PINNED)


def test_at08_a_compaction_is_read_back_with_the_session(tmp_path: Path) -> None:
    """After a restart the model sees what it saw: the same summary, the same cut, the same skeletons."""
    bench = Bench(tmp_path)
    long_run(bench, 24_000, lambda _request: answer("## Goal\n- count schools"))
    restarted = Bench(tmp_path)
    assert restarted.session.projection == bench.session.projection
    assert restarted.session.projection.summary
    assert restarted.session.messages == bench.session.messages


def test_at08_a_window_smaller_than_prompt_and_tools_is_said(tmp_path: Path) -> None:
    """No request is sent that cannot fit; the error names the part that no compaction can free."""
    client = FakeClient(answer("never"), kind="model")
    events = ListEvents()
    report = Bench(tmp_path).run(
        "hello", client, events=events, options=RunOptions(limits=ContextLimits.for_window(2048))
    )
    assert (report["termination"], report["state"].reason, client.requests) == ("failed", "context_overflow", [])
    assert "instructions and tools alone" in report["error"]["message"]
    assert len([1 for kind, _ in events.seen if kind == "compaction"]) == 1


def test_the_usage_event_says_how_full_the_context_is(tmp_path: Path) -> None:
    _, _, events = long_run(Bench(tmp_path), 24_000, lambda _request: answer("## Goal\n- count"))
    levels = {fields["pressure"] for kind, fields in events.seen if kind == "usage"}
    assert {"ok", "warm", "hot"} <= levels
