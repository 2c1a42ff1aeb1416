"""Every way in which a run ends, with a model and a QGIS side that are told what to say."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.context.sanitize import sanitize
from qgis_agent.agent.llm.types import LLMResponse, ModelError
from qgis_agent.bridge.envelope import failure, success


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def results(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads(each["content"]) for each in bench.session.messages if each["role"] == "tool"]


def test_text_without_calls_completes(bench: Bench) -> None:
    """The simplest run: one model call, its text is the answer, the person's words are stored unchanged."""
    client = FakeClient(answer("Hello."))
    report = bench.run("  你好 \n", client)
    assert (report["termination"], report["ok"], report["answer"], report["error"]) == (
        "completed",
        True,
        "Hello.",
        None,
    )
    assert len(client.requests) == 1
    assert [each["content"] for each in bench.session.messages] == ["  你好 \n", "Hello."]


def test_calls_are_settled_in_order_and_then_answered(bench: Bench) -> None:
    """Results go back to the model, steps and actions into the report; commentary is reset."""
    action = {"op": "layer", "args": {"layer_id": "hospitals", "visible": True}, "ok": True, "error": None}
    bridge = FakeBridge(
        count_features=success({"count": 25}),
        toggle_layer={
            "envelope": success({"visible": True}),
            "actions": [action],
            "legend": [],
            "evidence": [{"ref": "x"}],
            "ms": 3,
        },
    )
    client = FakeClient(
        calls(
            ("count_features", {"layer_id": "schools"}),
            ("toggle_layer", {"layer_id": "hospitals", "visible": True}),
            text="I look.",
        ),
        answer("25 schools."),
    )
    events = ListEvents()
    report = bench.run("how many schools, and show the hospitals", client, bridge, events=events)
    assert report["ok"]
    assert bridge.names() == ["count_features", "toggle_layer"]
    assert [(each["step"], each["tool"], each["ok"], each["code"]) for each in report["steps"]] == [
        (1, "count_features", True, ""),
        (2, "toggle_layer", True, ""),
    ]
    assert report["map_actions"] == [action]
    assert report["numbers"] == [
        {"text": "25", "value": 25.0, "source": {"step": 1, "tool": "count_features", "path": "data.count"}}
    ]
    assert events.kinds() == [
        "turn_started", "text", "usage", "text_reset", "tool_started", "tool_finished", "tool_started", "tool_finished",
        "turn_started", "text", "usage", "termination",
    ]  # fmt: skip
    assert len({each["call_id"] for each in bridge.requests}) == 2
    assert {each["capability"] for each in bridge.requests} == {"cap"}


def test_ambiguous_ends_awaiting_user_with_buttons(bench: Bench) -> None:
    """Nobody chooses for the person; the rest of the batch is not run; a click sends the request made plain."""
    options = [
        {"label": "金星 (330101)", "layer_id": "districts", "replaces": "金星"},
        {"label": "金星 (330102)", "send": "go to 330102"},
        {"label": "third"},
    ]
    bridge = FakeBridge(resolve_place=failure("AMBIGUOUS", "Two places are called 金星.", options=options))
    client = FakeClient(
        calls(("resolve_place", {"text": "金星"}), ("zoom_to", {"layer_id": "streets"})), answer("never")
    )
    report = bench.run("zoom to 金星", client, bridge)
    assert (report["termination"], report["ok"]) == ("awaiting_user", False)
    assert report["question"] == {
        "text": "Two places are called 金星.",
        "options": [
            {"label": "金星 (330101)", "send": "zoom to 金星 (330101)"},
            {"label": "金星 (330102)", "send": "go to 330102"},
            {"label": "third", "send": "third"},
        ],
    }
    assert bridge.names() == ["resolve_place"]
    assert len(client.requests) == 1
    assert results(bench)[1]["reason"] == "awaiting_user"
    again = bench.run("zoom to 金星 (330101)", FakeClient(answer("Done.")))
    assert again["ok"]


