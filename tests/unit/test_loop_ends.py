"""Every way in which a run ends, and every turn that is no answer, each produced here."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.governance.plan import Plan, PlanGate
from qgis_agent.agent.governance.profile import PROFILES, Budget
from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.llm.types import LLMResponse, ModelError, OverBudget, ProviderRequest, Usage
from qgis_agent.agent.loop.state import RUNNING
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.messages import TERMINATIONS

BUILD = PROFILES["gis-build"]


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def query(at: int) -> Any:
    return ("query_features", {"layer_id": "schools", "limit": at + 1})


async def never(_request: ProviderRequest) -> Any:
    await asyncio.sleep(30)


def rows(params: dict[str, Any]) -> Any:
    return success({"limit": params["arguments"]["limit"]})


def stopped(bench: Bench) -> dict[str, Any]:
    bundle = bench.bundle("list", FakeClient(never), FakeBridge())

    async def whole() -> None:
        task = asyncio.ensure_future(bundle.run())
        await asyncio.sleep(0.02)
        assert bundle.state.termination == RUNNING  # the eighth kind: while it goes on
        task.cancel()
        await task

    asyncio.run(whole())
    return {"termination": bundle.state.termination, "state": bundle.state, "ok": False}


DENIED = failure("PERMISSION_DENIED", "The person said no.")
ENDS: dict[str, tuple[str, Any]] = {
    "completed": ("answered", lambda bench: bench.run("hello", FakeClient(answer("Hello.")))),
    "interrupted": ("stopped", stopped),
    "forced_final": (
        "truncated_calls",
        lambda bench: bench.run(
            "list", FakeClient(*[calls(query(1), finish_reason="length")] * 3, answer("Not done."))
        ),
    ),
    "failed": ("auth", lambda bench: bench.run("list", FakeClient(ModelError("auth", "Wrong key."), kind="model"))),
    "budget_exceeded": (
        "model_calls",
        lambda bench: bench.run(
            "list",
            FakeClient(calls(query(1)), answer("Done: 1. Not done: 2.")),
            FakeBridge(query_features=rows),
            profile=replace(BUILD, budget=Budget(model_calls=1)),
        ),
    ),
    "halted": (
        "denials",
        lambda bench: bench.run(
            "list", FakeClient(calls(query(1), query(2), query(3)), answer("never")), FakeBridge(query_features=DENIED)
        ),
    ),
    "awaiting_user": (
        "question",
        lambda bench: bench.run(
            "zoom", FakeClient(calls(("ask_user", {"question": "Which one?", "options": ["A", "B"]})))
        ),
    ),
}


@pytest.mark.parametrize("kind", sorted(ENDS))
def test_each_termination_is_produced_and_said(bench: Bench, kind: str) -> None:
    reason, produce = ENDS[kind]
    report = produce(bench)
    assert (report["termination"], report["state"].reason) == (kind, reason)
    assert report["ok"] is (kind == "completed")


def test_the_table_has_every_kind() -> None:
    assert set(ENDS) | {RUNNING} == set(TERMINATIONS) | {RUNNING}


def test_the_last_event_of_a_run_is_its_termination(bench: Bench) -> None:
    events = ListEvents()
    bench.run("hello", FakeClient(answer("Hello.")), events=events)
    assert events.seen[-1] == ("termination", {"kind": "completed", "reason": "answered"})


# what is no answer


def test_unreadable_markup_is_asked_for_once_more_and_never_kept(bench: Bench) -> None:
    unreadable = LLMResponse("Let me see.", unreadable_markup=True)
    client = FakeClient(unreadable, answer("Hello."))
    report = bench.run("hello", client)
    assert (report["termination"], report["answer"]) == ("completed", "Hello.")
    assert "could not be read" in client.requests[1].messages[-1]["content"]
    assert "Let me see." not in str(client.requests[1].messages)
    twice = bench.run("hello", FakeClient(unreadable, unreadable, answer("I could not.")))
    assert (twice["termination"], twice["state"].reason, twice["ok"]) == ("forced_final", "unreadable_calls", False)


def test_an_announcement_goes_on_and_the_third_ends_the_run(bench: Bench) -> None:
    will = answer("I will now count the schools.")
    client = FakeClient(will, calls(("count_features", {"layer_id": "schools"})), answer("There are 25 schools."))
    report = bench.run("how many schools", client, FakeBridge(count_features=success({"count": 25})))
    assert (report["termination"], report["answer"]) == ("completed", "There are 25 schools.")
    other = bench.run("how many schools", FakeClient(will, will, will, answer("Nothing was done.")))
    assert (other["termination"], other["state"].reason) == ("forced_final", "monologue")


def test_a_single_confirmed_step_ends_without_another_model_call(bench: Bench) -> None:
    """X-5: the local text names the layer and carries the tool's own words; an offline client speaks for itself."""
    shown = {
        "envelope": success({"layer_id": "hospitals", "visible": True}, "The layer is shown."),
        "actions": [{"op": "layer", "args": {"layer_id": "hospitals"}, "ok": True, "error": ""}],
    }
    client = FakeClient(calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})), answer("never"))
    report = bench.run("显示医院", client, FakeBridge(toggle_layer=shown))
    assert (report["termination"], report["state"].reason, len(client.requests)) == ("completed", "auto_final", 1)
    assert "医院" in report["answer"]
    assert "The layer is shown." in report["answer"]
    assert report["usage"]["model_calls"] == 1
    failed = {**shown, "actions": [{**shown["actions"][0], "ok": False, "error": "gone"}]}
    second = FakeClient(calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})), answer("It did not work."))
    assert bench.run("显示医院", second, FakeBridge(toggle_layer=failed))["answer"] == "It did not work."


