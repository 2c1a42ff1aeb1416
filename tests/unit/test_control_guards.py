"""What is blocked before it runs, and what never is: the golden requests, the offline sentences, rules for tools to come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY

from qgis_agent.agent.llm.types import SettledCall, ToolCall
from qgis_agent.agent.loop.closing import MAP_AND_STYLE
from qgis_agent.agent.loop.guards import Known, RetryBudget, RunFacts, Selector, arguments_of, check_guards
from qgis_agent.agent.loop.runtime_control import GUARD_BLOCKED, RuntimeControl
from qgis_agent.agent.loop.task_modes import Task
from qgis_agent.bridge.envelope import failure, success

GOLDEN_1 = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"
GOLDEN_2 = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"
HERE = Path(__file__).resolve().parent
FAKES: dict[str, tuple[str, str]] = {
    "run_operation": ("operation", "create"),
    "get_operation": ("operation", "read"),
    "edit_operation": ("operation", "write"),
    "edit_file": ("file", "write"),
    "start_worker": ("worker", "create"),
    "worker_status": ("worker", "read"),
    "list_workflows": ("workflow", "read"),
    "run_workflow": ("workflow", "create"),
    "execute_code": ("code", "execute"),
    "run_script_file": ("code", "execute"),
    "bash": ("system", "execute"),
    "fetch_url": ("web", "network"),
    "set_layer_crs": ("arrange", "view"),
    "set_layer_filter": ("default", "view"),
}
"""Tools of packs that come later."""
EFFECTS = (
    dict.fromkeys(MAP_AND_STYLE, "view")
    | {each.name: each.effect for each in REGISTRY.list_registered()}
    | {name: effect for name, (_, effect) in FAKES.items()}
)
PACKS = {each.name: each.pack for each in REGISTRY.list_registered()} | {
    name: pack for name, (pack, _) in FAKES.items()
}
FAILED = failure("UPSTREAM_ERROR", "It broke.", hint="Look.")


def control_for(text: str, **more: Any) -> RuntimeControl:
    return RuntimeControl(text, effects=EFFECTS, packs=PACKS, **more)


def blocked(control: RuntimeControl, tool: str, arguments: dict[str, Any] | str | None = None) -> bool:
    """Whether a call is blocked; a blocked one is FORBIDDEN, says why and what to do instead."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    envelope = control.check(ToolCall("c", tool, raw))
    if envelope is None:
        return False
    assert (envelope["code"], envelope["reason"], envelope["retryable"]) == ("FORBIDDEN", GUARD_BLOCKED, False)
    assert envelope["message"]
    assert envelope["hint"]
    return True


def done(control: RuntimeControl, tool: str, envelope: dict[str, Any] | None = None, **arguments: Any) -> None:
    control.observe(tool, arguments, envelope or success({}))


@pytest.mark.parametrize("text", [GOLDEN_1, GOLDEN_2, "统计各街道学校数量并按数量设色"])
def test_golden_requests_are_never_blocked(text: str) -> None:
    """With the guards on, every tool of the default and vector packs may be called, before and after the analysis (C-65)."""
    control = control_for(text)
    tools = [each.name for each in REGISTRY.list_registered() if each.pack in ("default", "vector")]
    assert "set_render_rule" in tools
    assert "toggle_layer" in tools
    assert not [each for each in tools if blocked(control, each)]
    done(control, "stat_by_polygon", layer_id="schools")
    assert not [each for each in tools if blocked(control, each)]
    assert control.mode == "data_analysis"
    assert "result on the map" in control.objective()[-1]


def test_an_analysis_leaves_the_map_alone() -> None:
    """Tools that change the look are blocked; those that read, make results or give the data its CRS are not."""
    control = control_for("统计每个街道的学校数量")
    assert [
        each
        for each in ("set_render_rule", "toggle_layer", "zoom_to", "set_layer_filter")
        if not blocked(control, each)
    ] == []
    free = ("query_features", "stat_by_polygon", "set_layer_crs", "prepare_export_layer", "ask_user", "no_such_tool")
    assert [each for each in free if blocked(control, each)] == []
    assert "no change of the map" in control.objective()[-1]
    assert not blocked(control_for("显示学校"), "toggle_layer")
    assert not blocked(control_for("hello"), "toggle_layer")


