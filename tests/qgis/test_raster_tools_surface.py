"""heatmap_raster and interpolate_points through the calls. Expected numbers: kernels and weights in closed form (numpy)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from test_raster_info import no_pam
from test_raster_tools_calculate import algorithms, cells

__all__ = ["algorithms", "no_pam"]

GENERATOR = np.random.default_rng(12)
PLACES = GENERATOR.uniform((500000, 4000000), (501000, 4000800), (40, 2))
VALUES = 10 + 0.01 * (PLACES[:, 0] - 500000) - 0.02 * (PLACES[:, 1] - 4000000)


def points(bench: Bench, places: Any = PLACES, values: Any = VALUES, crs: int = 32650) -> None:
    """A point layer with a number and a text."""
    forth = Transformer.from_crs(32650, crs, always_xy=True)
    rows = [
        (
            "POINT({!r} {!r})".format(*map(float, forth.transform(*place))),
            [None if value is None else float(value), "t"],
        )
        for place, value in zip(places, values)
    ]
    bench.add(memory_layer(f"Point?crs=EPSG:{crs}&field=v:double&field=t:string", rows, "stations"))


def centres(layer: Any) -> Any:
    """x and y of the cells' centres."""
    box, width, height = layer.extent(), layer.width(), layer.height()
    x = box.xMinimum() + (np.arange(width) + 0.5) * box.width() / width
    y = box.yMaximum() - (np.arange(height) + 0.5) * box.height() / height
    return np.meshgrid(x, y)


KERNELS = {
    "quartic": lambda s: (1 - s**2) ** 2,
    "triangular": lambda s: 1 - s,
    "uniform": lambda s: np.ones_like(s),
    "triweight": lambda s: (1 - s**2) ** 3,
    "epanechnikov": lambda s: 1 - s**2,
}


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_heat_is_the_sum_of_kernels(bench: Bench, kernel: str) -> None:
    """At every cell, weighted, by the formula that the answer names; QGIS mirrors the part of a cell by which a point lies off
    its middle, from north to south, so that a kernel may be off by a cell."""
    weights = GENERATOR.uniform(1, 5, 40)
    points(bench, values=weights)
    data = bench.ok(
        "heatmap_raster", layer_id="stations", radius_m=150, weight_field="v", kernel=kernel, cell_size_m=15
    )
    found, layer = cells(bench, data["layer_id"])
    x, y = centres(layer)
    low = high = 0
    for place, weight in zip(PLACES, weights):
        shifted = [np.hypot(x - place[0], y - place[1] + 15 * step) / 150 for step in np.linspace(-1, 1, 41)]
        values = np.array([np.where(share <= 1, KERNELS[kernel](share) * weight, 0) for share in shifted])
        low, high = low + values.min(axis=0), high + values.max(axis=0)
    heat = np.nan_to_num(found)
    assert (heat >= low - 0.05).all() and (heat <= high + 0.05).all()
    assert heat.sum() == pytest.approx((low + high).sum() / 2, rel=0.03)
    assert data["input_count"] == 40 and data["radius_m"] == 150 and data["crs_used"] == "EPSG:32650"


def test_heat_in_degrees_has_metres_on_the_ground(bench: Bench) -> None:
    """One point at 36° N in degrees: a round spot of the radius, by pyproj."""
    points(bench, PLACES[:1], VALUES[:1], 4326)
    envelope = bench.call("heatmap_raster", layer_id="stations", radius_m=1000)
    found, layer = cells(bench, envelope["data"]["layer_id"])
    x, y = centres(layer)
    lon, lat = Transformer.from_crs(layer.crs().authid(), 4326, always_xy=True).transform(x, y)
    home = Transformer.from_crs(32650, 4326, always_xy=True).transform(*PLACES[0])
    far = Geod(ellps="WGS84").inv(np.full(lon.shape, home[0]), np.full(lon.shape, home[1]), lon, lat)[2]
    expected = np.where(far <= 1000, (1 - (far / 1000) ** 2) ** 2, 0)
    np.testing.assert_allclose(np.nan_to_num(found), expected, atol=0.01)
    assert layer.crs().authid() == "EPSG:32650" and "not true to metres" in envelope["message"]


