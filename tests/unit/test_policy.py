"""LoopPolicy: every counter of a budget, one under, exactly at and one over, at the three points where it is checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.governance.profile import CEILING, PROFILES, Budget
from qgis_agent.agent.loop.policy import LoopPolicy
from qgis_agent.agent.loop.state import RunnerState
from qgis_agent.bridge.envelope import success

BUDGET = Budget(model_calls=5, tool_calls=9, tokens=1000, model_s=2.0, tool_s=3.0, code_calls=2, plain_calls=7)


def state(**spent: Any) -> RunnerState:
    made = RunnerState("r", "text")
    for key, value in spent.items():
        setattr(made, key, value)
    return made


def policy(budget: Budget = BUDGET, **more: Any) -> LoopPolicy:
    return LoopPolicy(budget, code_tools=("execute_code",), **more)


Check = Callable[[LoopPolicy, RunnerState], str | None]
BEFORE_TURN: Check = lambda p, s: p.before_turn(s)  # noqa: E731
AFTER_MODEL: Check = lambda p, s: p.after_model(s)  # noqa: E731
PLAIN: Check = lambda p, s: p.before_call(s, "zoom_to")  # noqa: E731
CODE: Check = lambda p, s: p.before_call(s, "execute_code")  # noqa: E731

EDGES: list[tuple[Check, str, dict[str, Any], dict[str, Any]]] = [
    # the check, the ceiling it names, the last state that has room, the first that has none
    (BEFORE_TURN, "model_calls", {"model_calls": 4}, {"model_calls": 5}),
    (BEFORE_TURN, "tokens", {"input_tokens": 600, "output_tokens": 399}, {"input_tokens": 600, "output_tokens": 400}),
    (BEFORE_TURN, "model_time", {"model_ms": 1999.9}, {"model_ms": 2000.0}),
    (BEFORE_TURN, "tool_time", {"tool_counted_ms": 2999, "tool_calls": 1}, {"tool_counted_ms": 3000, "tool_calls": 1}),
    (AFTER_MODEL, "tokens", {"input_tokens": 1000}, {"input_tokens": 1001}),
    (AFTER_MODEL, "model_time", {"model_ms": 2000.0}, {"model_ms": 2000.1}),
    (PLAIN, "tool_calls", {"tool_calls": 8, "code_calls": 2}, {"tool_calls": 9, "code_calls": 3}),
    (PLAIN, "plain_calls", {"tool_calls": 6}, {"tool_calls": 7}),
    (PLAIN, "plain_calls", {"tool_calls": 8, "code_calls": 2}, {"tool_calls": 8, "code_calls": 1}),
    (PLAIN, "tool_time", {"tool_counted_ms": 2999}, {"tool_counted_ms": 3000}),
    (CODE, "tool_calls", {"tool_calls": 8}, {"tool_calls": 9}),
    (CODE, "code_calls", {"code_calls": 1, "tool_calls": 1}, {"code_calls": 2, "tool_calls": 2}),
    (CODE, "tool_time", {"tool_counted_ms": 2999}, {"tool_counted_ms": 3000}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("check", "ceiling", "room", "none"), EDGES, ids=lambda each: None if callable(each) else str(each)[:60]
)
def test_every_ceiling_is_exact(check: Check, ceiling: str, room: dict[str, Any], none: dict[str, Any]) -> None:
    """Z-55: before a turn, after the model, before a tool."""
    assert check(policy(), state(**room)) is None
    assert check(policy(), state(**none)) == ceiling


def test_each_number_of_the_budget_is_compared_somewhere() -> None:
    """A number that nothing reads is a promise that nobody keeps."""
    named = {ceiling for _, ceiling, _, _ in EDGES}
    said = {each.name.replace("model_s", "model_time").replace("tool_s", "tool_time") for each in fields(Budget)}
    assert named == said


def test_code_and_plain_calls_do_not_use_up_each_other() -> None:
    """O-217, O-218: two counters; the third (O-219) is their sum."""
    all_code = state(tool_calls=2, code_calls=2)
    assert policy().before_call(all_code, "zoom_to") is None
    assert policy().before_call(all_code, "execute_code") == "code_calls"
    all_plain = state(tool_calls=7)
    assert policy().before_call(all_plain, "execute_code") is None
    assert policy().before_call(all_plain, "zoom_to") == "plain_calls"


def test_a_ceiling_met_in_a_turn_is_the_reason_of_the_next_check() -> None:
    assert policy().before_turn(state(exceeded="plain_calls")) == "plain_calls"


def test_the_last_call_may_still_be_answered() -> None:
    """A ceiling of calls ends no run before the model has spoken; no tool time forbids tools, not answers."""
    assert policy().before_turn(state(tool_calls=9, code_calls=2)) is None
    none = policy(Budget(tool_s=0.0))
    assert none.before_turn(state()) is None
    assert none.before_call(state()) == "tool_time"
    assert none.before_turn(state(tool_calls=1)) == "tool_time"


@pytest.mark.parametrize(("spent", "left"), [(0.0, 2.0), (500.0, 1.5), (2000.0, 0.0), (9000.0, 0.0)])
def test_the_time_that_is_left(spent: float, left: float) -> None:
    assert policy().model_seconds_left(state(model_ms=spent)) == left


@pytest.mark.parametrize("name", [each for each in PROFILES if each != "gis-plan"])
def test_n_turns_are_n_model_calls(tmp_path: Path, name: str) -> None:
    """A model that never stops: exactly the profile's turns act; one more answers without tools (O-220, O-221)."""
    profile = PROFILES[name]
    at = iter(range(1000))

    def again(request: Any) -> Any:
        if not request.tools:
            return answer("So far.")
        return calls(("count_features", {"layer_id": f"layer{next(at)}"}))

    client = FakeClient(again)
    bridge = FakeBridge(count_features=lambda _params: success({"count": next(at)}))
    report = Bench(tmp_path).run("count all of them", client, bridge, profile=profile)
    assert report["termination"] == "budget_exceeded"
    assert report["state"].reason == "model_calls"
    assert [bool(each.tools) for each in client.requests] == [True] * profile.budget.model_calls + [False]
    assert len(bridge.requests) == profile.budget.model_calls


def test_all_tool_calls_of_the_ceiling_run_and_not_one_more(tmp_path: Path) -> None:
    """24 calls (X-1), however many a turn asks for."""
    at = iter(range(1000))

    def many(request: Any) -> Any:
        if not request.tools:
            return answer("So far.")
        return calls(*(("count_features", {"layer_id": f"layer{next(at)}"}) for _ in range(10)))

    bridge = FakeBridge(count_features=lambda _params: success({"count": next(at)}))
    report = Bench(tmp_path).run("count all of them", FakeClient(many), bridge)
    assert len(bridge.requests) == CEILING.tool_calls == 24
    assert (report["termination"], report["state"].reason) == ("budget_exceeded", "tool_calls")
