"""What is wrong with geometries: single ones by GEOS and by rules, and polygons among one another. On worker threads."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsFeatureSource,
    QgsFeedback,
    QgsGeometry,
    QgsPointXY,
    QgsSpatialIndex,
)

from ...features import read_features
from ...i18n import translate
from ...layers import clean_text
from ..inputs.preflight import ground_measure
from .derive_facts import wrong_rings

CHECKS = ("validity", "duplicates", "slivers", "overlaps", "gaps", "ring_direction", "multipart")
"""In the order of the algorithm's parameter. A missing geometry belongs to validity."""
SMALLEST_M2 = 1e-4
"""Overlaps and gaps below are what rounding of coordinates makes: 1 cm²."""


class Problem(NamedTuple):
    """One problem: its check, the feature and perhaps a second one (ids), the reason, a size in m², a place in the CRS."""

    check: str
    feature: Optional[int]
    other: Optional[int]
    reason: str
    size_m2: Optional[float]
    place: Optional[QgsPointXY]


def find_problems(
    source: QgsFeatureSource, checks: Sequence[str], sliver_width_m: float, feedback: QgsFeedback
) -> Iterator[Problem]:
    """All problems; those of single features first. CANCELLED when the feedback is cancelled."""
    measure = ground_measure(source.sourceCrs())
    seen: Dict[bytes, int] = {}
    shapes: Dict[int, QgsGeometry] = {}
    together = "overlaps" in checks or "gaps" in checks
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    for feature in read_features(source, request, feedback):
        geometry, fid = feature.geometry(), feature.id()
        if geometry.isNull() or geometry.isEmpty():
            if "validity" in checks:
                yield Problem("validity", fid, None, translate("QgisAgent", "no geometry"), None, None)
            continue
        yield from _of_one(fid, geometry, checks, sliver_width_m, measure)
        if "duplicates" in checks:
            first = seen.setdefault(_normal(geometry), fid)
            if first != fid:
                reason = translate("QgisAgent", "same geometry as another feature")
                yield Problem("duplicates", fid, first, reason, None, _place(geometry))
        if together and geometry.type() == Qgis.GeometryType.Polygon:
            shapes[fid] = geometry if geometry.isGeosValid() else geometry.makeValid()
    if "overlaps" in checks:
        yield from _overlaps(shapes, measure, feedback)
    if "gaps" in checks:
        yield from _gaps(shapes, measure, feedback)


def _of_one(fid: int, geometry: QgsGeometry, checks: Sequence[str], width: float, measure: Any) -> Iterator[Problem]:
    polygon = geometry.type() == Qgis.GeometryType.Polygon
    if "validity" in checks:
        if not geometry.isGeosValid():
            errors = geometry.validateGeometry(Qgis.GeometryValidationEngine.Geos)
            for error in errors:
                place = error.where() if error.hasWhere() else _place(geometry)
                yield Problem("validity", fid, None, clean_text(error.what(), 120), None, place)
            if not errors:
                yield Problem("validity", fid, None, translate("QgisAgent", "invalid"), None, _place(geometry))
        elif geometry.type() == Qgis.GeometryType.Line and not geometry.isSimple():
            reason = translate("QgisAgent", "line crosses itself")
            yield Problem("validity", fid, None, reason, None, _place(geometry))
    if "slivers" in checks and polygon and geometry.isGeosValid():
        area, around = measure.measureArea(geometry), measure.measurePerimeter(geometry)
        if around > 0 and 2 * area / around < width:
            reason = translate("QgisAgent", "mean width {:.3g} m").format(2 * area / around)
            yield Problem("slivers", fid, None, reason, area, _place(geometry))
    if "ring_direction" in checks and polygon and wrong_rings(geometry):
        reason = translate("QgisAgent", "{} rings against RFC 7946").format(wrong_rings(geometry))
        yield Problem("ring_direction", fid, None, reason, None, _place(geometry))
    if "multipart" in checks and geometry.isMultipart() and geometry.constGet().numGeometries() > 1:
        reason = translate("QgisAgent", "{} parts").format(geometry.constGet().numGeometries())
        yield Problem("multipart", fid, None, reason, None, _place(geometry))


def _normal(geometry: QgsGeometry) -> bytes:
    """The same for the same shape, wherever its rings begin and whichever way they run."""
    shape = geometry.constGet().clone()
    shape.normalize()
    return bytes(shape.asWkb())


def _place(geometry: QgsGeometry) -> Optional[QgsPointXY]:
    """A place on a geometry, its first vertex where GEOS finds none."""
    point = geometry.pointOnSurface()
    if not point.isNull() and point.type() == Qgis.GeometryType.Point:
        return QgsPointXY(point.asPoint())
    vertex = geometry.vertexAt(0)
    return QgsPointXY(vertex.x(), vertex.y())


def _overlaps(shapes: Dict[int, QgsGeometry], measure: Any, feedback: QgsFeedback) -> Iterator[Problem]:
    """Each pair of polygons that share an area, once."""
    index = _index(shapes)
    for fid, geometry in shapes.items():
        if feedback.isCanceled():
            return
        engine = QgsGeometry.createGeometryEngine(geometry.constGet())
        engine.prepareGeometry()
        for other in sorted(index.intersects(geometry.boundingBox())):
            if other <= fid or not engine.intersects(shapes[other].constGet()):
                continue
            shared = geometry.intersection(shapes[other])
            size = measure.measureArea(shared) if not shared.isNull() else 0.0
            if size > SMALLEST_M2:
                yield Problem("overlaps", fid, other, translate("QgisAgent", "polygons overlap"), size, _place(shared))


def _gaps(shapes: Dict[int, QgsGeometry], measure: Any, feedback: QgsFeedback) -> Iterator[Problem]:
    """Holes of the union of all polygons that more than one polygon borders: a hole of a single polygon is no gap."""
    union = QgsGeometry.unaryUnion(list(shapes.values()))
    if union.isNull() or union.type() != Qgis.GeometryType.Polygon:
        return
    index = _index(shapes)
    for polygon in union.asMultiPolygon() if union.isMultipart() else [union.asPolygon()]:
        for ring in polygon[1:]:
            if feedback.isCanceled():
                return
            hole = QgsGeometry.fromPolygonXY([ring])
            size = measure.measureArea(hole)
            around = [each for each in sorted(index.intersects(hole.boundingBox())) if shapes[each].intersects(hole)]
            if size > SMALLEST_M2 and len(around) > 1:
                reason = translate("QgisAgent", "gap between {} polygons").format(len(around))
                yield Problem("gaps", around[0], around[1], reason, size, _place(hole))


def _index(shapes: Dict[int, QgsGeometry]) -> QgsSpatialIndex:
    index = QgsSpatialIndex()
    for fid, geometry in shapes.items():
        index.addFeature(fid, geometry.boundingBox())
    return index


def counted(checks: Sequence[str], rows: List[Dict[str, Any]]) -> Dict[str, int]:
    """Problems of each check that was made."""
    return {each: sum(row["check"] == each for row in rows) for each in CHECKS if each in checks}
