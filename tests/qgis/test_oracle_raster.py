"""Zonal statistics and raster tools against the oracle (exactextract, rasterio, numpy): seeded grids and real rasters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench
from oracle_client import Oracle, given, oracle
from pyproj import Transformer
from qgis.core import QgsRasterLayer, QgsVectorLayer
from test_oracle_buffer import layer_of
from test_raster_info import SHARED, add, needs_shared, no_pam, write
from test_raster_tools_calculate import algorithms

__all__ = ["algorithms", "no_pam", "oracle"]

FIELDS = {"std": "stdev"}  # the field of a statistic is called as in QGIS
STATISTICS = ["count", "sum", "mean", "median", "std", "min", "max", "variety"]
CORNER = (500000.0, 4000600.0)  # upper left of 60 x 80 cells of 10 m


def grid(bench: Bench, bands: int = 1, seed: int = 31) -> QgsRasterLayer:
    """Whole numbers, a seventh of the cells without a value."""
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 50, (bands, 60, 80)).astype(np.float32)
    values[generator.random(values.shape) < 1 / 7] = -9999
    return add(bench, write(bench.folder / "grid.tif", values, -9999), "grid")


def stars(
    bench: Bench, count: int, size: tuple[float, float], crs: str = "EPSG:32650", seed: int = 32
) -> QgsVectorLayer:
    """Stars over the grid, in any CRS; their edges have many corners, so that they are the same there."""
    generator = np.random.default_rng(seed)
    forth = Transformer.from_crs("EPSG:32650", crs, always_xy=True)
    shapes = []
    for _ in range(count):
        middle = np.array(CORNER) + generator.uniform((150, -450), (650, -150))
        angles = np.linspace(0, 2 * np.pi, 9)[:-1]
        ring = middle + generator.uniform(*size, 8)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        fine = shapely.segmentize(shapely.Polygon(ring), 5)
        shapes.append(shapely.transform(fine, lambda xy: np.column_stack(forth.transform(xy[:, 0], xy[:, 1]))))
    return bench.add(layer_of("Polygon", crs, shapes, "zones"))


def rows(bench: Bench, data: dict[str, Any]) -> list[dict[str, Any]]:
    """The result's fields by band and statistic."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    return [{each.name(): feature[each.name()] for each in layer.fields()} for feature in layer.getFeatures()]


def cells(bench: Bench, oracle: Oracle, data: dict[str, Any]) -> tuple[np.ndarray, str]:
    """What rasterio reads of a result, and its path."""
    path = bench.host.layers.by_alias(data["layer_id"]).source()
    return np.array(oracle.ask("cells", path=path)["cells"]), path


@pytest.mark.parametrize("crs", ["EPSG:32650", "EPSG:4326"])
def test_zones_of_several_bands(bench: Bench, oracle: Oracle, crs: str) -> None:
    """Cells whose centre is inside, of two bands with nodata: exactextract's cells, every statistic."""
    raster = grid(bench, bands=3)
    zones = stars(bench, 10, (60, 150), crs)
    data = bench.ok("zonal_statistics", polygon_layer_id="zones", layer_id="grid", bands=[1, 3], statistics=STATISTICS)
    found = rows(bench, data)
    for band in (1, 3):
        wanted = oracle.ask("zonal", path=raster.source(), zones=given(zones), band=band, rule="centre")
        for row, told in zip(found, wanted):
            assert told["count"] > 50
            assert {each: row[f"b{band}_{FIELDS.get(each, each)}"] for each in STATISTICS} == pytest.approx(
                told, rel=1e-6
            )


def test_zones_along_the_cells(bench: Bench, oracle: Oracle) -> None:
    """Where no cell is cut the shares of exactextract are whole: the very same counts, sums and means."""
    raster = grid(bench)
    boxes = [shapely.box(500000 + 100 * n, 4000050 + 30 * n, 500150 + 100 * n, 4000300) for n in range(6)]
    zones = bench.add(layer_of("Polygon", "EPSG:32650", boxes, "zones"))
    asked = ["count", "sum", "mean", "min", "max"]
    data = bench.ok("zonal_statistics", polygon_layer_id="zones", layer_id="grid", statistics=asked)
    wanted = oracle.ask("zonal", path=raster.source(), zones=given(zones), band=1, rule="share")
    for row, told in zip(rows(bench, data), wanted):
        assert {each: row[f"b1_{each}"] for each in asked} == pytest.approx(told, rel=1e-6)


