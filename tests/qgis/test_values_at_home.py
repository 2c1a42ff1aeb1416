"""Must hold for every tool: with attribute values kept at home none of them is in what the agent process gets, and the person sees all."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from dock_fakes import FakeController
from qgis.core import (
    QgsField,
    QgsSettings,
    QgsVectorLayer,
    edit,
)
from qgis.PyQt.QtCore import QMetaType
from scope_calls import CALLS
from test_hostile_registry import SPECS, Stage, stage  # noqa: F401
from test_scope_everywhere import GHOST, arguments_of, data, world  # noqa: F401

from qgis_agent.gis import runs
from qgis_agent.gis.agent_process import AgentProcess
from qgis_agent.gis.at_home import projection
from qgis_agent.gis.at_home.conversations import holds_none, note_run
from qgis_agent.gis.at_home.passes import OWN, SHARED, WITHHELD
from qgis_agent.gis.at_home.sentences import Sentences
from qgis_agent.gis.host import run_until
from qgis_agent.gis.i18n import translate
from qgis_agent.gis.run_state import state_at_end, state_at_start
from qgis_agent.gis.tools.registry import load_all
from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.dock.dock import AgentDock

ROOT = Path(__file__).resolve().parents[2]
TEXT = "kanarienvogel"
NUMBER = 918273
TOOLS = sorted(load_all())


@pytest.fixture
def at_home(qgis_app: Any) -> Iterator[None]:
    projection.choose(True)
    yield
    QgsSettings().remove("qgis_agent")


def clean(told: Any) -> bool:
    """Whether no canary is in it. Numbers are looked for by their first digits, so that rounded ones are found too."""
    text = json.dumps(told, ensure_ascii=False, default=str)
    return TEXT not in text and str(NUMBER)[:4] not in text


class Ears:
    """What the dock is told of each call: in full."""

    def __init__(self, bench: Bench) -> None:
        self.heard: list[dict[str, Any]] = []
        bench.calls.ended.connect(lambda _call, _tool, told: self.heard.append(told))


def see_all(world: Bench) -> None:  # noqa: F811
    """The canaries are in fields that every tool may read, and in the looks and the filter of layers."""
    world.host.scope.set([], {}, [])
    people = world.host.project.mapLayersByName("people")[0]
    world.host.project.removeMapLayers([each.id() for each in world.host.project.mapLayersByName(GHOST)])
    people.setSubsetString(f"\"secret\" <> '{TEXT}11'")


def test_no_tool_lets_an_attribute_value_out(world: Bench, at_home: None) -> None:  # noqa: F811
    """The calls of the table of scopes, twice: on what they name, and with the canary fields in the place of the others."""
    see_all(world)
    ears = Ears(world)
    names = {"salary": "hush", "kind": "secret"}
    wrong = []
    for name, calls in CALLS.items():
        for at in range(len(calls)):
            plain = arguments_of(world, name, at)
            for arguments in [_swapped(plain, names)]:
                outcome = world.outcome(name, **arguments)
                if not clean(outcome) or outcome["envelope"].get("reason") == "internal":
                    wrong.append((name, arguments, outcome))
                ref = (outcome["envelope"].get("data") or {}).get("result_ref")
                if ref:
                    page = world.outcome("fetch_result", result_ref=ref, page_size=50)
                    wrong += [] if clean(page) else [(name, arguments, page)]
    assert not wrong, wrong
    full = json.dumps(ears.heard, ensure_ascii=False, default=str)
    assert full.count(TEXT) > 50 and full.count(str(NUMBER)[:4]) > 20  # and the person saw them
    pushed = [
        projection.projected_snapshot(world.host.snapshot()),
        world.host.layers.catalogue(),
        state_at_start(world.host),
        state_at_end(world.host, world.capability),
    ]
    assert clean(pushed), pushed


def _swapped(node: Any, names: dict[str, str]) -> Any:
    """The arguments with other fields. Names of results that are made from fields stay."""
    if isinstance(node, dict):
        return {key: _swapped(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_swapped(each, names) for each in node]
    return names.get(node, node) if isinstance(node, str) else node


def test_the_valid_call_of_every_tool_works_and_lets_no_value_out(stage: Stage, at_home: None) -> None:  # noqa: F811
    """Every tool of the registry, where a person agrees; the values of all its layers are canaries, in fields whose names are
    those of passing keys."""
    _canaries_under_every_name(stage.bench)
    wrong = []
    for name in (each for each in sorted(SPECS) if SPECS[each]["where"] == "qgis"):
        stage.bench.issue(caller="mcp" if name in ("commit_action", "get_map_state") else "chat")
        stage.bench.approver.answer = "deny" if name == "prepare_remove_layer" else "once"
        arguments = _swapped(stage.base(name), {"points2": "canaries"})
        arguments.pop("where", None)
        outcome = stage.bench.outcome(name, **arguments)
        if not clean(outcome) or outcome["envelope"].get("reason") == "internal":
            wrong.append((name, arguments, outcome))
        stage.tidy(name)
    assert not wrong, wrong


def _canaries_under_every_name(bench: Bench) -> None:
    """A layer whose fields have the names of keys that pass, and the points with the same."""
    names = sorted({each for each in SHARED if each.isidentifier()} | {"name", "n"})
    numbers = {"count", "total", "area_km2", "feature_count", "n", "matched", "scale", "length_m"}
    fields = "".join(f"&field={each}:{'integer' if each in numbers else 'string'}" for each in names)
    rows = [
        (f"POINT({at} {at})", [NUMBER + at if each in numbers else f"{TEXT}{at}" for each in names]) for at in range(4)
    ]
    bench.add(memory_layer(f"Point?crs=EPSG:3857{fields}", rows, "canaries"))
    for layer in bench.host.project.mapLayers().values():
        if isinstance(layer, QgsVectorLayer) and layer.name() in ("points", "polygons", "lines"):
            with edit(layer):
                layer.addAttribute(QgsField("total", QMetaType.Type.QString))
                name, total, n = (layer.fields().lookupField(each) for each in ("name", "total", "n"))
                for at, feature in enumerate(list(layer.getFeatures())):
                    layer.changeAttributeValue(feature.id(), name, f"{TEXT}{at}")
                    layer.changeAttributeValue(feature.id(), total, f"{TEXT}{at}")
                    layer.changeAttributeValue(feature.id(), n, NUMBER + at)


def test_rows_of_a_layer_with_such_names_stay(bench: Bench, at_home: None) -> None:
    """A key of a row is the name of a field: it passes nothing, whatever it is called."""
    _canaries_under_every_name(bench)
    bench.approver.answer = "once"
    by = {"layer_id": "canaries", "group_by": "name"}
    for name, arguments in (
        ("query_features", {"layer_id": "canaries"}),
        ("query_in_bbox", {"layer_id": "canaries", "bbox": [-1, -1, 1, 1]}),
        ("count_features", by),
        ("list_values", {"layer_id": "canaries", "field": "total"}),
        ("summarize_field", {"layer_id": "canaries", "field": "total"}),
        ("aggregate_layer", {"layer_id": "canaries", "fields": ["name"], "aggregates": [{"field": "count", "function": "max"}]}),
        ("set_render_rule", {"layer_id": "canaries", "method": "categorized", "field": "layer_id"}),
        ("get_style", {"layer_id": "canaries"}),
        ("resolve_place", {"text": TEXT}),
    ):  # fmt: skip
        outcome = bench.outcome(name, **arguments)
        told = json.loads(json.dumps(outcome).replace(json.dumps(TEXT), '""'))  # its own argument
        assert clean(told), (name, told)
    found = bench.ok("query_features", layer_id="canaries")
    assert set(found) == {"layer_id", "total", "returned", "count_kind", "result_ref", "kept_at_home"}
    assert (found["total"], found["kept_at_home"]) == (4, ["rows"])


def test_without_the_switch_all_of_it_goes_out(world: Bench) -> None:  # noqa: F811
    """The canaries are there to be found: the same calls do tell them when nothing is kept at home."""
    see_all(world)
    told = [world.outcome(name, **_swapped(arguments_of(world, name, 0), {"kind": "secret"})) for name in (
        "query_features", "list_values", "count_features", "get_style", "read_chart_values", "describe_layer",
    )]  # fmt: skip
    assert not any(clean(each) for each in told), told
    assert not clean(world.host.snapshot()) and not clean(state_at_start(world.host))


def test_every_tool_that_is_named_in_the_table_exists() -> None:
    assert set(OWN) | WITHHELD <= set(TOOLS)


# sentences


@pytest.fixture
def said(qgis_app: Any) -> Sentences:
    for text in ("No feature of '{}' matches.", "{} rows have a key that the layer lacks, such as {}.", "Look at it."):
        translate("QgisAgent", text)
    return Sentences({"people", "zones of the city", "kind"})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("No feature of 'people' matches.", "No feature of 'people' matches."),
        ("No feature of 'Mr Smith' matches.", "No feature of '…' matches."),
        ("No feature of 'peoples' matches. Look at it.", "No feature of '…' matches. Look at it."),
        ("Look at it. No feature of 'zones of the city' matches.", "Look at it. No feature of 'zones of the city' matches."),
        ("12 rows have a key that the layer lacks, such as kind, 7.5 and people.",
         "… rows have a key that the layer lacks, such as kind, … and people."),
        ("Mr Smith earns 918273.", "…."),
        ("values from -3 to 918273", "…"),
        ("机密", "…"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_sentence_passes_as_far_as_it_is_ours(said: Sentences, text: str, told: str) -> None:
    assert said.safe(text) == told


def test_a_value_that_looks_like_a_sentence_brings_nothing_along(said: Sentences) -> None:
    text = f"No feature of 'No feature of '{TEXT}' matches. {TEXT}' matches."
    assert TEXT not in said.safe(text)


def test_long_texts_take_no_time(said: Sentences, goal_s: float = 1.0) -> None:
    begin = time.perf_counter()
    said.safe("No feature of '" * 300 + TEXT)
    assert time.perf_counter() - begin < 3 * goal_s


# the parts around it


def test_the_answer_of_a_person_reaches_the_model(bench: Bench, at_home: None) -> None:
    """Who says no says why in their own words: these are no data."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:string", [("POINT(0 0)", [TEXT])], "people"))
    bench.approver.answer = "deny"
    bench.issue(level="read_only")
    outcome = bench.outcome("buffer_layer", layer_id="people", distance_m=5)
    assert outcome["envelope"]["code"] == "PERMISSION_DENIED" and "…" not in outcome["envelope"]["message"]


