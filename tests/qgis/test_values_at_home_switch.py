"""Attribute values at home: what was kept from before the switch, the ways around results, and the person's own report."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsMarkerSymbol, QgsRuleBasedRenderer, QgsSettings

from qgis_agent.gis import runs
from qgis_agent.gis.at_home import conversations, projection
from qgis_agent.gis.at_home.report import MAX_EARLIER, Kept
from qgis_agent.gis.host import run_until

TEXT = "kanarienvogel"
RULE = {"layer_id": "people", "method": "categorized", "field": "kind"}
WHERE = [{"field": "kind", "op": "eq", "value": f"{TEXT}1"}]


@pytest.fixture
def people(bench: Bench) -> Iterator[Bench]:
    """Four points with a canary in each."""
    rows: list[Any] = [(f"POINT({at} {at})", [f"{TEXT}{at}", at]) for at in range(4)]
    bench.add(memory_layer("Point?crs=EPSG:32650&field=kind:string&field=n:integer", rows, "people"))
    bench.approver.answer = "once"
    bench.issue()
    projection.choose(True)
    yield bench
    QgsSettings().remove("qgis_agent")


def clean(told: Any) -> bool:
    return TEXT not in json.dumps(told, ensure_ascii=False, default=str)


# ways around results


def test_an_answer_that_was_kept_with_values_is_not_the_answer_without(people: Bench) -> None:
    """The agent's cache asks for the revision of the data: it is another one behind the switch, and the same again before it."""
    controller = runs.RunController(people.host, Answering("once"), records=people.folder)
    params = {"capability": people.capability.token, "layer_ids": ["people"]}
    try:
        told = []
        for at_home in (False, True, False, True):
            projection.choose(at_home)
            told.append(controller._revision(params))
        none = (
            controller._revision({**params, "layer_ids": ["nowhere"]}),
            controller._revision({**params, "capability": ""}),
        )
    finally:
        controller.close()
    assert None not in told and told[0] == told[2] and told[1] == told[3] and told[0] != told[1]
    assert none[1] is None


def test_code_with_conditions_and_formulas_is_for_the_person_only(people: Bench) -> None:
    heard: list[dict[str, Any]] = []
    people.calls.ended.connect(lambda _call, _tool, told: heard.append(told))
    call = {"layer_id": "people", "distance_m": 5, "where": WHERE}
    sent = people.outcome("buffer_layer", **call)
    assert sent["envelope"]["ok"] and sent["recipes"] == []
    assert heard[0]["recipes"] and not clean(heard[0]["recipes"])
    projection.choose(False)
    assert people.outcome("buffer_layer", **call)["recipes"]


def test_the_style_of_a_layer_is_not_told_by_its_expressions(people: Bench) -> None:
    layer = people.host.layers.by_alias("people")
    root = QgsRuleBasedRenderer.Rule(None)
    root.appendChild(QgsRuleBasedRenderer.Rule(QgsMarkerSymbol(), filterExp=f"\"kind\" = '{TEXT}1'", label=f"{TEXT}1"))
    renderers: list[Any] = [QgsRuleBasedRenderer(root)]
    people.ok("set_render_rule", **RULE)
    renderers.append(layer.renderer().clone())
    renderers[1].setClassAttribute(f"\"kind\" = '{TEXT}1'")
    for renderer in renderers:
        layer.setRenderer(renderer)
        projection.choose(False)
        assert "style" in people.ok("describe_layer", layer_id="people")
        projection.choose(True)
        told = people.ok("describe_layer", layer_id="people")
        assert "style" not in told and "style" in told["kept_at_home"] and clean(told)


# conversations


def test_a_run_during_which_the_switch_was_off_holds_values(people: Bench) -> None:
    """It began without them. Off, one answer, and on again: the answer is in the conversation."""
    session = people.capability.session_id
    conversations.note_run(session, True)
    people.outcome("list_values", layer_id="people", field="kind")
    assert conversations.holds_none(session)
    projection.choose(False)
    assert conversations.holds_none(session), "nothing has gone out"
    people.outcome("list_values", layer_id="people", field="kind")
    projection.choose(True)
    assert not conversations.holds_none(session)


# the person's report


