"""Nearest points anywhere on earth: by the straight distance through the earth, in a grid of cubes, with numpy.

The straight distance puts pairs in the same order as the geodesic one but for near ties: two geodesics of the same length
have chords that differ by 1 % of (length / radius)² at most. ``slack`` allows for it, and who calls measures and sorts.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator, List, Optional, Tuple

import numpy as np

from ..ground.units import EARTH_RADIUS_M

_AXIS_BITS = 20
_CHUNK = 500_000
"""Pairs that are compared at once: some steps of numpy hold Python's lock, and with it QGIS, as long as they take."""
_FARTHEST = 12_800_000.0
"""Metres; no two places are farther apart through the earth."""
Check = Callable[[], None]


def through_earth(longitude: Any, latitude: Any) -> Any:
    """Places in degrees as (n, 3) metres from the middle of the earth (WGS 84, height 0)."""
    east, north = np.radians(longitude), np.radians(latitude)
    squared = 0.0066943799901413165  # first eccentricity of WGS 84, squared
    normal = 6378137.0 / np.sqrt(1 - squared * np.sin(north) ** 2)
    flat = normal * np.cos(north)
    return np.stack([flat * np.cos(east), flat * np.sin(east), normal * (1 - squared) * np.sin(north)], 1)


def slack(metres: Any) -> Any:
    """How much longer a chord may be than another one although its geodesic is not: in metres, 1 mm at least."""
    return metres * 0.01 * (metres / EARTH_RADIUS_M) ** 2 + 0.001


def chord_of(metres: float) -> float:
    """No chord of a geodesic of this length is longer."""
    angle = min(metres / (EARTH_RADIUS_M * 0.99), math.pi)
    return 2 * EARTH_RADIUS_M * 1.01 * math.sin(angle / 2) + 0.001


def candidates(one: Any, two: Any, count: int, limit: Optional[float], same: bool, check: Check) -> Tuple[Any, Any]:
    """Row numbers (i, j) such that the ``count`` nearest of ``two`` to each of ``one`` are among them, ties included.

    ``count`` 0 means all within ``limit`` (metres on the ground). ``same``: both are the same points, and none is its own
    neighbour. ``check`` is called now and then; it raises when the call is stopped.
    """
    farthest = _FARTHEST if limit is None else chord_of(limit)
    if not len(one) or not len(two):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    radius = farthest if count == 0 else min(_first_radius(two, count), farthest)
    waiting = np.arange(len(one))
    found: List[Tuple[Any, Any]] = []
    while len(waiting):
        last = radius >= farthest
        ready = []
        for part in _parts(waiting, one, two, radius, check):
            keep, done = _enough(*part, radius, count, same, last)
            found.append(keep)
            ready.append(done)
        if last:
            break
        if ready:
            waiting = waiting[~np.isin(waiting, np.concatenate(ready))]
        radius = min(radius * 2, farthest)
    left = np.concatenate([each[0] for each in found]) if found else np.zeros(0, np.int64)
    right = np.concatenate([each[1] for each in found]) if found else np.zeros(0, np.int64)
    return left, right


def within(points: Any, radius: float, check: Check) -> Iterator[Tuple[Any, Any, Any]]:
    """(i, j, chord) of all pairs of the points whose chord is not longer than ``radius``, a part at a time; both ways, and
    each with itself. For who must see how many there are before all of them are in memory."""
    yield from _parts(np.arange(len(points)), points, points, radius, check)


def _first_radius(two: Any, count: int) -> float:
    """About the distance of neighbours if the points were spread evenly."""
    sides = np.sort(two.max(0) - two.min(0))[::-1]
    area = max(float(sides[0]), 1.0) * max(float(sides[1]), 1.0)
    return max(1.0, math.sqrt(area * (count + 1) / len(two)))


def _parts(waiting: Any, one: Any, two: Any, radius: float, check: Check) -> Any:
    """(i, j, chord) of pairs within ``radius``, all pairs of some queries at a time."""
    low = two.min(0)
    size = max(radius, float((two.max(0) - low).max()) / (1 << _AXIS_BITS))
    cells = np.floor((two - low) / size).astype(np.int64)
    shape = cells.max(0) + 1
    order = np.argsort(_key(cells, shape), kind="stable")
    keys = _key(cells, shape)[order]
    places = np.floor((one[waiting] - low) / size)
    inside = ((places >= -1) & (places <= shape)).all(1)
    waiting, places = waiting[inside], places[inside].astype(np.int64)
    starts, ends = _ranges(places, shape, keys)
    pairs = (ends - starts).sum(1)
    bounds = np.searchsorted(np.cumsum(pairs), np.arange(0, pairs.sum() + _CHUNK, _CHUNK), side="right")
    bounds[-1:] = len(waiting)
    edges = np.unique(np.concatenate([[0], bounds, [len(waiting)]]))
    for start, end in zip(edges[:-1], edges[1:]):
        check()
        yield _compared(waiting[start:end], starts[start:end], ends[start:end], order, one, two, radius)


def _key(cells: Any, shape: Any) -> Any:
    return (cells[..., 0] * shape[1] + cells[..., 1]) * shape[2] + cells[..., 2]


def _ranges(places: Any, shape: Any, keys: Any) -> Tuple[Any, Any]:
    """For each place, where the points of the 9 columns of cubes around it stand; empty for columns outside of the grid."""
    starts, ends = [], []
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            column = places[:, :2] + np.array([x, y])
            good = ((column >= 0) & (column < shape[:2])).all(1)
            low, high = np.clip(places[:, 2] - 1, 0, shape[2] - 1), np.clip(places[:, 2] + 1, 0, shape[2] - 1)
            base = (column[:, 0] * shape[1] + column[:, 1]) * shape[2]
            start = np.searchsorted(keys, base + low, side="left")
            starts.append(start)
            ends.append(np.where(good, np.searchsorted(keys, base + high, side="right"), start))
    return np.stack(starts, 1), np.stack(ends, 1)


def _compared(
    queries: Any, starts: Any, ends: Any, order: Any, one: Any, two: Any, radius: float
) -> Tuple[Any, Any, Any]:
    """The pairs of some queries that lie within the radius."""
    counts = (ends - starts).ravel()
    owner = np.repeat(np.repeat(queries, starts.shape[1]), counts)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    other = order[np.repeat(starts.ravel(), counts) + offsets]
    chord = np.sqrt(((one[owner] - two[other]) ** 2).sum(1))
    near = chord <= radius
    return owner[near], other[near], chord[near]


def _enough(
    left: Any, right: Any, chord: Any, radius: float, count: int, same: bool, last: bool
) -> Tuple[Tuple[Any, Any], Any]:
    """The pairs to keep of queries that have their neighbours now, and these queries."""
    if same:
        other = left != right
        left, right, chord = left[other], right[other], chord[other]
    if count == 0 or not len(left):
        return (left, right), np.unique(left)
    order = np.lexsort((right, chord, left))
    left, right, chord = left[order], right[order], chord[order]
    begins = np.flatnonzero(np.concatenate([[True], left[1:] != left[:-1]]))
    sizes = np.diff(np.concatenate([begins, [len(left)]]))
    at = begins + np.minimum(count, sizes) - 1
    limits = chord[at] + slack(chord[at])
    done = (sizes >= count) & (limits <= radius)
    if last:
        limits, done = np.where(sizes >= count, limits, np.inf), np.ones(len(begins), bool)
    keep = (chord <= np.repeat(limits, sizes)) & np.repeat(done, sizes)
    return (left[keep], right[keep]), left[begins[done]]
