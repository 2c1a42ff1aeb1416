"""How well classes fit their values, and how long they take: for the tests, and for ``make bench``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from qgis.core import QgsClassificationJenks

from qgis_agent.gis.style.classification import classify


def gvf(values: Any, uppers: list[float]) -> float:
    """Goodness of variance fit of classes by their upper limits: 1 is perfect, 0 is one class."""
    ordered = np.sort(values)
    groups = np.split(ordered, np.searchsorted(ordered, uppers[:-1], side="right"))
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups if len(group))
    return 1 - within / float(((ordered - ordered.mean()) ** 2).sum())


def lognormal(count: int, seed: int = 7) -> Any:
    """Skewed values as populations and incomes are, sorted."""
    return np.sort(np.random.default_rng(seed).lognormal(0, 1, count))


def natural_breaks_fit(count: int, classes: int = 5) -> tuple[float, float]:
    """(fit of our natural breaks, fit of QGIS's own) on ``count`` values. QGIS's takes 0.7 s at 100,000 values."""
    values = lognormal(count)
    own = classify(values, "natural_breaks", classes).limits[1:]
    qgis = [each.upperBound() for each in QgsClassificationJenks().classes([float(each) for each in values], classes)]
    return gvf(values, list(own)), gvf(values, qgis)


def seconds_of(method: str, count: int = 1_000_000, classes: int = 5) -> float:
    """Seconds that the class limits of ``count`` sorted values take."""
    values = lognormal(count)
    started = time.perf_counter()
    classify(values, method, classes)
    return time.perf_counter() - started
