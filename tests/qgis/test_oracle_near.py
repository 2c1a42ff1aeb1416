"""Nearest features, joins, selection by metres, and groups against the oracle (pyproj.Geod, geopandas, pandas)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from oracle_client import Oracle, given, oracle
from pyproj import Transformer
from qgis.core import QgsVariantUtils, QgsVectorLayer
from test_oracle_buffer import figures, layer_of
from test_raster_info import SHARED, needs_shared, no_pam
from test_raster_tools_calculate import algorithms

__all__ = ["algorithms", "no_pam", "oracle"]

BOXES = {
    "75 north": (18.0, 74.0, 28.0, 76.0, "EPSG:4326", "EPSG:3857"),
    "antimeridian": (178.0, -20.0, 183.0, -15.0, "EPSG:4326", "EPSG:3832"),
    "feet": (-74.2, 40.5, -73.7, 41.0, "EPSG:2263", "EPSG:4326"),
    "around the pole": (-180.0, 86.0, 180.0, 90.0, "EPSG:3413", "EPSG:4326"),
}


def scattered(box: tuple[float, float, float, float], crs: str, count: int, seed: int, name: str) -> QgsVectorLayer:
    """Points in a box of degrees, stored in a CRS."""
    places = np.random.default_rng(seed).uniform(box[:2], box[2:], (count, 2))
    places[:, 0] = np.where(places[:, 0] > 180, places[:, 0] - 360, places[:, 0])
    xy = np.column_stack(Transformer.from_crs(4326, crs, always_xy=True).transform(places[:, 0], places[:, 1]))
    return layer_of("Point", crs, [shapely.Point(each) for each in xy], name)


def plain(layer: QgsVectorLayer, *names: str) -> list[list[Any]]:
    """Values of fields, None for NULL."""
    rows = [[feature[name] for name in names] for feature in layer.getFeatures()]
    return [[None if QgsVariantUtils.isNull(each) else each for each in row] for row in rows]


@pytest.mark.parametrize("place", list(BOXES))
def test_nearest_points(bench: Bench, oracle: Oracle, place: str) -> None:
    """Partners, ranks and metres of the 4 nearest, with a limit that leaves some without."""
    *box, one_crs, two_crs = BOXES[place]
    one = bench.add(scattered(tuple(box), one_crs, 50, 1, "one"))
    two = bench.add(scattered(tuple(box), two_crs, 70, 2, "two"))
    metres = np.sort(np.array(oracle.ask("distances", one=given(one), two=given(two))).min(axis=1))
    limit = float(metres[40:42].mean())
    data = bench.ok("nearest_features", layer_id="one", to_layer_id="two", k=4, max_distance_m=limit, fields=["n"])
    wanted = oracle.ask("nearest", one=given(one), two=given(two), k=4, limit=limit)
    found = plain(bench.host.layers.by_alias(data["layer_id"]), "n", "near_n", "near_rank", "distance_m")
    assert [each[:3] for each in found] == [[n, None if other is None else other, rank] for n, other, rank, _ in wanted]
    assert [each[3] for each in found if each[3] is not None] == pytest.approx(
        [each[3] for each in wanted if each[3] is not None], abs=2e-3
    )
    assert data["unmatched"] == 9


@pytest.mark.parametrize("kind", ["LineString", "Polygon"])
@pytest.mark.parametrize("place", ["75 north", "feet"])
def test_nearest_lines_and_polygons(bench: Bench, oracle: Oracle, kind: str, place: str) -> None:
    """From points to the nearest place of a line or polygon: shapely in a plane around each point; inside is 0."""
    x, y, crs = {"75 north": (22.0, 75.0, "EPSG:32634"), "feet": (-73.95, 40.75, "EPSG:2263")}[place]
    spread = 0.1 / np.cos(np.radians(y))
    one = bench.add(scattered((x - spread, y - 0.1, x + spread, y + 0.1), "EPSG:4326", 60, 5, "one"))
    two = bench.add(layer_of(kind, crs, figures(kind, (x, y), crs, 6, 8), "two"))
    data = bench.ok("nearest_features", layer_id="one", to_layer_id="two", fields=["n"])
    wanted = np.array(oracle.ask("plane_distances", points=given(one), shapes=given(two)))
    found = plain(bench.host.layers.by_alias(data["layer_id"]), "near_n", "distance_m")
    assert [each[1] for each in found] == pytest.approx(wanted.min(axis=1), rel=1e-4, abs=0.5)
    sure = np.sort(wanted, axis=1)[:, 1] - wanted.min(axis=1) > 1
    assert sure.sum() > 40
    assert [each[0] for each, certain in zip(found, sure) if certain] == list(wanted.argmin(axis=1)[sure])


@needs_shared
def test_nearest_airports_in_feet(bench: Bench, oracle: Oracle) -> None:
    """Of Alaska's 76 airports each one's nearest other: by Geod, though the map unit is the US survey foot."""
    layer = bench.add(QgsVectorLayer(str(SHARED / "alaska" / "airports.shp"), "airports", "ogr"))
    data = bench.ok("nearest_features", layer_id="airports", to_layer_id="airports", fields=["NAME"])
    table = np.array(oracle.ask("distances", one=given(layer), two=given(layer)))
    np.fill_diagonal(table, np.inf)
    found = plain(bench.host.layers.by_alias(data["layer_id"]), "near_NAME", "distance_m")
    # The datum is NAD27: pyproj takes another shift to WGS 84 for the Aleutians than for the rest, QGIS one for the layer.
    wrong = np.abs(np.array([each[1] for each in found]) / table.min(axis=1) - 1)
    assert np.median(wrong) < 1e-5 and wrong.max() < 5e-4
    names = [row["NAME"] for _, row in given(layer)["rows"]]
    assert [each[0] for each in found] == [names[each] for each in table.argmin(axis=1)]


@pytest.mark.parametrize("place", ["75 north", "antimeridian", "feet"])
def test_select_within_metres(bench: Bench, oracle: Oracle, place: str) -> None:
    """Points with a point of the other layer within the distance, to the metre."""
    *box, one_crs, two_crs = BOXES[place]
    one = bench.add(scattered(tuple(box), one_crs, 80, 3, "one"))
    two = bench.add(scattered(tuple(box), two_crs, 40, 4, "two"))
    metres = np.array(oracle.ask("distances", one=given(one), two=given(two))).min(axis=1)
    limit = float(np.sort(metres)[30:32].mean())
    data = bench.ok(
        "select_by_location", layer_id="one", by_layer_id="two", predicate="within_distance", distance_m=limit
    )
    chosen = {each["n"] for each in one.getSelectedFeatures()}
    assert chosen == set(np.flatnonzero(metres <= limit).tolist()) and len(chosen) == 31
    assert 31 in data.values()


def test_select_points_near_polygons(bench: Bench, oracle: Oracle) -> None:
    """Within 800 m of stars at 75° N in web mercator, where 800 units are 207 m."""
    place = (22.0, 75.0)
    one = bench.add(scattered((21.6, 74.9, 22.4, 75.1), "EPSG:4326", 150, 5, "one"))
    two = bench.add(layer_of("Polygon", "EPSG:3857", figures("Polygon", place, "EPSG:3857", 6, 6), "two"))
    metres = np.array(oracle.ask("plane_distances", points=given(one), shapes=given(two))).min(axis=1)
    bench.ok("select_by_location", layer_id="one", by_layer_id="two", predicate="within_distance", distance_m=800)
    chosen = {each["n"] for each in one.getSelectedFeatures()}
    assert np.abs(metres - 800).min() > 0.5 and 5 < len(chosen) < 100
    assert chosen == set(np.flatnonzero(metres <= 800).tolist())


@pytest.mark.parametrize("predicate", ["intersects", "within", "overlaps"])
def test_spatial_joins(bench: Bench, oracle: Oracle, predicate: str) -> None:
    """Every pair of stars with stars in other units, by geopandas."""
    place = (-73.95, 40.75)
    one = bench.add(layer_of("Polygon", "EPSG:2263", figures("Polygon", place, "EPSG:2263", 11, 40), "one"))
    wide = [shapely.buffer(each, 1500, quad_segs=3) for each in figures("Polygon", place, "EPSG:32618", 12, 15)]
    two = bench.add(layer_of("Polygon", "EPSG:32618", wide, "two"))
    options = {"mode": "one_to_many", "keep_unmatched": False, "prefix": "other_"}
    data = bench.ok(
        "spatial_join", layer_id="one", join_layer_id="two", predicate=predicate, fields=["n"], options=options
    )
    wanted = oracle.ask("pairs", one=given(one), two=given(two), predicate=predicate)
    assert len(wanted) > 5
    assert sorted(plain(bench.host.layers.by_alias(data["layer_id"]), "n", "other_n")) == wanted


def test_join_by_the_largest_overlap(bench: Bench, oracle: Oracle) -> None:
    """The partner with the greatest common area, by shapely."""
    place = (9.3, 45.0)
    one = bench.add(layer_of("Polygon", "EPSG:32632", figures("Polygon", place, "EPSG:32632", 13, 40), "one"))
    two = bench.add(layer_of("Polygon", "EPSG:32632", figures("Polygon", place, "EPSG:32632", 14, 9), "two"))
    options = {"mode": "largest_overlap", "prefix": "other_"}
    data = bench.ok("spatial_join", layer_id="one", join_layer_id="two", fields=["n"], options=options)
    found = [each[0] for each in plain(bench.host.layers.by_alias(data["layer_id"]), "other_n")]
    assert found == oracle.ask("largest", one=given(one), two=given(two)) and None in found


@pytest.mark.parametrize("mode", ["first", "one_to_many"])
def test_joins_by_value(bench: Bench, oracle: Oracle, mode: str) -> None:
    """Keys that repeat, are missing or NULL on both sides: pandas' merge; "first" is the first row of the table."""
    generator = np.random.default_rng(15)

    def keys(count: int, name: str) -> QgsVectorLayer:
        rows = [(None, [None if key == 0 else f"k{key}", n]) for n, key in enumerate(generator.integers(0, 25, count))]
        return bench.add(memory_layer("None?field=key:string&field=n:integer", rows, name))

    one, two = keys(60, "one"), keys(40, "two")
    options = {"mode": mode, "prefix": "other_"}
    data = bench.ok("join_attribute", layer_id="one", field="key", join_layer_id="two", fields=["n"], options=options)
    wanted = oracle.ask("merged", one=given(one), two=given(two), key="key", other_key="key", how="left")
    if mode == "first":
        wanted = [next(pair for pair in wanted if pair[0] == row) for row in range(60)]
    assert sorted(plain(bench.host.layers.by_alias(data["layer_id"]), "n", "other_n"), key=str) == sorted(
        wanted, key=str
    )


