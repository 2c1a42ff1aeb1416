"""Issue 6, "Must show" 4: 40 runs that use every changing tool are undone, and what a person did meanwhile is kept.

Before, after and the person's own part are compared as whole projects (support/canonical_project.py) with all files of the
folder. What the person did is computed apart: in a second world that is the same, in which only they act.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from osgeo import gdal
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
from test_data_services import PNG

from qgis_agent.bridge.requested import NOTE, WRITE
from qgis_agent.gis.host import run_until
from qgis_agent.gis.tools.registry import load_all

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from canonical_project import canonical_project, differences
from undo_persons import PERSONS
from undo_runs import RUNS, Run, Step
from undo_world import build

FIXED = {"areas", "roads", "shops", "points", "bowtie", "nocrs", "coded", "dem", "classes", "bands", "own"}
BY_VALUE = (".gpkg", ".dbf")
"""Files that programs write counters and dates into: compared by their rows."""
LIMITS = ("cannot be undone", "new feature ids", "(triggers, other tables) stays")
MACHINES = ("-wal", "-shm", ".aux.xml")


def test_there_are_40_runs_that_use_every_changing_tool() -> None:
    """By the registry itself: a new tool without a run is found here. In half of them a person works meanwhile."""
    assert len(RUNS) >= 40
    assert len({each.name for each in RUNS}) == len(RUNS)
    changing = {name for name, tool in load_all().items() if tool.effect != "read"}
    used = {tool for run in RUNS for tool, _ in run.steps}
    assert changing - used == set()
    assert not any(each.person and each.earlier for each in RUNS)  # two worlds differ by chance in what a tool made
    assert sum(bool(each.person) for each in RUNS) * 2 >= len(RUNS)
    assert {each.person for each in RUNS} - {""} == set(PERSONS)


class Tiles(http.server.BaseHTTPRequestHandler):
    """A picture for every tile."""

    def do_GET(self) -> None:
        """One tile."""
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        self.wfile.write(PNG)

    def log_message(self, *_args: Any) -> None:
        """Nothing on the screen."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a service."""
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tiles)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()


@pytest.fixture(autouse=True)
def no_bookmarks() -> Iterator[None]:
    """The profile's bookmarks are none before and after."""
    yield
    manager = QgsApplication.bookmarkManager()
    for each in manager.bookmarks():
        manager.removeBookmark(each.id())


def state(bench: Bench, folder: Path) -> dict[str, Any]:
    """Project and files; the ids of layers that tools made are replaced by their names."""
    made = canonical_project(bench.host.project, bench.host.view)
    made["files"] = _files(folder)
    text = json.dumps(made, ensure_ascii=False).replace(str(folder), "<folder>")
    for each in bench.host.project.mapLayers().values():
        if each.id() not in FIXED:
            text = text.replace(each.id(), "<made " + each.name() + ">")
    return json.loads(text)


