"""Reading and counting features. All of it runs on worker threads, on feature sources made on the main thread."""

from __future__ import annotations

import math
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from osgeo import gdal
from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsRectangle,
    QgsVariantUtils,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt.QtCore import QByteArray, QDate, QDateTime, QTime, QVariant

from .analysis.run.failures import require_read
from .conditions import NullAware, Where, request_expression, require_field, where_expression
from .dialects import iso
from .errors import UPSTREAM_ERROR, ToolError
from .i18n import translate
from .layers import clean_text
from .scope import seen_fields
from .source_files import local_path, require_readable
from .work import cancelled

__all__ = [
    "FeatureReader",
    "Where",
    "count_matching",
    "feature_source",
    "json_value",
    "read_features",
    "require_field",
    "told_apart",
    "value_counts",
    "where_expression",
]

MAX_ROWS = 200
_CHECK_EVERY = 1000
_PLAIN = (str, int, float)
_HASHED = (*_PLAIN, QDate, QDateTime, QTime)


def feature_source(layer: QgsVectorLayer) -> QgsVectorLayerFeatureSource:
    """A snapshot of a layer that a worker thread may read: filter, joins, virtual fields and open edits included."""
    source = QgsVectorLayerFeatureSource(layer)
    source.path = local_path(layer)
    source.drops_rows = layer.isSpatial() and layer.providerType() == "delimitedtext"
    return source


def expression_context(layer: QgsVectorLayer) -> QgsExpressionContext:
    """The context that a layer's virtual fields and conditions are evaluated in."""
    return QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))


def clamp_limit(limit: int) -> Tuple[int, str]:
    """The limit in force, at most 200, and a sentence when it was lowered."""
    if limit <= MAX_ROWS:
        return limit, ""
    return MAX_ROWS, translate("QgisAgent", "limit {} was lowered to {}.").format(limit, MAX_ROWS)


def count_matching(
    source: QgsVectorLayerFeatureSource,
    expression: str,
    feedback: QgsFeedback,
    context: Optional[QgsExpressionContext] = None,
) -> int:
    """Exact number of features that match ``expression`` ("" = all), counted one by one.

    Never ``featureCount()``: on a filtered GeoPackage of more than 100,000 rows that returns the unfiltered count.
    """
    request = _request(expression, context)
    request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
    request.setSubsetOfAttributes([])  # what the expression needs is read all the same
    total = 0
    for _ in read_features(source, request, feedback):
        total += 1
    return total


def box_of_features(source: QgsVectorLayerFeatureSource, feedback: QgsFeedback) -> QgsRectangle:
    """The box around all features in the source's CRS, null without geometry: what ``extent()`` says, read on a worker thread.

    Of a filtered or edited layer ``extent()`` reads every feature on the thread that asks.
    """
    box = QgsRectangle()
    for feature in read_features(source, QgsFeatureRequest().setSubsetOfAttributes([]), feedback):
        if feature.hasGeometry():
            box.combineExtentWith(feature.geometry().boundingBox())
    return box