def test_a_request_with_more_steps_is_not_closed_by_the_first(bench: Bench) -> None:
    client = FakeClient(
        calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})),
        calls(("zoom_to", {"layer_id": "hospitals"})),
        answer("Shown and zoomed."),
    )
    report = bench.run("显示医院，然后放大到医院", client)
    assert (report["answer"], len(client.requests)) == ("Shown and zoomed.", 3)


# room


def overflow_once() -> Any:
    seen: list[ProviderRequest] = []

    def turn(request: ProviderRequest) -> Any:
        if request.tools == [] and request.max_output_tokens == 1200:
            return answer("## Goal\n- summary")
        seen.append(request)
        return ModelError("context_overflow", "Too long.") if len(seen) == 1 else answer("Done.")

    return turn


def test_a_refused_request_is_compacted_once_and_sent_again(bench: Bench) -> None:
    big = success({"rows": [{"name": "x" * 300} for _ in range(10)]})
    for at in range(12):
        bench.run(
            f"request {at}",
            FakeClient(calls(*[query(n) for n in range(4)]), answer("ok")),
            FakeBridge(query_features=big),
        )
    events = ListEvents()
    report = bench.run("and now", FakeClient(overflow_once(), kind="model"), events=events)
    assert (report["termination"], report["answer"]) == ("completed", "Done.")
    assert [fields["reason"] for kind, fields in events.seen if kind == "compaction"] == ["overflow"]
    assert report["bundle"].context.prefix_events == ["compaction"]


def test_a_request_that_stays_too_long_is_a_clear_error(bench: Bench) -> None:
    """Nothing can be freed: one try, then the model's error with what to do."""
    client = FakeClient(ModelError("context_overflow", "Too long.", hint="Ask for less."), kind="model")
    report = bench.run("hello", client)
    assert (report["termination"], report["state"].reason) == ("failed", "context_overflow")
    assert len(client.requests) == 1
    assert report["error"]["hint"]


# roles and plans