def test_zones_smaller_than_a_cell(bench: Bench, oracle: Oracle) -> None:
    """Without a cell's centre inside: weighted by the share of each cell, as exactextract does."""
    raster = grid(bench)
    generator = np.random.default_rng(33)
    corners = np.array(CORNER) + 10 * np.column_stack([generator.integers(5, 75, 12), -generator.integers(5, 55, 12)])
    shapes = [
        shapely.Polygon(corner + generator.uniform(0.5, 2.4, 2) * s for s in ([-1, -1], [1, -1], [0, 1]))
        for corner in corners
    ]
    zones = bench.add(layer_of("Polygon", "EPSG:32650", shapes, "zones"))
    asked = ["count", "sum", "mean"]
    data = bench.ok("zonal_statistics", polygon_layer_id="zones", layer_id="grid", statistics=asked)
    wanted = oracle.ask("zonal", path=raster.source(), zones=given(zones), band=1, rule="share")
    assert data["zones_weighted"] == 12
    for row, told in zip(rows(bench, data), wanted):
        assert {each: row[f"b1_{each}"] for each in asked} == pytest.approx(
            {each: told[each] for each in asked}, rel=1e-5
        )


@needs_shared
def test_heights_of_real_cantons(bench: Bench, oracle: Oracle) -> None:
    """12 cantons over the elevation of Luxembourg, in degrees: by centres as exactextract's cells; by shares within 2 m."""
    raster = add(bench, SHARED / "zonal" / "elev.tif", "elev")
    zones = bench.add(QgsVectorLayer(str(SHARED / "zonal" / "lux.shp"), "cantons", "ogr"))
    data = bench.ok("zonal_statistics", polygon_layer_id="cantons", layer_id="elev", statistics=STATISTICS)
    by_centre = oracle.ask("zonal", path=raster.source(), zones=given(zones), band=1, rule="centre")
    by_share = oracle.ask("zonal", path=raster.source(), zones=given(zones), band=1, rule="share")
    for row, centre, share in zip(rows(bench, data), by_centre, by_share):
        assert {each: row[f"b1_{FIELDS.get(each, each)}"] for each in STATISTICS} == pytest.approx(centre, rel=1e-6)
        assert row["b1_mean"] == pytest.approx(share["mean"], abs=2.0)


@needs_shared
def test_vegetation_of_a_real_picture(bench: Bench, oracle: Oracle) -> None:
    """NDVI of Landsat 7 (Byte bands: no wrap below 0) in every one of 122,848 cells."""
    raster = add(bench, SHARED / "raster" / "landsat7_olinda.tif", "landsat")
    data = bench.ok("raster_calculate", layer_ids=["landsat"], bands=[4, 3], index="ndvi", roles=["nir", "red"])
    found, _ = cells(bench, oracle, data)
    wanted = np.array(oracle.ask("normalised", path=raster.source(), one=4, two=3))
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert data["mean"] == pytest.approx(np.nanmean(wanted), abs=1e-4)


@needs_shared
def test_slope_of_a_real_surface(bench: Bench, oracle: Oracle) -> None:
    """Horn's slope of the Alps (a CRS without an EPSG code): every inner cell."""
    raster = add(bench, SHARED / "raster" / "dem_laea.tif", "alps")
    data = bench.ok("raster_terrain", layer_id="alps", method="slope")
    found, _ = cells(bench, oracle, data)
    wanted = np.array(oracle.ask("slope", path=raster.source()))
    inner = np.isfinite(wanted) & np.isfinite(found)
    assert inner.sum() == np.isfinite(wanted).sum() > 50000
    np.testing.assert_allclose(found[inner], wanted[inner], atol=2e-3)


def test_slope_in_feet(bench: Bench, oracle: Oracle) -> None:
    """Metres of height on US survey feet of ground."""
    rough = np.random.default_rng(34).normal(size=(40, 50)).cumsum(axis=0).cumsum(axis=1).astype(np.float32)
    place = (1_000_000, 30, 0, 300_000, 0, -30)
    raster = add(bench, write(bench.folder / "feet.tif", rough, crs=2263, place=place), "feet")
    data = bench.ok("raster_terrain", layer_id="feet", method="slope", options={"z_unit": "m"})
    found, _ = cells(bench, oracle, data)
    wanted = np.array(oracle.ask("slope", path=raster.source(), z_factor=3937 / 1200))
    inner = np.isfinite(wanted)
    np.testing.assert_allclose(found[inner], wanted[inner], atol=2e-3)


