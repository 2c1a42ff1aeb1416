"""AT21 on the QGIS side: a run with an approved plan is held to it, whatever the agent process's own gate does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Bench, memory_layer

from qgis_agent.agent.governance.plan import Plan
from qgis_agent.bridge.plan import plan_hash
from qgis_agent.gis.approved_plan import ApprovedPlan
from qgis_agent.gis.grants import layer_target

STEPS: list[dict[str, Any]] = [
    {"title": "Buffer", "tool": "buffer_layer", "target": "points"},
    {"title": "Hide", "tool": "toggle_layer", "target": "few", "features": 3},
    {"title": "Export", "tool": "prepare_export_layer", "target": "points", "path": "out.gpkg"},
    {"title": "Colour", "tool": "toggle_layer", "target": "$1"},
]


@pytest.fixture
def town(bench: Bench) -> Iterator[Bench]:
    """The chat with the layers "points" (4 features) and "few" (3), and a person who says no to every question."""
    for name, count in (("points", 4), ("few", 3)):
        rows = [(f"POINT({x} {x})", [x]) for x in range(count)]
        bench.add(memory_layer("Point?crs=EPSG:3857&field=n:integer", rows, name))
    bench.issue(caller="chat", plan=ApprovedPlan({"steps": STEPS}))
    bench.approver.answer = "deny"
    yield bench


def reason(bench: Bench, name: str, **arguments: Any) -> str:
    """Why the person was asked, "" for a call that ran unasked."""
    asked = len(bench.approver.cards)
    outcome = bench.outcome(name, **arguments)
    assert outcome["envelope"]["ok"] is (len(bench.approver.cards) == asked), outcome
    if outcome["envelope"]["ok"]:
        return ""
    assert outcome["envelope"]["code"] == "PERMISSION_DENIED"
    return bench.approver.cards[-1]["kind"]


def hide(bench: Bench, layer_id: str) -> str:
    return reason(bench, "toggle_layer", layer_id=layer_id, visible=False)


def by(bench: Bench, name: str, **arguments: Any) -> str:
    """What made the decision, before any person."""
    seen: list[str] = []
    decide = bench.host.ledger.decide
    bench.host.ledger.decide = lambda capability, facts: (
        seen.append(decide(capability, facts).by)
        or decide(  # type: ignore[func-returns-value]
            capability, facts
        )
    )
    try:
        bench.call(name, **arguments)
    finally:
        del bench.host.ledger.decide
    return seen[0]


def test_at21_a_new_tool_and_a_new_target_are_asked(town: Bench) -> None:
    assert reason(town, "buffer_layer", layer_id="points", distance_m=5) == ""
    assert by(town, "buffer_layer", layer_id="few", distance_m=5) == "plan_deviation"
    town.issue(caller="chat", plan=ApprovedPlan({"steps": STEPS}))
    assert by(town, "dissolve_layer", layer_id="points") == "plan_deviation"
    assert by(town, "add_service_layer", kind="wms", url="http://127.0.0.1:1/", layer="a") == "plan_deviation"
    assert len(town.host.project.mapLayers()) == 3


def test_at21_another_file_is_a_deviation(town: Bench) -> None:
    """A write is clicked in any case; that it is not the planned one stands in the audit."""
    given = {"layer_id": "points", "format": "GPKG"}
    assert by(town, "prepare_export_layer", path="out.gpkg", **given) == "level:safe_write"
    assert by(town, "prepare_export_layer", path="other.gpkg", **given) == "plan_deviation"
    assert not list(town.folder.glob("*.gpkg"))


def test_at21_more_features_are_asked(town: Bench) -> None:
    """3 are approved. Not counted: asked; 3 as QGIS counted: not asked; a fourth came, and was counted: asked."""
    layer = town.host.layers.by_alias("few")
    assert hide(town, "few") == "permission"
    town.ok("count_features", layer_id="few", where=[{"field": "n", "op": "eq", "value": 1}])
    assert hide(town, "few") == "permission", "a count of a part says nothing"
    town.issue(caller="chat", plan=ApprovedPlan({"steps": STEPS}))
    assert town.ok("count_features", layer_id="few")["count"] == 3
    assert hide(town, "few") == ""
    layer.dataProvider().addFeatures([next(layer.dataProvider().getFeatures())])
    assert town.ok("count_features", layer_id="few")["count"] == 4
    assert hide(town, "few") == "permission"


def test_at21_a_count_ends_with_a_change(town: Bench) -> None:
    town.ok("count_features", layer_id="few")
    assert hide(town, "few") == ""
    assert hide(town, "few") == "permission", "what was done may have changed the data"


def test_at21_no_grant_answers_a_deviation(town: Bench) -> None:
    """Nor is one made by "this session"; the agent's own gate was never asked."""
    few = town.host.layers.by_alias("few")
    town.host.ledger.grants.add(
        caller="chat", tool="buffer_layer", effect="create", target=layer_target(few), session="session",
        project_id=town.host.project_id(), lifetime="session",
    )  # fmt: skip
    town.approver.answer = "session"
    for _ in range(2):
        town.ok("buffer_layer", layer_id="few", distance_m=5)
    assert len(town.approver.cards) == 2 and all(each["each_time"] for each in town.approver.cards)
    assert len(town.host.ledger.grants.listed()) == 1


def test_at21_what_a_step_made_is_a_target(town: Bench) -> None:
    made = town.ok("buffer_layer", layer_id="points", distance_m=5)["layer_id"]
    assert hide(town, made) == ""
    assert hide(town, "points") == "permission"


def test_at21_a_plan_that_is_not_the_one_that_was_shown_approves_nothing(town: Bench) -> None:
    """Its hash is of other steps; all that changes something is asked about, all that reads is not."""
    shown = Plan.from_steps(STEPS).to_dict()
    for wrong in (dict(shown, steps=[{**STEPS[0], "target": "few"}]), {"hash": shown["hash"]}, {"steps": "all"}):
        town.issue(caller="chat", plan=ApprovedPlan(wrong))
        assert by(town, "buffer_layer", layer_id="points", distance_m=5) == "plan_deviation"
        assert hide(town, "points") == "permission"
        assert town.ok("count_features", layer_id="points")["count"] == 4


def test_at21_both_sides_make_one_hash() -> None:
    """Of the same plan; each part of a step is in it, its status is not."""
    plan = Plan.from_steps(STEPS)
    assert plan_hash(plan.to_dict()["steps"]) == plan.hash == ApprovedPlan(plan.to_dict()).hash
    for key, value in (
        ("title", "x"), ("tool", "x"), ("target", "x"), ("inputs", ["x"]), ("path", "x"), ("features", 4),
    ):  # fmt: skip
        assert plan_hash([{**STEPS[1], key: value}]) != plan_hash([STEPS[1]])
    assert plan_hash([{**STEPS[1], "status": "done"}]) == plan_hash([STEPS[1]])
