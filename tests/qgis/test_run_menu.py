"""The menu under an answer: replay on a copy, save as trace. The records' side is played by the test."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dock_fakes import FakeController
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
from qgis.PyQt.QtWidgets import QFileDialog
from trace_recording import recorded

from qgis_agent.bridge.trace import read_traces, result_of, to_line
from qgis_agent.gis.host import run_until
from qgis_agent.gis.replay.replayer import Replay, conversations, replay_traces
from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.processing.provider import QgisAgentProvider

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
CALLS = [
    ("select_features", {"layer_id": "schools", "where": [{"field": "pupils", "op": "gt", "value": 500}]}),
    ("buffer_layer", {"layer_id": "schools", "distance_m": 100}),
    ("zoom_to", {"layer_id": "schools_buffer_100_m"}),
]


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("city")
    shutil.copytree(SAMPLE, folder / "city")
    return folder / "city" / "city.qgz"


@pytest.fixture(scope="module")
def trace(city: Path, qgis_app: Any) -> dict[str, Any]:
    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())
    return recorded(city, CALLS)


@pytest.fixture
def opened(city: Path) -> Iterator[QgsProject]:
    """A project that is open beside the replay's, as the person's is."""
    project = QgsProject()
    project.setFileName(str(city))
    project.addMapLayer(QgsVectorLayer("Point?crs=EPSG:4326", "schools", "memory"))
    yield project
    project.clear()


@pytest.fixture
def dock(qgis_app: Any, opened: QgsProject) -> Iterator[AgentDock]:
    controller: Any = FakeController()
    controller.host = SimpleNamespace(project=opened, canvas=None)
    made = AgentDock(controller, list)
    yield made
    made.run_desk.close()
    made.deleteLater()


def ended(dock: AgentDock, trace: dict[str, Any]) -> Any:
    """A run that has ended, as the dock shows it."""
    controller: Any = dock._controller
    dock.send("buffer the schools")
    controller.end(answer="Done.", trace_id=trace["trace_id"], steps=[{"step": 1, "tool": "zoom_to"}])
    return dock.conversation.runs()[-1]


def answer(dock: AgentDock, *traces: dict[str, Any], unreadable: int = 0) -> dict[str, Any]:
    """The agent process writes the file that it was asked for; returns what it was asked."""
    controller: Any = dock._controller
    method, params, done = controller.asked.pop()
    assert method == "trace/export"
    Path(params["path"]).write_text("".join(map(to_line, traces)), encoding="utf-8")
    done({"count": len(traces), "unreadable": unreadable}, "")
    return params


def notices(dock: AgentDock) -> list[str]:
    return [each.text() for each in dock.conversation.findChildren(NoticeLine)]


def test_a_run_with_steps_has_the_menu_and_one_without_has_not(dock: AgentDock, trace: dict[str, Any]) -> None:
    run = ended(dock, trace)
    assert list(run.menu.choices) == ["replay", "save_trace", "save_redacted"]
    assert run.menu.accessibleName()
    controller: Any = dock._controller
    dock.send("hello")
    controller.end(answer="Hello.", trace_id="tr_1")
    assert dock.conversation.runs()[-1].menu is None


def test_replay_says_that_it_is_equal_and_touches_nothing(
    dock: AgentDock, trace: dict[str, Any], opened: QgsProject, city: Path
) -> None:
    files = {each.name: each.read_bytes() for each in city.parent.iterdir()}
    ended(dock, trace).menu.choices["replay"].trigger()
    answer(dock, trace)
    assert run_until(lambda: len(notices(dock)) > 1, 30)
    assert "equal" in notices(dock)[-1] and "3" in notices(dock)[-1]
    assert [each.name() for each in opened.mapLayers().values()] == ["schools"]
    assert opened.fileName() == str(city)
    assert {each.name: each.read_bytes() for each in city.parent.iterdir()} == files


def test_replay_names_the_first_difference_in_words(dock: AgentDock, trace: dict[str, Any]) -> None:
    other = json.loads(json.dumps(trace))
    other["steps"][0]["result"]["data"]["selected"] = 99999
    other["steps"][0]["result"] = result_of({"ok": True, "data": other["steps"][0]["result"]["data"]})
    ended(dock, trace).menu.choices["replay"].trigger()
    answer(dock, other)
    assert run_until(lambda: len(notices(dock)) > 1, 30)
    assert "step 1 (select_features)" in notices(dock)[-1] and "99999" in notices(dock)[-1]


def test_a_project_that_was_never_saved_is_said(dock: AgentDock, trace: dict[str, Any], opened: QgsProject) -> None:
    opened.setFileName("")
    ended(dock, trace).menu.choices["replay"].trigger()
    assert "Save the project first" in notices(dock)[-1]


@pytest.mark.parametrize("what", ["save_trace", "save_redacted"])
def test_save_asks_for_a_file_and_writes_the_conversation(
    dock: AgentDock, trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(tmp_path / "mine"), ""))
    ended(dock, trace).menu.choices[what].trigger()
    answer(dock, trace)  # which runs there are
    params = answer(dock, trace)  # the file itself
    assert params["path"] == str(tmp_path / "mine.jsonl") and params["trace_ids"] == [trace["trace_id"]]
    assert params["redact"] == (["names", "ids", "values"] if what == "save_redacted" else [])
    assert "mine.jsonl" in notices(dock)[-1]


def test_a_damaged_record_is_said_beside_what_is_done(
    dock: AgentDock, trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(tmp_path / "mine"), ""))
    ended(dock, trace).menu.choices["save_trace"].trigger()
    answer(dock, trace, unreadable=2)
    answer(dock, trace, unreadable=2)
    damaged, written = notices(dock)[-2:]
    assert "cannot be read" in damaged and "2" in damaged and "mine.jsonl" in written


def test_the_runs_of_a_conversation_go_on_with_one_copy(city: Path, trace: dict[str, Any]) -> None:
    """Run 2 uses a layer that run 1 made, and makes one of the same name: on its own it cannot begin."""
    both = recorded(city, [*CALLS, CALLS[1]])
    first = {**both, "steps": both["steps"][:3], "final": trace["final"]}
    second = {**both, "run": 2, "trace_id": "tr_2", "steps": both["steps"][3:], "state_in": trace["final"]["map_state"]}
    second["start"] = {}
    second["aliases"] = {each: {**told, "made": each.endswith("-2")} for each, told in both["aliases"].items()}
    assert [len(each) for each in conversations(read_traces([to_line(first), to_line(second), to_line(first)]))] == [
        2,
        1,
    ]
    report = replay_traces([first, second], str(city))
    assert (report["first_difference"], report["equal"]) == (None, True)
    assert report["map_state"]["created"] == both["final"]["map_state"]["created"]
    alone = replay_traces([second], str(city))
    assert (alone["first_difference"]["step"], alone["first_difference"]["path"]) == (0, "/state_in/created/0")


def test_another_map_at_the_end_is_the_step_after_the_last(trace: dict[str, Any], city: Path) -> None:
    other = json.loads(json.dumps(trace))
    other["final"]["map_state"]["styles"]["schools_buffer_100_m"]["opacity"] = 0.5
    told = replay_traces([other], str(city))["first_difference"]
    assert (told["step"], told["path"]) == (4, "/map_state/styles/schools_buffer_100_m/opacity")
    assert (told["expected"], told["found"]) == (0.5, 1.0)


def test_a_trace_of_a_copy_with_other_ids_and_names_of_layers(trace: dict[str, Any], city: Path) -> None:
    """Layers are found by id, else by name and source; what they were called then is what is compared."""
    text = json.dumps(trace)
    for name in ("schools", "schools_buffer_100_m"):
        text = text.replace('"{}"'.format(name), '"{}-9"'.format(name))
    other = json.loads(text)
    for told in other["aliases"].values():
        told["layer_id"] = "another_" + told["layer_id"]
        told["name"] = told["name"].replace("-9", "")
    for state in (other["state_in"], other["final"]["map_state"]):
        for told in state["layers"].values():
            told["name"] = told["name"].replace("-9", "")
    for number, step in enumerate(trace["steps"]):
        data = json.loads(json.dumps(step["result"]["data"]).replace('buffer_100_m"', 'buffer_100_m-9"'))
        if data.get("layer_id") == "schools":
            data["layer_id"] = "schools-9"
        other["steps"][number]["result"] = result_of({"ok": True, "data": data})
    report = replay_traces([other], str(city))
    assert report["first_difference"] is None
    assert "schools_buffer_100_m-9" in report["map_state"]["created"]


def test_it_can_be_stopped(trace: dict[str, Any], city: Path) -> None:
    replay = Replay([trace], str(city))
    reports: list[dict[str, Any]] = []
    replay.progressed.connect(lambda done, _all: replay.cancel() if done == 1 else None)
    replay.finished.connect(reports.append)
    replay.start()
    assert run_until(lambda: bool(reports), 30)
    assert reports[0]["error"]["code"] == "CANCELLED" and not reports[0]["equal"]
    assert [each["outcome"] for each in reports[0]["steps"]] == ["equal", "not_run", "not_run"]


def test_a_redacted_trace_is_refused(trace: dict[str, Any], city: Path) -> None:
    report = replay_traces([{**trace, "redacted": ["names"]}], str(city))
    assert (report["error"]["code"], report["equal"]) == ("UNSUPPORTED", False)
