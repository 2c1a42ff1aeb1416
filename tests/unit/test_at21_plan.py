"""AT21: plan and review gates. The truth table of plan mode, a hash that binds, and a deviation that asks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY

from qgis_agent.agent.governance.permissions import PermissionRuntime
from qgis_agent.agent.governance.plan import (
    MAX_STEPS,
    Plan,
    PlanError,
    PlanGate,
    PlannedCall,
    PlanStep,
    planned_call,
)
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.bridge.envelope import failure, success

EFFECTS = ("read", "view", "create", "network", "write", "execute")
PLAN = Plan(
    (
        PlanStep("Look at the schools"),
        PlanStep("Density by street", "stat_by_polygon", "schools"),
        PlanStep("Colour it", "set_render_rule", "$2"),
        PlanStep("Show the parks", "toggle_layer", "parks", features=10),
        PlanStep("Go there", "zoom_to", ""),
    )
)


def gate(plan: Plan = PLAN, approved: str = "", language: str = "en") -> PlanGate:
    return PlanGate(approved or plan.hash, plan, language)


def reason(checked: dict[str, Any] | None) -> str:
    return "" if checked is None else str(checked["reason"])


@pytest.mark.parametrize(
    ("level", "caller"), list(product(("read_only", "safe_write", "full_access"), ("chat", "cli", "subagent", "mcp")))
)
def test_at21_plan_mode_carries_nothing_out(level: str, caller: str) -> None:
    """The table of AT11 in plan mode: all registered tools, levels and callers; only a read is allowed."""
    profile: Any = replace(PROFILES["gis-plan"], level=level)
    policy = PermissionRuntime.from_profile(profile, ("write",), caller)
    for spec in REGISTRY.list_registered():
        decision = policy.rule(spec, {})
        reads = spec.effect == "read" and caller in spec.callers and spec.pack in profile.packs
        assert decision.outcome == ("allow" if reads else "deny"), spec.name


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(
    ("tool", "target", "planned"),
    [
        ("stat_by_polygon", "schools", True),
        ("zoom_to", "", True),
        ("stat_by_polygon", "hospitals", False),
        ("stat_by_polygon", "", False),
        ("zoom_to", "schools", False),
        ("buffer_layer", "schools", False),
        ("set_render_rule", "$2", True),  # the very words of the plan; the tool itself will not find such a layer
        ("set_render_rule", "schools", False),
    ],
)
def test_at21_only_what_was_approved_goes_through(effect: str, tool: str, target: str, planned: bool) -> None:
    """Effects x tool x target: a read is never a deviation; anything else has to be a step of the plan."""
    checked = gate().check(PlannedCall(tool, effect, target))
    assert reason(checked) == ("" if planned or effect == "read" else "plan_deviation")


def test_at21_a_target_that_was_changed_after_the_approval_asks() -> None:
    """The plan's own target was changed: its hash is no longer the approved one, and every changing call asks."""
    changed = Plan((*PLAN.steps[:1], replace(PLAN.steps[1], target="hospitals"), *PLAN.steps[2:]))
    here = gate(changed, approved=PLAN.hash)
    for call in (PlannedCall("stat_by_polygon", "create", "hospitals"), PlannedCall("zoom_to", "view")):
        checked = here.check(call)
        assert checked is not None
        assert (checked["code"], checked["reason"]) == ("CONFIRM_REQUIRED", "plan_deviation")
        assert checked["message"] == "The plan was changed after it was approved."
    assert here.check(PlannedCall("count_features", "read", "hospitals")) is None


def test_at21_more_features_ask() -> None:
    """At most as many as were approved; an unknown number is not taken for a small one."""
    here = gate()
    for features, wanted in ((0, ""), (10, ""), (11, "plan_deviation"), (None, "plan_deviation")):
        assert reason(here.check(PlannedCall("toggle_layer", "view", "parks", features))) == wanted
    assert here.check(PlannedCall("stat_by_polygon", "create", "schools", 10**9)) is None
    checked = here.check(PlannedCall("toggle_layer", "view", "parks", 11))
    assert checked is not None
    assert "at most 10 features; this call needs 11" in checked["message"]


def test_at21_the_question_says_what_differs_in_both_languages() -> None:
    """With buttons; not retryable, so that no model tries its way through."""
    call = PlannedCall("stat_by_polygon", "create", "hospitals")
    english, chinese = gate().check(call), gate(language="zh").check(call)
    assert english is not None and chinese is not None
    assert english["message"] == "The approved plan uses stat_by_polygon on schools, not on hospitals."
    assert chinese["message"] == "已批准的计划对 schools 使用 stat_by_polygon，而不是 hospitals。"
    assert [each["label"] for each in english["data"]["options"]] == ["Make a new plan", "Go on without this step"]
    assert not english["retryable"]
    no_layer = gate().check(PlannedCall("zoom_to", "view", "parks"))
    assert no_layer is not None
    assert "on no layer, not on parks" in no_layer["message"]


