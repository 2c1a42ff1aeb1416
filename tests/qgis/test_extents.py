"""Boxes in degrees against pyproj and closed forms: across the 180th meridian, around a pole, round the earth."""

from __future__ import annotations

import math
import random

import pytest
from conftest import Bench, memory_layer
from pyproj import Transformer
from qgis.core import QgsCoordinateReferenceSystem, QgsRectangle

from qgis_agent.gis.extents import bbox_degrees
from qgis_agent.gis.longitudes import narrowest

EARTH_M = math.pi * 6378137.0
"""Half the way round the earth in EPSG:3857."""


def box_of(bench: Bench, crs: str, west: float, south: float, east: float, north: float) -> list[float] | None:
    """The box in degrees of a box in a CRS."""
    return bbox_degrees(QgsRectangle(west, south, east, north), QgsCoordinateReferenceSystem(crs), bench.host.project)


def holds(box: list[float], longitude: float, latitude: float, margin: float = 1e-6) -> bool:
    """Whether a box as tools give it holds a place."""
    west, south, east, north = box
    turned = west - margin + (longitude - west + margin) % 360
    return turned <= east + margin and south - margin <= latitude <= north + margin


@pytest.mark.parametrize(
    ("crs", "box"),
    [
        ("EPSG:2964", (-4716099, 800000, 5191727, 7400000)),
        ("EPSG:2964", (-4480198, 1433525, 4615124, 6502586)),
        ("EPSG:3832", (1113194, -2273030, 5565974, 2273030)),
        ("EPSG:32601", (166021, 0, 700000, 4000000)),
        ("EPSG:3460", (1700000, 3500000, 2100000, 4200000)),
        ("EPSG:3035", (2500000, 1400000, 6600000, 5400000)),
        ("EPSG:3413", (-900000, 700000, 300000, 2500000)),
        ("EPSG:3413", (-900000, -700000, 300000, 2500000)),
        ("EPSG:3031", (-2500000, -2500000, 2500000, 2500000)),
        ("EPSG:3857", (-20700000, -10500000, 7000000, 21000000)),
        ("EPSG:3857", (17000000, -3000000, 21000000, 3000000)),
        ("EPSG:27200", (2000000, 5300000, 3100000, 6800000)),
    ],
)
def test_a_box_holds_what_it_is_around_and_little_else(bench: Bench, crs: str, box: tuple[float, ...]) -> None:
    """2,000 places in the box, brought to degrees by pyproj, lie in the answer; places that come back elsewhere do not,
    when the answer is not far larger than the box."""
    found = box_of(bench, crs, *box)
    assert found is not None
    west, south, east, north = found
    assert -180 <= west < east <= west + 360
    assert -90 <= south < north <= 90
    random.seed(3)
    to_degrees = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    places = [(random.uniform(box[0], box[2]), random.uniform(box[1], box[3])) for _ in range(2000)]
    degrees = [to_degrees.transform(*each) for each in places]
    assert [each for each in degrees if not holds(found, *each, margin=0.02)] == []
    # And each side is reached: what lies within a tenth of the width of it is no empty strip.
    tenth = (east - west) / 10
    turned = [west + (lon - west) % 360 for lon, _ in degrees]
    if east - west < 359:
        assert min(turned) < west + tenth
        assert max(each for each in turned if each <= east + 1) > east - tenth


@pytest.mark.parametrize(
    ("crs", "box", "expected"),
    [
        ("EPSG:4326", (170, -10, 190, 10), [170, -10, 190, 10]),
        ("EPSG:4326", (-190, -10, -170, 10), [170, -10, 190, 10]),
        ("EPSG:4326", (190, -10, 200, 10), [-170, -10, -160, 10]),
        ("EPSG:4326", (0, -90, 360, 90), [-180, -90, 180, 90]),
        ("EPSG:4326", (-180.25, -90.25, 179.75, 90.25), [-180, -90, 180, 90]),
        ("EPSG:4326", (500000, 3000000, 600000, 4000000), None),
        ("EPSG:4326", (117.1, 30.1, 117.1, 30.1), [117.1, 30.1, 117.1, 30.1]),
        ("EPSG:3857", (-EARTH_M, -EARTH_M, EARTH_M, EARTH_M), [-180, -85.051129, 180, 85.051129]),
        ("EPSG:3857", (-10 * EARTH_M, -EARTH_M, 10 * EARTH_M, EARTH_M), [-180, -85.051129, 180, 85.051129]),
        ("EPSG:3857", (-EARTH_M * 186 / 180, 0, EARTH_M * 63 / 180, 0), [174, 0, 423, 0]),
        ("EPSG:3995", (-3000000, -3000000, 3000000, 3000000), [-180, None, 180, 90]),
        ("EPSG:3995", (-3100000, -3000000, 2900000, 41234), [-180, None, 180, 90]),
        ("EPSG:3031", (-40123, -5000, 900000, 700000), [-180, -90, 180, None]),
    ],
)
def test_boxes_in_closed_form(
    bench: Bench, crs: str, box: tuple[float, ...], expected: list[float | None] | None
) -> None:
    """Over the meridian, from 0 to 360, all of the earth and more, half a cell beyond the poles, nowhere, a pole inside."""
    found = box_of(bench, crs, *box)
    if expected is None:
        assert found is None
        return
    assert found is not None
    for each, wanted in zip(found, expected):
        assert wanted is None or each == pytest.approx(wanted, abs=2e-6)


