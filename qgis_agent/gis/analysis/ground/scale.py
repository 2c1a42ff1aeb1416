"""How long a unit of a CRS is on the ground, at a place: for distances that an algorithm takes in the layer's units."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsDistanceArea,
    QgsPointXY,
    QgsRectangle,
    QgsUnitTypes,
)

from .units import WGS84_ELLIPSOID

_STEP_M = 100.0
"""Length of the two lines that are measured: short enough for a place, long enough for the digits of a coordinate."""


class LocalScale(NamedTuple):
    """Metres on the WGS 84 ellipsoid of one unit along the x and along the y axis of a CRS."""

    x: float
    y: float

    @property
    def even(self) -> bool:
        """Whether both directions agree within 1 %, so that a distance can be given in the layer's unit at all."""
        return abs(self.x - self.y) <= 0.01 * max(self.x, self.y)

    def units(self, metres: float) -> float:
        """A distance in the CRS's units that is at least ``metres`` in every direction (a search radius)."""
        return metres / min(self.x, self.y)


def metres_of_unit(crs: QgsCoordinateReferenceSystem) -> float:
    """Metres of the CRS's unit by definition: 0.3048 for a foot; 111,319.49 for a degree, which holds on the equator."""
    return float(QgsUnitTypes.fromUnitToUnitFactor(crs.mapUnits(), Qgis.DistanceUnit.Meters))


def local_scale(
    crs: QgsCoordinateReferenceSystem, place: QgsPointXY, context: QgsCoordinateTransformContext
) -> Optional[LocalScale]:
    """The scale of a CRS around ``place`` (in its own coordinates); None where that has no place on earth, or at a pole of
    a geographic CRS, where a degree of longitude has no length."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs, context)
    measure.setEllipsoid(WGS84_ELLIPSOID)
    step = _STEP_M / metres_of_unit(crs)
    try:
        x = measure.measureLine(place, QgsPointXY(place.x() + step, place.y())) / step
        y = measure.measureLine(place, QgsPointXY(place.x(), place.y() + step)) / step
    except QgsCsException:
        return None
    good = math.isfinite(x) and math.isfinite(y) and min(x, y) > 1e-6 * max(x, y) > 0
    return LocalScale(x, y) if good else None


def unit_name(crs: QgsCoordinateReferenceSystem) -> str:
    """The CRS's unit in words: "degrees", "US survey feet", "metres"."""
    return str(QgsUnitTypes.toString(crs.mapUnits()))


def ground_scale(
    crs: QgsCoordinateReferenceSystem, box: QgsRectangle, context: QgsCoordinateTransformContext
) -> Optional[Tuple[float, float]]:
    """Least and greatest metres of one unit, looked at in nine places of a box and along both axes; None where one of them
    has no place on earth."""
    found: List[float] = []
    for x in (box.xMinimum(), box.center().x(), box.xMaximum()):
        for y in (box.yMinimum(), box.center().y(), box.yMaximum()):
            scale = local_scale(crs, QgsPointXY(x, y), context)
            if scale is None:
                return None
            found.extend(scale)
    return min(found), max(found)