def test_a_changing_call_that_is_asked_for_again_gives_no_more(world: Bench, at_home: None) -> None:  # noqa: F811
    see_all(world)
    first: list[dict[str, Any]] = []
    arguments = {"layer_id": "people", "method": "categorized", "field": "secret"}
    world.begin("set_render_rule", arguments, first, call_id="same")
    assert run_until(lambda: bool(first), 20)
    again: list[dict[str, Any]] = []
    world.begin("set_render_rule", arguments, again, call_id="same")
    assert again == first and clean(again)
    asked = {"capability": world.capability.token, "run_id": world.capability.run_id, "call_id": "same"}
    known = world.calls.outcome_of(asked)
    assert known["known"] and known["outcome"] == first[0]


def test_the_persons_report_has_legend_and_evidence_in_full(world: Bench, at_home: None) -> None:  # noqa: F811
    see_all(world)
    outcome = world.outcome("set_render_rule", layer_id="people", method="categorized", field="secret")
    assert clean(outcome)
    report = {"answer": "Done.", "legend": outcome["legend"], "evidence": [], "map_actions": outcome["actions"]}
    full = world.calls.kept.restored(world.capability.run_id, report)
    assert full["legend"][0]["label"] == f"{TEXT}0" and not clean(full)
    assert full["answer"] == "Done." and full["map_actions"][0]["op"] == "render"


