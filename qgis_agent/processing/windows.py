"""Statistics of a window around each cell, with numpy alone. All take values with a rim, NaN for cells without a value.

Sums, numbers, smallest and largest are made row by row of the window: as many steps as it is wide, not as it has cells.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List

import numpy as np

STATISTICS = ("mean", "sum", "min", "max", "range", "std", "median", "majority", "count")
SORTED = ("median", "majority")
"""All values of each window are put in order, so small windows only."""
SORTED_CELLS = 4_000_000
"""Values of windows that are held at once for that."""
Check = Callable[[], None]


def half_widths(radius: int, circle: bool) -> List[int]:
    """Of each row of the window, how far it goes to both sides: cells whose centre is not farther away than the radius."""
    rows = range(-radius, radius + 1)
    return [math.isqrt(radius * radius - row * row) if circle else radius for row in rows]


def focal(values: Any, radius: int, circle: bool, statistic: str, check: Check) -> Any:
    """The statistic of the cells with a value in the window around each cell inside the rim; NaN where there are none."""
    widths = half_widths(radius, circle)
    if statistic in SORTED:
        return _sorted(values, widths, statistic, check)
    valid = np.isfinite(values)
    count = _gathered(valid.astype(float), widths, np.add, check)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = _plain(values, valid, widths, statistic, count, check)
    return np.where(count > 0, result, np.nan)


def _plain(values: Any, valid: Any, widths: List[int], statistic: str, count: Any, check: Check) -> Any:
    if statistic == "count":
        return count
    if statistic in ("min", "max", "range"):
        low = _gathered(np.where(valid, values, np.inf), widths, np.minimum, check) if statistic != "max" else 0.0
        high = _gathered(np.where(valid, values, -np.inf), widths, np.maximum, check) if statistic != "min" else 0.0
        return {"min": low, "max": high}.get(statistic, high - low)
    if not valid.any():
        return count
    level = float(values[valid].mean())  # sums of small numbers keep their digits
    centred = np.where(valid, values - level, 0.0)
    total = _gathered(centred, widths, np.add, check)
    if statistic == "sum":
        return total + level * count
    if statistic == "mean":
        return total / count + level
    squares = _gathered(centred**2, widths, np.add, check)
    return np.sqrt(np.maximum(squares / count - (total / count) ** 2, 0.0))


def _gathered(values: Any, widths: List[int], combine: Any, check: Check) -> Any:
    """``combine`` of all cells of the window. Rows of the same width share their horizontal part."""
    radius = len(widths) // 2
    rows, columns = values.shape[0] - 2 * radius, values.shape[1] - 2 * radius
    by_width: Dict[int, List[int]] = {}
    for row, width in enumerate(widths):
        by_width.setdefault(width, []).append(row)
    across = values[:, radius : radius + columns].copy()
    result: Any = None
    for width in range(radius + 1):
        check()
        if width:
            for shift in (radius - width, radius + width):
                combine(across, values[:, shift : shift + columns], out=across)
        for row in by_width.get(width, []):
            part = across[row : row + rows]
            result = part.copy() if result is None else combine(result, part, out=result)
    return result


def _sorted(values: Any, widths: List[int], statistic: str, check: Check) -> Any:
    radius = len(widths) // 2
    rows, columns = values.shape[0] - 2 * radius, values.shape[1] - 2 * radius
    cells = sum(2 * each + 1 for each in widths)
    result = np.full((rows, columns), np.nan)
    high = max(1, SORTED_CELLS // (cells * columns))
    wide = max(1, SORTED_CELLS // (cells * high))
    for top in range(0, rows, high):
        for left in range(0, columns, wide):
            check()
            part = values[top : top + high + 2 * radius, left : left + wide + 2 * radius]
            stack = _stacked(part, widths)
            stack.sort(axis=0)  # NaN comes last
            found = _median(stack) if statistic == "median" else _majority(stack)
            result[top : top + high, left : left + wide] = found
    return result


def _stacked(values: Any, widths: List[int]) -> Any:
    radius = len(widths) // 2
    rows, columns = values.shape[0] - 2 * radius, values.shape[1] - 2 * radius
    return np.stack(
        [
            values[row : row + rows, radius + shift : radius + shift + columns]
            for row, width in enumerate(widths)
            for shift in range(-width, width + 1)
        ]
    )


def _median(stack: Any) -> Any:
    """Of an even number of values the mean of the two in the middle."""
    count = np.isfinite(stack).sum(0)
    low = np.maximum((count - 1) // 2, 0)[None]
    high = np.minimum(count // 2, len(stack) - 1)[None]
    middle = (np.take_along_axis(stack, low, 0)[0] + np.take_along_axis(stack, high, 0)[0]) / 2
    return np.where(count > 0, middle, np.nan)


def _majority(stack: Any) -> Any:
    """The most frequent value; of several the smallest."""
    best, longest = stack[0].copy(), np.isfinite(stack[0]).astype(np.int32)
    run = longest.copy()
    for before, here in zip(stack[:-1], stack[1:]):
        run = np.where(here == before, run + 1, np.isfinite(here).astype(np.int32))
        better = run > longest
        best[better], longest[better] = here[better], run[better]
    return best
