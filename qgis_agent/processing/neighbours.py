"""Who is whose neighbour, as sparse lists on numpy: within a distance on the ground, or the nearest ones.

Distances are chords through the WGS 84 ellipsoid, bent to an arc with the earth's mean radius: right to 1 in 100,000 up to
1,000 km, anywhere on earth and across 180°. No matrix of all pairs is ever made.
"""

from __future__ import annotations

import math
from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np

from ..gis.analysis.ground.units import EARTH_RADIUS_M
from ..gis.analysis.joins.near_points import (
    candidates,
    through_earth,
    within,
)

MOST_PAIRS = 20_000_000
"""Pairs of neighbours that are kept: 160 MB."""
_CHUNK = 500_000
"""Numbers that are worked on at once: some steps of numpy hold Python's lock, and with it QGIS, as long as they take."""
Check = Callable[[], None]


class TooManyPairs(ValueError):
    """More pairs of neighbours than fit into the memory; the message is the number found so far."""


class Neighbours(NamedTuple):
    """Neighbours of n features, none its own: those of feature i are ``other[starts[i]:starts[i + 1]]``.

    ``distance_m`` is the distance within which they were looked for, NaN for the nearest ones.
    """

    starts: Any
    other: Any
    distance_m: float

    @property
    def counts(self) -> Any:
        """Number of neighbours of each."""
        return np.diff(self.starts)

    def sums(self, values: Any, check: Check) -> Any:
        """The sum of the neighbours' values of each; 0 of none."""
        total = np.zeros(len(self.starts) - 1)
        for first, end in self.parts():
            check()
            part = self.other[self.starts[first] : self.starts[end]]
            owner = np.repeat(np.arange(end - first), self.counts[first:end])
            total[first:end] = np.bincount(owner, weights=values[part], minlength=end - first)
        return total

    def parts(self) -> List[Tuple[int, int]]:
        """Ranges of features that have about a chunk of neighbours together."""
        count = len(self.starts) - 1
        marks = np.searchsorted(self.starts, np.arange(0, int(self.starts[-1]) + _CHUNK, _CHUNK))
        edges = np.unique(np.concatenate([[0], np.minimum(marks, count), [count]])).tolist()
        return list(zip(edges[:-1], edges[1:]))


def arcs(chords: Any) -> Any:
    """Metres on the ground of chords in metres."""
    return 2 * EARTH_RADIUS_M * np.arcsin(np.minimum(np.asarray(chords) / (2 * EARTH_RADIUS_M), 1.0))


def chord(arc_m: float) -> float:
    """The other way round; no chord is longer than the diameter."""
    return 2 * EARTH_RADIUS_M * math.sin(min(arc_m / (2 * EARTH_RADIUS_M), math.pi / 2))


def within_distance(lonlat: Any, distance_m: float, check: Check) -> Neighbours:
    """All within a distance (metres). TooManyPairs before the memory is full."""
    places = through_earth(lonlat[:, 0], lonlat[:, 1])
    owners: List[Any] = []
    others: List[Any] = []
    found = 0
    radius = chord(distance_m) * (1 + 1e-12)  # whoever is exactly there is a neighbour
    for left, right, _ in within(places, radius, check):
        keep = left != right
        owners.append(left[keep].astype(np.int32))
        others.append(right[keep].astype(np.int32))
        found += len(owners[-1])
        if found > MOST_PAIRS:
            raise TooManyPairs(found)
    nothing = np.zeros(0, np.int32)
    owner, other = np.concatenate([nothing, *owners]), np.concatenate([nothing, *others])
    return _sparse(owner, other, len(places), distance_m)


def nearest(lonlat: Any, count: int, check: Check) -> Neighbours:
    """The ``count`` nearest of each; of several that are equally far those that come first in the layer."""
    places = through_earth(lonlat[:, 0], lonlat[:, 1])
    owner, other, _ = _ranked(places, count, check)
    return _sparse(owner, other, len(places), math.nan)


def farthest_neighbour(lonlat: Any, check: Check) -> float:
    """The smallest distance (metres) within which every feature has a neighbour."""
    places = through_earth(lonlat[:, 0], lonlat[:, 1])
    chords = _ranked(places, 1, check)[2]
    return float(arcs(chords.max())) if len(chords) else 0.0


def _ranked(places: Any, count: int, check: Check) -> Tuple[Any, Any, Any]:
    """(owner, other, chord) of the nearest ones, by owner."""
    _refuse_heaps(places, count)
    count = min(count, len(places) - 1)
    left, right = candidates(places, places, count, None, True, check)
    if len(left) > 2 * MOST_PAIRS:
        raise TooManyPairs(len(left))
    order = np.argsort(left, kind="stable")
    left, right = left[order], right[order]
    chords = np.sqrt(((places[left] - places[right]) ** 2).sum(1))
    begins = np.searchsorted(left, np.arange(len(places) + 1))
    kept = []
    for first, end in _ranges(begins):
        check()
        part = slice(begins[first], begins[end])
        rank = np.lexsort((right[part], chords[part], left[part]))
        place = np.arange(len(rank)) - (begins[left[part]] - begins[first])
        kept.append(begins[first] + rank[place < count])
    chosen = np.concatenate([np.zeros(0, np.int64), *kept])
    return left[chosen], right[chosen], chords[chosen]


def _refuse_heaps(places: Any, count: int) -> None:
    """Features at one place are all equally near: as many pairs as their square."""
    cells = np.round(places * 100).astype(np.int64)
    keys = (cells * np.array([1, 1_000_000_007, 998_244_353_000_003])).sum(
        1
    )  # one number a place: to sort rows holds QGIS
    _, sizes = np.unique(keys, return_counts=True)
    heaps = sizes[sizes > count].astype(float)
    if (heaps**2).sum() > MOST_PAIRS:
        raise TooManyPairs(int((heaps**2).sum()))


def _ranges(begins: Any) -> List[Tuple[int, int]]:
    marks = np.searchsorted(begins, np.arange(0, int(begins[-1]) + _CHUNK, _CHUNK))
    edges = np.unique(np.concatenate([[0], np.minimum(marks, len(begins) - 1), [len(begins) - 1]])).tolist()
    return list(zip(edges[:-1], edges[1:]))


def _sparse(owner: Any, other: Any, count: int, distance_m: float) -> Neighbours:
    order = np.argsort(owner, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
    return Neighbours(starts, np.ascontiguousarray(other[order], dtype=np.int32), distance_m)
