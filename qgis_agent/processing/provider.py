"""The Processing provider ``qgisagent``."""

from __future__ import annotations

from pathlib import Path
from typing import List, Optional

from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .ask import AskAlgorithm
from .audit_report import AuditReportAlgorithm
from .check_geometries import CheckGeometriesAlgorithm
from .desk import Desk
from .export_model import ExportModelAlgorithm
from .geodesic_buffer import GeodesicBufferAlgorithm
from .geodesic_circles import GeodesicCirclesAlgorithm
from .joins import JOINS
from .numerics import NUMERICS
from .points_in_polygons import PointsInPolygonsAlgorithm
from .raster_calculate import RasterCalculateAlgorithm
from .replay_trace import ReplayTraceAlgorithm
from .run_evaluation import RunEvaluationAlgorithm

_ICON = Path(__file__).resolve().parents[2] / "resources" / "icons" / "qgis_agent.svg"


_KEPT: List[QgsProcessingProvider] = []
"""Python must hold every provider: when its wrapper goes, its algorithms go on without their Python methods. All of them, for
one that is made beside the registered one must not take its place here."""


class QgisAgentProvider(QgsProcessingProvider):
    """What QGIS lacks for our plans, and the agent itself, as algorithms. ``desk`` tells those of the QGIS around them."""

    def __init__(self, desk: Optional[Desk] = None) -> None:
        super().__init__()
        self.desk = desk or Desk()
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
            AuditReportAlgorithm,
            ExportModelAlgorithm,
            ReplayTraceAlgorithm,
            RunEvaluationAlgorithm,
            CheckGeometriesAlgorithm,
            GeodesicBufferAlgorithm,
            GeodesicCirclesAlgorithm,
            PointsInPolygonsAlgorithm,
            RasterCalculateAlgorithm,
            *JOINS,
            *NUMERICS,
        ):
            self.addAlgorithm(algorithm())
