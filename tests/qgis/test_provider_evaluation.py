"""``qgisagent:runevaluation`` as the toolbox and a model run it: two cases of our own set, with right and with wrong turns."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench
from osgeo import gdal
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsProcessingContext,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProject,
)
from qgis.PyQt.QtCore import QTimer

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.evals import runner
from qgis_agent.processing.run_evaluation import METRICS

sys.path.insert(0, str(REPO / "tests" / "support"))
from provider_runs import Feedback, ScriptedDesk, algorithm, run

CASE = {
    "id": "p_001",
    "text": "How many schools are there?",
    "lang": "en",
    "project": "sample",
    "expect_intent": ["query"],
    "expect_tools": ["count_features"],
    "expect_params": {"count_features": {"layer_id": "schools"}},
    "expect_result": {"numbers": [{"value": 31, "tolerance": 0}]},
    "tags": ["single_step"],
    "negative": None,
}
COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}
RIGHT = [{"text": "", "tool_calls": [COUNT]}, {"text": "There are 31 schools."}]
INVENTED = [{"text": "", "tool_calls": [COUNT]}, {"text": "There are 4711 schools."}]


@pytest.fixture
def files(bench: Bench, tmp_path: Path) -> Path:
    load_providers()
    (tmp_path / "set.jsonl").write_text(json.dumps(CASE) + "\n", encoding="utf-8")
    for name, turns in (("right", RIGHT), ("invented", INVENTED)):
        (tmp_path / f"{name}.json").write_text(json.dumps({CASE["id"]: turns}), encoding="utf-8")
    return tmp_path


def evaluate(
    files: Path, turns: str, feedback: Feedback | None = None, **more: Any
) -> tuple[dict[str, Any], bool, Feedback]:
    given = {"SET": str(files / "set.jsonl"), "SCRIPT": str(files / f"{turns}.json"), "OUTPUT": str(files / turns)}
    return run("runevaluation", {**given, **more}, feedback)


def test_what_the_toolbox_shows(files: Path) -> None:
    shown = algorithm("runevaluation")
    flags = Qgis.ProcessingAlgorithmFlag
    assert shown.flags() & flags.NoThreading and shown.flags() & flags.CanCancel and shown.groupId() == "agent"
    assert "Nobody is asked" in shown.shortHelpString() and "benchmark" in shown.tags()
    assert [each.name() for each in shown.outputDefinitions()][:8] == ["OUTPUT", "PASSED", *METRICS]


def test_right_and_wrong_turns_and_what_got_worse(files: Path) -> None:
    before = gdal.GetConfigOption("OGR_SQLITE_JOURNAL")
    outputs, well, told = evaluate(files, "right")
    assert well, told.warned
    assert outputs["PASSED"] is True and outputs["WORSE"] == "" and outputs["UNSAFE"] == 0, told.warned
    assert [outputs[each] for each in METRICS] == [1, 1, 1, 1, 1, 1]  # the fifth is one call a case
    assert "End to end" in Path(outputs["REPORT"]).read_text(encoding="utf-8")
    assert json.loads(outputs["SUMMARY"])["n"] == 1
    assert QgsProject.instance().count() == 0 and gdal.GetConfigOption("OGR_SQLITE_JOURNAL") == before
    outputs, well, told = evaluate(files, "invented", BASELINE=str(files / "right"), REPLAY=False)
    assert well and outputs["PASSED"] is False and outputs["WORSE"] == CASE["id"]
    assert outputs["END_TO_END"] == 0 and outputs["TOOLS"] == 1
    assert any(CASE["id"] in each for each in told.warned)


def test_in_a_model(files: Path) -> None:
    model = QgsProcessingModelAlgorithm("scored", "tests")
    child = QgsProcessingModelChildAlgorithm("qgisagent:runevaluation")
    child.setChildId("score")
    given = {"SET": files / "set.jsonl", "SCRIPT": files / "right.json", "OUTPUT": files / "in_model"}
    for name, path in given.items():
        child.addParameterSources(name, [QgsProcessingModelChildParameterSource.fromStaticValue(str(path))])
    model.addChildAlgorithm(child)
    outputs, well = model.run({}, QgsProcessingContext(), Feedback(), {}, True)
    assert well and outputs["CHILD_RESULTS"]["score"]["PASSED"] is True


def test_what_cannot_be_evaluated_is_said(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "set.jsonl").write_text("no JSON\n", encoding="utf-8")
    _, well, told = evaluate(files, "right")
    assert not well and any("line 1" in each for each in told.warned)
    provider = QgsApplication.processingRegistry().providerById("qgisagent")
    monkeypatch.setattr(provider, "desk", ScriptedDesk([], running=True))
    _, well, told = evaluate(files, "right")
    assert not well and any("another request" in each for each in told.warned)


def test_cancel_ends_an_evaluation_and_writes_no_report(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Feedback()
    moments: list[float] = []
    started = runner.CaseRunner.run

    def cancelled_in_a_case(*arguments: Any) -> Any:
        QTimer.singleShot(0, lambda: (moments.append(time.monotonic()), told.cancel()))
        return started(*arguments)

    monkeypatch.setattr(runner.CaseRunner, "run", cancelled_in_a_case)
    outputs, well, _ = evaluate(files, "right", told)
    assert time.monotonic() - moments[0] < 1.5
    assert well and "PASSED" not in outputs and not (files / "right" / "report.md").exists()
    assert "Stopped." in told.said