def test_offline_sentences_are_not_blocked() -> None:
    """What the offline grammar makes of a sentence is what the sentence asks for: no guard may stand in its way."""
    path = HERE / "offline_sentences.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(rows) >= 100
    wrong = []
    for row in rows:
        control = control_for(row["say"])
        for name, arguments in row.get("calls") or []:
            if blocked(control, name, arguments):
                wrong.append((row["say"], name))
            done(control, name)
    assert wrong == []


def test_a_failed_operation_is_repaired_and_not_gone_round() -> None:
    """O-235, O-240: after run_operation failed only reading and editing, until an edit succeeded."""
    control = control_for("修一下这个操作")
    assert (control.mode, control.required_packs()) == ("operation_repair", ["operation"])
    others = ("execute_code", "run_script_file", "bash", "toggle_layer", "set_render_rule")
    assert [each for each in others if blocked(control, each)] == []
    done(control, "run_operation", FAILED)
    assert "get_operation(include_code=true)" in " ".join(control.take_corrections())
    assert [each for each in others if not blocked(control, each)] == []
    assert not blocked(control, "get_operation")
    assert not blocked(control, "edit_operation")
    done(control, "edit_operation", FAILED)
    assert blocked(control, "toggle_layer")
    done(control, "edit_operation")
    assert not blocked(control, "toggle_layer")
    assert not blocked(control, "run_operation")
    done(control, "run_operation")
    assert not blocked(control, "toggle_layer")


def test_a_run_that_succeeds_again_lifts_the_rule() -> None:
    """The operation works: nothing is to be repaired any more."""
    control = control_for("fix the operation")
    done(control, "run_operation", FAILED)
    done(control, "run_operation")
    assert not blocked(control, "toggle_layer")


def test_workers_are_not_replaced_by_a_script() -> None:
    """O-236; and O-243: a worker that runs and is healthy ends the run."""
    control = control_for("start a background worker for the buses")
    assert (control.mode, control.required_packs()) == ("worker", ["worker"])
    assert [each for each in ("execute_code", "run_script_file", "bash") if not blocked(control, each)] == []
    assert not blocked(control, "start_worker")
    assert not blocked(control, "toggle_layer")

    def after(envelope: dict[str, Any], text: str = "start a background worker for the buses") -> str:
        call = SettledCall(ToolCall("c", "start_worker", "{}"), {}, envelope)
        return control_for(text).after_batch([call]).force_final

    assert after(success({"status": "running"})) == "worker_running_verified"
    assert after(success({"status": "starting"})) == ""
    assert after(success("running")) == ""
    assert after(FAILED) == ""
    assert after(success({"status": "running"}), "show the buses") == ""


def test_a_workflow_begins_with_its_own_tools() -> None:
    """C-2: side effects only after a workflow tool was used, whether or not it succeeded."""
    control = control_for("运行质检工作流")
    assert (control.mode, control.required_packs()) == ("workflow", ["workflow"])
    assert [each for each in ("toggle_layer", "start_worker", "buffer_layer") if not blocked(control, each)] == []
    assert not blocked(control, "run_workflow")
    assert not blocked(control, "count_features")
    done(control, "list_workflows", FAILED)
    assert not blocked(control, "toggle_layer")


