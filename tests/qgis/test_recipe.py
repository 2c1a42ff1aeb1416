"""An analysis as Python: what is copied runs in QGIS's console and gives the same features."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorLayer,
)

from qgis_agent.gis.analysis.run.plan import PlanStep, Ref
from qgis_agent.gis.analysis.run.recipe import recipe


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Names of a console whose ``processing`` runs algorithms as QGIS's own module does; ``results`` has what was loaded."""
    results: list[dict[str, Any]] = []

    def run(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
        context.setProject(QgsProject.instance())
        algorithm = QgsApplication.processingRegistry().createAlgorithmById(name)
        made, ok = algorithm.run(parameters, context, feedback)
        assert ok, feedback.textLog()
        return {key: context.takeResultLayer(value) or value for key, value in made.items()}

    def load(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        results.append(run(name, parameters))
        return results[-1]

    module = ModuleType("processing")
    module.run, module.runAndLoadResults = run, load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "processing", module)
    return {"results": results}


@pytest.fixture
def layers(bench: Bench) -> Bench:
    bench.add(memory_layer("Point?crs=EPSG:32650&field=n:integer", [("POINT(500000 4000000)", [1])], 'it\'s a "point"'))
    return bench


def told_by(bench: Bench, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a person who looks closer at a call is told."""
    told: list[dict[str, Any]] = []
    bench.calls.ended.connect(lambda _call_id, _tool, what: told.append(what))
    bench.ok(tool, **arguments)
    return told[-1]


def area(layer: QgsVectorLayer) -> float:
    return sum(each.geometry().area() for each in layer.getFeatures())


def test_a_named_analysis_can_be_repeated(layers: Bench, console: dict[str, Any]) -> None:
    alias = layers.host.layers.aliases()[0]
    told = told_by(layers, "buffer_layer", layer_id=alias, distance_m=100.0)
    (text,) = told["recipes"]
    made = next(each for each in QgsProject.instance().mapLayers().values() if "100" in each.name())
    exec(compile(text, "recipe", "exec"), console)  # noqa: S102  the point of the test
    (again,) = console["results"][-1].values()
    assert again.featureCount() == 1
    assert area(again) == pytest.approx(area(made), rel=1e-9)
    assert area(again) == pytest.approx(31_416, rel=0.01), "a circle of 100 m"


def test_an_algorithm_of_the_toolbox_can_be_repeated(layers: Bench, console: dict[str, Any]) -> None:
    alias = layers.host.layers.aliases()[0]
    parameters = {"INPUT": alias, "DISTANCE": 10, "SEGMENTS": 1, "END_CAP_STYLE": 2}
    told = told_by(layers, "run_algorithm", algorithm="native:buffer", parameters=parameters)
    exec(compile(told["recipes"][0], "recipe", "exec"), console)  # noqa: S102
    assert area(console["results"][-1]["OUTPUT"]) == pytest.approx(400.0), "a square of 20 m"


def test_steps_name_each_other_and_layers_their_names() -> None:
    first = {"INPUT": Ref("layer"), "DISTANCE": 2.5, "SEGMENTS": [1, None, True]}
    second = {"INPUT": [Ref("a"), Ref("a.TABLE")], "CRS": QgsCoordinateReferenceSystem("EPSG:3857")}
    plan = [
        PlanStep("a", "native:buffer", first, more=(("TABLE", ".csv"),)),
        PlanStep("b", "native:x", second),
    ]
    text = recipe(plan, {"layer": 'x"]); import os #\n'})
    assert "step_2 = processing.runAndLoadResults('native:x', {" in text
    assert '\'INPUT\': [step_1["OUTPUT"], step_1["TABLE"]],' in text
    assert "QgsCoordinateReferenceSystem('EPSG:3857')" in text
    compile(text, "recipe", "exec")
    assert not any(line.lstrip().startswith("import os") for line in text.splitlines()), "a name stays a literal"


def test_what_has_no_form_in_python_makes_no_recipe() -> None:
    assert recipe([PlanStep("a", "native:x", {"INPUT": object()})], {}) == ""
    assert recipe([PlanStep("a", "native:x", {"INPUT": Ref("unknown")})], {}) == ""
    assert recipe([PlanStep("a", "native:x", {"VALUE": float("nan")})], {}) == ""
    assert recipe([PlanStep("a", "native:x", {"TABLE": "1," * 20_000})], {}) == ""
