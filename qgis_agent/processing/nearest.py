"""``qgisagent:nearestfeatures``: the nearest features in metres on the ground, as rows or as lines."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCsException,
    QgsField,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterNumber,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.ground.units import degrees_crs
from ..gis.analysis.inputs.preflight import ground_measure
from ..gis.analysis.joins.near import (
    Near,
    neighbours,
    read_shapes,
)
from ..gis.i18n import translate
from .joining import JoinAlgorithm, Row

RANK, DISTANCE = "near_rank", "distance_m"
NUMBERS = ("DISTANCE_MIN", "DISTANCE_MEAN", "DISTANCE_MAX", "TIED", "LOST")
"""Of the nearest neighbour of each feature: smallest, mean and largest metres. TIED: features whose last neighbour is no
nearer than one that was left out. LOST: features of either layer that have no place on earth."""
_BEND_M = 50_000.0
"""Lines follow the geodesic with places at most this far apart."""


class NearestFeaturesAlgorithm(JoinAlgorithm):
    """Rows of the input with their nearest neighbours, or lines to these."""

    NEIGHBORS, MAX_DISTANCE, LINES, HOW = "NEIGHBORS", "MAX_DISTANCE", "LINES", "HOW"

    def __init__(self) -> None:
        super().__init__()
        self._back: Optional[QgsCoordinateTransform] = None
        self._measure: Any = None

    def createInstance(self) -> NearestFeaturesAlgorithm:  # noqa: N802
        """Qt's factory."""
        return NearestFeaturesAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "nearestfeatures"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Nearest features on the ground")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Finds the nearest features of another layer (or of the same one) in metres on the WGS 84 ellipsoid, whatever the "
            "CRSs are and across 180°. 0 neighbours means all within the largest distance.",
        )

    def add_more(self) -> None:
        """Number of neighbours, limit, and rows or lines."""
        number = QgsProcessingParameterNumber.Type
        neighbors = translate("QgisAgent", "Neighbours (0: all within the distance)")
        self.addParameter(QgsProcessingParameterNumber(self.NEIGHBORS, neighbors, number.Integer, 1, False, 0, 1000))
        limit = translate("QgisAgent", "Largest distance (metres)")
        self.addParameter(
            QgsProcessingParameterNumber(self.MAX_DISTANCE, limit, number.Double, None, True, 0.0, 21_000_000.0)
        )
        self.addParameter(
            QgsProcessingParameterBoolean(self.LINES, translate("QgisAgent", "Lines to the neighbours"), False)
        )
        numbers = (
            translate("QgisAgent", "Smallest distance (metres)"),
            translate("QgisAgent", "Mean distance (metres)"),
            translate("QgisAgent", "Largest distance found (metres)"),
            translate("QgisAgent", "Features with another neighbour as near as the last"),
            translate("QgisAgent", "Features without a place on earth"),
        )
        for each, said in zip(NUMBERS, numbers):
            self.addOutput(QgsProcessingOutputNumber(each, said))
        self.addOutput(QgsProcessingOutputString(self.HOW, translate("QgisAgent", "How distances were measured")))

    def join(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See JoinAlgorithm."""
        given = parameters.get(self.MAX_DISTANCE) is not None
        limit = self.parameterAsDouble(parameters, self.MAX_DISTANCE, context) if given else None
        count = self.parameterAsInt(parameters, self.NEIGHBORS, context)
        if count == 0 and limit is None:
            count = 1
        left, right = self.sides()
        first = read_shapes(left, feedback)
        second = first if self._same else read_shapes(right, feedback)
        near = neighbours(first, second, count, limit, self._same, feedback)
        lines = self.parameterAsBoolean(parameters, self.LINES, context)
        self._measure = ground_measure(degrees_crs())
        self._back = QgsCoordinateTransform(degrees_crs(), left.crs, context.transformContext())
        self._back.setBallparkTransformsAreAppropriate(True)
        rows = {
            ident: [
                Row(each.ident, [rank, each.metres], self._line(each) if lines else None)
                for rank, each in enumerate(found, 1)
            ]
            for ident, found in near.found.items()
        }
        partners = {ident: [each.ident for each in found] for ident, found in near.found.items()}
        result = self.write(
            {**parameters, self.DISCARD: True} if lines else parameters,
            context,
            feedback,
            partners,
            rows,
            more=[QgsField(RANK, QMetaType.Type.Int), QgsField(DISTANCE, QMetaType.Type.Double)],
            wkb_type=Qgis.WkbType.MultiLineString if lines else None,
        )
        lost = first.lost + (0 if self._same else second.lost)
        numbers = dict(zip(NUMBERS, [*self._spread(near.found), near.tied, lost]))
        return {**result, **numbers, self.HOW: near.how}

    def _spread(self, found: Dict[int, List[Near]]) -> List[Optional[float]]:
        nearest = [each[0].metres for each in found.values()]
        if not nearest:
            return [None, None, None]
        return [min(nearest), sum(nearest) / len(nearest), max(nearest)]

    def _line(self, near: Near) -> QgsGeometry:
        """The geodesic in the input's CRS, cut at 180°; straight where it is short."""
        start, end = QgsPointXY(*near.start), QgsPointXY(*near.end)
        if near.metres > _BEND_M or abs(start.x() - end.x()) > 180.0:
            parts = self._measure.geodesicLine(start, end, _BEND_M, True)
        else:
            parts = [[start, end]]
        line = QgsGeometry.fromMultiPolylineXY(parts)
        try:
            line.transform(self._back)
        except QgsCsException:
            return QgsGeometry()
        return line
