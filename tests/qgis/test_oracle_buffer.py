"""Buffers, overlays and counts in polygons against the oracle (geopandas, shapely, pyproj): 75° N, 180°, feet, real layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from oracle_client import Oracle, given, oracle
from pyproj import Transformer
from qgis.core import QgsVectorLayer
from test_raster_info import SHARED, needs_shared, no_pam
from test_raster_tools_calculate import algorithms

__all__ = ["algorithms", "no_pam", "oracle"]

KINDS = {"Point": "Point", "LineString": "LineString", "Polygon": "Polygon"}


def layer_of(kind: str, crs: str, shapes: list[Any], name: str, values: list[Any] | None = None) -> QgsVectorLayer:
    """Shapes in the CRS's own coordinates, numbered, with a number each."""
    values = values or [float(number) for number in range(len(shapes))]
    rows = [(shapely.to_wkt(each, 12), [n, values[n]]) for n, each in enumerate(shapes)]
    return memory_layer(f"{kind}?crs={crs}&field=n:integer&field=v:double", rows, name)


def figures(kind: str, centre: tuple[float, float], crs: str, seed: int, count: int = 5) -> list[Any]:
    """Figures of some kilometres around a place in degrees, made in the CRS: points, bent lines, stars."""
    generator = np.random.default_rng(seed)
    x, y = Transformer.from_crs(4326, crs, always_xy=True).transform(*centre)
    step = Transformer.from_crs(4326, crs, always_xy=True).transform(centre[0], centre[1] - 0.01)
    unit = float(np.hypot(step[0] - x, step[1] - y))  # about 1.1 km on the ground
    made = []
    for _ in range(count):
        middle = np.array([x, y]) + generator.uniform(-8, 8, 2) * unit
        if kind == "Point":
            made.append(shapely.Point(middle))
            continue
        angles = np.linspace(0, 2 * np.pi, 7)[:-1]
        ring = middle + (generator.uniform(1, 3, 6) * unit)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
        made.append(shapely.LineString(ring[:4]) if kind == "LineString" else shapely.Polygon(ring))
    return made


PLACES = {
    "equator": (9.3, 0.0, "EPSG:4326"),
    "45 north": (9.3, 45.0, "EPSG:4326"),
    "75 north": (22.0, 75.0, "EPSG:4326"),
    "feet": (-73.95, 40.75, "EPSG:2263"),
    "web mercator": (9.3, 60.0, "EPSG:3857"),
}


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("kind", list(KINDS))
def test_buffers(bench: Bench, oracle: Oracle, kind: str, place: str) -> None:
    """1.5 km around each figure: shapely's zone in a plane of its own; the two differ by less than 1 % of the zone."""
    *centre, crs = PLACES[place]
    layer = bench.add(layer_of(kind, crs, figures(kind, (centre[0], centre[1]), crs, 3), "figures"))
    data = bench.ok("buffer_layer", layer_id="figures", distance_m=1500)
    made = bench.host.layers.by_alias(data["layer_id"])
    rows = oracle.ask("buffers", layer=given(layer), result=given(made), metres=1500)
    assert len(rows) == data["feature_count"] == 5
    for row in rows:
        assert row["differ"] < 0.01 and row["found"] == pytest.approx(row["area"], rel=0.01)
    assert data["area_km2"] == pytest.approx(sum(row["area"] for row in rows) / 1e6, rel=0.01)


BEYOND = {
    "point at 180, degrees": ("EPSG:4326", "POINT(179.995 -17)"),
    "line over 180, pacific": ("EPSG:3832", None),
    "point near the pole": ("EPSG:4326", "POINT(40 89.95)"),
    "point at the pole": ("EPSG:3413", "POINT(0 0)"),
    "polygon over the pole": ("EPSG:3413", "POLYGON((-9000 -7000,8000 -6000,9000 9000,-6000 7000,-9000 -7000))"),
}


@pytest.mark.parametrize("place", list(BEYOND))
def test_buffers_over_180_and_at_the_pole(bench: Bench, oracle: Oracle, place: str) -> None:
    """12 km around: the whole zone, on both sides of where the CRS ends."""
    crs, wkt = BEYOND[place]
    if wkt is None:
        ends = [(179.9, -17.0), (180.0, -17.1), (180.1, -17.0)]
        wkt = shapely.LineString(
            [Transformer.from_crs(4326, crs, always_xy=True).transform(*each) for each in ends]
        ).wkt
    shape = shapely.from_wkt(wkt)
    layer = bench.add(layer_of(shape.geom_type, crs, [shape], "figure"))
    data = bench.ok("buffer_layer", layer_id="figure", distance_m=12000)
    made = bench.host.layers.by_alias(data["layer_id"])
    (row,) = oracle.ask("buffers", layer=given(layer), result=given(made), metres=12000)
    assert row["differ"] < 0.01
    assert data["area_km2"] == pytest.approx(row["area"] / 1e6, rel=0.01)


def blocks(crs: str, west: float, south: float, side: float, count: int, turn: float) -> list[Any]:
    """Turned blocks side by side without a gap, in the CRS's units."""
    boxes = [shapely.box(x, y, x + 1, y + 1) for x in range(count) for y in range(count)]
    cos, sin = np.cos(turn) * side, np.sin(turn) * side
    return [
        shapely.transform(
            each,
            lambda xy: np.column_stack(
                [west + cos * xy[:, 0] - sin * xy[:, 1], south + sin * xy[:, 0] + cos * xy[:, 1]]
            ),
        )
        for each in boxes
    ]


