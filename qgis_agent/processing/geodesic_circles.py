"""``qgisagent:geodesiccircles``: circles or rings by metres on the ellipsoid around points, many at once."""

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, Iterable, List, Optional, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
)

from ..gis.analysis.ground import circles
from ..gis.analysis.ground.geodesic import GeodesicBuffer
from ..gis.analysis.ground.units import (
    SEGMENTS,
    degrees_crs,
    has_seam,
)
from ..gis.i18n import translate
from .tags import Tagged

_CHUNK = 250
"""A change of CRS holds Python's lock, and so the main thread: for 250 circles some 7 ms, for 1,000 some 50 ms."""


class GeodesicCirclesAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Circles around points, with a hole where INNER is given. The result is in the CRS of the input, cut at 180°.

    Several points of a multipoint feature get one merged area. Features without a geometry keep none.
    """

    INPUT, DISTANCE, INNER, SEGMENTS, OUTPUT = "INPUT", "DISTANCE", "INNER", "SEGMENTS", "OUTPUT"

    def createInstance(self) -> GeodesicCirclesAlgorithm:  # noqa: N802
        """Qt's factory."""
        return GeodesicCirclesAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "geodesiccircles"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Geodesic circles around points")

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
            "Circles by metres on the WGS 84 ellipsoid around points, whatever the layer's CRS is, or rings between two "
            "distances. With 12 or more segments the radius is within 0.35 % of the geodesic distance. Circles that cross "
            "180° are cut there.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Points, outer and inner distance in metres, segments of a quarter circle."""
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                self.INPUT, translate("QgisAgent", "Points"), [QgsProcessing.SourceType.TypeVectorPoint]
            )
        )
        number = QgsProcessingParameterNumber.Type
        distances = (
            (self.DISTANCE, translate("QgisAgent", "Distance (metres)"), 1000.0, 0.001),
            (self.INNER, translate("QgisAgent", "Inner distance (metres), 0 for a full circle"), 0.0, 0.0),
        )
        for name, said, default, least in distances:
            self.addParameter(
                QgsProcessingParameterNumber(name, said, number.Double, default, False, least, 2_000_000.0)
            )
        said = translate("QgisAgent", "Segments of a quarter circle")
        self.addParameter(QgsProcessingParameterNumber(self.SEGMENTS, said, number.Integer, SEGMENTS, False, 8, 256))
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, translate("QgisAgent", "Circles")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """QgsProcessingException without a CRS, for a wrong inner distance, and for a point that has no place on earth."""
        source = self.parameterAsSource(parameters, self.INPUT, context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, self.INPUT))
        if not source.sourceCrs().isValid():
            raise QgsProcessingException(translate("QgisAgent", "The layer has no CRS, so metres are unknown."))
        outer, inner = (self.parameterAsDouble(parameters, each, context) for each in (self.DISTANCE, self.INNER))
        if inner >= outer:
            raise QgsProcessingException(translate("QgisAgent", "The inner distance must be less than the distance."))
        crs = source.sourceCrs()
        sink, destination = self.parameterAsSink(
            parameters, self.OUTPUT, context, plain_fields(source.fields()), Qgis.WkbType.MultiPolygon, crs
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        maker = _Maker(crs, (outer, inner), self.parameterAsInt(parameters, self.SEGMENTS, context), context)
        total, done = source.featureCount(), 0
        features = iter(source.getFeatures())
        while True:
            if feedback.isCanceled():
                return {}
            chunk = list(islice(features, _CHUNK))
            if not chunk:
                break
            maker.replace(chunk)
            if not sink.addFeatures(chunk, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
            done += len(chunk)
            feedback.setProgress(100.0 * done / total if total > 0 else 0.0)
        return {self.OUTPUT: destination}


def plain_fields(fields: QgsFields) -> QgsFields:
    """The fields without aliases and comments: of each QGIS would warn that a temporary layer cannot keep it."""
    plain = QgsFields()
    for each in fields:
        field = QgsField(each)
        field.setAlias("")
        field.setComment("")
        plain.append(field)
    return plain


class _Maker:
    """Gives features circles instead of their points."""

    def __init__(
        self,
        crs: QgsCoordinateReferenceSystem,
        distances: Tuple[float, float],
        segments: int,
        context: QgsProcessingContext,
    ) -> None:
        self._crs = crs
        self._distances = [each for each in distances if each > 0]
        self._segments = segments
        self._transform_context = context.transformContext()
        self._forth = QgsCoordinateTransform(crs, degrees_crs(), self._transform_context)
        self._forth.setBallparkTransformsAreAppropriate(True)
        self._general = [GeodesicBuffer(each, segments=segments) for each in self._distances]

    def replace(self, features: List[QgsFeature]) -> None:
        """Set the geometries of these features."""
        owners: List[int] = []
        places: List[Tuple[float, float]] = []
        for number, feature in enumerate(features):
            for point in _points(feature.geometry()):
                owners.append(number)
                places.append((point.x(), point.y()))
        if not places:
            return
        lonlat = self._lonlat(np.array(places), owners, features)
        made: Dict[int, List[QgsGeometry]] = {}
        for owner, shape in zip(owners, self._shapes(lonlat, owners, features)):
            made.setdefault(owner, []).append(shape)
        for owner, shapes in made.items():
            features[owner].setGeometry(_merged(shapes))

    def _lonlat(self, places: Any, owners: List[int], features: List[QgsFeature]) -> Any:
        try:
            lonlat = circles.transformed(places, self._forth) if self._forth.isValid() else places
        except QgsCsException:
            raise _no_place(None) from None
        wrong = ~(np.isfinite(lonlat).all(axis=1) & (np.abs(lonlat[:, 1]) <= 90.0))
        if wrong.any():
            raise _no_place(features[owners[int(np.argmax(wrong))]].id())
        return lonlat

    def _shapes(self, lonlat: Any, owners: List[int], features: List[QgsFeature]) -> List[QgsGeometry]:
        rings = [circles.circles(lonlat, each, self._segments) for each in self._distances]
        simple = circles.simple(lonlat, rings[0], self._distances[0])
        shapes: List[Optional[QgsGeometry]] = [None] * len(lonlat)
        chosen = np.flatnonzero(simple)
        try:
            if len(chosen):
                back = [self._back(each[chosen]) for each in rings]
                for number, wkb in zip(chosen.tolist(), circles.polygons(back)):
                    shape = QgsGeometry()
                    shape.fromWkb(wkb)
                    shapes[number] = shape
            for number in np.flatnonzero(~simple).tolist():
                shapes[number] = self._by_itself(lonlat[number], [each[number] for each in rings])
        except QgsCsException:
            raise _no_place(None) from None
        return [each for each in shapes if each is not None]

    def _back(self, rings: Any) -> Any:
        return circles.transformed(rings, self._forth, reverse=True)

    def _by_itself(self, place: Any, rings: List[Any]) -> QgsGeometry:
        """Near a pole, across 180° or very large. A CRS that goes on at 180° takes the ring as it is."""
        longitude, latitude = float(place[0]), float(place[1])
        whole = np.abs(rings[0][:, 1]).max() <= circles.MAX_LATITUDE and self._distances[0] <= circles.MAX_DISTANCE_M
        if whole and not has_seam(self._crs, latitude, self._transform_context):
            shape = QgsGeometry()
            shape.fromWkb(circles.polygons([self._back(each[None]) for each in rings])[0])
            return shape
        point = QgsGeometry.fromPointXY(QgsPointXY(longitude, latitude))
        found = [each.buffer(point) for each in self._general]
        shape = found[0] if len(found) == 1 else found[0].difference(found[1])
        shape.transform(self._forth, QgsCoordinateTransform.TransformDirection.ReverseTransform)
        return shape


def _points(geometry: QgsGeometry) -> Iterable[QgsPointXY]:
    if geometry.isNull() or geometry.isEmpty():
        return ()
    if not geometry.isMultipart():
        return (geometry.asPoint(),)
    return geometry.asMultiPoint()


def _merged(shapes: List[QgsGeometry]) -> QgsGeometry:
    if len(shapes) == 1:
        return shapes[0]
    merged = QgsGeometry.unaryUnion(shapes)
    merged.convertToMultiType()
    return merged


def _no_place(feature_id: Optional[int]) -> QgsProcessingException:
    if feature_id is None:
        return QgsProcessingException(translate("QgisAgent", "A point or its circle has no place in the layer's CRS."))
    return QgsProcessingException(
        translate("QgisAgent", "The point of feature {} has no place on earth.").format(feature_id)
    )
