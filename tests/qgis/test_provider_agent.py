"""``qgisagent:ask`` and ``qgisagent:auditreport`` as the toolbox, a model and a batch run them; the agent process is real."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import REPO, Bench
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelOutput,
    QgsProcessingModelParameter,
    QgsProcessingParameterString,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QDateTime, Qt, QTimer

from qgis_agent.gis import agent_process, runs
from qgis_agent.gis.analysis.generic import effects
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.processing import audit_report
from qgis_agent.processing.desk import Desk
from qgis_agent.processing.provider import QgisAgentProvider

sys.path.insert(0, str(REPO / "tests" / "support"))
from provider_runs import Feedback, ScriptedDesk, algorithm, run

OWN = ("ask", "auditreport", "replaytrace", "exportmodel")
SCHOOLS = 31
"""In the sample, as test_sample.py counts it with sqlite3."""


@pytest.fixture
def city(bench: Bench, tmp_path: Path) -> QgsProject:
    """A copy of the sample, open."""
    shutil.copytree(REPO / "resources" / "sample", tmp_path / "city")
    assert bench.host.project.read(str(tmp_path / "city" / "city.qgz"))
    return bench.host.project


@pytest.fixture
def provider(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[QgisAgentProvider]:
    """The registered provider, with a plain desk of this test's own."""
    load_providers()
    found = QgsApplication.processingRegistry().providerById("qgisagent")
    monkeypatch.setattr(found, "desk", Desk())
    yield found


def test_what_the_toolbox_shows(provider: QgisAgentProvider) -> None:
    for name in OWN:
        shown = algorithm(name)
        assert (shown.group(), shown.groupId()) == ("Agent", "agent")
        assert shown.tags() and shown.shortDescription() and shown.helpUrl() == ""
        assert len(shown.shortHelpString()) > 100
        assert all(each.description() for each in [*shown.parameterDefinitions(), *shown.outputDefinitions()])
        assert shown.flags() & Qgis.ProcessingAlgorithmFlag.CanCancel
    flags = Qgis.ProcessingAlgorithmFlag
    assert algorithm("ask").flags() & flags.NoThreading and algorithm("ask").flags() & flags.RequiresProject
    assert not algorithm("auditreport").flags() & flags.NoThreading
    for name in ("ask", "replaytrace"):
        assert algorithm(name).flags() & flags.NoThreading and "Nobody is asked" in algorithm(name).shortHelpString()


def test_every_algorithm_has_help_tags_and_a_word_for_each_parameter(provider: QgisAgentProvider) -> None:
    assert len(provider.algorithms()) > 15
    for each in provider.algorithms():
        assert len(each.shortHelpString()) > 60 and each.tags() and each.group(), each.id()
        named = [*each.parameterDefinitions(), *each.outputDefinitions()]
        unnamed = [found.name() for found in named if found.description() in ("", found.name())]
        assert unnamed == [], each.id()
        assert each.displayName()[0].isupper() and each.helpUrl() == ""


@pytest.mark.parametrize("name", OWN)
def test_the_agent_may_not_run_them_itself(provider: QgisAgentProvider, bench: Bench, name: str) -> None:
    assert effects.known(algorithm(name)).effect == "forbidden"
    envelope = bench.call("run_algorithm", algorithm=f"qgisagent:{name}", parameters={})
    assert envelope["code"] == "FORBIDDEN" and envelope["hint"]


def test_a_request_from_the_toolbox(city: QgsProject, provider: QgisAgentProvider) -> None:
    import processing

    feedback = Feedback()
    outputs = processing.run("qgisagent:ask", {"PROMPT": "How many schools are there?"}, feedback=feedback)
    report = json.loads(outputs["REPORT"])
    assert str(SCHOOLS) in outputs["ANSWER"] and outputs["ANSWER"] == report["answer"]
    assert report["answered_by"] == "offline commands" and outputs["LAYERS"] == []
    assert "Counting schools" in feedback.said


def test_in_a_model_the_layer_that_is_made_goes_on_to_the_next_step(
    city: QgsProject, provider: QgisAgentProvider
) -> None:
    model = QgsProcessingModelAlgorithm("counted", "tests")
    model.addModelParameter(QgsProcessingParameterString("WORDS", "Words"), QgsProcessingModelParameter("WORDS"))
    ask = QgsProcessingModelChildAlgorithm("qgisagent:ask")
    ask.setChildId("ask")
    source = QgsProcessingModelChildParameterSource
    ask.addParameterSources("PROMPT", [source.fromModelParameter("WORDS")])
    model.addChildAlgorithm(ask)
    merge = QgsProcessingModelChildAlgorithm("native:mergevectorlayers")
    merge.setChildId("merge")
    merge.addParameterSources("LAYERS", [source.fromChildOutput("ask", "LAYERS")])
    merged = QgsProcessingModelOutput("merged", "merged")
    merged.setChildId("merge")
    merged.setChildOutputName("OUTPUT")
    merge.setModelOutputs({"merged": merged})
    model.addChildAlgorithm(merge)
    context = QgsProcessingContext()
    context.setProject(city)
    parameters = {"WORDS": "buffer schools by 300 m", "merged": "memory:"}
    outputs, well = model.run(parameters, context, Feedback(), {}, True)
    assert well, outputs
    layer = context.getMapLayer(outputs["merged"])
    assert layer.featureCount() == SCHOOLS and layer.geometryType() == Qgis.GeometryType.Polygon
    assert len(city.mapLayersByName("schools buffer 300 m")) == 1


