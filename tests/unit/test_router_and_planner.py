"""The router sorts a request with one word of a small model or by rules; the outer plan splits it by the person's own words."""

from __future__ import annotations

import asyncio

import pytest
from agent_fakes import FakeClient, answer

from qgis_agent.agent.llm.types import ModelError, ToolCall
from qgis_agent.agent.loop.pending import Offer
from qgis_agent.agent.loop.planner import OuterPlan, kind_of, subtasks_of
from qgis_agent.agent.loop.router import ROUTER_TOKENS, by_rules, parse_intent, route
from qgis_agent.agent.loop.runtime_control import RuntimeControl
from qgis_agent.agent.loop.task_modes import Task
from qgis_agent.bridge.envelope import failure, success

PACKS = ("default", "vector", "write")
GOLDEN_1 = "统计这三个街道的学校数量，按每平方公里密度分色，再叠加医院"
GOLDEN_2 = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"


def routed(client: FakeClient | None, text: str) -> object:
    return asyncio.run(route(client, text, PACKS))


def test_without_a_router_the_rules_decide() -> None:
    """Absent router: the same packs as the deterministic inference, no model call."""
    assert routed(None, GOLDEN_1) == by_rules(GOLDEN_1, PACKS)
    assert by_rules("turn on the hospitals", PACKS).packs == ()


def test_the_router_gets_one_word_at_temperature_zero() -> None:
    client = FakeClient(answer("analysis"))
    found = asyncio.run(route(client, "which areas are near the river", PACKS))
    request = client.requests[0]
    assert (found.intent, found.by, "vector" in found.packs) == ("analysis", "model", True)
    assert (request.temperature, request.max_output_tokens, request.role, request.tools) == (
        0.0,
        ROUTER_TOKENS,
        "router",
        [],
    )
    assert "which areas" not in request.messages[0]["content"]


@pytest.mark.parametrize("said", ["", "I think it is analysis", "delete", "ANALYSIS or render", "好的"])
def test_anything_but_one_known_word_is_the_most_careful_kind(said: str) -> None:
    """Unknown is "write": it adds no pack, so nothing becomes possible by a strange answer."""
    assert parse_intent(said) == "write"
    assert asyncio.run(route(FakeClient(answer(said)), "hello", PACKS)).packs == ()


@pytest.mark.parametrize("said", ["Render", " render.\n", "`render`"])
def test_a_word_with_its_punctuation_is_known(said: str) -> None:
    assert parse_intent(said) == "render"


def test_a_router_that_fails_or_hangs_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qgis_agent.agent.loop.router.ROUTER_SECONDS", 0.02)

    async def never(_request: object) -> object:
        await asyncio.sleep(30)

    assert routed(FakeClient(ModelError("auth", "no")), GOLDEN_1) == by_rules(GOLDEN_1, PACKS)
    assert routed(FakeClient(never), GOLDEN_1) == by_rules(GOLDEN_1, PACKS)


@pytest.mark.parametrize("fault", [ValueError("bad"), KeyError("k"), OSError(), RecursionError(), TypeError("sk-key")])
def test_whatever_a_router_raises_the_rules_decide_and_it_is_logged(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of a small helper is no end of the run."""

    def broken(_request: object) -> object:
        raise fault

    assert routed(FakeClient(broken), GOLDEN_1) == by_rules(GOLDEN_1, PACKS)
    assert [each.name.rpartition(".")[2] for each in caplog.records] == ["router"]
    assert "the rules decide" in caplog.text


def test_stopping_the_run_stops_the_router() -> None:
    async def run() -> bool:
        async def never(_request: object) -> object:
            await asyncio.sleep(30)

        task = asyncio.ensure_future(route(FakeClient(never), "x", PACKS))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task], timeout=1)
        return task.cancelled()

    assert asyncio.run(run())


@pytest.mark.parametrize("said", [answer("map"), ModelError("auth", "no")])
def test_the_time_of_the_router_is_told_also_when_it_failed(said: object) -> None:
    ticks = iter((10.0, 12.5))
    found = asyncio.run(route(FakeClient(said), "x", PACKS, clock=lambda: next(ticks)))  # type: ignore[arg-type]
    assert found.seconds == 2.5
    assert by_rules("x", PACKS).seconds == 0.0


def test_the_intent_of_a_router_sets_the_task() -> None:
    """RuntimeControl takes the word where it knows nothing better: a click's task, a short yes to an offer."""
    control = RuntimeControl("which areas are near the river")
    before = control.mode
    control.take_intent("analysis")
    assert (before, control.mode, control.task.visual) == ("general", "data_analysis", True)
    assert control.check(ToolCall("c", "toggle_layer", "{}")) is None  # in doubt the map may be changed
    given = RuntimeControl("x", task=Task("workflow"))
    given.take_intent("map")
    assert given.mode == "workflow"
    offered = RuntimeControl("yes", offer=Offer("Shall I show the schools?"))
    offered.take_intent("analysis")
    assert offered.mode == "general"
    resumed = RuntimeControl("continue", offer=Offer("", "interrupted", None, "统计每个街道的学校数量"))
    resumed.take_intent("render")
    assert resumed.mode == "map_rendering"


def test_both_golden_requests_are_three_steps() -> None:
    assert [each.kind for each in subtasks_of(GOLDEN_1)] == ["analysis", "render", "map"]
    assert [each.kind for each in subtasks_of(GOLDEN_2)] == ["analysis", "analysis", "render"]


@pytest.mark.parametrize(
    "text",
    ["show hospitals", "把学校关掉", "how many schools, please?", "街道按面积分5级设色", "zoom to France and Spain"],
)
def test_a_single_step_has_no_outer_plan(text: str) -> None:
    """A plan for a short command costs more than it gives."""
    assert subtasks_of(text) == ()
    assert OuterPlan(text).lines() == []


def test_at_most_four_subtasks_and_nothing_is_lost() -> None:
    parts = subtasks_of("show a; hide b; count c; buffer d by 5 m; export e")
    assert len(parts) == 4
    assert "export e" in parts[-1].words
    assert kind_of("export e") == "write"


def test_a_success_closes_the_first_open_step_of_its_kind() -> None:
    plan = OuterPlan(GOLDEN_1)
    plan.settled("stat_by_polygon", "create", failure("TIMEOUT", "slow"))
    assert [each.status for each in plan.subtasks] == ["pending"] * 3
    plan.settled("stat_by_polygon", "create", success({}))
    plan.settled("toggle_layer", "view", success({}))
    assert [each.status for each in plan.subtasks] == ["done", "pending", "done"]
    assert "2. open (render)" in plan.lines()[0]


def test_one_reflection_in_a_run_and_only_on_a_wrong_argument() -> None:
    plan = OuterPlan("count")
    assert plan.reflection("count_features", failure("TIMEOUT", "slow")) == ""
    assert plan.reflection("count_features", success({})) == ""
    assert "count_features" in plan.reflection("count_features", failure("INVALID_PARAM", "bad"))
    assert plan.reflection("count_features", failure("NOT_FOUND", "bad")) == ""
