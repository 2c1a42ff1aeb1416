"""Boxes in degrees, as tools take and return them, and boxes in other CRSs.

A box in degrees that crosses the 180th meridian is written with an east over 180: [177, -20, 182, -15].
"""

from __future__ import annotations

import math
from typing import List, Optional, Sequence, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsPointXY,
    QgsProject,
    QgsRectangle,
)

from .errors import INVALID_PARAM, ToolError
from .i18n import translate
from .longitudes import degrees_around, normal

WGS84 = "EPSG:4326"
Box = Tuple[float, float, float, float]
_GRID = 20
"""Pieces of a box's side between the points that are looked at, as QGIS itself has them."""
_OVER = 1.0
"""A raster of the whole earth may reach half a cell beyond the poles."""


def checked_box(bbox: Sequence[float]) -> Box:
    """[west, south, east, north]; east over 180 crosses the meridian. INVALID_PARAM when it is no box.

    A west that is greater than the east crosses the meridian too (as in GeoJSON), where the box is narrower than 180 degrees
    then: wider, the two are more likely to be mixed up.
    """
    west, south, east, north = (float(each) for each in bbox)
    if -180 <= east < west <= 180 and east + 360 - west < 180:
        east += 360
    if -180 <= west <= 180 and west < east <= west + 360 and -90 <= south < north <= 90:
        return west, south, east, north
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "bbox is not a box in degrees."),
        hint=translate(
            "QgisAgent",
            "[west, south, east, north]: longitudes from -180 to 180 (east up to 360 across the 180th meridian), latitudes "
            "from -90 to 90.",
        ),
        reason="bbox",
    )


def transformed(
    rectangle: QgsRectangle,
    source: QgsCoordinateReferenceSystem,
    target: QgsCoordinateReferenceSystem,
    project: QgsProject,
) -> QgsRectangle:
    """The box around ``rectangle`` in another CRS. QgsCsException when it has no place there."""
    if source == target or not source.isValid() or not target.isValid():
        return QgsRectangle(rectangle)
    transform = QgsCoordinateTransform(source, target, project.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    return box_around(rectangle, transform)


def box_around(rectangle: QgsRectangle, transform: QgsCoordinateTransform) -> QgsRectangle:
    """The box around a transformed box. QgsCsException when it has no place there.

    In degrees its east is over 180 where it crosses the 180th meridian (see ``longitudes.py``).
    """
    if transform.destinationCrs().isGeographic() and not transform.isShortCircuited():
        return degrees_around(rectangle, transform)
    if rectangle.isEmpty() and max(rectangle.width(), rectangle.height()) > 0:
        box = QgsRectangle()
        for x, y in _transformed_grid(rectangle, transform):
            box.combineExtentWith(x, y)
        return box
    return transform.transformBoundingBox(rectangle)


def _transformed_grid(rectangle: QgsRectangle, transform: QgsCoordinateTransform) -> List[Tuple[float, float]]:
    """Places all over a box without height or width, transformed: QGIS takes it (of a straight line) for a point."""
    steps = [number / _GRID for number in range(_GRID + 1)]
    xs = [rectangle.xMinimum() + rectangle.width() * step for step in (steps if rectangle.width() > 0 else [0])]
    ys = [rectangle.yMinimum() + rectangle.height() * step for step in (steps if rectangle.height() > 0 else [0])]
    points = (transform.transform(QgsPointXY(x, y)) for x in xs for y in ys)
    return [(point.x(), point.y()) for point in points]


def ends_at_180(crs: QgsCoordinateReferenceSystem, latitude: float, project: QgsProject) -> bool:
    """Whether a map in this CRS is torn at the 180th meridian. A geographic CRS is not: it goes on after 180 degrees."""
    if crs.isGeographic():
        return False
    transform = QgsCoordinateTransform(QgsCoordinateReferenceSystem(WGS84), crs, project.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        before, here, after = (transform.transform(QgsPointXY(each, latitude)) for each in (179.8, 179.9, -179.9))
    except QgsCsException:
        return True
    return not here.distance(after) < 10 * before.distance(here)


def bbox_degrees(box: QgsRectangle, crs: QgsCoordinateReferenceSystem, project: QgsProject) -> Optional[List[float]]:
    """[west, south, east, north] in degrees (EPSG:4326) around ``box`` in ``crs``; None when it has no place on earth.

    As ``checked_box`` takes it: west from -180 to 180, east over 180 across the meridian.
    """
    if box.isNull() or not box.isFinite() or not crs.isValid():
        return None
    try:
        degrees = transformed(box, crs, QgsCoordinateReferenceSystem(WGS84), project)
    except QgsCsException:
        return None
    return written(degrees.xMinimum(), degrees.yMinimum(), degrees.xMaximum(), degrees.yMaximum())


def written(west: float, south: float, east: float, north: float) -> Optional[List[float]]:
    """A box in degrees as tools answer it, rounded outward; None for latitudes and longitudes that do not exist."""
    if not all(map(math.isfinite, (west, south, east, north))):
        return None
    if max(north, -south) > 90.0 + _OVER or max(east, -west) > 720.0:
        return None
    west, east = normal(west, east)
    low = [math.floor(round(each * 1e6, 3)) / 1e6 for each in (west, max(south, -90.0))]
    high = [math.ceil(round(each * 1e6, 3)) / 1e6 for each in (east, min(north, 90.0))]
    return low + high
