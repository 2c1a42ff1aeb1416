"""Repairs of geometries: the plan, and what each feature was before and is after."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)

from ...conditions import (
    Where,
    request_expression,
)
from ...features import (
    expression_context,
    feature_source,
    read_features,
)
from ...i18n import translate
from ...layers import clean_text
from ..checks.verify import broken
from ..inputs.preflight import ground_measure
from ..run.plan import Plan
from ..run.steps import Builder

METHODS = {"linework": 0, "structure": 1}
"""METHOD of native:fixgeometries."""
MAX_ROWS = 500
"""Repaired features that are told one by one."""
SAME_AREA = 1e-9


class Before(NamedTuple):
    """One invalid feature: its position among the features that are read, id, reason, parts and areas."""

    position: int
    fid: int
    reason: str
    parts: int
    area_m2: float
    planar: float


class Found(NamedTuple):
    """What was found before a repair: features, those without a geometry, the invalid ones, and areas of the valid ones by
    position; total area in m², and parts in all."""

    count: int
    empty: int
    invalid: List[Before]
    area_m2: float
    parts: int


class RepairReader:
    """Reads what is to be repaired. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where) -> None:
        self.expression = request_expression(layer, where)
        self._source = feature_source(layer)
        self._context = expression_context(layer)
        self._measure = ground_measure(layer.crs())

    def read(self, feedback: QgsFeedback) -> Found:
        """On a worker thread."""
        request = QgsFeatureRequest()
        if self.expression:
            request.setFilterExpression(self.expression)
            request.setExpressionContext(self._context)
        else:
            request.setSubsetOfAttributes([])
        count = empty = parts = 0
        area = 0.0
        invalid: List[Before] = []
        for feature in read_features(self._source, request, feedback):
            geometry = feature.geometry()
            count += 1
            if geometry.isNull() or geometry.isEmpty():
                empty += 1
                continue
            inside, size = parts_of(geometry), self._measure.measureArea(geometry)
            parts += inside
            area += size
            reason = invalid_reason(geometry)
            if reason:
                invalid.append(Before(count - 1, feature.id(), reason, inside, size, geometry.area()))
        return Found(count, empty, invalid, area, parts)


def parts_of(geometry: QgsGeometry) -> int:
    """Parts of a geometry."""
    return int(geometry.constGet().numGeometries()) if geometry.isMultipart() else 1


def invalid_reason(geometry: QgsGeometry) -> str:
    """Why GEOS calls a geometry invalid; "" for a valid one."""
    if geometry.isGeosValid():
        return ""
    errors = geometry.validateGeometry(Qgis.GeometryValidationEngine.Geos)
    return clean_text(errors[0].what(), 80) if errors else translate("QgisAgent", "invalid")


def repair_plan(expression: str, method: str, single: bool) -> Plan:
    """Repair matching features; ``single``: no result has several parts, so the type without parts is taken again."""
    builder = Builder("layer")
    if expression:
        builder.add("native:extractbyexpression", {"EXPRESSION": expression})
    builder.add("native:fixgeometries", {"METHOD": METHODS[method]}, key="fixed")
    if single:
        builder.add("native:multiparttosingleparts", {}, key="single")
    return builder.steps


class After(NamedTuple):
    """What a repair made: rows of what was changed, features that lost their geometry, area, parts, most parts of one."""

    rows: List[Dict[str, Any]]
    lost: int
    area_m2: float
    parts: int
    most_parts: int


def read_repaired(
    source: QgsVectorLayerFeatureSource, crs: QgsCoordinateReferenceSystem, found: Found, feedback: QgsFeedback
) -> After:
    """Compares the result, feature by feature in the same order, on a worker thread.

    UPSTREAM_ERROR when a result is invalid, when features are missing, or when valid features in all have another area.
    """
    measure, before = ground_measure(crs), {each.position: each for each in found.invalid}
    rows: List[Dict[str, Any]] = []
    count = lost = parts = most = 0
    area = kept_area = 0.0
    for feature in read_features(source, QgsFeatureRequest().setSubsetOfAttributes([]), feedback):
        geometry, was = feature.geometry(), before.get(count)
        count += 1
        there = not geometry.isNull() and not geometry.isEmpty()
        size = measure.measureArea(geometry) if there else 0.0
        inside = parts_of(geometry) if there else 0
        area, parts, most = area + size, parts + inside, max(most, inside)
        if there and not geometry.isGeosValid():
            raise broken(translate("QgisAgent", "feature {} is still invalid").format(count))
        if was is None:
            kept_area += size
            continue
        lost += not there
        if len(rows) < MAX_ROWS:
            rows.append(_row(was, size, inside, geometry if there else None, crs))
    if count != found.count:
        raise broken(translate("QgisAgent", "{} features became {}").format(found.count, count))
    valid_area = found.area_m2 - sum(each.area_m2 for each in found.invalid)
    if abs(valid_area - kept_area) > SAME_AREA * max(found.area_m2, area, 1.0):
        raise broken(translate("QgisAgent", "valid features have changed"))
    return After(rows, lost, area, parts, most)


def _row(
    was: Before, size: float, parts: int, geometry: Optional[QgsGeometry], crs: QgsCoordinateReferenceSystem
) -> Dict[str, Any]:
    row: Dict[str, Any] = {
        "id": was.fid,
        "reason": was.reason,
        "area_m2_before": round(was.area_m2, 3),
        "area_m2": round(size, 3),
        "parts_before": was.parts,
        "parts": parts,
    }
    if not crs.isGeographic():
        row["planar_before"] = round(was.planar, 3)
        row["planar"] = round(geometry.area(), 3) if geometry is not None else 0.0
    return row
