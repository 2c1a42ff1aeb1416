"""Standard deviational ellipses and centres of points in a plane, with numpy alone.

Sources: D. W. Lefever, Measuring geographic concentration by means of the standard deviational ellipse, American Journal of
Sociology 32 (1926); R. S. Yuill, The standard deviational ellipse, Geografiska Annaler B 53 (1971); N. Levine, CrimeStat
(√2 and n - 2); E. Weiszfeld (1937) with Y. Vardi and C.-H. Zhang, The multivariate L1-median and associated data depth (2000).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Tuple

import numpy as np

SIGMA, ROOT_TWO, CRIMESTAT = 0, 1, 2
_STEPS = 1000


class Ellipse(NamedTuple):
    """Mean centre (x, y), half axes, and the direction of the long one in degrees clockwise from the y axis, 0 to 180."""

    x: float
    y: float
    major: float
    minor: float
    azimuth: float

    def ring(self, vertices: int) -> Any:
        """A closed ring of ``vertices`` + 1 places, clockwise from the end of the long axis."""
        turn = -np.linspace(0.0, 2 * math.pi, vertices + 1)
        along, across = self.major * np.cos(turn), self.minor * np.sin(turn)
        angle = math.radians(self.azimuth)
        x = self.x + along * math.sin(angle) - across * math.cos(angle)
        y = self.y + along * math.cos(angle) + across * math.sin(angle)
        ring = np.stack([x, y], 1)
        ring[-1] = ring[0]
        return ring


def ellipse(places: Any, weights: Any, deviations: float, scaling: int) -> Ellipse:
    """The ellipse of places (n, 2) with weights (n,): axes are the eigenvectors of the covariance about the mean centre.

    ``scaling`` of the standard deviations along them: SIGMA none, ROOT_TWO √2 (about 63 % of a normal distribution), CRIMESTAT
    √2 with n - 2 in place of n.
    """
    mean = np.average(places, axis=0, weights=weights)
    away = places - mean
    covariance = (away * weights[:, None]).T @ away / weights.sum()
    values, vectors = np.linalg.eigh(covariance)
    factor = deviations * (1.0 if scaling == SIGMA else math.sqrt(2))
    if scaling == CRIMESTAT:
        factor *= math.sqrt(len(places) / (len(places) - 2))
    minor, major = (factor * math.sqrt(max(float(each), 0.0)) for each in values)
    azimuth = math.degrees(math.atan2(float(vectors[0, 1]), float(vectors[1, 1]))) % 180.0
    return Ellipse(float(mean[0]), float(mean[1]), major, minor, azimuth)


def median_centre(places: Any, weights: Any) -> Tuple[float, float]:
    """The place with the smallest sum of weighted distances, to 1e-9 of the spread of the places."""
    here = np.average(places, axis=0, weights=weights)
    spread = float(np.abs(places - here).max())
    for _ in range(_STEPS):
        away = np.sqrt(((places - here) ** 2).sum(1))
        at = away <= 1e-12 * spread
        pull = weights / np.where(at, np.inf, away)
        if not pull.sum() > 0:
            break
        target = (places * pull[:, None]).sum(0) / pull.sum()
        if at.any():
            force = float(np.sqrt((((places - here) * pull[:, None]).sum(0) ** 2).sum()))
            stay = min(1.0, float(weights[at].sum()) / force) if force > 0 else 1.0
            target = (1 - stay) * target + stay * here
        moved = float(np.abs(target - here).max())
        here = target
        if moved <= 1e-10 * spread:
            break
    return float(here[0]), float(here[1])