@pytest.mark.parametrize("bypass", ["execute_code", "run_script_file", "bash", "fetch_url"])
def test_a_failed_tool_is_not_gone_round_by_code_or_network(bypass: str) -> None:
    """C-3: until the tool itself has succeeded; CANCELLED is no failure; a request for code is."""
    control = control_for("buffer the schools and show them")
    assert not blocked(control, bypass)
    done(control, "buffer_layer", failure("CANCELLED", "stopped"))
    assert not blocked(control, bypass)
    done(control, "buffer_layer", FAILED, layer_id="a")
    assert blocked(control, bypass)
    assert not blocked(control, "buffer_layer")
    done(control, "describe_layer")
    assert blocked(control, bypass)
    done(control, "buffer_layer", layer_id="b")
    assert not blocked(control, bypass)
    asked = control_for("buffer the schools with a Python script")
    done(asked, "buffer_layer", FAILED)
    assert not blocked(asked, bypass)


def test_failing_code_blocks_no_code() -> None:
    """Only dedicated tools count."""
    control = control_for("buffer the schools")
    done(control, "execute_code", FAILED)
    assert not blocked(control, "execute_code", {"code": "2"})


def test_a_guard_that_raises_lets_only_reading_pass(caplog: pytest.LogCaptureFixture) -> None:
    """C-7: fail closed, also for a tool that nobody knows; and it is logged."""

    def broken(_tool: Known, _facts: RunFacts) -> None:
        raise KeyError("boom")

    control = control_for("show the schools", guards=(broken,))
    assert not blocked(control, "count_features")
    for tool in ("toggle_layer", "buffer_layer", "prepare_export_layer", "execute_code", "fetch_url", "unknown_tool"):
        assert blocked(control, tool), tool
    assert "a guard failed for unknown_tool" in caplog.text


def test_a_guard_after_one_that_raised_still_counts() -> None:
    """For a read call the other guards are asked all the same."""

    def broken(_tool: Known, _facts: RunFacts) -> None:
        raise RuntimeError

    facts = RunFacts(effects=EFFECTS)
    envelope = check_guards("count_features", facts, (broken, lambda _tool, _facts: ("no", "hint")))
    assert envelope is not None
    assert envelope["message"] == "no"


WHERE = {"layer_id": "schools", "order_by": "x"}


@pytest.mark.parametrize(
    ("code", "runs"),
    [
        ("INVALID_PARAM", 2), ("NOT_FOUND", 2), ("UNSUPPORTED", 1), ("FORBIDDEN", 1), ("PERMISSION_DENIED", 1),
        ("TIMEOUT", 9), ("UPSTREAM_ERROR", 9), ("RATE_LIMITED", 9), ("CANCELLED", 9),
    ],
)  # fmt: skip
def test_budget_of_unchanged_repetitions(code: str, runs: int) -> None:
    """Correctable: one more; not to be satisfied: none; transient: the host has tried already, and the patterns count."""
    budget = RetryBudget()
    ran = 0
    for _ in range(9):
        if budget.spent("query_features", WHERE) is not None:
            break
        ran += 1
        budget.take("query_features", WHERE, failure(code, "m"), changed=False)
    assert ran == runs
    assert budget.spent("query_features", {**WHERE, "order_by": "y"}) is None
    assert budget.spent("count_features", WHERE) is None


def test_a_blocked_repetition_says_what_came_of_it() -> None:
    """The earlier code and hint; key order and nulls do not make it another call; broken JSON is not looked up."""
    control = control_for("list the schools")
    done(control, "query_features", failure("UNSUPPORTED", "No.", hint="Use a table."), **WHERE)
    envelope = control.check(ToolCall("c", "query_features", '{"order_by": "x", "layer_id": "schools", "limit": null}'))
    assert envelope is not None
    assert "UNSUPPORTED" in envelope["message"]
    assert envelope["hint"] == "Use a table."
    assert not blocked(control, "query_features", '{"order_by": "x", "layer_id": ')
    assert not blocked(control, "query_features", {"layer_id": "schools"})
    done(control, "describe_layer", failure("UNSUPPORTED", "No."), layer_id="a")
    assert blocked(control, "describe_layer", {"layer_id": "a"})


