"""A run as a Processing model and as a script: run by themselves, in another process, they give the layers of the run."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import shapely
from conftest import REPO, Bench
from osgeo import ogr
from pyproj import Geod, Transformer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsProcessingModelAlgorithm, QgsProject, QgsRasterLayer, QgsSettings
from shapely.ops import transform

sys.path.insert(0, str(REPO / "tests" / "support"))
from layer_facts import Row, cells_of, differences, rows_of_file, rows_of_layer
from run_traces import trace_of_calls

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.at_home import projection
from qgis_agent.gis.export_run.model import export_model
from qgis_agent.gis.export_run.script import export_script
from qgis_agent.gis.scratch import end_session
from qgis_agent.processing.provider import QgisAgentProvider

Calls = list[tuple[str, dict[str, Any]]]
MORE_THAN_500 = [{"field": "pupils", "op": "gt", "value": 500}]
RUNS: dict[str, Calls] = {
    "circles": [("buffer_layer", {"layer_id": "schools", "distance_m": 300})],
    "one_zone": [("buffer_layer", {"layer_id": "streets", "distance_m": 50, "dissolve": True})],
    "rings": [("buffer_layer", {"layer_id": "hospitals", "distance_m": 500, "options": {"rings": [100, 250]}})],
    "linked": [
        ("buffer_layer", {"layer_id": "schools", "distance_m": 200, "dissolve": True}),
        (
            "overlay_layers",
            {"layer_id": "streets", "overlay_layer_id": "schools_buffer_200_m", "operation": "difference"},
        ),
    ],
    "per_polygon": [("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"})],
    "by_place": [("spatial_join", {"layer_id": "schools", "join_layer_id": "streets", "predicate": "within"})],
    "by_key": [
        ("join_attribute", {"layer_id": "streets", "field": "code", "join_layer_id": "streets", "fields": ["pop"]})
    ],
    "dissolved": [
        (
            "dissolve_layer",
            {"layer_id": "schools", "fields": ["kind"], "aggregates": [{"field": "pupils", "function": "sum"}]},
        )
    ],
    "table": [("aggregate_layer", {"layer_id": "hospitals", "fields": ["level"]})],
    "filtered": [
        ("set_layer_filter", {"layer_id": "schools", "where": MORE_THAN_500}),
        ("reproject_layer", {"layer_id": "schools", "crs": "EPSG:4509"}),
        ("zoom_to", {"layer_id": "schools"}),
    ],
    "selected": [
        ("select_features", {"layer_id": "schools", "where": MORE_THAN_500}),
        ("buffer_layer", {"layer_id": "schools", "distance_m": 100, "options": {"selected": True}}),
    ],
    "calculated": [("calculate_field", {"layer_id": "streets", "field": "ha", "formula": "$area / 10000"})],
    "merged": [("merge_layers", {"layer_ids": ["schools", "hospitals"]})],
    "nearest": [("nearest_features", {"layer_id": "schools", "to_layer_id": "hospitals"})],
    "toolbox": [
        (
            "run_algorithm",
            {
                "algorithm": "native:intersection",
                "parameters": {
                    "INPUT": {"layer_id": "schools", "where": MORE_THAN_500},
                    "OVERLAY": "streets",
                    "OVERLAY_FIELDS": ["name"],
                },
                "name": "big schools",
            },
        ),
        (
            "run_algorithm",
            {"algorithm": "qgis:minimumboundinggeometry", "parameters": {"INPUT": "big_schools", "TYPE": 3}},
        ),
    ],
    "slope": [("raster_terrain", {"layer_id": "dem", "method": "slope"})],
    "zones": [("zonal_statistics", {"polygon_layer_id": "streets", "layer_id": "dem"})],
    "contours": [("contour_raster", {"layer_id": "dem", "interval": 10})],
    "surface": [("interpolate_points", {"layer_id": "schools", "field": "pupils", "cell_size_m": 200})],
    "drawn": [
        ("add_temp_layer", {"name": "plan", "features": [{"wkt": "POINT(120.2 30.2)", "label": "it's"}]}),
        ("buffer_layer", {"layer_id": "plan", "distance_m": 1000}),
    ],
}


class Exported(NamedTuple):
    """One run, and what it gave: rows of its vector layers and cells of its rasters, by the name of the export."""

    trace: dict[str, Any]
    folder: Path
    told: dict[str, Any]
    rows: dict[str, list[Row]]
    cells: dict[str, Any]


class World(NamedTuple):
    """All runs on the sample, exported, and the folders into which another process has repeated them."""

    folder: Path
    project: Path
    plugins: Path
    runs: dict[str, Exported]


@pytest.fixture(scope="module")
def world(qgis_app: QgsApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("exports")
    shutil.copytree(REPO / "resources" / "sample", folder / "sample")
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "qgis_agent").symlink_to(REPO, target_is_directory=True)
    QgsSettings().setValue("qgis/walForSqlite3", False)
    project = folder / "sample" / "city.qgz"
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())
    load_providers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "wanted", lambda: False)  # whatever this machine's profile says
        runs = {name: exported(name, calls, project, folder / name) for name, calls in RUNS.items()}
    QgsProject.instance().clear()
    end_session()
    made = World(folder, project, plugins, runs)
    repeat(made)
    yield made


def exported(name: str, calls: Calls, project: Path, folder: Path) -> Exported:
    """Run the calls on the project, export them, and read what they gave."""
    folder.mkdir()
    assert QgsProject.instance().read(str(project))
    bench = Bench(QgsProject.instance(), folder)
    trace = trace_of_calls(bench, name, calls)
    told = export_model(trace, str(folder / "run.model3"))
    assert export_script(trace, str(folder / "run.py"))["outputs"] == told["outputs"]
    layers = [bench.host.layers.by_alias(each["ref"]) for each in trace["final"]["evidence"] if "algorithms" in each]
    rows, cells = {}, {}
    for key, layer in zip(told["outputs"], layers):
        if isinstance(layer, QgsRasterLayer):
            cells[key] = cells_of(layer.source())
        else:
            rows[key] = rows_of_layer(layer)
    bench.calls.cancel_all()
    return Exported(trace, folder, told, rows, cells)


def environment(plugins: Path) -> dict[str, str]:
    """What a terminal has, with the plugin installed in a fresh profile."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("QGIS_", "PYTHON"))}
    profile = str(plugins.parent / "profile")
    more = {"QGIS_PLUGINPATH": str(plugins), "QGIS_CUSTOM_CONFIG_PATH": profile, "QT_QPA_PLATFORM": "offscreen"}
    return {**kept, **more}


