"""Faults of files and disks, in a QGIS of its own that runs as an unprivileged user: root would hide half of them.

``fault_child.py FOLDER FAULT …`` makes its data below FOLDER and writes told.json there: for each fault what our tools answered,
and what the bare algorithm said (the proof that the fault bites).
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO))

from qgis_agent.gis.headless import HeadlessQgis  # noqa: E402  it sets the environment that QGIS reads

SIZE = 900
LOCK = """
import sqlite3, sys
line = sqlite3.connect(sys.argv[1], isolation_level=None)
line.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


class World:
    """A project with a raster and points in files, and calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.qgis = HeadlessQgis(folder / "profile")
        from qgis.core import QgsApplication, QgsProject

        from qgis_agent.gis.analysis.run.providers import load_providers
        from qgis_agent.gis.calls import Calls
        from qgis_agent.gis.host import Host
        from qgis_agent.processing.provider import QgisAgentProvider

        load_providers()
        QgsApplication.processingRegistry().addProvider(QgisAgentProvider())
        self.project = QgsProject.instance()
        self.host = Host(self.project)
        self.calls = Calls(self.host, self)
        self.number = 0

    def ask(self, card: Any, answer: Callable[[str], None]) -> Callable[[], None]:
        """See Approver: nobody is there."""
        answer("headless")
        return lambda: None

    def data(self, name: str) -> Path:
        """A folder with ``ramp.tif`` (compressed) and ``places.gpkg`` (3,000 points), both in the project."""
        from qgis.core import QgsRasterLayer, QgsVectorLayer

        self.project.clear()
        folder = self.folder / name
        folder.mkdir()
        make_raster(folder / "ramp.tif")
        make_points(folder / "places.gpkg", 3000)
        self.project.addMapLayer(QgsRasterLayer(str(folder / "ramp.tif"), "ramp"))
        self.project.addMapLayer(QgsVectorLayer(str(folder / "places.gpkg"), "places", "ogr"))
        return folder

    def begin(self, tool: str, arguments: dict[str, Any], outcomes: list[dict[str, Any]]) -> Any:
        """Start a call without waiting."""
        self.number += 1
        capability = self.host.ledger.issue(
            caller="cli", level="safe_write", session_id="s", run_id="r", project_id=self.host.project_id(),
            enabled_packs=frozenset(),
        )  # fmt: skip
        params = {"call_id": str(self.number), "run_id": "r", "capability": capability.token}
        return self.calls.start({**params, "name": tool, "arguments": arguments}, outcomes.append)

    def calls_step(self) -> Any:
        """The algorithm that runs for a call now; None for none."""
        steps = [each.step for each in self.calls._running]
        return next((each for each in steps if getattr(each, "detachable", False)), None)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The envelope of a tool, with what is left afterwards."""
        import gc

        from qgis_agent.gis import scratch
        from qgis_agent.gis.host import run_until

        before = len(self.project.mapLayers())
        outcomes: list[dict[str, Any]] = []
        self.begin(tool, arguments, outcomes)
        answered = run_until(lambda: bool(outcomes), 60)
        run_until(lambda: False, 0.05)
        gc.collect()
        envelope = outcomes[0]["envelope"] if answered else {"ok": False, "code": "no answer"}
        return {
            "ok": envelope["ok"],
            "code": envelope.get("code"),
            "reason": envelope.get("reason"),
            "message": envelope.get("message"),
            "hint": envelope.get("hint"),
            "data": envelope.get("data"),
            "added": len(self.project.mapLayers()) - before,
            "scratch": scratch.open_folders(),
        }

    def algorithm(self, ident: str, **parameters: Any) -> dict[str, Any]:
        """run_algorithm."""
        return self.call("run_algorithm", algorithm=ident, parameters=parameters)

    def bare(self, ident: str, **parameters: Any) -> dict[str, Any]:
        """The algorithm as QGIS runs it: whether it says that it went well, and how many features came."""
        from qgis.core import QgsApplication, QgsProcessingContext, QgsProcessingFeedback

        context = QgsProcessingContext()
        context.setProject(self.project)
        algorithm = QgsApplication.processingRegistry().createAlgorithmById(ident)
        results, good = algorithm.run(parameters, context, QgsProcessingFeedback(False))
        layer = context.takeResultLayer(str(results.get("OUTPUT", "")))
        return {"good": good, "count": layer.featureCount() if layer is not None else None}

    def layer(self, name: str) -> Any:
        """By its name."""
        return self.project.mapLayersByName(name)[0]


def make_raster(path: Path) -> None:
    """A ramp of SIZE x SIZE cells with some noise, compressed."""
    import numpy
    from osgeo import gdal, osr

    made = gdal.GetDriverByName("GTiff").Create(str(path), SIZE, SIZE, 1, gdal.GDT_Float32, ["COMPRESS=DEFLATE"])
    made.SetGeoTransform([500_000, 10, 0, 5_000_000, 0, -10])
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made.SetProjection(system.ExportToWkt())
    cells = numpy.random.default_rng(1).random((SIZE, SIZE), dtype="f4") * 50
    made.GetRasterBand(1).WriteArray(cells)


def make_points(path: Path, count: int) -> None:
    """Points with a number, in one layer."""
    from osgeo import ogr, osr

    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = made.CreateLayer("places", system, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("a", ogr.OFTInteger))
    layer.StartTransaction()
    for index in range(count):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("a", index)
        feature.SetGeometry(
            ogr.CreateGeometryFromWkt(f"POINT({500_000 + index % 60 * 100} {5_000_000 - index // 60 * 100})")
        )
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def digests(folder: Path) -> dict[str, str]:
    """Name to hash of what lies in a folder."""
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(folder.iterdir())}


