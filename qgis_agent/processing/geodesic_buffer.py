"""``qgisagent:geodesicbuffer``: buffers by metres on the ellipsoid, anywhere on earth and in any CRS."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsGeometry,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureBasedAlgorithm,
    QgsProcessingFeedback,
    QgsProcessingParameterNumber,
)

from ..gis.analysis.ground.geodesic import (
    STEP_DEGREES,
    GeodesicBuffer,
)
from ..gis.analysis.ground.units import (
    SEGMENTS,
    degrees_crs,
    metres_in_units,
)
from ..gis.i18n import translate
from .tags import Tagged


class GeodesicBufferAlgorithm(Tagged, QgsProcessingFeatureBasedAlgorithm):
    """A buffer whose radius is right on the ground, also for features all over the world and across 180°.

    The result is in the CRS of the input, cut at 180°. Features without a geometry keep none.
    """

    DISTANCE = "DISTANCE"
    SEGMENTS = "SEGMENTS"

    def __init__(self) -> None:
        super().__init__()
        self._buffer: Optional[GeodesicBuffer] = None
        self._forth: Optional[QgsCoordinateTransform] = None
        self._step = STEP_DEGREES

    def createInstance(self) -> GeodesicBufferAlgorithm:  # noqa: N802
        """Qt's factory."""
        return GeodesicBufferAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "geodesicbuffer"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Geodesic buffer")

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
            "Buffers features by metres on the WGS 84 ellipsoid, whatever the layer's CRS is. With 12 or more segments the radius is "
            "within 0.35 % of the geodesic distance. Buffers that cross 180° are cut there.",
        )

    def outputName(self) -> str:  # noqa: N802
        """Name of the result."""
        return translate("QgisAgent", "Buffered")

    def inputLayerTypes(self) -> List[int]:  # noqa: N802
        """Anything with a geometry."""
        return [QgsProcessing.SourceType.TypeVectorAnyGeometry]

    def outputWkbType(self, inputWkbType: Any) -> Any:  # noqa: N802, N803
        """Always multipolygons."""
        return Qgis.WkbType.MultiPolygon

    def initParameters(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Distance in metres, and segments of a quarter circle."""
        number = QgsProcessingParameterNumber.Type
        self.addParameter(
            QgsProcessingParameterNumber(
                self.DISTANCE,
                translate("QgisAgent", "Distance (metres)"),
                number.Double,
                1000.0,
                False,
                0.001,
                2_000_000.0,
            )
        )
        self.addParameter(
            QgsProcessingParameterNumber(
                self.SEGMENTS,
                translate("QgisAgent", "Segments of a quarter circle"),
                number.Integer,
                SEGMENTS,
                False,
                8,
                256,
            )
        )

    def supportInPlaceEdit(self, layer: Any) -> bool:  # noqa: N802
        """It makes areas of points, so it cannot edit a layer in place."""
        return False

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """Make the transformation and the buffer. QgsProcessingException for a layer without a CRS."""
        source = self.parameterAsSource(parameters, "INPUT", context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, "INPUT"))
        if not source.sourceCrs().isValid():
            raise QgsProcessingException(translate("QgisAgent", "The layer has no CRS, so metres are unknown."))
        crs: QgsCoordinateReferenceSystem = source.sourceCrs()
        self._forth = QgsCoordinateTransform(crs, degrees_crs(), context.transformContext())
        self._forth.setBallparkTransformsAreAppropriate(True)
        self._step = metres_in_units(crs, STEP_DEGREES * 111_000)
        self._buffer = GeodesicBuffer(
            self.parameterAsDouble(parameters, self.DISTANCE, context),
            segments=self.parameterAsInt(parameters, self.SEGMENTS, context),
        )
        return True

    def processFeature(  # noqa: N802
        self, feature: QgsFeature, context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> List[QgsFeature]:
        """One feature with its buffer. QgsProcessingException for one that has no place on earth or in the layer's CRS."""
        if not feature.hasGeometry() or self._buffer is None or self._forth is None:
            return [feature]
        geometry = QgsGeometry(feature.geometry())
        if geometry.type() != Qgis.GeometryType.Point:
            geometry.convertToStraightSegment()
            geometry = geometry.densifyByDistance(self._step)
        try:
            geometry.transform(self._forth)
            grown = self._buffer.buffer(geometry)
            grown.transform(self._forth, QgsCoordinateTransform.TransformDirection.ReverseTransform)
        except QgsCsException:
            raise QgsProcessingException(
                translate(
                    "QgisAgent", "The buffer of feature {} has no place in the layer's CRS (too near a pole?)."
                ).format(feature.id())
            ) from None
        feature.setGeometry(grown)
        return [feature]
