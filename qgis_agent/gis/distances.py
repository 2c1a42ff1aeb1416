"""Smallest distances between features, along the geodesic on WGS 84. All coordinates here are degrees (EPSG:4326).

Between points the nearest pair is found by the straight distance through the earth, and the best are compared along the
geodesic: exact. Between lines and polygons it is found in an azimuthal equidistant plane around the middle of all. Such a
plane never shortens a distance: what is found is too long by at most the factor c / sin(c) of the farthest shape. Where
that matters, the pairs whose vertices are nearest through the earth are compared in planes around their own middles, where
they are right; only where there are too many of them the factor is told.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsDistanceArea,
    QgsFeature,
    QgsFeedback,
    QgsGeometry,
    QgsPointXY,
    QgsSpatialIndex,
)

from .analysis.ground.units import (
    EARTH_RADIUS_M,
    degrees_crs,
    local_crs,
    metres_in_units,
)
from .errors import UNSUPPORTED, ToolError
from .i18n import translate
from .measuring import ELLIPSOID, Chosen
from .work import cancelled

MOST_PAIRS = 100_000_000
"""Pairs of points that are compared one by one, in about two seconds."""
_CHUNK = 1_000_000
_MOST_CANDIDATES = 2000
_MOST_PLANES = 40
_PLANE_IS_GOOD = 0.001
_STEP_M = 5_000.0
"""Edges are divided to about this length before they change their projection: a chord lies about 1 m off."""
_MEAN_FACTOR = 1.02
"""The straight distance gives the geodesic one within 1 %, by the earth's mean radius (6,335 to 6,400 km occur)."""


class Shape(NamedTuple):
    """A feature by the name that a person knows it by, and its geometry in degrees."""

    label: str
    geometry: QgsGeometry
    number: int = 0
    """The feature's id in its layer."""


class Nearest(NamedTuple):
    """Metres between the nearest places of two shapes. ``excess`` is how much too long at most, as a share; 0 is exact."""

    metres: float
    first: Shape
    second: Shape
    excess: float
    how: str


def read_shapes(
    chosen: Chosen, context: QgsCoordinateTransformContext, feedback: QgsFeedback, most: int
) -> List[Shape]:
    """Chosen features with a geometry, at most ``most`` + 1, in degrees, by feature id. On a worker thread."""
    transform = QgsCoordinateTransform(chosen.crs, degrees_crs(), context)
    transform.setBallparkTransformsAreAppropriate(True)
    step = metres_in_units(chosen.crs, _STEP_M)
    shapes: List[Shape] = []
    for feature in chosen.features(feedback):
        geometry = QgsGeometry(feature.geometry())
        if geometry.isEmpty():
            continue
        label = chosen.label(feature)
        if geometry.type() != Qgis.GeometryType.Point:
            geometry = geometry.densifyByDistance(step)
        try:
            geometry.transform(transform)
        except QgsCsException:
            raise _no_place(label) from None
        shapes.append(Shape(label, geometry, feature.id()))
        if len(shapes) > most:
            break
    return sorted(shapes, key=lambda each: each.number)


def nearest(first: Sequence[Shape], second: Sequence[Shape], feedback: QgsFeedback) -> Nearest:
    """The nearest pair of two lists of shapes, neither of them empty. On a worker thread."""
    if _all_points(first) and _all_points(second):
        one, two = _points(first), _points(second)
        if len(one[0]) * len(two[0]) <= MOST_PAIRS:
            return _nearest_points(first, second, one, two, feedback)
    return _nearest_shapes(first, second, feedback)


def pairs(shapes: Sequence[Shape], feedback: QgsFeedback) -> List[Nearest]:
    """Each pair of a few shapes: 1-2, 1-3, …, 2-3, …"""
    found: List[Nearest] = []
    for index, one in enumerate(shapes):
        for other in shapes[index + 1 :]:
            if feedback.isCanceled():
                raise cancelled()
            found.append(nearest([one], [other], feedback))
    return found


def all_points(shapes: Sequence[Shape]) -> bool:
    """Whether each shape is a single point, so that "one after the other" has a length."""
    return all(each.geometry.type() == Qgis.GeometryType.Point and len(_vertices(each)) == 1 for each in shapes)


def _ground() -> QgsDistanceArea:
    measure = QgsDistanceArea()
    measure.setSourceCrs(degrees_crs(), QgsCoordinateTransformContext())
    measure.setEllipsoid(ELLIPSOID)
    return measure


