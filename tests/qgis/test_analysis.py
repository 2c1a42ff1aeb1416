"""Buffers and statistics by polygon against pyproj, shapely and closed form."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyproj
import pytest
import shapely
from conftest import Bench, memory_layer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsCoordinateReferenceSystem, QgsVectorLayer

from qgis_agent.gis.headless import HeadlessQgis  # noqa: F401  the module must import under a running QGIS
from qgis_agent.headless_commands import register_provider

GEOD = pyproj.Geod(ellps="WGS84")


@pytest.fixture(autouse=True)
def providers(qgis_app: Any) -> None:
    """Native algorithms and ours."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    register_provider()


def result(bench: Bench, alias: str) -> QgsVectorLayer:
    """The layer that a tool made."""
    layer = bench.host.layers.by_alias(alias)
    assert isinstance(layer, QgsVectorLayer)
    return layer


def radii(layer: QgsVectorLayer, centres: list[tuple[float, float]]) -> list[float]:
    """Geodesic distances in metres from each feature's centre (degrees) to its vertices."""
    to_degrees = pyproj.Transformer.from_crs(layer.crs().authid(), 4326, always_xy=True).transform
    found = []
    for feature, (lon, lat) in zip(sorted(layer.getFeatures(), key=lambda f: f["n"]), centres):
        for vertex in feature.geometry().vertices():
            x, y = to_degrees(vertex.x(), vertex.y())
            found.append(GEOD.inv(lon, lat, x, y)[2])
    return found


@pytest.mark.parametrize("epsg", [4326, 3857, 32650])
@pytest.mark.parametrize("latitude", [0.0, 30.0, 60.0, 75.0])
@pytest.mark.parametrize("spread", ["near", "far"])
def test_a_buffer_is_metres_on_the_ground(bench: Bench, epsg: int, latitude: float, spread: str) -> None:
    """Radius within 0.5 % of the geodesic in degrees, web mercator and UTM, for points near and far apart."""
    step = 0.05 if spread == "near" else 8.0
    centres = [(116.0, latitude), (117.0 + step, latitude), (116.5, max(0.0, latitude - step))]
    if epsg == 32650 and spread == "far":
        centres = [(114.2, latitude), (119.8, latitude), (117.0, max(0.0, latitude - 40))]
    forward = pyproj.Transformer.from_crs(4326, epsg, always_xy=True).transform
    rows = [("POINT({} {})".format(*forward(*each)), [n]) for n, each in enumerate(centres)]
    bench.add(memory_layer(f"Point?crs=EPSG:{epsg}&field=n:integer", rows, "schools"))
    data = bench.ok("buffer_layer", layer_id="schools", distance_m=500.0)
    assert (data["name"], data["layer_id"], data["feature_count"]) == (
        "schools buffer 500 m",
        "schools_buffer_500_m",
        3,
    )
    layer = result(bench, data["layer_id"])
    assert layer.crs().authid() == f"EPSG:{epsg}"
    distances = radii(layer, centres)
    assert min(distances) > 500 * 0.995
    assert max(distances) < 500 * 1.005


def test_a_buffer_at_the_meridian_is_split(bench: Bench) -> None:
    """Points at 180°: two parts that together have the circle's area (pi r² on 1 km, within 0.5 %)."""
    bench.add(
        memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(179.9999 10)", [0]), ("POINT(0 10)", [1])], "p")
    )
    layer = result(bench, bench.ok("buffer_layer", layer_id="p", distance_m=1000.0)["layer_id"])
    first = next(f for f in layer.getFeatures() if f["n"] == 0)
    shape = shapely.from_wkt(first.geometry().asWkt(12))
    west, _, east, _ = shape.bounds
    assert (west, east) == pytest.approx((-180, 180))
    area = sum(abs(GEOD.geometry_area_perimeter(part)[0]) for part in shape.geoms)
    assert area == pytest.approx(math.pi * 1e6, rel=5e-3)


