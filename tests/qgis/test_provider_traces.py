"""``qgisagent:replaytrace`` and ``qgisagent:exportmodel`` as the toolbox, a model and a batch run them."""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench
from qgis.core import (
    QgsProcessingContext,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelOutput,
    QgsProject,
)
from qgis.PyQt.QtCore import QTimer

from qgis_agent.bridge.trace import to_line
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.replay import replayer

sys.path.insert(0, str(REPO / "tests" / "support"))
from provider_runs import Feedback, algorithm, run
from run_traces import trace_of_calls

WORDS = "buffer schools by 300 m"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample, in which the trace was recorded."""
    made = tmp_path_factory.mktemp("traces")
    shutil.copytree(REPO / "resources" / "sample", made / "city")
    return made


@pytest.fixture
def city(bench: Bench, folder: Path) -> Iterator[QgsProject]:
    load_providers()
    assert bench.host.project.read(str(folder / "city" / "city.qgz"))
    yield bench.host.project


@pytest.fixture
def trace(city: QgsProject, folder: Path) -> Path:
    """The trace of one run; made once."""
    target = folder / "run.jsonl"
    if not target.exists():
        _, well, told = run("ask", {"PROMPT": WORDS, "TRACE": str(target)})
        assert well, told.warned
    return target


def changed(folder: Path, tmp_path: Path) -> Path:
    """Another copy of the project, in which a school is missing."""
    shutil.copytree(folder / "city", tmp_path / "less")
    with sqlite3.connect(tmp_path / "less" / "city.gpkg") as database:
        triggers = database.execute("select name from sqlite_master where type = 'trigger' and tbl_name = 'schools'")
        for (name,) in triggers.fetchall():
            database.execute(f'drop trigger "{name}"')
        database.execute("delete from schools where fid = (select min(fid) from schools)")
    return tmp_path / "less" / "city.qgz"


def test_a_replay_from_the_toolbox_is_equal_and_leaves_the_open_project_alone(city: QgsProject, trace: Path) -> None:
    import processing

    before = sorted(city.mapLayers())
    outputs = processing.run("qgisagent:replaytrace", {"TRACE": str(trace)})
    (report,) = json.loads(outputs["REPORT"])
    assert outputs["EQUAL"] is True and outputs["DIFFERENCE"] == "" and outputs["SKIPPED"] == 0
    assert [each["outcome"] for each in report["steps"]] == ["equal"]
    assert sorted(city.mapLayers()) == before


def test_a_changed_project_is_caught_at_its_step(trace: Path, folder: Path, tmp_path: Path) -> None:
    other = changed(folder, tmp_path)
    outputs, well, told = run("replaytrace", {"TRACE": str(trace), "PROJECT": str(other)})
    assert well and outputs["EQUAL"] is False
    polygon = 24 * math.sin(2 * math.pi / 48) * 0.3**2  # km² of one buffer: a polygon of 48 corners, apart by 0.1 %
    difference = re.fullmatch(r"Run 1, step 1, .*area_km2: (.*) was recorded, (.*) is found\.", outputs["DIFFERENCE"])
    assert difference is not None, outputs["DIFFERENCE"]
    assert [float(each) for each in difference.groups()] == pytest.approx([31 * polygon, 30 * polygon], rel=2e-3)
    assert any("step 1" in each for each in told.warned)
    _, well, told = run("replaytrace", {"TRACE": str(trace), "PROJECT": str(other), "STRICT": True})
    assert not well and any("step 1" in each for each in told.warned)


def test_a_batch_of_replays(trace: Path, folder: Path, tmp_path: Path) -> None:
    other = changed(folder, tmp_path)
    found = [run("replaytrace", {"TRACE": str(trace), "PROJECT": each})[0]["EQUAL"] for each in ("", str(other))]
    assert found == [True, False]


def test_what_is_no_trace_is_said(city: QgsProject, tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_text("{}\n", encoding="utf-8")
    for name in ("replaytrace", "exportmodel"):
        _, well, told = run(name, {"TRACE": str(tmp_path / "no.jsonl"), "OUTPUT": str(tmp_path / "x.model3")})
        assert not well and any("line 1" in each for each in told.warned)
        _, well, told = run(name, {"TRACE": str(tmp_path / "none.jsonl"), "OUTPUT": str(tmp_path / "x.model3")})
        assert not well and told.warned
    assert not (tmp_path / "x.model3").exists()


def test_cancel_ends_a_replay(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Feedback()
    moments: list[float] = []

    def cancel_in_the_middle(self: Any, words: Any, step: Any) -> None:
        QTimer.singleShot(0, lambda: (moments.append(time.monotonic()), told.cancel()))  # and the step never ends

    monkeypatch.setattr(replayer.Replay, "_repeat", cancel_in_the_middle)
    outputs, _, _ = run("replaytrace", {"TRACE": str(trace)}, told)
    assert time.monotonic() - moments[0] < 1.5
    assert outputs["EQUAL"] is False and outputs["DIFFERENCE"] == ""


def test_a_model_asks_replays_and_exports(city: QgsProject, trace: Path, tmp_path: Path) -> None:
    source = QgsProcessingModelChildParameterSource
    model = QgsProcessingModelAlgorithm("replayed", "tests")
    replay = QgsProcessingModelChildAlgorithm("qgisagent:replaytrace")
    replay.setChildId("replay")
    replay.addParameterSources("TRACE", [source.fromStaticValue(str(trace))])
    model.addChildAlgorithm(replay)
    export = QgsProcessingModelChildAlgorithm("qgisagent:exportmodel")
    export.setChildId("export")
    export.addParameterSources("TRACE", [source.fromStaticValue(str(trace))])
    output = QgsProcessingModelOutput("written", "written")
    output.setChildId("export")
    output.setChildOutputName("OUTPUT")
    export.setModelOutputs({"written": output})
    model.addChildAlgorithm(export)
    context = QgsProcessingContext()
    context.setProject(city)
    outputs, well = model.run({"written": str(tmp_path / "made.model3")}, context, Feedback(), {}, True)
    assert well and outputs["CHILD_RESULTS"]["replay"]["EQUAL"] is True
    assert Path(outputs["written"]).is_file()


def test_an_exported_model_and_script(city: QgsProject, trace: Path, tmp_path: Path) -> None:
    target, script = tmp_path / "made.model3", tmp_path / "made.py"
    outputs, well, told = run("exportmodel", {"TRACE": str(trace), "OUTPUT": str(target), "SCRIPT": str(script)})
    assert well and outputs["STEPS"] == 1 and outputs["OUTPUT"] == str(target), told.warned
    assert any("needs the plugin" in each for each in told.said)
    compile(script.read_text(encoding="utf-8"), "made.py", "exec")
    model = QgsProcessingModelAlgorithm()
    assert model.fromFile(str(target))
    context = QgsProcessingContext()
    context.setProject(city)
    parameters = {each.name(): each.defaultValue() for each in model.parameterDefinitions()}
    parameters.update({each.name(): "memory:" for each in model.destinationParameterDefinitions()})
    ran = Feedback()
    made, well = model.run(parameters, context, ran, {}, True)
    assert well, ran.warned
    (layer,) = [
        context.getMapLayer(each) for each in made.values() if isinstance(each, str) and context.getMapLayer(each)
    ]
    assert well and layer.featureCount() == 31


def test_a_trace_that_is_not_in_the_file_or_has_nothing_to_export(
    city: QgsProject, trace: Path, tmp_path: Path
) -> None:
    target = tmp_path / "made.model3"
    _, well, told = run("exportmodel", {"TRACE": str(trace), "NUMBER": 2, "OUTPUT": str(target)})
    assert not well and "not 2" in " ".join(told.warned)
    record = json.loads(trace.read_text(encoding="utf-8"))
    (tmp_path / "none.jsonl").write_text(
        json.dumps({**record, "final": {**record["final"], "evidence": []}}) + "\n", encoding="utf-8"
    )
    _, well, told = run("exportmodel", {"TRACE": str(tmp_path / "none.jsonl"), "OUTPUT": str(target)})
    assert not well and told.warned and not target.exists()


def test_layers_of_earlier_runs_in_the_file_are_made_on_the_way(city: QgsProject, bench: Bench, tmp_path: Path) -> None:
    """The second run of a conversation cuts with the buffer of the first: with it, no input is asked for instead."""
    bench.issue()
    first = trace_of_calls(bench, "buffer", [("buffer_layer", {"layer_id": "schools", "distance_m": 100})])
    overlay = {"layer_id": "streets", "overlay_layer_id": "schools_buffer_100_m", "operation": "difference"}
    second = trace_of_calls(bench, "cut", [("overlay_layers", overlay)])
    inputs = []
    for number, session in enumerate(("s1", "other")):
        traces = [{**first, "session_id": session, "run": 1}, {**second, "session_id": "s1", "run": 2}]
        path, target = tmp_path / f"two{number}.jsonl", tmp_path / f"made{number}.model3"
        path.write_text("".join(map(to_line, traces)), encoding="utf-8")
        script = tmp_path / f"made{number}.py"
        given = {"TRACE": str(path), "NUMBER": 2, "OUTPUT": str(target), "SCRIPT": str(script)}
        _, well, told = run("exportmodel", given)
        assert well, told.warned
        model = QgsProcessingModelAlgorithm()
        assert model.fromFile(str(target))
        places = {each.name() for each in model.destinationParameterDefinitions()}
        inputs.append({each.name() for each in model.parameterDefinitions()} - places)
        assert ("'schools_buffer_100_m': {" in script.read_text(encoding="utf-8")) is (session == "other")
    assert inputs == [{"streets", "schools"}, {"streets", "schools_buffer_100_m"}]


def test_cancel_before_an_export_writes_nothing(city: QgsProject, trace: Path, tmp_path: Path) -> None:
    told = Feedback()
    told.cancel()
    run("exportmodel", {"TRACE": str(trace), "OUTPUT": str(tmp_path / "made.model3")}, told)
    assert not (tmp_path / "made.model3").exists()


def test_they_are_found_by_what_they_do() -> None:
    assert "pyqgis" in algorithm("exportmodel").tags() and "regression" in algorithm("replaytrace").tags()