def test_classes(bench: Bench, oracle: Oracle) -> None:
    """[min, max) with a gap and an open end: every cell and each number."""
    raster = grid(bench)
    table = [[None, 10.0, 1], [10.0, 25.0, 2], [30.0, None, 3]]
    ranges = [
        {name: value for name, value in zip(("min", "max", "value"), each) if value is not None} for each in table
    ]
    data = bench.ok("reclassify_raster", layer_id="grid", table=ranges)
    found, _ = cells(bench, oracle, data)
    wanted = oracle.ask("classes", path=raster.source(), table=table)
    np.testing.assert_array_equal(found, np.array(wanted["cells"]))
    for text, number in wanted["counts"].items():
        assert int((found == int(text)).sum()) == number


@pytest.mark.parametrize("crs", ["EPSG:32650", "EPSG:3857"])
def test_clip_by_stars(bench: Bench, oracle: Oracle, crs: str) -> None:
    """The cells whose centre is in the mask, at their place, with their values."""
    raster = grid(bench)
    mask = stars(bench, 4, (60, 150), crs, 35)
    data = bench.ok("clip_raster", layer_id="grid", mask_layer_id="zones")
    _, path = cells(bench, oracle, data)
    told = oracle.ask("cells", path=path)
    wanted = np.array(oracle.ask("clipped", path=raster.source(), mask=given(mask)))
    found, shift = np.array(told["cells"]), (told["left"] - CORNER[0]) / 10
    drop = (CORNER[1] - told["top"]) / 10
    assert shift == int(shift) and drop == int(drop)
    part = np.full(wanted.shape, np.nan)
    part[int(drop) : int(drop) + found.shape[0], int(shift) : int(shift) + found.shape[1]] = found
    np.testing.assert_array_equal(part, wanted)
    assert data["valid_cells"] == np.isfinite(wanted).sum()


def test_contours_of_a_cone(bench: Bench, oracle: Oracle) -> None:
    """Circles of 100, 200, 300 and 400 m around the middle: length and radius by the closed form."""
    y, x = np.mgrid[0:101, 0:101] - 50.0
    heights = (1000 - 10 * np.hypot(x, y)).astype(np.float32)
    add(bench, write(bench.folder / "cone.tif", heights), "cone")
    data = bench.ok("contour_raster", layer_id="cone", interval=100, base=0)
    layer = given(bench.host.layers.by_alias(data["layer_id"]))
    measured = oracle.ask("circles", layer=layer, x=500505.0, y=4000505.0)
    inside = 0
    for (_, row), (length, least, greatest) in zip(layer["rows"], measured):
        radius = 1000 - row["ELEV"]
        if 100 <= radius <= 400:
            inside += 1
            assert length == pytest.approx(2 * np.pi * radius, rel=0.01)
            assert least == pytest.approx(radius, abs=1) and greatest == pytest.approx(radius, abs=1)
    assert inside == 4


def scattered(bench: Bench, count: int, centred: bool) -> QgsVectorLayer:
    """Points with a value, in the middles of cells of 20 m or anywhere."""
    generator = np.random.default_rng(36)
    places = generator.uniform((500000, 4000000), (501000, 4000800), (count, 2))
    if centred:
        places = np.floor(places / 20) * 20 + 10
    shapes = [shapely.Point(each) for each in places]
    return bench.add(layer_of("Point", "EPSG:32650", shapes, "stations", list(generator.uniform(1, 5, count))))


def test_heat(bench: Bench, oracle: Oracle) -> None:
    """The sum of quartic kernels, weighted: within what half a cell's shift of a point can do, and the same in sum."""
    points = scattered(bench, 30, True)
    data = bench.ok("heatmap_raster", layer_id="stations", radius_m=200, weight_field="v", cell_size_m=20)
    found, path = cells(bench, oracle, data)
    wanted = np.array(oracle.ask("quartic", path=path, points=given(points), radius=200, field="v"))
    # (1 - s²)² is steepest at s = 1 / √3, by 1.54 for each radius; QGIS takes a point for the middle of its cell.
    steepest = 1.54 * np.hypot(10, 10) / 200
    near = np.array(oracle.ask("quartic", path=path, points=given(points), radius=230, field="v"))
    assert (np.abs(np.nan_to_num(found) - wanted) <= steepest * near + 0.3).all()
    assert np.nansum(found) == pytest.approx(wanted.sum(), rel=0.02)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_inverse_distances(bench: Bench, oracle: Oracle, power: float) -> None:
    """The mean weighted by 1 / d^power at every cell."""
    points = scattered(bench, 25, False)
    data = bench.ok("interpolate_points", layer_id="stations", field="v", cell_size_m=20, power=power)
    found, path = cells(bench, oracle, data)
    wanted = np.array(oracle.ask("inverse_distance", path=path, points=given(points), field="v", power=power))
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