def test_at21_a_layer_that_an_approved_step_made_is_a_target() -> None:
    """Its name is not known when the plan is made: "$2" is what step 2 makes, once, and only when it succeeded."""
    here = gate()
    made = PlannedCall("stat_by_polygon", "create", "schools")
    colour = PlannedCall("set_render_rule", "view", "street_density")
    for envelope in (failure("TIMEOUT", "x"), success({"count": 1}), success([]), success({"layer_id": 3})):
        here.settled(made, envelope)
        assert reason(here.check(colour)) == "plan_deviation"
    here.settled(PlannedCall("count_features", "read", "schools"), success({"layer_id": "street_density"}))
    here.settled(PlannedCall("buffer_layer", "create", "schools"), success({"layer_id": "street_density"}))
    assert reason(here.check(colour)) == "plan_deviation"
    here.settled(made, success({"layer_id": "street_density"}))
    here.settled(made, success({"layer_id": "another"}))
    assert here.check(colour) is None
    assert reason(here.check(replace(colour, target="another"))) == "plan_deviation"


def test_at21_the_target_of_a_call() -> None:
    """layer_id before the other layers, whatever the order; none for a call without a layer."""
    assert planned_call("t", "create", {"polygon_layer_id": "b", "layer_id": "a"}, 5) == PlannedCall(
        "t", "create", "a", 5, ("b",)
    )
    many = planned_call("t", "view", {"layer_ids": ["b", "a", 3], "overlay_layer_id": "c", "layer_id": "a"})
    assert (many.target, many.inputs) == ("a", ("b", "c"))
    assert planned_call("t", "write", {"layer_id": "a", "path": "out/a.gpkg"}).path == "out/a.gpkg"
    assert planned_call("t", "write", {"layer_id": "a", "path": None}).path == ""
    assert planned_call("t", "view", {"overlay_layer_id": "b"}).target == "b"
    assert planned_call("t", "view", {"bbox": [1, 2, 3, 4], "layer_id": None}).target == ""


WIDE = Plan(
    (
        PlanStep("Buffer", "buffer_layer", "parks"),
        PlanStep("Count", "stat_by_polygon", "schools", inputs=("streets",)),
        PlanStep("Count near parks", "stat_by_polygon", "hospitals", inputs=("$1", "zones"), features=10),
        PlanStep("Save", "prepare_export_layer", "$2", path="out/density.gpkg"),
    )
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"layer_id": "schools", "polygon_layer_id": "streets"}, ""),
        ({"layer_id": "schools"}, ""),  # fewer layers than approved
        ({"layer_id": "schools", "polygon_layer_id": "schools"}, ""),
        ({"layer_id": "streets", "polygon_layer_id": "schools"}, "on schools, hospitals, not on streets"),
        ({"layer_id": "schools", "polygon_layer_id": "zones"}, "let stat_by_polygon on schools use zones"),
        ({"layer_id": "schools", "polygon_layer_id": "streets", "mask_layer_id": "zones"}, "on schools use zones"),
        ({"polygon_layer_id": "streets"}, "not on streets"),
        ({"layer_id": "hospitals", "polygon_layer_id": "streets"}, "on hospitals use streets"),
        ({"layer_id": "schools", "polygon_layer_id": "streets", "path": "x.gpkg"}, "write no file, not x.gpkg"),
    ],
    ids=str,
)
def test_at21_every_layer_of_a_call_is_bound(arguments: dict[str, Any], said: str) -> None:
    """All layers of a call have to be of one step; a layer of another step of the same tool does not do."""
    checked = gate(WIDE).check(planned_call("stat_by_polygon", "create", arguments))
    assert reason(checked) == ("plan_deviation" if said else "")
    assert checked is None or said in checked["message"]
    assert gate(WIDE).check(planned_call("stat_by_polygon", "read", arguments)) is None


def test_at21_other_layers_that_belong_to_two_steps_ask() -> None:
    """Each of them is approved, but not in one call: they are named all."""
    plan = Plan((PlanStep("a", "t", "x", inputs=("p",)), PlanStep("b", "t", "x", inputs=("q",))))
    checked = gate(plan).check(PlannedCall("t", "create", "x", inputs=("p", "q")))
    assert checked is not None
    assert "on x use p, q" in checked["message"]


