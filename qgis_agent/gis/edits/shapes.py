"""Shapes that a model wrote (WKT, degrees) as a layer holds them: of its kind, in its CRS, single or multi as it is."""

from __future__ import annotations

import math

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsGeometry,
    QgsProject,
    QgsVectorLayer,
    QgsWkbTypes,
)

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from ..layers import clean_text

MAX_VERTICES = 20_000


def shape_for(layer: QgsVectorLayer, wkt: str, project: QgsProject) -> QgsGeometry:
    """The geometry in the layer's CRS and type. INVALID_PARAM for what does not fit the layer."""
    geometry = QgsGeometry.fromWkt(wkt)
    problem = _problem(layer, geometry)
    if problem:
        raise _refused(problem)
    geometry.get().dropZValue()
    geometry.get().dropMValue()
    transform = QgsCoordinateTransform(QgsCoordinateReferenceSystem("EPSG:4326"), layer.crs(), project)
    try:
        geometry.transform(transform)
    except QgsCsException as error:
        raise _refused(clean_text(str(error), 160)) from error
    box = geometry.boundingBox()
    if not all(math.isfinite(each) for each in (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum())):
        raise _refused(translate("QgisAgent", "it has no place in the layer's CRS {}").format(layer.crs().authid()))
    kind = layer.wkbType()
    if QgsWkbTypes.isMultiType(kind):
        geometry.convertToMultiType()
    elif geometry.isMultipart() and not geometry.convertToSingleType():
        raise _refused(translate("QgisAgent", "the layer holds single parts"))
    if QgsWkbTypes.hasZ(kind):
        geometry.get().addZValue(0.0)
    if QgsWkbTypes.hasM(kind):
        geometry.get().addMValue(0.0)
    return geometry


def _problem(layer: QgsVectorLayer, geometry: QgsGeometry) -> str:
    if not layer.isSpatial():
        return translate("QgisAgent", "the layer is a table without geometry")
    if not layer.crs().isValid():
        return translate("QgisAgent", "the layer has no CRS")
    if geometry.isNull() or geometry.isEmpty():
        return translate("QgisAgent", "it is no WKT or empty")
    generic = layer.geometryType() == Qgis.GeometryType.Unknown
    if geometry.type() != layer.geometryType() and not generic:
        return translate("QgisAgent", "the layer holds {}").format(
            QgsWkbTypes.geometryDisplayString(layer.geometryType())
        )
    if QgsWkbTypes.isCurvedType(geometry.wkbType()):
        return translate("QgisAgent", "curves are not drawn: use a line or polygon with points along them")
    if geometry.constGet().nCoordinates() > MAX_VERTICES:
        return translate("QgisAgent", "it has more than {} vertices").format(MAX_VERTICES)
    box = geometry.boundingBox()
    inside = -180 <= box.xMinimum() <= box.xMaximum() <= 180 and -90 <= box.yMinimum() <= box.yMaximum() <= 90
    if not inside:
        return translate("QgisAgent", "coordinates are longitude, latitude in degrees")
    if not geometry.isGeosValid():
        return translate("QgisAgent", "it is not valid: {}").format(clean_text(geometry.lastError(), 120) or "-")
    if not QgsWkbTypes.isMultiType(layer.wkbType()) and geometry.isMultipart() and _parts(geometry) > 1:
        return translate("QgisAgent", "the layer holds single parts")
    return ""


def _parts(geometry: QgsGeometry) -> int:
    return int(geometry.constGet().partCount())


def _refused(problem: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The geometry cannot be used: {}.").format(problem),
        hint=translate("QgisAgent", "WKT in EPSG:4326, longitude first: POINT(114.3 30.6)."),
        reason="geometry",
    )
