"""AT10: a scripted model for each pattern stops at the declared count with a reason of its own; paging is never stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.llm.types import ToolCall
from qgis_agent.agent.loop import patterns
from qgis_agent.agent.loop.patterns import PatternWatch, result_hash, seen
from qgis_agent.agent.loop.phrases import announces_only
from qgis_agent.agent.loop.runtime_control import ControlDecision, RuntimeControl
from qgis_agent.agent.texts import reason_text
from qgis_agent.bridge.envelope import failure, success

EFFECTS = {"query_features": "read", "get_style": "read", "toggle_layer": "view", "add_vector_layer": "create"}
Step = tuple[str, dict[str, Any], dict[str, Any]]


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def drive(control: RuntimeControl, steps: list[Step]) -> tuple[list[list[str]], int, ControlDecision]:
    """A model that calls one tool a turn: the corrections before each turn, the step at which it ended, the decision."""
    said = []
    for at, (tool, arguments, envelope) in enumerate(steps, 1):
        said.append(control.take_corrections())
        decision = control.observe(tool, arguments, envelope)
        if decision.halt or decision.force_final:
            return said, at, decision
    said.append(control.take_corrections())
    return said, 0, ControlDecision()


def layer_step(at: int) -> Step:
    """Adding and removing layers in turn; every call and every result differs."""
    if at % 2:
        return "prepare_remove_layer", {"layer_id": f"l{at}"}, success({"removed": at})
    return "add_vector_layer", {"path": f"{at}.gpkg"}, success({"layer_id": f"l{at + 1}"})


def test_at10_the_declared_counts_are_those_of_the_reference() -> None:
    """T10: 3 and 5, 6, 3; map churn in eight steps; four corrections."""
    assert (patterns.NUDGE_AT, patterns.HALT_AT, patterns.ALTERNATION, patterns.MONOLOGUE) == (3, 5, 6, 3)
    assert (patterns.CHURN_WINDOW, patterns.CHURN_EACH, patterns.CHURN_HITS, patterns.MAX_DEVIATIONS) == (8, 2, 3, 4)


def test_at10_reasons_are_distinct_and_said_in_two_languages() -> None:
    """No two patterns end a run for the same reason, and each is a sentence for the person."""
    reasons = [
        patterns.LOOP, patterns.REPEATED_FAILURE, patterns.ALTERNATES, patterns.MAP_CHURN, patterns.MONOLOGUE_END, patterns.DEVIATION,
        patterns.DENIED, patterns.WORKER_RUNNING, patterns.ANALYSIS_READY,
    ]  # fmt: skip
    assert len(set(reasons)) == len(reasons)
    said = {reason_text(each, language) for each in reasons for language in ("en", "zh")}
    assert len(said) == 2 * len(reasons)
    assert not said & set(reasons)  # an unknown reason is said as it is


def test_at10_same_call_same_result_halts_at_five(bench: Bench) -> None:
    """Nudged at three, warned at four, halted at five; handles in the results do not hide it."""
    count = 0

    def counted(_params: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        count += 1
        return success({"count": 5, "result_ref": f"query_features:{count:08d}", "ms": count})

    client = FakeClient(calls(("query_features", {"layer_id": "schools"})))
    report = bench.run("list", client, FakeBridge(query_features=counted))
    assert (report["termination"], report["state"].reason, count) == ("halted", "loop", 5)
    tails = [each.messages[-1]["content"] for each in client.requests]
    assert ["same result" in each for each in tails] == [False, False, False, True, True]
    assert ["last warning" in each for each in tails] == [False, False, False, False, True]


def test_at10_same_error_ends_at_five_and_the_nudge_names_it(bench: Bench) -> None:
    """At three the model is told the code and the hint; at five there is a tool-free turn."""
    turns = [calls(("describe_layer", {"layer_id": f"l{at}"})) for at in range(6)]
    bridge = FakeBridge(describe_layer=failure("NOT_FOUND", "No such layer.", hint="Did you mean 'schools'?"))
    client = FakeClient(*turns[:5], answer("There is no such layer."))
    report = bench.run("describe", client, bridge)
    assert (report["termination"], report["state"].reason, len(bridge.requests)) == (
        "forced_final",
        "repeated_failure",
        5,
    )
    nudges = [
        line
        for each in client.requests
        for line in each.messages[-1]["content"].splitlines()
        if line.startswith("Correction: describe_layer failed")
    ]
    assert [line.split(" in the same way")[0] for line in nudges] == [
        "Correction: describe_layer failed 3 times",
        "Correction: describe_layer failed 4 times",
    ]
    assert all("NOT_FOUND" in line and "Did you mean 'schools'?" in line for line in nudges)


def test_at10_the_very_same_failing_call_ends_too() -> None:
    """An unchanged call that failed is blocked after its budget, and the blocked ones count: five in all."""
    control = RuntimeControl("list", effects=EFFECTS)
    wrong = failure("INVALID_PARAM", "There is no field x.", hint="Valid fields: 'name'.")
    arguments = {"layer_id": "schools", "order_by": "x"}
    said, at, decision = [], 0, ControlDecision()
    ran = 0
    for at in range(1, 9):  # noqa: B007
        blocked = control.check(ToolCall("c", "query_features", json.dumps(arguments)))
        ran += blocked is None
        decision = control.observe("query_features", arguments, blocked or wrong)
        said.append(control.take_corrections())
        if decision.force_final:
            break
    assert (at, ran, decision.force_final, decision.tool) == (5, 2, "repeated_failure", "query_features")
    assert [bool(each) for each in said] == [False, False, True, True, False]
    assert "INVALID_PARAM" in said[2][0]


def test_at10_alternation_ends_at_six(bench: Bench) -> None:
    """A, B, A, B, A, B with the same two results."""
    turns = [calls(("get_style", {"layer_id": "a" if at % 2 else "b"})) for at in range(9)]
    bridge = FakeBridge(get_style=success({"renderer": "single"}))
    report = bench.run("compare", FakeClient(*turns[:6], answer("Enough.")), bridge)
    assert (report["termination"], report["state"].reason) == ("forced_final", "alternation")
    assert len(bridge.requests) == 6


@pytest.mark.parametrize(
    "pair",
    [
        (success({"n": 1}), success({"n": 2}), success({"n": 3})),
        (failure("NOT_FOUND", "a"), success({"n": 1}), success({"n": 1})),
    ],
)
def test_at10_no_alternation_when_something_differs(pair: tuple[Any, ...]) -> None:
    """Results that change, or a third outcome, are no alternation."""
    steps: list[Step] = [("get_style", {"layer_id": "ab"[at % 2]}, pair[at % 3]) for at in range(6)]
    assert drive(RuntimeControl(), steps)[1] == 0


def test_at10_map_churn_is_corrected_and_ends_at_the_third_hit() -> None:
    """Add, remove, add, remove: a correction; once more: a warning; the third step after that ends it."""
    said, at, decision = drive(RuntimeControl(effects=EFFECTS), [layer_step(at) for at in range(10)])
    assert (at, decision.force_final, decision.tool) == (6, "map_churn", "prepare_remove_layer")
    assert [len(each) for each in said] == [0, 0, 0, 0, 1, 1]
    assert "still serves the request" in said[4][0]
    assert "last warning" in said[5][0]


def test_at10_map_churn_of_one_layer_that_is_shown_and_hidden(bench: Bench) -> None:
    """The same for showing and hiding, in a whole run."""
    turns = [calls(("toggle_layer", {"layer_id": "streets", "visible": at % 2 == 0})) for at in range(9)]
    bridge = FakeBridge(toggle_layer=lambda params: success({"visible": params["arguments"]["visible"], "n": 1}))
    client = FakeClient(*turns[:6], answer("Enough."))
    report = bench.run("toggle", client, bridge)
    assert (report["termination"], report["state"].reason, len(bridge.requests)) == ("forced_final", "map_churn", 6)


@pytest.mark.parametrize(
    "steps",
    [
        [layer_step(0)] * 1 + [("add_vector_layer", {"path": f"x{at}"}, success({})) for at in range(8)],
        [("toggle_layer", {"layer_id": f"l{at}", "visible": bool(at % 2)}, success({"n": at})) for at in range(8)],
        [(tool, arguments, failure("TIMEOUT", str(at))) for at, (tool, arguments, _) in enumerate(map(layer_step, range(4)))],
        [layer_step(0), layer_step(1), layer_step(2)]
        + [("query_features", {"limit": at}, success({"n": at})) for at in range(7)]
        + [layer_step(3)],
    ],
    ids=["only adding", "different layers", "failed calls", "outside the window"],
)  # fmt: skip
def test_at10_no_churn(steps: list[Step]) -> None:
    """Adding many, switching many, failing, and what is long ago are no churn."""
    said, at, _decision = drive(RuntimeControl(effects=EFFECTS), steps)
    assert at == 0
    assert not any("still serves" in text for each in said for text in each)


ANNOUNCEMENTS = (
    "I will now load the layer.",
    "Let me check the fields first.",
    "接下来我将统计每个街道的学校。",
    "让我先查看图层。",
    "Next, I color the streets by density.",
    "稍等，我来处理。",
    "正在统计…",
)
ANSWERS = (
    "Done. I will keep the layer in the group.",
    "There are 25 schools.",
    "Hello.",
    "I will need the name of the layer. Which one do you mean?",
    "I'm sorry, I cannot do that.",
    "已显示医院图层。",
    "如果需要，我将导出结果。",
    "结果：街道A最密。",
    "",
    "I will " + "explain at length. " * 40,
    "我无法完成。",
    "图层里正在显示的是学校。",
    "Let me summarise: 25 in A, 30 in B.",
)


@pytest.mark.parametrize(
    ("text", "expected"), [(each, True) for each in ANNOUNCEMENTS] + [(each, False) for each in ANSWERS]
)
def test_at10_what_only_announces(text: str, expected: bool) -> None:
    """Short, in the future, without a result, a question, a refusal or a condition."""
    assert announces_only(text) is expected


def test_at10_monologue_ends_at_three() -> None:
    """Three announcements in a row; a call in between begins anew; an answer is an answer."""
    control = RuntimeControl("统计学校")
    decisions = [control.no_tool_turn(each) for each in ANNOUNCEMENTS[:3]]
    assert [(each.go_on, each.force_final) for each in decisions] == [(True, ""), (True, ""), (False, "monologue")]
    assert len(control.take_corrections()) == 1
    other = RuntimeControl("统计学校")
    other.no_tool_turn(ANNOUNCEMENTS[0])
    other.no_tool_turn(ANNOUNCEMENTS[1])
    other.observe("count_features", {"layer_id": "schools"}, success({"count": 5}))
    assert other.no_tool_turn(ANNOUNCEMENTS[2]).go_on
    assert other.no_tool_turn("There are 5 schools.") == ControlDecision()


def test_at10_the_fourth_deviation_of_any_kind_ends() -> None:
    """Four corrections of four kinds, a turn each, none of which would end the run by itself."""
    control = RuntimeControl("统计每个街道的学校数量", effects=EFFECTS)
    assert control.empty_answer()
    control.take_corrections()
    assert control.visibility_miss("抱歉，没有统计工具。")
    control.take_corrections()
    assert control.no_tool_turn("接下来我将统计。").go_on
    control.take_corrections()
    blocked = failure("FORBIDDEN", "no", hint="h", reason="runner_guard_blocked")
    assert control.observe("toggle_layer", {"layer_id": "a", "visible": True}, blocked) == ControlDecision(
        force_final="deviation", tool="toggle_layer"
    )
    assert control.deviations == 4


def test_at10_one_turn_counts_a_kind_once() -> None:
    """Four blocked calls in one answer are one deviation: the model has not seen the correction yet."""
    control = RuntimeControl("统计每个街道的学校数量", effects=EFFECTS)
    blocked = failure("FORBIDDEN", "no", hint="h", reason="runner_guard_blocked")
    for turn in range(4):
        for layer in "abcd":
            decision = control.observe("toggle_layer", {"layer_id": f"{layer}{turn}", "visible": True}, blocked)
            assert bool(decision.force_final) == (turn == 3), (turn, layer)
            if decision.force_final:
                break
        control.take_corrections()
    assert control.deviations == 4


def test_at10_an_empty_answer_is_asked_once_and_not_kept(bench: Bench) -> None:
    """One nudge in the tail, nothing in the history; then one request without tools; then no more."""
    client = FakeClient(answer(" "))
    report = bench.run("hello", client)
    assert ([bool(each.tools) for each in client.requests], report["error"]["reason"]) == (
        [True, True, False],
        "empty_answer",
    )
    assert [each["role"] for each in bench.session.messages] == ["user"]


def test_at10_a_model_that_speaks_only_without_tools_ends_the_run_and_is_no_success(bench: Bench) -> None:
    report = bench.run("hello", FakeClient(answer(""), answer(""), answer("I could do nothing.")))
    assert (report["termination"], report["state"].reason, report["ok"]) == ("forced_final", "empty_answer", False)
    assert report["answer"] == "I could do nothing."


def test_at10_ten_pages_are_no_loop(bench: Bench) -> None:
    """Growing cursors, whether or not the pages look alike: no correction, no stop."""
    pages = [calls(("fetch_result", {"result_ref": "query:12345678", "cursor": at * 20})) for at in range(10)]
    for given in (lambda params: success({"cursor": params["arguments"]["cursor"]}), success({"rows": []})):
        client = FakeClient(*pages, answer("Read."))
        report = bench.run("read all", client, FakeBridge(fetch_result=given))
        assert (report["termination"], len(client.requests)) == ("completed", 11)
        assert not any("Correction" in each.messages[-1]["content"] for each in client.requests)


def test_at10_polling_is_exempt_by_declaration() -> None:
    """The same call over and over is a loop, unless the tool says that it is asked until its answer changes."""
    steps: list[Step] = [("job_status", {"job": 1}, success({"status": "running"}))] * 9
    assert drive(RuntimeControl(polling=("job_status",)), steps)[0::2] == ([[]] * 10, ControlDecision())
    assert drive(RuntimeControl(), steps)[1:] == (5, ControlDecision(halt="loop", tool="job_status"))
    mixed: list[Step] = [steps[0], ("get_style", {"layer_id": "a"}, success({}))] * 4
    assert drive(RuntimeControl(polling=("job_status",)), mixed)[1] == 0


def test_at10_a_new_message_resets() -> None:
    """One control for each run: four identical steps, a new run, four more."""
    steps: list[Step] = [("query_features", {"layer_id": "a"}, success({"n": 1}))] * 4
    assert drive(RuntimeControl(), steps)[1] == 0
    assert drive(RuntimeControl(), steps)[1] == 0


def test_at10_signature_and_result() -> None:
    """Order of keys, nulls and 5 or 5.0 make no difference to a call; handles and times none to a result, counts do."""
    first = seen("t", {"a": 5, "b": {"y": [1, 2.0], "x": None}}, success({"n": 1, "result_ref": "r1"}))
    same = seen("t", {"b": {"y": [1.0, 2]}, "a": 5.0, "c": None}, success({"n": 1.0, "result_ref": "r2"}))
    assert (first.call, first.result) == (same.call, same.result)
    assert seen("t", {"a": 6, "b": {"y": [1, 2]}}, success({})).call != first.call
    assert seen("u", {"a": 5, "b": {"y": [1, 2]}}, success({})).call != first.call
    assert result_hash(success({"n": 2})) != first.result
    assert result_hash(success({"n": float("nan")})) == result_hash(success({"n": float("nan")}))
    assert seen("t", {"a": True}, success({})).call != seen("t", {"a": 1}, success({})).call


def test_at10_the_strongest_pattern_wins() -> None:
    """A loop of a tool that changes nothing is halted even where a churn is only nudged."""
    watch = PatternWatch()
    step = seen("query_features", {}, success({}))
    found = [watch.step(step) for _ in range(5)]
    assert [each.action if each else "" for each in found] == ["", "", "nudge", "warn", "halt"]