# points


def _all_points(shapes: Sequence[Shape]) -> bool:
    return all(each.geometry.type() == Qgis.GeometryType.Point for each in shapes)


def _vertices(shape: Shape) -> List[QgsPointXY]:
    return [QgsPointXY(each) for each in shape.geometry.vertices()]


def _points(shapes: Sequence[Shape]) -> Tuple[Any, Any]:
    """Longitude and latitude of every point, and the number of its shape."""
    places, owners = [], []
    for number, shape in enumerate(shapes):
        for each in _vertices(shape):
            places.append((each.x(), each.y()))
            owners.append(number)
    return np.array(places, dtype=np.float64), np.array(owners)


def _nearest_points(
    first: Sequence[Shape], second: Sequence[Shape], one: Tuple[Any, Any], two: Tuple[Any, Any], feedback: QgsFeedback
) -> Nearest:
    candidates = _candidates(_through_earth(one[0]), _through_earth(two[0]), 1.0, feedback)
    measure, best = _ground(), (math.inf, 0, 0)
    for left, right in candidates:
        metres = measure.measureLine(QgsPointXY(*one[0][left]), QgsPointXY(*two[0][right]))
        best = min(best, (float(metres), int(left), int(right)))
    how = "geodesic, WGS 84 (EPSG:7030), between points"
    return Nearest(best[0], first[int(one[1][best[1]])], second[int(two[1][best[2]])], 0.0, how)


def _through_earth(places: Any) -> Any:
    """Places in metres from the middle of the earth (WGS 84, height 0)."""
    longitude, latitude = np.radians(places[:, 0]), np.radians(places[:, 1])
    squared = 0.0066943799901413165  # first eccentricity of WGS 84, squared
    normal = 6378137.0 / np.sqrt(1 - squared * np.sin(latitude) ** 2)
    flat = normal * np.cos(latitude)
    return np.stack([flat * np.cos(longitude), flat * np.sin(longitude), normal * (1 - squared) * np.sin(latitude)], 1)