def test_in_a_batch_each_row_is_a_request_and_one_that_fails_stops_no_other(
    city: QgsProject, provider: QgisAgentProvider
) -> None:
    batch = algorithm("ask")
    assert batch.flags() & Qgis.ProcessingAlgorithmFlag.SupportsBatch
    context = QgsProcessingContext()
    context.setProject(city)
    answers = []
    for words in ("how many schools are there?", "how many unicorns are there?", "how many hospitals are there?"):
        outputs, well = batch.create().run({"PROMPT": words}, context, Feedback(), {}, True)
        answers.append(outputs.get("ANSWER", "") if well else "failed")
    assert "31" in answers[0] and answers[1] == "failed" and "9" in answers[2]


def test_the_model_of_the_settings_answers_only_where_it_is_chosen(
    city: QgsProject, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "desk", ScriptedDesk([{"text": "Hello from the script."}]))
    outputs, well, _ = run("ask", {"PROMPT": "Greet me.", "MODEL": 1})
    assert well and outputs["ANSWER"] == "Hello from the script."
    _, well, told = run("ask", {"PROMPT": "Greet me."})
    assert not well and told.warned


def write_turns(path: Path) -> list[dict[str, Any]]:
    call = {"name": "prepare_export_layer", "arguments": {"layer_id": "schools", "path": str(path)}}
    return [{"text": "", "tool_calls": [call]}, {"text": "It was not allowed."}]


@pytest.mark.parametrize("policy", [0, 1])
def test_files_are_written_with_no_permission_at_all(
    city: QgsProject, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, policy: int
) -> None:
    made = tmp_path / "city" / "copy.gpkg"
    monkeypatch.setattr(provider, "desk", ScriptedDesk(write_turns(made)))
    outputs, _, told = run("ask", {"PROMPT": "Export the schools to copy.gpkg.", "MODEL": 1, "APPROVE": policy})
    assert not made.exists() and any("prepare_export_layer" in each for each in told.warned), (outputs, told.said)


def test_in_plan_mode_nothing_is_made(
    city: QgsProject, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"name": "buffer_layer", "arguments": {"layer_id": "schools", "distance_m": 300}}
    monkeypatch.setattr(provider, "desk", ScriptedDesk([{"text": "", "tool_calls": [call]}, {"text": "Only a plan."}]))
    run("ask", {"PROMPT": "Buffer the schools by 300 m.", "MODEL": 1, "PROFILE": 1})
    assert city.mapLayersByName("schools buffer 300 m") == []


def test_with_a_panel_its_host_is_used_so_that_its_undo_knows_the_run(
    city: QgsProject, bench: Bench, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "desk", ScriptedDesk([], host=bench.host))
    outputs, well, _ = run("ask", {"PROMPT": "buffer schools by 300 m"})
    assert well and outputs["LAYERS"] == bench.host.created_layers


def test_one_request_at_a_time(city: QgsProject, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "desk", ScriptedDesk([], running=True))
    _, well, told = run("ask", {"PROMPT": "how many schools are there?"})
    assert not well and "another request" in " ".join(told.warned)
    _, well, told = run("ask", {"PROMPT": "  "})
    assert not well and "empty" in " ".join(told.warned)