class Agent:
    """The agent's report of a run, from the outcomes that it got: as agent/records/trace.py makes it."""

    def __init__(self) -> None:
        self.report: dict[str, Any] = {"answer": "Done.", "map_actions": [], "legend": [], "evidence": []}

    def hears(self, outcome: dict[str, Any]) -> None:
        outcome = copy.deepcopy(outcome)
        styled = {each["layer_id"] for each in outcome["legend"]}
        self.report["map_actions"] += outcome["actions"]
        self.report["evidence"] += outcome["evidence"]
        kept = [each for each in self.report["legend"] if each["layer_id"] not in styled]
        self.report["legend"] = kept + outcome["legend"]


class Person:
    """What the report would be if nothing were kept at home: from what the dock hears of each call."""

    def __init__(self, bench: Bench) -> None:
        self.evidence: list[Any] = []
        bench.calls.ended.connect(lambda _call, _tool, told: self.evidence.extend(told["evidence"]))


@pytest.mark.parametrize("switches", [(True, True), (False, True), (True, False)])
def test_the_report_is_whole_when_the_switch_changes_in_a_run(people: Bench, switches: tuple[bool, bool]) -> None:
    agent, person = Agent(), Person(people)
    for at_home, (tool, arguments) in zip(
        switches, [("set_render_rule", RULE), ("buffer_layer", {"layer_id": "people", "distance_m": 5, "where": WHERE})]
    ):
        projection.choose(at_home)
        sent = people.outcome(tool, **arguments)
        assert clean(sent) is at_home
        agent.hears(sent)
    full = people.calls.kept.restored("run", agent.report)
    assert [each["label"] for each in full["legend"]][:4] == [f"{TEXT}{at}" for at in range(4)]
    assert full["evidence"] == person.evidence and person.evidence
    assert [each["op"] for each in full["map_actions"]] == [each["op"] for each in agent.report["map_actions"]]
    assert full["answer"] == "Done."


def test_an_answer_of_the_agents_cache_keeps_its_entries(people: Bench) -> None:
    """Given again in its run and in the next one, in which QGIS was not asked; with another call behind it."""
    first, second, person = Agent(), Agent(), Person(people)
    cached = people.outcome("buffer_layer", layer_id="people", distance_m=5, where=WHERE)
    assert cached["evidence"] and clean(cached["evidence"]) and not clean(person.evidence)
    first.hears(cached)
    first.hears(cached)
    told = people.calls.kept.restored("run", first.report)
    assert told["evidence"] == person.evidence * 2
    known = list(person.evidence)
    people.issue()
    second.hears(cached)
    second.hears(people.outcome("set_render_rule", **RULE))
    full = people.calls.kept.restored("run", second.report)
    assert full["evidence"] == known + person.evidence[len(known) :]
    assert [each["label"] for each in full["legend"]][-4:] == [f"{TEXT}{at}" for at in range(4)]


def test_a_layer_that_is_styled_again_has_its_last_classes(people: Bench) -> None:
    """Both looks are alike without their values: as many classes, of the same colours."""
    agent = Agent()
    agent.hears(people.outcome("set_render_rule", **{**RULE, "field": "n"}))
    agent.hears(people.outcome("set_render_rule", **RULE))
    full = people.calls.kept.restored("run", agent.report)
    assert [each["label"] for each in full["legend"]] == [f"{TEXT}{at}" for at in range(4)]


def test_a_call_that_is_answered_again_counts_once(people: Bench) -> None:
    agent, person = Agent(), Person(people)
    for field in ("n", "kind"):
        first: list[dict[str, Any]] = []
        for _again in range(2):
            outcomes: list[dict[str, Any]] = []
            people.begin("set_render_rule", {**RULE, "field": field}, outcomes, call_id=field)
            assert run_until(lambda outcomes=outcomes: bool(outcomes), 20)
            first = first or outcomes
        agent.hears(first[0])
    full = people.calls.kept.restored("run", agent.report)
    assert len(person.evidence) == 4 and full["evidence"] == person.evidence[::2]


def test_what_is_kept_for_the_cache_has_an_end(people: Bench) -> None:
    kept = Kept()
    for at in range(MAX_EARLIER + 50):
        full = {"envelope": {"ok": True}, "actions": [], "legend": [], "evidence": [{"ref": str(at), "text": TEXT}]}
        sent = {**full, "evidence": [{"ref": str(at), "text": "…"}]}
        kept.note(str(at), "c1", full, sent)
        kept.restored(str(at), {})
    assert len(kept._earlier) == MAX_EARLIER and str(at) in json.dumps(list(kept._earlier.values())[-1])
