"""The provider's own statistics and raster algorithms on numpy, in one list."""

from __future__ import annotations

from .curvature import CurvatureAlgorithm
from .deviational_ellipse import DeviationalEllipseAlgorithm
from .focal_statistics import FocalStatisticsAlgorithm
from .hot_spots import HotSpotsAlgorithm
from .least_cost_path import LeastCostPathAlgorithm
from .moran import GlobalMoranAlgorithm, LocalMoranAlgorithm

NUMERICS = (
    CurvatureAlgorithm,
    DeviationalEllipseAlgorithm,
    FocalStatisticsAlgorithm,
    GlobalMoranAlgorithm,
    HotSpotsAlgorithm,
    LeastCostPathAlgorithm,
    LocalMoranAlgorithm,
)
