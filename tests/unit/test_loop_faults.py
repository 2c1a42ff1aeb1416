"""What goes wrong in the middle of a run leaves nothing half done: history, record and events end as they should."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls
from protocol_check import problem_of

from qgis_agent.agent.execution.result_cache import ResultCache
from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.governance.profile import PROFILES, Budget
from qgis_agent.agent.llm.types import LLMResponse, ModelError
from qgis_agent.agent.loop.agent_loop import AgentLoop
from qgis_agent.bridge.envelope import failure, success

BUILD = PROFILES["gis-build"]
COUNT = ("count_features", {"layer_id": "schools"})


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def whole(bench: Bench) -> None:
    """The history is valid, and a restart reads it as it is."""
    assert problem_of(bench.session.messages) is None
    assert Bench(bench.folder, session_id=bench.session_id).session.messages == bench.session.messages


def ended(events: ListEvents) -> None:
    """Every call that was said to begin was said to end, and the run's end is the last word."""
    begun = [fields["call_id"] for kind, fields in events.seen if kind == "tool_started"]
    over = [fields["call_id"] for kind, fields in events.seen if kind == "tool_finished"]
    assert sorted(begun) == sorted(over)
    assert events.kinds()[-1] == "termination"


def explode(_params: Any) -> Any:
    raise RuntimeError("a fault with canary-secret")


def test_a_fault_in_one_call_is_its_result_and_the_others_go_on(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    client = FakeClient(
        calls(COUNT, ("describe_layer", {"layer_id": "a"}), ("query_features", {"layer_id": "a"})), answer("ok")
    )
    events = ListEvents()
    bridge = FakeBridge(describe_layer=explode, count_features=success({"count": 1}))
    report = bench.run("look", client, bridge, events=events)
    assert (report["termination"], [each["code"] for each in report["steps"]]) == (
        "completed",
        ["", "UPSTREAM_ERROR", ""],
    )
    ended(events)
    whole(bench)
    assert "RuntimeError" in caplog.text
    assert "canary-secret" not in caplog.text


@pytest.mark.parametrize(
    "outcome",
    [{"envelope": {"ok": True, "data": float("nan"), "message": ""}}, {"envelope": "no"}, {"envelope": success({}), "question": "abc"}, {}],
    ids=["nan", "no envelope", "question is a text", "nothing"],
)  # fmt: skip
def test_nonsense_from_a_tool_harms_nothing(bench: Bench, outcome: dict[str, Any]) -> None:
    events = ListEvents()
    bridge = FakeBridge(count_features=lambda _params: {"envelope": None, **outcome})
    report = bench.run("count", FakeClient(calls(COUNT), answer("ok")), bridge, events=events)
    assert report["termination"] == "completed"
    ended(events)
    whole(bench)


def test_a_fault_of_the_loop_itself_is_a_failed_run_with_its_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    events = ListEvents()
    bundle = bench.bundle("count", FakeClient(calls(COUNT), answer("ok")), FakeBridge(), events=events)

    async def broken(*_args: Any) -> None:
        raise RuntimeError("x")

    monkeypatch.setattr(AgentLoop, "_after", broken)
    with pytest.raises(RuntimeError):
        asyncio.run(bundle.run())
    assert (bundle.state.termination, bundle.state.reason) == ("failed", "internal")
    assert "count_features schools" in bundle.state.answer  # what was done is said
    ended(events)
    assert problem_of(bench.session.messages) is None


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 13, 21])
def test_a_stop_at_any_moment_ends_every_call_that_began(bench: Bench, turns: int) -> None:
    async def slow(params: dict[str, Any]) -> Any:
        for _ in range(3):
            await asyncio.sleep(0)
        return success({"n": params["arguments"].get("limit", 0)})

    wanted = [("query_features", {"layer_id": "a", "limit": at + 1}) for at in range(3)]
    client = FakeClient(calls(*wanted), calls(("zoom_to", {"layer_id": "a"}), COUNT), answer("ok"))
    events = ListEvents()
    bundle = bench.bundle("look and zoom", client, FakeBridge(query_features=slow, zoom_to=slow), events=events)

    async def stopped() -> None:
        task = asyncio.ensure_future(bundle.run())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(stopped())
    if "turn_started" in events.kinds():
        ended(events)
        whole(bench)


# the pack, the taint, the rule


def test_a_hidden_tool_does_not_run_because_a_read_stands_before_it(bench: Bench) -> None:
    """It is shown, and the model has to read its parameters first."""
    bridge = FakeBridge()
    report = bench.run(
        "rings", FakeClient(calls(COUNT, ("buffer_layer", {"layer_id": "a", "distance_m": 5})), answer("x")), bridge
    )
    assert bridge.names() == ["count_features"]
    assert report["steps"][1]["code"] == "FORBIDDEN"


def export(bench: Bench, bridge: FakeBridge, *before: Any, **options: Any) -> str:
    """Why QGIS is told to ask for an export that nobody wanted."""
    wanted = ("prepare_export_layer", {"layer_id": "schools", "path": "x.gpkg"})
    turns = [calls(each) for each in before]
    bench.run("look around", FakeClient(*turns, calls(wanted), answer("ok")), bridge, enabled=("write",), **options)
    reasons = [each["ask_reason"] for each in bridge.requests if each["name"] == "prepare_export_layer"]
    return str(reasons[-1])