def test_a_change_makes_failed_calls_possible_again_but_never_denied_ones() -> None:
    """O-241: after a field was made the call may be right; a no stays a no; reading changes nothing."""
    control = control_for("colour the schools")
    done(control, "query_features", failure("UNSUPPORTED", "No."), **WHERE)
    done(control, "zoom_to", failure("PERMISSION_DENIED", "No."), layer_id="a")
    done(control, "count_features", layer_id="schools")
    assert blocked(control, "query_features", WHERE)
    done(control, "buffer_layer", layer_id="schools", distance_m=5)
    assert not blocked(control, "query_features", WHERE)
    assert blocked(control, "zoom_to", {"layer_id": "a"})


def test_a_success_or_another_code_begins_the_count_anew() -> None:
    """Two different failures are not the same failure twice."""
    budget = RetryBudget()
    for code in ("INVALID_PARAM", "NOT_FOUND", "INVALID_PARAM"):
        budget.take("t", {}, failure(code, "m"), changed=False)
    assert budget.spent("t", {}) is None
    budget.take("t", {}, failure("INVALID_PARAM", "m"), changed=False)
    assert budget.spent("t", {}) is not None
    budget.take("t", {}, success({}), changed=False)
    assert budget.spent("t", {}) is None


def test_a_pack_that_was_hidden_may_be_called_again() -> None:
    """The same call is what was asked for: neither a denial nor a spent budget nor a lesson."""
    control = control_for("buffer the schools")
    hidden = failure("FORBIDDEN", "not shown yet", hint="call it again", reason="pack_hidden")
    for _ in range(3):
        assert control.observe("buffer_layer", {"layer_id": "a"}, hidden).halt == ""
        assert not blocked(control, "buffer_layer", {"layer_id": "a"})
    assert "Learned" not in " ".join(control.objective())


def test_a_repeated_denial_is_not_asked_again_and_halts_at_three() -> None:
    """The person is asked once; insisting counts as further denials."""
    control = control_for("show the schools")
    denied = failure("PERMISSION_DENIED", "No.", reason="denied")
    halts = []
    for _ in range(3):
        given = control.check(ToolCall("c", "toggle_layer", '{"layer_id": "a"}')) or denied
        halts.append(control.observe("toggle_layer", {"layer_id": "a"}, given).halt)
    assert halts == ["", "", "denials"]


def test_a_blocked_call_is_told_to_the_model_and_not_taken_for_a_denial() -> None:
    """O-238: the correction repeats message and hint; three of them are no denials."""
    control = control_for("统计每个街道的学校数量")
    for turn in range(3):
        envelope = control.check(ToolCall("c", "toggle_layer", json.dumps({"layer_id": f"l{turn}", "visible": True})))
        assert envelope is not None
        decision = control.observe("toggle_layer", {"layer_id": f"l{turn}", "visible": True}, envelope)
        assert (decision.halt, decision.force_final) == ("", "")
        (said,) = control.take_corrections()
        assert envelope["hint"] in said


def test_selectors_take_names_packs_and_effects_but_no_exceptions() -> None:
    """The parts of a rule."""
    selector = Selector(frozenset({"a"}), frozenset({"p"}), frozenset({"view"}), exempt=frozenset({"b", "q"}))
    takes = [Known("a"), Known("x", "p"), Known("x", "", "view")]
    leaves = [Known("x"), Known("b", "p", "view"), Known("x", "q", "view")]
    assert [selector.takes(each) for each in takes + leaves] == [True] * 3 + [False] * 3


def test_a_task_from_a_router_stands_above_the_words() -> None:
    """O-224: words are the fallback."""
    control = control_for("统计每个街道的学校数量", task=Task("map_rendering", visual=True))
    assert not blocked(control, "toggle_layer")
    assert control.mode == "map_rendering"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("", {}), ("{}", {}), ('{"a": 1}', {"a": 1}), ("[1]", None), ("{", None), ("[" * 100_000, None)],
)
def test_arguments_of_a_raw_call(raw: str, expected: Any) -> None:
    """An object or nothing; nothing that a model writes raises."""
    assert arguments_of(ToolCall("c", "t", raw)) == expected


