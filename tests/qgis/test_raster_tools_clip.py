"""clip_raster, contour_raster and convert_raster_vector through the calls. Expected numbers: shapely, numpy, closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Transformer
from test_raster_info import add, no_pam, write
from test_raster_tools_calculate import algorithms, cells

__all__ = ["algorithms", "no_pam"]

TRIANGLE = "POLYGON((500000 4000000,500040 4000000,500040 4000040,500000 4000000))"
FAR = "POLYGON((600000 4000000,600040 4000000,600040 4000040,600000 4000000))"


def mask(bench: Bench, *wkts: str, crs: str = "EPSG:32650") -> None:
    """A mask layer."""
    bench.add(memory_layer(f"Polygon?crs={crs}&field=n:integer", [(each, [n]) for n, each in enumerate(wkts)], "mask"))


def test_a38_outside_is_nodata(bench: Bench) -> None:
    """4 x 4 of 9, a triangle: mean 9, outside nodata, not 0."""
    add(bench, write(bench.folder / "nine.tif", np.full((4, 4), 9, dtype=np.uint8)), "nine")
    mask(bench, TRIANGLE)
    data = bench.ok("clip_raster", layer_id="nine", mask_layer_id="mask")
    found, layer = cells(bench, data["layer_id"])
    assert (data["mean"], data["min"], data["max"], data["input_valid_cells"]) == (9, 9, 9, 16)
    assert data["valid_cells"] == int(np.isfinite(found).sum()) in (6, 10) and np.nanmax(found) == np.nanmin(found) == 9
    assert layer.dataProvider().sourceHasNoDataValue(1) and data["nodata"] != 9


def test_a38_a_mask_that_misses_is_an_error_before_anything_is_written(bench: Bench) -> None:
    """100 km away; and one that is smaller than a cell."""
    add(bench, write(bench.folder / "nine.tif", np.full((4, 4), 9, dtype=np.uint8)), "nine")
    mask(bench, FAR, "POLYGON((500001 4000001, 500003 4000001, 500003 4000003, 500001 4000001))")
    where = [{"field": "n", "op": "eq", "value": 0}]
    envelope = bench.call("clip_raster", layer_id="nine", mask_layer_id="mask", where=where)
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_overlap")
    where[0]["value"] = 1
    envelope = bench.call("clip_raster", layer_id="nine", mask_layer_id="mask", where=where)
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_values") and "smaller than a cell" in envelope[
        "message"
    ]
    assert bench.code("clip_raster", layer_id="nine", bbox=[0, 0, 1, 1]) == "NOT_FOUND"
    assert bench.code("clip_raster", layer_id="nine") == "INVALID_PARAM"
    assert not bench.host.created_layers


@pytest.mark.parametrize("crs", ["EPSG:32650", "EPSG:4326"])
def test_the_cells_stay_where_they_are(bench: Bench, crs: str) -> None:
    """A polygon off the grid: the very cells whose centres shapely finds inside, no shift by half a cell; all of a byte's
    values in use: a larger type, said."""
    values = (np.arange(40 * 50) % 256).astype(np.uint8).reshape(40, 50)
    add(bench, write(bench.folder / "v.tif", values), "v")
    polygon = shapely.Polygon([(500033, 4000041), (500388, 4000077), (500301, 4000333), (500090, 4000290)])
    forth = Transformer.from_crs("EPSG:32650", crs, always_xy=True)
    moved = shapely.transform(
        shapely.segmentize(polygon, 5), lambda p: np.column_stack(forth.transform(p[:, 0], p[:, 1]))
    )
    mask(bench, moved.wkt, crs=crs)
    envelope = bench.call("clip_raster", layer_id="v", mask_layer_id="mask")
    found, layer = cells(bench, envelope["data"]["layer_id"])
    left = round((layer.extent().xMinimum() - 500000) / 10)
    top = round((4000400 - layer.extent().yMaximum()) / 10)
    assert layer.extent().xMinimum() == 500000 + 10 * left and layer.extent().yMaximum() == 4000400 - 10 * top
    x, y = 500005 + 10 * np.arange(50), 4000395 - 10 * np.arange(40)
    inside = shapely.contains_xy(polygon, *np.meshgrid(x, y))
    expected = np.where(inside, values.astype(float), np.nan)
    part = expected[top : top + found.shape[0], left : left + found.shape[1]]
    np.testing.assert_array_equal(found, part)
    assert envelope["data"]["valid_cells"] == int(inside.sum()) and "larger type" in envelope["message"]


def test_clip_by_a_box_in_degrees(bench: Bench) -> None:
    """All cells that the box touches, as they are."""
    values = np.random.default_rng(1).normal(size=(3, 40, 50)).astype(np.float32)
    add(bench, write(bench.folder / "v.tif", values), "v")
    back = Transformer.from_crs(32650, 4326, always_xy=True)
    west, south = back.transform(500101, 4000103)
    east, north = back.transform(500199, 4000198)
    data = bench.ok("clip_raster", layer_id="v", bbox=[west, south, east, north])
    found, _ = cells(bench, data["layer_id"])
    assert data["band_count"] == 3 and found.shape == (10, 10)
    np.testing.assert_array_equal(found, values[0][20:30, 10:20].astype(float))


def cone(size: int = 101) -> np.ndarray:
    """Heights 100 - distance from the middle, cells of 10 m."""
    rows, columns = np.mgrid[0:size, 0:size] - size // 2
    return (1000 - 10 * np.hypot(rows, columns)).astype(np.float32)


def test_contours_of_a_cone(bench: Bench) -> None:
    """Closed circles with the radius that the height has; length by 2 pi r; the ladder from base by interval."""
    add(bench, write(bench.folder / "c.tif", cone()))
    data = bench.ok("contour_raster", layer_id="dem", interval=100, base=50)
    assert (data["min"], data["max"]) == (350, 950) and data["levels"] == 7
    for feature in bench.host.layers.by_alias(data["layer_id"]).getFeatures():
        if feature["ELEV"] > 550:
            assert feature.geometry().length() == pytest.approx(2 * math.pi * (1000 - feature["ELEV"]), rel=0.02)
    longer = bench.ok("contour_raster", layer_id="dem", interval=100, base=50, min_length_m=1000)
    assert longer["max"] == 750 and 2 * math.pi * 250 > 1000 > 2 * math.pi * 150


def test_contours_that_cannot_be(bench: Bench) -> None:
    """An interval beyond the range, too many levels: refused with the values told."""
    add(bench, write(bench.folder / "c.tif", (cone() / 100).astype(np.float32)))
    envelope = bench.call("contour_raster", layer_id="dem", interval=100, base=50)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "interval") and "10" in envelope["message"]
    assert bench.code("contour_raster", layer_id="dem", interval=0.001) == "INVALID_PARAM"
    assert not bench.host.created_layers


def test_polygons_of_classes(bench: Bench) -> None:
    """Blocks: number and area by the cells; measured values are refused with the way out."""
    values = np.kron(np.array([[1, 2], [3, 1]]), np.ones((5, 5))).astype(np.uint8)
    values[0, 0] = 0
    add(bench, write(bench.folder / "k.tif", values, 0), "k")
    data = bench.ok("convert_raster_vector", layer_id="k", method="polygons")
    assert (data["feature_count"], data["input_valid_cells"]) == (4, 99)
    areas = sorted(
        (feature["VALUE"], feature.geometry().area())
        for feature in bench.host.layers.by_alias(data["layer_id"]).getFeatures()
    )
    assert areas == [(1, 2400), (1, 2500), (2, 2500), (3, 2500)]
    add(bench, write(bench.folder / "m.tif", np.random.default_rng(1).normal(size=(30, 30)).astype(np.float32)), "m")
    envelope = bench.call("convert_raster_vector", layer_id="m", method="polygons")
    assert envelope["code"] == "INVALID_PARAM" and "reclassify_raster" in envelope["hint"]


def test_points_of_cells(bench: Bench) -> None:
    """One at the centre of each cell with a value."""
    values = np.random.default_rng(1).normal(size=(6, 7)).astype(np.float32)
    values[2, 2] = -9999
    add(bench, write(bench.folder / "m.tif", values, -9999), "m")
    data = bench.ok("convert_raster_vector", layer_id="m", method="points")
    assert data["feature_count"] == 41
    for feature in bench.host.layers.by_alias(data["layer_id"]).getFeatures():
        point = feature.geometry().asPoint()
        column, row = (point.x() - 500005) / 10, (4000055 - point.y()) / 10
        assert feature["VALUE"] == pytest.approx(values[round(row), round(column)]) and column == round(column)


def test_polygons_to_cells(bench: Bench) -> None:
    """Cells whose centres are inside get the field's value; a NULL is left out and said."""
    rows = [
        ("POLYGON((500000 4000000, 500100 4000000, 500100 4000100, 500000 4000000))", [7.5]),
        ("POLYGON((500100 4000000, 500200 4000000, 500200 4000100, 500100 4000100, 500100 4000000))", [2.5]),
        ("POLYGON((500000 4000050, 500050 4000100, 500000 4000100, 500000 4000050))", [None]),
    ]
    bench.add(
        memory_layer("Polygon?crs=EPSG:32650&field=v:double&field=t:string", [(w, [*a, "x"]) for w, a in rows], "areas")
    )
    envelope = bench.call("convert_raster_vector", layer_id="areas", method="raster", field="v", cell_size_m=10)
    data = envelope["data"]
    found, _ = cells(bench, data["layer_id"])
    x, y = np.meshgrid(500005 + 10 * np.arange(20), 4000095 - 10 * np.arange(10))
    expected = np.full((10, 20), np.nan)
    triangle = shapely.from_wkt(rows[0][0]).buffer(-1e-6)
    expected[shapely.contains_xy(triangle, x, y)] = 7.5
    expected[shapely.contains_xy(shapely.from_wkt(rows[1][0]), x, y)] = 2.5
    on_edge = np.abs((x - 500000) - (y - 4000000)) < 1
    np.testing.assert_array_equal(found[~on_edge], expected[~on_edge])
    assert "1 features have no value in 'v'" in envelope["message"] and data["cell_size"] == [10, 10]
    assert (
        bench.code("convert_raster_vector", layer_id="areas", method="raster", field="t", cell_size_m=10)
        == "INVALID_PARAM"
    )
    assert bench.code("convert_raster_vector", layer_id="areas", method="raster") == "INVALID_PARAM"
    envelope = bench.call("convert_raster_vector", layer_id="areas", method="raster", cell_size_m=0.001)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "too_many_cells") and "cell_size_m" in envelope[
        "hint"
    ]


def test_degrees_to_cells_of_metres(bench: Bench) -> None:
    """A square kilometre at 60° N in degrees becomes about 100 cells of 100 m, in a plane that is named."""
    forth = Transformer.from_crs(32634, 4326, always_xy=True)
    ring = [forth.transform(600000 + dx, 6600000 + dy) for dx, dy in ((0, 0), (1000, 0), (1000, 1000), (0, 1000))]
    mask(bench, shapely.Polygon(ring).wkt, crs="EPSG:4326")
    envelope = bench.call("convert_raster_vector", layer_id="mask", method="raster", cell_size_m=100)
    assert envelope["data"]["crs"] == "EPSG:32634" and envelope["data"]["valid_cells"] == pytest.approx(100, abs=12)
    assert "not true to metres" in envelope["message"]
