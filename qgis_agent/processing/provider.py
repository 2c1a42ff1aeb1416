"""The Processing provider ``qgisagent``."""

from __future__ import annotations

from pathlib import Path
from typing import List

from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .ask import AskAlgorithm
from .check_geometries import CheckGeometriesAlgorithm
from .geodesic_buffer import GeodesicBufferAlgorithm
from .geodesic_circles import GeodesicCirclesAlgorithm
from .joins import JOINS
from .numerics import NUMERICS
from .points_in_polygons import PointsInPolygonsAlgorithm
from .raster_calculate import RasterCalculateAlgorithm

_ICON = Path(__file__).resolve().parents[2] / "resources" / "icons" / "qgis_agent.svg"


_KEPT: List[QgsProcessingProvider] = []
"""Python must hold every provider: when its wrapper goes, its algorithms go on without their Python methods. All of them, for
one that is made beside the registered one must not take its place here."""


class QgisAgentProvider(QgsProcessingProvider):
    """What QGIS lacks for our plans, and the agent itself, as algorithms."""

    def __init__(self) -> None:
        super().__init__()
        _KEPT.append(self)

    def id(self) -> str:
        """Stable id: algorithms are named ``qgisagent:…``."""
        return "qgisagent"

    def name(self) -> str:
        """Name in the toolbox (the plugin's name, not translated)."""
        return "QGIS Agent"

    def icon(self) -> QIcon:
        """The plugin's icon; QGIS's own where the file is missing."""
        return QIcon(str(_ICON)) if _ICON.is_file() else super().icon()

    def loadAlgorithms(self) -> None:  # noqa: N802
        """All algorithms."""
        for algorithm in (
            AskAlgorithm,
            CheckGeometriesAlgorithm,
            GeodesicBufferAlgorithm,
            GeodesicCirclesAlgorithm,
            PointsInPolygonsAlgorithm,
            RasterCalculateAlgorithm,
            *JOINS,
            *NUMERICS,
        ):
            self.addAlgorithm(algorithm())