def _candidates(one: Any, two: Any, slack_m: float, feedback: QgsFeedback) -> List[Tuple[int, int]]:
    """Pairs whose straight distance is within 2 % and ``slack_m`` of the smallest; the nearest 2,000, nearest first."""
    rows = max(1, _CHUNK // len(two))
    kept: List[Tuple[float, int, int]] = []
    smallest = math.inf
    for start in range(0, len(one), rows):
        if feedback.isCanceled():
            raise cancelled()
        part = one[start : start + rows]
        straight = np.sqrt(sum((part[:, [axis]] - two[:, axis][None, :]) ** 2 for axis in range(3)))
        smallest = min(smallest, float(straight.min()))
        limit = smallest * _MEAN_FACTOR + slack_m
        places = np.argwhere(straight <= limit)
        found = ((float(straight[row, column]), start + int(row), int(column)) for row, column in places)
        kept = sorted(each for each in (*kept, *found) if each[0] <= limit)[:_MOST_CANDIDATES]
    return [(left, right) for _, left, right in kept]


# lines and polygons


def _nearest_shapes(first: Sequence[Shape], second: Sequence[Shape], feedback: QgsFeedback) -> Nearest:
    measure = _ground()
    best = _in_plane(first, second, _middle([_centre(first), _centre(second)]), measure, feedback)
    if best.excess < _PLANE_IS_GOOD:
        return best
    one, two = _points(first), _points(second)
    if len(one[0]) * len(two[0]) > MOST_PAIRS:
        return best
    # Between two places on edges lies at most half an edge more on each side than between their vertices.
    candidates = _candidates(_through_earth(one[0]), _through_earth(two[0]), 1.1 * _STEP_M, feedback)
    centres: Dict[Tuple[int, int], QgsPointXY] = {}
    for left, right in candidates:
        middle = _middle([QgsPointXY(*one[0][left]), QgsPointXY(*two[0][right])])
        centres.setdefault((int(one[1][left]), int(two[1][right])), middle)
    for left, right in list(centres)[:_MOST_PLANES]:
        found = _in_plane([first[left]], [second[right]], centres[left, right], measure, feedback)
        best = min(best, found, key=lambda each: each.metres)
    every = len(candidates) < _MOST_CANDIDATES and len(centres) <= _MOST_PLANES
    return best._replace(excess=0.0) if every else best


def _in_plane(
    first: Sequence[Shape],
    second: Sequence[Shape],
    centre: QgsPointXY,
    measure: QgsDistanceArea,
    feedback: QgsFeedback,
) -> Nearest:
    """The pair whose nearest places are nearest in the plane around ``centre``, and the geodesic between these."""
    plane = QgsCoordinateTransform(degrees_crs(), local_crs(centre.x(), centre.y()), QgsCoordinateTransformContext())
    one, two = _flat(first, plane), _flat(second, plane)
    if len(two) < len(one):
        right, left = _closest(two, one, feedback)
    else:
        left, right = _closest(one, two, feedback)
    line = one[left].shortestLine(two[right])
    line.transform(plane, QgsCoordinateTransform.TransformDirection.ReverseTransform)
    ends = [QgsPointXY(each) for each in line.vertices()]
    metres = float(measure.measureLine(ends[0], ends[-1])) if not one[left].intersects(two[right]) else 0.0
    how = "geodesic, WGS 84 (EPSG:7030), between nearest places found in azimuthal equidistant, centre {:.4f} {:.4f}"
    excess = 0.0 if metres == 0.0 else _excess([*one, *two])
    return Nearest(metres, first[left], second[right], excess, how.format(centre.x(), centre.y()))


def _flat(shapes: Sequence[Shape], plane: QgsCoordinateTransform) -> List[QgsGeometry]:
    flat = []
    for shape in shapes:
        geometry = QgsGeometry(shape.geometry)
        try:
            geometry.transform(plane)
        except QgsCsException:
            raise _no_place(shape.label) from None
        flat.append(geometry)
    return flat


def _closest(few: Sequence[QgsGeometry], many: Sequence[QgsGeometry], feedback: QgsFeedback) -> Tuple[int, int]:
    """Numbers of the nearest two."""
    index = QgsSpatialIndex(QgsSpatialIndex.Flag.FlagStoreFeatureGeometries)
    for number, geometry in enumerate(many):
        feature = QgsFeature(number)
        feature.setGeometry(geometry)
        index.addFeature(feature)
    best, metres = (0, 0), math.inf
    for number, geometry in enumerate(few):
        if feedback.isCanceled():
            raise cancelled()
        for other in index.nearestNeighbor(geometry, 1, metres if math.isfinite(metres) else 0.0)[:1]:
            distance = geometry.distance(many[other])
            if distance < metres:
                best, metres = (number, int(other)), distance
        if metres == 0.0:
            break
    return best


def _excess(flat: Sequence[QgsGeometry]) -> float:
    """c / sin(c) - 1 for the shape that lies farthest from the centre, at most 1."""
    farthest = 0.0
    for each in flat:
        box = each.boundingBox()
        x, y = (
            max(abs(low), abs(high))
            for low, high in ((box.xMinimum(), box.xMaximum()), (box.yMinimum(), box.yMaximum()))
        )
        farthest = max(farthest, math.hypot(x, y))
    angle = min(farthest / EARTH_RADIUS_M, 1.89)
    return angle / math.sin(angle) - 1.0 if angle > 0 else 0.0


def _centre(shapes: Sequence[Shape]) -> QgsPointXY:
    return _middle([each.geometry.boundingBox().center() for each in shapes])


def _middle(places: Sequence[QgsPointXY]) -> QgsPointXY:
    """The mean place on the sphere, so that 179° and -179° meet at 180°."""
    x = y = z = 0.0
    for each in places:
        longitude, latitude = math.radians(each.x()), math.radians(each.y())
        x += math.cos(latitude) * math.cos(longitude)
        y += math.cos(latitude) * math.sin(longitude)
        z += math.sin(latitude)
    if math.sqrt(x * x + y * y + z * z) < 1e-9:
        return places[0]
    return QgsPointXY(math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y))))


def pair_row(pair: Nearest) -> Dict[str, Any]:
    """A pair as a row of a result."""
    return {"from": pair.first.label, "to": pair.second.label, "value": round(pair.metres, 3)}


def _no_place(label: str) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "'{}' has coordinates that lie nowhere on earth in its layer's CRS.").format(label),
        hint=translate("QgisAgent", "Check the CRS of the layer (describe_layer); leave the feature out with where."),
        reason="no_place",
    )