@pytest.mark.parametrize("operation", ["clip", "intersection", "difference", "union", "symmetrical_difference"])
def test_overlays(bench: Bench, oracle: Oracle, operation: str) -> None:
    """Blocks on turned blocks in another CRS (feet and metres): every piece has the area that geopandas gives it."""
    crs, other_crs = "EPSG:2263", "EPSG:32618"
    one = bench.add(layer_of("Polygon", crs, blocks(crs, 980000.0, 180000.0, 9000.0, 4, 0.0), "one"))
    x, y = Transformer.from_crs(crs, other_crs, always_xy=True).transform(990000.0, 185000.0)
    two = bench.add(layer_of("Polygon", other_crs, blocks(other_crs, x, y, 2300.0, 4, 0.4), "two"))
    data = bench.ok("overlay_layers", layer_id="one", overlay_layer_id="two", operation=operation)
    wanted = oracle.ask("overlay", layer=given(one), other=given(two), operation=operation)
    found = sorted(oracle.ask("areas", layer=given(bench.host.layers.by_alias(data["layer_id"]))))
    assert data["feature_count"] == len(found) == wanted["count"]
    assert found == pytest.approx(wanted["areas"], rel=1e-5, abs=0.5)


@needs_shared
@pytest.mark.parametrize("operation", ["intersection", "difference"])
def test_overlays_of_real_layers(bench: Bench, oracle: Oracle, operation: str) -> None:
    """The cantons of Luxembourg in degrees by blocks in metres: the summed area is geopandas'."""
    one = bench.add(QgsVectorLayer(str(SHARED / "zonal" / "lux.shp"), "cantons", "ogr"))
    two = bench.add(layer_of("Polygon", "EPSG:32632", blocks("", 270000.0, 5490000.0, 9000.0, 5, 0.2), "blocks"))
    data = bench.ok("overlay_layers", layer_id="cantons", overlay_layer_id="blocks", operation=operation)
    wanted = oracle.ask("overlay", layer=given(one), other=given(two), operation=operation)
    found = oracle.ask("areas", layer=given(bench.host.layers.by_alias(data["layer_id"])))
    assert data["feature_count"] == len(found)
    assert sum(found) == pytest.approx(sum(wanted["areas"]), rel=1e-6)


@pytest.mark.parametrize("place", ["75 north", "feet", "web mercator"])
def test_counts_in_polygons(bench: Bench, oracle: Oracle, place: str) -> None:
    """Stars with 600 points that lie in degrees: counts, sums, means and the ellipsoidal areas."""
    x, y, crs = PLACES[place]
    zones = bench.add(layer_of("Polygon", crs, figures("Polygon", (x, y), crs, 8, 9), "zones"))
    generator = np.random.default_rng(9)
    spread = np.array([0.12 / np.cos(np.radians(y)), 0.12])
    places = np.array([x, y]) + generator.uniform(-1, 1, (600, 2)) * spread
    values = [None if number % 7 == 0 else float(number) for number in range(600)]
    points = bench.add(layer_of("Point", "EPSG:4326", [shapely.Point(each) for each in places], "points", values))
    asked = [{"field": "v", "function": each} for each in ("sum", "mean", "min", "max")]
    data = bench.ok("stat_by_polygon", polygon_layer_id="zones", layer_id="points", aggregates=asked)
    wanted = oracle.ask("counts", polygon=given(zones), points=given(points), field="v")
    assert sum(each["count"] for each in wanted) > 25
    for feature, row in zip(bench.host.layers.by_alias(data["layer_id"]).getFeatures(), wanted):
        assert feature["count"] == row["count"]
        # An edge may be straight in the CRS or on the ground: 3e-5 of the area at 60° N.
        assert feature["area_km2"] == pytest.approx(row["area"] / 1e6, rel=1e-4)
        assert feature["density_per_km2"] == pytest.approx(row["count"] / row["area"] * 1e6, rel=1e-4)
        if row["sum"] is not None:
            found = [feature[f"v_{each}"] for each in ("sum", "mean", "min", "max")]
            assert found == pytest.approx([row[each] for each in ("sum", "mean", "min", "max")])


@needs_shared
def test_counts_in_real_districts(bench: Bench, oracle: Oracle) -> None:
    """85 places of Paris in its 20 districts."""
    source = SHARED / "paris" / "paris.gpkg"
    copy = bench.folder / "paris.gpkg"
    copy.write_bytes(source.read_bytes())
    zones = bench.add(QgsVectorLayer(f"{copy}|layername=arrondissements", "arrondissements", "ogr"))
    points = bench.add(QgsVectorLayer(f"{copy}|layername=amenities", "amenities", "ogr"))
    data = bench.ok("stat_by_polygon", polygon_layer_id="arrondissements", layer_id="amenities")
    layer = given(points)
    layer["fields"].append("one")
    for _, row in layer["rows"]:
        row["one"] = 1
    wanted = oracle.ask("counts", polygon=given(zones), points=layer, field="one")
    made = list(bench.host.layers.by_alias(data["layer_id"]).getFeatures())
    assert [each["count"] for each in made] == [each["count"] for each in wanted]
    assert [each["area_km2"] for each in made] == pytest.approx([each["area"] / 1e6 for each in wanted], rel=1e-5)
