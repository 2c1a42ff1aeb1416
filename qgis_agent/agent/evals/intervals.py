"""Intervals: how sure a share or a mean over so few cases is."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def wilson(hits: int, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval (Wilson 1927) for a share of ``hits`` in ``n``; (0, 1) where nothing was measured."""
    if n <= 0:
        return 0.0, 1.0
    share, square = hits / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float], z: float = Z_95) -> tuple[float, float, float]:
    """Mean, and the ends of its interval by the normal distribution. All 0 without values; one value is its own interval."""
    n = len(values)
    if n == 0:
        return 0.0, 0.0, 0.0
    mean = sum(values) / n
    if n == 1:
        return mean, mean, mean
    spread = math.sqrt(sum((each - mean) ** 2 for each in values) / (n - 1))
    half = z * spread / math.sqrt(n)
    return mean, mean - half, mean + half


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile, 0 without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