def test_ask_user_ends_awaiting_user(bench: Bench) -> None:
    """The tool ask_user puts its own question."""
    client = FakeClient(calls(("ask_user", {"question": "Which year?", "options": ["2022", "2023"]})))
    report = bench.run("show the schools", client)
    assert report["termination"] == "awaiting_user"
    assert report["question"] == {
        "text": "Which year?",
        "options": [{"label": "2022", "send": "2022"}, {"label": "2023", "send": "2023"}],
    }


def test_a_permission_nobody_answered_ends_awaiting_user(bench: Bench) -> None:
    """X-7: the button sends the request again, which makes a new preview."""
    denied = failure("PERMISSION_DENIED", "The question was not answered.", reason="no_answer")
    client = FakeClient(calls(("prepare_export_layer", {"layer_id": "schools", "path": "a.gpkg"})))
    report = bench.run("export the schools", client, FakeBridge(prepare_export_layer=denied), enabled=("write",))
    assert report["termination"] == "awaiting_user"
    assert [each["send"] for each in report["question"]["options"]] == ["export the schools"]


def test_a_refused_permission_goes_on(bench: Bench) -> None:
    """A plain no is a result: the model says what is not possible."""
    denied = failure("PERMISSION_DENIED", "No.", reason="denied")
    client = FakeClient(calls(("buffer_layer", {"layer_id": "schools", "distance_m": 5})), answer("Not done."))
    report = bench.run("buffer the schools", client, FakeBridge(buffer_layer=denied))
    assert report["termination"] == "completed"
    assert "was not allowed" in client.requests[1].messages[-1]["content"]


def test_three_denials_halt(bench: Bench) -> None:
    """The breaker: different tools, three times no."""
    denied = failure("PERMISSION_DENIED", "No.", reason="denied")
    client = FakeClient(
        calls(("toggle_layer", {"layer_id": "a", "visible": True})),
        calls(("zoom_to", {"layer_id": "a"})),
        calls(("buffer_layer", {"layer_id": "a", "distance_m": 5})),
        answer("never"),
    )
    report = bench.run("buffer", client, FakeBridge(toggle_layer=denied, zoom_to=denied, buffer_layer=denied))
    assert (report["termination"], report["state"].reason) == ("halted", "denials")
    assert report["error"]["code"] == "PERMISSION_DENIED"
    assert len(client.requests) == 3


