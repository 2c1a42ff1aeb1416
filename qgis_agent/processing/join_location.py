"""``qgisagent:joinbylocation``: joins by place with all numbers told, a fixed order, and the database's help where it can.

QGIS's own join takes the partner that comes first in an index, needs an index in the data to be quick, joins a feature of a
layer to itself, and does not tell how many had several partners.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsField,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingOutputString,
    QgsProcessingParameterEnum,
    QgsVariantUtils,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.inputs.preflight import ground_measure
from ..gis.analysis.joins import postgis
from ..gis.analysis.joins.relate import (
    PREDICATES,
    Related,
)
from ..gis.features import read_features
from ..gis.i18n import translate
from .joining import JoinAlgorithm, Row

METHODS = ("one_to_many", "first", "largest_overlap", "summary")
SUMMARIES = ("sum", "mean", "min", "max")
COUNT = "count"
HERE = "QGIS (GEOS), indexed in memory"


class JoinByLocationAlgorithm(JoinAlgorithm):
    """Rows of the input with the fields of the features that it intersects, contains, touches …"""

    PREDICATE, METHOD, SUMMARY, ENGINE = "PREDICATE", "METHOD", "SUMMARIES", "ENGINE"

    def __init__(self) -> None:
        super().__init__()
        self._server: Optional[postgis.ServerPairs] = None

    def createInstance(self) -> JoinByLocationAlgorithm:  # noqa: N802
        """Qt's factory."""
        return JoinByLocationAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "joinbylocation"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Join by location, with counts")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Adds fields of the features that lie at the same place. Rows keep their order; of several partners the one with "
            "the lowest id is first. It tells how many features have no partner, one, or several. Where both layers are tables "
            "of one PostGIS database, the database finds the pairs.",
        )

    def add_more(self) -> None:
        """Predicate, method, and what a summary has."""
        self.addParameter(
            QgsProcessingParameterEnum(
                self.PREDICATE,
                translate("QgisAgent", "The input … the layer to join"),
                list(PREDICATES),
                False,
                "intersects",
                False,
                True,
            )
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                self.METHOD, translate("QgisAgent", "Method"), list(METHODS), False, "one_to_many", False, True
            )
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                self.SUMMARY,
                translate("QgisAgent", "Numbers of a summary"),
                list(SUMMARIES),
                True,
                ["sum", "mean"],
                True,
                True,
            )
        )
        self.addOutput(QgsProcessingOutputString(self.ENGINE, translate("QgisAgent", "What found the pairs")))

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """As every join; and see whether the database can do it."""
        good = super().prepareAlgorithm(parameters, context, feedback)
        one, two = (self.parameterAsVectorLayer(parameters, each, context) for each in (self.INPUT, self.JOIN))
        if self.whole and one is not None and two is not None:
            self._server = postgis.server_pairs(
                one, two, self.parameterAsEnumString(parameters, self.PREDICATE, context)
            )
        return good

    def join(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See JoinAlgorithm."""
        engine = HERE
        pairs = self._server.pairs(feedback) if self._server is not None else None
        if pairs is not None:
            engine = postgis.HOW
        else:
            predicate = self.parameterAsEnumString(parameters, self.PREDICATE, context)
            fewer = self._input.featureCount() < self._join.featureCount()
            pairs = Related(*self.sides(), predicate, left_is_fewer=fewer, same=self._same).pairs(feedback)
        method = self.parameterAsEnumString(parameters, self.METHOD, context)
        if method == "summary":
            result = self._summary(parameters, context, feedback, pairs)
        else:
            if method == "first":
                rows = {each: [Row(others[0])] for each, others in pairs.items()}
            elif method == "largest_overlap":
                rows = self._largest(pairs, feedback)
            else:
                rows = {each: [Row(other) for other in others] for each, others in pairs.items()}
            result = self.write(parameters, context, feedback, pairs, rows)
        return {**result, self.ENGINE: engine}

    def _largest(self, pairs: Dict[int, List[int]], feedback: QgsProcessingFeedback) -> Dict[int, List[Row]]:
        """The partner with which a feature shares the most area (m² on the ellipsoid), or length where no area is shared."""
        several = {each for each, others in pairs.items() if len(others) > 1}
        wanted = {other for each in several for other in pairs[each]}
        left, right = self.sides()
        crs = left.crs
        theirs = {
            each.id(): QgsGeometry(each.geometry())
            for each in read_features(right.source, right.request(crs), feedback)
            if each.id() in wanted
        }
        measure = ground_measure(crs)

        def shared(one: QgsGeometry, other: int) -> tuple[float, float, int]:
            common = one.intersection(theirs[other])
            area = measure.measureArea(common) if common.type() == Qgis.GeometryType.Polygon else 0.0
            length = measure.measureLength(common) if common.type() == Qgis.GeometryType.Line else 0.0
            return area, length, -other

        rows = {each: [Row(others[0])] for each, others in pairs.items()}
        for feature in read_features(left.source, left.request(crs), feedback):
            if feature.id() in several:
                geometry = QgsGeometry(feature.geometry())
                best = max(shared(geometry, other) for other in pairs[feature.id()])
                rows[feature.id()] = [Row(-best[2])]
        return rows

    def _summary(
        self,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        feedback: QgsProcessingFeedback,
        pairs: Dict[int, List[int]],
    ) -> Dict[str, Any]:
        """Count of the partners, and numbers of their fields; NULL is left out, and nothing has no sum."""
        names = self.chosen(parameters, context)
        functions = [str(each) for each in self.parameterAsEnumStrings(parameters, self.SUMMARY, context)]
        prefix = self.parameterAsString(parameters, self.PREFIX, context)
        values = self._numbers(names, {other for each in pairs.values() for other in each}, feedback)
        fields = [QgsField(prefix + COUNT, QMetaType.Type.LongLong)]
        fields += [
            QgsField("{}{}_{}".format(prefix, name, function), QMetaType.Type.Double)
            for name in names
            for function in functions
        ]
        rows = {}
        for ident, others in pairs.items():
            more: List[Any] = [len(others)]
            for position in range(len(names)):
                present = [values[other][position] for other in others if values[other][position] is not None]
                more.extend(summary(present, function) for function in functions)
            rows[ident] = [Row(None, more)]
        nothing = Row(None, [0] + [None] * (len(fields) - 1))
        return self.write(parameters, context, feedback, pairs, rows, more=fields, names=(), nothing=nothing)

    def _numbers(
        self, names: Sequence[str], wanted: set[int], feedback: QgsProcessingFeedback
    ) -> Dict[int, List[Optional[float]]]:
        positions = [self._join.fields().lookupField(each) for each in names]
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry).setSubsetOfAttributes(positions)
        return {
            each.id(): [None if QgsVariantUtils.isNull(each[at]) else float(each[at]) for at in positions]
            for each in read_features(self._join, request, feedback)
            if each.id() in wanted
        }


def summary(values: Sequence[float], function: str) -> Optional[float]:
    """Sum, mean, min or max of values; None of none."""
    if not values:
        return None
    if function == "mean":
        return sum(values) / len(values)
    return {"sum": sum, "min": min, "max": max}[function](values)
