"""Planes and scales against pyproj's geodesics: mid-latitudes, 75° N, across 180°, over poles, feet; equal areas."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from pyproj import Geod, Transformer
from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransformContext, QgsGeometry, QgsPointXY, QgsRectangle

from qgis_agent.gis.analysis.ground.scale import (
    local_scale,
    metres_of_unit,
)
from qgis_agent.gis.analysis.ground.suggest import metric_crs
from qgis_agent.gis.analysis.ground.units import plane_for
from qgis_agent.gis.analysis.ground.work_crs import (
    around,
    equal_area_crs,
    plane_of_cells,
)
from qgis_agent.gis.analysis.inputs.survey import ground_measure

GEOD = Geod(ellps="WGS84")
CONTEXT = QgsCoordinateTransformContext()
Degrees = tuple[float, float]


def crs(ident: str) -> QgsCoordinateReferenceSystem:
    """A CRS by its id."""
    return QgsCoordinateReferenceSystem(ident)


def box_of(places: list[Degrees], ident: str = "EPSG:4326") -> QgsRectangle:
    """The box around places in degrees, in a CRS."""
    forth = Transformer.from_crs("EPSG:4326", ident, always_xy=True)
    box = QgsRectangle()
    box.setNull()
    for each in places:
        box.combineExtentWith(*forth.transform(*each))
    return box


def worst(plane: QgsCoordinateReferenceSystem, places: list[Degrees]) -> float:
    """The largest relative error of distances between any two places in a plane."""
    forth = Transformer.from_crs("EPSG:4326", plane.toWkt(), always_xy=True)
    flat = [forth.transform(*each) for each in places]
    errors = []
    for one, other in itertools.combinations(range(len(places)), 2):
        true = GEOD.inv(*places[one], *places[other])[2]
        errors.append(abs(math.dist(flat[one], flat[other]) / true - 1))
    return max(errors)


def around_place(longitude: float, latitude: float, radius: float, count: int = 12) -> list[Degrees]:
    """Places on the ground around one, up to a radius in metres."""
    chance = random.Random(5)
    found = [
        GEOD.fwd(longitude, latitude, chance.uniform(0, 360), radius * chance.random() ** 0.5) for _ in range(count)
    ]
    return [(each[0], each[1]) for each in found]


@pytest.mark.parametrize("latitude", [0.0, 40.0, -45.0, 75.0])
def test_a_plane_has_the_error_that_it_says(qgis_app: object, latitude: float) -> None:
    """Every distance between places 300 km around is within the stated error, and 0.01 % for the flattening."""
    places = around_place(9.0, latitude, 200_000)
    plane = plane_for(box_of(places), crs("EPSG:4326"), 50_000, CONTEXT)
    assert plane is not None and plane.error < 0.001
    assert worst(plane.crs, places) < plane.error + 1e-4


def test_a_circle_around_layers_in_different_crss(qgis_app: object) -> None:
    """Boxes in feet, in degrees and in Web Mercator are put together on the ground."""
    places = around_place(-73.95, 40.7, 60_000)
    boxes = [
        (box_of(places[:4], "EPSG:2263"), crs("EPSG:2263")),
        (box_of(places[4:8]), crs("EPSG:4326")),
        (box_of(places[8:], "EPSG:3857"), crs("EPSG:3857")),
    ]
    circle = around(boxes, CONTEXT)
    assert circle is not None
    farthest = max(GEOD.inv(circle.longitude, circle.latitude, *each)[2] for each in places)
    assert farthest <= circle.radius_m * 1.004  # the sphere against the ellipsoid


def test_no_plane_where_it_would_be_wrong(qgis_app: object) -> None:
    """The world, coordinates that are no degrees, and nothing at all."""
    assert equal_area_crs([(QgsRectangle(0, 95, 1, 96), crs("EPSG:4326"))], CONTEXT) is None
    empty = QgsRectangle()
    empty.setNull()
    assert equal_area_crs([(empty, crs("EPSG:4326"))], CONTEXT) is None
    assert equal_area_crs([(QgsRectangle(-180, -90, 180, 90), crs("EPSG:4326"))], CONTEXT) is None


@pytest.mark.parametrize(
    "box, fits",
    [((-120, 30, -80, 45), True), ((0, 50, 20, 70), True), ((0, 70, 180, 85), False), ((150, -10, 178, 10), False),
     ((-60, 60, 60, 89), False)],
)  # fmt: skip
def test_no_cells_over_a_pole_or_180(qgis_app: object, box: tuple[float, ...], fits: bool) -> None:
    """Cells that go a tenth beyond the box must have a way back into degrees."""
    assert (plane_of_cells(QgsRectangle(*box), crs("EPSG:4326"), 0.1, CONTEXT) is not None) is fits


@pytest.mark.parametrize(
    "west, south, east, north", [(5, 45, 15, 55), (100, 20, 130, 50), (20, 74, 30, 76), (178, -20, 183, -15)]
)
def test_equal_area_is_equal(qgis_app: object, west: float, south: float, east: float, north: float) -> None:
    """The area of a cell of a grid in the plane is its geodesic area: edges are divided, so both run alike."""
    plane = equal_area_crs([(QgsRectangle(west, south, east, north), crs("EPSG:4326"))], CONTEXT)
    assert plane is not None and "equal-area" in plane.name
    forth = Transformer.from_crs("EPSG:4326", plane.crs.toWkt(), always_xy=True)
    ring = [(west + (east - west) * n / 200, south) for n in range(200)]
    ring += [(east, south + (north - south) * n / 200) for n in range(200)]
    ring += [(east - (east - west) * n / 200, north) for n in range(200)]
    ring += [(west, north - (north - south) * n / 200) for n in range(200)]
    true = abs(GEOD.polygon_area_perimeter(*zip(*ring))[0])
    flat = QgsGeometry.fromPolygonXY([[QgsPointXY(*forth.transform(*each)) for each in [*ring, ring[0]]]])
    assert flat.area() == pytest.approx(true, rel=1e-5)


@pytest.mark.parametrize(
    "ident, place",
    [
        ("EPSG:4326", (116.4, 39.9)),
        ("EPSG:4326", (10.0, 75.0)),
        ("EPSG:3857", (10.0, 60.0)),
        ("EPSG:2263", (-73.95, 40.7)),
        ("EPSG:32633", (15.0, 75.0)),
    ],
)
def test_metres_of_a_unit_at_a_place(qgis_app: object, ident: str, place: Degrees) -> None:
    """One step along each axis, measured by pyproj on the ellipsoid."""
    forth = Transformer.from_crs("EPSG:4326", ident, always_xy=True)
    x, y = forth.transform(*place)
    scale = local_scale(crs(ident), QgsPointXY(x, y), CONTEXT)
    assert scale is not None
    step = 100.0 / metres_of_unit(crs(ident))
    for found, end in ((scale.x, (x + step, y)), (scale.y, (x, y + step))):
        longitude, latitude = forth.transform(*end, direction="INVERSE")
        assert found == pytest.approx(GEOD.inv(*place, longitude, latitude)[2] / step, rel=1e-5)
    assert scale.even == (ident != "EPSG:4326")
    assert scale.units(1000.0) * min(scale.x, scale.y) == pytest.approx(1000.0)


def test_a_pole_has_no_scale_in_degrees(qgis_app: object) -> None:
    """A degree of longitude has no length there."""
    assert local_scale(crs("EPSG:4326"), QgsPointXY(0, 90), CONTEXT) is None


def test_areas_and_lengths_of_a_layer_in_feet_are_metric(qgis_app: object) -> None:
    """One mile square in New York's CRS (US survey feet): pyproj's geodesic area and perimeter, not square feet."""
    corner, side = (1_000_000.0, 200_000.0), 5280.0
    ring = [corner, (corner[0] + side, corner[1]), (corner[0] + side, corner[1] + side), (corner[0], corner[1] + side)]
    back = Transformer.from_crs("EPSG:2263", "EPSG:4326", always_xy=True)
    area, perimeter = GEOD.polygon_area_perimeter(*zip(*[back.transform(*each) for each in ring]))
    shape = QgsGeometry.fromPolygonXY([[QgsPointXY(*each) for each in [*ring, ring[0]]]])
    measure = ground_measure(crs("EPSG:2263"))
    assert measure.measureArea(shape) == pytest.approx(abs(area), rel=1e-5)
    assert measure.measurePerimeter(shape) == pytest.approx(perimeter, rel=1e-5)
    assert abs(area) == pytest.approx(1609.34**2, rel=1e-3)


@pytest.mark.parametrize(
    "place, ident, wanted",
    [
        ((116.4, 39.9), "EPSG:4326", "EPSG:32650"),
        ((116.4, 39.9), "EPSG:4490", "EPSG:4548"),
        ((151.2, -33.9), "EPSG:4326", "EPSG:32756"),
        ((179.9, 10.0), "EPSG:4326", "EPSG:32660"),
        ((0.0, 86.0), "EPSG:4326", "EPSG:5041"),
        ((0.0, -85.0), "EPSG:4326", "EPSG:5042"),
    ],
)
def test_the_suggested_crs_is_made_for_the_place(qgis_app: object, place: Degrees, ident: str, wanted: str) -> None:
    """Its area of use holds the place, as PROJ's own registry has it."""
    box = QgsRectangle(place[0], place[1], place[0] + 0.01, place[1] + 0.01)
    assert metric_crs(box, crs(ident)) == wanted
    assert crs(wanted).bounds().contains(QgsPointXY(*place))
