"""What a replay may touch, what it refuses, and that it ends whatever breaks: without a window and without an agent process."""

from __future__ import annotations

import argparse
import errno
import hashlib
import json
import os
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import REPO, Answering
from qgis.core import QgsProject, QgsVectorFileWriter, QgsVectorLayer
from trace_recording import Agreeing, recorded

from qgis_agent.bridge.trace import digest_of, to_line
from qgis_agent.gis.evals.case_run import CaseRunner
from qgis_agent.gis.host import Host
from qgis_agent.gis.replay import copying, replayer, scratch_project
from qgis_agent.gis.replay.copying import copy_folder, is_small
from qgis_agent.gis.replay.replayer import replay_traces
from qgis_agent.gis.replay.words import words_of
from qgis_agent.headless_replay import replay

WORDS = "edit features and save the changes"
ZOOM = [("zoom_to", {"layer_id": "schools"})]


def edit(layer: str) -> tuple[str, dict[str, Any]]:
    """A saved edit of one value."""
    where = [{"field": "name", "op": "not_null"}]
    values = [{"field": "name", "value": "edited"}]
    given = {"layer_id": layer, "action": "set", "where": where, "values": values, "options": {"save": True}}
    return ("prepare_edit_features", given)


def bytes_of(folder: Path) -> dict[str, str]:
    """Digests of the files of a folder."""
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir() if each.is_file()}


def names_in(path: Path, table: str) -> set[str]:
    """The values of a column, read without QGIS."""
    with sqlite3.connect(path) as base:
        return {name for (name,) in base.execute(f'SELECT name FROM "{table}"')}  # noqa: S608  a name of ours


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a layer of another folder."""
    folder = tmp_path_factory.mktemp("bounds")
    shutil.copytree(REPO / "resources" / "sample", folder / "city")
    (folder / "far").mkdir()
    source = QgsVectorLayer(f"{folder}/city/city.gpkg|layername=hospitals", "far", "ogr")
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.layerName = "GPKG", "far"
    written = QgsVectorFileWriter.writeAsVectorFormatV3(
        source, f"{folder}/far/far.gpkg", QgsProject.instance().transformContext(), options
    )
    assert written[0] == QgsVectorFileWriter.WriterError.NoError
    project = QgsProject()
    assert project.read(str(folder / "city" / "city.qgz"))
    layer = QgsVectorLayer(f"{folder}/far/far.gpkg|layername=far", "far", "ogr")
    assert layer.isValid()
    project.addMapLayer(layer)
    assert project.write()
    project.clear()
    return folder / "city" / "city.qgz"


@pytest.fixture(scope="module")
def trace(city: Path, qgis_app: Any) -> dict[str, Any]:
    """One step, no write."""
    return recorded(city, ZOOM)


def twin(city: Path, folder: Path) -> Path:
    """The project and the other folder once more: what is recorded there with a write leaves the first as they are."""
    shutil.copytree(city.parents[1], folder / "twin")
    return folder / "twin" / "city" / "city.qgz"


@pytest.fixture(scope="module")
def edits(city: Path, qgis_app: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Saved edits of the layer of the project's folder and of the other one."""
    path = twin(city, tmp_path_factory.mktemp("edits"))
    made = recorded(path, [edit("hospitals"), edit("far")], approver=Agreeing(), text=WORDS)
    assert [each["result"]["data"]["saved"] for each in made["steps"]] == [True, True]
    return made