def repeat(world: World) -> None:
    """Run all exports in one other process."""
    jobs: dict[str, Any] = {"project": str(world.project), "plugins": str(world.plugins), "scripts": [], "models": []}
    for run in world.runs.values():
        jobs["scripts"].append([str(run.folder / "run.py"), str(run.folder / "by_script")])
        jobs["models"].append([str(run.folder / "run.model3"), str(run.folder / "by_model")])
    (world.folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    command = ["/usr/bin/python3", str(REPO / "tests" / "support" / "run_exports.py"), str(world.folder / "jobs.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment(world.plugins))
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]


def told_differences(run: Exported, folder: Path) -> list[str]:
    """What in a folder is not as the run gave it."""
    told = []
    for key, rows in run.rows.items():
        told += differences(rows, rows_of_file(folder / f"{key}.gpkg"))
    for key, (cells, place) in run.cells.items():
        again, other_place = cells_of(str(folder / f"{key}.tif"))
        if place != pytest.approx(other_place) or not np.allclose(cells, again, rtol=1e-6, equal_nan=True):
            told.append(f"{key}: other cells")
    return told


@pytest.mark.parametrize("by", ["by_model", "by_script"])
@pytest.mark.parametrize("name", sorted(RUNS))
def test_an_export_gives_what_the_run_gave(world: World, name: str, by: str) -> None:
    run = world.runs[name]
    assert len(run.rows) + len(run.cells) == len(run.told["outputs"]) > 0
    assert told_differences(run, run.folder / by) == []


@pytest.fixture(scope="module")
def terminal(world: World) -> dict[str, str]:
    """The environment of a terminal in whose QGIS the plugin is installed and enabled."""
    made = environment(world.plugins)
    command = ["qgis_process", "plugins", "enable", "qgis_agent"]
    subprocess.run(command, capture_output=True, check=True, timeout=60, env=made)
    return made


@pytest.mark.parametrize("name", ["linked", "per_polygon", "slope"])
def test_qgis_process_runs_the_model(world: World, terminal: dict[str, str], name: str) -> None:
    """As from a terminal: inputs by the ids of the project's layers, outputs by name."""
    run = world.runs[name]
    folder = run.folder / "by_qgis_process"
    folder.mkdir()
    ids = {each["name"]: each["layer_id"] for each in run.trace["aliases"].values()}
    suffixes = {key: ".tif" if key in run.cells else ".gpkg" for key in run.told["outputs"]}
    arguments = [f"{key}={ids[key]}" for key in run.told["inputs"]]
    arguments += [f"{key}={folder / key}{suffix}" for key, suffix in suffixes.items()]
    command = ["qgis_process", "run", str(run.folder / "run.model3"), "--json", f"--PROJECT_PATH={world.project}", "--"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=90, env=terminal)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert set(json.loads(done.stdout[done.stdout.index("{") :])["results"]) >= set(suffixes)
    assert told_differences(run, folder) == []


@pytest.mark.parametrize("name", ["linked", "merged"])
def test_plain_python_runs_the_script(world: World, name: str) -> None:
    """As a person runs it: the project and a folder, nothing else."""
    run = world.runs[name]
    folder = run.folder / "by_python"
    command = ["/usr/bin/python3", str(run.folder / "run.py"), str(world.project), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, env=environment(world.plugins))
    assert done.returncode == 0, done.stderr[-2_000:]
    assert told_differences(run, folder) == []


def first_rows(world: World, name: str, by: str) -> list[Row]:
    run = world.runs[name]
    return rows_of_file(run.folder / by / f"{run.told['outputs'][-1]}.gpkg")


@pytest.mark.parametrize("by", ["by_model", "by_script"])
def test_the_numbers_are_those_of_shapely_and_pyproj(world: World, by: str) -> None:
    """What other libraries compute from the sample's files, not what the run said."""
    sample = world.folder / "sample" / "city.gpkg"
    schools = shapes_of(sample, "schools", "EPSG:4326")
    streets = shapes_of(sample, "streets", "EPSG:4326")
    geod = Geod(ellps="WGS84")
    for values, shape in first_rows(world, "per_polygon", by):
        own = streets[values["name"]]
        inside = sum(own.contains(each) for each in schools.values())
        assert values["count"] == inside
        area_km2 = abs(geod.geometry_area_perimeter(own)[0]) / 1e6
        assert values["area_km2"] == pytest.approx(area_km2, rel=1e-5)
        assert shape.area > 0
    for values, shape in first_rows(world, "circles", by):
        area = abs(geod.geometry_area_perimeter(shape)[0])
        assert area == pytest.approx(math.pi * 300**2, rel=0.006), values["name"]  # a polygon of 48 sides
    for values, _shape in first_rows(world, "calculated", by):
        assert values["ha"] == pytest.approx(
            abs(geod.geometry_area_perimeter(streets[values["name"]])[0]) / 1e4, rel=1e-5
        )
    wanted = {
        name: shape
        for name, shape in schools.items()
        if name in {each[0]["name"] for each in first_rows(world, "filtered", by)}
    }
    over = {name for name, pupils in pupils_of(sample).items() if pupils is not None and pupils > 500}
    assert set(wanted) == over and 0 < len(over) < len(schools)
    assert len(first_rows(world, "merged", by)) == len(schools) + 9


def shapes_of(path: Path, table: str, crs: str) -> dict[str, Any]:
    """{name: shape} of a table, moved by pyproj."""
    source = ogr.Open(str(path))
    layer = source.GetLayerByName(table)
    change = Transformer.from_crs(layer.GetSpatialRef().ExportToWkt(), crs, always_xy=True).transform
    return {
        each.GetField("name"): transform(change, shapely.from_wkb(bytes(each.GetGeometryRef().ExportToWkb())))
        for each in layer
    }


def pupils_of(path: Path) -> dict[str, Any]:
    source = ogr.Open(str(path))
    return {each.GetField("name"): each.GetField("pupils") for each in source.GetLayerByName("schools")}


def test_steps_that_are_no_algorithms_stand_in_both(world: World) -> None:
    run = world.runs["filtered"]
    assert [each.split(" ")[2] for each in run.told["notes"]] == ["set_layer_filter", "zoom_to"]
    model = QgsProcessingModelAlgorithm()
    assert model.fromFile(str(run.folder / "run.model3"))
    script = (run.folder / "run.py").read_text(encoding="utf-8")
    for text in (model.helpContent()["ALG_DESC"], script):
        assert "set_layer_filter" in text and "zoom_to" in text and "pupils" in text


def test_a_model_needs_the_plugin_only_for_its_own_algorithms(world: World) -> None:
    assert world.runs["circles"].told["needs_plugin"] and not world.runs["filtered"].told["needs_plugin"]
    assert not world.runs["slope"].told["needs_plugin"]


def test_nothing_was_written_to_the_project(world: World) -> None:
    before = {each.name: each.read_bytes() for each in (REPO / "resources" / "sample").iterdir()}
    assert {each.name: each.read_bytes() for each in (world.folder / "sample").iterdir()} == before
