"""Tables of ranges for reclassifying a raster: checked for overlaps and gaps."""

from __future__ import annotations

import math
from typing import Any, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate

OPEN = 1e300
"""Stands for an open end: larger than any value that a 32-bit raster holds."""
_RULES = {"max_included": 0, "min_included": 1, "both_included": 2}


class Range(NamedTuple):
    """Cells from ``low`` to ``high`` become ``value``."""

    low: float
    high: float
    value: float


class Table(NamedTuple):
    """Ranges in order, QGIS's number of the rule for boundaries, and the gaps between ranges."""

    ranges: List[Range]
    rule: int
    gaps: List[Tuple[float, float]]

    def flat(self) -> List[float]:
        """As native:reclassifybytable takes it."""
        return [number for each in self.ranges for number in each]

    def holds(self, values: Any) -> Any:
        """Which of the values (a numpy array) are in a range."""
        found = np.zeros(np.shape(values), dtype=bool)
        for each in self.ranges:
            above = values > each.low if self.rule == _RULES["max_included"] else values >= each.low
            below = values < each.high if self.rule == _RULES["min_included"] else values <= each.high
            found |= above & below
        return found


def checked_table(rows: Sequence[Mapping[str, Any]], boundaries: str) -> Table:
    """The table in order. INVALID_PARAM for an empty range and for ranges that overlap."""
    ranges = sorted(_range(row, number, boundaries) for number, row in enumerate(rows, 1))
    gaps: List[Tuple[float, float]] = []
    for one, two in zip(ranges, ranges[1:]):
        if two.low < one.high or (two.low == one.high and boundaries == "both_included"):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "Two ranges overlap: {} and {}.").format(_text(one), _text(two)),
                hint=translate(
                    "QgisAgent", "Every value must be in one range; ranges may touch with boundaries min_included."
                ),
                reason="ranges",
            )
        if two.low > one.high:
            gaps.append((one.high, two.low))
    return Table(ranges, _RULES[boundaries], gaps)


def _range(row: Mapping[str, Any], number: int, boundaries: str) -> Range:
    low = -OPEN if row.get("min") is None else float(row["min"])
    high = OPEN if row.get("max") is None else float(row["max"])
    empty = low > high if boundaries == "both_included" else low >= high
    if empty or not all(math.isfinite(each) for each in (low, high, float(row["value"]))):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Range {} of the table is empty.").format(number),
            hint=translate("QgisAgent", "min must be below max; leave one out for an open end."),
            reason="ranges",
        )
    return Range(low, high, float(row["value"]))


def _text(each: Range) -> str:
    ends = ["…" if abs(value) >= OPEN else "{:.10g}".format(value) for value in (each.low, each.high)]
    return " – ".join(ends)


def number_type(values: Sequence[float]) -> Tuple[int, float]:
    """QGIS's number of the smallest type that holds the values (Byte, Int16, Int32, Float32, Float64), and a nodata value of
    it that is none of them."""
    if all(value == int(value) for value in values):
        for code, low, high, nodata in (
            (0, 0, 255, 255),
            (1, -32768, 32767, -32768),
            (3, -(2**31), 2**31 - 1, -(2**31)),
        ):
            if min(values) >= low and max(values) <= high and nodata not in values:
                return code, float(nodata)
    code = 5 if all(abs(value) < 1e7 or value == 0 for value in values) else 6
    return code, -9999.0 if -9999.0 not in values else -3.0e38