def test_a_buffer_at_a_pole(bench: Bench) -> None:
    """500 km around a point 111 m from the pole: the area of a spherical cap, 2 pi R² (1 - cos(d/R)), within 0.5 %."""
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 89.999)", []), ("POINT(90 0)", [])], "pole"))
    layer = result(bench, bench.ok("buffer_layer", layer_id="pole", distance_m=500_000.0)["layer_id"])
    radius = 6371008.8
    cap = 2 * math.pi * radius**2 * (1 - math.cos(500_000 / radius))
    for feature in layer.getFeatures():
        shape = shapely.from_wkt(feature.geometry().asWkt(9))
        assert sum(abs(GEOD.geometry_area_perimeter(part)[0]) for part in shape.geoms) == pytest.approx(cap, rel=5e-3)


def test_lines_polygons_dissolve_and_where(bench: Bench) -> None:
    """A line of 1 km buffered by 100 m: 2·100·1000 + pi·100² m²; dissolved gives one feature; where picks."""
    lon, lat, _ = GEOD.fwd(10.0, 50.0, 90.0, 1000.0)
    rows = [(f"LINESTRING(10 50,{lon} {lat})", ["a"]), ("LINESTRING(11 50,11.01 50)", ["b"])]
    bench.add(memory_layer("LineString?crs=EPSG:4326&field=name:string(5)", rows, "lines"))
    where = [{"field": "name", "op": "eq", "value": "a"}]
    data = bench.ok("buffer_layer", layer_id="lines", distance_m=100.0, where=where)
    shape = shapely.from_wkt(next(result(bench, data["layer_id"]).getFeatures()).geometry().asWkt(12))
    area = abs(GEOD.geometry_area_perimeter(shape)[0])
    assert area == pytest.approx(2 * 100 * 1000 + math.pi * 100**2, rel=5e-3)
    assert bench.ok("buffer_layer", layer_id="lines", distance_m=100.0, dissolve=True)["feature_count"] == 1


