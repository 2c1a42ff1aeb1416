"""What the statistics of places have in common: reading values and places, neighbours, and the result's rows."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsFeature,
    QgsFeatureSink,
    QgsFeatureSource,
    QgsField,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
)

from ..gis.i18n import translate
from .geodesic_circles import plain_fields
from .neighbours import Neighbours, TooManyPairs, farthest_neighbour, nearest, within_distance
from .sampling import CHECK_EVERY, FEWEST, Sample, Stopped, read_sample, require_enough, stopper
from .tags import Tagged

BY_DISTANCE, BY_NUMBER = 0, 1
Number = QgsProcessingParameterNumber.Type


class StatisticsAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Base of the statistics of places: group, input layer, and messages."""

    INPUT, OUTPUT = "INPUT", "OUTPUT"

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Spatial statistics")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "spatialstatistics"

    def add_layer(self, kinds: Optional[Sequence[Any]] = None) -> None:
        """The parameter INPUT."""
        wanted = list(kinds or [QgsProcessing.SourceType.TypeVectorAnyGeometry])
        said = translate("QgisAgent", "Input layer")
        self.addParameter(QgsProcessingParameterFeatureSource(self.INPUT, said, wanted))

    def checkParameterValues(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Tuple[bool, str]:  # noqa: N802
        """Besides QGIS's own checks: the layer has a CRS, without which there are no metres."""
        source = self.parameterAsSource(parameters, self.INPUT, context)
        if source is not None and not source.sourceCrs().isValid():
            return False, translate("QgisAgent", "The layer has no CRS, so metres are unknown. Give it its CRS first.")
        good, message = super().checkParameterValues(parameters, context)
        return bool(good), str(message)

    def source(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> QgsFeatureSource:
        """The input. QgsProcessingException where it cannot be read."""
        source = self.parameterAsSource(parameters, self.INPUT, context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.INPUT))
        return source

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Compute; a stop gives nothing. QgsProcessingException with the reason for what cannot be computed."""
        try:
            return self.compute(parameters, context, feedback)
        except Stopped:
            return {}
        except TooManyPairs as error:
            raise QgsProcessingException(
                translate(
                    "QgisAgent",
                    "There are too many pairs of neighbours ({} or more) for the memory. Use a shorter distance or "
                    "fewer neighbours, or join features that lie at the same place first.",
                ).format(error)
            ) from None

    def compute(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """The work of the algorithm, on a worker thread."""
        raise QgsProcessingException(translate("QgisAgent", "This algorithm computes nothing."))


class NeighbourAlgorithm(StatisticsAlgorithm):
    """Base of statistics of a number field among neighbours."""

    FIELD, NEIGHBOURS, DISTANCE, NUMBER = "FIELD", "NEIGHBOURS", "DISTANCE", "NUMBER"
    USED, LEFT_OUT, ALONE, DISTANCE_USED, MEAN_NEIGHBOURS = "USED", "LEFT_OUT", "ALONE", "DISTANCE_M", "MEAN_NEIGHBOURS"
    METHOD = "METHOD"

    def add_common(self) -> None:
        """Layer, number field, and who is a neighbour."""
        self.add_layer()
        self.addParameter(
            QgsProcessingParameterField(
                self.FIELD,
                translate("QgisAgent", "Number field"),
                None,
                self.INPUT,
                Qgis.ProcessingFieldParameterDataType.Numeric,
            )
        )
        kinds = [translate("QgisAgent", "Within a distance"), translate("QgisAgent", "The nearest ones")]
        said = translate("QgisAgent", "Who is a neighbour")
        self.addParameter(QgsProcessingParameterEnum(self.NEIGHBOURS, said, kinds, False, BY_DISTANCE))
        said = translate("QgisAgent", "Distance (metres); 0: the smallest at which every feature has a neighbour")
        self.addParameter(
            QgsProcessingParameterNumber(self.DISTANCE, said, Number.Double, 0.0, False, 0.0, 21_000_000.0)
        )
        said = translate("QgisAgent", "Number of nearest neighbours")
        self.addParameter(QgsProcessingParameterNumber(self.NUMBER, said, Number.Integer, 8, False, 1, 1000))

    def add_outputs(self, title: str, kind: Any) -> None:
        """The result, and numbers about it."""
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, title, kind))
        for name, said in (
            (self.USED, translate("QgisAgent", "Features used")),
            (self.LEFT_OUT, translate("QgisAgent", "Features left out")),
            (self.ALONE, translate("QgisAgent", "Features without a neighbour")),
            (self.DISTANCE_USED, translate("QgisAgent", "Distance (metres)")),
            (self.MEAN_NEIGHBOURS, translate("QgisAgent", "Mean number of neighbours")),
        ):
            self.addOutput(QgsProcessingOutputNumber(name, said))
        self.addOutput(QgsProcessingOutputString(self.METHOD, translate("QgisAgent", "Method")))

    def add_numbers(self, numbers: Sequence[Tuple[str, str]]) -> None:
        """Further numbers, with their titles."""
        for name, said in numbers:
            self.addOutput(QgsProcessingOutputNumber(name, said))

    def sample(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Tuple[QgsFeatureSource, Sample, int]:
        """The input, the features that count, and how many do not. QgsProcessingException for too few, or equal values."""
        source = self.source(parameters, context)
        field = self.parameterAsString(parameters, self.FIELD, context)
        found, left_out = read_sample(source, field, context, feedback)
        require_enough(len(found.ids), FEWEST)
        if not float(np.ptp(found.values)) > 0:
            raise QgsProcessingException(
                translate(
                    "QgisAgent", "All values of '{}' are equal ({:.10g}): there is no pattern to look for."
                ).format(field, float(found.values[0]))
            )
        return source, found, left_out

    def neighbours(
        self,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        feedback: QgsProcessingFeedback,
        lonlat: Any,
    ) -> Neighbours:
        """Who is whose neighbour; the distance that was taken is told."""
        check = stopper(feedback)
        if self.parameterAsEnum(parameters, self.NEIGHBOURS, context) == BY_NUMBER:
            number = self.parameterAsInt(parameters, self.NUMBER, context)
            if number >= len(lonlat):
                feedback.pushWarning(
                    translate("QgisAgent", "There are only {} features: all of them are neighbours.").format(
                        len(lonlat)
                    )
                )
            return nearest(lonlat, number, check)
        distance = self.parameterAsDouble(parameters, self.DISTANCE, context)
        if not distance > 0:
            distance = farthest_neighbour(lonlat, check) * (1 + 1e-9)
            feedback.pushInfo(
                translate("QgisAgent", "Distance: {:.10g} m, so that every feature has a neighbour.").format(distance)
            )
        if not distance > 0:
            raise QgsProcessingException(translate("QgisAgent", "All features lie at the same place."))
        return within_distance(lonlat, distance, check)

    def facts(
        self, found: Sample, left_out: int, neighbours: Neighbours, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """The outputs that are numbers. Features without a neighbour are told."""
        alone = int((neighbours.counts == 0).sum())
        if alone == len(found.ids):
            raise QgsProcessingException(
                translate("QgisAgent", "No feature has a neighbour within {:.10g} m. Use a longer distance.").format(
                    neighbours.distance_m
                )
            )
        if alone:
            feedback.pushWarning(
                translate(
                    "QgisAgent", "{} features have no neighbour within {:.10g} m: nothing can be said of them."
                ).format(alone, neighbours.distance_m)
            )
        by_number = bool(np.isnan(neighbours.distance_m))
        distances = translate(
            "QgisAgent", "distances on the WGS 84 ellipsoid (chord bent to the arc), between centroids"
        )
        return {
            self.USED: len(found.ids),
            self.LEFT_OUT: left_out,
            self.ALONE: alone,
            self.DISTANCE_USED: None if by_number else float(neighbours.distance_m),
            self.MEAN_NEIGHBOURS: float(neighbours.counts.mean()),
            self.METHOD: distances,
        }


def write_rows(
    algorithm: StatisticsAlgorithm,
    parameters: Dict[str, Any],
    context: QgsProcessingContext,
    feedback: QgsProcessingFeedback,
    source: QgsFeatureSource,
    columns: Sequence[Tuple[QgsField, Sequence[Any]]],
    ids: Sequence[int],
) -> str:
    """All features of the input with the new fields, NULL for those that were left out; the destination.

    A field of the input with the same name gives way: an analysis that is run again replaces its numbers.
    """
    names = {field.name().casefold() for field, _ in columns}
    kept = [number for number, each in enumerate(source.fields()) if each.name().casefold() not in names]
    old = plain_fields(source.fields())
    fields = plain_fields(source.fields())
    for number in reversed(range(old.count())):
        if number not in kept:
            feedback.pushWarning(translate("QgisAgent", "The field '{}' is replaced.").format(old[number].name()))
            fields.remove(number)
    for field, _ in columns:
        fields.append(field)
    sink, destination = algorithm.parameterAsSink(
        parameters, algorithm.OUTPUT, context, fields, source.wkbType(), source.sourceCrs()
    )
    if sink is None:
        raise QgsProcessingException(algorithm.invalidSinkError(parameters, algorithm.OUTPUT))
    places = {ident: number for number, ident in enumerate(ids)}
    nothing = (None,) * len(columns)
    check = stopper(feedback)
    total = max(source.featureCount(), 1)
    for number, feature in enumerate(source.getFeatures()):
        if not number % CHECK_EVERY:
            check()
            feedback.setProgress(70 + 30.0 * number / total)
        made = QgsFeature(fields)
        made.setGeometry(feature.geometry())
        given = feature.attributes()
        place = places.get(feature.id())
        new = nothing if place is None else [values[place] for _, values in columns]
        made.setAttributes([*(given[each] for each in kept), *new])
        if not sink.addFeature(made, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(algorithm.writeFeatureError(sink, parameters, algorithm.OUTPUT))
    return str(destination)


def plain(values: Any) -> List[Any]:
    """An array as Python's numbers, NaN as None."""
    if values.dtype.kind != "f":
        return list(values.tolist())
    return [None if np.isnan(each) else each for each in values.tolist()]
