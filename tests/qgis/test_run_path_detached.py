"""Stop, time limits and layers that go while an algorithm runs that nobody can interrupt (case B33, design section 4)."""

from __future__ import annotations

import gc
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from qgis.core import (
    QgsApplication,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingAlgorithm,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterRasterDestination,
    QgsProcessingProvider,
    QgsVectorLayer,
)
from qgis.PyQt import sip

from qgis_agent.gis import scratch
from qgis_agent.gis.analysis.run.outcome import add_result
from qgis_agent.gis.analysis.run.plan import (
    RASTER_FILE,
    PlanStep,
    Ref,
)
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.analysis.run.runner import (
    analysis_context,
    run_plan,
)
from qgis_agent.gis.calls import Calls
from qgis_agent.gis.host import run_until
from qgis_agent.gis.tools.registry import REGISTRY, Tool
from qgis_agent.gis.work import Answer, running_tasks

GO = threading.Event()
SEEN: list[Any] = []


class Deaf(QgsProcessingAlgorithm):
    """Runs until the test lets it go, whatever it is told meanwhile; then it reads its input and writes a file."""

    def name(self) -> str:
        return "deaf"

    def displayName(self) -> str:  # noqa: N802
        return "Deaf"

    def createInstance(self) -> QgsProcessingAlgorithm:  # noqa: N802
        return Deaf()

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
        self.addParameter(QgsProcessingParameterFeatureSource("INPUT", "in"))
        self.addParameter(QgsProcessingParameterRasterDestination("OUTPUT", "out"))

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        path = self.parameterAsOutputLayer(parameters, "OUTPUT", context)
        Path(path).write_bytes(b"half")
        SEEN.append("began")
        GO.wait(20)
        source = self.parameterAsSource(parameters, "INPUT", context)
        SEEN.append(sum(1 for _ in source.getFeatures()))
        Path(path).write_bytes(b"whole")
        return {"OUTPUT": path}


class Provider(QgsProcessingProvider):
    """The test's own."""

    def id(self) -> str:
        return "agenttest"

    def name(self) -> str:
        return "Test"

    def loadAlgorithms(self) -> None:  # noqa: N802
        self.addAlgorithm(Deaf())


