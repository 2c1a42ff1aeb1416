"""Features in a box of degrees (EPSG:4326): the box is brought to the layer, not the features to the box."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsPointXY,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)

from .conditions import Where, request_expression
from .errors import UNSUPPORTED, ToolError
from .extents import WGS84, checked_box
from .features import expression_context, feature_source, json_value, read_features, told_apart
from .i18n import translate
from .layers import clean_text
from .scope import seen_fields

STEP_DEGREES = 0.02
"""Distance of the points that an edge of the box is given before it is transformed …"""
MAX_STEPS = 2000
"""… and at most so many an edge. Within 10 degrees an edge is then off by under 5 cm anywhere."""
ROUND_TRIP_DEGREES = 1e-6


class BoxReader:
    """Finds the features that touch a box. Made on the main thread. UNSUPPORTED for a table and for no CRS."""

    def __init__(self, layer: QgsVectorLayer, bbox: List[float], where: Where, project: QgsProject) -> None:
        _require_place(layer)
        self._box = checked_box(bbox)
        self._expression = request_expression(layer, where)
        self._source = feature_source(layer)
        self._context = expression_context(layer)
        self._names = [each.name() for each in layer.fields()]
        self._shown = seen_fields(layer).names()
        self._geographic = layer.crs().isGeographic()
        self._to_layer = QgsCoordinateTransform(
            QgsCoordinateReferenceSystem(WGS84), layer.crs(), project.transformContext()
        )

    def read(self, feedback: QgsFeedback, fields: List[str], limit: int) -> Tuple[int, List[Dict[str, Any]]]:
        """Exact number of features that touch the box, and the first rows of them. On a worker thread."""
        names = fields or self._shown
        positions = [(name, self._names.index(name)) for name in names]
        total, rows = 0, []
        for feature in self._touching(feedback, [position for _, position in positions]):
            total += 1
            if len(rows) < limit:
                rows.append({name: json_value(told_apart(feature[position])) for name, position in positions})
        return total, rows

    def _touching(self, feedback: QgsFeedback, positions: List[int]) -> Iterator[QgsFeature]:
        area = self._area()
        request = QgsFeatureRequest()
        if self._expression:
            request.setFilterExpression(self._expression)
            request.setExpressionContext(self._context)
        request.setSubsetOfAttributes(positions)
        if area is not None:
            request.setFilterRect(area.boundingBox())
        turned = None if area is not None else _box_geometry(self._parts(split=True))
        engine = QgsGeometry.createGeometryEngine((area if area is not None else turned).constGet())
        engine.prepareGeometry()
        for feature in read_features(self._source, request, feedback):
            geometry = feature.geometry() if turned is None else self._in_degrees(feature)
            if geometry is not None and not geometry.isEmpty() and engine.intersects(geometry.constGet()):
                yield feature

    def _parts(self, split: bool) -> List[QgsRectangle]:
        """The box; across the 180th meridian once for each way of writing it, or cut there."""
        west, south, east, north = self._box
        if east <= 180.0:
            return [QgsRectangle(west, south, east, north)]
        if split:
            return [QgsRectangle(west, south, 180.0, north), QgsRectangle(-180.0, south, east - 360.0, north)]
        return [QgsRectangle(west, south, east, north), QgsRectangle(west - 360.0, south, east - 360.0, north)]

    def _area(self) -> Optional[QgsGeometry]:
        """The box in the layer's CRS; None where it has no simple form there (poles, beyond the CRS's world)."""
        if self._geographic and self._to_layer.isShortCircuited():
            return _box_geometry(self._parts(split=False))
        pieces = [self._transformed(part) for part in self._parts(split=not self._geographic)]
        if any(piece is None for piece in pieces):
            return None
        area = pieces[0] if len(pieces) == 1 else QgsGeometry.unaryUnion(pieces)
        return area if area is not None and not area.isEmpty() else None

    def _transformed(self, part: QgsRectangle) -> Optional[QgsGeometry]:
        ring = _dense_ring(part)
        try:
            moved = [self._to_layer.transform(point) for point in ring]
            back = [self._to_layer.transform(point, QgsCoordinateTransform.ReverseTransform) for point in moved]
            middle = self._to_layer.transform(part.center())
        except QgsCsException:
            return None
        area = QgsGeometry.fromPolygonXY([moved])
        whole = all(map(_same_place, ring, back)) and area.isGeosValid() and area.contains(middle)
        return area if whole else None

    def _in_degrees(self, feature: QgsFeature) -> Optional[QgsGeometry]:
        """A feature in degrees, for where the box cannot be brought to the layer; None when it has no place on earth."""
        geometry = QgsGeometry(feature.geometry())
        try:
            geometry.transform(self._to_layer, QgsCoordinateTransform.ReverseTransform)
        except QgsCsException:
            return None
        return geometry


def _require_place(layer: QgsVectorLayer) -> None:
    if not layer.isSpatial():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is a table; its rows have no place.").format(clean_text(layer.name(), 60)),
            hint=translate("QgisAgent", "Use query_features."),
            reason="layer_kind",
        )
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so nobody knows where it is.").format(
                clean_text(layer.name(), 60)
            ),
            hint=translate("QgisAgent", "Set the layer's CRS first (set_layer_crs)."),
            reason="no_crs",
        )


def _box_geometry(parts: List[QgsRectangle]) -> QgsGeometry:
    geometries = [QgsGeometry.fromRect(part) for part in parts]
    return geometries[0] if len(geometries) == 1 else QgsGeometry.collectGeometry(geometries)


def _dense_ring(part: QgsRectangle) -> List[QgsPointXY]:
    corners = [
        (part.xMinimum(), part.yMinimum()),
        (part.xMaximum(), part.yMinimum()),
        (part.xMaximum(), part.yMaximum()),
        (part.xMinimum(), part.yMaximum()),
    ]
    ring: List[QgsPointXY] = []
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        steps = max(1, min(MAX_STEPS, math.ceil(max(abs(x2 - x1), abs(y2 - y1)) / STEP_DEGREES)))
        ring += [QgsPointXY(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps) for i in range(steps)]
    return ring + ring[:1]


def _same_place(here: QgsPointXY, there: QgsPointXY) -> bool:
    """Whether a point came back to where it was; 180 and -180 are one."""
    if not (math.isfinite(there.x()) and math.isfinite(there.y())):
        return False
    across = (here.x() - there.x() + 180.0) % 360.0 - 180.0
    return max(abs(across), abs(here.y() - there.y())) < ROUND_TRIP_DEGREES
