"""What an analysis writes to disk: where, under which names, for how long; and nothing beside a source."""

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
from qgis.PyQt.QtCore import QLockFile

from qgis_agent.gis import scratch
from qgis_agent.gis.analysis.run.plan import (
    RASTER_FILE,
    PlanStep,
    Ref,
)
from qgis_agent.gis.analysis.run.providers import load_providers

sys.path.append(str(REPO / "tests" / "support"))
from run_path_world import failure, geopackage, numbers, raster, run


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's own algorithms, those in Python, GDAL's, and ours."""
    load_providers()


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
