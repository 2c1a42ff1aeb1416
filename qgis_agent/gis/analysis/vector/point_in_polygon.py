"""Which of many points lie in a polygon, on numpy: exact, also for a point on a border.

Points are kept in rows of equal height, sorted by x in each, so that those in a polygon's box are few slices. Each is then
tested against the edges that pass its height only: an even number of them to its right is outside.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any, List, NamedTuple, Tuple

import numpy as np
from qgis.core import QgsGeometry

_ROUNDING = 3.3306690738754716e-16
"""Of the sign of a cross product in double precision: J. R. Shewchuk, Adaptive precision floating-point arithmetic (1997)."""
_MAX_ROWS = 1024
_MAX_PAIRS = 2_000_000


class Edges(NamedTuple):
    """The edges of all rings of a polygon: (n, 4) as x1, y1, x2, y2; and its box west, south, east, north."""

    ends: Any
    box: Tuple[float, float, float, float]


class Rows:
    """Points (n, 2), sorted for questions by box."""

    def __init__(self, places: Any) -> None:
        self.count = len(places)
        rows = max(1, min(_MAX_ROWS, int(math.sqrt(self.count) / 8)))
        y = places[:, 1]
        self._south = float(y.min()) if self.count else 0.0
        north = float(y.max()) if self.count else 0.0
        self._height = (north - self._south) / rows or 1.0
        self._last = rows - 1
        number = np.minimum(((y - self._south) / self._height).astype(np.int64), self._last)
        self.order = np.lexsort((places[:, 0], number))
        self._x = places[self.order, 0]
        self._y = places[self.order, 1]
        self._starts = np.searchsorted(number[self.order], np.arange(rows + 1))

    def in_box(self, box: Tuple[float, float, float, float]) -> Any:
        """Positions in ``order`` of the points in a box, its edges included."""
        west, south, east, north = box
        first = self._row(south)
        last = self._row(north)
        if not self.count or first > self._last or last < 0:
            return np.empty(0, dtype=np.int64)
        slices: List[Any] = []
        for row in range(max(0, first - 1), min(self._last, last + 1) + 1):
            start, end = int(self._starts[row]), int(self._starts[row + 1])
            x = self._x[start:end]
            low, high = int(np.searchsorted(x, west, "left")), int(np.searchsorted(x, east, "right"))
            if high > low:
                slices.append(np.arange(start + low, start + high))
        if not slices:
            return np.empty(0, dtype=np.int64)
        found = slices[0] if len(slices) == 1 else np.concatenate(slices)
        y = self._y[found]
        return found[(y >= south) & (y <= north)]

    def _row(self, y: float) -> int:
        place = (y - self._south) / self._height
        return int(max(-2.0, min(place, self._last + 2.0)) // 1)

    def inside(self, edges: Edges) -> Tuple[Any, Any]:
        """Numbers of the points inside a polygon, and of those exactly on its border."""
        found = self.in_box(edges.box)
        if not len(found):
            return found, found
        by_height = np.argsort(self._y[found], kind="stable")
        found = found[by_height]
        odd, border = _crossings(self._x[found], self._y[found], edges.ends)
        return self.order[found[odd & ~border]], self.order[found[border]]


def edges_of(geometry: QgsGeometry) -> Edges:
    """The edges of a polygon or multipolygon; curves become straight segments."""
    straight = geometry
    if geometry.constGet().hasCurvedSegments():
        straight = QgsGeometry(geometry)
        straight.convertToStraightSegment()
    rings = _rings(straight.asWkb().data())
    parts = [np.concatenate((ring[:-1], ring[1:]), axis=1) for ring in rings if len(ring) > 1]
    ends = np.concatenate(parts) if parts else np.empty((0, 4))
    if not len(ends):
        return Edges(ends, (math.inf, math.inf, -math.inf, -math.inf))
    west, south = ends[:, 0].min(), ends[:, 1].min()
    return Edges(ends, (float(west), float(south), float(ends[:, 0].max()), float(ends[:, 1].max())))


def _rings(wkb: bytes) -> List[Any]:
    """The rings of a polygon or multipolygon in QGIS's own WKB (little-endian): arrays (n, 2)."""
    rings: List[Any] = []
    position = 0
    pending = 1
    while pending:
        pending -= 1
        kind = struct.unpack_from("<I", wkb, position + 1)[0]
        number = struct.unpack_from("<I", wkb, position + 5)[0]
        position += 9
        flat, width = _flat(kind)
        if flat == 3:
            for _ in range(number):
                size = struct.unpack_from("<I", wkb, position)[0]
                points = np.frombuffer(wkb, dtype="<f8", count=size * width, offset=position + 4)
                rings.append(points.reshape(size, width)[:, :2])
                position += 4 + 8 * size * width
        elif flat == 6:
            pending += number
        else:
            raise ValueError("no polygon: WKB type {}".format(kind))
    return rings


