"""The run path of every algorithm: outputs read back, messages read, files in scratch, nothing beside a source."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
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
    QgsProject,
    QgsRasterLayer,
    QgsVectorFileWriter,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QLockFile

from qgis_agent.gis import scratch
from qgis_agent.gis.analysis import messages
from qgis_agent.gis.analysis.failures import cause_of, failure_of
from qgis_agent.gis.analysis.plan import RASTER_FILE, PlanStep, Ref, describe
from qgis_agent.gis.analysis.providers import load_providers
from qgis_agent.gis.analysis.runner import (
    CollectingFeedback,
    analysis_context,
    chosen_destinations,
    find_algorithm,
    run_plan,
    take_outputs,
)
from qgis_agent.gis.analysis.running import RunAlgorithm
from qgis_agent.gis.errors import ToolError

sys.path.append(str(REPO / "tests" / "support"))
from drive import drive


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's own algorithms, those in Python, GDAL's, and ours."""
    load_providers()


def run(plan: list[PlanStep], **inputs: Any) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """(layers, facts, warnings) of a plan. The context goes at its end, and with it what is in scratch."""
    facts: dict[str, Any] = {}
    warnings: list[str] = []
    made = drive(run_plan(plan, inputs, analysis_context(QgsProject.instance()), warnings, facts))
    return made, facts, warnings


def failure(plan: list[PlanStep], **inputs: Any) -> dict[str, Any]:
    """The envelope of a plan that must fail."""
    with pytest.raises(ToolError) as caught:
        run(plan, **inputs)
    caught.value.__traceback__ = None
    return caught.value.envelope


def numbers(*values: int) -> QgsVectorLayer:
    """Points with a whole number each."""
    rows = [(f"POINT({index} 1)", [value]) for index, value in enumerate(values)]
    return memory_layer("Point?crs=EPSG:32632&field=a:integer", rows, "numbers")


def geopackage(path: Path, layer: QgsVectorLayer) -> QgsVectorLayer:
    """A copy of a layer in a file."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "GPKG"
    QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(path), QgsProject.instance().transformContext(), options)
    return QgsVectorLayer(str(path), path.stem, "ogr")


def raster(path: Path, size: int = 40, kind: Any = Qgis.DataType.Float32) -> QgsRasterLayer:
    """A ramp: each cell is its column."""
    from osgeo import gdal, osr

    numpy = pytest.importorskip("numpy")
    made = gdal.GetDriverByName("GTiff").Create(str(path), size, size, 1, gdal.GDT_Float32)
    made.SetGeoTransform([500_000, 10, 0, 5_000_000, 0, -10])
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made.SetProjection(system.ExportToWkt())
    made.GetRasterBand(1).WriteArray(numpy.tile(numpy.arange(size, dtype="f4"), (size, 1)))
    del made
    gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO")  # what QGIS writes when it opens a raster is its own
    layer = QgsRasterLayer(str(path), path.stem)
    gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", None)
    return layer


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


def test_a_result_raster_keeps_its_file_while_it_lives(bench: Bench, tmp_path: Path) -> None:
    """In scratch; gone with the layer, kept while Undo can bring it back."""
    source = bench.add(raster(tmp_path / "ramp.tif"))
    step = PlanStep("slope", "native:slope", {"INPUT": Ref("layer"), "Z_FACTOR": 1.0}, RASTER_FILE)
    made, _, _ = run([step], layer=source)
    alias = bench.host.add_result_layer(made.pop("slope"), "slope of ramp")
    gc.collect()
    path = Path(bench.host.layers.by_alias(alias).source())
    assert path.is_file() and scratch.is_scratch(str(path)) and str(path).isascii()
    assert path.name == "slope.tif" and len(scratch.open_folders()) == 1
    bench.host.project.removeMapLayer(bench.host.layers.by_alias(alias).id())
    assert not path.exists() and not scratch.open_folders()


def test_nothing_is_left_of_a_result_that_nobody_took(bench: Bench, tmp_path: Path) -> None:
    """The folder goes with the context and the layers."""
    step = PlanStep("slope", "native:slope", {"INPUT": Ref("layer"), "Z_FACTOR": 1.0}, RASTER_FILE)
    made, _, _ = run([step], layer=raster(tmp_path / "ramp.tif"))
    made.clear()
    gc.collect()
    assert not scratch.open_folders()
    assert [each.name for each in Path(scratch.session_folder()).iterdir()] == ["session.lock"]


def test_nothing_is_left_when_a_later_step_fails(bench: Bench, tmp_path: Path) -> None:
    """The first step's raster is removed when the second is refused by GDAL."""
    plan = [
        PlanStep("slope", "native:slope", {"INPUT": Ref("layer"), "Z_FACTOR": 1.0}, RASTER_FILE),
        PlanStep(
            "bad", "native:rasterlayerstatistics", {"INPUT": Ref("slope"), "BAND": 7}, ".html", "OUTPUT_HTML_FILE"
        ),
    ]
    error = failure(plan, layer=raster(tmp_path / "ramp.tif"))
    assert error["code"] in ("UPSTREAM_ERROR", "INVALID_PARAM")
    gc.collect()
    assert not scratch.open_folders()


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("native:rasterlayerstatistics", {"BAND": 1}),
        ("gdal:gdalinfo", {"STATS": True, "MIN_MAX": True}),
        ("native:zonalhistogram", None),
    ],
)
def test_no_statistics_file_beside_the_source(bench: Bench, tmp_path: Path, algorithm: str, parameters: Any) -> None:
    """Neither by QGIS nor by a command of GDAL's; the same command without our option writes one."""
    layer = bench.add(raster(tmp_path / "ramp.tif"))
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    if parameters is None:
        zone = memory_layer(
            "Polygon?crs=EPSG:32632", [("POLYGON((500000 5000000,500200 5000000,500200 4999700,500000 5000000))", [])]
        )
        step = PlanStep("told", algorithm, {"INPUT_RASTER": Ref("layer"), "INPUT_VECTOR": zone, "RASTER_BAND": 1})
    else:
        output = "OUTPUT" if algorithm.startswith("gdal") else "OUTPUT_HTML_FILE"
        step = PlanStep("told", algorithm, {"INPUT": Ref("layer"), **parameters}, ".html", output)
    run([step], layer=layer)
    bench.host.project.removeMapLayer(layer.id())
    del layer, step
    gc.collect()
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_the_command_without_our_option_writes_one(bench: Bench, tmp_path: Path) -> None:
    """What the test above would miss otherwise."""
    if os.environ.get("GDAL_PAM_ENABLED") == "NO" or shutil.which("gdalinfo") is None:
        pytest.skip("the statistics file is switched off for the whole process, or there is no gdalinfo")
    raster(tmp_path / "ramp.tif")
    subprocess.run(["gdalinfo", "-stats", str(tmp_path / "ramp.tif")], check=True, capture_output=True)
    assert (tmp_path / "ramp.tif.aux.xml").exists()


