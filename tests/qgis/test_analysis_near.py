"""nearest_features against pyproj.Geod and brute force: any CRS, the antimeridian, a pole, lines, polygons, ties, limits."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import QgsVariantUtils, QgsVectorLayer

from qgis_agent.gis.analysis.joins.near_points import (
    candidates,
    through_earth,
)

GEOD = Geod(ellps="WGS84")
Place = tuple[float, float]


def points(places: list[Place], name: str, crs: str = "EPSG:4326") -> QgsVectorLayer:
    """Places in degrees, stored in a CRS."""
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows = [("POINT({!r} {!r})".format(*forth.transform(*each)), [n]) for n, each in enumerate(places)]
    return memory_layer(f"Point?crs={crs}&field=n:integer", rows, name)


def found(bench: Bench, data: dict[str, Any]) -> list[tuple[int, int | None, int | None, float | None]]:
    """(from, to, rank, metres) of each row."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    rows = []
    for each in layer.getFeatures():
        values = [None if QgsVariantUtils.isNull(value) else value for value in each.attributes()]
        rows.append((values[0], values[1], values[-2], values[-1]))
    return rows


def metres(one: Place, two: Place) -> float:
    """The geodesic, by pyproj."""
    return GEOD.inv(*one, *two)[2]


def expected(first: list[Place], second: list[Place], k: int, same: bool = False) -> list[tuple[int, int, int, float]]:
    """Brute force with pyproj."""
    rows = []
    for i, one in enumerate(first):
        ranked = sorted((metres(one, two), j) for j, two in enumerate(second) if not (same and i == j))
        rows += [(i, j, rank, distance) for rank, (distance, j) in enumerate(ranked[:k], 1)]
    return rows


def scattered(seed: int, count: int, west: float, south: float, east: float, north: float) -> list[Place]:
    """Places in a box; longitudes over 180 go on at -180."""
    random_ = random.Random(seed)
    places = [(random_.uniform(west, east), random_.uniform(south, north)) for _ in range(count)]
    return [(x - 360 if x > 180 else x, y) for x, y in places]


BOXES = {
    "a town": (10.0, 50.0, 10.1, 50.05, "EPSG:4326", "EPSG:3857"),
    "75 north": (18.0, 74.0, 28.0, 76.0, "EPSG:4326", "EPSG:3857"),
    "feet": (-77.2, 38.8, -76.9, 39.1, "EPSG:2248", "EPSG:4326"),
    "antimeridian": (178.0, -20.0, 183.0, -15.0, "EPSG:4326", "EPSG:4326"),
    "antimeridian, pacific": (178.0, -20.0, 183.0, -15.0, "EPSG:3832", "EPSG:4326"),
    "north pole": (-180.0, 87.0, 180.0, 90.0, "EPSG:4326", "EPSG:3413"),
    "the earth": (-180.0, -90.0, 180.0, 90.0, "EPSG:4326", "EPSG:4326"),
}


@pytest.mark.parametrize("place", list(BOXES))
def test_points_are_as_near_as_pyproj_says(bench: Bench, place: str) -> None:
    """Partners, ranks and metres to a millimetre."""
    *box, one_crs, two_crs = BOXES[place]
    first, second = scattered(1, 40, *box), scattered(2, 60, *box)
    bench.add(points(first, "from", one_crs))
    bench.add(points(second, "to", two_crs))
    data = bench.ok("nearest_features", layer_id="from", to_layer_id="to", k=3, fields=["n"])
    wanted = expected(first, second, 3)
    rows = found(bench, data)
    assert [each[:3] for each in rows] == [each[:3] for each in wanted]
    assert [each[3] for each in rows] == pytest.approx([each[3] for each in wanted], abs=1e-3, rel=1e-9)
    nearest = [each[3] for each in wanted if each[2] == 1]
    assert data["nearest_min_m"] == pytest.approx(min(nearest), abs=2e-3)
    assert data["nearest_mean_m"] == pytest.approx(sum(nearest) / len(nearest), abs=2e-3)
    assert data["nearest_max_m"] == pytest.approx(max(nearest), abs=2e-3)
    assert (data["rows_in"], data["rows_out"], data["unmatched"]) == (40, 120, 0) and "geodesic" in data["method"]


def test_the_same_layer_leaves_each_feature_out(bench: Bench) -> None:
    """Also two points at one place: they are each other's neighbours at 0 m."""
    places = [*scattered(4, 30, 5.0, 45.0, 15.0, 55.0), (7.0, 47.0), (7.0, 47.0)]
    bench.add(points(places, "spots"))
    data = bench.ok("nearest_features", layer_id="spots", to_layer_id="spots", k=2, fields=["n"])
    wanted = expected(places, places, 2, same=True)
    assert [each[:3] for each in found(bench, data)] == [each[:3] for each in wanted]
    assert data["nearest_min_m"] == 0


