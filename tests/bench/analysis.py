"""Analysis beside the bare algorithm, geopandas and exactextract; the main thread meanwhile; how soon Stop ends a call.

What is compared runs in turns, ours and theirs, and the better of each counts: the machine drifts. Memory layers and files
are the same for both sides. ``python tests/bench/analysis.py`` measures these rows alone (build/bench-analysis.json).
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO), str(REPO / "tests" / "qgis"), str(Path(__file__).parent)]

from analysis_data import write_polygons, write_raster
from million import COUNT, write_points
from rows import Row, keep, row

ORACLE = REPO / ".oracle-env" / "bin" / "python"
SOME = 200_000
NAIVE_POINTS = 10_000
TURNS = 3
BARE_TURNS = 4
LONG_ENOUGH_S = 2.0
OVERHEAD, GEOPANDAS, STOP_S = 1.05, 1.5, 0.5
UNTIL_S = 600
ZONAL = {"polygon_layer_id": "areas", "layer_id": "surface", "statistics": ["count", "mean"]}
COUNTING = {"polygon_layer_id": "areas", "layer_id": "points"}
FINER = {"INPUT": "surface", "TARGET_CRS": "EPSG:32650", "RESAMPLING": 4, "TARGET_RESOLUTION": 1.25}
"""Lanczos, 64,000,000 cells."""
CURVE = 'area(buffer($geometry, 5, 8)) + "n" * 2'
BARE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("native:buffer", {"INPUT": "some", "DISTANCE": 5.0, "SEGMENTS": 12}, {"as_is": True}),
    ("native:fieldcalculator", {"INPUT": "some", "FIELD_NAME": "w", "FORMULA": CURVE}, {}),
    ("native:voronoipolygons", {"INPUT": "some"}, {}),
    ("native:extractbylocation", {"INPUT": "points", "PREDICATE": [0], "INTERSECT": "areas"}, {}),
    ("gdal:warpreproject", FINER, {}),
]
"""Algorithm, parameters, and what else run_algorithm is told: each takes two seconds or more (points: 1,000,000)."""
STOPPED: list[tuple[str, str, dict[str, Any]]] = [
    ("native:voronoipolygons", "run_algorithm", {"algorithm": "native:voronoipolygons", "parameters": {"INPUT": "points"}}),
    ("native:buffer, dissolved", "run_algorithm",
     {"algorithm": "native:buffer", "parameters": {"INPUT": "points", "DISTANCE": 8.0, "DISSOLVE": True}, "as_is": True}),
    ("buffer_layer", "buffer_layer", {"layer_id": "points", "distance_m": 5.0}),
    ("stat_by_polygon", "stat_by_polygon", COUNTING),
    ("zonal_statistics", "zonal_statistics", {**ZONAL, "statistics": ["median", "variety"]}),
    ("gdal:warpreproject", "run_algorithm", {"algorithm": "gdal:warpreproject", "parameters": FINER}),
]  # fmt: skip
STOP_AFTER_S = (0.3, 1.5)


class Stand:
    """The project with all the layers of this bench: points (1,000,000), some (200,000), areas (3,000), surface."""

    def __init__(self, folder: Path) -> None:
        from conftest import Bench
        from qgis.core import QgsFeatureRequest, QgsProject, QgsRasterLayer, QgsVectorLayer

        QgsProject.instance().clear()
        self.files = {name: folder / name for name in ("million.gpkg", "areas.gpkg", "surface.tif")}
        for path, write in zip(self.files.values(), (write_points, write_polygons, write_raster)):
            if not path.exists():  # million.py makes its points in the same folder
                write(path)
        self.bench = Bench(QgsProject.instance(), folder)
        self.layers = {
            "points": QgsVectorLayer(f"{self.files['million.gpkg']}|layername=points", "points", "ogr"),
            "areas": QgsVectorLayer(f"{self.files['areas.gpkg']}|layername=areas", "areas", "ogr"),
            "surface": QgsRasterLayer(str(self.files["surface.tif"]), "surface"),
        }
        self.layers["some"] = self.layers["points"].materialize(
            QgsFeatureRequest().setFilterExpression(f'"n" < {SOME}')
        )
        self.layers["some"].setName("some")
        for layer in self.layers.values():
            self.bench.add(layer)
        self.bench.ok("count_features", layer_id="points")
        # Without a window, the Processing plugin is loaded by the first question about it; in QGIS it is there already.
        self.bench.ok("describe_algorithm", algorithm="native:buffer")
        self._own = {each.id() for each in self.layers.values()}

    def run(self, tool: str, arguments: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Seconds and data of a call; what it added to the project stays until ``clean``. RuntimeError when it failed."""
        from qgis_agent.gis.host import run_until

        outcomes: list[dict[str, Any]] = []
        started = time.perf_counter()
        self.bench.begin(tool, arguments, outcomes)
        run_until(lambda: bool(outcomes), UNTIL_S)
        seconds = time.perf_counter() - started
        if not outcomes or not outcomes[0]["envelope"]["ok"]:
            raise RuntimeError(f"{tool} {arguments}: {outcomes}")
        return seconds, outcomes[0]["envelope"]["data"]

    def seconds(self, tool: str, arguments: dict[str, Any]) -> float:
        """Those of a call, without the removal of its result afterwards."""
        seconds, _ = self.run(tool, arguments)
        self.clean()
        return seconds

    def result(self, tool: str, arguments: dict[str, Any], field: str) -> tuple[float, dict[str, Any]]:
        """Seconds of a call, and a field of its result layer by code."""
        seconds, data = self.run(tool, arguments)
        layer = self.bench.host.layers.by_alias(data["layer_id"])
        values = {feature["code"]: feature[field] for feature in layer.getFeatures()}
        del layer
        self.clean()
        return seconds, values

    def clean(self) -> None:
        """Remove all layers but our own, and let the event loop do what is queued."""
        from qgis_agent.gis.host import run_until

        project = self.bench.host.project
        project.removeMapLayers([each for each in project.mapLayers() if each not in self._own])
        run_until(lambda: False, 0.05)
        gc.collect()
        self.tidy()

    def tidy(self) -> None:
        """The C library tidies up after a million freed features when a worker first opens a file: not in what is measured."""
        self.bench.ok("count_features", layer_id="areas", where=[{"field": "code", "op": "eq", "value": "p1"}])

    def bare(self, algorithm: str, parameters: dict[str, Any], output: str, *, in_task: bool = False) -> float:
        """Seconds of an algorithm by itself: on the main thread, or as QGIS's toolbox runs it, in a task."""
        from qgis.core import QgsApplication, QgsFeatureRequest, QgsProcessingContext, QgsProcessingFeedback

        context, feedback = QgsProcessingContext(), QgsProcessingFeedback(False)
        context.setProject(self.bench.host.project)
        # As QGIS runs it from its toolbox.
        context.setInvalidGeometryCheck(QgsFeatureRequest.InvalidGeometryCheck.GeometryAbortOnInvalid)
        made = QgsApplication.processingRegistry().createAlgorithmById(algorithm)
        filled = {
            key: self.layers.get(each, each) if isinstance(each, str) else each for key, each in parameters.items()
        }
        run = _run_in_task if in_task else _run_here
        started = time.perf_counter()
        results, good = run(made, {**filled, "OUTPUT": output}, context, feedback)
        seconds = time.perf_counter() - started
        if not good:
            raise RuntimeError(f"{algorithm}: {feedback.textLog()}")
        del results, made, context, feedback
        gc.collect()  # now, not in the middle of the next call
        self.tidy()
        return seconds


