"""``qgisagent:deviationalellipse``: where the middle of features is, how far they spread, and in which direction."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureSink,
    QgsFeatureSource,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
    QgsVariantUtils,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.ground.circles import transformed
from ..gis.analysis.ground.geodesic import region
from ..gis.analysis.ground.units import (
    EARTH_RADIUS_M,
    PLANE_RADIUS_M,
    degrees_crs,
    local_crs,
)
from ..gis.analysis.joins.near_points import through_earth
from ..gis.i18n import translate
from .ellipses import ROOT_TWO, Ellipse, ellipse, median_centre
from .geodesic_circles import plain_fields
from .sampling import CHECK_EVERY, FEWEST, Sample, read_sample, require_enough, stopper
from .statistics_base import Number, StatisticsAlgorithm

_VERTICES = 360
_MOST_GROUPS = 10_000
_HALF_EARTH_M = 9_000_000.0
"""Farther than this from the centre a plane says nothing of directions."""
_THIN, _THIN_M = 1e-6, 0.01
"""What is thinner, as a share of its length or in metres, is a line: PROJ puts what is 1 mm from the centre into it."""
_ONE_MINUS_E2 = 1 - 0.0066943799901413165
"""Of WGS 84: from the direction of a place on the ellipsoid to its latitude."""


class _Group(NamedTuple):
    value: Any
    count: int
    weight: float
    shape: Ellipse
    centre: Tuple[float, float]
    median: Tuple[float, float]
    ring: Any


class DeviationalEllipseAlgorithm(StatisticsAlgorithm):
    """One ellipse a group, and its mean and median centre as points.

    Fields: the group's, n, weight, center_x, center_y (degrees), major_m, minor_m (half axes), azimuth (degrees from north),
    area_m2; of the points also kind (mean or median).
    """

    WEIGHT, GROUP, DEVIATIONS, SCALING, CENTRES = "WEIGHT", "GROUP", "DEVIATIONS", "SCALING", "CENTRES"
    COUNT, LEFT_OUT = "ELLIPSES", "LEFT_OUT"

    def createInstance(self) -> DeviationalEllipseAlgorithm:  # noqa: N802
        """Qt's factory."""
        return DeviationalEllipseAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "deviationalellipse"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Standard deviational ellipse and centres")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "The spread and direction of features as an ellipse (Lefever 1926, Yuill 1971), with their mean centre "
            "and their median centre (smallest sum of distances). Measured in metres in an azimuthal equidistant "
            "plane around the middle; of lines and polygons between centroids. Fields: n, weight, center_x and "
            "center_y (degrees), major_m and minor_m (half axes, metres), azimuth of the long axis (degrees clockwise"
            " from north), area_m2. At least 3 features a group are needed.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Layer, weights, groups, size of the ellipse, and both outputs."""
        self.add_layer()
        said = translate("QgisAgent", "Weight field")
        numeric = Qgis.ProcessingFieldParameterDataType.Numeric
        self.addParameter(QgsProcessingParameterField(self.WEIGHT, said, None, self.INPUT, numeric, False, True))
        anything = Qgis.ProcessingFieldParameterDataType.Any
        said = translate("QgisAgent", "Group field: an ellipse for each value")
        self.addParameter(QgsProcessingParameterField(self.GROUP, said, None, self.INPUT, anything, False, True))
        said = translate("QgisAgent", "Standard deviations")
        self.addParameter(QgsProcessingParameterNumber(self.DEVIATIONS, said, Number.Double, 1.0, False, 0.1, 10.0))
        kinds = [
            translate("QgisAgent", "Standard deviations along the axes"),
            translate("QgisAgent", "√2 times as large: 1 holds about 63 % of a normal distribution (as ArcGIS)"),
            translate("QgisAgent", "√2 times as large, n - 2 (as CrimeStat)"),
        ]
        said = translate("QgisAgent", "Size of the half axes")
        self.addParameter(QgsProcessingParameterEnum(self.SCALING, said, kinds, False, ROOT_TWO))
        polygons, points = QgsProcessing.SourceType.TypeVectorPolygon, QgsProcessing.SourceType.TypeVectorPoint
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, translate("QgisAgent", "Ellipses"), polygons))
        said = translate("QgisAgent", "Mean and median centres")
        self.addParameter(QgsProcessingParameterFeatureSink(self.CENTRES, said, points, None, True, False))
        self.addOutput(QgsProcessingOutputNumber(self.COUNT, translate("QgisAgent", "Ellipses")))
        self.addOutput(QgsProcessingOutputNumber(self.LEFT_OUT, translate("QgisAgent", "Features left out")))

    def compute(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See StatisticsAlgorithm."""
        source = self.source(parameters, context)
        weight_field = self.parameterAsString(parameters, self.WEIGHT, context)
        group_field = self.parameterAsString(parameters, self.GROUP, context)
        found, left_out = read_sample(source, weight_field, context, feedback)
        found, dropped = _weighty(found, feedback)
        require_enough(len(found.ids), FEWEST)
        groups = self._groups(source, group_field, found, feedback)
        made = self._ellipses(parameters, context, feedback, found, groups)
        if not made:
            raise QgsProcessingException(
                translate("QgisAgent", "No group has {} features that do not lie in one line.").format(FEWEST)
            )
        fields = _fields(source, group_field)
        back = QgsCoordinateTransform(degrees_crs(), source.sourceCrs(), context.transformContext())
        back.setBallparkTransformsAreAppropriate(True)
        result: Dict[str, Any] = {}
        for name, kind in ((self.OUTPUT, Qgis.WkbType.MultiPolygon), (self.CENTRES, Qgis.WkbType.Point)):
            if name == self.CENTRES:
                fields.append(QgsField("kind", QMetaType.Type.QString))
            sink, destination = self.parameterAsSink(parameters, name, context, fields, kind, source.sourceCrs())
            if sink is None and name == self.OUTPUT:
                raise QgsProcessingException(self.invalidSinkError(parameters, name))
            if sink is None:
                continue
            for feature in _features(made, fields, back, bool(group_field), name == self.CENTRES):
                if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
                    raise QgsProcessingException(self.writeFeatureError(sink, parameters, name))
            result[name] = destination
        return {**result, self.COUNT: len(made), self.LEFT_OUT: left_out + dropped}

    def _groups(
        self, source: QgsFeatureSource, field: str, found: Sample, feedback: QgsProcessingFeedback
    ) -> List[Tuple[Any, Any]]:
        """(value, row numbers) of each group in the order of the layer; one without a field."""
        if not field:
            return [(None, np.arange(len(found.ids)))]
        position = source.fields().lookupField(field)
        check = stopper(feedback)
        values: Dict[int, Any] = {}
        for number, feature in enumerate(source.getFeatures()):
            if not number % CHECK_EVERY:
                check()
            values[feature.id()] = feature[position]
        rows: Dict[Any, List[int]] = {}
        for number, ident in enumerate(found.ids):
            value = values.get(ident)
            rows.setdefault(None if QgsVariantUtils.isNull(value) else value, []).append(number)
        if len(rows) > _MOST_GROUPS:
            raise QgsProcessingException(
                translate("QgisAgent", "'{}' has {} values; at most {} groups are made.").format(
                    field, len(rows), _MOST_GROUPS
                )
            )
        return [(value, np.array(numbers)) for value, numbers in rows.items()]

    def _ellipses(
        self,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        feedback: QgsProcessingFeedback,
        found: Sample,
        groups: List[Tuple[Any, Any]],
    ) -> List[_Group]:
        deviations = self.parameterAsDouble(parameters, self.DEVIATIONS, context)
        scaling = self.parameterAsEnum(parameters, self.SCALING, context)
        check = stopper(feedback)
        made: List[_Group] = []
        skipped = 0
        for number, (value, rows) in enumerate(groups):
            check()
            part = Sample([], found.values[rows], found.lonlat[rows])
            one = _ellipse(value, part, (deviations, scaling), context, feedback) if len(rows) >= FEWEST else None
            if one is None:
                skipped += 1
            else:
                made.append(one)
            feedback.setProgress(100.0 * (number + 1) / len(groups))
        if skipped and made:
            feedback.pushWarning(
                translate(
                    "QgisAgent", "{} groups have no ellipse: fewer than {} features, or all of them in one line."
                ).format(skipped, FEWEST)
            )
        return made


def _weighty(found: Sample, feedback: QgsProcessingFeedback) -> Tuple[Sample, int]:
    """Without those whose weight is 0. QgsProcessingException for negative weights."""
    if len(found.values) and found.values.min() < 0:
        raise QgsProcessingException(translate("QgisAgent", "A weight is negative; weights must be 0 or more."))
    keep = np.flatnonzero(found.values > 0)
    dropped = len(found.ids) - len(keep)
    if dropped:
        feedback.pushWarning(translate("QgisAgent", "{} features have a weight of 0 and are left out.").format(dropped))
    return Sample([found.ids[each] for each in keep.tolist()], found.values[keep], found.lonlat[keep]), dropped


def _ellipse(
    value: Any,
    part: Sample,
    size: Tuple[float, int],
    context: QgsProcessingContext,
    feedback: QgsProcessingFeedback,
) -> Optional[_Group]:
    """The ellipse in a plane around the middle of the places; None where they lie in one line."""
    weights = part.values
    middle = np.average(through_earth(part.lonlat[:, 0], part.lonlat[:, 1]), axis=0, weights=weights)
    if float(np.sqrt((middle**2).sum())) < 0.1 * EARTH_RADIUS_M:
        raise QgsProcessingException(
            translate("QgisAgent", "The features lie all around the earth: they have no middle.")
        )
    longitude = math.degrees(math.atan2(middle[1], middle[0]))
    latitude = math.degrees(math.atan2(middle[2], math.hypot(middle[0], middle[1]) * _ONE_MINUS_E2))
    plane = QgsCoordinateTransform(degrees_crs(), local_crs(longitude, latitude), context.transformContext())
    try:
        places = transformed(part.lonlat, plane)
        shape = ellipse(places, weights, size[0], size[1])
        farthest = float(np.sqrt((places**2).sum(1)).max())
        if farthest > _HALF_EARTH_M:
            raise QgsProcessingException(
                translate("QgisAgent", "The features lie farther apart than half the earth: no plane can show them.")
            )
        if not shape.minor > max(_THIN * shape.major, _THIN_M):
            return None
        if farthest > PLANE_RADIUS_M:
            angle = farthest / EARTH_RADIUS_M
            feedback.pushWarning(
                translate(
                    "QgisAgent",
                    "The farthest feature is {:.0f} km from the centre: across, distances are up to {:.2g} % too long.",
                ).format(farthest / 1000, 100 * (angle / math.sin(angle) - 1))
            )
        median = median_centre(places, weights)
        points = transformed(np.array([(shape.x, shape.y), median]), plane, reverse=True)
        ring = transformed(shape.ring(_VERTICES), plane, reverse=True)
    except QgsCsException:
        raise QgsProcessingException(translate("QgisAgent", "The ellipse does not fit on the earth.")) from None
    centre, median = (tuple(each) for each in points.tolist())
    return _Group(value, len(weights), float(weights.sum()), shape, centre, median, ring)


def _fields(source: QgsFeatureSource, group: str) -> QgsFields:
    fields = QgsFields()
    if group:
        fields.append(plain_fields(source.fields())[source.fields().lookupField(group)])
    fields.append(QgsField("n", QMetaType.Type.LongLong))
    for name in ("weight", "center_x", "center_y", "major_m", "minor_m", "azimuth", "area_m2"):
        fields.append(QgsField(name, QMetaType.Type.Double))
    return fields


def _features(
    groups: List[_Group], fields: QgsFields, back: QgsCoordinateTransform, grouped: bool, centres: bool
) -> List[QgsFeature]:
    """The rows of one output, in the layer's CRS."""
    made: List[QgsFeature] = []
    for each in groups:
        area = math.pi * each.shape.major * each.shape.minor
        values = [each.value] if grouped else []
        values += [each.count, each.weight, *each.centre, each.shape.major, each.shape.minor, each.shape.azimuth, area]
        if not centres:
            shapes = [("", region([tuple(place) for place in each.ring.tolist()]))]
            shapes[0][1].convertToMultiType()
        else:
            kinds = (("mean", each.centre), ("median", each.median))
            shapes = [(kind, QgsGeometry.fromPointXY(QgsPointXY(*place))) for kind, place in kinds]
        for kind, shape in shapes:
            try:
                shape.transform(back)
            except QgsCsException:
                raise QgsProcessingException(
                    translate("QgisAgent", "The ellipse has no place in the CRS of the layer.")
                ) from None
            feature = QgsFeature(fields)
            given = list(values)
            if kind == "median":
                at = 3 if grouped else 2
                given[at : at + 2] = each.median
            feature.setAttributes([*given, kind] if centres else given)
            feature.setGeometry(shape)
            made.append(feature)
    return made