def test_at21_the_file_of_a_call_is_bound() -> None:
    """Another file, or none, is a deviation; so is a file that differs in capitals only."""
    here = gate(WIDE)
    here.settled(PlannedCall("stat_by_polygon", "create", "schools", inputs=("streets",)), success({"layer_id": "d"}))
    for path, planned in (("out/density.gpkg", True), ("out/Density.gpkg", False), ("a.gpkg", False), ("", False)):
        checked = here.check(planned_call("prepare_export_layer", "write", {"layer_id": "d", "path": path}))
        assert reason(checked) == ("" if planned else "plan_deviation")
        assert checked is None or f"write out/density.gpkg, not {path or 'no file'}." in checked["message"]
    chinese = replace(here, language="zh").check(PlannedCall("prepare_export_layer", "write", "d", path="a\u202eb"))
    assert chinese is not None
    assert chinese["message"] == "已批准的计划允许 prepare_export_layer 写入 out/density.gpkg，而不是 ab。"


def test_at21_a_made_layer_is_an_input() -> None:
    """ "$1" among the inputs stands for what step 1 made, once it has."""
    here = gate(WIDE)
    call = planned_call("stat_by_polygon", "create", {"layer_id": "hospitals", "polygon_layer_id": "near_parks"}, 3)
    assert "use near_parks" in (here.check(call) or {"message": ""})["message"]
    here.settled(PlannedCall("buffer_layer", "create", "parks", inputs=("x",)), success({"layer_id": "near_parks"}))
    assert reason(here.check(call)) == "plan_deviation"  # that was another call than the plan's
    here.settled(PlannedCall("buffer_layer", "create", "parks"), success({"layer_id": "near_parks"}))
    assert here.check(call) is None


def test_at21_features_are_counted_only_where_they_decide() -> None:
    """A changing call that the plan has with a number, and whose own number is not known yet."""
    here = gate(WIDE)
    asked = PlannedCall("stat_by_polygon", "create", "hospitals", inputs=("zones",))
    assert here.needs_features(asked)
    for other in (
        replace(asked, effect="read"),
        replace(asked, features=3),
        replace(asked, target="schools", inputs=("streets",)),  # a step without a number
        replace(asked, inputs=("streets",)),  # asks anyway
        replace(asked, tool="zoom_to"),
    ):
        assert not here.needs_features(other)
    assert [reason(here.check(replace(asked, features=each))) for each in (10, 11, None)] == [
        "",
        "plan_deviation",
        "plan_deviation",
    ]


# the plan itself


def test_at21_the_hash_is_of_what_is_done_and_not_of_how_far_it_is() -> None:
    """A status may change; title, tool, target, features, order and number of steps may not."""
    done = Plan(tuple(replace(each, status="done") for each in PLAN.steps))
    assert done.hash == PLAN.hash
    first = PLAN.steps[1]
    others = [
        Plan(PLAN.steps[:-1]),
        Plan(PLAN.steps[::-1]),
        *(
            Plan((PLAN.steps[0], changed, *PLAN.steps[2:]))
            for changed in (
                replace(first, title="x"),
                replace(first, tool="buffer_layer"),
                replace(first, target="x"),
                replace(first, features=1),
                replace(first, features=0),
                replace(first, inputs=("a", "b")),
                replace(first, inputs=("b", "a")),
                replace(first, inputs=("a",), path="b"),
                replace(first, path="a"),
            )
        ),
    ]
    hashes = {each.hash for each in others}
    assert len(hashes) == len(others)
    assert PLAN.hash not in hashes


def test_at21_the_hash_is_the_same_in_every_process() -> None:
    """Two hash seeds."""
    code = (
        "from qgis_agent.agent.governance.plan import Plan\n"
        "print(Plan.from_steps([{'title': '街道', 'tool': 'zoom_to', 'target': 'a', 'features': 3}]).hash)"
    )
    root = Path(__file__).resolve().parents[2]
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    here = Plan((PlanStep("街道", "zoom_to", "a", features=3),)).hash
    assert said == {here + "\n"}


def test_at21_what_the_person_applies_is_what_was_shown() -> None:
    """approved_plan brings its steps and their hash; a plan with another hash is refused."""
    data = PLAN.to_dict()
    assert Plan.approved(data) == PLAN
    data["steps"][1]["target"] = "hospitals"
    for wrong in (data, {"steps": data["steps"]}, {"hash": PLAN.hash}, None, []):
        with pytest.raises(PlanError):
            Plan.approved(wrong)


def test_at21_update_plan_is_a_full_replacement() -> None:
    """C-40: what is not said again is gone; an empty list is an empty plan; statuses are kept as said."""
    first = Plan.from_steps([{"title": "a"}, {"title": "b", "status": "done"}])
    second = Plan.from_steps([{"title": "b", "status": "failed"}])
    assert [each.status for each in first.steps] == ["pending", "done"]
    assert [(each.title, each.status) for each in second.steps] == [("b", "failed")]
    assert Plan.from_steps([]).steps == ()


