"""Getis-Ord Gi*, Moran's I and local Moran's I on sparse neighbours, with numpy alone.

Sources: J. K. Ord and A. Getis, Local spatial autocorrelation statistics, Geographical Analysis 27 (1995); A. D. Cliff and
J. K. Ord, Spatial Processes (1981); L. Anselin, Local indicators of spatial association, Geographical Analysis 27 (1995);
R. R. Sokal, N. L. Oden and B. A. Thomson, Local spatial autocorrelation in a biological model, Geographical Analysis 30 (1998).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .neighbours import Check, Neighbours, TooManyPairs

HIGH_HIGH, LOW_HIGH, LOW_LOW, HIGH_LOW = 1, 2, 3, 4
_ERFC_CHUNK = 20_000
MOST_DRAWN = 20_000_000
"""Numbers that are drawn for all permutations together: 320 MB with their sums."""
_DRAWS = 50
_TIE = 1e-10
"""Relative difference up to which two sums of the same numbers in another order count as equal."""


class Global(NamedTuple):
    """Moran's I, its expectation and variance under randomisation, z and two-sided p of the normal distribution, and the
    one-sided pseudo p of the permutations with their number."""

    moran: float
    expected: float
    variance: float
    z: float
    p: float
    p_permuted: float
    permutations: int


class Local(NamedTuple):
    """For each feature I, z, pseudo p and quadrant (1 high among high, 2 low among high, 3 low among low, 4 high among low).
    NaN and 0 for a feature without neighbours."""

    moran: Any
    z: Any
    p: Any
    quadrant: Any


def two_sided(z: Any, check: Check) -> Any:
    """p of the normal distribution; NaN of NaN."""
    p = np.empty(len(z))
    for start in range(0, len(z), _ERFC_CHUNK):
        check()
        part = np.abs(z[start : start + _ERFC_CHUNK]) / math.sqrt(2)
        p[start : start + _ERFC_CHUNK] = [math.erfc(each) for each in part.tolist()]
    return p


def gi_star(values: Any, neighbours: Neighbours, check: Check) -> Any:
    """z of each feature: weights are 1 for its neighbours and itself. NaN without neighbours, or where all are neighbours."""
    count = len(values)
    centred = values - values.mean()
    spread = math.sqrt(float((centred**2).mean()))
    members = neighbours.counts + 1.0
    sums = neighbours.sums(centred, check) + centred
    variance = (count * members - members**2) / (count - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = sums / (spread * np.sqrt(variance))
    return np.where((neighbours.counts > 0) & (variance > 0), z, np.nan)


def false_discovery(p: Any) -> Any:
    """p adjusted for many tests: Y. Benjamini and Y. Hochberg, Controlling the false discovery rate (1995). NaN stays."""
    known = np.flatnonzero(np.isfinite(p))
    adjusted = np.full(len(p), np.nan)
    order = known[np.argsort(p[known], kind="stable")]
    ranked = p[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return adjusted


def moran(values: Any, neighbours: Neighbours, permutations: int, seed: int, check: Check) -> Global:
    """Global Moran's I with row-standardised weights. A feature without neighbours has weights of 0 and stays in n."""
    count = len(values)
    centred = values - values.mean()
    counts = neighbours.counts
    squares = float((centred**2).sum())
    total = float((counts > 0).sum())  # the weights of a row sum up to 1
    lags = neighbours.sums(centred, check) / np.maximum(counts, 1)
    observed = count / total * float(centred @ lags) / squares
    expected = -1.0 / (count - 1)
    variance = _variance(centred, neighbours, total, check) - expected**2
    z = (observed - expected) / math.sqrt(variance) if variance > 0 else math.nan
    larger = 0
    generator = np.random.default_rng(seed)
    for _ in range(permutations):
        check()
        mixed = generator.permutation(centred)
        simulated = count / total * float(mixed @ (neighbours.sums(mixed, check) / np.maximum(counts, 1))) / squares
        larger += simulated >= observed - _TIE
    extreme = min(larger, permutations - larger)
    p_permuted = (extreme + 1) / (permutations + 1) if permutations else math.nan
    return Global(observed, expected, variance, z, math.erfc(abs(z) / math.sqrt(2)), p_permuted, permutations)