@pytest.mark.parametrize(
    ("spans", "west", "east"),
    [
        ([(-174, -131)], -174, -131),
        ([(179, 179), (-179, -179)], 179, 181),
        ([(170, 190), (-175, -160)], 170, 200),
        ([(-180, 180)], -180, 180),
        ([(120, 120), (-70, -70)], 120, 290),
        ([(95, 180), (-180, 57)], -180, 180),
        ([(170, 355), (-50, -40), (0, 10)], 170, 370),
        ([(-120, 60), (50, 200), (190, 250)], -180, 180),
    ],
)
def test_the_narrowest_way_round(spans: list[tuple[float, float]], west: float, east: float) -> None:
    """Across the meridian where that is clearly narrower; from -180 to 180 where it is not."""
    assert narrowest(spans) == pytest.approx((west, east))


def test_a_view_is_what_is_shown(bench: Bench) -> None:
    """Alaska in EPSG:2964, and the earth in degrees with a margin beyond the poles."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:2964"))
    bench.host.set_extent(QgsRectangle(-4716099, 1400000, 5191727, 6500000), QgsCoordinateReferenceSystem("EPSG:2964"))
    shown = bench.host.view_bbox()
    assert shown is not None
    to_degrees = Transformer.from_crs("EPSG:2964", "EPSG:4326", always_xy=True)
    assert holds(shown, *to_degrees.transform(0, 4000000))  # the middle of Alaska
    assert not holds(shown, 0, 60)
    assert shown[0] > 160 and shown[2] < 260
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.host.set_extent(QgsRectangle(-300, -150, 300, 150), QgsCoordinateReferenceSystem("EPSG:4326"))
    assert bench.host.view_bbox() == [-180, -90, 180, 90]


def test_a_layer_is_described_by_where_its_features_are(bench: Bench) -> None:
    """Points in EPSG:3338 of which the box's corners lie far off: the degrees are those of the points (pyproj)."""
    degrees = [(-174.2, 52.2), (-150.0, 61.0), (-131.6, 55.0), (-156.8, 67.5)]
    to_layer = Transformer.from_crs("EPSG:4326", "EPSG:3338", always_xy=True)
    rows = [("POINT({!r} {!r})".format(*to_layer.transform(*each)), [n]) for n, each in enumerate(degrees)]
    bench.add(memory_layer("Point?crs=EPSG:3338&field=n:integer", rows, "airports"))
    box = bench.ok("describe_layer", layer_id="airports")["bbox"]
    assert box == pytest.approx([-174.2, 52.2, -131.6, 67.5], abs=2e-5)
    assert bench.ok("query_in_bbox", layer_id="airports", bbox=box)["total"] == 4


def test_many_features_are_described_nearly_so(bench: Bench) -> None:
    """More than are looked at one by one: never too small, at most a tenth of a degree too large."""
    random.seed(5)
    to_layer = Transformer.from_crs("EPSG:4326", "EPSG:3338", always_xy=True)
    degrees = [(random.uniform(-188, -140), random.uniform(52, 70)) for _ in range(6000)]
    rows = [("POINT({!r} {!r})".format(*to_layer.transform(*each)), [n]) for n, each in enumerate(degrees)]
    bench.add(memory_layer("Point?crs=EPSG:3338&field=n:integer", rows, "many"))
    west, south, east, north = bench.ok("describe_layer", layer_id="many")["bbox"]
    lons, lats = [lon + 360 for lon, _ in degrees], [lat for _, lat in degrees]
    for found, true, sign in (
        (west, min(lons), -1),
        (south, min(lats), -1),
        (east, max(lons), 1),
        (north, max(lats), 1),
    ):
        assert -1e-6 <= (found - true) * sign < 0.1


def test_a_worldwide_layer_is_shown_whole(bench: Bench) -> None:
    """Points on both sides of the Pacific in EPSG:3857, which ends at 180: all of them are in the extent."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    random.seed(11)
    degrees = [(random.uniform(100, 290), random.uniform(-50, 60)) for _ in range(500)]
    degrees = [((lon + 180) % 360 - 180, lat) for lon, lat in degrees]
    rows = [(f"POINT({lon!r} {lat!r})", [n]) for n, (lon, lat) in enumerate(degrees)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, "quakes"))
    envelope = bench.call("zoom_to", layer_id="quakes")
    extent = bench.host.extent()
    to_map = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
    assert [each for each in degrees if not extent.contains(*to_map.transform(*each))] == []
    assert "side" not in envelope["message"]
    assert bench.ok("query_in_bbox", layer_id="quakes", bbox=envelope["data"]["bbox"])["total"] == 500


def test_what_one_side_leaves_out_is_counted(bench: Bench) -> None:
    """A group of islands across the meridian: the world would be too much, so one side, and how many are on the other."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    rows = [(f"POINT({lon} -18)", [n]) for n, lon in enumerate((177, 178, 179, -179, -178.5))]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, "fiji"))
    envelope = bench.call("zoom_to", layer_id="fiji")
    assert envelope["data"]["bbox"] == [177, -18, 181.5, -18]
    assert envelope["data"]["beyond_180"] == 2
    assert "2 of 5" in envelope["message"]
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    assert bench.ok("zoom_to", layer_id="fiji")["view_bbox"][2] > 181.5
