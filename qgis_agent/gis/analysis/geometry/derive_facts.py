"""What must be known of features before geometries are derived from them, and of the result: read on worker threads."""

from __future__ import annotations

import math
from typing import Any, Iterator, List, NamedTuple, Set, Tuple

from qgis.core import (
    Qgis,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)

from ...features import (
    expression_context,
    feature_source,
    json_value,
    read_features,
)
from ...i18n import translate
from ..checks.verify import broken
from ..inputs.preflight import ground_measure

_BINS = 360
_PLACES = 1e-9
"""Relative size of a difference that rounding makes."""


class Shapes(NamedTuple):
    """Counts over the features with a geometry: parts, vertices, segments between vertices, different places of points,
    features whose hull has no area (``ShapeReader.is_flat``), lines with fewer than three vertices in a part, features on
    both sides of 180°, values of the grouping field; whether the whole lies across 180°."""

    parts: int
    vertices: int
    segments: int
    places: int
    flat: int
    short: int
    wide: int
    groups: int
    across: bool
    length_m: float
    closed: int = 0
    """Lines without ends, so without a boundary."""


class ShapeReader:
    """Reads ``Shapes`` of the features that match. Made on the main thread; ``field`` is the grouping field's position."""

    def __init__(
        self, layer: QgsVectorLayer, expression: str, *, hull: bool, circle: bool = False, field: int = -1
    ) -> None:
        self.source = feature_source(layer)
        self.expression = expression
        self.context: QgsExpressionContext = expression_context(layer)
        self.hull = hull
        self._circle = circle
        self._field = field
        self._geographic = layer.crs().isGeographic()
        self._kind = layer.geometryType()
        self._measure = ground_measure(layer.crs())

    def geometries(self, feedback: QgsFeedback) -> Iterator[Tuple[Any, QgsGeometry]]:
        """(value of the grouping field, geometry) of the matching features that have a geometry."""
        request = QgsFeatureRequest()
        if self.expression:
            request.setFilterExpression(self.expression)
            request.setExpressionContext(self.context)
        else:
            request.setSubsetOfAttributes([self._field] if self._field >= 0 else [])
        for feature in read_features(self.source, request, feedback):
            geometry = feature.geometry()
            if not geometry.isNull() and not geometry.isEmpty():
                yield (json_value(feature[self._field], 10_000) if self._field >= 0 else None), geometry

    def is_flat(self, geometry: QgsGeometry) -> bool:
        """Whether its hull has no area; for a circle around it, whether it has no two places."""
        kind = geometry.convexHull().type()
        return bool(kind == Qgis.GeometryType.Point if self._circle else kind != Qgis.GeometryType.Polygon)

    def read(self, feedback: QgsFeedback) -> Shapes:
        """All of it, on a worker thread."""
        parts = vertices = segments = flat = short = wide = closed = 0
        length = 0.0
        places: Set[Tuple[float, float]] = set()
        groups: Set[Any] = set()
        bins = [False] * _BINS
        for value, geometry in self.geometries(feedback):
            shape = geometry.constGet()
            inside = [shape.geometryN(at) for at in range(shape.numGeometries())] if geometry.isMultipart() else [shape]
            parts += len(inside)
            vertices += shape.nCoordinates()
            groups.add(repr(value))
            if self._kind == Qgis.GeometryType.Line:
                segments += sum(max(each.nCoordinates() - 1, 0) for each in inside)
                short += any(each.nCoordinates() < 3 for each in inside)
                length += self._measure.measureLength(geometry)
                ends = shape.boundary()
                closed += ends is None or ends.isEmpty()
            elif self._kind == Qgis.GeometryType.Polygon:
                length += self._measure.measurePerimeter(geometry)
            else:
                places.update((each.x(), each.y()) for each in inside)
            if self.hull:
                flat += self.is_flat(geometry)
            if self._geographic:
                box = geometry.boundingBox()
                wide += box.width() > 180.0
                bins[math.floor((box.center().x() + 180.0) % 360.0) % _BINS] = True
        across = self._geographic and wide == 0 and across_180(bins)
        return Shapes(parts, vertices, segments, len(places), flat, short, wide, len(groups), across, length, closed)


def across_180(bins: List[bool]) -> bool:
    """Whether what fills these bins of one degree (from -180°) lies on both sides of 180° with more than half of the earth
    empty between."""
    filled = [at for at, each in enumerate(bins) if each]
    return len(filled) > 1 and max(after - before for before, after in zip(filled, filled[1:])) > len(bins) // 2