def test_buffers_that_cannot_be_are_refused(bench: Bench) -> None:
    """No CRS, no geometry, no features, a raster's place, a distance of 0: code, hint and no layer."""
    nowhere = bench.add(memory_layer("Point", [("POINT(1 2)", [])], "nowhere"))
    nowhere.setCrs(QgsCoordinateReferenceSystem())
    bench.add(memory_layer("None?field=a:integer", [(None, [1])], "table"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:integer", [], "empty"))
    assert bench.code("buffer_layer", layer_id="nowhere", distance_m=5.0) == "UNSUPPORTED"
    assert bench.code("buffer_layer", layer_id="table", distance_m=5.0) == "UNSUPPORTED"
    assert bench.code("buffer_layer", layer_id="empty", distance_m=5.0) == "NOT_FOUND"
    assert bench.code("buffer_layer", layer_id="empty", distance_m=0.0) == "INVALID_PARAM"
    assert bench.host.created_layers == []


def test_densities_of_known_squares(bench: Bench) -> None:
    """Squares and points whose numbers shapely and pyproj give; layers in different CRSs; points outside are said."""
    squares = [(114.0, 30.0, 0.01), (114.02, 30.0, 0.02), (114.05, 30.0, 0.01)]
    shapes = [shapely.box(x, y, x + size, y + size) for x, y, size in squares]
    rows = [(shape.wkt, [f"33010{i}", f"S{i}"]) for i, shape in enumerate(shapes)]
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=code:string(9)&field=name:string(9)", rows, "streets"))
    places = [
        (114.001, 30.001),
        (114.005, 30.005),
        (114.03, 30.01),
        (114.2, 30.2),
        (114.055, 30.005),
        (114.056, 30.006),
    ]
    forward = pyproj.Transformer.from_crs(4326, 3857, always_xy=True).transform
    points = [
        ("POINT({} {})".format(*forward(*each)), [10 * n, None if n == 4 else n]) for n, each in enumerate(places)
    ]
    bench.add(memory_layer("Point?crs=EPSG:3857&field=pupils:integer&field=x:integer", points, "schools"))
    aggregates = [{"field": "pupils", "function": "sum"}, {"field": "x", "function": "mean"}]
    data = bench.ok("stat_by_polygon", polygon_layer_id="streets", layer_id="schools", aggregates=aggregates)
    assert (data["layer_id"], data["outside"], data["total_count"]) == ("schools_per_streets", 1, 5)
    for row, shape in zip(sorted(data["rows"], key=lambda r: r["code"]), shapes):
        inside = [n for n, each in enumerate(places) if shape.contains(shapely.Point(each))]
        km2 = abs(GEOD.geometry_area_perimeter(shape)[0]) / 1e6
        assert row["count"] == len(inside)
        assert row["area_km2"] == pytest.approx(km2, abs=1e-4)
        assert row["density_per_km2"] == pytest.approx(len(inside) / km2, rel=1e-3)
        assert row["pupils_sum"] == sum(10 * n for n in inside)
        known = [n for n in inside if n != 4]
        assert row["x_mean"] == pytest.approx(sum(known) / len(known))
    layer = result(bench, "schools_per_streets")
    assert {"code", "name", "count", "area_km2", "density_per_km2"} <= {f.name() for f in layer.fields()}
    where = [{"field": "name", "op": "eq", "value": "S1"}]
    assert (
        bench.ok("stat_by_polygon", polygon_layer_id="streets", layer_id="schools", polygon_where=where)["polygons"]
        == 1
    )


def test_invalid_polygons_are_repaired_on_a_copy_and_said(bench: Bench) -> None:
    """A bow-tie counts what lies in its two triangles; the source stays as it is."""
    bow = "POLYGON((0 0,2 2,2 0,0 2,0 0))"
    source = bench.add(memory_layer("Polygon?crs=EPSG:32650&field=name:string(5)", [(bow, ["bow"])], "bow"))
    bench.add(
        memory_layer("Point?crs=EPSG:32650", [("POINT(0.3 1)", []), ("POINT(1 0.3)", []), ("POINT(1.7 1)", [])], "p")
    )
    envelope = bench.call("stat_by_polygon", polygon_layer_id="bow", layer_id="p")
    assert envelope["ok"], envelope
    assert "repaired" in envelope["message"]
    repaired = shapely.make_valid(shapely.from_wkt(bow))
    inside = sum(repaired.contains(shapely.Point(p)) for p in ((0.3, 1), (1, 0.3), (1.7, 1)))
    assert envelope["data"]["rows"][0]["count"] == inside
    assert not next(source.getFeatures()).geometry().isGeosValid()


def test_wrong_kinds_and_fields(bench: Bench) -> None:
    """Points for polygons, a text field to sum, a field that is not there."""
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=a:string(5)", [("POLYGON((0 0,1 0,1 1,0 0))", ["x"])], "poly"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=t:string(5)", [("POINT(0.5 0.2)", ["x"])], "points"))
    assert bench.code("stat_by_polygon", polygon_layer_id="points", layer_id="points") == "UNSUPPORTED"
    assert bench.code("stat_by_polygon", polygon_layer_id="poly", layer_id="poly") == "UNSUPPORTED"
    for field, code in (("t", "INVALID_PARAM"), ("u", "NOT_FOUND")):
        aggregates = [{"field": field, "function": "sum"}]
        assert bench.code("stat_by_polygon", polygon_layer_id="poly", layer_id="points", aggregates=aggregates) == code


def test_many_points_of_a_file_without_index(bench: Bench, tmp_path: Path) -> None:
    """5,000 points of a memory layer: exact counts by closed form (a 100 x 50 grid over 10 columns)."""
    rows = [(f"POINT({500000.5 + i % 100} {4000000.5 + i // 100})", []) for i in range(5000)]
    bench.add(memory_layer("Point?crs=EPSG:32650", rows, "points"))
    columns = [(shapely.box(500000 + 10 * c, 4000000, 500010 + 10 * c, 4000050).wkt, [f"c{c}"]) for c in range(10)]
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=name:string(5)", columns, "columns"))
    data = bench.ok("stat_by_polygon", polygon_layer_id="columns", layer_id="points")
    assert [row["count"] for row in data["rows"]] == [500] * 10
