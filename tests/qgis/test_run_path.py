"""The run path of every algorithm: outputs read back, messages read, files in scratch, nothing beside a source."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsProcessingAlgorithm,
    QgsProcessingException,
)

from qgis_agent.gis import scratch
from qgis_agent.gis.analysis.run import messages
from qgis_agent.gis.analysis.run.failures import (
    cause_of,
    failure_of,
)
from qgis_agent.gis.analysis.run.plan import (
    PlanStep,
    Ref,
    describe,
)
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.analysis.run.runner import (
    CollectingFeedback,
    analysis_context,
    chosen_destinations,
    find_algorithm,
    run_plan,
    take_outputs,
)
from qgis_agent.gis.analysis.run.running import RunAlgorithm
from qgis_agent.gis.errors import ToolError

sys.path.append(str(REPO / "tests" / "support"))
from drive import drive
from run_path_world import failure, geopackage, numbers, run


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's own algorithms, those in Python, GDAL's, and ours."""
    load_providers()


FIELD = {"FIELD_NAME": "b", "FIELD_PRECISION": 0}


@pytest.mark.parametrize(
    ("field", "lost"),
    [
        ({"FIELD_TYPE": 1, "FIELD_LENGTH": 10, "FORMULA": 'if("a" = 5, 1, 99999999999)'}, 1),
        ({"FIELD_TYPE": 2, "FIELD_LENGTH": 3, "FORMULA": "'abcdef'"}, 2),
    ],
)
def test_a49_rows_that_do_not_fit_are_an_error(bench: Bench, field: dict[str, Any], lost: int) -> None:
    """QGIS drops the feature and ends well: here it is said how many, and there is no layer."""
    step = PlanStep("result", "native:fieldcalculator", {"INPUT": Ref("layer"), **FIELD, **field})
    error = failure([step], layer=numbers(5, 6))
    assert (error["code"], error["reason"]) == ("UPSTREAM_ERROR", "rows_lost")
    assert f" {lost} features" in error["message"] and error["hint"]


def test_a49_rows_lost_are_never_tolerated(bench: Bench) -> None:
    """Also where a plan goes on with what else an algorithm reports."""
    field = {"FIELD_TYPE": 1, "FIELD_LENGTH": 10, "FORMULA": 'if("a" = 5, 1, 99999999999)'}
    step = PlanStep("result", "native:fieldcalculator", {"INPUT": Ref("layer"), **FIELD, **field}, tolerant=True)
    assert failure([step], layer=numbers(5, 6))["reason"] == "rows_lost"


def test_what_a_plan_tolerates_is_a_warning(bench: Bench) -> None:
    """A line of two points is no polygon: an error for most, a warning where the plan says so."""
    lines = memory_layer(
        "LineString?crs=EPSG:32632", [("LINESTRING(0 0,1 1)", []), ("LINESTRING(0 0,4 0,4 4,0 0)", [])]
    )
    step = PlanStep("result", "qgis:linestopolygons", {"INPUT": Ref("layer")})
    assert failure([step], layer=lines)["reason"] == "algorithm"
    made, _, warnings = run([step._replace(tolerant=True)], layer=lines)
    assert sum(each.geometry().area() for each in made["result"].getFeatures()) == 8 and len(warnings) == 1


def test_a49_what_fits_is_kept(bench: Bench) -> None:
    """5/2 is 2.5 in an expression; a 64-bit or decimal field holds it."""
    field = {"FIELD_TYPE": 0, "FIELD_LENGTH": 10, "FIELD_PRECISION": 2, "FORMULA": '"a" / 2'}
    step = PlanStep("result", "native:fieldcalculator", {"INPUT": Ref("layer"), "FIELD_NAME": "b", **field})
    made, _, _ = run([step], layer=numbers(5, 6))
    assert sorted(each["b"] for each in made["result"].getFeatures()) == [2.5, 3.0]


def test_a50_an_output_that_is_not_there(bench: Bench, tmp_path: Path) -> None:
    """GDAL's command fails on the exported copy (no column geom), and Processing returns a path all the same."""
    layer = geopackage(tmp_path / "three.gpkg", numbers(1, 2, 3))
    assert layer.setSubsetString('"a" > 1')
    parameters = {"INPUT": Ref("layer"), "GEOMETRY": "geom", "DISTANCE": 10}
    error = failure([PlanStep("result", "gdal:buffervectors", parameters, ".gpkg")], layer=layer)
    assert error["code"] == "UPSTREAM_ERROR" and "geom" in error["message"], error
    assert not scratch.open_folders()


class Liar:
    """An algorithm's declaration, for outputs that are said to be there."""

    def __init__(self, ident: str) -> None:
        self.algorithm: QgsProcessingAlgorithm = find_algorithm(ident)


