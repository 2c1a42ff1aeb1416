"""Statistics of a band, and the suspicion that a value means "nothing here" although the file does not say so."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import QgsFeedback

from .raster_cells import CellReader

SENTINELS = (
    -9999.0, -99999.0, -999.0, -32768.0, -32767.0, -2147483648.0, -2147483647.0, 9999.0, 99999.0, 32767.0, 65535.0,
    2147483647.0, 4294967295.0, 1e20, -1e20, 1e30, -1e30, 3.4028234663852886e38, -3.4028234663852886e38,
    1.7976931348623157e308, -1.7976931348623157e308,
)  # fmt: skip
"""Numbers that programs write where they have no value."""
_HUGE = 1e19
MOST_DISTINCT = 64
_COLLAR_SHARE = 0.3
_CELL_SHARE = 0.1
_FEW_VALUES = 20


class Suspect(NamedTuple):
    """A value that looks like undeclared nodata, the number and share of its cells, and the band without it."""

    value: float
    cells: int
    share: float
    rest: BandStats


class BandStats:
    """Numbers of one band. All are of the valid cells; ``valid`` 0 means that there is none, and no number then.

    ``stdev`` divides by n. ``exact`` is False when every n-th cell was read. ``distinct`` are the different values while
    they are at most 64, else None.
    """

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.valid = 0
        self.nodata = 0
        self.mean = 0.0
        self.distinct: Optional[Dict[float, int]] = {}
        self.border = 0
        self._squares = 0.0
        self._lows: Dict[float, int] = {}
        self._highs: Dict[float, int] = {}
        self._border_counts: Dict[float, int] = {}

    @property
    def stdev(self) -> float:
        """Of all valid cells."""
        return math.sqrt(max(0.0, self._squares / self.valid)) if self.valid else 0.0

    def extreme(self, highest: bool) -> Tuple[float, int, Optional[float]]:
        """The lowest or highest value, the number of its cells, and the next value; None when there is no other."""
        found = self._highs if highest else self._lows
        ordered = sorted(found, reverse=highest)
        return ordered[0], found[ordered[0]], (ordered[1] if len(ordered) > 1 else None)

    @property
    def low(self) -> float:
        """The smallest value."""
        return self.extreme(False)[0]

    @property
    def high(self) -> float:
        """The largest value."""
        return self.extreme(True)[0]

    def border_share(self, value: float) -> float:
        """Share of the raster's outermost cells that have this (lowest or highest) value."""
        return self._border_counts.get(value, 0) / self.border if self.border else 0.0

    def add(self, values: Any, outside: int, edge: Any) -> None:
        """Take in valid values, the number of cells without one, and the valid values on the raster's edge."""
        self.nodata += outside
        if not len(values):
            return
        self._moments(values)
        self._lows = _extremes(self._lows, values, highest=False)
        self._highs = _extremes(self._highs, values, highest=True)
        self._count_distinct(values)
        for value, count in zip(*np.unique(edge, return_counts=True)):
            self._border_counts[float(value)] = self._border_counts.get(float(value), 0) + int(count)

    def _moments(self, values: Any) -> None:
        """Mean and squares of a part joined to those of the others (Chan et al.), which loses no digits."""
        count, mean = len(values), float(values.mean())
        with np.errstate(over="ignore"):
            squares = float(((values - mean) ** 2).sum())
        total, apart = self.valid + count, mean - self.mean
        self._squares += squares + apart * apart * self.valid * count / total
        self.mean += apart * count / total
        self.valid = total

    def _count_distinct(self, values: Any) -> None:
        if self.distinct is None:
            return
        if len(np.unique(values[:: max(1, len(values) // 5000)])) > MOST_DISTINCT:
            self.distinct = None
            return
        found, counts = np.unique(values, return_counts=True)
        for value, count in zip(found, counts):
            self.distinct[float(value)] = self.distinct.get(float(value), 0) + int(count)
            if len(self.distinct) > MOST_DISTINCT:
                self.distinct = None
                return


def band_stats(
    reader: CellReader, band: int, feedback: QgsFeedback, size: Tuple[int, int], without: Optional[float] = None
) -> BandStats:
    """Statistics of a band, on a worker thread; ``without`` is a value that counts as nodata."""
    stats = BandStats(size == (reader.columns, reader.rows))
    for strip in reader.strips(band, feedback, size):
        valid = strip.valid if without is None else strip.valid & (strip.values != without)
        edge = np.zeros(valid.shape, dtype=bool)
        edge[:, 0] = edge[:, -1] = True
        if strip.top == 0:
            edge[0] = True
        if strip.top + edge.shape[0] == size[1]:
            edge[-1] = True
        stats.border += int(edge.sum())
        values = strip.values[valid]
        stats.add(values, int(valid.size - len(values)), strip.values[valid & edge])
    return stats


def suspect(
    reader: CellReader, band: int, feedback: QgsFeedback, stats: BandStats, size: Tuple[int, int]
) -> Optional[Suspect]:
    """The undeclared nodata value of a band, when one end of its values looks like one. Said, never applied."""
    if not stats.valid:
        return None
    for highest in (False, True):
        value, cells, following = stats.extreme(highest)
        if following is None:
            continue
        if _is_sentinel(stats, value, following, highest) or _is_collar(stats, value, cells):
            rest = band_stats(reader, band, feedback, size, value)
            return Suspect(value, cells, cells / stats.valid, rest)
    return None


def is_known_nodata(value: float) -> bool:
    """Whether programs write this number where they have no value."""
    return abs(value) >= _HUGE or value in SENTINELS


def _is_sentinel(stats: BandStats, value: float, following: float, highest: bool) -> bool:
    """A well-known number that lies farther from the other values than these from each other."""
    other_end = stats.low if highest else stats.high
    return is_known_nodata(value) and abs(following - value) > abs(other_end - following)


def _is_collar(stats: BandStats, value: float, cells: int) -> bool:
    """An extreme value that fills much of the raster and of its edge, in data with many different values."""
    many = stats.distinct is None or len(stats.distinct) > _FEW_VALUES
    return many and cells / stats.valid >= _CELL_SHARE and stats.border_share(value) >= _COLLAR_SHARE


def _extremes(known: Dict[float, int], values: Any, highest: bool) -> Dict[float, int]:
    """The two outermost different values and their counts, of what is known and of new values."""
    found: Dict[float, int] = dict(known)
    rest = values
    for _ in range(2):
        if not len(rest):
            break
        value = float(rest.max() if highest else rest.min())
        same = rest == value
        found[value] = found.get(value, 0) + int(same.sum())
        rest = rest[~same]
    outermost: List[float] = sorted(found, reverse=highest)[:2]
    return {value: found[value] for value in outermost}