@pytest.mark.parametrize("status", ["pending", "in_progress", "done", "skipped", "failed"])
def test_at21_statuses(status: str) -> None:
    assert Plan.from_steps([{"title": "a", "status": status}]).steps[0].status == status


WRONG: list[tuple[Any, str]] = [
    (None, "steps: must be a list"),
    ({}, "steps: must be a list"),
    ([{"title": "a"}] * (MAX_STEPS + 1), "steps: at most 50, not 51"),
    (["a"], "step 1: must be an object"),
    ([{}], "step 1: title: must be a text that is not empty"),
    ([{"title": "\u202e \x00"}], "step 1: title: must be"),
    ([{"title": "a", "state": "done"}], "step 1: 'state' is not known"),
    ([{"title": "a", "status": "finished"}], "step 1: status: must be one of pending, in_progress, done, skipped, failed"),
    ([{"title": "a", "status": ["done"]}], "step 1: status: must be one of"),
    ([{"title": "a", "tool": "rm -rf"}], "step 1: tool: must be the name of a tool"),
    ([{"title": "a", "tool": 3}], "step 1: tool: must be the name of a tool"),
    ([{"title": "a", "tool": "make_tea"}], "step 1: tool: there is no tool 'make_tea'"),
    ([{"title": "a", "target": 3}], "step 1: target: must be a layer_id"),
    ([{"title": "a", "target": "x" * 81}], "step 1: target: must be a layer_id"),
    ([{"title": "a", "target": "a\nb"}], "step 1: target: must be a layer_id"),
    ([{"title": "a", "target": "$1"}], "step 1: target: $n must name an earlier step"),
    ([{"title": "a"}, {"title": "b", "target": "$0"}], "step 2: target: $n must name an earlier step"),
    ([{"title": "a"}, {"title": "b", "target": "$x"}], "step 2: target: $n must name an earlier step"),
    ([{"title": "a"}, {"title": "b", "target": "$" + "9" * 70}], "step 2: target: $n must name an earlier step"),
    ([{"title": "a", "inputs": "b"}], "step 1: inputs: must be a list of at most 10 layers"),
    ([{"title": "a", "inputs": ["b"] * 11}], "step 1: inputs: must be a list of at most 10 layers"),
    ([{"title": "a", "inputs": ["b", ""]}], "step 1: inputs: must be a layer_id"),
    ([{"title": "a", "inputs": [3]}], "step 1: inputs: must be a layer_id"),
    ([{"title": "a", "inputs": ["a\u202eb"]}], "step 1: inputs: must be a layer_id"),
    ([{"title": "a", "inputs": ["$1"]}], "step 1: inputs: $n must name an earlier step"),
    ([{"title": "a", "path": 3}], "step 1: path: must be the name of a file"),
    ([{"title": "a", "path": "a\u202eb"}], "step 1: path: must be the name of a file"),
    ([{"title": "a", "path": "x" * 401}], "step 1: path: must be the name of a file"),
    ([{"title": "a", "features": -1}], "step 1: features: must be a whole number"),
    ([{"title": "a", "features": True}], "step 1: features: must be a whole number"),
    ([{"title": "a", "features": 1.5}], "step 1: features: must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "said"), WRONG, ids=lambda each: str(each)[:50])
def test_at21_a_plan_that_is_none_says_why(steps: Any, said: str) -> None:
    tools = {each.name: each for each in REGISTRY.list_registered()}
    with pytest.raises(PlanError) as caught:
        Plan.from_steps(steps, tools)
    assert any(each.startswith(said) for each in caught.value.problems), caught.value.problems


def test_at21_fifty_steps_of_known_tools_are_a_plan() -> None:
    """All problems come at once; titles are cleaned; the data goes round."""
    steps: list[dict[str, Any]] = [
        {"title": " a\tb\u202e ", "tool": "zoom_to", "target": "$1" if at else "", "features": at} for at in range(50)
    ]
    steps[1].update(inputs=["b", "$1", "b"], path="a  b/值.gpkg")
    plan = Plan.from_steps(steps, {"zoom_to": None})
    assert (plan.steps[1].inputs, plan.steps[1].path) == (("b", "$1"), "a  b/值.gpkg")
    assert plan.to_dict()["steps"][1] | {"title": "", "features": 0} == {
        "title": "", "tool": "zoom_to", "target": "$1", "status": "pending", "features": 0,
        "inputs": ["b", "$1"], "path": "a  b/值.gpkg",
    }  # fmt: skip
    assert not {"inputs", "path"} & set(plan.to_dict()["steps"][2])
    assert len(plan.steps) == MAX_STEPS
    assert plan.steps[0].title == "a b"
    assert Plan.from_steps(plan.to_dict()["steps"]) == plan
    with pytest.raises(PlanError) as caught:
        Plan.from_steps([{"title": "", "tool": "x y"}, 3])
    assert len(caught.value.problems) == 3