def test_heat_refused(bench: Bench) -> None:
    """A text as weight, cells larger than the radius, too many cells, another kind of layer."""
    points(bench)
    assert bench.code("heatmap_raster", layer_id="stations", radius_m=100, weight_field="t") == "INVALID_PARAM"
    assert bench.code("heatmap_raster", layer_id="stations", radius_m=100, cell_size_m=200) == "INVALID_PARAM"
    envelope = bench.call("heatmap_raster", layer_id="stations", radius_m=100_000, cell_size_m=1)
    assert envelope["reason"] == "too_many_cells"
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [("POLYGON((0 0, 1 0, 1 1, 0 0))", [])], "areas"))
    assert bench.code("heatmap_raster", layer_id="areas", radius_m=100) == "UNSUPPORTED"


def test_tin_of_a_plane_is_the_plane(bench: Bench) -> None:
    """Inside of the hull exact, outside nodata, the share beyond the hull by shapely."""
    points(bench)
    envelope = bench.call("interpolate_points", layer_id="stations", field="v", method="tin", cell_size_m=20)
    data = envelope["data"]
    found, layer = cells(bench, data["layer_id"])
    x, y = centres(layer)
    plane = 10 + 0.01 * (x - 500000) - 0.02 * (y - 4000000)
    hull = shapely.MultiPoint(PLACES).convex_hull
    inside = shapely.contains_xy(hull.buffer(-1), x, y)
    np.testing.assert_allclose(found[inside], plane[inside], atol=1e-3)
    assert np.isnan(found[~shapely.contains_xy(hull.buffer(1), x, y)]).all()
    box = layer.extent()
    assert data["beyond_hull_share"] == pytest.approx(1 - hull.area / (box.width() * box.height()), abs=1e-3)
    assert "nodata there" in envelope["message"] and layer.crs().authid() == "EPSG:32650"


def test_idw_by_the_formula_with_nulls_and_duplicates(bench: Bench) -> None:
    """Weights 1 / d²; a NULL is left out, a place with two values is told."""
    places = np.vstack([PLACES[:10], PLACES[:2]])
    values: list[Any] = [*VALUES[:10], VALUES[0] + 1, VALUES[1]]
    values[5] = None
    points(bench, places, values)
    envelope = bench.call("interpolate_points", layer_id="stations", field="v", cell_size_m=20)
    data = envelope["data"]
    found, layer = cells(bench, data["layer_id"])
    x, y = centres(layer)
    kept = [number for number, value in enumerate(values) if value is not None]
    distance = np.hypot(x[..., None] - places[kept, 0], y[..., None] - places[kept, 1])
    weights = 1 / distance**2
    expected = (weights * np.array([values[each] for each in kept], dtype=float)).sum(axis=-1) / weights.sum(axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert (data["points_used"], data["nulls"], data["duplicates"]) == (11, 1, 2)
    assert "1 places have different values" in envelope["message"] and "extrapolated" in envelope["message"]


def test_interpolation_refused(bench: Bench) -> None:
    """A text, no values, points in a line."""
    points(bench, [(500000 + 10 * each, 4000000 + 10 * each) for each in range(5)], range(5))
    assert bench.code("interpolate_points", layer_id="stations", field="t") == "INVALID_PARAM"
    assert bench.code("interpolate_points", layer_id="stations", field="w") == "NOT_FOUND"
    assert bench.code("interpolate_points", layer_id="stations", field="v", method="tin") == "INVALID_PARAM"
    assert not bench.host.created_layers


def test_only_the_result_is_left_in_scratch(bench: Bench) -> None:
    """The points, the text grid and its CRS are removed."""
    points(bench, crs=4326)
    data = bench.ok("interpolate_points", layer_id="stations", field="v", method="tin")
    folder = Path(bench.host.layers.by_alias(data["layer_id"]).source()).parent
    left = [each.name for each in folder.rglob("*") if each.is_file()]
    assert len(left) == 1 and left[0].endswith(".tif"), left
    assert data["cell_size_m"] == 2 and data["algorithm"][-1] == "gdal:translate"