def _variance(centred: Any, neighbours: Neighbours, total: float, check: Check) -> float:
    """The expectation of I² under randomisation (Cliff and Ord 1981, p. 21)."""
    n = float(len(centred))
    if n < 4:
        return math.nan
    counts = neighbours.counts
    inverse = 1.0 / np.maximum(counts, 1)
    owner = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    check()
    forth = owner * len(counts) + neighbours.other
    back = neighbours.other.astype(np.int64) * len(counts) + owner
    ordered = np.sort(forth)
    check()
    mutual = ordered[np.minimum(np.searchsorted(ordered, back), len(forth) - 1)] == back
    weight = inverse[owner]
    s1 = float((weight**2).sum() + (weight * inverse[neighbours.other])[mutual].sum())
    columns = np.bincount(neighbours.other, weights=weight, minlength=len(counts))
    s2 = float((((counts > 0) + columns) ** 2).sum())
    kurtosis = float((centred**4).mean()) / float((centred**2).mean()) ** 2
    first = n * ((n * n - 3 * n + 3) * s1 - n * s2 + 3 * total**2)
    second = kurtosis * ((n * n - n) * s1 - 2 * n * s2 + 6 * total**2)
    return (first - second) / ((n - 1) * (n - 2) * (n - 3) * total**2)


def local_moran(values: Any, neighbours: Neighbours, permutations: int, seed: int, check: Check) -> Local:
    """Local Moran's I with row-standardised weights, (n - 1) z_i Σ w_ij z_j / Σ z².

    z by the exact mean and variance of the neighbours' mean when the others change places (Sokal et al. 1998); p by so many
    conditional permutations, one-sided: (extreme + 1) / (permutations + 1).
    """
    count = len(values)
    centred = values - values.mean()
    squares = float((centred**2).sum())
    counts = neighbours.counts
    some = counts > 0
    lags = neighbours.sums(centred, check) / np.maximum(counts, 1)
    others = count - 1.0
    mean = -centred / others
    spread = (squares - centred**2) / others - mean**2
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(spread / np.maximum(counts, 1) * (others - counts) / (others - 1))
        z = np.sign(centred) * (lags - mean) / deviation
    z = np.where(some & (deviation > 0), z, np.nan)
    p = _conditional(centred, lags, counts, permutations, seed, check)
    quadrant = np.where(centred > 0, np.where(lags > 0, HIGH_HIGH, HIGH_LOW), np.where(lags > 0, LOW_HIGH, LOW_LOW))
    return Local(
        np.where(some, others * centred * lags / squares, np.nan),
        z,
        np.where(some, p, np.nan),
        np.where(some, quadrant, 0),
    )


def _conditional(centred: Any, lags: Any, counts: Any, permutations: int, seed: int, check: Check) -> Any:
    """Pseudo p of each feature.

    All features share the same draws, as in PySAL. A draw is the first k of the values in random order; where the feature
    itself is among them, the one after them takes its place, so that it is a draw from the others. So the sums of a draw
    are the same for all features with k neighbours but for the few that are drawn themselves.
    """
    count, most = len(centred), int(counts.max())
    if not permutations or not most:
        return np.full(count, np.nan)
    if permutations * (most + 1) > MOST_DRAWN:
        raise TooManyPairs(permutations * (most + 1))
    drawn = _draws(count, most + 1, permutations, seed, check)
    sums = np.cumsum(centred[drawn], axis=1)
    targets = lags * counts
    tie = _TIE * float(np.abs(centred).max()) * np.maximum(counts, 1)
    above, below = np.zeros(count, np.int64), np.zeros(count, np.int64)  # draws as high, and as low, as the neighbours
    for k in np.unique(counts[counts > 0]).tolist():
        check()
        rows = np.flatnonzero(counts == k)
        ordered = np.sort(sums[:, k - 1])
        above[rows] = permutations - np.searchsorted(ordered, targets[rows] - tie[rows])
        below[rows] = np.searchsorted(ordered, targets[rows] + tie[rows], side="right")
    for start in range(0, permutations, _DRAWS):
        check()
        draw, place = np.nonzero(np.arange(most) < counts[drawn[start : start + _DRAWS, :most]])
        draw += start
        itself = drawn[draw, place]
        before = sums[draw, counts[itself] - 1]
        after = before - centred[itself] + centred[drawn[draw, counts[itself]]]
        high, low = targets[itself] - tie[itself], targets[itself] + tie[itself]
        np.add.at(above, itself, (after >= high).astype(np.int64) - (before >= high))
        np.add.at(below, itself, (after <= low).astype(np.int64) - (before <= low))
    larger = np.where(centred >= 0, above, below)  # I is as large where the sum is as far out on the feature's own side
    return (np.minimum(larger, permutations - larger) + 1) / (permutations + 1)


def _draws(count: int, wanted: int, permutations: int, seed: int, check: Check) -> Any:
    """(permutations, wanted) different row numbers each, in random order."""
    generator = np.random.default_rng(seed)
    drawn = np.empty((permutations, wanted), dtype=np.int64)
    for number in range(permutations):
        check()
        drawn[number] = generator.choice(count, wanted, replace=False)
    return drawn