@pytest.mark.parametrize("size", [None, 0])
def test_a50_a_missing_and_an_empty_file_are_errors(bench: Bench, tmp_path: Path, size: int | None) -> None:
    """Whatever the algorithm is: what it returns is not believed."""
    path = tmp_path / "made.tif"
    if size is not None:
        path.write_bytes(b"")
    context = analysis_context(bench.host.project)
    with pytest.raises(ToolError) as caught:
        take_outputs(find_algorithm("native:slope"), {"OUTPUT": str(path)}, {"OUTPUT": str(path)}, context)
    assert caught.value.envelope["reason"] == "no_output"
    with pytest.raises(ToolError):
        take_outputs(find_algorithm("native:slope"), {"OUTPUT": str(path)}, {}, context)


def test_a50_a_file_that_is_no_raster(bench: Bench, tmp_path: Path) -> None:
    """It is there and has bytes, but it does not load."""
    path = tmp_path / "made.tif"
    path.write_bytes(b"II*\0 this is no raster")
    with pytest.raises(ToolError) as caught:
        take_outputs(
            find_algorithm("native:slope"),
            {"OUTPUT": str(path)},
            {"OUTPUT": str(path)},
            analysis_context(bench.host.project),
        )
    assert caught.value.envelope["reason"] == "no_output"


def test_two_outputs_of_one_step(bench: Bench) -> None:
    """Matching and failing features by name, and a later step that takes the second."""
    extract = {"INPUT": Ref("layer"), "EXPRESSION": '"a" > 2'}
    plan = [
        PlanStep("big", "native:extractbyexpression", extract, more=(("FAIL_OUTPUT", "memory:"),)),
        PlanStep("around", "native:buffer", {"INPUT": Ref("big.FAIL_OUTPUT"), "DISTANCE": 1}),
    ]
    made, _, _ = run(plan, layer=numbers(1, 2, 3, 4, 5))
    assert {key: layer.featureCount() for key, layer in made.items()} == {"big": 3, "big.FAIL_OUTPUT": 2, "around": 2}
    assert "INPUT=[1:FAIL_OUTPUT]" in describe(plan, {"layer": "numbers"})[1]


def test_numbers_texts_and_files(bench: Bench) -> None:
    """Statistics as numbers and as HTML; no layer is asked for."""
    parameters = {"INPUT_LAYER": Ref("layer"), "FIELD_NAME": "a"}
    step = PlanStep(
        "told", "qgis:basicstatisticsforfields", parameters, output="", more=(("OUTPUT_HTML_FILE", ".html"),)
    )
    made, facts, _ = run([step], layer=numbers(1, 2, 6))
    assert not made
    assert (facts["told"]["COUNT"], facts["told"]["MEAN"], facts["told"]["SUM"]) == (3, 3.0, 9.0)


def test_outputs_by_name_and_kind(bench: Bench) -> None:
    """Default destinations of any algorithm; the file is there while the context is."""
    context = analysis_context(bench.host.project)
    algorithm = find_algorithm("qgis:basicstatisticsforfields")
    parameters = {"INPUT_LAYER": numbers(1, 2, 6), "FIELD_NAME": "a", **chosen_destinations(algorithm, context)}
    results = drive(iter_step(RunAlgorithm(algorithm.id(), parameters, context)))
    outputs = take_outputs(algorithm, parameters, results, context)
    assert outputs["COUNT"].kind == "number" and outputs["COUNT"].value == 3
    if "OUTPUT_HTML_FILE" in outputs:
        assert outputs["OUTPUT_HTML_FILE"].kind == "html" and Path(outputs["OUTPUT_HTML_FILE"].value).is_file()


def iter_step(step: Any) -> Any:
    """A generator of one step."""
    return (yield step)


def test_a_folder_of_outputs(bench: Bench) -> None:
    """Split by value: one file each, in a folder of the call."""
    context = analysis_context(bench.host.project)
    parameters = {"INPUT": numbers(1, 2, 2), "FIELD": "a", "OUTPUT": os.path.join(context.temporaryFolder(), "parts")}
    os.mkdir(parameters["OUTPUT"])
    step = RunAlgorithm("native:splitvectorlayer", parameters, context)
    outputs = take_outputs(find_algorithm("native:splitvectorlayer"), parameters, drive(iter_step(step)), context)
    assert len(outputs["OUTPUT_LAYERS"].layers) == 2
    assert sorted(each.featureCount() for each in outputs["OUTPUT_LAYERS"].layers) == [1, 2]
    assert len(list(Path(outputs["OUTPUT"].value).iterdir())) == 2
    step = None
    kept = scratch.scratch_of(context)
    del outputs, context
    gc.collect()
    assert Path(kept.folder).is_dir()  # a person may want to look at it: it stays to the end of the session
    kept.remove()