def test_the_same_call_with_the_same_result_is_nudged_at_3_and_halted_at_5(bench: Bench) -> None:
    """Handles differ from call to call and do not hide a loop."""
    count = 0

    def counted(_params: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        count += 1
        return success({"count": 5, "result_ref": f"query_features:{count:08d}"})

    client = FakeClient(calls(("query_features", {"layer_id": "schools"})))
    report = bench.run("list", client, FakeBridge(query_features=counted))
    assert (report["termination"], report["state"].reason, len(client.requests)) == ("halted", "loop", 5)
    nudged = ["with the same arguments and the same result" in each.messages[-1]["content"] for each in client.requests]
    assert nudged == [False, False, False, True, True]
    assert "query_features" in report["answer"]
    assert "same arguments" not in json.dumps(bench.session.messages, ensure_ascii=False)


def test_paging_is_no_loop(bench: Bench) -> None:
    """Ten pages with growing cursor: no correction, no stop."""
    pages = [calls(("fetch_result", {"result_ref": "query:12345678", "cursor": at * 20})) for at in range(10)]
    bridge = FakeBridge(fetch_result=lambda params: success({"cursor": params["arguments"]["cursor"]}))
    client = FakeClient(*pages, answer("Read."))
    report = bench.run("read all", client, bridge)
    assert report["termination"] == "completed"
    assert not any("Correction" in each.messages[-1]["content"] for each in client.requests)


def test_repeated_failures_force_a_final_turn(bench: Bench) -> None:
    """The same tool fails five times with one code: a tool-free turn, and forced_final."""
    turns = [calls(("describe_layer", {"layer_id": f"l{at}"})) for at in range(5)]
    bridge = FakeBridge(describe_layer=failure("NOT_FOUND", "No such layer.", hint="schools"))
    client = FakeClient(*turns, answer("There is no such layer."))
    report = bench.run("describe", client, bridge)
    assert (report["termination"], report["state"].reason) == ("forced_final", "repeated_failure")
    assert report["answer"] == "There is no such layer."
    assert [bool(each.tools) for each in client.requests] == [True] * 5 + [False]
    assert report["ok"] is False


def test_two_calls_in_turn_force_a_final_turn(bench: Bench) -> None:
    """A, B, A, B, A, B ends after six."""
    turns = [calls(("get_style", {"layer_id": "a" if at % 2 else "b"})) for at in range(8)]
    client = FakeClient(*turns[:6], answer("Enough."))
    report = bench.run("compare", client, FakeBridge(get_style=success({"renderer": "single"})))
    assert (report["termination"], report["state"].reason) == ("forced_final", "alternation")


def test_an_empty_answer_is_nudged_once_and_then_fails(bench: Bench) -> None:
    """The nudge and the empty answers are not in the history."""
    client = FakeClient(answer("  "))
    report = bench.run("hello", client)
    assert (report["termination"], report["error"]["reason"], len(client.requests)) == ("failed", "empty_answer", 3)
    assert "empty" in client.requests[1].messages[-1]["content"]
    assert [each["role"] for each in bench.session.messages] == ["user"]


def test_one_empty_answer_is_forgiven(bench: Bench) -> None:
    """After the nudge the run goes on."""
    report = bench.run("hello", FakeClient(answer(""), answer("Hello.")))
    assert report["termination"] == "completed"


def test_a_filtered_answer_fails(bench: Bench) -> None:
    """content_filter without text is not asked again."""
    client = FakeClient(answer("", "content_filter"))
    report = bench.run("hello", client)
    assert (report["termination"], report["error"]["reason"], len(client.requests)) == ("failed", "filtered_answer", 1)


def test_an_answer_cut_off_by_length_continues_twice(bench: Bench) -> None:
    """The pieces make one answer; the third cut ends the run as forced_final and says so."""
    client = FakeClient(answer("one ", "length"), answer("two ", "length"), answer("three"))
    report = bench.run("tell", client)
    assert (report["termination"], report["answer"]) == ("completed", "one two three")
    assert "Continue exactly" in client.requests[1].messages[-1]["content"]
    cut = bench.run("tell more", FakeClient(answer("x", "length")))
    assert (cut["termination"], cut["state"].reason, cut["state"].model_calls) == ("forced_final", "length", 3)
    assert cut["answer"].startswith("xxx\n\n(The answer was cut off")


def test_calls_of_a_cut_off_answer_never_run(bench: Bench) -> None:
    """Each gets an error result, the loop goes on, the next request is valid; the third time the run is ended."""
    cut = calls(("zoom_to", {"layer_id": "streets"}), ("count_features", '{"layer_id": "sch'), finish_reason="length")
    bridge = FakeBridge()
    client = FakeClient(cut, answer("Done otherwise."))
    report = bench.run("zoom", client, bridge)
    assert (report["termination"], bridge.requests) == ("completed", [])
    assert [each["reason"] for each in results(bench)] == ["truncated_call"] * 2
    history = client.requests[1].messages[1:-1]
    assert sanitize(history)[0] == history
    for call in history[1]["tool_calls"]:
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    again = bench.run("zoom", FakeClient(cut, cut, cut, answer("I could not.")), bridge)
    assert (again["termination"], again["state"].reason, bridge.requests) == ("forced_final", "truncated_calls", [])


def test_a_missing_tool_is_looked_for_again_once(bench: Bench) -> None:
    """ "There is no tool for that" shows all packs and asks again; the reply stays in the history."""
    client = FakeClient(answer("抱歉，没有缓冲相关的工具。"), answer("Still nothing."))
    report = bench.run("make rings around the schools", client)
    names = [{tool["function"]["name"] for tool in each.tools} for each in client.requests]
    assert report["termination"] == "completed"
    assert "buffer_layer" not in names[0]
    assert "buffer_layer" in names[1]
    assert bench.session.messages[1]["content"] == "抱歉，没有缓冲相关的工具。"


def test_stop_during_the_model_and_during_a_tool(bench: Bench) -> None:
    """Cancelling ends as interrupted within moments, the history stays valid, and the next request works."""

    async def forever(_given: Any) -> LLMResponse:
        await asyncio.sleep(60)
        raise AssertionError

    async def stop_after(client: FakeClient, bridge: FakeBridge, ready: Any) -> dict[str, Any]:
        bundle = bench.bundle("zoom", client, bridge)
        task = asyncio.ensure_future(bundle.loop.run(bundle.state))
        while not ready():
            await asyncio.sleep(0.005)
        started = asyncio.get_running_loop().time()
        task.cancel()
        state = await task
        assert asyncio.get_running_loop().time() - started < 0.2
        return {"termination": state.termination, "code": state.error["code"]}

    stalled = FakeClient(forever)
    ended = asyncio.run(stop_after(stalled, FakeBridge(), lambda: stalled.requests))
    assert ended == {"termination": "interrupted", "code": "CANCELLED"}
    slow = FakeBridge(zoom_to=forever)
    ended = asyncio.run(
        stop_after(FakeClient(calls(("zoom_to", {"layer_id": "streets"}))), slow, lambda: slow.requests)
    )
    assert ended["termination"] == "interrupted"
    next_client = FakeClient(answer("Here."))
    assert bench.run("again", next_client)["ok"]
    history = next_client.requests[0].messages[1:-1]
    synthetic = [json.loads(each["content"]) for each in history if each["role"] == "tool"]
    assert [each["message"] for each in synthetic] == ["interrupted; outcome unknown"]


def test_a_script_that_fails_is_not_replaced(bench: Bench) -> None:
    """Only a real model is stood in for by the offline commands."""
    error = ModelError("bad_answer", "The script has 0 turns.", hint="Add it.")
    report = bench.run("x", FakeClient(error), offline=lambda: FakeClient(answer("offline")))
    assert (report["termination"], report["error"]["code"], report["error"]["hint"]) == (
        "failed",
        "UPSTREAM_ERROR",
        "Add it.",
    )


@pytest.mark.parametrize(
    ("kind", "code"),
    [("rate_limit", "RATE_LIMITED"), ("timeout", "TIMEOUT"), ("auth", "UPSTREAM_ERROR"), ("quota", "UPSTREAM_ERROR")],
)
def test_a_model_error_becomes_an_envelope(bench: Bench, kind: Any, code: str) -> None:
    """Code from the kind, message and hint as they are."""
    report = bench.run("x", FakeClient(ModelError(kind, "m", hint="h"), kind="model"))
    assert (report["termination"], report["ok"]) == ("failed", False)
    assert (report["error"]["code"], report["error"]["message"], report["error"]["hint"]) == (code, "m", "h")


def test_offline_commands_stand_in_for_a_model_that_is_not_there(bench: Bench) -> None:
    """With a notice, before any tool call was made."""
    stand_in = FakeClient(
        calls(("toggle_layer", {"layer_id": "schools", "visible": False})), answer("Switched off."), kind="offline"
    )
    events = ListEvents()
    error = ModelError("transient", "The server cannot be reached.")
    report = bench.run("turn off schools", FakeClient(error, kind="model"), offline=lambda: stand_in, events=events)
    assert (report["termination"], report["answer"]) == ("completed", "Switched off.")
    assert [fields["level"] for kind, fields in events.seen if kind == "notice"] == ["warning"]


def test_offline_that_does_not_understand_leaves_the_models_error(bench: Bench) -> None:
    """The person learns why the model failed."""
    stand_in = FakeClient(answer("I do not understand.", "not_understood"), kind="offline")
    report = bench.run(
        "write a poem", FakeClient(ModelError("auth", "Wrong key."), kind="model"), offline=lambda: stand_in
    )
    assert (report["termination"], report["error"]["message"], report["answer"]) == ("failed", "Wrong key.", "")


def test_no_stand_in_after_a_tool_call(bench: Bench) -> None:
    """What was begun is not begun a second time by other means."""
    client = FakeClient(calls(("zoom_to", {"layer_id": "streets"})), ModelError("timeout", "Slow."), kind="model")
    stand_in = FakeClient(answer("offline"), kind="offline")
    report = bench.run("zoom to the streets and describe them", client, offline=lambda: stand_in)
    assert (report["termination"], report["error"]["code"], stand_in.requests) == ("failed", "TIMEOUT", [])
    assert [each["tool"] for each in report["steps"]] == ["zoom_to"]


@pytest.mark.parametrize("finish", ["not_understood", "tool_failed"])
def test_offline_commands_that_fail_are_no_success(bench: Bench, finish: str) -> None:
    """Their text is shown, and the run has failed with an envelope."""
    wrong = failure("NOT_FOUND", "No layer.", hint="schools")
    client = FakeClient(
        calls(("describe_layer", {"layer_id": "x"})), answer("That did not work.", finish), kind="offline"
    )
    report = bench.run("describe x", client, FakeBridge(describe_layer=wrong))
    assert (report["termination"], report["ok"], report["answer"]) == ("failed", False, "That did not work.")
    assert report["error"]["code"] == ("NOT_FOUND" if finish == "tool_failed" else "UNSUPPORTED")
    assert (report["usage"]["source"], report["usage"]["input_tokens"]) == ("none", 0)


def test_examples_of_not_understood_are_no_claims(bench: Bench) -> None:
    """ "For example: buffer schools 500 m" says nothing of the map, so no number of it is marked."""
    client = FakeClient(
        answer("I did not understand. For example: buffer schools 500 m", "not_understood"), kind="offline"
    )
    assert bench.run("poem", client)["numbers"] == []


def test_legend_of_a_layer_is_the_last_one(bench: Bench) -> None:
    """Styling a layer twice leaves one legend."""

    def styled(params: dict[str, Any]) -> dict[str, Any]:
        field = params["arguments"]["field"]
        return {
            "envelope": success({}),
            "legend": [{"label": field, "color": "#000000", "layer_id": "streets"}],
            "actions": [],
            "evidence": [],
        }

    rule = {"layer_id": "streets", "method": "graduated"}
    client = FakeClient(
        calls(("set_render_rule", {**rule, "field": "a"}), ("set_render_rule", {**rule, "field": "b"})), answer("Ok.")
    )
    report = bench.run("colour", client, FakeBridge(set_render_rule=styled))
    assert [each["label"] for each in report["legend"]] == ["b"]


def test_legend_of_a_style_put_back_is_gone(bench: Bench) -> None:
    """What is no longer on the map is not listed; another layer's classes stay."""

    def styled(params: dict[str, Any]) -> dict[str, Any]:
        alias = params["arguments"]["layer_id"]
        legend = [{"label": alias, "color": "#000000", "layer_id": alias}]
        action = {"op": "render", "args": {"layer_id": alias}, "ok": True, "error": None}
        return {"envelope": success({}), "legend": legend, "actions": [action], "evidence": []}

    def reverted(params: dict[str, Any]) -> dict[str, Any]:
        args = {"layer_id": params["arguments"]["layer_id"], "reverted": ["style-1"]}
        action = {"op": "render", "args": args, "ok": True, "error": None}
        return {"envelope": success({}), "legend": [], "actions": [action], "evidence": []}

    rule = {"method": "graduated", "field": "a"}
    client = FakeClient(
        calls(
            ("set_render_rule", {**rule, "layer_id": "streets"}),
            ("set_render_rule", {**rule, "layer_id": "schools"}),
            ("revert_style", {"layer_id": "streets"}),
        ),
        answer("Ok."),
    )
    report = bench.run(
        "colour, then revert the style of streets", client, FakeBridge(set_render_rule=styled, revert_style=reverted)
    )
    assert [each["label"] for each in report["legend"]] == ["schools"]