def test_text_of_others_taints_also_from_the_cache_and_in_later_runs(bench: Bench) -> None:
    bridge, cache = FakeBridge(count_features=success({"count": 1})), ResultCache()
    bridge.revision = "1"
    assert export(bench, bridge, options=RunOptions(cache=cache)) != "tainted"
    assert export(bench, bridge, COUNT, options=RunOptions(cache=cache)) == "tainted"
    reader = Bench(bench.folder, session_id="s-3")
    reader.run("count", FakeClient(calls(COUNT), answer("1")), bridge, options=RunOptions(cache=cache))
    other = Bench(bench.folder, session_id="s-2")
    assert export(other, bridge, COUNT, options=RunOptions(cache=cache)) == "tainted"
    assert cache.hits == 1
    assert export(other, bridge) == "tainted"  # the history holds what was read


def test_a_tool_of_this_process_that_has_to_be_asked_for_does_not_run(bench: Bench) -> None:
    profile = replace(BUILD, metadata={"permissions": {"search_layers": "ask"}})
    report = bench.run("find", FakeClient(calls(("search_layers", {"query": "x"})), answer("ok")), profile=profile)
    assert report["steps"][0]["code"] == "FORBIDDEN"


# texts


def test_an_answer_that_was_cut_off_before_calls_is_no_part_of_the_final_one(bench: Bench) -> None:
    client = FakeClient(answer("There are a lot of sch", "length"), calls(COUNT), answer("There are 5 schools."))
    report = bench.run("how many schools", client, FakeBridge(count_features=success({"count": 5})))
    assert report["answer"] == "There are 5 schools."


def test_a_withheld_answer_is_not_a_complete_one(bench: Bench) -> None:
    report = bench.run("tell me", FakeClient(answer("The first half of", "content_filter")))
    assert (report["termination"], report["state"].reason, report["ok"]) == ("failed", "filtered_answer", False)
    assert report["answer"].startswith("The first half of")


def test_a_model_that_fails_after_a_change_says_what_was_done(bench: Bench) -> None:
    client = FakeClient(
        calls(("toggle_layer", {"layer_id": "schools", "visible": False})),
        ModelError("transient", "Broke off."),
        kind="model",
    )
    report = bench.run("hide the schools and tell me why", client)
    assert (report["termination"], report["state"].reason) == ("failed", "transient")
    assert "toggle_layer schools" in report["answer"]
    assert bench.session.messages[-1]["content"] == report["answer"]


def test_a_correction_that_nobody_read_is_said_again(bench: Bench) -> None:
    client = FakeClient(answer(""), ModelError("context_overflow", "Too long."), answer("Here."), kind="model")
    bench.run("hello", client)
    tails = ["Your last answer was empty" in each.messages[-1]["content"] for each in client.requests if each.tools]
    assert tails[-1] is True


def test_continue_twice_still_knows_the_request(bench: Bench) -> None:
    """The second ceiling is about the first request, also after a restart."""
    profile = replace(BUILD, budget=Budget(model_calls=1))

    def again(text: str, where: Bench) -> FakeClient:
        client = FakeClient(calls(COUNT), answer("Not done yet."))
        where.run(text, client, FakeBridge(count_features=success({"count": 1})), profile=profile)
        return client

    again("colour the streets by density", bench)
    again("继续", bench)
    assert bench.session.last_end["request"] == "colour the streets by density"
    client = again("continue", Bench(bench.folder))
    assert "colour the streets by density" in client.requests[0].messages[-1]["content"]


def test_an_ambiguous_name_without_words_gets_buttons_and_a_sentence(bench: Bench) -> None:
    envelope = failure("AMBIGUOUS", "", options=[{"label": "a"}, {"label": "b"}])
    report = bench.run("zoom", FakeClient(calls(("resolve_place", {"text": "x"}))), FakeBridge(resolve_place=envelope))
    assert [each["label"] for each in report["question"]["options"]] == ["a", "b"]
    assert report["question"]["text"]
    assert problem_of(bench.session.messages) is None


# sub-agents


def test_a_childs_calls_have_ids_of_their_own_on_the_bridge(bench: Bench) -> None:
    """Providers repeat ids (and ours start anew): QGIS keeps outcomes by run and call, and must never mix two up."""
    bench.session.shown_packs.add("subagent")
    child = [calls(COUNT), answer("ok")]
    parent = [
        calls(("toggle_layer", {"layer_id": "a", "visible": True})),
        calls(("run_subagent", {"task": "t"})),
        answer("x"),
    ]
    client = FakeClient(lambda request: (child if request.user_text == "t" else parent).pop(0))
    bridge = FakeBridge(count_features=success({"count": 1}))
    bench.run("show it and look at all", client, bridge)
    ids = [each["call_id"] for each in bridge.requests]
    assert bridge.names() == ["toggle_layer", "count_features"]
    assert len(set(ids)) == len(ids)


def test_a_child_keeps_to_every_ceiling_that_is_left(bench: Bench) -> None:
    bench.session.shown_packs.add("subagent")
    looks: list[LLMResponse] = [
        calls(("describe_layer", {"layer_id": f"l{at}"}), ("get_style", {"layer_id": "a"})) for at in range(3)
    ]
    child: list[Any] = [*looks, answer("x"), answer("y")]
    parent = [calls(("run_subagent", {"task": "t"})), answer("done")]
    client = FakeClient(lambda request: (child if request.user_text == "t" else parent).pop(0))
    profile = replace(BUILD, budget=Budget(plain_calls=3))
    bridge = FakeBridge()
    report = bench.run("look", client, bridge, profile=profile)
    assert len(bridge.requests) <= 2  # one of three is the sub-agent's own
    content = [each for each in bench.session.messages if each["role"] == "tool"][-1]["content"]
    assert json.loads(content)["data"]["termination"] == "budget_exceeded"
    assert report["usage"]["tool_calls"] <= 3
