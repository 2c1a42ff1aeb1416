"""Planes for layers in degrees that are too large for a local one (``units.plane_for``): Voronoi cells and triangles.

Such a plane may itself lie over a pole and across 180°; what goes back into degrees must not (``plane_of_cells``).
"""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsPointXY,
    QgsRectangle,
)

from ...extents import box_around
from ...longitudes import narrowest
from .units import (
    EARTH_RADIUS_M,
    Plane,
    degrees_crs,
)

Placed = Tuple[QgsRectangle, QgsCoordinateReferenceSystem]
"""A box and the CRS it is in."""
MAX_EQUAL_AREA_M = 8_000_000.0
"""Radius up to which shapes in an equal-area plane are still recognisable: distances are 24 % off at the rim."""

_SLACK = 120_000.0
"""Metres, more than a degree of latitude: how closely the meridian of 180° is looked at."""


class Around(NamedTuple):
    """The middle of boxes on the earth, in degrees, and how far their farthest corner is from it, in metres (sphere)."""

    longitude: float
    latitude: float
    radius_m: float


def around(boxes: Sequence[Placed], context: QgsCoordinateTransformContext) -> Optional[Around]:
    """The circle around boxes in any CRSs; None when nothing has a place on earth. Main thread, quick."""
    found: List[QgsRectangle] = []
    for box, crs in boxes:
        if box.isNull() or not crs.isValid():
            continue
        transform = QgsCoordinateTransform(crs, degrees_crs(), context)
        transform.setBallparkTransformsAreAppropriate(True)
        try:
            found.append(box_around(box, transform))
        except QgsCsException:
            return None
    if not found or not all(each.isFinite() for each in found):
        return None
    south, north = min(each.yMinimum() for each in found), max(each.yMaximum() for each in found)
    if max(-south, north) > 90.0 + 1e-6:
        return None
    west, east = narrowest([(each.xMinimum(), each.xMaximum()) for each in found])
    return _circle(west, max(south, -90.0), east, min(north, 90.0))


def _circle(west: float, south: float, east: float, north: float) -> Around:
    """Around a box in degrees; around the pole, where the box goes more than half way round it."""
    plain = (west + east) / 2, (south + north) / 2
    choices = [plain]
    if east - west > 120.0 and (south > 0 or north < 0):
        choices.append((0.0, 90.0 if south > 0 else -90.0))
    best: Optional[Around] = None
    for longitude, latitude in choices:
        radius = max(_far(longitude, latitude, west, east, each) for each in (south, north, *_between(south, north)))
        longitude -= 360.0 * math.floor((longitude + 180.0) / 360.0)
        if best is None or radius < best.radius_m:
            best = Around(round(longitude, 4), round(latitude, 4), radius)
    return best or Around(0.0, 0.0, math.pi * EARTH_RADIUS_M)


def _between(south: float, north: float) -> List[float]:
    return [0.0] if south < 0 < north else []


def _far(longitude: float, latitude: float, west: float, east: float, other: float) -> float:
    """Metres on the sphere from the centre to the farthest place of a box's parallel."""
    turn = math.radians(min(180.0, max(abs(west - longitude), abs(east - longitude))))
    one, two = math.radians(latitude), math.radians(other)
    half = math.sin((two - one) / 2) ** 2 + math.cos(one) * math.cos(two) * math.sin(turn / 2) ** 2
    return 2 * EARTH_RADIUS_M * math.asin(min(1.0, math.sqrt(half)))


def equal_area_crs(boxes: Sequence[Placed], context: QgsCoordinateTransformContext) -> Optional[Plane]:
    """A plane in metres in which areas are right: for what divides by areas or shares them out (density, Voronoi).

    Lambert azimuthal equal-area on WGS 84 around the boxes' middle; areas are exact, distances and angles are off by
    ``Plane.error`` at the rim (0.07 % at 490 km, 3 % at 3,100 km). None beyond 8,000 km.
    """
    circle = around(boxes, context)
    if circle is None or circle.radius_m > MAX_EQUAL_AREA_M:
        return None
    crs = QgsCoordinateReferenceSystem.fromProj(
        "+proj=laea +lat_0={:.10g} +lon_0={:.10g} +datum=WGS84 +units=m +type=crs".format(
            circle.latitude, circle.longitude
        )
    )
    angle = circle.radius_m / EARTH_RADIUS_M
    name = "Lambert azimuthal equal-area, WGS 84, centre {:.4f} {:.4f} (lon lat)".format(
        circle.longitude, circle.latitude
    )
    return Plane(crs, name, 1.0 / math.cos(angle / 2) - 1.0)


def plane_of_cells(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, margin: float, context: QgsCoordinateTransformContext
) -> Optional[Plane]:
    """An equal-area plane for cells around what lies in ``box`` (in ``crs``, geographic), which go ``margin`` times its
    width and height beyond it. None where there is no such plane, or where a pole or 180° would tear the cells on the way
    back."""
    plane = equal_area_crs([(box, crs)], context)
    if plane is None:
        return None
    transform = QgsCoordinateTransform(crs, plane.crs, context)
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        cells = box_around(box, transform)
    except QgsCsException:
        return None
    cells.grow(_SLACK + margin * max(cells.width(), cells.height()))
    return None if any(_seen(transform, cells, latitude) for latitude in range(-90, 91)) else plane


def _seen(transform: QgsCoordinateTransform, cells: QgsRectangle, latitude: float) -> bool:
    """Whether the place on the meridian of 180° lies in the box; one without a place in the plane is opposite of it."""
    try:
        place = transform.transform(QgsPointXY(180.0, latitude))
    except QgsCsException:
        return False
    return bool(cells.contains(place))