def test_an_agreed_edit_is_saved_in_the_copy_only(
    city: Path, edits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The yes of a replay is for its copy: data of another folder are not asked about, let alone changed."""
    copies: list[set[str]] = []
    close = scratch_project.ScratchProject.close

    def looked_at(self: Any) -> None:
        copies.append(names_in(Path(self.copied) / "city.gpkg", "hospitals"))
        close(self)

    monkeypatch.setattr(scratch_project.ScratchProject, "close", looked_at)
    far = city.parents[1] / "far"
    before, outside = bytes_of(city.parent), bytes_of(far)
    approver = Answering("once")
    report = replay_traces([edits], str(city), approver)
    assert (bytes_of(city.parent), bytes_of(far)) == (before, outside)
    assert copies == [{"edited"}]
    assert [(each["outcome"], each.get("why")) for each in report["steps"]] == [("equal", None), ("skipped", "commit")]
    assert len(approver.cards) == 1


def test_a_project_that_is_too_large_to_copy_is_not_written_to(
    city: Path, edits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its data are read where they are: then nothing of it lies in the copy."""
    monkeypatch.setattr(copying, "MAX_FILES", 1)
    before = bytes_of(city.parent)
    report = replay_traces([edits], str(city), Answering("once"))
    assert [(each["outcome"], each.get("why")) for each in report["steps"]] == [("skipped", "commit")] * 2
    assert bytes_of(city.parent) == before
    assert names_in(city.with_name("city.gpkg"), "hospitals") != {"edited"}


def test_a_folder_that_is_named_may_be_written(city: Path, edits: dict[str, Any], tmp_path: Path) -> None:
    """--allow-write of the command line, beside the copy."""
    path = twin(city, tmp_path)
    far = path.parents[1] / "far"
    report = replay_traces([edits], str(path), Answering("once"), write_roots=[str(far)])
    assert [each["outcome"] for each in report["steps"]] == ["equal", "equal"]
    assert names_in(far / "far.gpkg", "far") == {"edited"}


def test_a_layer_of_another_folder_is_read_where_it_is(city: Path, qgis_app: Any, tmp_path: Path) -> None:
    """The project names it by "../far", which leads nowhere from the copy; by their absolute paths the project's own are copied."""
    report = replay_traces([recorded(city, [("count_features", {"layer_id": "far"})])], str(city))
    assert [each["outcome"] for each in report["steps"]] == ["equal"]
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "city.gpkg").touch()
    folder, copy = str(city.parent), str(tmp_path / "copy")
    for named in ("./city.gpkg", "../city/city.gpkg", f"{folder}/city.gpkg"):
        assert copying.in_copy(named, folder, copy) == f"{copy}/city.gpkg"
    for stays in ("https://example.org/../x", "./nothing.gpkg", "city", "/vsizip/./a.zip"):
        assert copying.in_copy(stays, folder, copy) == stays


# what is compared


def test_a_trace_without_the_map_at_its_beginning_is_refused(city: Path, trace: dict[str, Any]) -> None:
    for state in ({}, None):
        report = replay_traces([{**trace, "state_in": state}], str(city))
        assert (report["error"]["code"], report["error"]["reason"]) == ("UNSUPPORTED", "no_map")
        assert report["error"]["hint"] and (report["equal"], report["map_compared"]) == (False, False)
        assert "not compared" not in words_of(report) and trace["trace_id"] in words_of(report)


def test_a_replay_says_no_more_than_was_compared(city: Path, trace: dict[str, Any]) -> None:
    whole = replay_traces([trace], str(city))
    assert (whole["equal"], whole["map_compared"]) == (True, True)
    assert "same results and the same map" in words_of(whole)
    without = {**trace, "final": {**trace["final"], "map_state": None}}
    told = replay_traces([without], str(city))
    assert (told["equal"], told["map_compared"]) == (True, False)
    assert "same map" not in words_of(told) and "map at the end was not compared" in words_of(told)
    empty = replay_traces([{**without, "steps": []}], str(city))
    assert empty["map_compared"] is False
    assert "same" not in words_of(empty) and "No step was repeated" in words_of(empty)
    first = {**trace, "steps": [], "final": {**trace["final"], "map_state": trace["state_in"]}}
    still = replay_traces([first], str(city))
    assert still["map_compared"] is True
    assert "same results" not in words_of(still) and "The map is the same" in words_of(still)


# whatever breaks


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (replayer, "restore"),
        (replayer, "map_state"),
        (replayer, "difference_of"),
        (replayer.Names, "arguments"),
        (replayer, "why_not_repeated"),
    ],
)
def test_what_breaks_ends_the_replay(
    city: Path, trace: dict[str, Any], monkeypatch: pytest.MonkeyPatch, place: Any, name: str
) -> None:
    def broken(*_args: Any, **_more: Any) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr(place, name, broken)
    monkeypatch.setattr(replayer, "TIMEOUT_S", 10.0)
    report = replay_traces([trace], str(city))
    assert (report["error"]["code"], report["error"]["reason"]) == ("UPSTREAM_ERROR", "internal")
    assert "too deep" in words_of(report) and not report["equal"]


@pytest.mark.parametrize(
    "spoiled",
    [
        {"state_in": {"filters": ["a"]}},
        {"state_in": {"selection": {"schools": [2**80]}}, "start": {"size": [2**60, 2**60]}},
        {"start": {"extent": [10**400, 0, 1, 1], "crs": "EPSG:4326"}},
        {"aliases": {"schools": {"name": {"a": 1}, "layer_id": []}}},
    ],
)
def test_odd_values_in_a_trace_end_the_replay(
    city: Path, trace: dict[str, Any], monkeypatch: pytest.MonkeyPatch, spoiled: dict[str, Any]
) -> None:
    monkeypatch.setattr(replayer, "TIMEOUT_S", 10.0)
    report = replay_traces([{**trace, **spoiled}], str(city))
    assert report["traces"] == [trace["trace_id"]]
    assert report["error"] is None or report["error"]["code"] != "CANCELLED"  # that would be the timeout