def test_a_limit_and_who_has_none(bench: Bench) -> None:
    """Neighbours beyond the limit do not count; how many have none is told, and none at all adds no layer."""
    start = (10.0, 50.0)
    ends = [GEOD.fwd(*start, 45, distance)[:2] for distance in (999.9, 1000.1, 5000)]
    bench.add(points([start, (0.0, 0.0)], "from", "EPSG:3857"))
    bench.add(points(ends, "to"))
    asked = {"layer_id": "from", "to_layer_id": "to", "fields": ["n"]}
    envelope = bench.call("nearest_features", **asked, k=3, max_distance_m=1000)
    assert found(bench, envelope["data"]) == [(0, 0, 1, pytest.approx(999.9, abs=0.001)), (1, None, None, None)]
    assert (
        envelope["data"]["unmatched"] == 1 and "1 of 2 features have no neighbour within 1000 m" in envelope["message"]
    )
    dropped = bench.ok("nearest_features", **asked, max_distance_m=1000, options={"keep_unmatched": False})
    assert len(found(bench, dropped)) == 1
    before = len(bench.host.project.mapLayers())
    nobody = bench.call("nearest_features", **asked, max_distance_m=10)
    assert nobody["ok"] and nobody["data"]["layer_id"] is None and "within 10 m" in nobody["message"]
    assert len(bench.host.project.mapLayers()) == before


def test_ties_are_said(bench: Bench) -> None:
    """Two neighbours as near: the lower id is taken, and that the other was left out is told."""
    bench.add(points([(10.0, 0.0)], "from"))
    bench.add(points([(10.0, 1.0), (10.0, -1.0), (12.0, 0.0)], "to"))
    asked = {"layer_id": "from", "to_layer_id": "to", "fields": ["n"]}
    envelope = bench.call("nearest_features", **asked)
    assert [each[:2] for each in found(bench, envelope["data"])] == [(0, 0)]
    assert envelope["data"]["ties"] == 1 and "just as near" in envelope["message"]
    assert bench.ok("nearest_features", **asked, k=2)["ties"] == 0


def test_lines_go_to_the_neighbours_across_180(bench: Bench) -> None:
    """A line of two parts that are cut at 180°, as long as the distance."""
    one, two = (179.5, -17.0), (-179.5, -17.5)
    bench.add(points([one], "from"))
    bench.add(points([two, (170.0, -17.0)], "to"))
    data = bench.ok("nearest_features", layer_id="from", to_layer_id="to", fields=["n"], options={"output": "lines"})
    layer = bench.host.layers.by_alias(data["layer_id"])
    (feature,) = layer.getFeatures()
    parts = shapely.from_wkt(feature.geometry().asWkt(9)).geoms
    assert [max(abs(x) for x, _ in part.coords) for part in parts] == pytest.approx([180, 180], abs=1e-6)
    length = sum(GEOD.line_length(*zip(*part.coords)) for part in parts)
    assert feature["distance_m"] == pytest.approx(metres(one, two), abs=1e-3)
    assert length == pytest.approx(metres(one, two), abs=0.1)


def dense(ring: list[Place]) -> list[Place]:
    """Places on the edges, which are straight in degrees."""
    return list(shapely.segmentize(shapely.LineString(ring), 0.002).coords)


def test_polygons_and_lines_against_dense_places(bench: Bench) -> None:
    """Points inside are at 0 m; outside, the distance to the nearest of many places on the border, by pyproj."""
    rings = [
        [(10.0, 50.0), (10.3, 50.0), (10.3, 50.2), (10.0, 50.2), (10.0, 50.0)],
        [(10.5, 50.05), (10.9, 50.1), (10.6, 50.3), (10.5, 50.05)],
    ]
    text = [("POLYGON((" + ",".join(f"{x} {y}" for x, y in ring) + "))", [n]) for n, ring in enumerate(rings)]
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:integer", text, "areas"))
    places = scattered(9, 30, 9.8, 49.9, 11.0, 50.4)
    bench.add(points(places, "spots", "EPSG:32632"))
    data = bench.ok("nearest_features", layer_id="spots", to_layer_id="areas", fields=["n"])
    borders = [dense(ring) for ring in rings]
    for number, to, rank, distance in found(bench, data):
        by_hand = []
        for ring, border in zip(rings, borders):
            if shapely.Polygon(ring).contains(shapely.Point(places[number])):
                by_hand.append(0.0)
            else:
                many = np.array(border)
                start = np.tile(places[number], (len(many), 1))
                by_hand.append(float(GEOD.inv(*start.T, *many.T)[2].min()))
        assert rank == 1 and to == int(np.argmin(by_hand))
        # a place every 0.002 degrees is at most 110 m beside the nearest one
        assert by_hand[to] - distance == pytest.approx(0, abs=max(0.5, 110**2 / max(distance, 110)))
        assert distance <= by_hand[to] + 0.5
    assert "azimuthal equidistant" in data["method"]


