"""``qgis_process run qgisagent:… --json`` on a copy of the sample: every analysis algorithm, a process each.

QGIS starts as people have it: the plugin in a folder of plugins, enabled in an empty profile, no window. Expected values
come from shapely, pyproj and numpy on the sample's own files.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from process_world import World, why_no_process
from test_command_line import geometries

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from provider_analyses import ANALYSES  # the support folder is no package

pytestmark = [pytest.mark.skipif(bool(why_no_process()), reason=why_no_process()), pytest.mark.timeout(300)]

SCHOOLS = 31
"""In the sample, as tests/qgis/test_sample.py counts it with sqlite3."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(tmp_path_factory.mktemp("process"))
    made.enable()
    return made


Check = Callable[[World, Path], None]


def rows(path: Path) -> list[dict[str, Any]]:
    """The attributes of a GeoJSON file."""
    return [each["properties"] for each in json.loads(path.read_text(encoding="utf-8"))["features"]]


def has(count: int) -> Check:
    """A result of so many features."""

    def check(_world: World, made: Path) -> None:
        assert len(rows(made)) == count

    return check


def buffers(world: World, made: Path) -> None:
    """Each as large as a regular polygon of 48 corners on the ellipsoid: 0.99715 of the circle; at most 0.2 % off."""
    from pyproj import Geod
    from shapely.geometry import shape

    features = json.loads(made.read_text(encoding="utf-8"))["features"]
    polygon = 24 * np.sin(2 * np.pi / 48) * 300.0**2
    areas = [abs(Geod(ellps="WGS84").geometry_area_perimeter(shape(each["geometry"]))[0]) for each in features]
    assert len(areas) == SCHOOLS and np.allclose(areas, polygon, rtol=2e-3)


def counted(world: World, made: Path) -> None:
    """Schools of each street by shapely, the points taken to the streets' CRS by pyproj."""
    assert {each["name"]: each["n"] for each in rows(made)} == inside(world)


def inside(world: World) -> dict[str, int]:
    from pyproj import Transformer
    from shapely.ops import transform

    city = world.folder / "city" / "city.gpkg"
    with sqlite3.connect(city) as database:
        code = database.execute("select srs_id from gpkg_geometry_columns where table_name = 'streets'").fetchone()[0]
    change = Transformer.from_crs("EPSG:4326", f"EPSG:{code}", always_xy=True).transform
    points = [transform(change, each[0]) for each in geometries(city, "schools", "name")]
    return {name: sum(shape.contains(each) for each in points) for shape, name in geometries(city, "streets", "name")}


def joined(world: World, made: Path) -> None:
    found = [each["in_name"] for each in rows(made)]
    assert {name: found.count(name) for name in set(found)} == inside(world)


def nearest(world: World, made: Path) -> None:
    """The shortest of all geodesics, by pyproj."""
    from pyproj import Geod

    city, geod = world.folder / "city" / "city.gpkg", Geod(ellps="WGS84")
    hospitals = [each[0] for each in geometries(city, "hospitals", "name")]
    expected = {
        name: min(geod.inv(point.x, point.y, each.x, each.y)[2] for each in hospitals)
        for point, name in geometries(city, "schools", "name")
    }
    found = {each["name"]: each["distance_m"] for each in rows(made)}
    assert found.keys() == expected.keys()
    assert all(abs(found[name] - distance) < 0.05 for name, distance in expected.items())


def cells(path: Path) -> Any:
    from osgeo import gdal

    source = gdal.Open(str(path))
    values = source.ReadAsArray().astype(float)
    nothing = source.GetRasterBand(1).GetNoDataValue()
    return values if nothing is None else np.where(values == nothing, np.nan, values)


def heights(world: World) -> Any:
    return cells(world.folder / "city" / "dem.tif")


def doubled(world: World, made: Path) -> None:
    assert np.allclose(cells(made), heights(world) * 2, rtol=1e-6, equal_nan=True)


def smoothed(world: World, made: Path) -> None:
    from numpy.lib.stride_tricks import sliding_window_view

    dem = heights(world)
    expected = np.nanmean(sliding_window_view(dem, (3, 3)), axis=(2, 3))
    expected[np.isnan(dem[1:-1, 1:-1])] = np.nan  # FILL is off
    assert np.allclose(cells(made)[1:-1, 1:-1], expected, rtol=1e-5, equal_nan=True)


def shaped(world: World, made: Path) -> None:
    assert cells(made).shape == heights(world).shape and np.isfinite(cells(made)[50, 50])


def one_number(_world: World, made: Path) -> None:
    (row,) = rows(made)
    (moran,) = [value for key, value in row.items() if key.lower() in ("i", "moran_i")]
    assert -1 < moran < 1


def cheapest(world: World, made: Path) -> None:
    """Its cost is that of its own cells: metres of each step times the mean of both ends, added up by numpy."""
    from osgeo import gdal

    (feature,) = json.loads(made.read_text(encoding="utf-8"))["features"]
    places = np.array(feature["geometry"]["coordinates"])
    left, width, _, top, _, height = gdal.Open(str(world.folder / "city" / "dem.tif")).GetGeoTransform()
    columns, lines = ((places - [left, top]) / [width, height]).astype(int).T
    cost, steps = heights(world)[lines, columns], np.hypot(*np.diff(places, axis=0).T)
    assert feature["properties"]["cost"] == pytest.approx((steps * (cost[1:] + cost[:-1]) / 2).sum(), rel=1e-6)
    assert feature["properties"]["length_m"] == pytest.approx(steps.sum(), rel=2e-3)  # the plane against the ellipsoid
    assert np.abs(places[[0, -1]] - [[745000, 3366000], [758000, 3357000]]).max() <= 75  # half a cell


CHECKS: dict[str, Check] = {
    "checkgeometries": has(0),
    "geodesicbuffer": buffers,
    "geodesiccircles": buffers,
    "pointsinpolygons": counted,
    "joinbylocation": joined,
    "joinbyvalue": has(SCHOOLS),
    "nearestfeatures": nearest,
    "rastercalculate": doubled,
    "curvature": shaped,
    "focalstatistics": smoothed,
    "leastcostpath": cheapest,
    "deviationalellipse": has(1),
    "globalmoran": one_number,
    "hotspots": has(SCHOOLS),
    "localmoran": has(SCHOOLS),
}


@pytest.fixture(scope="module")
def analyses(world: World) -> dict[str, tuple[int, dict[str, Any], str]]:
    """All of them, two at a time."""

    def one(name: str) -> tuple[int, dict[str, Any], str]:
        parameters, ending = ANALYSES[name]
        return world.run(name, {**parameters, "OUTPUT": str(world.folder / f"{name}.{ending}")})

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(ANALYSES, pool.map(one, ANALYSES), strict=True))


@pytest.mark.parametrize("name", ANALYSES)
def test_an_analysis(world: World, analyses: dict[str, tuple[int, dict[str, Any], str]], name: str) -> None:
    ending = ANALYSES[name][1]
    status, told, err = analyses[name]
    made = world.folder / f"{name}.{ending}"
    assert status == 0 and told["results"]["OUTPUT"] == str(made), err
    assert told["algorithm_details"]["group"] and told["algorithm_details"]["tags"]
    assert "Traceback" not in err
    CHECKS[name](world, made)
