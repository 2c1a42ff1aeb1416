"""Nearest features in metres on the ground, anywhere on earth. Runs on a worker thread.

Points against points are found through the earth (``near_points.py``) and measured along the geodesic: exact. Other shapes
are looked for in a local plane where one holds both layers (0.1 % at 490 km, and the nearest places that are found there are
measured along the geodesic), else vertex by vertex and in a plane around each pair (``near_shapes.py``).
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsFeature,
    QgsFeedback,
    QgsGeometry,
    QgsPointXY,
    QgsSpatialIndex,
)

from ...features import (
    read_features,
)
from ...longitudes import narrowest
from ...work import cancelled
from ..ground.units import (
    EARTH_RADIUS_M,
    MAX_PLANE_LATITUDE,
    PLANE_RADIUS_M,
    degrees_crs,
    local_crs,
    metres_in_units,
)
from ..inputs.preflight import ground_measure
from .near_points import (
    candidates,
    through_earth,
)
from .near_shapes import far_pairs
from .relate import (
    MOST_PAIRS,
    Side,
    too_many,
)

POINTS = "geodesic, WGS 84, between points"
PLANE = "geodesic, WGS 84, between nearest places found in azimuthal equidistant, centre {:.4f} {:.4f} (lon lat)"
PAIRWISE = "geodesic, WGS 84, between nearest places found in a plane around each pair"
TIE_M = 0.001
"""Distances that differ by less are a tie."""
_STEP_M = 5_000.0
"""Edges are divided to about this length before they change their projection: a chord lies about 0.5 m off."""
_NOTHING_M = 1e-6
"""The way into the plane and back moves a place by some nanometres."""
_EXTRA = 2
"""More neighbours are asked for than are wanted, because the plane may put two in the wrong order."""


class Near(NamedTuple):
    """One neighbour: its feature's id, metres, and the two nearest places in degrees."""

    ident: int
    metres: float
    start: Tuple[float, float]
    end: Tuple[float, float]


class Neighbours(NamedTuple):
    """For each feature of the first layer that has any, its neighbours, nearest first."""

    found: Dict[int, List[Near]]
    how: str
    tied: int
    """Features whose last place is shared: another one is as far and was left out."""


class Shapes(NamedTuple):
    """Features in degrees: ids, geometries, and whether each is one point. ``lost``: those that have no place on earth."""

    ids: List[int]
    geometries: List[QgsGeometry]
    all_points: bool
    lost: int


def read_shapes(side: Side, feedback: QgsFeedback) -> Shapes:
    """The features of a side that have a geometry, in degrees."""
    to_degrees = QgsCoordinateTransform(side.crs, degrees_crs(), side.transforms)
    to_degrees.setBallparkTransformsAreAppropriate(True)
    step = metres_in_units(side.crs, _STEP_M)
    ids: List[int] = []
    geometries: List[QgsGeometry] = []
    only_points, lost = True, 0
    for feature in read_features(side.source, side.request(side.crs), feedback):
        geometry = QgsGeometry(feature.geometry())
        if geometry.isEmpty():
            continue
        if geometry.type() != Qgis.GeometryType.Point:
            only_points = False
            geometry = geometry.densifyByDistance(step)
        elif geometry.isMultipart():
            geometry = _single(geometry)
            only_points = only_points and not geometry.isMultipart()
        try:
            geometry.transform(to_degrees)
        except QgsCsException:
            lost += 1
            continue
        box = geometry.boundingBox()
        if not box.isFinite() or max(abs(box.yMinimum()), abs(box.yMaximum())) > 90.0:
            lost += 1
            continue
        ids.append(feature.id())
        geometries.append(geometry)
    return Shapes(ids, geometries, only_points, lost)


def _single(geometry: QgsGeometry) -> QgsGeometry:
    """A multipoint of one point as this point."""
    if geometry.constGet().partCount() == 1:
        geometry.convertToSingleType()
    return geometry


