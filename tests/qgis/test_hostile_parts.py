"""Ways around the boundary that the sweep of hostile values does not try: batches, hidden layers, names, sizes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from hostile_calls import CELLS, EXTENT, LINES, POINTS, POLYGONS, add_layers
from qgis.core import QgsLayerTreeModel, QgsLayoutItemLegend, QgsMapLayer, QgsPrintLayout, QgsRasterLayer

from qgis_agent.gis.analysis.generic import results as generic_outputs
from qgis_agent.gis.analysis.run import room
from qgis_agent.gis.analysis.run.messages import (
    CollectingFeedback,
    GdalError,
)
from qgis_agent.gis.analysis.run.outputs import Output
from qgis_agent.gis.analysis.run.providers import load_providers


@pytest.fixture
def world(bench: Bench) -> Bench:
    """Points, lines, polygons and a raster of 10 by 10 cells; a person who always says no."""
    load_providers()
    add_layers(bench)
    bench.issue(caller="chat", level="full_access")
    bench.approver.answer = "deny"
    return bench


def run(bench: Bench, algorithm: str, as_is: bool = True, **parameters: Any) -> dict[str, Any]:
    """The envelope of run_algorithm."""
    return bench.call("run_algorithm", algorithm=algorithm, parameters=parameters, as_is=as_is)


# batches


def test_a_field_in_a_batch_is_checked_as_any_other(world: Bench) -> None:
    name = "n\" FROM points UNION SELECT geom, name FROM 'x'.y --"
    plain = run(world, "gdal:dissolve", INPUT=POLYGONS, FIELD=name)
    assert plain["reason"] == "admission", plain
    batch = run(world, "gdal:dissolve", INPUT=POLYGONS, FIELD={"each": [name]})
    assert batch["reason"] == "admission", batch


def test_each_run_of_a_batch_is_admitted(world: Bench) -> None:
    found = run(world, "native:extractbyexpression", INPUT=POINTS, EXPRESSION={"each": ["n > 1", "env('HOME') = ''"]})
    assert found["reason"] == "formula", found
    found = run(world, "gdal:rasterize", INPUT=POINTS, FIELD="n", EXTRA={"each": ["-q"]})
    assert found["code"] == "PERMISSION_DENIED", found  # a command line, so a person was asked, and said no


# hidden layers


def test_a_hidden_raster_is_not_read_by_its_name(world: Bench) -> None:
    hidden = QgsRasterLayer(world.host.project.mapLayersByName(CELLS)[0].source(), "other", "gdal")
    visible = world.host.project.mapLayersByName(CELLS)[0]
    world.host.project.addMapLayer(hidden)
    made = run(world, "qgis:rastercalculator", EXPRESSION='"cells@1" * 2', LAYERS=[CELLS])
    assert made["ok"], made
    visible.setFlags(QgsMapLayer.LayerFlag.Private)
    hidden.setFlags(QgsMapLayer.LayerFlag.Private)
    refused = run(
        world, "qgis:rastercalculator", EXPRESSION='"cells@1" * 2', EXTENT=EXTENT, CELLSIZE=10, CRS="EPSG:3857"
    )
    assert refused["reason"] == "admission", refused


# names


def test_the_name_of_a_result_is_never_evaluated(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QGIS_AGENT_CANARY", "canary-5d1e")
    parameters = {"INPUT": POINTS, "ALL_PARTS": False}
    world.ok(
        "run_algorithm", algorithm="native:centroids", parameters=parameters, name="[% env('QGIS_AGENT_CANARY') %]"
    )
    project = world.host.project
    layout = QgsPrintLayout(project)
    layout.initializeDefaults()
    legend = QgsLayoutItemLegend(layout)
    layout.addLayoutItem(legend)
    legend.updateLegend()
    model: QgsLayerTreeModel = legend.model()
    shown = [
        node.evaluateLabel(layout.createExpressionContext())
        for layer in model.rootGroup().findLayers()
        for node in model.layerLegendNodes(layer)
        if hasattr(node, "evaluateLabel")
    ]
    assert any("env(" in each for each in shown), shown
    assert not any("canary-5d1e" in each for each in shown), shown


# sizes


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("native:createconstantrasterlayer", {"EXTENT": EXTENT, "TARGET_CRS": "EPSG:3857", "PIXEL_SIZE": 1e-4}),
        ("native:createconstantrasterlayer", {"EXTENT": "0,1,0,1 [EPSG:4326]", "TARGET_CRS": "EPSG:3857", "PIXEL_SIZE": 1}),
        ("native:createrandomuniformrasterlayer", {"EXTENT": EXTENT, "TARGET_CRS": "EPSG:3857", "PIXEL_SIZE": 1e-9,
          "LOWER_BOUND": 0, "UPPER_BOUND": 1}),
        ("native:creategrid", {"TYPE": 2, "EXTENT": EXTENT, "HSPACING": 0.01, "VSPACING": 0.01, "CRS": "EPSG:3857"}),
        ("native:rastercalc", {"LAYERS": [CELLS], "EXPRESSION": '"cells@1"', "CELL_SIZE": 1e-5}),
        ("native:modelerrastercalc", {"LAYERS": [CELLS], "EXPRESSION": '"A@1"', "CELL_SIZE": 1e-5}),
        ("qgis:rastercalculator", {"LAYERS": [CELLS], "EXPRESSION": '"cells@1"', "CELLSIZE": 1e-5}),
        ("native:rasterize", {"EXTENT": EXTENT, "MAP_UNITS_PER_PIXEL": 1e-5}),
        ("qgis:heatmapkerneldensityestimation", {"INPUT": POINTS, "RADIUS": 10, "PIXEL_SIZE": 1e-5}),
        ("native:linedensity", {"INPUT": LINES, "RADIUS": 10, "PIXEL_SIZE": 1e-4}),
        ("gdal:rasterize", {"INPUT": POLYGONS, "BURN": 1, "UNITS": 0, "WIDTH": 1e6, "HEIGHT": 1e6}),
        ("gdal:rasterize", {"INPUT": POLYGONS, "BURN": 1, "UNITS": 1, "WIDTH": 1e-4, "HEIGHT": 1e-4}),
        ("gdal:warpreproject", {"INPUT": CELLS, "TARGET_CRS": "EPSG:3857", "TARGET_RESOLUTION": 1e-4}),
        ("native:randompointsinextent", {"EXTENT": EXTENT, "POINTS_NUMBER": 2_000_000_000}),
        ("native:randompointsinpolygons", {"INPUT": POLYGONS, "POINTS_NUMBER": 1_500_000}),
        ("native:arraytranslatedfeatures", {"INPUT": POINTS, "COUNT": 1_000_000_000, "DELTA_X": 1}),
        ("native:multiringconstantbuffer", {"INPUT": POINTS, "RINGS": 1_000_000_000, "DISTANCE": 1}),
        ("native:buffer", {"INPUT": POINTS, "DISTANCE": 10, "SEGMENTS": 2_000_000_000}),
        ("native:densifygeometriesgivenaninterval", {"INPUT": LINES, "INTERVAL": 1e-9}),
        ("native:densifygeometries", {"INPUT": LINES, "VERTICES": 10_000_000}),
        ("native:pointsalonglines", {"INPUT": LINES, "DISTANCE": 1e-9}),
        ("native:pointsalonglines", {"INPUT": LINES, "DISTANCE": 0}),
        ("native:splitlinesbylength", {"INPUT": LINES, "LENGTH": 1e-9}),
        ("native:tilesxyzdirectory", {"EXTENT": "-100000,100000,-100000,100000 [EPSG:3857]", "ZOOM_MIN": 0, "ZOOM_MAX": 25}),
        ("gdal:retile", {"INPUT": [CELLS], "TILE_SIZE_X": 1, "TILE_SIZE_Y": 1, "LEVELS": 100_000}),
    ],
)  # fmt: skip
def test_what_would_fill_memory_or_disk_is_refused_at_once(world: Bench, algorithm: str, parameters: Any) -> None:
    before = time.monotonic()
    refused = run(world, algorithm, **parameters)
    assert time.monotonic() - before < 5
    assert (refused["ok"], refused.get("reason")) == (False, "too_large"), refused
    assert refused["hint"]


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("native:creategrid", {"TYPE": 2, "EXTENT": EXTENT, "HSPACING": 10, "VSPACING": 10, "CRS": "EPSG:3857"}),
        ("native:createconstantrasterlayer", {"EXTENT": EXTENT, "TARGET_CRS": "EPSG:3857", "PIXEL_SIZE": 1}),
        ("native:rastercalc", {"LAYERS": [CELLS], "EXPRESSION": '"cells@1" * 2'}),
        ("native:pointsalonglines", {"INPUT": LINES, "DISTANCE": 5}),
        ("native:buffer", {"INPUT": POINTS, "DISTANCE": 10, "SEGMENTS": 32}),
        ("gdal:rasterize", {"INPUT": POLYGONS, "BURN": 1, "UNITS": 1, "WIDTH": 1, "HEIGHT": 1}),
    ],
)  # fmt: skip
def test_what_has_a_size_that_people_use_runs(world: Bench, algorithm: str, parameters: Any) -> None:
    assert run(world, algorithm, **parameters)["ok"]


def test_an_algorithm_ends_when_there_is_no_room_left(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "CHECK_MS", 20)
    monkeypatch.setattr(room, "free_disk", lambda _folder: 1_000_000)
    found = run(world, "native:randompointsinextent", EXTENT=EXTENT, POINTS_NUMBER=900_000)
    assert (found["code"], found["reason"]) == ("UPSTREAM_ERROR", "disk_full"), found
    monkeypatch.setattr(room, "free_disk", lambda _folder: 10**12)
    left = iter([8_000_000_000])
    monkeypatch.setattr(room, "free_memory", lambda: (next(left, 100_000_000), 16_000_000_000))
    found = run(world, "native:randompointsinextent", EXTENT=EXTENT, POINTS_NUMBER=900_000)
    assert (found["code"], found["reason"]) == ("UPSTREAM_ERROR", "no_memory"), found


# secrets


def test_the_password_of_a_connection_is_told_to_nobody(tmp_path: Path) -> None:
    opened = "Open of `PG:dbname='gis' host=db port=5432 user='me' password='s3cr\\'et x' sslmode=disable' failed"
    feedback = CollectingFeedback(console=True)
    feedback.reportError("ERROR 1: " + opened)
    feedback.reportError(opened)
    feedback.pushConsoleInfo("INFO: " + opened + "\nhttps://me:s3cret@host/x?token=s3cret&a=1")
    feedback.told_by_gdal(GdalError(1, opened))
    told = str([feedback.errors, feedback.warnings, feedback.log, feedback.gdal])
    assert "s3cr" not in told and "et x" not in told, told
    assert told.count("dbname='gis'") == 4 and "sslmode" in told and "a=1" in told
    (tmp_path / "info.html").write_text("<pre>" + opened + "</pre>", encoding="utf-8")
    written = generic_outputs._told(Output("html", str(tmp_path / "info.html")))
    assert "s3cr" not in str(written) and "sslmode" in str(written), written