class Outcome(NamedTuple):
    """Of a result: features, features without a geometry, invalid ones, ones wider than half the earth, vertices, area and
    length on the ellipsoid, rings that run clockwise outside or counter-clockwise inside; and features that reach over a
    pole, in degrees, so that they have no area and length."""

    count: int
    empty: int
    invalid: int
    wide: int
    vertices: int
    area_m2: float
    length_m: float
    not_ccw: int
    not_cw: int
    unmeasured: int = 0


def read_outcome(source: QgsVectorLayerFeatureSource, layer_measure: Any, kind: Qgis.GeometryType, geographic: bool,
                 feedback: QgsFeedback) -> Outcome:  # fmt: skip
    """Looks at every feature of a result, on a worker thread."""
    count = empty = invalid = wide = vertices = not_ccw = not_cw = 0
    area = length = 0.0
    unmeasured = 0
    for feature in read_features(source, QgsFeatureRequest().setSubsetOfAttributes([]), feedback):
        count += 1
        geometry = feature.geometry()
        if geometry.isNull() or geometry.isEmpty():
            empty += 1
            continue
        vertices += geometry.constGet().nCoordinates()
        wide += geographic and geometry.boundingBox().width() > 180.0
        if kind == Qgis.GeometryType.Polygon:
            size, edge = layer_measure.measureArea(geometry), layer_measure.measurePerimeter(geometry)
            if math.isfinite(size) and math.isfinite(edge):
                area, length = area + size, length + edge
            else:
                unmeasured += 1
            invalid += not geometry.isGeosValid()
            turned = wrong_rings(geometry)
            not_ccw += turned > 0
            not_cw += turned < ring_count(geometry)
        elif kind == Qgis.GeometryType.Line:
            length += layer_measure.measureLength(geometry)
    return Outcome(count, empty, invalid, wide, vertices, area, length, not_ccw, not_cw, unmeasured)


def polygons_of(geometry: QgsGeometry) -> List[Any]:
    """The polygons of a polygon or multipolygon."""
    shape = geometry.constGet()
    return [shape.geometryN(at) for at in range(shape.numGeometries())] if geometry.isMultipart() else [shape]


def ring_count(geometry: QgsGeometry) -> int:
    """Rings, outer and inner."""
    return sum(1 + each.numInteriorRings() for each in polygons_of(geometry))


def wrong_rings(geometry: QgsGeometry) -> int:
    """Rings against RFC 7946, which wants outer ones counter-clockwise and inner ones clockwise."""
    clockwise = Qgis.AngularDirection.Clockwise
    wrong = 0
    for polygon in polygons_of(geometry):
        wrong += polygon.exteriorRing().orientation() == clockwise
        wrong += sum(polygon.interiorRing(at).orientation() != clockwise for at in range(polygon.numInteriorRings()))
    return wrong


def check_pairs(reader: ShapeReader, result: QgsVectorLayerFeatureSource, rule: str, feedback: QgsFeedback) -> None:
    """Each result must fit the feature that it was made of, in the same order. UPSTREAM_ERROR when one does not.

    ``rule``: "in_box" (a point in the feature's box), "on" (a point on the valid feature), "box" (the same box), "holds" (a
    shape that holds the feature's hull, but for 1 % of its size).
    """
    made = read_features(result, QgsFeatureRequest().setSubsetOfAttributes([]), feedback)
    for _value, geometry in reader.geometries(feedback):
        if reader.hull and reader.is_flat(geometry):
            continue
        feature = next(made, None)
        shape = feature.geometry() if feature is not None else QgsGeometry()
        if shape.isNull() or not _fits(geometry, shape, rule):
            raise broken(translate("QgisAgent", "a derived geometry does not fit its feature."))


def _fits(geometry: QgsGeometry, shape: QgsGeometry, rule: str) -> bool:
    box = geometry.boundingBox()
    slack = max(box.width(), box.height(), abs(box.xMaximum()), abs(box.yMaximum())) * _PLACES
    if rule == "in_box":
        return bool(box.buffered(slack).contains(shape.boundingBox()))
    if rule == "on":
        return not geometry.isGeosValid() or geometry.distance(shape) <= slack
    other = shape.boundingBox()
    if rule == "box":
        pairs = zip(
            (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()),
            (other.xMinimum(), other.yMinimum(), other.xMaximum(), other.yMaximum()),
        )
        return all(abs(one - another) <= slack for one, another in pairs)
    grown = shape.buffer(0.01 * max(box.width(), box.height()), 4)
    return bool(grown.contains(geometry.convexHull()))