def _flat(kind: int) -> Tuple[int, int]:
    """Type of geometry without Z and M, and the numbers of a vertex."""
    if kind & 0x80000000:
        return kind & 0xFF, 3
    return kind % 1000, (2, 3, 3, 4)[kind // 1000]


def _crossings(x: Any, y: Any, ends: Any) -> Tuple[Any, Any]:
    """For points sorted by y: whether an odd number of edges lies to the right, and whether the point is on one."""
    low = np.minimum(ends[:, 1], ends[:, 3])
    high = np.maximum(ends[:, 1], ends[:, 3])
    first = np.searchsorted(y, low, "left")
    counts = np.searchsorted(y, high, "right") - first
    odd = np.zeros(len(x), dtype=bool)
    border = np.zeros(len(x), dtype=bool)
    chosen = np.flatnonzero(counts)
    for part in _parts(chosen, counts):
        repeated = np.repeat(part, counts[part])
        offsets = np.arange(len(repeated)) - np.repeat(np.cumsum(counts[part]) - counts[part], counts[part])
        points = first[repeated] + offsets
        _one_part(x, y, ends, (points, repeated), (odd, border))
    return odd, border


def _parts(chosen: Any, counts: Any) -> List[Any]:
    """The edges in parts whose pairs with points fit into memory."""
    if not len(chosen):
        return []
    total = np.cumsum(counts[chosen])
    if total[-1] <= _MAX_PAIRS:
        return [chosen]
    limits = np.searchsorted(total, np.arange(_MAX_PAIRS, int(total[-1]) + _MAX_PAIRS, _MAX_PAIRS))
    return [each for each in np.split(chosen, np.unique(limits)) if len(each)]


def _one_part(x: Any, y: Any, ends: Any, pairs: Tuple[Any, Any], marks: Tuple[Any, Any]) -> None:
    points, edges = pairs
    px, py = x[points], y[points]
    x1, y1, x2, y2 = ends[edges].T
    side = _side(x1, y1, x2, y2, px, py)
    on = (side == 0) & (px >= np.minimum(x1, x2)) & (px <= np.maximum(x1, x2))
    marks[1][points[on]] = True
    upward = (y1 <= py) & (y2 > py) & (side > 0)
    downward = (y2 <= py) & (y1 > py) & (side < 0)
    passed = np.bincount(points[upward | downward], minlength=len(x))
    marks[0][:] ^= (passed & 1).astype(bool)


def _side(x1: Any, y1: Any, x2: Any, y2: Any, px: Any, py: Any) -> Any:
    """On which side of an edge a point lies: above 0 left, below 0 right, 0 on its line; exact."""
    left = (x1 - px) * (y2 - py)
    right = (y1 - py) * (x2 - px)
    side = left - right
    doubtful = np.abs(side) <= _ROUNDING * (np.abs(left) + np.abs(right))
    doubtful &= (left != 0) | (right != 0)
    for each in np.flatnonzero(doubtful).tolist():
        ax, ay, bx, by, cx, cy = (Fraction(float(value[each])) for value in (x1, y1, x2, y2, px, py))
        exact = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
        side[each] = (exact > 0) - (exact < 0)
    return side