def missing(world: World) -> dict[str, Any]:
    """The files go after QGIS has opened them."""
    folder = world.data("missing")
    shutil.rmtree(folder)
    return {
        "vector": world.call("buffer_layer", layer_id="places", distance_m=10),
        "raster": world.algorithm("native:slope", INPUT="ramp"),
        "bites": not folder.exists(),
    }


def locked(world: World) -> dict[str, Any]:
    """Another process has the GeoPackage to itself."""
    folder = world.data("locked")
    before = digests(folder)
    with Locked(folder / "places.gpkg"):
        told = {
            "bites": not can_read(folder / "places.gpkg"),
            "vector": world.call("buffer_layer", layer_id="places", distance_m=10),
            "generic": world.algorithm("native:centroids", INPUT="places"),
        }
    told["readable"] = can_read(folder / "places.gpkg")
    told["after"] = world.call("buffer_layer", layer_id="places", distance_m=10)
    told["same"] = digests(folder) == before
    return told


def can_read(path: Path) -> bool:
    """Whether GDAL itself can read a layer's features."""
    from osgeo import gdal

    try:
        opened = gdal.OpenEx(str(path), gdal.OF_VECTOR | gdal.OF_READONLY)
    except RuntimeError:  # where QGIS's Processing has turned GDAL's exceptions on
        return False
    return opened is not None and opened.GetLayer(0).GetNextFeature() is not None


class Locked:
    """Inside ``with`` another process has a database to itself."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", LOCK, str(path)]
        self._other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> None:
        self._other.stdout.readline()

    def __exit__(self, *_error: object) -> None:
        self._other.stdin.close()
        self._other.wait(10)
        self._other.stdout.close()


def read_only(world: World) -> dict[str, Any]:
    """The sources lie where nothing may be written; then the scratch does."""
    from qgis_agent.gis.scratch import session_folder

    folder = world.data("read_only")
    before = digests(folder)
    folder.chmod(0o555)
    told = {
        "bites": _refused(folder / "x"),
        "vector": world.call("buffer_layer", layer_id="places", distance_m=10),
        "raster": world.algorithm("native:slope", INPUT="ramp"),
        "statistics": world.algorithm("native:rasterlayerstatistics", INPUT="ramp"),
    }
    world.project.clear()
    world.data("read_only_scratch")
    Path(session_folder()).chmod(0o555)
    told["scratch"] = world.algorithm("native:slope", INPUT="ramp")
    Path(session_folder()).chmod(0o700)
    return {**told, "same": digests(folder) == before}


def _refused(path: Path) -> bool:
    try:
        path.write_bytes(b"x")
    except PermissionError:
        return True
    return False


def corrupt(world: World) -> dict[str, Any]:
    """Bytes in the middle of the raster are others than the file says."""
    folder = world.data("corrupt")
    path = folder / "ramp.tif"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\x00" * 20_000)
    before = digests(folder)
    return {
        "slope": world.algorithm("native:slope", INPUT="ramp"),
        "statistics": world.algorithm("native:rasterlayerstatistics", INPUT="ramp"),
        "command": world.algorithm("gdal:slope", INPUT="ramp"),
        "bare": world.bare("native:slope", INPUT=world.layer("ramp"), OUTPUT=str(world.folder / "bare.tif")),
        "same": digests(folder) == before,
    }


def full(world: World) -> dict[str, Any]:
    """No file may grow over 300 kB from here on: the raster would be 3 MB, the copy with an index 1 MB."""
    folder = world.data("full")
    before = digests(folder)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    told = {
        "slope": world.algorithm("native:slope", INPUT="ramp"),
        "command": world.algorithm("gdal:slope", INPUT="ramp"),
        "small": world.call("buffer_layer", layer_id="places", distance_m=10),
        "bare": world.bare("native:slope", INPUT=world.layer("ramp"), OUTPUT=str(world.folder / "full.tif")),
    }
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return {**told, "same": digests(folder) == before}


def tmpfs(world: World) -> dict[str, Any]:
    """The folder for temporary files is a disk of 1 MB."""
    folder = world.data("tmpfs")
    before = digests(folder)
    told = {
        "slope": world.algorithm("native:slope", INPUT="ramp"),
        "command": world.algorithm("gdal:slope", INPUT="ramp"),
        "room": shutil.disk_usage(os.environ["TMPDIR"]).total,
    }
    return {**told, "same": digests(folder) == before}


FAULTS: dict[str, Callable[[World], dict[str, Any]]] = {
    each.__name__: each for each in (missing, locked, read_only, corrupt, full, tmpfs)
}


def main() -> int:
    """See the module."""
    folder = Path(sys.argv[1])
    world = World(folder)
    told: dict[str, Any] = {"user": os.getuid(), "seconds": {}}
    for fault in [FAULTS[each] for each in sys.argv[2:]]:
        started = time.monotonic()
        told[fault.__name__] = fault(world)
        told["seconds"][fault.__name__] = round(time.monotonic() - started, 1)
    from qgis_agent.gis.scratch import session_folder

    told["session"] = session_folder()
    (folder / "told.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    world.qgis.close()
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # As the command line ends: QGIS has been closed in order, Python's own tear-down of Qt objects may still crash.
    os._exit(status)