@pytest.mark.parametrize("algorithm", ["native:buffer", "gdal:polygonize"])
def test_a64_names_of_folders_in_any_script(bench: Bench, tmp_path: Path, algorithm: str) -> None:
    """The source lies under 数据 (一); what the host chooses is plain ASCII."""
    folder = tmp_path / "数据 (一)"
    folder.mkdir()
    if algorithm == "native:buffer":
        layer = geopackage(folder / "输入.gpkg", numbers(1, 2))
        made, _, _ = run([PlanStep("result", algorithm, {"INPUT": Ref("layer"), "DISTANCE": 5})], layer=layer)
        assert made["result"].featureCount() == 2
    else:
        layer = raster(folder / "输入.tif", 6)
        parameters = {"INPUT": Ref("layer"), "BAND": 1, "FIELD": "DN"}
        made, facts, _ = run([PlanStep("结果", algorithm, parameters, ".gpkg")], layer=layer)
        assert made["结果"].featureCount() == 6  # one polygon a column
        assert facts["结果"]["OUTPUT"].isascii()


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


def test_names_of_files_are_the_hosts(bench: Bench) -> None:
    """ASCII, numbered where taken, never outside of the folder."""
    place = scratch.Scratch()
    assert [Path(place.file(name)).name for name in ("a.tif", "a.tif", "../../b.tif", "水.tif", "c d.csv")] == [
        "a.tif", "a_2.tif", ".._.._b.tif", "output.tif", "c_d.csv"
    ]  # fmt: skip
    place.remove()
    place.remove()
    assert not os.path.isdir(place.folder)


def test_folders_of_crashed_sessions_are_removed(bench: Bench, tmp_path: Path) -> None:
    """By their lock: whose process is gone goes, one that is held stays, and so does what is none of ours."""
    for name in ("qgis_agent_gone", "qgis_agent_pg", "qgis_agent_held", "other"):
        (tmp_path / name).mkdir()
    for name in ("qgis_agent_gone", "other"):
        path = str(tmp_path / name / "session.lock")
        code = "import sys, os; from PyQt5.QtCore import QLockFile; a = QLockFile(sys.argv[1]); a.lock(); os._exit(9)"
        assert subprocess.run([sys.executable, "-c", code, path]).returncode == 9
    held = QLockFile(str(tmp_path / "qgis_agent_held" / "session.lock"))
    assert held.tryLock(0)
    scratch._sweep(str(tmp_path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other", "qgis_agent_held", "qgis_agent_pg"]


def test_an_error_raised_by_an_algorithm_has_words(bench: Bench) -> None:
    """Python's own exceptions too."""
    from qgis_agent.gis.analysis.running import _said_by

    assert _said_by(QgsProcessingException("no")) == "no" and _said_by(KeyError()) == "KeyError"
    assert QgsCoordinateReferenceSystem("EPSG:32632").isValid()