def test_a_full_disk_is_said(city: Path, trace: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_source: str, _target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    made: list[str] = []
    mkdtemp = scratch_project.tempfile.mkdtemp
    monkeypatch.setattr(scratch_project.tempfile, "mkdtemp", lambda **more: made.append(mkdtemp(**more)) or made[-1])
    monkeypatch.setattr(copying.shutil, "copy2", full)
    monkeypatch.setattr(replayer, "TIMEOUT_S", 10.0)
    report = replay_traces([trace], str(city))
    assert (report["error"]["code"], report["error"]["reason"]) == ("UNSUPPORTED", "copy")
    assert os.strerror(errno.ENOSPC) in report["error"]["message"]
    assert len(made) == 1 and not os.path.exists(made[0])


def test_links_in_the_folder_of_a_project(city: Path, trace: dict[str, Any], tmp_path: Path) -> None:
    """One that leads nowhere, one in a circle, a folder above itself, another folder, a pipe: the project is replayed."""
    shutil.copytree(city.parent, tmp_path / "city")
    folder = tmp_path / "city"
    (folder / "gone.gpkg").symlink_to(tmp_path / "nothing")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "above").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    report = replay_traces([trace], str(folder / "city.qgz"))
    assert (report["error"], report["equal"]) == (None, True)


def test_a_linked_file_is_copied_and_a_linked_folder_stays_where_it_is(tmp_path: Path) -> None:
    source, other, target = tmp_path / "source", tmp_path / "other", tmp_path / "target"
    for folder in (source / "data", other, target):
        folder.mkdir(parents=True)
    (source / "data" / "a.txt").write_text("a", encoding="utf-8")
    (other / "b.txt").write_text("b", encoding="utf-8")
    (source / "b.txt").symlink_to(other / "b.txt")
    (source / "other").symlink_to(other)
    (source / "again").symlink_to(source / "data")
    copy_folder(str(source), str(target))
    assert (target / "b.txt").read_text(encoding="utf-8") == "b" and not (target / "b.txt").is_symlink()
    assert (target / "other").is_symlink() and (target / "other" / "b.txt").resolve() == (other / "b.txt").resolve()
    assert (target / "again" / "a.txt").resolve() == (target / "data" / "a.txt").resolve()
    assert is_small(str(source))


def test_a_linked_file_counts_with_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "big").write_bytes(b"x" * 5000)
    (tmp_path / "source" / "link").symlink_to(tmp_path / "big")
    monkeypatch.setattr(copying, "MAX_BYTES", 4999)
    assert not is_small(str(tmp_path / "source"))


# after a write that was skipped

