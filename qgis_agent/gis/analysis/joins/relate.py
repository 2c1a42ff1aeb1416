"""Which features of two layers are related in place: the pairs, found with an index in memory and prepared geometries.

The layer with more features goes into the index, and the other one is gone through: 100,000 points against 3,000 polygons
take about two seconds, whether or not the data have an index, and nothing is written beside them.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsSpatialIndex,
    QgsVectorLayer,
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
from ...work import cancelled
from ..inputs.findings import goes_long_way

PREDICATES = ("intersects", "within", "contains", "touches", "overlaps", "equals", "crosses")
_TURNED = {"within": "contains", "contains": "within"}
_METHODS = {"equals": "isEqual"}
MOST_PAIRS = 10_000_000
"""More pairs than this are no answer that anybody reads, and would fill the memory."""
_CHECK_EVERY = 100


class Side(NamedTuple):
    """One of two layers: where its features come from, and which of them."""

    source: Any
    """A feature source: ``getFeatures(request)`` on a worker thread."""
    crs: QgsCoordinateReferenceSystem
    transforms: QgsCoordinateTransformContext
    expression: str = ""
    context: Optional[QgsExpressionContext] = None
    repair: bool = False
    """Polygons may be invalid: they are checked, and repaired for the comparison."""

    def request(self, crs: QgsCoordinateReferenceSystem) -> QgsFeatureRequest:
        """Geometries in another CRS, without attributes."""
        request = QgsFeatureRequest()
        if self.expression:
            request.setFilterExpression(self.expression)
            if self.context is not None:
                request.setExpressionContext(self.context)
        else:
            request.setSubsetOfAttributes([])
        if crs != self.crs:
            request.setDestinationCrs(crs, self.transforms)
        return request


def side_of(layer: QgsVectorLayer, where: Where, transforms: QgsCoordinateTransformContext) -> Side:
    """The features of a layer that match ``where``, open edits included. On the main thread."""
    areas = layer.geometryType() == Qgis.GeometryType.Polygon
    expression = request_expression(layer, where)
    context = expression_context(layer) if expression else None
    return Side(feature_source(layer), layer.crs(), transforms, expression, context, areas)


def long_ways(side: Side, feedback: QgsFeedback) -> int:
    """Features in degrees that are drawn the long way round the earth, where a person means the short one across 180°."""
    if not side.crs.isGeographic():
        return 0
    shapes = (each.geometry() for each in read_features(side.source, side.request(side.crs), feedback))
    return sum(each.boundingBox().width() > 180.0 and goes_long_way(each) for each in shapes if not each.isEmpty())


class Related:
    """The relation ``left PREDICATE right``. ``left_is_fewer`` tells which side is gone through; the other is indexed.

    ``same``: both are one layer, and no feature is related to itself.
    """

    def __init__(self, left: Side, right: Side, predicate: str, *, left_is_fewer: bool, same: bool = False) -> None:
        self._left, self._right = left, right
        self._predicate = predicate
        self._left_is_fewer = left_is_fewer
        self._same = same
        self.repaired: Set[Tuple[bool, int]] = set()

    def pairs(self, feedback: QgsFeedback) -> Dict[int, List[int]]:
        """For each left feature that has any, the ids of the right ones, lowest first. UNSUPPORTED for too many."""
        found: Dict[int, List[int]] = {}
        for number, (left, right) in enumerate(self._each(feedback)):
            if number >= MOST_PAIRS:
                raise too_many()
            found.setdefault(left, []).append(right)
        for each in found.values():
            each.sort()
        return found

    def left_ids(self, feedback: QgsFeedback) -> Set[int]:
        """The left features that are related to any right one."""
        found: Set[int] = set()
        for left, _ in self._each(feedback, found):
            found.add(left)
        return found

    def _each(self, feedback: QgsFeedback, known: Optional[Set[int]] = None) -> Iterator[Tuple[int, int]]:
        """(left, right); those whose left one is in ``known`` need not be looked at."""
        crs = self._left.crs
        few, many = (self._left, self._right) if self._left_is_fewer else (self._right, self._left)
        predicate = self._predicate if self._left_is_fewer else _TURNED.get(self._predicate, self._predicate)
        request = many.request(crs)
        request.setFeedback(feedback)
        index = QgsSpatialIndex(
            many.source.getFeatures(request), feedback, QgsSpatialIndex.Flag.FlagStoreFeatureGeometries
        )
        many_geometry = _Geometries(index, many.repair)
        for feature in read_features(few.source, few.request(crs), feedback):
            geometry = QgsGeometry(feature.geometry())
            if geometry.isEmpty():
                continue
            if few.repair and not geometry.isGeosValid():
                self.repaired.add((self._left_is_fewer, feature.id()))
                geometry = geometry.makeValid()
            yield from self._around(feature.id(), geometry, index, many_geometry, predicate, feedback, known)
        self.repaired.update((not self._left_is_fewer, each) for each in many_geometry.repaired)

    def _around(
        self,
        few_id: int,
        geometry: QgsGeometry,
        index: QgsSpatialIndex,
        many_geometry: _Geometries,
        predicate: str,
        feedback: QgsFeedback,
        known: Optional[Set[int]],
    ) -> Iterator[Tuple[int, int]]:
        """The pairs of one feature of the smaller side."""
        candidates = index.intersects(geometry.boundingBox())
        if not candidates:
            return
        engine = QgsGeometry.createGeometryEngine(geometry.constGet())
        engine.prepareGeometry()
        test = getattr(engine, _METHODS.get(predicate, predicate))
        for number, many_id in enumerate(candidates):
            if number % _CHECK_EVERY == 0 and feedback.isCanceled():
                raise cancelled()
            if self._same and many_id == few_id:
                continue
            if known is not None and not self._left_is_fewer and many_id in known:
                continue
            holds = test(many_geometry(many_id).constGet())
            if holds[0] if isinstance(holds, tuple) else holds:
                yield (few_id, many_id) if self._left_is_fewer else (many_id, few_id)
                if known is not None and self._left_is_fewer:
                    return


class _Geometries:
    """The geometries in an index, polygons repaired where they need it."""

    def __init__(self, index: QgsSpatialIndex, repair: bool) -> None:
        self._get = index.geometry
        self._repair = repair
        self._valid: Dict[int, Optional[QgsGeometry]] = {}
        self.repaired: Set[int] = set()

    def __call__(self, ident: int) -> QgsGeometry:
        geometry = self._get(ident)
        if not self._repair:
            return geometry
        if ident not in self._valid:
            good = geometry.isGeosValid()
            self._valid[ident] = None if good else geometry.makeValid()
            if not good:
                self.repaired.add(ident)
        repaired = self._valid[ident]
        return geometry if repaired is None else repaired


def too_many() -> ToolError:
    """Pairs without number."""
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "More than {} pairs of features belong together.").format(MOST_PAIRS),
        hint=translate("QgisAgent", "Use a condition (where), or count with stat_by_polygon."),
        reason="too_many_pairs",
    )
