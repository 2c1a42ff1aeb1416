"""Second mode of replay: recorded model turns through the whole harness, with QGIS's answers played back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import LAYERS, FakeBridge

from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.records.turns import read_recordings, replay_turns
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge.envelope import success

REGISTRY = ToolRegistry.load()
SNAPSHOT = {"project": "Test", "layers": 3, "now": "2026-11-30T12:00+01:00", "visible": ["schools"]}
START = {
    "run_id": "r-1",
    "session_id": "s-1",
    "capability": "secret-token",
    "snapshot": SNAPSHOT,
    "profile": "gis-build",
}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A turn with one call."""
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


RUNS: list[tuple[str, list[dict[str, Any]]]] = [
    (
        "count the schools and show them",
        [
            {
                "tool_calls": [
                    {"name": "count_features", "arguments": {"layer_id": "schools"}},
                    {"name": "describe_layer", "arguments": {"layer_id": "schools"}},
                ]
            },
            call("toggle_layer", layer_id="schools", visible=True),
            {"text": "25 schools are shown."},
        ],
    ),
    ("and the streets?", [call("zoom_to", layer_id="streets"), {"text": "Shown."}]),
]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one conversation; the layers change while the first goes on."""
    folder = tmp_path_factory.mktemp("turns")
    path = folder / "recording.jsonl"

    def shown(_params: dict[str, Any]) -> dict[str, Any]:
        service.catalogue.replace(LAYERS[:1], "p#1")
        return success({"layer_id": "schools", "visible": True})

    bridge = FakeBridge(count_features=success({"count": 25}), toggle_layer=shown)
    service = RunService(bridge, lambda _event: None, REGISTRY, folder, "en")
    service.catalogue.replace(LAYERS, "p#1")
    for number, (text, turns) in enumerate(RUNS, 1):
        service.configure({"kind": "script", "turns": turns, "record_to": str(path)})
        report = asyncio.run(service.run({**START, "run_id": f"r-{number}", "text": text}))
        assert report["ok"], report
    return path


def changed(recording: Path, folder: Path, change: Any) -> Path:
    """The recording with something else in its first run."""
    runs = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    change(runs[0])
    path = folder / "changed.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in runs), encoding="utf-8")
    return path


def replayed(path: Path) -> dict[str, Any]:
    return asyncio.run(replay_turns(path, REGISTRY))


def test_the_requests_have_the_recorded_bytes(recording: Path) -> None:
    assert replayed(recording) == {"equal": True, "runs": 2, "requests": 5, "first_difference": None}


def test_it_is_a_file_of_its_owner_without_the_capability(recording: Path) -> None:
    assert recording.stat().st_mode & 0o077 == 0
    assert "secret-token" not in recording.read_text(encoding="utf-8")
    assert [len(each["models"]["planner"]) for each in read_recordings(recording)] == [3, 2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run["start"]["snapshot"].update(layers=4), "Request 1 is not the recorded one"),
        (
            lambda run: run["bridge"][0]["result"]["envelope"]["data"].update(count=26),
            "Request 2 is not the recorded one",
        ),
        (lambda run: run["models"]["planner"].pop(), "Request 3 was made"),
        (lambda run: run["bridge"].pop(0), "QGIS was not asked this"),
        (lambda run: run["bridge"].append({"key": "tools/call {}", "result": {}}), "and not now"),
        (lambda run: run.update(answer="30 schools are shown."), "answer: recorded '30"),
        (lambda run: run["marks"].__setitem__(0, "deadbeef"), "Request 1 is not the recorded one"),
    ],
)
def test_what_differs_is_named(recording: Path, tmp_path: Path, change: Any, said: str) -> None:
    found = replayed(changed(recording, tmp_path, change))
    assert not found["equal"] and found["first_difference"]["run"] == 1
    assert said in found["first_difference"]["what"]


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"schema": "qgis-agent/trace/1"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: is no recording"):
        replayed(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="there is no recording"):
        replayed(path)