def test_lines_all_over_the_earth(bench: Bench) -> None:
    """Too large for a plane: vertices first, then a plane around each pair. Checked with places every 500 m."""
    lines = [
        [(0.0, 0.0), (20.0, 0.0)],
        [(100.0, 60.0), (100.0, 80.0)],
        [(-170.0, -50.0), (-179.9, -55.0)],
    ]
    text = [("LINESTRING(" + ",".join(f"{x} {y}" for x, y in line) + ")", [n]) for n, line in enumerate(lines)]
    bench.add(memory_layer("LineString?crs=EPSG:4326&field=n:integer", text, "lines"))
    places = [(10.3, 5.0), (179.0, -54.0), (110.0, 70.0), (-80.0, 89.0), (60.0, 30.0)]
    bench.add(points(places, "spots"))
    data = bench.ok("nearest_features", layer_id="spots", to_layer_id="lines", k=3, fields=["n"])
    many = [np.array(shapely.segmentize(shapely.LineString(line), 0.005).coords) for line in lines]
    wanted = []
    for number, place in enumerate(places):
        ranked = sorted(
            (float(GEOD.inv(*np.tile(place, (len(each), 1)).T, *each.T)[2].min()), n) for n, each in enumerate(many)
        )
        wanted += [(number, n, rank, distance) for rank, (distance, n) in enumerate(ranked, 1)]
    rows = found(bench, data)
    assert [each[:3] for each in rows] == [each[:3] for each in wanted]
    assert [each[3] for each in rows] == pytest.approx([each[3] for each in wanted], rel=1e-5, abs=2)
    assert "each pair" in data["method"]


@pytest.mark.parametrize(("count", "limit"), [(0, 800_000.0), (1, 800_000.0), (5, 800_000.0), (1, None), (5, None)])
def test_candidates_hold_the_nearest(count: int, limit: float | None) -> None:
    """The search in cubes loses nobody, in clusters and on an empty ocean alike; the oracle compares all pairs."""
    random_ = np.random.default_rng(7)
    crowd = random_.normal((10, 50), 0.01, (300, 2))
    world = np.stack([random_.uniform(-180, 180, 200), random_.uniform(-90, 90, 200)], 1)
    one, two = through_earth(*np.concatenate([world, crowd[:50]]).T), through_earth(*np.concatenate([crowd, world]).T)
    left, right = candidates(one, two, count, limit, False, lambda: None)
    got = set(zip(left.tolist(), right.tolist()))
    chords = np.sqrt(((one[:, None] - two[None]) ** 2).sum(2))
    ranks = chords.argsort(1)[:, : count or len(two)]
    for i in range(len(one)):
        for j in ranks[i].tolist():
            if limit is None or chords[i, j] <= 2 * 6_371_008.8 * math.sin(limit / 6_371_008.8 / 2) * 0.99:
                assert (i, j) in got


def test_what_is_refused(bench: Bench) -> None:
    """The right code and a hint."""
    bench.add(points([(0.0, 0.0)], "spots"))
    bench.add(memory_layer("None?field=a:integer", [(None, [1])], "table"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:integer", [], "empty"))

    def code(**more: Any) -> str:
        return bench.code("nearest_features", **{"layer_id": "spots", "to_layer_id": "spots", **more})

    assert code(to_layer_id="table") == "UNSUPPORTED"
    assert code(to_layer_id="empty") == "NOT_FOUND"
    assert code(fields=["x"]) == "NOT_FOUND"
    assert code(k=0) == "INVALID_PARAM"
    alone = bench.call("nearest_features", layer_id="spots", to_layer_id="spots")
    assert alone["ok"] and alone["data"]["layer_id"] is None and "no other feature" in alone["message"]


def test_an_edge_may_be_nearer_than_any_vertex(bench: Bench) -> None:
    """All over the earth vertices only tell who may be near: here the line with the farther vertices is the nearer one."""
    lines = [
        "LINESTRING(0 -0.025, 0 -0.05)",
        "LINESTRING(-0.022 0.02, 0.022 0.02)",
        "LINESTRING(100 60, 100 61)",
    ]
    bench.add(
        memory_layer("LineString?crs=EPSG:4326&field=n:integer", [(t, [n]) for n, t in enumerate(lines)], "lines")
    )
    bench.add(points([(0.0, 0.0)], "spots"))
    data = bench.ok("nearest_features", layer_id="spots", to_layer_id="lines", fields=["n"])
    assert found(bench, data) == [(0, 1, 1, pytest.approx(metres((0, 0), (0, 0.02)), abs=0.5))]
    assert "each pair" in data["method"]