FUNCTIONS = ["sum", "mean", "median", "min", "max", "count", "count_distinct"]


def grouped(bench: Bench) -> QgsVectorLayer:
    """Stars with two keys, some NULL, and a value, some NULL."""
    generator = np.random.default_rng(16)
    rows = []
    for number, shape in enumerate(figures("Polygon", (22.0, 75.0), "EPSG:32634", 17, 40)):
        kind = [None, "park", "wood"][number % 3]
        value = None if number % 5 == 0 else float(generator.integers(0, 9))
        rows.append((shapely.to_wkt(shape, 12), [kind, int(generator.integers(0, 3)), value]))
    definition = "Polygon?crs=EPSG:32634&field=kind:string&field=zone:integer&field=v:double"
    return bench.add(memory_layer(definition, rows, "stars"))


@pytest.mark.parametrize("tool", ["dissolve_layer", "aggregate_layer"])
def test_groups(bench: Bench, oracle: Oracle, tool: str) -> None:
    """Every function for every group of two fields, NULL being a group of its own; dissolved areas by shapely and pyproj."""
    layer = grouped(bench)
    asked = [{"field": "v", "function": each} for each in FUNCTIONS]
    data = bench.ok(tool, layer_id="stars", fields=["kind", "zone"], aggregates=asked)
    wanted = oracle.ask("groups", layer=given(layer), keys=["kind", "zone"], field="v", shapes=tool == "dissolve_layer")
    made = bench.host.layers.by_alias(data["layer_id"])
    names = ["kind", "zone", "count", *(f"v_{each}" for each in FUNCTIONS)]
    found = {str(row[:2]): row[2:] for row in plain(made, *names)}
    assert len(found) == len(wanted) == data["groups"] == 9
    for group in wanted:
        told = [group["rows"], *(group[each] for each in FUNCTIONS)]
        assert found[str(group["key"])] == pytest.approx(told), group["key"]
    if tool == "dissolve_layer":
        areas = oracle.ask("areas", layer=given(made))
        assert sorted(areas) == pytest.approx(sorted(each["area"] for each in wanted), rel=1e-6)
        assert data["area_km2"] == pytest.approx(sum(areas) / 1e6, rel=1e-4)
