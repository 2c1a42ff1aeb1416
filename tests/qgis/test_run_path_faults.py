"""Faults of files and disks: the right code, nothing half-made in the project, sources as they were, no file left behind.

The faults happen in a child process under an unprivileged user (``tests/support/fault_child.py``), because root may read and
write everything. Each fault is first shown to bite: QGIS's own algorithm "succeeds" under it, or the system refuses.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pwd
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench
from qgis.core import QgsVectorLayer

from qgis_agent.gis import scratch
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.host import run_until
from qgis_agent.gis.work import running_tasks

CHILD_S = 170
TMPFS_KB = 1024
MOMENTS = 20
FAULTS = ("missing", "locked", "read_only", "corrupt", "full")


def user() -> dict[str, Any]:
    """Arguments that run a child as nobody; none where the tests themselves are unprivileged."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def child(folder: Path, *arguments: str, **more: str) -> dict[str, Any]:
    """What the child told, and that it ended well."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SQLITE_BUSY_TIMEOUT": "300",  # else each look at a locked file takes 5 s
        **more,
    }
    command = [str(REPO / ".venv" / "bin" / "python"), str(REPO / "tests" / "support" / "fault_child.py"), str(folder)]
    done = subprocess.run(
        [*command, *arguments], env=environment, timeout=CHILD_S, capture_output=True, text=True, check=False, **user()
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-1000:]} {done.stderr[-3000:]}"
    return json.loads((folder / "told.json").read_text(encoding="utf-8"))


def open_folder(prefix: str) -> Path:
    """A folder that the child may write to; pytest's own are root's."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o777)
    return folder


@pytest.fixture(scope="module")
def told() -> Iterator[dict[str, Any]]:
    """All faults but the small disk, in one child."""
    folder = open_folder("agent_faults_")
    try:
        yield child(folder, *FAULTS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def failed(outcome: dict[str, Any], *reasons: str) -> None:
    """UPSTREAM_ERROR with a hint, nothing added, no file left."""
    assert (outcome["ok"], outcome["code"]) == (False, "UPSTREAM_ERROR"), outcome
    assert outcome["reason"] in reasons and outcome["hint"] and outcome["message"], outcome
    assert outcome["added"] == 0 and not outcome["scratch"], outcome


def test_the_child_is_no_root(told: dict[str, Any]) -> None:
    """Else half of the faults would not bite. Its folder for temporary files went with it."""
    assert told["user"] != 0
    assert not Path(told["session"]).exists()


def test_a_missing_file(told: dict[str, Any]) -> None:
    """Gone since QGIS opened it, so that QGIS still shows the layer."""
    assert told["missing"]["bites"]
    for kind in ("vector", "raster"):
        failed(told["missing"][kind], "source_missing")


def test_a_locked_geopackage(told: dict[str, Any]) -> None:
    """GDAL cannot read it (and QGIS finds no features, after 20 s, and says that all is well); without the lock, all are there."""
    assert told["locked"]["bites"] and told["locked"]["readable"]
    failed(told["locked"]["vector"], "locked")
    failed(told["locked"]["generic"], "locked")
    assert told["locked"]["after"]["ok"] and told["locked"]["after"]["data"]["feature_count"] == 3000
    assert told["locked"]["same"]


def test_read_only_folders(told: dict[str, Any]) -> None:
    """Sources may lie in one; one for temporary files is an error of its own."""
    outcome = told["read_only"]
    assert outcome["bites"] and outcome["same"]
    assert outcome["vector"]["data"]["feature_count"] == 3000
    assert outcome["raster"]["ok"] and outcome["statistics"]["ok"]
    failed(outcome["scratch"], "not_writable")


def test_a_corrupt_raster(told: dict[str, Any]) -> None:
    """QGIS's slope of it "succeeds", with numbers from nowhere."""
    outcome = told["corrupt"]
    assert outcome["bare"]["good"] and outcome["same"]
    for each in ("slope", "statistics", "command"):
        failed(outcome[each], "unreadable_source")


def test_a_full_disk_by_the_size_of_files(told: dict[str, Any]) -> None:
    """No file over 300 kB: QGIS's slope "succeeds" with a part of its file; what stays small still works."""
    outcome = told["full"]
    assert outcome["bare"]["good"] and outcome["same"]
    failed(outcome["slope"], "disk_full")
    failed(outcome["command"], "disk_full")
    assert outcome["small"]["ok"]


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 1 MB; mounting needs root and a system that allows it."""
    folder = Path(tempfile.mkdtemp(prefix="agent_tmpfs_"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_KB}k,mode=1777", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        folder.rmdir()
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)
        folder.rmdir()


def test_a_full_disk(small_disk: Path) -> None:
    """The disk for temporary files holds a third of the result."""
    folder = open_folder("agent_faults_")
    try:
        outcome = child(folder, "tmpfs", TMPDIR=str(small_disk))["tmpfs"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert outcome["room"] == TMPFS_KB * 1024 and outcome["same"]
    failed(outcome["slope"], "disk_full")
    failed(outcome["command"], "disk_full")
    assert not list(small_disk.glob("qgis_agent_*"))


@pytest.fixture
def many(bench: Bench, tmp_path: Path) -> tuple[Path, str]:
    """60,000 points in a GeoPackage, in the project; the file and its hash. A buffer of them takes long."""
    load_providers()
    from osgeo import ogr, osr

    path = tmp_path / "many.gpkg"
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = made.CreateLayer("many", system, ogr.wkbPoint)
    layer.StartTransaction()
    for index in range(60_000):
        feature = ogr.Feature(layer.GetLayerDefn())
        point = ogr.Geometry(ogr.wkbPoint)
        point.AddPoint_2D(400_000 + index % 500 * 100, 5_000_000 + index // 500 * 100)
        feature.SetGeometryDirectly(point)
        layer.CreateFeature(feature)
    layer.CommitTransaction()
    del layer, made
    bench.add(QgsVectorLayer(str(path), "many", "ogr"))
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_cancelled_at_random_moments(bench: Bench, many: tuple[Path, str]) -> None:
    """20 moments of a job that would take half a minute (buffers of 2,000 corners): each ends at once, and nothing is
    left of any: no layer, no file, no task; the source is the same byte for byte."""
    path, digest = many
    moments = random.Random(5)
    late: list[float] = []
    for _ in range(MOMENTS):
        outcomes: list[dict[str, Any]] = []
        parameters = {"INPUT": "many", "DISTANCE": 80, "SEGMENTS": 500}
        running = bench.begin("run_algorithm", {"algorithm": "native:buffer", "parameters": parameters}, outcomes)
        run_until(lambda: False, moments.uniform(0.0, 0.8))
        assert running is not None and not outcomes, outcomes
        started = time.monotonic()
        running.cancel()
        late.append(time.monotonic() - started)
        assert [each["envelope"]["code"] for each in outcomes] == ["CANCELLED"]
        assert run_until(lambda: running_tasks() == 0, 20)
        run_until(lambda: False, 0.02)
        assert len(bench.host.project.mapLayers()) == 1 and bench.host.detached.count == 0
    gc.collect()
    assert max(late) < 0.5
    assert not scratch.open_folders()
    assert [each.name for each in Path(scratch.session_folder()).iterdir()] == ["session.lock"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name]