def test_conversations_that_hold_values_are_known(at_home: None) -> None:
    note_run("old", False)
    note_run("new", True)
    assert holds_none("new") and not holds_none("old") and not holds_none("never heard of")
    note_run("new", False)
    assert not holds_none("new")


def test_a_conversation_that_may_hold_values_is_not_read_once_more(qtbot: Any, at_home: None) -> None:
    """/compact sends it to the model. One that was kept free of values is summarised as ever."""
    controller = FakeController()
    dock = AgentDock(controller, list)
    qtbot.addWidget(dock)
    dock.show()
    dock.send("schools?")
    controller.end(answer="25")
    for free in (False, True):
        note_run("s-now", free)
        dock.composer.set_text("/compact")
        dock.composer.submit()
        asked = [method for method, _params, _answer in controller.asked if method == "session/compact"]
        assert len(asked) == free
        words = [each.accessibleName() or each.text() for each in dock.conversation.findChildren(NoticeLine)]
        assert free or any("may hold attribute values" in each for each in words), words
    words = [each.accessibleName() or each.text() for each in dock.conversation.findChildren(NoticeLine)]
    assert any("Summarising" in each for each in words)


# the real agent process

AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", ROOT / ".agent-env" / "bin" / "python"))
TURNS = [
    ("query_features", {"layer_id": "people", "limit": 3}),
    ("list_values", {"layer_id": "people", "field": "secret"}),
    ("summarize_field", {"layer_id": "people", "field": "hush"}),
    ("set_render_rule", {"layer_id": "people", "method": "categorized", "field": "secret"}),
    ("make_chart", {"kind": "bar", "layer_id": "people", "x": "secret", "y": "hush", "title": "Chart"}),
    ("resolve_place", {"text": "nowhere"}),
    ("get_map_state", {}),
    ("describe_layer", {"layer_id": "people"}),
]


