"""Checks of results: each lets what is right pass (oracle: shapely, numpy, pyproj), and finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import shapely
from conftest import memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsFeedback,
    QgsRectangle,
    QgsVectorLayer,
)

from qgis_agent.gis.analysis import verify, verify_areas, verify_places
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.features import feature_source

GEOD = Geod(ellps="WGS84")
UTM = "EPSG:32650"


def fails(check: Callable[[], Any], code: str = "UPSTREAM_ERROR", reason: str = "not_verified") -> str:
    """The message of a check that must find something."""
    with pytest.raises(ToolError) as caught:
        check()
    envelope = caught.value.envelope
    assert (envelope["code"], envelope["reason"]) == (code, reason) and envelope["hint"]
    return str(envelope["message"])


def polygons(*shapes: Any, crs: str = UTM) -> QgsVectorLayer:
    """A layer of shapely polygons."""
    return memory_layer(f"Polygon?crs={crs}&field=n:integer", [(each.wkt, [n]) for n, each in enumerate(shapes)])


def points(places: list[tuple[float, float] | None], crs: str) -> QgsVectorLayer:
    """A layer of points; None for one without geometry."""
    rows = [(None if each is None else "POINT({!r} {!r})".format(*each), [n]) for n, each in enumerate(places)]
    return memory_layer(f"Point?crs={crs}&field=n:integer", rows)


def test_rows_and_counts(qgis_app: Any) -> None:
    """Every row is written or told as lost."""
    verify.require_count("native:x", 3, 3)
    verify.require_rows("native:x", 10, 7, 3)
    assert "3" in fails(lambda: verify.require_count("native:x", 3, 2))
    assert "1 are not accounted for" in fails(lambda: verify.require_rows("native:x", 10, 7, 2))
    fails(lambda: verify.require_rows("native:x", 10, 11))


def test_sums_in_any_order(qgis_app: Any) -> None:
    """Group totals of numpy's random numbers, added in another order; one value lost; nothing against nothing."""
    values = np.random.default_rng(4).normal(0, 1e6, 100_000)
    groups = [float(part.sum()) for part in np.array_split(np.sort(values), 37)]
    size = float(np.abs(values).sum())
    verify.require_total("v", sum(groups), float(values.sum()), size=size)
    lost = float(values.sum() - np.sort(values)[-1])
    fails(lambda: verify.require_total("v", lost, float(values.sum()), size=size))
    verify.require_total("v", None, None)
    fails(lambda: verify.require_total("v", 0.0, None))
    fails(lambda: verify.require_total("v", None, 1.0))
    fails(lambda: verify.require_total("v", 0.0, 1.0))
    verify.require_total("v", 0.0, 0.0)


def test_a_statistic_over_nothing_is_no_success(qgis_app: Any) -> None:
    """NOT_FOUND, with how many rows there were."""
    verify.require_values("height", 1, 5)
    assert "5 rows" in fails(lambda: verify.require_values("height", 0, 5), "NOT_FOUND", "no_values")


def test_size_of_a_source(qgis_app: Any) -> None:
    """Planar areas by shapely, ellipsoidal ones by pyproj; empty geometries and slivers counted."""
    square = shapely.box(500_000, 4_400_000, 501_000, 4_401_000)
    strip = shapely.box(502_000, 4_400_000, 502_000.2, 4_410_000)
    layer = polygons(square, strip)
    size = verify_areas.size_of(feature_source(layer), layer.crs(), QgsFeedback())
    assert (size.count, size.empty, size.slivers) == (2, 0, 1)
    assert size.area == pytest.approx(square.area + strip.area, rel=1e-12)
    back = Transformer.from_crs(UTM, "EPSG:4326", always_xy=True)
    true = sum(
        abs(GEOD.polygon_area_perimeter(*back.transform(*each.exterior.coords.xy))[0]) for each in (square, strip)
    )
    assert size.area_m2 == pytest.approx(true, rel=1e-6)
    assert size.box.xMaximum() == pytest.approx(502_000.2)
    line = shapely.LineString([(500_000, 4_400_000), (500_300, 4_400_400)])
    roads = memory_layer(f"LineString?crs={UTM}&field=n:integer", [(line.wkt, [1]), (None, [2])])
    size = verify_areas.size_of(feature_source(roads), roads.crs(), QgsFeedback())
    assert (size.count, size.empty, size.area) == (2, 1, 0) and size.length == pytest.approx(500)
    start, end = back.transform(*line.coords[0]), back.transform(*line.coords[1])
    assert size.length_m == pytest.approx(GEOD.inv(*start, *end)[2], rel=1e-6)


@pytest.mark.parametrize("operation", ["clip", "intersection", "difference", "union", "symmetrical_difference"])
@pytest.mark.parametrize("scale, shift", [(1.0, 0.0), (1e-5, 116.0), (1e6, 4e6)])
def test_overlays_add_up(qgis_app: Any, operation: str, scale: float, shift: float) -> None:
    """shapely's own overlay of two circles passes, with the common area known or not; one that is 0.1 % off does not."""
    first = shapely.Point(shift, shift).buffer(scale * 10)
    second = shapely.Point(shift + 7 * scale, shift + 3 * scale).buffer(scale * 8)
    common = first.intersection(second).area
    made = {
        "clip": first.intersection(second),
        "intersection": first.intersection(second),
        "difference": first.difference(second),
        "union": first.union(second),
        "symmetrical_difference": first.symmetric_difference(second),
    }[operation].area
    verify_areas.check_overlay(operation, made, first.area, second.area)
    verify_areas.check_overlay(operation, made, first.area, second.area, common)
    for wrong in (made * 1.001, made * 0.999):
        fails(lambda wrong=wrong: verify_areas.check_overlay(operation, wrong, first.area, second.area, common))
    fails(lambda: verify_areas.check_overlay(operation, 2 * (first.area + second.area), first.area, second.area))
    verify_areas.check_parts("a", first.area, [common, first.difference(second).area])
    fails(lambda: verify_areas.check_parts("a", first.area, [common]))


