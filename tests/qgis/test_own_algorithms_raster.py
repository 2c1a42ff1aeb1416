"""Focal statistics, curvature and least-cost paths against scipy, closed forms and networkx (file of expected values)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Bench
from osgeo import gdal, osr
from pyproj import Geod
from qgis.core import QgsApplication, QgsProject, QgsRasterLayer

from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.processing import cost_distance, focal_statistics, raster_base
from qgis_agent.processing.cost_distance import CostGrid
from qgis_agent.processing.provider import QgisAgentProvider

EXPECTED = json.loads((Path(__file__).parents[1] / "support" / "own_algorithms_expected.json").read_text("utf-8"))
NODATA = -9999.0
UTM = (500_000.0, 5_300_000.0, 32632)


@pytest.fixture(autouse=True)
def providers(bench: Bench) -> None:
    """QGIS's plugin Processing and our provider."""
    load_providers()
    registry = QgsApplication.processingRegistry()
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


def numbers(rows: list[list[Any]]) -> Any:
    """None as NaN."""
    return np.array([[np.nan if each is None else each for each in row] for row in rows], dtype=float)


def raster(
    bench: Bench, values: Any, cell: float = 30.0, at: tuple[float, float, int] = UTM, name: str = "cells"
) -> QgsRasterLayer:
    """A file of 64-bit numbers with its upper left corner somewhere; NaN is nodata."""
    path = str(bench.folder / f"{name}.tif")
    rows, columns = values.shape
    made = gdal.GetDriverByName("GTiff").Create(path, columns, rows, 1, gdal.GDT_Float64)
    made.SetGeoTransform((at[0], cell, 0, at[1], 0, -cell))
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(at[2])
    made.SetProjection(reference.ExportToWkt())
    made.GetRasterBand(1).SetNoDataValue(NODATA)
    made.GetRasterBand(1).WriteArray(np.where(np.isnan(values), NODATA, values))
    made.FlushCache()
    del made
    layer = QgsRasterLayer(path, name)
    assert layer.isValid()
    QgsProject.instance().addMapLayer(layer)
    return layer


