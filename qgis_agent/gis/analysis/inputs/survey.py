"""One look at every feature that an analysis gets, on a worker thread: what is there, and what is wrong with it."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsDistanceArea,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ...conditions import (
    Where,
    request_expression,
)
from ...errors import (
    UNSUPPORTED,
    ToolError,
)
from ...features import (
    expression_context,
    feature_source,
    read_features,
)
from ...i18n import translate
from ...layers import (
    clean_text,
    field_type,
)
from ...sources.coordinates import (
    Misplaced,
    crs_doubts,
    needs_a_look,
    position,
)
from ..ground.units import WGS84_ELLIPSOID
from .findings import (
    Fault,
    Found,
    Survey,
    kind_of,
)

__all__ = ["Fault", "Survey", "Surveyor", "ground_measure", "project_of"]

_KEY = "fid"
_SURE_IDS = ("memory", "ogr", "delimitedtext", "gpx")
"""Providers that give each feature an id of its own; in a database a view's key may repeat."""
_FATAL = ("swapped_axes", "out_of_range", "zone_prefix")


def ground_measure(crs: QgsCoordinateReferenceSystem) -> QgsDistanceArea:
    """Measures geometries of a CRS on the WGS 84 ellipsoid: metres and m², whatever the CRS's unit is."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs, QgsCoordinateTransformContext())
    measure.setEllipsoid(WGS84_ELLIPSOID)
    return measure


def project_of(layer: Any) -> QgsProject:
    """The project that a layer is in, whose transformations count."""
    return layer.project() or QgsProject.instance()


class _Transforms:
    """A project's transformations for a worker thread, which must not ask the project itself."""

    def __init__(self, context: QgsCoordinateTransformContext) -> None:
        self._context = context

    def transformContext(self) -> QgsCoordinateTransformContext:  # noqa: N802  as QgsProject has it
        """The transformations in force when the call began."""
        return self._context


class Surveyor:
    """Looks at every feature of a layer that matches ``where``. Made on the main thread.

    Reading ends with UNSUPPORTED when no coordinate can be what the CRS says (swapped axes, metres under a lon/lat CRS, a
    wrong zone): nothing that is computed from there would be right. ``placed=False`` looks at such a layer all the same.
    """

    def __init__(self, layer: QgsVectorLayer, where: Where = (), *, placed: bool = True) -> None:
        self.expression = request_expression(layer, where)
        self._name = clean_text(layer.name(), 60)
        self._source = feature_source(layer)
        self._context: QgsExpressionContext = expression_context(layer)
        self._spatial = layer.isSpatial()
        self._crs, self._placed = layer.crs(), placed
        self._transforms: Any = _Transforms(project_of(layer).transformContext())
        self._measure = ground_measure(layer.crs())
        self._key = next((i for i, each in enumerate(layer.fields()) if each.name().lower() == _KEY), -1)
        if self._key >= 0 and field_type(layer.fields()[self._key]) not in ("integer", "number"):
            self._key = -1
        self._unsure_ids = layer.providerType() not in _SURE_IDS
        self._wkb = layer.wkbType()
        single = QgsWkbTypes.flatType(self._wkb) == Qgis.WkbType.Point
        self._plain_points = single and self._key < 0 and not self._unsure_ids

    def read(self, feedback: QgsFeedback) -> Survey:
        """The survey, on a worker thread, in one reading (a second one only where coordinates cannot be degrees)."""
        survey = self._points(feedback) if self._plain_points else None
        if survey is None:
            found = Found(self._measure, self._spatial, self._key, self._unsure_ids)
            for feature in read_features(self._source, self._request(), feedback):
                found.add(feature)
            survey = found.survey()
        if needs_a_look(survey.box, self._crs):
            survey = survey._replace(misplaced=self._misplaced(feedback))
        if self._placed:
            self._require_place(survey)
        return survey

    def _points(self, feedback: QgsFeedback) -> Optional[Survey]:
        """Of single points there is only the box to find out; None when one of them is at infinity.

        A point with NaN counts as empty to QGIS. Each call in this loop costs 0.2 s for a million points.
        """
        count = without = empty = 0
        box = QgsRectangle()
        box.setNull()
        combine = box.combineExtentWith
        for feature in read_features(self._source, self._request(), feedback):
            count += 1
            geometry = feature.geometry()
            if geometry.isEmpty():
                without += 1
                empty += not geometry.isNull()
            else:
                combine(geometry.boundingBox())
        if not box.isNull() and not box.isFinite():
            return None
        kind, number = kind_of(self._wkb), count - without
        return Survey(
            count,
            without,
            0,
            0,
            box,
            0.0,
            empty=empty,
            types=((kind.name, number),) if number else (),
            with_z=number if kind.z else 0,
            with_m=number if kind.m else 0,
        )

    def _request(self) -> QgsFeatureRequest:
        request = QgsFeatureRequest()
        if self.expression:
            request.setFilterExpression(self.expression)
            request.setExpressionContext(self._context)
        request.setSubsetOfAttributes([self._key] if self._key >= 0 else [])
        if not self._spatial:
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        return request

    def _misplaced(self, feedback: QgsFeedback) -> Misplaced:
        misplaced = Misplaced()
        for feature in read_features(self._source, self._request(), feedback):
            box = feature.geometry().boundingBox()
            if not feature.geometry().isEmpty() and box.isFinite():
                misplaced.add(box, feature.id())
        return misplaced

    def _require_place(self, survey: Survey) -> None:
        if survey.box.isNull() or not self._crs.isValid() or (survey.misplaced and survey.misplaced.fitting):
            return
        nowhere = position(survey.box, self._crs, self._transforms) is None
        for doubt in crs_doubts(survey.box, self._crs, self._transforms, survey.misplaced):
            if doubt["problem"] in _FATAL and (survey.misplaced or nowhere):
                raise ToolError(
                    UNSUPPORTED,
                    translate("QgisAgent", "'{}' cannot be worked with as it is: {}").format(self._name, doubt["text"]),
                    hint=self._way_out(doubt),
                    reason=doubt["problem"],
                )

    @staticmethod
    def _way_out(doubt: Dict[str, Any]) -> str:
        if doubt.get("suggest"):
            return translate("QgisAgent", "Ask the person; then set_layer_crs with {}.").format(doubt["suggest"])
        if doubt["problem"] == "swapped_axes":
            return translate(
                "QgisAgent", "Ask the person; native:swapxy (run_algorithm) makes a layer with x and y swapped."
            )
        return translate("QgisAgent", "Ask the person which CRS the data is in; then set_layer_crs.")