def _run_here(algorithm: Any, parameters: dict[str, Any], context: Any, feedback: Any) -> tuple[dict[str, Any], bool]:
    results, good = algorithm.run(parameters, context, feedback)
    return results, good


def _run_in_task(
    algorithm: Any, parameters: dict[str, Any], context: Any, feedback: Any
) -> tuple[dict[str, Any], bool]:
    from qgis.core import QgsApplication, QgsProcessingAlgRunnerTask

    from qgis_agent.gis.host import run_until

    ended: list[tuple[dict[str, Any], bool]] = []
    task = QgsProcessingAlgRunnerTask(algorithm, parameters, context, feedback)
    task.executed.connect(lambda good, results: ended.append((results, good)))
    QgsApplication.taskManager().addTask(task)
    run_until(lambda: bool(ended), UNTIL_S)
    return ended[0]


class Inside:
    """How long algorithms themselves ran in calls, on their worker: seconds since the last question."""

    def __init__(self) -> None:
        from qgis_agent.gis.analysis.run.running import RunAlgorithm

        self._seconds = 0.0
        original = RunAlgorithm._execute

        def timed(step: Any, feedback: Any) -> Any:
            started = time.perf_counter()
            try:
                return original(step, feedback)
            finally:
                self._seconds += time.perf_counter() - started

        RunAlgorithm._execute = timed  # type: ignore[method-assign]

    def take(self) -> float:
        """Seconds since the last question."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


def in_turns(*measured: Callable[[], float], turns: int = TURNS) -> list[float]:
    """The best of each, taken in turns, every other time backwards."""
    found: list[list[float]] = [[] for _ in measured]
    for turn in range(turns):
        for at in range(len(measured))[:: -1 if turn % 2 else 1]:
            found[at].append(measured[at]())
    return [min(each) for each in found]


def overhead_rows(stand: Stand, folder: Path) -> list[Row]:
    """run_algorithm beside the algorithm: the overhead is the call's time over that of the algorithm within the same call (the
    middle one of the calls). Beside runs of the algorithm alone it is reported: two of those, alike, differ by up to a half
    (extractbylocation alone in a task took 4.1 to 8.8 s within three minutes).

    buffer_layer does more than native:buffer: it looks at every feature first,
    and its circles are true on the ground; so it is set beside its own algorithm, and beside QGIS's for information."""
    results, inside = [], Inside()
    for name, parameters, more in BARE:
        arguments = {"algorithm": name, "parameters": parameters, **more}
        output = str(folder / "bare.tif") if name.startswith("gdal:") else "memory:"
        pairs: list[tuple[float, float]] = []

        def call(arguments: dict[str, Any] = arguments, pairs: list[tuple[float, float]] = pairs) -> float:
            inside.take()
            pairs.append((stand.seconds("run_algorithm", arguments), inside.take()))
            return pairs[-1][0]

        ours, task, here = in_turns(
            call,
            *(
                lambda name=name, parameters=parameters, output=output, in_task=in_task: stand.bare(
                    name, parameters, output, in_task=in_task
                )
                for in_task in (True, False)
            ),
            turns=BARE_TURNS,
        )
        inner = sorted(pairs, key=lambda each: each[0] / each[1])[len(pairs) // 2]
        for base, value, beside, judged in (
            ("the algorithm in the same call", *inner, True),
            ("the algorithm alone in a task, as the toolbox runs it", ours, task, False),
            ("the algorithm alone on the main thread", ours, here, False),
        ):
            counts = judged and beside >= LONG_ENOUGH_S
            goal = f"<= {OVERHEAD} x" if counts else "reported"
            results.append(
                row(f"run path, {name}", value, "s", base, beside, goal, value <= OVERHEAD * beside or not counts)
            )
    buffer = {"INPUT": "some", "DISTANCE": 5.0, "SEGMENTS": 12}  # as many segments as the tool has
    tool = {"layer_id": "some", "distance_m": 5.0}
    names = ("qgisagent:geodesiccircles", "native:buffer")
    bare = [lambda name=name: stand.bare(name, buffer, "memory:") for name in names]
    ours, *others = in_turns(lambda: stand.seconds("buffer_layer", tool), *bare)
    for name, theirs in zip(names, others):
        results.append(row(f"buffer_layer, {SOME:,} points", ours, "s", f"{name} alone", theirs, "reported", True))
    return results


def oracle(*asked: str) -> dict[str, Any]:
    """What oracles.py says."""
    command = [str(ORACLE), "-I", str(Path(__file__).with_name("oracles.py")), *asked]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def counting_rows(stand: Stand) -> list[Row]:
    """1,000,000 points in 3,000 polygons, beside geopandas with reading, and QGIS's own way without an index."""
    from qgis.core import QgsFeatureRequest

    files = str(stand.files["million.gpkg"]), str(stand.files["areas.gpkg"])
    ours: list[tuple[float, dict[str, Any]]] = []
    theirs: list[dict[str, Any]] = []
    for _ in range(TURNS):
        ours.append(stand.result("stat_by_polygon", COUNTING, "count"))
        theirs.append(oracle("count", *files))
    mine, panda = min(each for each, _ in ours), min(each["seconds"] for each in theirs)
    wrong = sum(ours[0][1][code] != found for code, found in theirs[0]["answer"].items())
    part = stand.layers["points"].materialize(
        QgsFeatureRequest().setFilterExpression(f'"n" % {COUNT // NAIVE_POINTS} = 0')
    )
    naive = stand.bare("native:countpointsinpolygon", {"POLYGONS": stand.layers["areas"], "POINTS": part}, "memory:")
    whole = naive * COUNT / NAIVE_POINTS
    name = f"stat_by_polygon, {COUNT:,} points in 3,000 polygons"
    base = f"native:countpointsinpolygon without an index, from {NAIVE_POINTS:,} points"
    return [
        row(name, mine, "s", "geopandas with reading", panda, f"<= {GEOPANDAS} x", mine <= GEOPANDAS * panda),
        row(f"{name}, beside QGIS alone", mine, "s", base, whole, "<= 0.1 x", mine <= 0.1 * whole),
        row("polygons with another count than geopandas", wrong, "", "-", 0.0, "0", wrong == 0),
    ]


def zonal_rows(stand: Stand) -> list[Row]:
    """Count and mean of 16,000,000 cells in 3,000 polygons, beside exactextract with reading.

    The rules differ: QGIS counts a cell whose centre is inside whole, exactextract by the share of it that is inside. The
    polygons have some 2,000 cells each, of about 25 m² less than their border's; the means differ by little.
    """
    ours: list[tuple[float, dict[str, Any]]] = []
    theirs: list[dict[str, Any]] = []
    for _ in range(TURNS):
        ours.append(stand.result("zonal_statistics", ZONAL, "b1_mean"))
        theirs.append(oracle("zonal", str(stand.files["surface.tif"]), str(stand.files["areas.gpkg"])))
    mine, exact = min(each for each, _ in ours), min(each["seconds"] for each in theirs)
    apart = max(abs(ours[0][1][code] / mean - 1) for code, mean in theirs[0]["answer"].items())
    native = {"INPUT": stand.layers["areas"], "INPUT_RASTER": stand.layers["surface"], "COLUMN_PREFIX": "b1_"}
    bare = stand.bare("native:zonalstatisticsfb", {**native, "RASTER_BAND": 1, "STATISTICS": [0, 2]}, "memory:")
    name = "zonal_statistics, 16,000,000 cells in 3,000 polygons"
    return [
        row(name, mine, "s", "exactextract with reading", exact, "reported", True),
        row(f"{name}, beside QGIS alone", mine, "s", "native:zonalstatisticsfb", bare, "reported", True),
        row("means apart from exactextract's at most", apart, "", "-", 0.0, "<= 0.001", apart <= 0.001),
    ]


def gap_rows(stand: Stand, heartbeat: Callable[[], Any]) -> list[Row]:
    """The main thread while 1,000,000 features are buffered, and counted."""
    idle = _idle(heartbeat)
    results = []
    for tool, arguments in (
        ("buffer_layer", {"layer_id": "points", "distance_m": 5.0}),
        ("stat_by_polygon", COUNTING),
        ("zonal_statistics", ZONAL),
    ):
        beat = heartbeat()
        seconds, _ = stand.run(tool, arguments)
        gaps = beat.gaps() or [1000 * seconds]
        stand.clean()  # only now: QGIS takes seconds to free a million polygons
        p99, worst = gaps[int(len(gaps) * 0.99)], gaps[-1]
        name = (
            f"main-thread gap, {tool}, {COUNT:,} features" if tool != "zonal_statistics" else f"main-thread gap, {tool}"
        )
        results.append(row(f"{name}, longest", worst, "ms", "idle loop", idle, "<= 150 ms", worst <= 150))
        results.append(row(f"{name}, p99", p99, "ms", "idle loop", idle, "<= 50 ms", p99 <= 50))
        results.append(row(f"duration, {tool}, {COUNT:,} features", seconds, "s", "-", 0.0, "reported", True))
    return results


def _idle(heartbeat: Callable[[], Any]) -> float:
    from qgis_agent.gis.host import run_until

    beat = heartbeat()
    run_until(lambda: False, 0.5)
    return float(beat.gaps()[-1])


def stop_rows(stand: Stand) -> list[Row]:
    """From the moment at which Stop is pressed, whatever the main thread does then, to the call's answer.

    Beside it: how long the work itself went on, detached where it cannot be interrupted.
    """
    results = []
    for label, tool, arguments in STOPPED:
        found = [each for after in STOP_AFTER_S if (each := _stopped(stand, tool, arguments, after))]
        if not found:
            raise RuntimeError(f"{label} always ended before Stop")
        ended, went_on = max(each for each, _ in found), max(each for _, each in found)
        name = f"end of a call after Stop, {label}"
        results.append(row(name, ended, "s", "the work went on for", went_on, f"<= {STOP_S} s", ended <= STOP_S))
    return results


def _stopped(stand: Stand, tool: str, arguments: dict[str, Any], after: float) -> tuple[float, float] | None:
    """Seconds to the answer, and to the end of the work; None when the call had ended by itself before."""
    from qgis.core import QgsApplication

    from qgis_agent.gis.host import run_until

    outcomes: list[dict[str, Any]] = []
    pressed = time.perf_counter() + after
    running = stand.bench.begin(tool, arguments, outcomes)
    run_until(lambda: time.perf_counter() >= pressed or bool(outcomes), UNTIL_S)
    if outcomes and not outcomes[0]["envelope"]["ok"]:
        raise RuntimeError(f"{tool} {arguments}: {outcomes}")
    if outcomes or running is None:
        stand.clean()
        return None
    running.cancel()
    run_until(lambda: bool(outcomes), UNTIL_S)
    ended = time.perf_counter() - pressed
    if outcomes[0]["envelope"]["code"] != "CANCELLED":
        raise RuntimeError(f"{tool}: {outcomes}")
    manager = QgsApplication.taskManager()
    run_until(lambda: not stand.bench.host.detached.count and not manager.countActiveTasks(), UNTIL_S)
    went_on = time.perf_counter() - pressed
    if len(stand.bench.host.project.mapLayers()) != len(stand.layers):
        raise RuntimeError(f"{tool} left a layer behind")
    stand.clean()
    return ended, went_on


def measure_analysis(folder: Path, heartbeat: Callable[[], Any]) -> list[Row]:
    """All rows of this file."""
    stand = Stand(folder)
    rows = [*counting_rows(stand), *zonal_rows(stand), *gap_rows(stand, heartbeat), *overhead_rows(stand, folder)]
    return [*rows, *stop_rows(stand)]


def main() -> int:
    """These rows alone."""
    from run import Heartbeat

    from qgis_agent.gis.headless import HeadlessQgis
    from qgis_agent.headless_commands import register_provider

    with tempfile.TemporaryDirectory() as folder:
        qgis = HeadlessQgis(Path(folder) / "profile")
        register_provider()
        keep(measure_analysis(Path(folder), Heartbeat), "bench-analysis.json")
        qgis.close()
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