def test_nothing_that_crosses_the_bridge_holds_a_value(
    world: Bench,  # noqa: F811
    at_home: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every byte that QGIS writes to the agent process, in a run of a scripted model and in offline commands; and the report has
    the legend in full."""
    if not AGENT_PYTHON.exists():
        pytest.fail(f"{AGENT_PYTHON} is missing: run make setup")
    see_all(world)
    found = SimpleNamespace(ok=True, message="")
    others = {"locate": lambda: AGENT_PYTHON.parent.parent, "check": lambda _folder: found}
    real = SimpleNamespace(**{**vars(runs.environment), **others, "python_of": lambda _folder: AGENT_PYTHON})
    monkeypatch.setattr(runs, "environment", real)
    lines: list[bytes] = []
    write = AgentProcess._write
    monkeypatch.setattr(AgentProcess, "_write", lambda self, line: (lines.append(line), write(self, line))[1])
    controller = runs.RunController(world.host, Answering("once"), records=world.folder)
    ears, reports = [], []
    controller.calls.ended.connect(lambda _call, _tool, told: ears.append(told))
    controller.finished.connect(reports.append)
    calls = [{"tool_calls": [{"name": name, "arguments": arguments}]} for name, arguments in TURNS]
    controller.configure_model({"kind": "script", "turns": [*calls, {"text": "Done."}]})
    try:
        for text in (
            "make a bar chart of hush by secret and tell me all of it",
            "summarize hush of people",
            "list values of secret in people",
        ):
            assert controller.start(text)
            assert run_until(lambda: not controller.running, 60)
            controller.configure_model({"kind": "offline"})
    finally:
        controller.close()
    sent = b"".join(lines).decode()
    assert clean(sent), [each for each in lines if not clean(each.decode())]
    assert "people" in sent and '"count"' in sent  # it is what was sent
    assert not clean(ears)  # the person's view
    first = reports[0]
    assert first["answer"].startswith("Done.") and first["legend"][0]["label"] == f"{TEXT}0", first
    assert [each["code"] for each in first["steps"] if each["tool"] == "make_chart"] == ["UNSUPPORTED"]
    for each in reports[1:]:
        assert each["termination"] == "completed" and clean(each["answer"]), each
    print([each["answer"] for each in reports])
    record = "".join(each.read_text(encoding="utf-8") for each in world.folder.rglob("*.jsonl"))
    assert "set_render_rule" in record and clean(record)