def test_without_the_agent_s_environment_it_says_what_to_do(
    city: QgsProject, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QGIS_AGENT_ENV", str(tmp_path / "none"))
    able, why = algorithm("ask").canExecute()
    _, well, told = run("ask", {"PROMPT": "how many schools are there?"})
    assert not able and why and not well
    assert why in told.warned[0] and "panel" in told.warned[0]


def test_a_picture_of_what_came_of_it(city: QgsProject, provider: QgisAgentProvider, tmp_path: Path) -> None:
    target = tmp_path / "map.png"
    outputs, well, _ = run("ask", {"PROMPT": "zoom to streets", "PICTURE": str(target)})
    assert well and outputs["PICTURE"] == str(target)
    assert target.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_trace_of_a_request_is_written_where_a_person_said(
    city: QgsProject, provider: QgisAgentProvider, tmp_path: Path
) -> None:
    target = tmp_path / "run.jsonl"
    outputs, well, _ = run("ask", {"PROMPT": "how many schools are there?", "TRACE": str(target)})
    assert well and outputs["TRACE"] == str(target)
    (trace,) = [json.loads(each) for each in target.read_text(encoding="utf-8").splitlines()]
    assert trace["schema"] == "qgis-agent/trace/1" and trace["user_text"] == "how many schools are there?"
    assert trace["trace_id"] == json.loads(outputs["REPORT"])["trace_id"]
    _, well, told = run("ask", {"PROMPT": "how many schools are there?", "TRACE": str(tmp_path / "none" / "x.jsonl")})
    assert not well and told.warned  # a folder that is not there


def test_cancel_ends_a_request_in_half_a_second_and_the_agent_with_it(
    bench: Bench, provider: QgisAgentProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Path(__file__).resolve().parents[1] / "support" / "fake_agent.py"
    monkeypatch.setattr(agent_process, "AGENT_SCRIPT", fake)
    monkeypatch.setenv("FAKE_AGENT_MODE", "deaf")
    environment = SimpleNamespace(
        locate=lambda: bench.folder,
        check=lambda _folder: SimpleNamespace(ok=True, message=""),
        python_of=lambda _folder: Path(sys.executable),
        process_environment=lambda base: {**base},
    )
    monkeypatch.setattr(runs, "environment", environment)
    pids: list[int] = []
    started = runs.RunController.start

    def start(self: runs.RunController, text: str, plan: Any = None) -> bool:
        QTimer.singleShot(500, lambda: (pids.append(self.agent_pid()), moments.append(time.monotonic()), told.cancel()))
        return started(self, text, plan)

    monkeypatch.setattr(runs.RunController, "start", start)
    moments: list[float] = []
    told = Feedback()
    outputs, well, _ = run("ask", {"PROMPT": "wait"}, told)
    assert time.monotonic() - moments[0] < 1.5  # the goal is half a second: a ceiling at three times
    assert well and json.loads(outputs["REPORT"])["termination"] == "interrupted"
    assert pids[0] and not Path(f"/proc/{pids[0]}").exists()


LINES = [
    {"t": "decision", "time": "2026-11-29T23:30:00+00:00", "tool": "zoom_to", "caller": "chat", "decision": "allow"},
    {
        "t": "call",
        "time": "2026-11-30T08:00:00+00:00",
        "tool": "buffer_layer",
        "caller": "cli",
        "ms": 41,
        "user": "=1+1",
    },
    {"t": "call", "time": "2026-11-30T23:59:59+00:00", "tool": "zoom_to", "caller": "chat", "code": "NOT_FOUND"},
    {
        "t": "call",
        "time": "2026-12-01T00:00:00+00:00",
        "tool": "<b>&",
        "layers": [{"layer_id": "a", "name": "<img src=x>"}],
    },
]


@pytest.fixture
def log(provider: QgisAgentProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "audit"
    folder.mkdir()
    for month in ("2026-11", "2026-12"):
        lines = [json.dumps(each) for each in LINES if each["time"].startswith(month)]
        (folder / f"{month}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.setattr(audit_report, "read", lambda query: _read(query, folder))


def _read(query: Any, folder: Path) -> Any:
    from qgis_agent.gis.audit_read import read

    return read(query, folder)


def test_the_audit_log_as_a_table_and_a_page(log: None, tmp_path: Path) -> None:
    table, page = tmp_path / "log.csv", tmp_path / "log.html"
    outputs, well, _ = run("auditreport", {"OUTPUT": str(table), "OUTPUT_HTML_FILE": str(page)})
    assert well and outputs["LINES"] == len(LINES) and outputs["OUTPUT"] == str(table)
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [each["tool"] for each in rows] == [each["tool"] for each in LINES]
    assert rows[1]["ms"] == "41" and rows[1]["user"] == "'=1+1"  # no formula for a spreadsheet
    text = page.read_text(encoding="utf-8")
    assert text.count("<tr>") == 1 + len(LINES)
    assert "&lt;img src=x&gt;" in text and "<img" not in text and "<b>" not in text


@pytest.mark.parametrize(
    ("wanted", "tools"),
    [
        ({"TOOL": "zoom_to"}, ["zoom_to", "zoom_to"]),
        ({"CALLER": "cli"}, ["buffer_layer"]),
        ({"LAYER": "a"}, ["<b>&"]),
        ({"SINCE": "2026-11-30", "UNTIL": "2026-11-30"}, ["buffer_layer", "zoom_to"]),
        ({"UNTIL": QDateTime.fromString("2026-11-30T08:00:00", Qt.DateFormat.ISODate)}, ["zoom_to"]),
        ({"SINCE": "2026-11-30T09:00:00"}, ["zoom_to", "<b>&"]),
        ({"TOOL": "nothing"}, []),
    ],
)
def test_only_the_lines_that_are_wanted(log: None, wanted: dict[str, Any], tools: list[str]) -> None:
    context = QgsProcessingContext()
    outputs, well = algorithm("auditreport").run({"OUTPUT": "memory:", **wanted}, context, Feedback(), {}, True)
    layer = context.getMapLayer(outputs["OUTPUT"])
    assert well and isinstance(layer, QgsVectorLayer)
    assert [each["tool"] for each in layer.getFeatures()] == tools and outputs["LINES"] == len(tools)


def test_what_is_no_time_is_said(log: None) -> None:
    _, well, told = run("auditreport", {"OUTPUT": "memory:", "SINCE": "yesterday"})
    assert not well and told.warned


def test_cancel_ends_the_audit_report(log: None) -> None:
    told = Feedback()
    told.cancel()
    outputs, _, _ = run("auditreport", {"OUTPUT": "memory:"}, told)
    assert outputs.get("LINES", 0) == 0