def _files(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name.endswith(MACHINES) or path.name == "p.qgz":
            continue
        found[str(path.relative_to(folder))] = _content(path)
    return found


def _content(path: Path) -> Any:
    if path.suffix not in BY_VALUE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    rows = []
    for index in range(source.GetLayerCount()):
        for each in source.GetLayer(index):
            shape = each.GetGeometryRef()
            rows.append([each.items(), shape.ExportToWkt() if shape is not None else None])
    return sorted(rows, key=repr)


def world(bench: Bench, folder: Path) -> None:
    """A fresh project."""
    for each in bench.host.project.mapLayers().values():
        if isinstance(each, QgsVectorLayer) and each.isEditable():
            each.rollBack()
    bench.host.project.clear()
    build(bench.host.project, folder)
    bench.host.view.extent()


def perform(bench: Bench, run_id: str, steps: Any, caller: str, server: str, person: str = "") -> None:
    """Make the calls of a run; the person acts after the first one."""
    bench.capability = bench.host.ledger.issue(
        caller=caller,
        level="safe_write",
        session_id="session",
        run_id=run_id,
        project_id=bench.host.project_id(),
        enabled_packs=frozenset(["write"]),
        requested=frozenset([WRITE, NOTE]),  # the person's own words ask for it
    )
    bench.approver.answer = "once" if caller == "chat" else "headless"
    done: list[dict[str, Any]] = []
    for step in steps:
        done.append(_one(bench, run_id, step, done, server))
        if person and len(done) == 1:
            PERSONS[person](bench.host)


def _one(bench: Bench, run_id: str, step: Step, done: list[dict[str, Any]], server: str) -> dict[str, Any]:
    name, given = step
    arguments = given(done) if callable(given) else given
    arguments = json.loads(json.dumps(arguments).replace("{server}", server))
    if name == "commit_action":
        arguments = {"confirm_token": done[-1]["confirm_token"]}
        bench.host.ledger.arm(done[-1]["confirm_token"])
    outcomes: list[dict[str, Any]] = []
    bench.begin(name, arguments, outcomes, run_id=run_id)
    assert run_until(lambda: bool(outcomes), 60), name
    envelope = outcomes[0]["envelope"]
    assert envelope["ok"], (name, envelope)
    return envelope["data"]


def persons_own(bench: Bench, folder: Path, run: Run) -> dict[str, Any]:
    """The world in which the person alone has acted; it is taken away again."""
    world(bench, folder)
    PERSONS[run.person](bench.host)
    found = state(bench, folder)
    world_away(bench)
    clean(folder)
    return found


def clean(folder: Path) -> None:
    """The folder is empty again."""
    for each in sorted(folder.rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()


@pytest.mark.parametrize("run", RUNS, ids=[each.name.replace(" ", "_") for each in RUNS])
def test_a_run_is_undone(bench: Bench, tmp_path: Path, server: str, run: Run) -> None:
    """The project, its data and its folder are as if only the person had worked; what stays is what the card had said."""
    folder = tmp_path / "world"
    bench.host.paths = type(bench.host.paths)(bench.host.project, write_roots=[str(folder)])
    wanted = persons_own(bench, folder, run) if run.person else None
    world(bench, folder)
    perform(bench, "earlier", run.earlier, "chat", server)
    wanted = wanted or state(bench, folder)
    bench.approver.cards.clear()
    saved = (folder / "p.qgz").read_bytes()
    perform(bench, "undone", run.steps, run.caller, server, run.person)
    assert run.name == "highlighted" or bench.host.checkpoints.runs(), "the run left no checkpoint"
    report = bench.host.checkpoints.undo("undone")
    run_until(lambda: False, 0.02)
    assert (report.conflicts, report.failed) == ([], [])
    found = [
        each
        for each in differences(wanted, state(bench, folder), most=200)
        if not each.startswith(tuple(run.stays or "-"))
    ]
    assert found == [], "\n".join(found)
    assert (folder / "p.qgz").read_bytes() == saved
    assert report.not_restorable == limits(bench)
    assert any("cannot be undone" in each for each in limits(bench)) == bool(run.stays)
    world_away(bench)


def limits(bench: Bench) -> list[str]:
    """The sentences of the cards that say what an undo does not give back."""
    words = [each.get("undo_words", "") for each in bench.approver.cards]
    sentences = [each for text in words for each in re.split(r"(?<=\.) ", text)]
    return [each for each in sentences if any(mark in each for mark in LIMITS)]


def world_away(bench: Bench) -> None:
    """Nothing holds the files any more."""
    for each in bench.host.project.mapLayers().values():
        if isinstance(each, QgsVectorLayer) and each.isEditable():
            each.rollBack()
    QgsApplication.taskManager().cancelAll()
    run_until(lambda: not QgsApplication.taskManager().activeTasks(), 10)
    bench.host.project.clear()
    assert QgsProject.instance().count() == 0