@pytest.fixture(autouse=True)
def deaf(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tool describe_layer runs the deaf algorithm and adds its result."""
    load_providers()
    registry = QgsApplication.processingRegistry()
    provider = Provider()
    registry.addProvider(provider)
    GO.clear()
    SEEN.clear()

    def handler(call: Any, layer_id: str, **_more: Any) -> Any:
        plan = [PlanStep("made", "agenttest:deaf", {"INPUT": Ref("layer")}, RASTER_FILE)]
        layer = call.vector_layer(layer_id)
        made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), [])
        return Answer({"layer_id": add_result(call, made["made"], "made", plan, {})})

    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", handler))
    yield
    GO.set()
    run_until(lambda: running_tasks() == 0, 20)
    registry.removeProvider(provider)


def points(name: str = "points", count: int = 10) -> QgsVectorLayer:
    """Points on a grid."""
    layer = QgsVectorLayer("Point?crs=EPSG:32632&field=a:integer", name, "memory")
    features = []
    for index in range(count):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([index])
        place = QgsPointXY(500_000 + index % 1000 * 37 + index % 7, 5_000_000 + index // 1000 * 41 + index % 11)
        feature.setGeometry(QgsGeometry.fromPointXY(place))
        features.append(feature)
    layer.dataProvider().addFeatures(features)
    return layer


def begun(bench: Bench, outcomes: list[Any], layer_id: str = "points") -> Any:
    """A call whose algorithm has begun."""
    already = len(SEEN)
    running = bench.begin("describe_layer", {"layer_id": layer_id}, outcomes)
    assert run_until(lambda: len(SEEN) > already, 10)
    return running


def settled(bench: Bench) -> None:
    """Everything has returned, and nothing is left of it."""
    GO.set()
    assert run_until(lambda: running_tasks() == 0 and not bench.host.detached.count, 20)
    run_until(lambda: False, 0.05)
    gc.collect()
    assert not scratch.open_folders()
    assert [each.name for each in Path(scratch.session_folder()).iterdir()] == ["session.lock"]


def test_stop_detaches_what_goes_on(bench: Bench) -> None:
    """Answered at once; "still stopping" until it returns; then its file is gone and no layer has come."""
    counts: list[int] = []
    bench.host.detached.changed.connect(counts.append)
    bench.add(points())
    outcomes: list[Any] = []
    running = begun(bench, outcomes)
    (folder,) = scratch.open_folders()
    started = time.monotonic()
    running.cancel()
    assert time.monotonic() - started < 1.5
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert bench.host.detached.tools() == ["describe_layer"] and counts == [1]
    assert (Path(folder) / "made.tif").read_bytes() == b"half"  # it is still in use
    settled(bench)
    assert counts == [1, 0] and SEEN == ["began", 10] and len(outcomes) == 1
    assert len(bench.host.project.mapLayers()) == 1


def test_a_time_limit_detaches_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TIMEOUT within half a second of the limit."""
    bench.add(points())
    monkeypatch.setitem(bench.calls.contracts.tools["describe_layer"], "timeout_s", 0.3)
    outcomes: list[Any] = []
    started = time.monotonic()
    begun(bench, outcomes)
    assert run_until(lambda: bool(outcomes), 5)
    assert time.monotonic() - started < 0.3 + 1.5  # three times the goal of 0.5 s
    assert outcomes[0]["envelope"]["code"] == "TIMEOUT" and bench.host.detached.count == 1
    settled(bench)


def test_at_most_two_are_detached(bench: Bench) -> None:
    """A third is refused with a hint before it begins; once one has returned it may run."""
    bench.add(points())
    for _ in range(2):
        begun(bench, []).cancel()
    envelope = bench.call("describe_layer", layer_id="points")
    assert (envelope["code"], envelope["reason"]) == ("RATE_LIMITED", "still_stopping") and envelope["hint"]
    assert SEEN.count("began") == 2 and len(scratch.open_folders()) == 2
    started = time.monotonic()
    assert bench.ok("count_features", layer_id="points")["count"] == 10  # also where QGIS has two threads only
    assert time.monotonic() - started < 5
    settled(bench)
    begun(bench, []).cancel()


@pytest.mark.parametrize("how", ["remove", "clear"])
def test_b33_a_layer_that_goes_under_way(bench: Bench, how: str) -> None:
    """One message that it was removed; the layer lives until the algorithm has read it, and no longer."""
    layer = bench.add(points())
    gone: list[str] = []
    layer.destroyed.connect(lambda *_: gone.append("gone"))
    outcomes: list[Any] = []
    begun(bench, outcomes)
    ident = layer.id()
    del layer
    if how == "remove":
        bench.host.project.removeMapLayer(ident)
    else:
        bench.host.project.clear()
    assert [each["envelope"]["reason"] for each in outcomes] == ["layer_removed"]
    assert "points" in outcomes[0]["envelope"]["message"] and not gone
    settled(bench)
    assert SEEN == ["began", 10] and len(outcomes) == 1
    # with "remove" pytest-qgis's stand-in for QGIS's window still has the layer in its list
    assert gone == ["gone"] or how == "remove"


def test_b33_the_plugin_is_unloaded_under_way(bench: Bench) -> None:
    """Calls, and with them their timers and signals, are gone when it returns; nothing is added, nothing breaks."""
    bench.add(points())
    calls = Calls(bench.host, bench.approver)
    outcomes: list[Any] = []
    params = {"call_id": "u1", "run_id": "run", "capability": bench.capability.token, "name": "describe_layer"}
    calls.start({**params, "arguments": {"layer_id": "points"}}, outcomes.append)
    assert run_until(lambda: bool(SEEN), 10)
    calls.cancel_all()
    sip.delete(calls)
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    settled(bench)
    assert len(bench.host.project.mapLayers()) == 1


def test_b33_200000_features_and_the_layer_goes(bench: Bench) -> None:
    """The recipe of the case: a native algorithm in C++, its layer removed while it reads."""
    bench.add(points("many", 200_000))
    outcomes: list[Any] = []
    bench.begin("buffer_layer", {"layer_id": "many", "distance_m": 5}, outcomes)
    run_until(lambda: False, 0.4)
    bench.host.project.removeAllMapLayers()
    assert run_until(lambda: bool(outcomes), 10)
    assert [each["envelope"]["reason"] for each in outcomes] == ["layer_removed"]
    settled(bench)
    assert not bench.host.project.mapLayers()


def test_c_plus_plus_that_cannot_be_interrupted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Voronoi polygons look at no feedback while GEOS works: the call ends all the same."""

    def handler(call: Any, layer_id: str, **_more: Any) -> Any:
        plan = [PlanStep("made", "native:voronoipolygons", {"INPUT": Ref("layer")})]
        layer = call.vector_layer(layer_id)
        made = yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), [])
        return Answer({"layer_id": add_result(call, made["made"], "made", plan, {})})

    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", handler))
    bench.add(points("many", 60_000))
    outcomes: list[Any] = []
    running = bench.begin("describe_layer", {"layer_id": "many"}, outcomes)
    run_until(lambda: False, 0.5)
    started = time.monotonic()
    assert running is not None
    running.cancel()
    assert outcomes[0]["envelope"]["code"] == "CANCELLED" and time.monotonic() - started < 1.5
    settled(bench)
    assert len(bench.host.project.mapLayers()) == 1


def test_qgis_ends_under_way(tmp_path: Path) -> None:
    """With Voronoi polygons in C++ still at work: QGIS waits for them, does not crash, and no file is left."""
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", PYTHONDONTWRITEBYTECODE="1")
    child = REPO / "tests" / "support" / "quit_child.py"
    command = [str(REPO / ".venv" / "bin" / "python"), str(child), str(tmp_path)]
    done = subprocess.run(command, env=environment, timeout=150, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    left, code, count, folder = done.stdout.split()
    assert (left, code, count) == ("left", "CANCELLED", "1")
    assert not Path(folder).exists()


def test_progress_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """In percent, for the step's line; a call that has ended tells none."""
    from qgis_agent.gis import driver
    from qgis_agent.gis.analysis.run.running import RunAlgorithm

    monkeypatch.setattr(driver, "PROGRESS_MS", 20)
    shares = iter([10.0, 10.0, 55.5])
    monkeypatch.setattr(RunAlgorithm, "progress", lambda self: next(shares, 55.5))
    told: list[Any] = []
    bench.calls.progressed.connect(lambda *what: told.append(what))
    bench.add(points())
    running = begun(bench, [])
    assert run_until(lambda: len(told) == 2, 5)
    assert [(tool, percent) for _, tool, percent in told] == [("describe_layer", 10), ("describe_layer", 55)]
    running.cancel()
    settled(bench)
    assert len(told) == 2


def test_a_small_layer_is_not_kept_by_python(bench: Bench) -> None:
    """What the tests above count on: the project alone keeps a layer."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 1)", [])], "one"))
    gone: list[str] = []
    layer.destroyed.connect(lambda *_: gone.append("gone"))
    bench.host.project.removeMapLayer(layer.id())
    assert gone == ["gone"]
