"""Invariants of overlays: what a union, an intersection or a difference must add up to.

Overlays are planar in the layer's CRS, so their sums hold exactly in planar areas, in squares of the CRS's unit. (Ellipsoidal
areas differ a little as soon as an edge is divided, because both halves run along their own geodesic.) Areas told to a
person are others: ellipsoidal, in m² (``Size.area_m2``).
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Sequence

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsRectangle,
    QgsVectorLayerFeatureSource,
)

from ..features import read_features
from ..i18n import translate
from .preflight import ground_measure
from .verify import broken

AREA_TOLERANCE = 1e-6
"""Relative. GEOS computes crossings in double precision; what an overlay loses to that is below 1e-9 of the areas."""


class Size(NamedTuple):
    """What a source adds up to. ``area`` and ``length`` are planar in the CRS's units, ``area_m2`` and ``length_m`` on the
    WGS 84 ellipsoid; ``box`` is null for no geometry; ``empty`` counts features without one, ``slivers`` polygons that are
    thinner than ``SLIVER`` of their own length."""

    count: int
    empty: int
    area: float
    length: float
    area_m2: float
    length_m: float
    box: QgsRectangle
    slivers: int


SLIVER = 1e-4
"""Mean width over half of the perimeter, 2 A / (P / 2)²: a square has 0.5, a strip of 1 m by 10 km 2e-4."""


def size_of(
    source: QgsVectorLayerFeatureSource, crs: QgsCoordinateReferenceSystem, feedback: QgsFeedback, expression: str = ""
) -> Size:
    """Read a source once and add up, on a worker thread. Lines have a length, polygons an area and a length of 0.

    A shape that has no place on earth counts with its planar size only. ``expression`` needs no project (none of an
    expression context's scopes are there).
    """
    measure = ground_measure(crs)
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    if expression:
        request = QgsFeatureRequest().setFilterExpression(expression)
    count = empty = slivers = 0
    areas, lengths, areas_m2, lengths_m = [], [], [], []
    box = QgsRectangle()
    box.setNull()
    for feature in read_features(source, request, feedback):
        count += 1
        geometry = feature.geometry()
        if geometry.isEmpty():
            empty += 1
            continue
        box.combineExtentWith(geometry.boundingBox())
        shape = geometry.constGet()
        if geometry.type().value == 2:
            areas.append(shape.area())
            areas_m2.append(_measured(measure.measureArea, geometry))
            slivers += _is_sliver(areas[-1], shape.perimeter())
        elif geometry.type().value == 1:
            lengths.append(shape.length())
            lengths_m.append(_measured(measure.measureLength, geometry))
    sums = [math.fsum(each) for each in (areas, lengths, areas_m2, lengths_m)]
    return Size(count, empty, sums[0], sums[1], sums[2], sums[3], box, slivers)


def _measured(measure: object, geometry: QgsGeometry) -> float:
    try:
        return float(measure(geometry))  # type: ignore[operator]
    except QgsCsException:
        return 0.0


def _is_sliver(area: float, perimeter: float) -> bool:
    return perimeter > 0 and 8 * area / perimeter**2 < SLIVER


def check_parts(whole: str, whole_area: float, parts: Sequence[float], *, tolerance: float = AREA_TOLERANCE) -> None:
    """The parts of a whole add up to it: difference + intersection = the input; the pieces of a split = what was split.

    ``whole`` names it in words. Not for inputs that overlap themselves, where areas are counted twice.
    """
    found = math.fsum(parts)
    scale = max([abs(whole_area), *map(abs, parts)])
    if abs(found - whole_area) > tolerance * max(scale, 1e-300):
        raise broken(
            translate("QgisAgent", "the parts of {} add up to {:.9g}, but it has {:.9g}.").format(
                whole, found, whole_area
            )
        )


def check_not_more(what: str, part: float, whole: float, *, tolerance: float = AREA_TOLERANCE) -> None:
    """A part is not more than the whole: a clip than its input, an intersection than either input."""
    if part > whole + tolerance * max(abs(whole), 1e-300):
        raise broken(
            translate("QgisAgent", "{} has {:.9g}, more than the {:.9g} it is taken from.").format(what, part, whole)
        )


def check_overlay(
    operation: str,
    result: float,
    first: float,
    second: float,
    common: Optional[float] = None,
    *,
    tolerance: float = AREA_TOLERANCE,
) -> None:
    """The planar area of an overlay against those of its two inputs, neither of which overlaps itself.

    ``operation``: clip, intersection, difference, union, symmetrical_difference. ``common`` is the area of the
    intersection (read from an intersection that was run beside it); without it only the bounds are checked.
    """
    scale = tolerance * max(abs(first), abs(second), 1e-300)
    if common is not None:
        exact = {
            "clip": common,
            "intersection": common,
            "difference": first - common,
            "union": first + second - common,
            "symmetrical_difference": first + second - 2 * common,
        }[operation]
        low = high = exact
    else:
        low, high = {
            "clip": (0.0, min(first, second)),
            "intersection": (0.0, min(first, second)),
            "difference": (max(0.0, first - second), first),
            "union": (max(first, second), first + second),
            "symmetrical_difference": (abs(first - second), first + second),
        }[operation]
    if not low - scale <= result <= high + scale:
        raise broken(
            translate("QgisAgent", "the {} has {:.9g}, which must be from {:.9g} to {:.9g}.").format(
                operation, result, low, high
            )
        )


def check_box_inside(what: str, box: QgsRectangle, mask: QgsRectangle, *, tolerance: float = 1e-9) -> None:
    """The box of a result lies in the box of the mask (same CRS): a clip, an intersection. Nothing is inside of anything."""
    if box.isNull():
        return
    room = tolerance * max(
        abs(each) for each in (mask.xMinimum(), mask.xMaximum(), mask.yMinimum(), mask.yMaximum(), 1e-9)
    )
    if mask.isNull() or not mask.buffered(room).contains(box):
        raise broken(translate("QgisAgent", "{} reaches out of the mask.").format(what))