DEPENDING = [
    ("prepare_edit_features", {
        "layer_id": "hospitals", "action": "delete", "where": [{"field": "beds", "op": "gt", "value": 100}],
        "options": {"save": True},
    }),
    ("count_features", {"layer_id": "hospitals"}),
    ("zoom_to", {"layer_id": "hospitals"}),
    ("measure", {"method": "distance", "layer_id": "hospitals", "other_layer_id": "schools"}),
    ("set_layer_filter", {"layer_id": "schools", "where": [{"field": "pupils", "op": "gt", "value": 500}]}),
    ("count_features", {"layer_id": "schools"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def depending(city: Path, qgis_app: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A saved edit, what depends on it, and what does not."""
    path = twin(city, tmp_path_factory.mktemp("depending"))
    made = recorded(path, DEPENDING, approver=Agreeing(), text=WORDS)
    assert [each["result"]["ok"] for each in made["steps"]] == [True] * len(DEPENDING)
    return made


def changed(trace: dict[str, Any], number: int, **data: Any) -> dict[str, Any]:
    """The trace with other data in the result of a step."""
    other = json.loads(json.dumps(trace))
    result = other["steps"][number - 1]["result"]
    result["data"].update(data)
    result["digest"] = digest_of({key: result[key] for key in ("ok", "code", "reason", "data")})
    return other


def test_what_depends_on_a_skipped_write_is_not_compared_and_counted(city: Path, depending: dict[str, Any]) -> None:
    report = replay_traces([depending], str(city))
    assert report["first_difference"] is None and report["equal"]
    whys = [each.get("why", each["outcome"]) for each in report["steps"]]
    assert whys == ["commit", "after_commit", "after_commit", "after_commit", "equal", "equal"]
    assert (report["not_compared"], report["skipped"]) == (3, 4)
    assert "because they write: 1." in words_of(report) and "because they use what these changed: 3." in words_of(
        report
    )


def test_what_a_step_only_read_is_compared_as_before(city: Path, depending: dict[str, Any]) -> None:
    """Step 4 reads the schools too: they are as they were, so that a difference there is one."""
    told = replay_traces([changed(depending, 6, count=99)], str(city))["first_difference"]
    assert (told["step"], told["path"], told["expected"]) == (6, "/result/data/count", 99)
    other = json.loads(json.dumps(depending))
    other["final"]["map_state"]["styles"]["schools"]["opacity"] = 0.25
    told = replay_traces([other], str(city))["first_difference"]
    assert told is not None and told["path"] == "/map_state/styles/schools/opacity"


def test_the_layer_that_a_skipped_export_read_is_compared(city: Path, tmp_path: Path, qgis_app: Any) -> None:
    export = (
        "prepare_export_layer",
        {"layer_id": "schools", "path": str(city.parent / "x.geojson"), "format": "GeoJSON"},
    )
    calls = [export, ("count_features", {"layer_id": "schools"})]
    made = recorded(city, calls, approver=Agreeing(), text="export the schools")
    (city.parent / "x.geojson").unlink()
    report = replay_traces([made], str(city))
    assert [each.get("why", each["outcome"]) for each in report["steps"]] == ["commit", "equal"]
    told = replay_traces([changed(made, 2, count=99)], str(city))["first_difference"]
    assert (told["step"], told["expected"]) == (2, 99)


def test_the_names_of_the_skipped_step_are_those_of_layers_only(city: Path, depending: dict[str, Any]) -> None:
    """The texts of its result ("delete", "hospitals", …) are no layers, and "crs" or "styles" may be the alias of one."""
    other = json.loads(json.dumps(depending))
    other["steps"][0]["result"]["data"].update({"format": "schools", "kind": "styles", "fields": ["opacity"]})
    other["final"]["map_state"]["styles"]["schools"]["opacity"] = 0.25
    told = replay_traces([other], str(city))["first_difference"]
    assert told is not None and told["path"] == "/map_state/styles/schools/opacity"


def test_a_view_that_comes_later_is_compared_again(city: Path, depending: dict[str, Any], tmp_path: Path) -> None:
    """The view of a step that was not compared is none that can differ; that of one which was is."""
    other = json.loads(json.dumps(depending))
    other["final"]["map_state"]["view"]["bbox"][0] += 1
    assert replay_traces([other], str(city))["equal"]
    longer = recorded(twin(city, tmp_path), [*DEPENDING, *ZOOM], approver=Agreeing(), text=WORDS)
    longer["final"]["map_state"]["view"]["bbox"][0] += 1
    told = replay_traces([longer], str(city))["first_difference"]
    assert told is not None and told["path"] == "/map_state/view/bbox/0"


def test_a_host_of_a_replay_is_not_the_persons(
    city: Path, trace: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call is one that nobody looks at: capability ``alone``."""
    issued: list[Any] = []
    start = replayer.Calls.start

    def noted(self: Any, params: dict[str, Any], done: Any) -> Any:
        host: Host = self.host
        issued.append(host.ledger.capability(params["capability"], host.project_id()))
        return start(self, params, done)

    monkeypatch.setattr(replayer.Calls, "start", noted)
    replay_traces([trace], str(city))
    assert [each.alone for each in issued] == [True]


def test_an_evaluation_does_not_count_what_was_not_compared(city: Path, trace: dict[str, Any]) -> None:
    """None is "not tried" (agent/evals/observed.py); a difference is one, whatever else was compared."""
    projects = SimpleNamespace(template=lambda _name: city)
    case: Any = SimpleNamespace(_projects=projects, _cancelled=lambda: False)
    without = {**trace, "final": {**trace["final"], "map_state": None}}
    tried = {"whole": trace, "no end": without, "no beginning": {**trace, "state_in": {}}}
    found = {name: CaseRunner._replayed(case, each, "sample")["equal"] for name, each in tried.items()}
    assert found == {"whole": True, "no end": None, "no beginning": None}
    assert CaseRunner._replayed(case, changed(without, 1, crs="EPSG:1"), "sample")["equal"] is False


def test_the_command_line_refuses_a_trace_without_a_map(trace: dict[str, Any], tmp_path: Path) -> None:
    """Before QGIS starts, with the envelope and exit status 1."""
    path = tmp_path / "t.jsonl"
    path.write_text(to_line({**trace, "state_in": {}}), encoding="utf-8")
    printed: list[Any] = []
    output: Any = SimpleNamespace(json=printed.append)
    assert replay(argparse.Namespace(trace=str(path), project=None, json=True), output) == 1
    assert [(each["code"], each["reason"]) for each in printed] == [("UNSUPPORTED", "no_map")]
