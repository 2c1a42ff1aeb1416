"""measure through the calls: lengths, areas, perimeters and distances on the ellipsoid. Expected numbers: pyproj.Geod."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import Qgis, QgsCoordinateReferenceSystem, QgsGeometry, QgsVectorLayer
from shapely import wkt as shapely_wkt
from shapely.geometry.polygon import orient
from shapely.ops import transform as shapely_transform

from qgis_agent.bridge.envelope import size_bytes

GEOD = Geod(ellps="WGS84")
PARCEL = "POLYGON((10 60,10.01 60,10.01 60.01,10 60.01,10 60))"
SQUARE = "POLYGON((116 39,117 39,117 40,116 40,116 39))"
EQUATOR = "POLYGON((0 0,1 0,1 1,0 1,0 0))"


def mercator(wkt: str) -> str:
    """The same shape in EPSG:3857, by pyproj."""
    forth = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True).transform
    return shapely_transform(forth, shapely_wkt.loads(wkt)).wkt


def ground(wkt: str) -> tuple[float, float]:
    """Area in m² and length of all rings in m of a shape in degrees."""
    shape = orient(shapely_wkt.loads(wkt))
    rings = [shape.exterior, *shape.interiors]
    return abs(GEOD.geometry_area_perimeter(shape)[0]), sum(GEOD.line_length(*ring.xy) for ring in rings)


def layer_of(kind: str, shapes: list[str | None], name: str = "shapes", crs: str = "EPSG:4326") -> QgsVectorLayer:
    """Features named f1, f2, … with a number n."""
    rows = [(each, [f"f{number}", number]) for number, each in enumerate(shapes, 1)]
    layer = memory_layer(f"{kind}?crs={crs}&field=name:string(20)&field=n:integer", rows, name)
    layer.setDisplayExpression('"name"')
    return layer


def test_a03_area_of_a_web_mercator_layer_is_the_one_on_the_ground(bench: Bench) -> None:
    """621,587.2 m², not the planar 2,478,780.5; the method is named."""
    layer = bench.add(layer_of("Polygon", [mercator(PARCEL)], crs="EPSG:3857"))
    data = bench.ok("measure", method="area", layer_id="shapes")
    assert data["value"] == pytest.approx(621_587.2, abs=0.05)
    assert data["value"] == pytest.approx(ground(PARCEL)[0], rel=1e-7)
    assert data["unit"] == "m²" and "ellipsoidal" in data["how"] and "WGS 84" in data["how"]
    planar = next(layer.getFeatures()).geometry().area()
    assert planar == pytest.approx(2_478_780.5, abs=0.5)


def test_a04_the_project_ellipsoid_and_units_change_nothing(bench: Bench) -> None:
    """NONE and EPSG:7030, hectares or square metres, feet or metres: the same number each time."""
    bench.add(layer_of("Polygon", [mercator(PARCEL)], crs="EPSG:3857"))
    project = bench.host.project
    found = []
    for ellipsoid, area, distance in itertools.product(
        ("NONE", "EPSG:7030"),
        (Qgis.AreaUnit.Hectares, Qgis.AreaUnit.SquareMeters),
        (Qgis.DistanceUnit.Feet, Qgis.DistanceUnit.Meters),
    ):
        project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
        project.setEllipsoid(ellipsoid)
        project.setAreaUnits(area)
        project.setDistanceUnits(distance)
        found.append(
            (
                bench.ok("measure", method="area", layer_id="shapes")["value"],
                bench.ok("measure", method="perimeter", layer_id="shapes")["value"],
            )
        )
    assert len(set(found)) == 1
    assert found[0] == pytest.approx((621_587.2, ground(PARCEL)[1]), abs=0.05)


def test_a05_a_square_degree_is_no_constant_area(bench: Bench) -> None:
    """Two 1 x 1 degree squares: 9,549,468,853.92 and 12,308,778,361.47 m², ratio 0.7758; never 1.0."""
    bench.add(layer_of("Polygon", [SQUARE, EQUATOR]))
    first = bench.ok("measure", method="area", layer_id="shapes", where=[{"field": "n", "op": "eq", "value": 1}])
    second = bench.ok("measure", method="area", layer_id="shapes", where=[{"field": "n", "op": "eq", "value": 2}])
    assert first["value"] == pytest.approx(9_549_468_853.92, abs=0.01) and first["unit"] == "m²"
    assert first["value_km2"] == pytest.approx(9549.468854, abs=1e-6)
    assert second["value"] == pytest.approx(12_308_778_361.47, abs=0.01)
    assert first["value"] / second["value"] == pytest.approx(0.7758, abs=5e-5)
    around = bench.ok("measure", method="perimeter", layer_id="shapes", where=[{"field": "n", "op": "eq", "value": 1}])
    assert around["value"] == pytest.approx(394_069.47, abs=0.01) and around["unit"] == "m"


def test_sum_count_and_spread(bench: Bench) -> None:
    """Of the matching features; those without a geometry are counted apart; holes count in the perimeter."""
    hole = "POLYGON((0 0,1 0,1 1,0 1,0 0),(0.2 0.2,0.4 0.2,0.4 0.4,0.2 0.4,0.2 0.2))"
    bench.add(layer_of("Polygon", [SQUARE, hole, None]))
    areas = [ground(SQUARE)[0], ground(hole)[0]]
    envelope = bench.call("measure", method="area", layer_id="shapes")
    data = envelope["data"]
    assert (data["count"], data["value"]) == (2, pytest.approx(sum(areas), rel=1e-10))
    assert (data["min"], data["max"], data["mean"]) == pytest.approx(
        (min(areas), max(areas), sum(areas) / 2), rel=1e-10
    )
    assert "1 features have no geometry" in envelope["message"]
    data = bench.ok("measure", method="perimeter", layer_id="shapes", where=[{"field": "n", "op": "eq", "value": 2}])
    assert data["value"] == pytest.approx(ground(hole)[1], abs=0.001)


def test_lengths(bench: Bench) -> None:
    """Geodesic between the vertices, in a projected CRS as well; a filter in force is said."""
    line = "LINESTRING(8 47,8.5 47.3,9 47.1)"
    forth = Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True).transform
    layer = bench.add(
        layer_of("LineString", [shapely_transform(forth, shapely_wkt.loads(line)).wkt], "roads", crs="EPSG:32632")
    )
    expected = GEOD.line_length([8, 8.5, 9], [47, 47.3, 47.1])
    data = bench.ok("measure", method="length", layer_id="roads")
    assert data["value"] == pytest.approx(expected, abs=0.01)
    assert data["value_km"] == pytest.approx(expected / 1000, abs=1e-5)
    layer.setSubsetString('"n" = 1')
    assert "filter" in bench.call("measure", method="length", layer_id="roads")["message"]


def test_the_right_method_is_told(bench: Bench) -> None:
    """Area of lines, length of polygons, area of points; a table; other_where with another method."""
    bench.add(layer_of("Polygon", [SQUARE]))
    bench.add(layer_of("LineString", ["LINESTRING(0 0,1 1)"], "roads"))
    bench.add(layer_of("Point", ["POINT(0 0)"], "towns"))
    bench.add(memory_layer("None?field=n:integer", [(None, [1])], "table"))
    for method, layer_id, right in (
        ("length", "shapes", "perimeter"),
        ("area", "roads", "length"),
        ("perimeter", "roads", "length"),
        ("area", "towns", "distance"),
    ):
        envelope = bench.call("measure", method=method, layer_id=layer_id)
        assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "layer_kind")
        assert right in envelope["hint"], (method, layer_id)
    assert bench.code("measure", method="area", layer_id="table") == "UNSUPPORTED"
    assert bench.code("measure", method="area", layer_id="shapes", other_layer_id="towns") == "INVALID_PARAM"


def test_without_a_crs_nothing_is_measured(bench: Bench) -> None:
    """Refused with a hint, also for the other layer of a distance."""
    bench.add(layer_of("Polygon", [SQUARE], "bare", crs=""))
    bench.add(layer_of("Point", ["POINT(0 0)"], "towns"))
    layer = bench.host.layers.by_alias("bare")
    layer.setCrs(QgsCoordinateReferenceSystem())
    envelope = bench.call("measure", method="area", layer_id="bare")
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "no_crs") and "set_layer_crs" in envelope["hint"]
    assert bench.call("measure", method="distance", layer_id="towns", other_layer_id="bare")["reason"] == "no_crs"


def test_nothing_to_measure(bench: Bench) -> None:
    """No match is a success without a value; no layer and no selection is told apart."""
    bench.add(layer_of("Polygon", [SQUARE]))
    none = [{"field": "n", "op": "gt", "value": 99}]
    envelope = bench.call("measure", method="area", layer_id="shapes", where=none)
    assert envelope["ok"] and envelope["data"]["value"] is None and "No feature" in envelope["message"]
    envelope = bench.call("measure", method="distance", layer_id="shapes", where=none, other_layer_id="shapes")
    assert envelope["ok"] and envelope["data"]["value"] is None and "No feature" in envelope["message"]
    assert bench.code("measure", method="area") == "INVALID_PARAM"
    assert bench.code("measure", method="area", use_selection=True) == "NOT_FOUND"
    assert bench.code("measure", method="distance", use_selection=True) == "NOT_FOUND"
    assert bench.code("measure", method="area", layer_id="shapes", use_selection=True) == "NOT_FOUND"
    assert bench.code("measure", method="distance", layer_id="shapes") == "INVALID_PARAM"


def test_the_selection(bench: Bench) -> None:
    """Only selected features, of the layer that has a selection; where counts as well; two layers are asked about."""
    layer = bench.add(layer_of("Polygon", [SQUARE, EQUATOR]))
    layer.selectByIds([2])
    data = bench.ok("measure", method="area", use_selection=True)
    assert (data["layer_id"], data["count"]) == ("shapes", 1)
    assert data["value"] == pytest.approx(12_308_778_361.47, abs=0.01)
    one = [{"field": "n", "op": "eq", "value": 1}]
    assert bench.ok("measure", method="area", layer_id="shapes", use_selection=True, where=one)["count"] == 0
    other = bench.add(layer_of("Polygon", [SQUARE], "more"))
    other.selectAll()
    envelope = bench.call("measure", method="area", use_selection=True)
    assert envelope["code"] == "AMBIGUOUS"
    assert {each["layer_id"] for each in envelope["data"]["options"]} == {"shapes", "more"}


def test_m323_three_selected_points(bench: Bench) -> None:
    """ "这三个点之间量一下距离": each pair, and the way along them."""
    places = [(114.30, 30.59), (114.35, 30.60), (114.31, 30.52)]
    layer = bench.add(layer_of("Point", [f"POINT({x} {y})" for x, y in [(0, 0), *places]], "stops"))
    layer.selectByIds([2, 3, 4])
    envelope = bench.call("measure", method="distance", use_selection=True)
    data = envelope["data"]
    apart = {(a, b): GEOD.inv(*places[a], *places[b])[2] for a, b in itertools.combinations(range(3), 2)}
    assert [(each["from"], each["to"]) for each in data["pairs"]] == [("f2", "f3"), ("f2", "f4"), ("f3", "f4")]
    assert [each["value"] for each in data["pairs"]] == pytest.approx(list(apart.values()), abs=0.001)
    way = apart[0, 1] + apart[1, 2]
    assert data["value"] == pytest.approx(min(apart.values()), abs=0.001) and data["unit"] == "m"
    assert (data["value_is"], data["from"], data["to"]) == ("smallest distance", "f2", "f3")
    assert data["path_m"] == pytest.approx(way, abs=0.002)
    assert f"{apart[0, 1]:.1f} m" in envelope["message"]
    assert f"way along the points in the layer's order is {way:.1f} m" in envelope["message"]
    layer.selectByIds([2, 3])
    data = bench.ok("measure", method="distance", use_selection=True)
    assert (data["from"], data["to"], data["value"]) == ("f2", "f3", pytest.approx(apart[0, 1], abs=0.001))
    layer.selectByIds([2])
    assert bench.code("measure", method="distance", use_selection=True) == "INVALID_PARAM"


def test_selected_points_of_two_layers(bench: Bench) -> None:
    """One in each: the distance between them."""
    for name, x in (("a", 10), ("b", 11)):
        bench.add(layer_of("Point", [f"POINT({x} 50)"], name)).selectAll()
    data = bench.ok("measure", method="distance", use_selection=True)
    assert data["value"] == pytest.approx(GEOD.inv(10, 50, 11, 50)[2], abs=0.001)


def test_more_than_ten_are_refused_and_ten_fit_the_budget(bench: Bench) -> None:
    """With a hint to choose fewer."""
    bench.add(layer_of("Point", [f"POINT({number} 0)" for number in range(11)], "many"))
    assert bench.code("measure", method="distance", layer_id="many") == "INVALID_PARAM"
    ten = [{"field": "n", "op": "lte", "value": 10}]
    envelope = bench.call("measure", method="distance", layer_id="many", where=ten)
    assert envelope["ok"] and size_bytes(envelope) <= 4096
    assert envelope["data"]["value"] == pytest.approx(GEOD.inv(0, 0, 1, 0)[2], abs=0.01)
    assert envelope["data"]["path_m"] == pytest.approx(9 * GEOD.inv(0, 0, 1, 0)[2], abs=0.01)


@pytest.mark.parametrize("kind", ["Point", "Polygon"])
def test_the_value_of_a_distance_is_the_smallest_whatever_the_kind(bench: Bench, kind: str) -> None:
    """Three in a row, the last two nearest: its pair is named, and no way along polygons."""
    centres = [(10.0, 50.0), (12.0, 50.0), (13.0, 50.0)]
    shapes = [f"POINT({x} {y})" if kind == "Point" else square(x, y) for x, y in centres]
    bench.add(layer_of(kind, shapes))
    data = bench.ok("measure", method="distance", layer_id="shapes")
    # Squares of 0.2 degrees: their facing sides are nearest at the northern corners, where the meridians converge.
    ends = ((12, 50), (13, 50)) if kind == "Point" else ((12.1, 50.1), (12.9, 50.1))
    assert data["value"] == pytest.approx(GEOD.inv(*ends[0], *ends[1])[2], rel=2e-6)
    assert (data["from"], data["to"], data["value_is"]) == ("f2", "f3", "smallest distance")
    assert data["value"] == min(each["value"] for each in data["pairs"])
    assert ("path_m" in data) == (kind == "Point")


def test_each_answer_says_what_its_value_is(bench: Bench) -> None:
    """A sum for lengths, areas and perimeters."""
    bench.add(layer_of("Polygon", [SQUARE, EQUATOR]))
    bench.add(layer_of("LineString", ["LINESTRING(0 0,1 1)"], "roads"))
    for method, layer_id, words in (
        ("area", "shapes", "sum of the areas"),
        ("perimeter", "shapes", "sum of the perimeters"),
        ("length", "roads", "sum of the lengths"),
    ):
        assert bench.ok("measure", method=method, layer_id=layer_id)["value_is"] == words


def scattered(seed: int, count: int, box: tuple[float, float, float, float]) -> list[tuple[float, float]]:
    """Places in a box (west, south, east, north), longitudes brought within ±180."""
    random.seed(seed)
    found = [(random.uniform(box[0], box[2]), random.uniform(box[1], box[3])) for _ in range(count)]
    return [((x + 180) % 360 - 180, y) for x, y in found]


@pytest.mark.parametrize(
    "boxes",
    [
        ((0, 40, 10, 50), (11, 42, 20, 55)),
        ((-170, -80, 170, 80), (-170, -80, 170, 80)),
        ((170, -20, 179, -10), (182, -20, 190, -10)),
        ((-180, 80, 180, 89.9), (-180, 70, 180, 89.9)),
        ((10, 50, 10.001, 50.001), (10, 50, 10.001, 50.001)),
    ],
    ids=["europe", "world", "antimeridian", "pole", "street"],
)
def test_nearest_points_of_two_layers_are_the_geodesic_ones(bench: Bench, boxes: Any) -> None:
    """Against all pairs by pyproj."""
    one, two = scattered(1, 60, boxes[0]), scattered(2, 70, boxes[1])
    bench.add(layer_of("Point", [f"POINT({x} {y})" for x, y in one], "one"))
    bench.add(layer_of("Point", [f"POINT({x} {y})" for x, y in two], "two"))
    metres, left, right = min(
        (GEOD.inv(*a, *b)[2], i, j) for (i, a), (j, b) in itertools.product(enumerate(one, 1), enumerate(two, 1))
    )
    envelope = bench.call("measure", method="distance", layer_id="one", other_layer_id="two")
    data = envelope["data"]
    assert data["value"] == pytest.approx(metres, abs=0.001)
    assert (data["from"], data["to"]) == (f"f{left}", f"f{right}")
    assert (data["count"], data["other_count"]) == (60, 70) and "too long" not in envelope["message"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "POLYGON((10 50,10.02 50,10.02 50.01,10 50.01,10 50))",
            "POLYGON((10.1 50.05,10.2 50.05,10.2 50.1,10.1 50.1,10.1 50.05))",
        ),
        ("LINESTRING(179.8 -17,179.9 -17.2)", "POLYGON((-179.9 -17,-179.5 -17,-179.5 -16.5,-179.9 -16.5,-179.9 -17))"),
        ("POLYGON((2 48,3 48,3 49,2 49,2 48))", "POLYGON((116 39,117 39,117 40,116 40,116 39))"),
        ("LINESTRING(0 84,10 86)", "LINESTRING(120 85,130 87)"),
    ],
    ids=["town", "fiji", "paris-beijing", "arctic"],
)
def test_nearest_shapes(bench: Bench, first: str, second: str) -> None:
    """Against the smallest geodesic between points every few metres to kilometres along both outlines."""
    for name, shape in (("one", first), ("two", second)):
        bench.add(layer_of("LineString" if shape[0] == "L" else "Polygon", [shape], name))
    data = bench.ok("measure", method="distance", layer_id="one", other_layer_id="two")

    def along(wkt: str) -> list[tuple[float, float]]:
        shape = shapely_wkt.loads(wkt)
        outline = shape if shape.geom_type == "LineString" else shape.exterior
        return [outline.interpolate(step / 250, normalized=True).coords[0] for step in range(251)]

    one, two = along(first), along(second)
    step = max(GEOD.inv(*a, *b)[2] for line in (one, two) for a, b in itertools.pairwise(line))
    every = [GEOD.inv(*a, *b)[2] for a, b in itertools.product(one, two)]
    assert min(every) - step <= data["value"] <= min(every) + 0.5
    assert "geodesic" in data["how"] and "azimuthal equidistant" in data["how"]


def square(longitude: float, latitude: float) -> str:
    """A square of 0.2 degrees around a place."""
    west, east, south, north = longitude - 0.1, longitude + 0.1, latitude - 0.1, latitude + 0.1
    return f"POLYGON(({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))"


def test_shapes_all_over_the_world(bench: Bench) -> None:
    """Two near each other at the middle of all, 200 km; nearer ones far from it, which one plane shows as farther."""
    bench.add(layer_of("Polygon", [square(0, 0), square(100, 1), square(-100, -1)], "one"))
    bench.add(layer_of("Polygon", [square(2, 0), square(100, 2.5), square(-100, 80)], "two"))
    near = GEOD.inv(0.1, 0.1, 1.9, 0.1)[2]
    nearer = GEOD.inv(100, 1.1, 100, 2.4)[2]
    assert nearer < 0.8 * near
    envelope = bench.call("measure", method="distance", layer_id="one", other_layer_id="two")
    data = envelope["data"]
    assert (data["from"], data["to"]) == ("f2", "f2")
    assert data["value"] == pytest.approx(nearer, rel=1e-6) and "too long" not in envelope["message"]


def test_a_point_beside_a_line(bench: Bench) -> None:
    """On the meridian 10 a line; from a point east of it the geodesic to the nearest place, by golden section."""
    bench.add(layer_of("LineString", ["LINESTRING(10 49,10 51)"], "line"))
    bench.add(layer_of("Point", ["POINT(11 50)"], "town"))

    def apart(latitude: float) -> float:
        return GEOD.inv(11, 50, 10, latitude)[2]

    low, high, part = 49.0, 51.0, (math.sqrt(5) - 1) / 2
    for _ in range(80):
        left, right = high - part * (high - low), low + part * (high - low)
        low, high = (low, right) if apart(left) < apart(right) else (left, high)
    data = bench.ok("measure", method="distance", layer_id="town", other_layer_id="line")
    assert data["value"] == pytest.approx(apart((low + high) / 2), rel=2e-6)


def test_neighbours_touch(bench: Bench) -> None:
    """Two features of one layer by other_where; a shared border is 0 m, and said."""
    bench.add(layer_of("Polygon", [EQUATOR, "POLYGON((1 0,2 0,2 1,1 1,1 0))", "POLYGON((3 0,4 0,4 1,3 1,3 0))"]))

    def number(value: int) -> list[dict[str, Any]]:
        return [{"field": "n", "op": "eq", "value": value}]

    envelope = bench.call("measure", method="distance", layer_id="shapes", where=number(1), other_where=number(2))
    assert envelope["data"]["value"] == 0.0 and "touch" in envelope["message"]
    data = bench.ok("measure", method="distance", layer_id="shapes", where=number(2), other_where=number(3))
    # The eastern border of the one and the western of the other are nearest at their northern ends.
    assert data["value"] == pytest.approx(GEOD.inv(2, 1, 3, 1)[2], rel=1e-5)
    assert (data["from"], data["to"]) == ("f2", "f3")


def test_a_polygon_that_crosses_itself_is_said(bench: Bench) -> None:
    """Its area is doubtful, and it is named; of many the first five."""
    bow_tie = "POLYGON((0 0,1 1,1 0,0 1,0 0))"
    bench.add(layer_of("Polygon", [bow_tie, EQUATOR]))
    message = bench.call("measure", method="area", layer_id="shapes")["message"]
    assert "1 polygons are invalid" in message and message.count("f1") == 1 and "f2" not in message
    bench.add(layer_of("Polygon", [bow_tie] * 7, "many"))
    message = bench.call("measure", method="area", layer_id="many")["message"]
    assert "7 polygons are invalid" in message and "f1, f2, f3, f4, f5 …" in message and "f6" not in message


def test_no_area_is_negative(bench: Bench) -> None:
    """A hole larger than its shell takes nothing from the others: it is left out and named."""
    inside_out = "POLYGON((0.4 0.4,0.6 0.4,0.6 0.6,0.4 0.6,0.4 0.4),(0 0,1 0,1 1,0 1,0 0))"
    bench.add(layer_of("Polygon", [SQUARE, inside_out, EQUATOR]))
    envelope = bench.call("measure", method="area", layer_id="shapes")
    data, areas = envelope["data"], [ground(SQUARE)[0], ground(EQUATOR)[0]]
    assert data["value"] == pytest.approx(sum(areas), rel=1e-9)
    assert (data["count"], data["min"]) == (2, pytest.approx(min(areas), rel=1e-9))
    assert "1 invalid polygons come out below zero" in envelope["message"] and "f2" in envelope["message"]
    alone = bench.call("measure", method="area", layer_id="shapes", where=[{"field": "n", "op": "eq", "value": 2}])
    assert alone["ok"] and alone["data"]["value"] is None and "below zero" in alone["message"]
    assert "No feature" not in alone["message"]


def test_nothing_is_written_or_selected(bench: Bench) -> None:
    """A read: no action, the features and the selection as before, the names in the answer clean."""
    layer = bench.add(layer_of("Point", ["POINT(0 0)", "POINT(1 0)"], "towns"))
    layer.startEditing()
    layer.changeAttributeValue(1, 0, "evil\u202e\nname")
    outcome = bench.outcome("measure", method="distance", layer_id="towns")
    assert outcome["actions"] == [] and layer.selectedFeatureCount() == 0
    assert outcome["envelope"]["data"]["from"] == "evil name"
    assert "QgsGeometry" not in str(outcome) and "POINT" not in str(outcome) and QgsGeometry is not None
    layer.rollBack()