def test_a_part_is_not_more_and_lies_within(qgis_app: Any) -> None:
    """Areas and boxes of clips."""
    verify_areas.check_not_more("the clip", 5.0, 5.0)
    fails(lambda: verify_areas.check_not_more("the clip", 5.001, 5.0))
    mask = QgsRectangle(0, 0, 10, 10)
    verify_areas.check_box_inside("the clip", QgsRectangle(1, 1, 10 + 1e-12, 2), mask)
    fails(lambda: verify_areas.check_box_inside("the clip", QgsRectangle(1, 1, 10.001, 2), mask))
    nothing = QgsRectangle()
    nothing.setNull()
    verify_areas.check_box_inside("the clip", nothing, mask)
    fails(lambda: verify_areas.check_box_inside("the clip", QgsRectangle(1, 1, 2, 2), nothing))


def reprojected(before: QgsVectorLayer, after: QgsVectorLayer) -> int:
    """The check, on this thread."""
    return verify_places.check_reprojected(
        feature_source(before),
        feature_source(after),
        (before.crs(), after.crs()),
        QgsCoordinateTransformContext(),
        QgsFeedback(),
    )


@pytest.mark.parametrize("target", ["EPSG:32650", "EPSG:3857", "EPSG:4490", "EPSG:4548"])
def test_reprojected_by_pyproj_comes_back(qgis_app: Any, target: str) -> None:
    """Places that pyproj brought to another CRS; one that moved by a metre, lost its geometry or is missing."""
    places = [(116.0 + n / 100, 39.0 + n / 70) for n in range(60)]
    forth = Transformer.from_crs("EPSG:4326", target, always_xy=True)
    moved = [forth.transform(*each) for each in places]
    before, after = points(places, "EPSG:4326"), points(moved, target)
    assert reprojected(before, after) == 60
    metre = 1e-5 if QgsCoordinateReferenceSystem(target).isGeographic() else 1.0
    wrong = [*moved[:30], (moved[30][0] + metre, moved[30][1]), *moved[31:]]
    fails(lambda: reprojected(before, points(wrong, target)))
    fails(lambda: reprojected(before, points([*moved[:-1], None], target)))
    fails(lambda: reprojected(before, points(moved[:-1], target)))


def test_reprojection_is_sampled_and_says_how_many(qgis_app: Any) -> None:
    """Of 1,000 features 500 are compared (200 + 400 / 2 + 400 / 4); across 180 degrees -180 and 180 are one place."""
    places = [(10 + n / 1000, 50.0) for n in range(1000)]
    forth = Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True)
    found = reprojected(points(places, "EPSG:4326"), points([forth.transform(*each) for each in places], "EPSG:32632"))
    assert found == 500
    edge = [(180.0, 10.0)]
    there = [Transformer.from_crs("EPSG:4326", "EPSG:32660", always_xy=True).transform(*edge[0])]
    assert reprojected(points(edge, "EPSG:4326"), points(there, "EPSG:32660")) == 1
    assert reprojected(points([(-180.0, 10.0)], "EPSG:4326"), points(there, "EPSG:32660")) == 1


def inside(result: QgsVectorLayer, mask: QgsVectorLayer) -> int:
    """The check, on this thread."""
    return verify_places.check_inside("the clip", feature_source(result), feature_source(mask), QgsFeedback())


def test_a_clip_lies_in_its_mask(qgis_app: Any) -> None:
    """shapely's own clip passes, a shape beside the mask does not, and a border to rounding does."""
    mask = [shapely.box(0, 0, 10, 10), shapely.box(20, 0, 30, 10)]
    shapes = [shapely.Point(n * 3, 5).buffer(4) for n in range(10)]
    union = shapely.union_all(mask)
    clipped = [each.intersection(union) for each in shapes]
    clipped = [part for each in clipped for part in getattr(each, "geoms", [each]) if not part.is_empty]
    assert inside(polygons(*clipped), polygons(*mask)) == len(clipped)
    assert "outside of the mask" in fails(lambda: inside(polygons(*clipped, shapes[5]), polygons(*mask)))
    assert inside(points([(10.0 + 1e-12, 5.0)], UTM), polygons(*mask)) == 1
    fails(lambda: inside(points([(10.001, 5.0)], UTM), polygons(*mask)))
    assert inside(points([], UTM), polygons(*mask)) == 0


def test_a_large_result_is_sampled(qgis_app: Any) -> None:
    """At most 400 of 3,000 are looked at."""
    many = points([(n / 300, n % 10) for n in range(3000)], UTM)
    assert 200 <= inside(many, polygons(shapely.box(-1, -1, 11, 11))) <= 400
    half = polygons(shapely.box(-1, -1, 9, 11))
    fails(lambda: inside(many, half))  # the last tenth lies outside: what is looked at is spread over the whole
