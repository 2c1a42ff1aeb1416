"""Parts of the export of a run: what is recorded, how earlier runs are taken in, and traces that nobody should trust."""

from __future__ import annotations

import ast
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from qgis.core import QgsExpression, QgsProject
from qgis.PyQt.QtWidgets import QFileDialog

sys.path.insert(0, str(REPO / "tests" / "support"))
from dock_fakes import FakeController
from run_traces import trace_of_calls

from qgis_agent.bridge.trace import to_line
from qgis_agent.gis.at_home import projection
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.export_run.model import export_model, model_of
from qgis_agent.gis.export_run.names import Names, name_of
from qgis_agent.gis.export_run.script import export_script, script_of
from qgis_agent.gis.export_run.sizes import known_size, scaled, sizes_in
from qgis_agent.gis.export_run.steps import Settings, steps_of
from qgis_agent.gis.export_run.words import others
from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.dock.dock import AgentDock

BUFFER = ("buffer_layer", {"layer_id": "schools", "distance_m": 100})


@pytest.fixture
def city(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A copy of the sample, opened."""
    monkeypatch.setattr(projection, "wanted", lambda: False)  # whatever this machine's profile says
    shutil.copytree(REPO / "resources" / "sample", tmp_path / "sample")
    assert bench.host.project.read(str(tmp_path / "sample" / "city.qgz"))
    bench.issue()
    return bench


@pytest.fixture
def trace(city: Bench) -> dict[str, Any]:
    return trace_of_calls(city, "buffer the schools", [BUFFER])


def first_step(trace: dict[str, Any]) -> dict[str, Any]:
    return trace["final"]["evidence"][0]["algorithms"]["steps"][0]


# names, sizes


def test_names_are_those_that_qgis_gives() -> None:
    names = Names()
    assert [names.of_layer(each) for each in ("schools", "公共设施", "医院", "schools")] == [
        "schools",
        "layer_1",
        "layer_2",
        "schools_2",
    ]
    titles = ["Schools buffer 100 m", "街道缓冲区", "2 layers merged", "schools", "街道缓冲区"]
    told = [names.of_result(each) for each in titles]
    assert [each[0] for each in told] == [
        "schools_buffer_100_m",
        "result_1",
        "result_1_2_layers_merged",
        "result_1_schools",
        "result_2",
    ]
    assert all(name_of(title) == name for name, title in told)


def test_sizes_are_scaled_only_where_they_are_sizes() -> None:
    text = "'$area' || \"$area\" || $area / 2 + $length"
    assert sizes_in([{"expression": text}]) == ["$area", "$perimeter"]
    made = scaled(text, {"$area": "'7'", "$perimeter": "'3'"})
    assert QgsExpression(made).evaluate() == "'$area' || \"$area\" || ($area * 7) / 2 + ($length * 3)"
    table = [{"name": 'it\'s \\ "x"\n', "on": True, "n": 3, "none": None, "expression": "$area + 1"}]
    nested = QgsExpression(scaled(table, {"$area": "'7'"})).evaluate()
    assert nested == [{**table[0], "expression": "($area * 7) + 1"}]


def test_the_known_polygon_has_its_published_size() -> None:
    """A degree square at the equator: 12,308.8 km² on WGS 84 (pyproj says the same)."""
    from pyproj import Geod

    area, around = Geod(ellps="WGS84").polygon_area_perimeter([0, 1, 1, 0], [0, 0, 1, 1])
    assert known_size("$area", Settings()) == pytest.approx(area, rel=1e-5)
    assert known_size("$area", Settings(area_unit="km2")) == pytest.approx(area / 1e6, rel=1e-5)
    assert known_size("$perimeter", Settings(distance_unit="km")) == pytest.approx(around / 1e3, rel=1e-4)


# what is recorded


def test_hidden_fields_are_neither_in_the_record_nor_in_the_result(city: Bench) -> None:
    schools = city.host.layers.by_alias("schools")
    city.host.scope.set([], {schools.id(): ["pupils"]}, [])
    trace = trace_of_calls(city, "buffer", [BUFFER])
    assert "pupils" not in json.dumps(trace)
    assert first_step(trace)["algorithm"] == "native:retainfields"
    assert set(first_step(trace)["parameters"]["FIELDS"]) == {"fid", "name", "kind", "year"}


def test_invalid_features_that_were_skipped_are_left_out_by_a_step(city: Bench) -> None:
    rows: list[Any] = [("POLYGON((0 0,1 1,1 0,0 1,0 0))", [1]), ("POLYGON((2 0,3 0,3 1,2 0))", [2])]
    city.add(memory_layer("Polygon?crs=EPSG:32650&field=n:integer", rows, "bow"))
    call = {"algorithm": "native:centroids", "parameters": {"INPUT": "bow"}, "invalid_geometry": "skip", "as_is": True}
    trace = trace_of_calls(city, "centroids", [("run_algorithm", call)])
    assert trace["steps"][0]["result"]["data"]["feature_count"] == 1
    assert "is_valid" in first_step(trace)["parameters"]["EXPRESSION"]
    assert trace["final"]["evidence"][0]["algorithms"]["inputs"][0]["temporary"]


def test_an_algorithm_that_only_gives_numbers_is_exported(city: Bench, tmp_path: Path) -> None:
    call = {
        "algorithm": "native:basicstatisticsforfields",
        "parameters": {"INPUT_LAYER": "schools", "FIELD_NAME": "pupils"},
    }
    run = steps_of(trace_of_calls(city, "statistics", [("run_algorithm", call)]))
    assert [each.ident for each in run.algorithms] == ["native:basicstatisticsforfields"]
    assert model_of(run).validate()[0]


def test_an_answer_that_reuses_a_layer_is_exported_as_well(city: Bench) -> None:
    call = ("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"})
    trace_of_calls(city, "count", [call])
    again = trace_of_calls(city, "count again", [call])
    assert again["steps"][0]["result"]["data"]["reused"]
    assert [each.title for each in steps_of(again).results] == ["schools per streets"]


def test_a_stated_crs_is_stated_in_the_export(city: Bench) -> None:
    call = ("set_layer_crs", {"layer_id": "schools", "crs": "EPSG:4490"})
    run = steps_of(trace_of_calls(city, "crs", [call, BUFFER]))
    assert run.algorithms[0][2:4] == (
        "native:assignprojection",
        {"INPUT": {"$ref": "input:schools"}, "CRS": "EPSG:4490"},
    )
    assert run.algorithms[1].parameters["INPUT"] == {"$ref": run.algorithms[0].key}


def test_a_file_that_the_run_added_is_opened_by_its_path(city: Bench, tmp_path: Path) -> None:
    square = {"type": "Polygon", "coordinates": [[[120, 30], [120.1, 30], [120.1, 30.1], [120, 30]]]}
    feature = {"type": "Feature", "properties": {"n": 1}, "geometry": square}
    (tmp_path / "sample" / "more.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    calls = [
        ("add_vector_layer", {"path": "more.geojson"}),
        ("derive_geometry", {"layer_id": "more", "kind": "centroid"}),
    ]
    trace = trace_of_calls(city, "more", calls)
    assert steps_of(trace).sources[0].file == "more.geojson"
    trace["project"]["path"] = city.host.project.fileName()
    assert Path(steps_of(trace).sources[0].file) == tmp_path / "sample" / "more.geojson"


# the conversation before


def test_layers_of_earlier_runs_are_made_on_the_way(city: Bench) -> None:
    first = trace_of_calls(city, "buffer", [BUFFER])
    overlay = {"layer_id": "streets", "overlay_layer_id": "schools_buffer_100_m", "operation": "difference"}
    second = trace_of_calls(city, "cut", [("overlay_layers", overlay)])
    alone, whole = steps_of(second), steps_of(second, [first])
    assert {each.name for each in alone.sources} == {"streets", "schools_buffer_100_m"}
    assert {each.name for each in whole.sources} == {"streets", "schools"}
    assert "choose one" in str(model_of(alone).helpContent()) and "choose one" not in str(model_of(whole).helpContent())
    assert [each.title for each in whole.results] == ["streets difference schools buffer 100 m"]
    assert model_of(whole).validate()[0]


# traces from anywhere


def test_a_run_without_algorithms_is_said(city: Bench, tmp_path: Path) -> None:
    trace = trace_of_calls(city, "look", [("zoom_to", {"layer_id": "schools"})])
    for export in (export_model, export_script):
        with pytest.raises(ToolError) as caught:
            export(trace, str(tmp_path / "out"))
        assert (caught.value.envelope["code"], caught.value.envelope["reason"]) == ("UNSUPPORTED", "nothing_to_export")
    assert not (tmp_path / "out").exists()


def test_a_redacted_trace_is_not_exported(trace: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        steps_of({**trace, "redacted": ["values"]})
    assert caught.value.envelope["reason"] == "redacted"


EVIL = "x\nimport os\u2028os.system('touch evil') # <STEPS> \"\"\" ''' \\"


def test_words_of_a_trace_are_never_code(trace: dict[str, Any]) -> None:
    trace["user_text"] = trace["final"]["answer"] = trace["trace_id"] = EVIL
    trace["aliases"]["schools"]["name"] = trace["aliases"]["schools"]["layer_id"] = EVIL
    trace["steps"].append({"step": 2, "tool": EVIL, "args": {EVIL: EVIL}, "result": {"ok": True}})
    trace["final"]["map_actions"][0]["args"]["name"] = trace["steps"][0]["actions"][0]["args"]["name"] = EVIL
    help_text = model_of(steps_of(trace)).helpContent()["ALG_DESC"]
    assert "<STEPS>" not in help_text and "&lt;STEPS&gt;" in help_text
    first_step(trace)["parameters"]["DISTANCE"] = EVIL
    run = steps_of(trace)
    tree = ast.parse(script_of(run))
    calls = {ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    assert not {each for each in calls if "system" in each}
    plain = {ast.unparse(each) for each in tree.body if isinstance(each, (ast.Import, ast.ImportFrom))}
    assert len(plain) == 6, "the imports of the frame, and no others"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("algorithm", "native:buffer'); import os; ('"),
        ("algorithm", "no id"),
        ("output", "OUT']; evil"),
        ("more", ["x'"]),
        ("parameters", {"A']": 1}),
        ("parameters", {"INPUT": {"$ref": "nothing"}}),
        ("parameters", {"INPUT": {"$ref": "input:unknown"}}),
    ],
)
def test_a_damaged_record_is_refused(trace: dict[str, Any], key: str, value: Any) -> None:
    first_step(trace)[key] = value
    with pytest.raises(ToolError) as caught:
        steps_of(trace)
    assert caught.value.envelope["reason"] == "trace" and caught.value.envelope["hint"]


FORBIDDEN_STEPS = [
    ("native:httprequest", {"URL": "https://example.org"}, "OUTPUT", [], "connects to the network"),
    ("qgisagent:ask", {"PROMPT": "x"}, "", [], "starts the agent"),
    (
        "native:buffer",
        {"INPUT": {"$ref": "input:schools"}, "DISTANCE": 1, "OUTPUT": "/tmp/over.gpkg"},
        "",
        [],
        "OUTPUT",
    ),
    ("native:buffer", {"INPUT": {"$ref": "input:schools"}, "output": "/tmp/over.gpkg"}, "OUTPUT", [], "OUTPUT"),
    ("qgis:statisticsbycategories", {"INPUT": {"$ref": "input:schools"}, "OUTPUT": True}, "", [], "OUTPUT"),
    ("native:pointstopath", {"INPUT": {"$ref": "input:schools"}}, "OUTPUT", ["OUTPUT_TEXT_DIR"], "OUTPUT_TEXT_DIR"),
    ("nowhere:unknown", {"OUT": "/tmp/over.txt"}, "", [], "not available"),
]


@pytest.mark.parametrize(("ident", "parameters", "output", "more", "why"), FORBIDDEN_STEPS)
def test_what_the_agent_never_runs_is_not_exported(
    trace: dict[str, Any],
    tmp_path: Path,
    ident: str,
    parameters: dict[str, Any],
    output: str,
    more: list[str],
    why: str,
) -> None:
    """A trace of somebody else: the step is refused, by itself and beside others, and the export says so."""
    evil = {"key": "e", "algorithm": ident, "parameters": parameters, "output": output, "more": more}
    alone, beside = json.loads(json.dumps(trace)), json.loads(json.dumps(trace))
    alone["final"]["evidence"][0]["algorithms"]["steps"].append(evil)
    for export in (export_model, export_script):
        with pytest.raises(ToolError) as caught:
            export(alone, str(tmp_path / "out"))
        told = caught.value.envelope
        assert (told["code"], told["reason"]) == ("UNSUPPORTED", "not_exportable") and why in told["message"]
    assert not (tmp_path / "out").exists()
    first = beside["final"]["evidence"][0]
    beside["steps"].append({"step": 2, "tool": "run_algorithm", "args": {}, "result": {"ok": True, "data": {}}})
    lost = {"inputs": first["algorithms"]["inputs"], "steps": [evil], "result": None}
    beside["final"]["evidence"].append({"ref": "lost", "tool": "run_algorithm", "algorithms": lost})
    run = steps_of(beside)
    assert [each.ident for each in run.algorithms] == [each.ident for each in steps_of(trace).algorithms]
    (note,) = others(run)
    assert note.startswith("Step 2") and "is not exported" in note and why in note
    assert note in script_of(run) and why in model_of(run).helpContent()["ALG_DESC"]
    tree = ast.parse(script_of(run))
    assert not [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each.value == ident and output]


def test_the_layer_of_a_refused_step_is_asked_for(city: Bench) -> None:
    """Of this run and of an earlier one: what goes on with it gets it as an input."""
    first = trace_of_calls(city, "buffer", [BUFFER])
    overlay = {"layer_id": "streets", "overlay_layer_id": "schools_buffer_100_m", "operation": "difference"}
    second = trace_of_calls(city, "cut", [("overlay_layers", overlay)])
    first_step(first)["parameters"]["OUTPUT"] = "/tmp/over.gpkg"
    run = steps_of(second, [first])
    assert {each.name for each in run.sources} == {"streets", "schools_buffer_100_m"}
    assert "choose one" in str(model_of(run).helpContent())
    second["steps"] = first["steps"] + second["steps"]
    second["final"]["evidence"] = first["final"]["evidence"] + second["final"]["evidence"]
    run = steps_of(second)
    assert {each.name for each in run.sources} == {"streets", "schools_buffer_100_m"}
    assert ["is not exported" in each for each in others(run)] == [True]


CODE = {"INPUT": {"$ref": "input:schools"}, "FIELD_NAME": "x", "FIELD_TYPE": 0, "FORMULA": "value = 1"}
RISKS = [
    ("qgis:executesql", {"INPUT_DATASOURCES": [], "INPUT_QUERY": "SELECT 1"}, "OUTPUT", "it runs SQL"),
    ("qgis:advancedpythonfieldcalculator", CODE, "OUTPUT", "it runs code"),
    ("native:truncatetable", {"INPUT": {"$ref": "input:schools"}}, "", "changes the data source"),
    ("gdal:buffervectors", {"INPUT": {"$ref": "input:schools"}, "OPTIONS": "-sql x"}, "OUTPUT", "options of a command"),
]


@pytest.mark.parametrize(("ident", "parameters", "output", "why"), RISKS)
def test_what_runs_sql_or_code_or_writes_is_said(
    city: Bench, trace: dict[str, Any], tmp_path: Path, ident: str, parameters: dict[str, Any], output: str, why: str
) -> None:
    quiet = export_script(trace, str(tmp_path / "quiet.py"))
    assert quiet["risks"] == []
    risky = {"key": "e", "algorithm": ident, "parameters": parameters, "output": output, "more": []}
    trace["final"]["evidence"][0]["algorithms"]["steps"].append(risky)
    script, model = tmp_path / "out.py", tmp_path / "out.model3"
    for told in (export_script(trace, str(script)), export_model(trace, str(model))):
        (risk,) = told["risks"]
        assert ident in risk and why in risk and risk not in told["notes"]
    head = script.read_text(encoding="utf-8").partition("import argparse")[0]
    assert risk in head
    assert why in model_of(steps_of(trace)).helpContent()["ALG_DESC"]


def test_a_file_that_cannot_be_written_is_said(trace: dict[str, Any], tmp_path: Path) -> None:
    for export in (export_model, export_script):
        with pytest.raises(ToolError) as caught:
            export(trace, str(tmp_path / "nowhere" / "out"))
        assert caught.value.envelope["reason"] == "not_written"


# the menu


@pytest.fixture
def dock(city: Bench) -> Iterator[AgentDock]:
    controller: Any = FakeController()
    controller.host = SimpleNamespace(project=QgsProject.instance(), canvas=None)
    made = AgentDock(controller, list)
    yield made
    made.run_desk.close()
    made.deleteLater()


def ended(dock: AgentDock, trace: dict[str, Any], evidence: list[Any]) -> Any:
    controller: Any = dock._controller
    dock.send("buffer the schools")
    steps = [{"step": 1, "tool": "buffer_layer"}]
    controller.end(answer="Done.", trace_id=trace["trace_id"], steps=steps, evidence=evidence)
    return dock.conversation.runs()[-1]


def answered(dock: AgentDock, trace: dict[str, Any]) -> str:
    """The agent process writes the trace; what the dock then says."""
    controller: Any = dock._controller
    _method, params, done = controller.asked.pop()
    Path(params["path"]).write_text(to_line(trace), encoding="utf-8")
    done({"count": 1}, "")
    return [each.text() for each in dock.conversation.findChildren(NoticeLine)][-1]


@pytest.mark.parametrize(("what", "suffix"), [("export_model", ".model3"), ("export_script", ".py")])
def test_a_person_exports_a_run_by_its_menu(
    dock: AgentDock, trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, suffix: str
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(tmp_path / "mine"), ""))
    evidence = trace["final"]["evidence"]
    run = ended(dock, trace, evidence)
    assert list(run.menu.choices)[-2:] == ["export_model", "export_script"]
    run.menu.choices[what].trigger()
    # the record has no algorithms where attribute values stay at home; this QGIS still knows them
    told = answered(dock, {**trace, "final": {**trace["final"], "evidence": []}})
    assert str(tmp_path / "mine") + suffix in told and "plugin" in told
    assert (tmp_path / "mine").with_suffix(suffix).stat().st_size > 1_000


def test_nothing_is_written_without_a_file_and_over_another(
    dock: AgentDock, trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("mine")
    for chosen in ("", str(tmp_path / "mine")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, chosen=chosen: (chosen, ""))
        ended(dock, trace, trace["final"]["evidence"]).menu.choices["export_script"].trigger()
        controller: Any = dock._controller
        _method, params, done = controller.asked.pop()
        Path(params["path"]).write_text(to_line(trace), encoding="utf-8")
        done({"count": 1}, "")
    assert (tmp_path / "mine.py").read_text() == "mine"


def test_a_run_without_algorithms_offers_no_export(dock: AgentDock, trace: dict[str, Any]) -> None:
    assert "export_model" not in ended(dock, trace, [{"ref": "x", "tool": "measure", "text": "…"}]).menu.choices
