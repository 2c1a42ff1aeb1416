"""Writes that are stopped half way or run out of disk: the right code, nothing left, nothing half changed."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr, osr
from qgis.core import QgsVectorLayer

from qgis_agent.gis.host import run_until
from qgis_agent.gis.paths import PathPolicy
from qgis_agent.gis.work import running_tasks

COUNT = 30_000
EDITED = 9_000
STOP_GOAL_S = 0.5
DISK_KB = 256


@pytest.fixture
def many(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30,000 points in a GeoPackage of another folder than the write folder, and a person who agrees."""
    path = tmp_path_factory.mktemp("source") / "many.gpkg"
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = made.CreateLayer("many", system, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    layer.StartTransaction()
    for index in range(COUNT):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT({400000 + index % 500 * 10} {5000000 + index // 500})"))
        feature["n"], feature["name"] = index, "学校 " + hashlib.sha256(str(index).encode()).hexdigest()[:12]
        layer.CreateFeature(feature)
    layer.CommitTransaction()
    del feature, layer, made
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.add(QgsVectorLayer(f"{path}|layername=many", "many", "ogr"))
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


WAYS: list[tuple[str, dict[str, Any]]] = [
    ("GPKG", {}),
    ("GPKG", {"where": [{"field": "n", "op": "gte", "value": 1}]}),
    ("CSV", {}),
    ("GML", {}),
    ("ESRI Shapefile", {}),
]


@pytest.mark.parametrize(("name", "more"), WAYS)
def test_an_export_that_is_stopped_leaves_nothing(bench: Bench, many: Path, name: str, more: dict[str, Any]) -> None:
    """Four moments of each way of writing: answered at once, no file of any name in the folder, the source the same."""
    before = digest(many)
    moments = random.Random(name + str(more))
    stopped = 0
    for number in range(4):
        outcomes: list[dict[str, Any]] = []
        arguments = {"layer_id": "many", "path": f"out{number}", "format": name, **more}
        running = bench.begin("prepare_export_layer", arguments, outcomes)
        assert running is not None
        shown = len(bench.approver.cards)
        run_until(lambda shown=shown, said=outcomes: bool(said) or len(bench.approver.cards) > shown, 30)
        run_until(lambda said=outcomes: bool(said), moments.uniform(0.0, 0.25))
        if outcomes:
            assert outcomes[0]["envelope"]["ok"], outcomes
            for each in bench.folder.iterdir():
                each.unlink()
            continue
        stopped += 1
        started = time.monotonic()
        running.cancel()
        assert time.monotonic() - started < 3 * STOP_GOAL_S
        assert outcomes[0]["envelope"]["code"] == "CANCELLED"
        assert run_until(lambda: running_tasks() == 0, 20)
        run_until(lambda: False, 0.05)
        assert sorted(each.name for each in bench.folder.iterdir()) == []
    assert stopped >= 2
    assert digest(many) == before


@pytest.mark.parametrize("save", [False, True])
def test_an_edit_that_is_stopped_changes_nothing(bench: Bench, many: Path, save: bool) -> None:
    """9,000 values: the layer is not in edit mode, no value is another one, and no command is left to undo."""
    before = digest(many)
    layer = bench.host.layers.by_alias("many")
    assert isinstance(layer, QgsVectorLayer)
    outcomes: list[dict[str, Any]] = []
    arguments = {
        "layer_id": "many",
        "action": "set",
        "where": [{"field": "n", "op": "lt", "value": EDITED}],
        "values": [{"field": "name", "value": "x"}],
        "options": {"save": save},
    }
    running = bench.begin("prepare_edit_features", arguments, outcomes)
    assert running is not None
    assert run_until(lambda: layer.isEditable() and layer.isModified(), 30)
    running.cancel()
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert run_until(lambda: running_tasks() == 0 and not layer.isEditable(), 20)
    assert not layer.isModified() and layer.undoStack().count() == 0
    assert not [each for each in layer.getFeatures() if each["name"] == "x"]
    assert digest(many) == before


def test_a_table_and_a_project_that_are_stopped(bench: Bench, many: Path) -> None:
    """Stopped as soon as the person agreed: no file, and the project's own name as before."""
    for tool, arguments in (
        ("prepare_export_table", {"path": "t.csv", "rows": [{"a": 1}]}),
        ("prepare_save_project", {"path": "p.qgz"}),
    ):
        outcomes: list[dict[str, Any]] = []
        running = bench.begin(tool, arguments, outcomes)
        assert running is not None
        if not outcomes:
            running.cancel()
        assert outcomes[0]["envelope"]["code"] == "CANCELLED"
        assert run_until(lambda: running_tasks() == 0, 20)
        run_until(lambda: False, 0.05)
        assert list(bench.folder.iterdir()) == [] and bench.host.project.fileName() == ""


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of a quarter of a megabyte; mounting needs root and a system that allows it."""
    folder = tmp_path_factory.mktemp("disk")
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k,mode=1777", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)  # the project may still hold a file


FORMATS = ["GPKG", "GeoJSON", "CSV", "ESRI Shapefile", "FlatGeobuf", "GML", "KML", "DXF", "MapInfo File", "XLSX", "ODS"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_disk_that_gets_full_while_writing(bench: Bench, many: Path, small_disk: Path, name: str) -> None:
    """Each format of 30,000 points needs more than the disk has: an error, and the disk is empty again."""
    bench.host.paths = PathPolicy(bench.host.project, write_roots=[str(small_disk)])
    before = digest(many)
    envelope = bench.call("prepare_export_layer", layer_id="many", path=str(small_disk / "big"), format=name)
    left = sorted(each.name for each in small_disk.iterdir())
    assert not envelope["ok"], envelope
    assert envelope["code"] == "UPSTREAM_ERROR" and envelope["hint"]
    assert left == []
    assert digest(many) == before


def test_a_full_disk_while_saving_the_data(bench: Bench, small_disk: Path) -> None:
    """The edits of a GeoPackage on a disk that is full: an error, and the data as before."""
    path = small_disk / "data.gpkg"
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = made.CreateLayer("data", None, ogr.wkbNone)
    layer.CreateField(ogr.FieldDefn("t", ogr.OFTString))
    for _ in range(200):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["t"] = "a"
        layer.CreateFeature(feature)
    del feature, layer, made
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    found = bench.add(QgsVectorLayer(str(path), "data", "ogr"))
    values = [{"field": "t", "value": "x" * 1900}]
    bench.host.paths = PathPolicy(bench.host.project, write_roots=[str(small_disk)])
    envelope = bench.call(
        "prepare_edit_features",
        layer_id="data",
        action="set",
        values=values,
        options={"all_features": True, "save": True},
    )
    assert not envelope["ok"] and envelope["code"] == "UPSTREAM_ERROR", envelope
    assert not found.isEditable()
    assert {each["t"] for each in found.getFeatures()} == {"a"}


def test_a_full_disk_while_saving_the_project(bench: Bench, small_disk: Path) -> None:
    """The project on a full disk: the old file is the same to the byte, and no copy is left."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    path = small_disk / "p.qgs"
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(1 2)", [1])], "one"))
    assert bench.host.project.write(str(path))
    before, there = path.read_bytes(), {each.name for each in small_disk.iterdir()}
    room = DISK_KB * 1024 - len(before)
    (small_disk / "filler").write_bytes(b"0" * max(0, room // 4096 * 4096 - 4096))
    bench.host.paths = PathPolicy(bench.host.project, write_roots=[str(small_disk)])
    bench.issue(caller="chat")
    envelope = bench.call("prepare_save_project")
    assert not envelope["ok"] and envelope["code"] == "UPSTREAM_ERROR", envelope
    assert path.read_bytes() == before
    assert {each.name for each in small_disk.iterdir()} == there | {"filler"}