def test_the_arguments_that_count_are_those_that_are_run() -> None:
    """An alias or a value that is fitted makes no new call of it: what was run and failed twice is not run again."""
    control = control_for("count the schools")
    written = ToolCall("c", "count_features", '{"layer": "schools"}')
    fitted = {"layer_id": "schools"}
    for _ in range(2):
        assert control.check(written, fitted) is None
        control.observe("count_features", fitted, failure("NOT_FOUND", "no"), written)
    stopped = control.check(ToolCall("d", "count_features", '{"layerId": "schools"}'), fitted)
    assert stopped is not None
    assert "NOT_FOUND" in stopped["message"]
    assert control.check(ToolCall("e", "count_features", '{"layer": "schools"}'), {"layer_id": "streets"}) is None


def test_arguments_that_nobody_can_read_are_told_apart_by_their_text() -> None:
    """They are no empty arguments: another slip is another call, and a call without arguments is one, too."""
    control = control_for("list the layers")
    bad = failure("INVALID_PARAM", "unreadable")
    for raw in ("{'a'", "{'b'", "[1]"):
        call = ToolCall("c", "list_layers", raw)
        assert control.check(call, {}) is None
        control.observe("list_layers", {}, bad, call)
    assert control.check(ToolCall("c", "list_layers", "{}"), {}) is None
    again = ToolCall("c", "list_layers", " {'a' ")
    assert control.check(again, {}) is None
    control.observe("list_layers", {}, bad, again)
    assert control.check(again, {}) is not None
    assert control.check(again) is not None  # also for one who has no fitted arguments to give


def at_once(control: RuntimeControl, count: int, tool: str = "count_features") -> list[bool]:
    """Whether each of several identical calls of one batch may run."""
    return [
        control.check(ToolCall(f"c{at}", tool, '{"layer_id": "x"}'), {"layer_id": "x"}) is None for at in range(count)
    ]


@pytest.mark.parametrize("code", ["NOT_FOUND", "TIMEOUT", "AMBIGUOUS"])
def test_a_call_that_failed_is_not_repeated_beside_itself(code: str) -> None:
    """Side by side, four twins of a failure would fail four times before anybody saw the first."""
    control = control_for("count")
    assert at_once(control, 4) == [True] * 4  # reads that have not failed are free
    control.after_batch([])
    done(control, "count_features", failure(code, "no"), layer_id="x")
    assert at_once(control, 4) == [True, False, False, False]
    assert (
        control.check(ToolCall("c0", "count_features", '{"layer_id": "x"}'), {"layer_id": "x"}) is None
    )  # looked at twice
    assert control.check(ToolCall("o", "count_features", '{"layer_id": "y"}'), {"layer_id": "y"}) is None
    control.take_corrections()  # the next turn
    assert at_once(control, 2) == [True, False]


@pytest.mark.parametrize("good", [True, False])
def test_a_twin_that_was_held_back_shares_the_fate_of_the_first(good: bool) -> None:
    """It counts as the same failure, or, where the first succeeded, as nothing at all: it was no deviation."""
    control = control_for("count")
    done(control, "count_features", failure("TIMEOUT", "slow"), layer_id="x")
    control.take_corrections()
    twins = [ToolCall(f"c{at}", "count_features", '{"layer_id": "x"}') for at in range(2)]
    answers = [control.check(each, {"layer_id": "x"}) for each in twins]
    assert answers[0] is None
    assert answers[1] is not None
    first = success({"count": 5}) if good else failure("TIMEOUT", "slow")
    control.observe("count_features", {"layer_id": "x"}, first, twins[0])
    control.observe("count_features", {"layer_id": "x"}, answers[1], twins[1])
    said = control.take_corrections()
    assert control.deviations == (0 if good else 1)
    assert (said == []) if good else ("failed 3 times" in said[0])
