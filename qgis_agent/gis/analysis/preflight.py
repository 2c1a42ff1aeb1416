"""What is looked at before an analysis: CRS, filter, edits, and a survey of the features."""

from __future__ import annotations

from typing import List, NamedTuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsDistanceArea,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsRectangle,
    QgsVectorLayer,
)

from ..conditions import Where, request_expression
from ..errors import NOT_FOUND, UNSUPPORTED, ToolError
from ..features import expression_context, feature_source, read_features
from ..i18n import translate
from ..layers import clean_text, layer_kind


class Survey(NamedTuple):
    """The features that an analysis gets: how many, how many without a geometry, with an invalid one, in several parts;
    their box in the layer's CRS; the sum of their areas on the ellipsoid (0 but for polygons)."""

    count: int
    without_geometry: int
    invalid: int
    multipart: int
    box: QgsRectangle
    area_m2: float

    @property
    def usable(self) -> int:
        """Features with a geometry."""
        return self.count - self.without_geometry


def ground_measure(crs: QgsCoordinateReferenceSystem) -> QgsDistanceArea:
    """Measures geometries of a CRS on the WGS 84 ellipsoid."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs, QgsCoordinateTransformContext())
    measure.setEllipsoid("EPSG:7030")
    return measure


class Surveyor:
    """Looks at every feature of a layer that matches ``where``. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where) -> None:
        self.expression = request_expression(layer, where)
        self._source = feature_source(layer)
        self._context: QgsExpressionContext = expression_context(layer)
        self._areas = layer.geometryType() == Qgis.GeometryType.Polygon
        self._measure = ground_measure(layer.crs())

    def read(self, feedback: QgsFeedback) -> Survey:
        """The survey, on a worker thread. Only polygons can be invalid in a way that spoils an analysis."""
        request = QgsFeatureRequest()
        if self.expression:
            request.setFilterExpression(self.expression)
            request.setExpressionContext(self._context)
        else:
            request.setSubsetOfAttributes([])
        count = without = invalid = multipart = 0
        area = 0.0
        box = QgsRectangle()
        box.setNull()
        for feature in read_features(self._source, request, feedback):
            count += 1
            geometry = feature.geometry()
            if geometry.isNull() or geometry.isEmpty():
                without += 1
                continue
            box.combineExtentWith(geometry.boundingBox())
            if self._areas:
                invalid += not geometry.isGeosValid()
                area += self._measure.measureArea(geometry)
            elif geometry.isMultipart():
                multipart += geometry.constGet().numGeometries() > 1
        return Survey(count, without, invalid, multipart, box, area)


def require_crs(layer: QgsVectorLayer) -> None:
    """UNSUPPORTED without a CRS: nobody knows where the layer is, and it is not guessed."""
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so metres cannot be measured.").format(layer.name()),
            hint=translate("QgisAgent", "Set the layer's CRS in QGIS first (layer menu > Layer CRS)."),
            reason="no_crs",
        )


def require_kind(layer: QgsVectorLayer, kinds: List[str], what: str) -> None:
    """UNSUPPORTED unless the layer's geometry is of one of these kinds (point, line, polygon)."""
    kind = layer_kind(layer)
    if kind not in kinds:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is a {} layer; {} needs: {}.").format(
                layer.name(), kind, what, ", ".join(kinds)
            ),
            hint=translate("QgisAgent", "Use a layer of that kind; search_layers tells the kind of each."),
            reason="layer_kind",
        )


def require_features(layer: QgsVectorLayer, survey: Survey, filtered: bool) -> None:
    """NOT_FOUND when there is nothing with a geometry to work on."""
    if survey.usable:
        return
    if survey.count:
        message = translate("QgisAgent", "None of the {} features of '{}' has a geometry.").format(
            survey.count, layer.name()
        )
    elif filtered:
        message = translate("QgisAgent", "No feature of '{}' matches.").format(layer.name())
    else:
        message = translate("QgisAgent", "The layer '{}' has no features.").format(layer.name())
    raise ToolError(
        NOT_FOUND,
        message,
        hint=translate("QgisAgent", "Check the condition with count_features, and the layer's filter."),
        reason="no_features",
    )


def remarks(layer: QgsVectorLayer, survey: Survey) -> List[str]:
    """What the person should know of the input: filter, open edits, features left out or repaired."""
    name = clean_text(layer.name(), 60)
    found: List[str] = []
    if layer.subsetString():
        found.append(translate("QgisAgent", "The filter of '{}' is in force.").format(name))
    if layer.isEditable() and layer.isModified():
        found.append(translate("QgisAgent", "'{}' has edits that are not saved; they are included.").format(name))
    if survey.without_geometry:
        found.append(
            translate("QgisAgent", "{} features of '{}' have no geometry and are left out.").format(
                survey.without_geometry, name
            )
        )
    if survey.invalid:
        found.append(
            translate("QgisAgent", "{} invalid geometries of '{}' were repaired on a copy.").format(
                survey.invalid, name
            )
        )
    return found