def neighbours(
    first: Shapes, second: Shapes, count: int, limit_m: Optional[float], same: bool, feedback: QgsFeedback
) -> Neighbours:
    """The ``count`` nearest of ``second`` to each of ``first`` within ``limit_m``; count 0 (with a limit) means all of them.

    Ties are put in order of feature ids. ``same``: both are one layer, and no feature is its own neighbour. UNSUPPORTED
    where there are too many shapes to compare.
    """
    if not first.ids or not second.ids:
        return Neighbours({}, POINTS, 0)
    if first.all_points and second.all_points:
        raw, how = _points(first, second, count, limit_m, same, feedback), POINTS
    else:
        centre = _plane_centre([*first.geometries, *second.geometries])
        if centre is not None:
            raw, how = _in_plane(first, second, centre, count, limit_m, same, feedback), PLANE.format(*centre)
        else:
            raw, how = _pairwise(first, second, count, limit_m, same, feedback), PAIRWISE
    return _cut(raw, how, count, limit_m)


def _cut(raw: Dict[int, List[Near]], how: str, count: int, limit_m: Optional[float]) -> Neighbours:
    found: Dict[int, List[Near]] = {}
    tied = 0
    for ident, each in raw.items():
        near = [one for one in each if limit_m is None or one.metres <= limit_m]
        near.sort(key=lambda one: (round(one.metres / TIE_M), one.ident))
        if 0 < count < len(near):
            tied += abs(near[count].metres - near[count - 1].metres) < TIE_M
            near = near[:count]
        if near:
            found[ident] = near
    return Neighbours(found, how, tied)


# points


def _coordinates(shapes: Shapes) -> Any:
    return np.array([(point.x(), point.y()) for point in (each.asPoint() for each in shapes.geometries)], np.float64)


def _points(
    first: Shapes, second: Shapes, count: int, limit_m: Optional[float], same: bool, feedback: QgsFeedback
) -> Dict[int, List[Near]]:
    one = _coordinates(first)
    two = one if same and first.ids == second.ids else _coordinates(second)
    other = same and two is one

    def check() -> None:
        if feedback.isCanceled():
            raise cancelled()

    left, right = candidates(through_earth(*one.T), through_earth(*two.T), count, limit_m, other, check)
    if len(left) > MOST_PAIRS:
        raise too_many()
    measure = ground_measure(degrees_crs()).measureLine
    starts, ends = [QgsPointXY(*each) for each in one.tolist()], [QgsPointXY(*each) for each in two.tolist()]
    found: Dict[int, List[Near]] = {}
    for number, (i, j) in enumerate(zip(left.tolist(), right.tolist())):
        if number % 1000 == 0:
            check()
        if same and first.ids[i] == second.ids[j]:
            continue
        start, end = starts[i], ends[j]
        metres = float(measure(start, end)) if start != end else 0.0
        near = Near(second.ids[j], metres, (start.x(), start.y()), (end.x(), end.y()))
        found.setdefault(first.ids[i], []).append(near)
    return found


# lines and polygons


def _plane_centre(geometries: Sequence[QgsGeometry]) -> Optional[Tuple[float, float]]:
    """The middle of all shapes in degrees where a plane around it is good for all of them."""
    boxes = [each.boundingBox() for each in geometries]
    south, north = min(each.yMinimum() for each in boxes), max(each.yMaximum() for each in boxes)
    if max(abs(south), abs(north)) > MAX_PLANE_LATITUDE:
        return None
    west, east = narrowest([(each.xMinimum(), each.xMaximum()) for each in boxes])
    widest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    half_width = math.radians(east - west) / 2 * math.cos(math.radians(widest))
    if math.hypot(math.radians(north - south) / 2, half_width) * EARTH_RADIUS_M > PLANE_RADIUS_M:
        return None
    longitude = (west + east) / 2
    return longitude - 360.0 * round(longitude / 360.0), (south + north) / 2


def _flat(geometry: QgsGeometry, plane: QgsCoordinateTransform) -> QgsGeometry:
    flat = QgsGeometry(geometry)
    flat.transform(plane)
    return flat