class FeatureReader:
    """Reads rows of one layer on a worker thread. Made on the main thread.

    With ``ids`` (of the selected features) only those are read.
    """

    def __init__(self, layer: QgsVectorLayer, where: Where, ids: Optional[Sequence[int]] = None) -> None:
        self.source = feature_source(layer)
        self.expression = request_expression(layer, where)
        self._null = NullAware(layer, where)
        self._names = [each.name() for each in layer.fields()]
        self._shown = seen_fields(layer).names()
        self._context = expression_context(layer)
        self._ids = None if ids is None else list(ids)
        self.full: FrozenSet[str] = frozenset()
        """Fields that are known to have no NULL; see ``null_facts.py``."""
        self.found_full = ""
        """A field that was found to have none."""
        self.revision: Optional[str] = None

    def count(self, feedback: QgsFeedback) -> int:
        """Exact number of matching features."""
        if self._ids is not None:
            return sum(1 for _ in self.read(feedback, fields=()))
        return count_matching(self.source, self.expression, feedback, self._context)

    def null_left_out(self, feedback: QgsFeedback) -> int:
        """Exact number of features that do not match only because a field of the conditions is NULL."""
        if not self._null.unknown:
            return 0
        if self._ids is not None:
            return sum(1 for _ in self._selected(feedback, self._null.unknown))
        return count_matching(self.source, self._null.unknown, feedback, self._context)

    def count_both(self, feedback: QgsFeedback) -> Tuple[int, int]:
        """``count`` and ``null_left_out``, in one reading where that can be."""
        fields = self._null.fields
        if fields and self.full.issuperset(fields):
            return self.count(feedback), 0
        if self._ids is not None or not self._null.perhaps:
            unknown = self.null_left_out(feedback)
            if unknown == 0 and self._null.is_whole_field and self._ids is None:
                self.found_full = fields[0]
            return self.count(feedback), unknown
        positions = [self.position(each) for each in self._null.fields]
        request = _request(self._null.perhaps, self._context).setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes(positions)
        total = unknown = 0
        for feature in read_features(self.source, request, feedback):
            for position in positions:
                value = feature[position]
                if value is None or (isinstance(value, QVariant) and value.isNull()):
                    unknown += 1
                    break
            else:
                total += 1
        return total, unknown

    def read(
        self, feedback: QgsFeedback, fields: Optional[Sequence[str]] = None, geometry: bool = False
    ) -> Iterator[QgsFeature]:
        """The matching features, in one object that is filled anew each time. ``fields``: only these are sure to be read."""
        if self._ids is not None:
            return self._selected(feedback, self.expression, geometry)
        request = _request(self.expression, self._context)
        if not geometry:
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        if fields is not None:
            request.setSubsetOfAttributes([self._names.index(each) for each in fields])
        return read_features(self.source, request, feedback)

    def _selected(self, feedback: QgsFeedback, expression: str, geometry: bool = False) -> Iterator[QgsFeature]:
        """A request takes ids or an expression, so the expression is evaluated here."""
        request = QgsFeatureRequest().setFilterFids(self._ids or [])
        if not geometry:
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        test = QgsExpression(expression)
        test.prepare(self._context)
        for feature in read_features(self.source, request, feedback):
            self._context.setFeature(feature)
            if not expression or test.evaluate(self._context):
                yield feature

    def column(self, feedback: QgsFeedback, field: str) -> Iterator[Any]:
        """The values of one field of the matching features, NULL as None."""
        position = self._names.index(field)
        for feature in self.read(feedback, fields=[field]):
            value = feature[position]
            yield value if isinstance(value, _PLAIN) or not QgsVariantUtils.isNull(value) else None

    def position(self, field: str) -> int:
        """Where a field's value stands in the features that are read."""
        return self._names.index(field)

    def rows(
        self, feedback: QgsFeedback, fields: Sequence[str], order_by: str, descending: bool, limit: int
    ) -> List[Dict[str, Any]]:
        """At most ``limit`` rows as {field: JSON value}. Without ``order_by`` the provider's order."""
        request = _request(self.expression, self._context)
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        names = list(fields) or self._shown
        if order_by:
            request.addOrderBy(QgsExpression.quotedColumnRef(order_by), not descending, False)
        request.setLimit(limit)
        positions = [(name, self._names.index(name)) for name in names]
        return [
            {name: json_value(told_apart(feature.attribute(position))) for name, position in positions}
            for feature in read_features(self.source, request, feedback)
        ]

    def group_counts(self, feedback: QgsFeedback, field: str) -> List[Tuple[Any, int]]:
        """(value, number of features), most frequent first, then by value; NULL after others that are as frequent."""
        counts = value_counts(self, field, feedback)
        found = [(json_value(value), number) for value, number in counts.items()]
        return sorted(found, key=lambda item: (-item[1], item[0] is None, str(item[0])))


def told_apart(value: Any) -> Any:
    """A value by which features are counted and shown: no two NaN are equal, and JSON has neither them nor infinite
    numbers, so they go by their text: only NULL is null."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def value_counts(reader: FeatureReader, field: str, feedback: QgsFeedback) -> Dict[Any, int]:
    """How often each value occurs, as the provider gives it; NULL as None. Lists and the like as their text."""
    counts: Dict[Any, int] = {}
    for value in reader.column(feedback, field):
        if value is not None:
            value = told_apart(value) if isinstance(value, _HASHED) else str(value)
        counts[value] = counts.get(value, 0) + 1
    return counts


def _request(expression: str, context: Optional[QgsExpressionContext]) -> QgsFeatureRequest:
    request = QgsFeatureRequest()
    if expression:
        request.setFilterExpression(expression)
        if context is not None:
            request.setExpressionContext(context)
    return request


def read_features(source: QgsVectorLayerFeatureSource, request: QgsFeatureRequest, feedback: QgsFeedback) -> Any:
    """Features one by one, in one object that is filled anew each time.

    CANCELLED when the call is stopped, UPSTREAM_ERROR when the source cannot be read.
    """
    request.setFeedback(feedback)
    require_readable(str(getattr(source, "path", "")))
    gdal.ErrorReset()
    if getattr(source, "drops_rows", False):
        # Rows whose place cannot be read are no features, but QGIS gives them where no geometry is asked for.
        request.setFlags(request.flags() & ~QgsFeatureRequest.Flag.NoGeometry)
    iterator = source.getFeatures(request)
    if not iterator.isValid():
        require_read()
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The layer's data could not be read."),
            hint=translate("QgisAgent", "Check the layer's data source in QGIS."),
            reason="provider",
        )
    feature = QgsFeature()
    next_feature = iterator.nextFeature
    while not feedback.isCanceled():
        for _ in range(_CHECK_EVERY):
            if not next_feature(feature):
                if feedback.isCanceled():
                    raise cancelled()
                require_read()
                return
            yield feature
    raise cancelled()


def json_value(value: Any, length: int = 256) -> Any:
    """An attribute as JSON: NULL and NaN as null, dates in ISO 8601, binary as its size, text cleaned and clipped."""
    if value is None or QgsVariantUtils.isNull(value):
        return None
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return clean_text(value, length)
    if isinstance(value, (QDate, QDateTime, QTime)):
        return iso(value)
    if isinstance(value, (bytes, QByteArray)):
        return translate("QgisAgent", "<{} bytes>").format(len(value))
    if isinstance(value, (list, tuple)):
        return [json_value(each, length) for each in value]
    if isinstance(value, dict):
        return {clean_text(str(key), 80): json_value(each, length) for key, each in value.items()}
    return clean_text(str(value), length)
