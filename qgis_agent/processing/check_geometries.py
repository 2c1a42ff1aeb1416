"""``qgisagent:checkgeometries``: what is wrong with geometries, as points. QGIS 3.40 has only the check of validity."""

from __future__ import annotations

from typing import Any, Dict, List

from qgis.core import (
    Qgis,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.geometry.problems import (
    CHECKS,
    Problem,
    find_problems,
)
from ..gis.errors import ToolError
from ..gis.i18n import translate
from .tags import Tagged


class CheckGeometriesAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Points where a geometry is invalid, missing parts of the rules, a duplicate, a sliver, an overlap or a gap.

    Fields of the result: check, feature (id), other (id of a second feature), reason, size_m2 (on the ellipsoid).
    """

    INPUT, CHECKS, WIDTH, OUTPUT = "INPUT", "CHECKS", "SLIVER_WIDTH", "OUTPUT"

    def createInstance(self) -> CheckGeometriesAlgorithm:  # noqa: N802
        """Qt's factory."""
        return CheckGeometriesAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "checkgeometries"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Check geometries")

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Vector")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "vector"

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Finds invalid geometries, duplicates, slivers, overlaps and gaps between polygons, rings against RFC 7946 and "
            "features of several parts. Each problem becomes a point; the layer is not changed.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Layer, checks, and the width of slivers in metres."""
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                self.INPUT,
                translate("QgisAgent", "Input layer"),
                [QgsProcessing.SourceType.TypeVectorAnyGeometry],
            )
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                self.CHECKS,
                translate("QgisAgent", "Checks"),
                options=_check_texts(),
                allowMultiple=True,
                defaultValue=[0, 1],
            )
        )
        self.addParameter(
            QgsProcessingParameterNumber(
                self.WIDTH,
                translate("QgisAgent", "Mean width of slivers (metres)"),
                QgsProcessingParameterNumber.Type.Double,
                1.0,
                False,
                0.0,
            )
        )
        self.addParameter(
            QgsProcessingParameterFeatureSink(
                self.OUTPUT, translate("QgisAgent", "Problems"), QgsProcessing.SourceType.TypeVectorPoint
            )
        )

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """All problems, in the order of the checks. QgsProcessingException when they cannot be written."""
        context.setInvalidGeometryCheck(Qgis.InvalidGeometryCheck.NoCheck)  # they are what is looked for
        source = self.parameterAsSource(parameters, self.INPUT, context)
        chosen = [CHECKS[each] for each in self.parameterAsEnums(parameters, self.CHECKS, context)]
        width = self.parameterAsDouble(parameters, self.WIDTH, context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.INPUT))
        fields = problem_fields()
        sink, destination = self.parameterAsSink(
            parameters, self.OUTPUT, context, fields, Qgis.WkbType.Point, source.sourceCrs()
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        try:
            for problem in find_problems(source, chosen, width, feedback):
                if not sink.addFeature(_feature(problem, fields), QgsFeatureSink.Flag.FastInsert):
                    raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
        except ToolError as error:  # features that cannot be read, or a stop
            if feedback.isCanceled():
                return {}
            raise QgsProcessingException(str(error)) from None
        if feedback.isCanceled():
            return {}
        return {self.OUTPUT: destination}


def problem_fields() -> QgsFields:
    """The fields of the result."""
    fields = QgsFields()
    kinds: List[Any] = [
        ("check", QMetaType.Type.QString),
        ("feature", QMetaType.Type.LongLong),
        ("other", QMetaType.Type.LongLong),
        ("reason", QMetaType.Type.QString),
        ("size_m2", QMetaType.Type.Double),
    ]
    for name, kind in kinds:
        fields.append(QgsField(name, kind))
    return fields


def _feature(problem: Problem, fields: QgsFields) -> QgsFeature:
    feature = QgsFeature(fields)
    feature.setAttributes([problem.check, problem.feature, problem.other, problem.reason, problem.size_m2])
    if problem.place is not None:
        feature.setGeometry(QgsGeometry.fromPointXY(problem.place))
    return feature


def _check_texts() -> List[str]:
    """The checks in words, in the order of CHECKS."""
    return [
        translate("QgisAgent", "validity"),
        translate("QgisAgent", "duplicates"),
        translate("QgisAgent", "slivers"),
        translate("QgisAgent", "overlaps"),
        translate("QgisAgent", "gaps"),
        translate("QgisAgent", "ring_direction"),
        translate("QgisAgent", "multipart"),
    ]