def test_layers_that_an_algorithm_pushes(bench: Bench, tmp_path: Path) -> None:
    """native:loadlayer gives its layer through the project's list of layers to load: it is taken, not lost."""
    path = tmp_path / "three.gpkg"
    del_me = geopackage(path, numbers(1, 2, 3))
    del del_me
    context = analysis_context(bench.host.project)
    parameters = {"INPUT": str(path), "NAME": "loaded"}
    step = RunAlgorithm("native:loadlayer", parameters, context)
    outputs = take_outputs(find_algorithm("native:loadlayer"), parameters, drive(iter_step(step)), context)
    (output,) = [each for each in outputs.values() if each.layers]
    assert output.layers[0].featureCount() == 3


def test_a64_bytes_that_are_no_text(bench: Bench) -> None:
    """A child's output that is no UTF-8 comes as text with marks, or as an error of its own: never as a broken call."""
    told = CollectingFeedback(console=True)
    told.reportError(b"ERROR 4: \x81\xf6 not found".decode("utf-8", "replace"))
    assert told.errors and "not found" in told.errors[0]


def test_lines_of_a_command_are_told_apart(bench: Bench) -> None:
    """Errors on both channels, warnings, and what is neither."""
    told = CollectingFeedback(console=True)
    told.reportError("Warning 1: no such option\nERROR 1: no such column: geom\nsome remark")
    told.pushConsoleInfo("0...10...20\nERROR 6: driver failed")
    assert told.errors == ["no such column: geom", "driver failed"]
    assert told.warnings == ["no such option", "some remark"]
    told = CollectingFeedback()
    told.reportError("some remark")
    assert told.errors == ["some remark"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("sqlite3_step() failed: database is locked", "locked"),
        ("TIFFAppendToStrip: Write error at scanline 5: No space left on device", "disk_full"),
        ("Permission denied", "not_writable"),
        ("/x/y.gpkg: No such file or directory", "source_missing"),
        ("ramp.tif, band 1: IReadBlock failed at X offset 0, Y offset 3", "unreadable_source"),
        ("something else", ""),
    ],
)
def test_causes_have_names(bench: Bench, text: str, cause: str) -> None:
    """And each its own hint."""
    assert cause_of([text]) == cause
    told = CollectingFeedback()
    told.reportError(text)
    error = failure_of("native:buffer", told, "").envelope
    assert error["reason"] == (cause or "algorithm") and error["hint"] and text[:20] in error["message"]


def test_errors_are_kept_in_number(bench: Bench) -> None:
    """A million bad features do not fill the memory."""
    told = CollectingFeedback()
    for index in range(1000):
        told.reportError(f"feature {index}")
        told.pushInfo(f"line {index}")
    assert (len(told.errors), told.error_count, len(told.log)) == (messages.MAX_KEPT, 1000, messages.MAX_LOG)


def test_a_provider_error_in_the_middle(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm that raises after half of its features: an envelope, no layer."""
    rows = numbers(*range(20))
    field = {"FIELD_NAME": "b", "FORMULA": "value = 1 / (<a> - 10)", "FIELD_TYPE": 1}
    error = failure(
        [PlanStep("result", "qgis:advancedpythonfieldcalculator", {"INPUT": Ref("layer"), **field})], layer=rows
    )
    assert error["code"] == "UPSTREAM_ERROR" and error["hint"] and error["message"]
    assert not scratch.open_folders()


def test_the_context_measures_on_the_ellipsoid(bench: Bench) -> None:
    """Square metres and metres, whatever the project shows; WGS 84 where the project has no ellipsoid."""
    project = bench.host.project
    project.setEllipsoid("NONE")
    project.setAreaUnits(Qgis.AreaUnit.Acres)
    context = analysis_context(project, Qgis.InvalidGeometryCheck.AbortOnInvalid)
    assert context.ellipsoid() == "EPSG:7030" and context.areaUnit() == Qgis.AreaUnit.SquareMeters
    assert context.invalidGeometryCheck() == Qgis.InvalidGeometryCheck.AbortOnInvalid
    assert context.project() is project and os.path.isdir(context.temporaryFolder())


def test_an_invalid_geometry_is_named(bench: Bench) -> None:
    """With the policy of algorithms run by their id: no result, and the hint to repair a copy."""
    bow = memory_layer("Polygon?crs=EPSG:32632", [("POLYGON((0 0,10 10,10 0,0 10,0 0))", [])], "bow")
    context = analysis_context(bench.host.project, Qgis.InvalidGeometryCheck.AbortOnInvalid)
    plan = [PlanStep("result", "native:dissolve", {"INPUT": Ref("layer")})]
    with pytest.raises(ToolError) as caught:
        drive(run_plan(plan, {"layer": bow}, context, []))
    assert caught.value.envelope["reason"] == "invalid_geometry" and "fix_geometries" in caught.value.envelope["hint"]


def test_an_error_raised_by_an_algorithm_has_words(bench: Bench) -> None:
    """Python's own exceptions too."""
    from qgis_agent.gis.analysis.run.running import _said_by

    assert _said_by(QgsProcessingException("no")) == "no" and _said_by(KeyError()) == "KeyError"
    assert QgsCoordinateReferenceSystem("EPSG:32632").isValid()
