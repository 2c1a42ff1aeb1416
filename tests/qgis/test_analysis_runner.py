"""RunAlgorithm as a step: results, errors that algorithms only report, parameters, the main thread; the provider."""

from __future__ import annotations

import gc
import math
import threading
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsFeedback,
    QgsPointXY,
    QgsProject,
    QgsRectangle,
)

from qgis_agent.gis.analysis.ground.units import (
    PLANE_RADIUS_M,
    local_crs,
    plane_for,
)
from qgis_agent.gis.analysis.run.plan import (
    PlanStep,
    Ref,
    algorithms,
    describe,
)
from qgis_agent.gis.analysis.run.runner import (
    RunAlgorithm,
    analysis_context,
)
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.host import run_until
from qgis_agent.processing.provider import QgisAgentProvider


@pytest.fixture(autouse=True)
def native() -> None:
    """QGIS's own algorithms and ours."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


def outcome(step: RunAlgorithm, feedback: QgsFeedback | None = None) -> tuple[Any, Any]:
    """What a step tells: (result, error)."""
    told: list[tuple[Any, Any]] = []
    step.start(feedback or QgsFeedback(), lambda result, error: told.append((result, error)))
    assert run_until(lambda: bool(told), 20)
    return told[0]


def points(*wkt: str) -> Any:
    """Points in degrees."""
    return memory_layer("Point?crs=EPSG:4326&field=n:integer", [(each, [1]) for each in wkt], "points")


def test_an_error_that_is_only_reported_fails_the_step(bench: Bench) -> None:
    """QGIS ends "well" with a feature that it could not transform: 95° north is no place."""
    context = analysis_context(QgsProject.instance())
    parameters = {"INPUT": points("POINT(9 95)", "POINT(9 5)"), "TARGET_CRS": "EPSG:32632", "OUTPUT": "memory:"}
    result, error = outcome(RunAlgorithm("native:reprojectlayer", parameters, context))
    assert result is None and error.envelope["code"] == "UPSTREAM_ERROR"
    assert "transform" in error.envelope["message"] and error.envelope["hint"]


def test_a_step_gives_its_layer(bench: Bench) -> None:
    """The layer comes back through the context, with the CRS asked for."""
    context = analysis_context(QgsProject.instance())
    parameters = {"INPUT": points("POINT(9 50)"), "TARGET_CRS": local_crs(9.0, 50.0), "OUTPUT": "memory:"}
    result, error = outcome(RunAlgorithm("native:reprojectlayer", parameters, context))
    assert error is None
    layer = context.takeResultLayer(result["OUTPUT"])
    place = next(layer.getFeatures(QgsFeatureRequest())).geometry().asPoint()
    assert place.distance(QgsPointXY(0, 0)) < 1e-6


def test_a_stopped_step(bench: Bench) -> None:
    """A feedback that is cancelled already ends the step as CANCELLED."""
    feedback = QgsFeedback()
    feedback.cancel()
    parameters = {"INPUT": points("POINT(9 50)"), "DISTANCE": 1, "OUTPUT": "memory:"}
    _, error = outcome(RunAlgorithm("native:buffer", parameters, analysis_context(QgsProject.instance())), feedback)
    assert error.envelope["code"] == "CANCELLED"


def test_what_must_run_on_the_main_thread_does(bench: Bench) -> None:
    """createspatialindex is flagged NoThreading: it runs there, once the event loop had time to show that QGIS is busy."""
    layer = points("POINT(9 50)")
    step = RunAlgorithm("native:createspatialindex", {"INPUT": layer}, analysis_context(QgsProject.instance()))
    told: list[Any] = []
    step.start(QgsFeedback(), lambda result, error: told.append((result, error, threading.current_thread())))
    assert not told
    assert run_until(lambda: bool(told), 20)
    assert told[0][1] is None and told[0][2] is threading.main_thread()


@pytest.mark.parametrize(
    ("algorithm", "parameters", "code"),
    [
        ("native:bufer", {}, "UNSUPPORTED"),
        ("native:buffer", {"INPUT": "nothing", "DISTANCE": 1, "OUTPUT": "memory:"}, "INVALID_PARAM"),
        ("native:buffer", {"DISTANC": 1}, "INVALID_PARAM"),
    ],
)
def test_wrong_parameters(bench: Bench, algorithm: str, parameters: dict[str, Any], code: str) -> None:
    """An unknown algorithm, an unreadable input, an unknown key (with the nearest one)."""
    with pytest.raises(ToolError) as caught:
        RunAlgorithm(algorithm, parameters, analysis_context(QgsProject.instance()))
    assert caught.value.envelope["code"] == code and caught.value.envelope["hint"]
    if "DISTANC" in parameters:
        assert "DISTANCE" in caught.value.envelope["hint"]


def test_the_provider_outlives_its_python_names(bench: Bench) -> None:
    """Nothing in Python holds the registry or the provider, and the algorithm still works after a collection."""
    gc.collect()
    algorithm = QgsApplication.processingRegistry().createAlgorithmById("qgisagent:geodesicbuffer")
    assert algorithm.displayName()
    parameters = {"INPUT": points("POINT(179.999 0)"), "DISTANCE": 5000.0, "OUTPUT": "memory:"}
    context = analysis_context(QgsProject.instance())
    result, error = outcome(RunAlgorithm("qgisagent:geodesicbuffer", parameters, context))
    assert error is None
    geometry = next(context.takeResultLayer(result["OUTPUT"]).getFeatures()).geometry()
    assert geometry.constGet().numGeometries() == 2


def test_a_plan_can_be_read() -> None:
    """Numbered steps with their parameters; inputs by name, outputs by number."""
    plan = [
        PlanStep(
            "a",
            "native:reprojectlayer",
            {"INPUT": Ref("layer"), "TARGET_CRS": QgsCoordinateReferenceSystem("EPSG:3857")},
        ),
        PlanStep("b", "native:buffer", {"INPUT": Ref("a"), "DISTANCE": 5.0}),
        PlanStep("c", "native:buffer", {"INPUT": Ref("b"), "DISTANCE": 6.0}),
    ]
    assert algorithms(plan) == ["native:reprojectlayer", "native:buffer"]
    assert describe(plan, {"layer": "schools"}) == [
        "1. native:reprojectlayer (INPUT=schools, TARGET_CRS=EPSG:3857)",
        "2. native:buffer (INPUT=[1], DISTANCE=5.0)",
        "3. native:buffer (INPUT=[2], DISTANCE=6.0)",
    ]


@pytest.mark.parametrize(
    ("box", "distance", "fits"),
    [
        ((9, 50, 10, 51), 1000.0, True),
        ((0, 40, 20, 60), 1000.0, False),  # a country is too large
        ((9, 50, 9, 50), PLANE_RADIUS_M + 1, False),  # the buffer is
        ((9, 84.5, 9.1, 84.6), 100_000.0, False),  # near the pole
        ((179.9, 10, 179.95, 10.1), 1000.0, True),
        ((179.9, 10, 179.999, 10.1), 1000.0, False),  # over 180°, where EPSG:4326 ends
    ],
)
def test_where_a_plane_is_good_enough(bench: Bench, box: Any, distance: float, fits: bool) -> None:
    """And its error is stated: c / sin(c) - 1 at the farthest place."""
    context = QgsProject.instance().transformContext()
    plane = plane_for(QgsRectangle(*box), QgsCoordinateReferenceSystem("EPSG:4326"), distance, context)
    assert (plane is not None) == fits
    if plane is not None:
        assert plane.crs.isValid() and 0 < plane.error < 0.001
        assert plane.error == pytest.approx(0, abs=(math.hypot(0.7, 0.7) / 57.3 + distance / 6.3e6) ** 2 / 4)
