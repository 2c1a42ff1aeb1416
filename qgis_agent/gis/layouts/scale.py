"""The scale bar's numbers, and how wide the map is on the ground."""

from __future__ import annotations

import math
from typing import NamedTuple

from qgis.core import Qgis, QgsDistanceArea, QgsLayoutItemMap, QgsPointXY, QgsProject

SEGMENTS = 2
PART_OF_BOX = 0.78
"""The bar takes at most this part of its box: the last number stands out over its end."""


class BarPlan(NamedTuple):
    """Ground length of a segment in ``unit`` and the unit's sign."""

    per_segment: float
    unit: Qgis.DistanceUnit
    sign: str


def ground_width_m(item: QgsLayoutItemMap, project: QgsProject) -> float:
    """Metres on the ellipsoid along the middle of the map, from its left to its right edge."""
    extent, crs = item.extent(), item.crs()
    area = QgsDistanceArea()
    area.setSourceCrs(crs, project.transformContext())
    area.setEllipsoid(crs.ellipsoidAcronym() or "EPSG:7030")
    middle = extent.center().y()
    steps = 16
    xs = [extent.xMinimum() + extent.width() * index / steps for index in range(steps + 1)]
    points = [QgsPointXY(x, middle) for x in xs]
    return float(sum(area.measureLine(first, second) for first, second in zip(points, points[1:])))


def nice(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not over ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(each * power for each in (1.0, 2.0, 5.0) if each * power <= value * (1 + 1e-9))


def plan_bar(ground_m: float, map_mm: float, box_mm: float) -> BarPlan:
    """Two segments that fit the box: in km from 1 km a segment on, else in m. ValueError for a map without width."""
    if not (ground_m > 0 and math.isfinite(ground_m) and map_mm > 0):
        raise ValueError("the map has no width on the ground")
    fits_m = ground_m / map_mm * box_mm * PART_OF_BOX
    segment = nice(fits_m / SEGMENTS)
    if segment >= 1000:
        return BarPlan(segment / 1000, Qgis.DistanceUnit.Kilometers, "km")
    return BarPlan(segment, Qgis.DistanceUnit.Meters, "m")