def test_a_router_shows_a_pack_before_the_first_request(bench: Bench) -> None:
    """One word, counted as tokens and not as a turn; the first request has the pack, and its prefix does not change."""
    roles = RoleClients(
        {"planner": FakeClient(), "router": FakeClient(answer("analysis", usage=Usage(50, 1, 0, "provider")))}
    )
    client = FakeClient(answer("Here."))
    report = bench.run("which areas are near", client, options=RunOptions(roles=roles))
    assert "buffer_layer" in {tool["function"]["name"] for tool in client.requests[0].tools}
    assert report["usage"]["model_calls"] == 1
    assert report["usage"]["input_tokens"] > 50


def plan_gate(*steps: tuple[str, str]) -> PlanGate:
    plan = Plan.from_steps([{"title": f"step {tool}", "tool": tool, "target": target} for tool, target in steps])
    return PlanGate(plan.hash, plan)


def test_an_approved_plan_is_carried_out_and_a_deviation_asks(bench: Bench) -> None:
    gate = plan_gate(("zoom_to", "streets"), ("toggle_layer", "schools"))
    client = FakeClient(
        calls(("zoom_to", {"layer_id": "streets"}), ("count_features", {"layer_id": "hospitals"})),
        calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})),
        answer("never"),
    )
    bridge = FakeBridge()
    report = bench.run("apply it", client, bridge, options=RunOptions(gate=gate))
    assert (report["termination"], bridge.names()) == ("awaiting_user", ["zoom_to", "count_features"])
    assert "hospitals" in report["question"]["text"]
    assert len(report["question"]["options"]) == 2
    assert "1. zoom_to streets" in client.requests[0].messages[-1]["content"]


def test_a_plan_follows_what_its_steps_make_and_counts_first(bench: Bench) -> None:
    """ "$1" is the layer that step 1 made; a step for at most 3 features is asked about when there are 25."""
    steps = [
        {"title": "Buffer", "tool": "buffer_layer", "target": "schools"},
        {"title": "Colour", "tool": "set_render_rule", "target": "$1"},
        {"title": "Show", "tool": "toggle_layer", "target": "hospitals", "features": 3},
    ]
    plan = Plan.from_steps(steps)
    bridge = FakeBridge(buffer_layer=success({"layer_id": "ring"}), count_features=success({"count": 25}))
    client = FakeClient(
        calls(("buffer_layer", {"layer_id": "schools", "distance_m": 5})),
        calls(("set_render_rule", {"layer_id": "ring", "method": "single"})),
        calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})),
        answer("never"),
    )
    report = bench.run(
        "apply the plan: buffer and colour", client, bridge, options=RunOptions(gate=PlanGate(plan.hash, plan))
    )
    assert bridge.names() == ["buffer_layer", "set_render_rule", "count_features"]
    assert report["termination"] == "awaiting_user"
    assert "25" in report["question"]["text"]


def test_plan_mode_makes_a_plan_and_changes_nothing(bench: Bench) -> None:
    steps = [{"title": "Zoom in", "tool": "zoom_to", "target": "streets"}]
    client = FakeClient(
        calls(("zoom_to", {"layer_id": "streets"})), calls(("update_plan", {"steps": steps})), answer("One step.")
    )
    bridge, events = FakeBridge(), ListEvents()
    report = bench.run("plan to zoom to the streets", client, bridge, profile=PROFILES["gis-plan"], events=events)
    assert (report["termination"], bridge.names()) == ("completed", [])
    assert [each["code"] for each in report["steps"]] == ["FORBIDDEN", ""]
    plan = next(fields for kind, fields in events.seen if kind == "plan")
    assert [each["tool"] for each in plan["steps"]] == ["zoom_to"]
    assert report["bundle"].desk.plan.hash == plan["hash"]
    names = {tool["function"]["name"] for tool in client.requests[0].tools}
    assert "update_plan" in names
    assert "zoom_to" not in names
    wrong = FakeClient(calls(("update_plan", {"steps": [{"title": "x", "tool": "no_such_tool"}]})), answer("ok"))
    assert bench.run("plan", wrong, profile=PROFILES["gis-plan"])["steps"][0]["code"] == "INVALID_PARAM"


