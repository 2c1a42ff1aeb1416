"""Which lines and polygons all over the earth may be nearest to each other, by their vertices.

A shape lies nowhere farther than half an edge (2.5 km, they are divided before) from one of its vertices. So the distance of
two shapes is at most that of their nearest vertices, and at least that less 5 km: who lies within these bounds is compared.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np
from qgis.core import QgsFeature, QgsFeedback, QgsGeometry, QgsSpatialIndex

from ...errors import (
    UNSUPPORTED,
    ToolError,
)
from ...i18n import translate
from ...work import cancelled
from .near_points import (
    chord_of,
    slack,
    through_earth,
)

MOST_VERTEX_PAIRS = 2_000_000_000
"""Compared in about a minute."""
_EDGE_M = 5_500.0
_CHUNK = 2_000_000
Pair = Tuple[int, int, Tuple[float, float]]


def far_pairs(
    first: Sequence[QgsGeometry],
    second: Sequence[QgsGeometry],
    count: int,
    limit_m: Optional[float],
    same: bool,
    feedback: QgsFeedback,
) -> Iterator[Pair]:
    """(i, j, centre) of pairs in degrees that may be among the ``count`` nearest of i (0: all) within the limit.

    The centre (whole degrees) is near the middle of the two nearest vertices. UNSUPPORTED for too many vertices.
    """
    one, two = [_vertices(each) for each in first], [_vertices(each) for each in second]
    if sum(map(len, one)) * sum(map(len, two)) > MOST_VERTEX_PAIRS:
        raise _too_many_shapes()
    places = np.concatenate(two)
    solid = through_earth(*places.T)
    begins = np.cumsum([0] + [len(each) for each in two[:-1]])
    touching = _Touching(second)
    wanted = count + same if count else 0
    for number, vertices in enumerate(one):
        if feedback.isCanceled():
            raise cancelled()
        chords, mine, theirs = _nearest_vertices(through_earth(*vertices.T), solid, begins)
        limit = math.inf if limit_m is None else chord_of(limit_m + _EDGE_M)
        if 0 < wanted <= len(chords):
            kth = float(np.partition(chords, wanted - 1)[wanted - 1])
            limit = min(limit, kth + slack(kth) + _EDGE_M)
        inside = touching(first[number])
        for other in np.flatnonzero(chords <= limit).tolist():
            inside.discard(other)
            yield number, other, _middle(vertices[mine[other]], places[theirs[other]])
        for other in inside:
            place = vertices[0]
            yield number, other, _whole(float(place[0]), float(place[1]))


def _vertices(geometry: QgsGeometry) -> Any:
    return np.array([(each.x(), each.y()) for each in geometry.vertices()], np.float64)


def _nearest_vertices(one: Any, two: Any, begins: Any) -> Tuple[Any, Any, Any]:
    """For each shape of the second layer: the chord to its nearest vertex, and the rows of both vertices."""
    best = np.full(len(two), np.inf)
    mine = np.zeros(len(two), np.int64)
    rows = max(1, _CHUNK // len(two))
    for start in range(0, len(one), rows):
        part = one[start : start + rows]
        chords = np.sqrt(((part[:, None, :] - two[None, :, :]) ** 2).sum(2))
        nearest = chords.argmin(0)
        values = chords[nearest, np.arange(len(two))]
        closer = values < best
        best[closer], mine[closer] = values[closer], nearest[closer] + start
    smallest = np.minimum.reduceat(best, begins)
    owners = np.searchsorted(begins, np.arange(len(two)), side="right") - 1
    at = np.flatnonzero(best == smallest[owners])
    theirs = np.zeros(len(begins), np.int64)
    theirs[owners[at][::-1]] = at[::-1]
    return smallest, mine[theirs], theirs


class _Touching:
    """Shapes that share a place with another one although their vertices are far apart."""

    def __init__(self, shapes: Sequence[QgsGeometry]) -> None:
        self._shapes = shapes
        self._index = QgsSpatialIndex()
        for number, geometry in enumerate(shapes):
            feature = QgsFeature(number)
            feature.setGeometry(geometry)
            self._index.addFeature(feature)

    def __call__(self, geometry: QgsGeometry) -> Set[int]:
        near: List[int] = self._index.intersects(geometry.boundingBox())
        return {each for each in near if self._shapes[each].intersects(geometry)}


def _middle(one: Any, two: Any) -> Tuple[float, float]:
    """The middle of two places in degrees on the sphere, rounded to whole degrees."""
    x, y, z = (through_earth(one[:1], one[1:]) + through_earth(two[:1], two[1:]))[0].tolist()
    if math.sqrt(x * x + y * y + z * z) < 1000.0:
        return _whole(float(one[0]), float(one[1]))
    return _whole(math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y))))


def _whole(longitude: float, latitude: float) -> Tuple[float, float]:
    return float(round(longitude)), float(round(latitude))


def _too_many_shapes() -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "These are too many lines or polygons over too large an area to compare."),
        hint=translate("QgisAgent", "Use a condition (where) for a smaller region, or points instead of areas."),
        reason="too_many_pairs",
    )