def _in_plane(
    first: Shapes,
    second: Shapes,
    centre: Tuple[float, float],
    count: int,
    limit_m: Optional[float],
    same: bool,
    feedback: QgsFeedback,
) -> Dict[int, List[Near]]:
    plane = QgsCoordinateTransform(degrees_crs(), local_crs(*centre), QgsCoordinateTransformContext())
    index = QgsSpatialIndex(QgsSpatialIndex.Flag.FlagStoreFeatureGeometries)
    flats = []
    for row, geometry in enumerate(second.geometries):
        if row % 1000 == 0 and feedback.isCanceled():
            raise cancelled()
        feature = QgsFeature(row)
        flats.append(_flat(geometry, plane))
        feature.setGeometry(flats[-1])
        index.addFeature(feature)
    reach = None if limit_m is None else limit_m * 1.002 + 0.01
    pair = PlanePair(plane)
    found: Dict[int, List[Near]] = {}
    total = 0
    for row, (ident, geometry) in enumerate(zip(first.ids, first.geometries)):
        if row % 100 == 0 and feedback.isCanceled():
            raise cancelled()
        flat = _flat(geometry, plane)
        if count:
            rows = index.nearestNeighbor(flat, count + _EXTRA + same, reach or 0.0)
        else:
            rows = index.intersects(flat.boundingBox().buffered(reach or 0.0))
        rows = [other for other in rows if not (same and second.ids[other] == ident)]
        near = [
            Near(second.ids[other], *pair(flat, flats[other], metres))
            for other, metres in _closest(flat, flats, rows, count, reach)
        ]
        total += len(near)
        if total > MOST_PAIRS:
            raise too_many()
        if near:
            found[ident] = near
    return found


def _closest(
    flat: QgsGeometry, flats: Sequence[QgsGeometry], rows: Sequence[int], count: int, reach: Optional[float]
) -> List[Tuple[int, float]]:
    """Rows and plane distances of those that may be among the nearest on the ground: the plane is off by 0.1 % at most."""
    ranked = sorted((flat.distance(flats[row]), row) for row in rows)
    limit = math.inf if reach is None else reach
    if 0 < count < len(ranked):
        limit = min(limit, ranked[count - 1][0] * 1.003 + 0.01)
    return [(row, metres) for metres, row in ranked if metres <= limit]


class PlanePair:
    """Metres along the geodesic between the nearest places of two shapes in a plane, and the places in degrees."""

    def __init__(self, plane: QgsCoordinateTransform) -> None:
        self._plane = plane
        self._measure = ground_measure(degrees_crs())

    def __call__(
        self, one: QgsGeometry, two: QgsGeometry, flat_metres: Optional[float] = None
    ) -> Tuple[float, Tuple[float, float], Tuple[float, float]]:
        """``flat_metres``: their distance in the plane, where it is known."""
        back = QgsCoordinateTransform.TransformDirection.ReverseTransform
        touching = flat_metres == 0.0
        if touching and one.type() == Qgis.GeometryType.Point and not one.isMultipart():
            place = self._plane.transform(one.asPoint(), back)
            return 0.0, (place.x(), place.y()), (place.x(), place.y())
        line = one.shortestLine(two)  # held: its vertices are read from it
        ends = [QgsPointXY(each) for each in line.vertices()]
        start, end = (self._plane.transform(each, back) for each in (ends[0], ends[-1]))
        touching = touching or ends[0] == ends[-1]
        metres = 0.0 if touching else float(self._measure.measureLine(start, end))
        return (metres if metres >= _NOTHING_M else 0.0), (start.x(), start.y()), (end.x(), end.y())


def _pairwise(
    first: Shapes, second: Shapes, count: int, limit_m: Optional[float], same: bool, feedback: QgsFeedback
) -> Dict[int, List[Near]]:
    """Far apart, at a pole, or around the earth."""
    pairs: Dict[Tuple[float, float], PlanePair] = {}
    planes: Dict[Tuple[float, float], QgsCoordinateTransform] = {}
    found: Dict[int, List[Near]] = {}
    for left, right, centre in far_pairs(first.geometries, second.geometries, count, limit_m, same, feedback):
        if centre not in planes:
            planes[centre] = QgsCoordinateTransform(degrees_crs(), local_crs(*centre), QgsCoordinateTransformContext())
            pairs[centre] = PlanePair(planes[centre])
        one, two = (_flat(each, planes[centre]) for each in (first.geometries[left], second.geometries[right]))
        if same and first.ids[left] == second.ids[right]:
            continue
        found.setdefault(first.ids[left], []).append(Near(second.ids[right], *pairs[centre](one, two)))
    return found