# notes, reflection, choices


def test_one_reflection_after_a_wrong_argument(bench: Bench) -> None:
    bridge = FakeBridge(count_features=failure("NOT_FOUND", "no layer 'school'", hint="Did you mean 'schools'?"))
    client = FakeClient(
        calls(("count_features", {"layer_id": "school"})),
        calls(("count_features", {"layer_id": "scholl"})),
        answer("No."),
    )
    bench.run("how many schools", client, bridge)
    tails = [each.messages[-1]["content"] for each in client.requests]
    assert ["find out which argument was wrong" in each for each in tails] == [False, True, False]


def test_a_failed_run_offers_what_the_tool_named(bench: Bench) -> None:
    """Degrading is not failing: buttons made of the tool's options, each sends the request made plain."""
    missing = failure("NOT_FOUND", "No layer 'scools'.", hint="Did you mean 'schools'?", reason="layer")
    client = FakeClient(
        calls(("count_features", {"layer_id": "scools"})), ModelError("auth", "Wrong key."), kind="model"
    )
    events = ListEvents()
    report = bench.run("how many scools", client, FakeBridge(count_features=missing), events=events)
    assert report["termination"] == "failed"
    assert report["question"]["options"] == [{"label": "schools", "send": "how many schools"}]
    assert "options" in events.kinds()


def test_a_short_yes_goes_on_with_what_was_offered(bench: Bench) -> None:
    bench.run("how many schools", FakeClient(answer("There are 25. Shall I show the hospitals as well?")))
    client = FakeClient(calls(("toggle_layer", {"layer_id": "hospitals", "visible": True})), answer("Shown."))
    report = bench.run("好的", client)
    tail = client.requests[0].messages[-1]["content"]
    assert "The person agrees" in tail
    assert "Shall I show the hospitals as well?" in tail
    assert report["ok"]
    restarted = FakeClient(answer("Yes."))
    bench.run("how many schools", FakeClient(answer("25. Shall I show the hospitals as well?")))
    Bench(bench.folder).run("ok", restarted)
    assert "The person agrees" in restarted.requests[0].messages[-1]["content"]


def test_a_call_in_text_of_a_hidden_tool_shows_its_pack(bench: Bench) -> None:
    """The model wrote a call of a tool that it does not see: the pack is shown, the text is not kept as an answer."""
    written = LLMResponse("<tool_call>…</tool_call>", unknown_tools=("buffer_layer",))
    client = FakeClient(written, answer("There."))
    report = bench.run("rings", client)
    assert report["answer"] == "There."
    assert "buffer_layer" in {tool["function"]["name"] for tool in client.requests[1].tools}
    assert "<tool_call>" not in str(client.requests[1].messages)
    other = bench.run("rings", FakeClient(LLMResponse("Use <tool_call>.", unknown_tools=("no_such_tool",))))
    assert other["answer"] == "Use <tool_call>."


def test_a_budget_of_the_persons_own_ends_a_run_with_what_was_done(bench: Bench) -> None:
    client = FakeClient(calls(query(1)), OverBudget("cost", "Reached."), kind="model")
    report = bench.run("list", client, FakeBridge(query_features=rows))
    assert (report["termination"], report["state"].reason) == ("budget_exceeded", "cost")
    assert "query_features schools" in report["answer"]


def test_the_usage_event_says_what_a_call_cost(bench: Bench) -> None:
    events = ListEvents()
    report = bench.run(
        "hello", FakeClient(answer("Hi.", usage=Usage(10, 2, 0, "provider")), kind="model"), events=events
    )
    assert [fields["cost"] for kind, fields in events.seen if kind == "usage"] == ["unknown"]
    assert report["usage"]["cost"] == "unknown"
    script = ListEvents()
    bench.run("hello", FakeClient(answer("Hi.")), events=script)
    assert [fields["cost"] for kind, fields in script.seen if kind == "usage"] == [""]