def run(bench: Bench, algorithm: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The data of run_algorithm."""
    return bench.ok("run_algorithm", algorithm=f"qgisagent:{algorithm}", parameters={"INPUT": "cells", **parameters})


def refused(bench: Bench, algorithm: str, parameters: dict[str, Any]) -> str:
    """The message of a call that fails."""
    envelope = bench.call(
        "run_algorithm", algorithm=f"qgisagent:{algorithm}", parameters={"INPUT": "cells", **parameters}
    )
    assert not envelope["ok"] and envelope["hint"], envelope
    return str(envelope["message"])


def cells(bench: Bench, data: dict[str, Any]) -> Any:
    """The values of a result by GDAL, NaN for nodata."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    opened = gdal.Open(layer.source())
    band = opened.GetRasterBand(1)
    values = band.ReadAsArray().astype(float)
    return np.where(values == np.float32(band.GetNoDataValue()), np.nan, values)


# focal statistics


@pytest.mark.parametrize("statistic", ["mean", "sum", "min", "max", "range", "std", "median", "majority"])
@pytest.mark.parametrize(("radius", "shape", "key"), [(1, 0, "s1"), (2, 1, "c2")])
def test_focal_statistics_are_those_of_scipy(
    bench: Bench, statistic: str, radius: int, shape: int, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3 × 3 cells, and a circle of radius 2, with nodata and the border; in strips of two rows."""
    monkeypatch.setattr(focal_statistics, "_STRIP_CELLS", 16)
    monkeypatch.setattr("qgis_agent.processing.windows.SORTED_CELLS", 100)
    values = numbers(EXPECTED["focal"]["classes" if statistic == "majority" else "values"])
    wanted = numbers(EXPECTED["focal"][f"{statistic}_{key}"])
    raster(bench, values)
    parameters = {"STATISTIC": statistic, "RADIUS": radius, "SHAPE": shape}
    filled = cells(bench, run(bench, "focalstatistics", {**parameters, "FILL": True}))
    assert np.allclose(filled, wanted, rtol=1e-6, atol=1e-5, equal_nan=True)
    data = run(bench, "focalstatistics", parameters)
    kept = np.where(np.isnan(values), np.nan, wanted)
    assert np.allclose(cells(bench, data), kept, rtol=1e-6, atol=1e-5, equal_nan=True)
    assert data["values"]["VALID_CELLS"] == int(np.isfinite(kept).sum())


def test_a_window_wider_than_the_raster(bench: Bench) -> None:
    """The mean of everything, everywhere; large levels keep their digits."""
    values = 1e6 + np.arange(12.0).reshape(3, 4)
    raster(bench, values)
    found = cells(bench, run(bench, "focalstatistics", {"STATISTIC": "std", "RADIUS": 100}))
    assert np.allclose(found, values.std(), rtol=1e-6)


def test_what_focal_statistics_refuse(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large windows of what must be sorted, and too many cells."""
    raster(bench, np.ones((3, 4)))
    assert "15 cells" in refused(bench, "focalstatistics", {"STATISTIC": "median", "RADIUS": 16})
    monkeypatch.setattr(raster_base.RasterAlgorithm, "most_cells", 11)
    assert "12 cells" in refused(bench, "focalstatistics", {"STATISTIC": "mean"})


# curvature

A, B, C = 0.002, -0.001, 0.0005
"""z = A x² + B y² + C x y + 0.1 x - 0.2 y, with x to the east and y to the north."""


def surface(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any, Any]:
    """Heights and the places of the cells in metres."""
    x = (np.arange(columns) - columns // 2)[None, :] * width * np.ones((rows, 1))
    y = -(np.arange(rows) - rows // 2)[:, None] * height * np.ones((1, columns))
    return A * x * x + B * y * y + C * x * y + 0.1 * x - 0.2 * y, x, y


def expected(kind: str, x: Any, y: Any) -> Any:
    """Second derivatives of the surface, down the slope and across it: of a parabola the paper's polynomial is exact."""
    zx, zy = 2 * A * x + C * y + 0.1, 2 * B * y + C * x - 0.2
    zxx, zyy, zxy, steep = 2 * A, 2 * B, C, zx**2 + zy**2
    along = (zxx * zx**2 + 2 * zxy * zx * zy + zyy * zy**2) / steep
    across = (zxx * zy**2 - 2 * zxy * zx * zy + zyy * zx**2) / steep
    return {"profile": along, "plan": -across, "total": -(zxx + zyy) * np.ones_like(x)}[kind]


@pytest.mark.parametrize("kind", ["profile", "plan", "total"])
def test_curvature_of_a_parabola(bench: Bench, kind: str) -> None:
    """Everywhere but at the border, by the closed form."""
    heights, x, y = surface(9, 11, 30.0, 30.0)
    raster(bench, heights)
    data = run(bench, "curvature", {"KIND": kind})
    found = cells(bench, data)
    assert np.isnan(found[0]).all() and np.isnan(found[:, -1]).all()
    assert np.allclose(found[1:-1, 1:-1], expected(kind, x, y)[1:-1, 1:-1], rtol=1e-5)
    assert data["values"]["VALID_CELLS"] == 7 * 9


def test_curvature_in_degrees_is_per_metre_on_the_ground(bench: Bench) -> None:
    """At 60° a cell is half as wide as high: sizes by pyproj."""
    cell = 0.001
    ground = Geod(ellps="WGS84")
    width = ground.inv(10 - cell / 2, 60, 10 + cell / 2, 60)[2]
    height = ground.inv(10, 60 - cell / 2, 10, 60 + cell / 2)[2]
    heights, x, y = surface(7, 7, width, height)
    raster(bench, heights, cell, (10 - 3.5 * cell, 60 + 3.5 * cell, 4326))
    found = cells(bench, run(bench, "curvature", {"KIND": "plan"}))
    assert np.allclose(found[1:-1, 1:-1], expected("plan", x, y)[1:-1, 1:-1], rtol=2e-3, atol=1e-7)


def test_flat_cells_and_cells_beside_nodata(bench: Bench) -> None:
    """0 where it is flat, nothing beside nodata; feet are made metres; nothing at all is an error."""
    heights = np.zeros((5, 8))
    heights[2, 6] = np.nan
    raster(bench, heights)
    data = run(bench, "curvature", {"KIND": "profile"})
    found = cells(bench, data)
    assert np.isfinite(found[1:4, 1:5]).all() and (found[1:4, 1:5] == 0).all() and np.isnan(found[:, 5:]).all()
    assert data["values"]["FLAT_CELLS"] == 12
    raster(bench, surface(5, 5, 30.0, 30.0)[0], name="feet")
    feet = cells(bench, run(bench, "curvature", {"INPUT": "feet", "KIND": "total", "Z_FACTOR": 0.3048}))
    assert feet[2, 2] == pytest.approx(-2 * (A + B) * 0.3048, rel=1e-5)
    raster(bench, np.full((3, 3), np.nan), name="empty")
    assert "eight neighbours" in refused(bench, "curvature", {"INPUT": "empty"})


# least-cost paths


def centre(cell: list[int], size: float = 30.0) -> dict[str, Any]:
    """The centre of a cell as a parameter."""
    return {"point": [UTM[0] + (cell[1] + 0.5) * size, UTM[1] - (cell[0] + 0.5) * size], "crs": "EPSG:32632"}


def test_the_path_and_the_costs_are_those_of_networkx(bench: Bench) -> None:
    """A wall with two gaps; total, cells, line and the raster of accumulated costs."""
    wanted = EXPECTED["cost"]
    raster(bench, numbers(wanted["costs"]))
    parameters = {"START": centre(wanted["start"]), "END": centre(wanted["end"])}
    data = run(bench, "leastcostpath", {**parameters, "ACCUMULATED": True})
    outputs = {each["output"]: each for each in data["outputs"]}
    assert data["values"]["COST"] == pytest.approx(wanted["total"], rel=1e-9)
    assert data["values"]["CELLS"] == len(wanted["path"])
    feature = next(bench.host.layers.by_alias(outputs["OUTPUT"]["layer_id"]).getFeatures())
    line = [
        (round((UTM[1] - p.y()) / 30 - 0.5), round((p.x() - UTM[0]) / 30 - 0.5))
        for p in feature.geometry().asPolyline()
    ]
    assert line == [tuple(each) for each in wanted["path"]]
    steps = np.diff(np.array(wanted["path"]), axis=0)
    assert feature["length_m"] == pytest.approx(30 * np.hypot(*steps.T).sum(), rel=1e-9)
    assert np.allclose(cells(bench, outputs["ACCUMULATED"]), numbers(wanted["accumulated"]), rtol=1e-6, equal_nan=True)


def test_the_way_in_degrees_is_metres_on_the_ground(bench: Bench) -> None:
    """Cost 1: along a row at 60° the cost is the geodesic length, by pyproj; across, the diagonal of the cell."""
    cell = 0.001
    raster(bench, np.ones((6, 9)), cell, (10.0, 60.0, 4326))
    row = 60.0 - 2.5 * cell
    data = run(bench, "leastcostpath", {"START": [10.0 + 0.5 * cell, row], "END": [10.0 + 8.5 * cell, row]})
    wanted = Geod(ellps="WGS84").inv(10.0 + 0.5 * cell, row, 10.0 + 8.5 * cell, row)[2]
    assert data["values"]["COST"] == pytest.approx(wanted, rel=1e-5)
    assert data["values"]["LENGTH_M"] == pytest.approx(wanted, rel=1e-5)
    data = run(bench, "leastcostpath", {"START": [10.0005, 59.9995], "END": [10.0055, 59.9945]})
    wanted = Geod(ellps="WGS84").inv(10.0005, 59.9995, 10.0055, 59.9945)[2]
    assert data["values"]["COST"] == pytest.approx(wanted, rel=1e-4) and data["values"]["CELLS"] == 6


def test_what_has_no_way_is_refused(bench: Bench) -> None:
    """A wall, places outside and on the wall, negative costs, too many cells."""
    costs = np.ones((4, 5))
    costs[:, 2] = np.nan
    raster(bench, costs)
    start, end = centre([0, 0]), centre([3, 4])
    assert "no way" in refused(bench, "leastcostpath", {"START": start, "END": end})
    assert "barrier" in refused(bench, "leastcostpath", {"START": start, "END": centre([1, 2])})
    assert "outside" in refused(bench, "leastcostpath", {"START": start, "END": centre([1, 5])})
    costs[1, 1] = -3
    raster(bench, costs, name="below")
    assert "negative (-3)" in refused(bench, "leastcostpath", {"INPUT": "below", "START": start, "END": end})


def test_start_and_end_in_one_cell(bench: Bench) -> None:
    """No cost, and a line of no length."""
    raster(bench, np.ones((3, 3)))
    data = run(bench, "leastcostpath", {"START": centre([1, 1]), "END": centre([1, 1])})
    assert data["values"] == {"COST": 0.0, "LENGTH_M": 0.0, "CELLS": 1}


@pytest.mark.parametrize("seed", range(6))
def test_all_costs_by_dijkstra_one_cell_at_a_time(seed: int) -> None:
    """Costs over six orders of magnitude, with zeros and barriers: the same as the textbook's method."""
    random = np.random.default_rng(seed)
    costs = 10 ** (6 * random.random((12, 15)) - 3)
    costs[random.random(costs.shape) < 0.15] = np.nan
    costs[random.random(costs.shape) < 0.1] = 0.0
    costs[5, 5] = 1.0
    grid = CostGrid(costs, np.full(12, 20.0), np.full(12, 20.0))
    grid.spread((5, 5), None, lambda share: None)
    wanted = _dijkstra(costs, (5, 5), 20.0)
    assert np.allclose(grid.totals(), wanted, rtol=1e-12)
    end = max(((r, c) for r in range(12) for c in range(15) if np.isfinite(wanted[r, c])), key=lambda at: wanted[at])
    alone = CostGrid(costs, np.full(12, 20.0), np.full(12, 20.0))
    alone.spread((5, 5), end, lambda share: None)
    way = alone.path(end)
    steps = zip(way[:-1], way[1:])
    paid = sum((costs[a] + costs[b]) / 2 * 20 * math.dist(a, b) for a, b in steps)
    assert paid == pytest.approx(wanted[end], rel=1e-12) and way[0] == (5, 5) and way[-1] == end


def _dijkstra(costs: Any, start: tuple[int, int], cell: float) -> Any:
    """Accumulated costs by taking the nearest cell that is not done, again and again."""
    total = np.full(costs.shape, np.inf)
    total[start] = 0.0
    done = np.isnan(costs)
    while True:
        open_cells = np.where(done, np.inf, total)
        at = np.unravel_index(int(open_cells.argmin()), costs.shape)
        if not np.isfinite(open_cells[at]):
            return total
        done[at] = True
        for down, right in cost_distance.MOVES:
            row, column = at[0] + down, at[1] + right
            if 0 <= row < costs.shape[0] and 0 <= column < costs.shape[1] and not done[row, column]:
                way = (costs[at] + costs[row, column]) / 2 * cell * math.hypot(down, right)
                total[row, column] = min(total[row, column], total[at] + way)
