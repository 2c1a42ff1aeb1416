"""Metres on the ground: a local metric CRS where a plane is good enough.

In an azimuthal equidistant projection distances from the centre are right, and across the direction to the centre they
are too long by c / sin(c), where c is the distance from the centre over the radius of the earth: 0.1 % at 490 km.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsPointXY,
    QgsRectangle,
    QgsUnitTypes,
)

WGS84_ELLIPSOID = "EPSG:7030"
"""What areas and lengths are measured on where nobody chose another one."""
EARTH_RADIUS_M = 6_371_008.8
PLANE_RADIUS_M = 490_000.0
"""As far from the centre the error of a plane stays within 0.1 %."""
MAX_PLANE_LATITUDE = 85.0
SEGMENTS = 12
"""Per quarter circle. A chord lies 1 - cos(90° / 2 / 12) = 0.21 % inside of the circle."""


class Plane(NamedTuple):
    """A local metric CRS and the largest relative error of distances in it."""

    crs: QgsCoordinateReferenceSystem
    name: str
    error: float


def degrees_crs() -> QgsCoordinateReferenceSystem:
    """EPSG:4326."""
    return QgsCoordinateReferenceSystem("EPSG:4326")


def local_crs(longitude: float, latitude: float) -> QgsCoordinateReferenceSystem:
    """Azimuthal equidistant around a place in degrees, WGS 84, metres."""
    return QgsCoordinateReferenceSystem.fromProj(
        "+proj=aeqd +lat_0={:.10g} +lon_0={:.10g} +datum=WGS84 +units=m +type=crs".format(latitude, longitude)
    )


def local_name(longitude: float, latitude: float) -> str:
    """What ``local_crs`` is called in results."""
    return "azimuthal equidistant, WGS 84, centre {:.4f} {:.4f} (lon lat)".format(longitude, latitude)


def utm_zone(longitude: float, latitude: float) -> str:
    """The id of the UTM zone on WGS 84 of a place in degrees, -180 to 180; without the exceptions of Norway and Svalbard."""
    zone = min(60, math.floor((longitude + 180.0) / 6.0) + 1)
    return "EPSG:{}".format((32600 if latitude >= 0 else 32700) + zone)


def plane_for(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, distance_m: float, context: QgsCoordinateTransformContext
) -> Optional[Plane]:
    """The plane for work within ``distance_m`` around ``box`` (in ``crs``); None where a plane is not good enough.

    That is: too large, near a pole, or across a meridian where the layer's CRS ends, because the way back would tear
    geometries apart there.
    """
    degrees = in_degrees(box, crs, context)
    if degrees is None:
        return None
    west, south, east, north = degrees.xMinimum(), degrees.yMinimum(), degrees.xMaximum(), degrees.yMaximum()
    if east < west:
        east += 360.0
    reach = math.degrees(distance_m / EARTH_RADIUS_M) * 1.02
    if max(abs(south), abs(north)) + reach > MAX_PLANE_LATITUDE:
        return None
    longitude, latitude = round((west + east) / 2, 4), round((south + north) / 2, 4)
    longitude -= 360.0 * round(longitude / 360.0)
    half_height = math.radians(north - south) / 2
    widest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    half_width = math.radians(east - west) / 2 * math.cos(math.radians(widest))
    radius = math.hypot(half_height, half_width) * EARTH_RADIUS_M + distance_m
    if radius > PLANE_RADIUS_M:
        return None
    sideways = reach / math.cos(math.radians(max(abs(south), abs(north))))
    if (west - sideways < -180.0 or east + sideways > 180.0) and has_seam(crs, latitude, context):
        return None
    angle = radius / EARTH_RADIUS_M
    plane = local_crs(longitude, latitude)
    return Plane(plane, local_name(longitude, latitude), angle / math.sin(angle) - 1.0 if angle > 0 else 0.0)


def in_degrees(
    box: QgsRectangle, crs: QgsCoordinateReferenceSystem, context: QgsCoordinateTransformContext
) -> Optional[QgsRectangle]:
    """A box in EPSG:4326, with west > east where it crosses 180°; None when it has no place on earth."""
    transform = QgsCoordinateTransform(crs, degrees_crs(), context)
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        degrees = transform.transformBoundingBox(box, Qgis.TransformDirection.Forward, True)
    except QgsCsException:
        return None
    return degrees if degrees.isFinite() else None


def has_seam(crs: QgsCoordinateReferenceSystem, latitude: float, context: QgsCoordinateTransformContext) -> bool:
    """Whether two neighbours on both sides of 180° lie far apart in this CRS (more than ten times their distance)."""
    transform = QgsCoordinateTransform(degrees_crs(), crs, context)
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        left = transform.transform(QgsPointXY(179.999, latitude))
        right = transform.transform(QgsPointXY(-179.999, latitude))
    except QgsCsException:
        return True
    return left.distance(right) > 10 * metres_in_units(crs, 223.0)


def metres_in_units(crs: QgsCoordinateReferenceSystem, metres: float) -> float:
    """``metres`` in a CRS's unit (a degree is 111,320 m); exact at the equator of a geographic CRS."""
    return metres * QgsUnitTypes.fromUnitToUnitFactor(Qgis.DistanceUnit.Meters, crs.mapUnits())
