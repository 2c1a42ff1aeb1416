"""Reading and counting features. All of it runs on worker threads, on feature sources made on the main thread."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsVariantUtils,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt.QtCore import QByteArray, QDate, QDateTime, Qt, QTime

from .conditions import Where, require_field, where_expression
from .errors import CANCELLED, UPSTREAM_ERROR, ToolError
from .i18n import translate
from .layers import clean_text

__all__ = [
    "FeatureReader",
    "Where",
    "count_matching",
    "feature_source",
    "json_value",
    "require_field",
    "where_expression",
]

MAX_ROWS = 200
_CHECK_EVERY = 1000


def feature_source(layer: QgsVectorLayer) -> QgsVectorLayerFeatureSource:
    """A snapshot of a layer that a worker thread may read: filter, joins, virtual fields and open edits included."""
    return QgsVectorLayerFeatureSource(layer)


def expression_context(layer: QgsVectorLayer) -> QgsExpressionContext:
    """The context that a layer's virtual fields and conditions are evaluated in."""
    return QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))


def clamp_limit(limit: int) -> Tuple[int, str]:
    """The limit in force, at most 200, and a sentence when it was lowered."""
    if limit <= MAX_ROWS:
        return limit, ""
    return MAX_ROWS, translate("QgisAgent", "limit {} was lowered to {}.").format(limit, MAX_ROWS)


def cancelled() -> ToolError:
    """The error that ends a call which was stopped."""
    return ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")


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
    if not expression:
        request.setSubsetOfAttributes([])
    total = 0
    for _ in read_features(source, request, feedback):
        total += 1
    return total


class FeatureReader:
    """Reads rows of one layer on a worker thread. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where) -> None:
        self.source = feature_source(layer)
        self.expression = where_expression(layer, where)
        self._names = [each.name() for each in layer.fields()]
        self._context = expression_context(layer)

    def count(self, feedback: QgsFeedback) -> int:
        """Exact number of matching features."""
        return count_matching(self.source, self.expression, feedback, self._context)

    def rows(
        self, feedback: QgsFeedback, fields: Sequence[str], order_by: str, descending: bool, limit: int
    ) -> List[Dict[str, Any]]:
        """At most ``limit`` rows as {field: JSON value}. Without ``order_by`` the provider's order."""
        request = _request(self.expression, self._context)
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        names = list(fields) or self._names
        if order_by:
            request.addOrderBy(QgsExpression.quotedColumnRef(order_by), not descending, False)
        request.setLimit(limit)
        positions = [(name, self._names.index(name)) for name in names]
        return [
            {name: json_value(feature.attribute(position)) for name, position in positions}
            for feature in read_features(self.source, request, feedback)
        ]

    def group_counts(self, feedback: QgsFeedback, field: str) -> List[Tuple[Any, int]]:
        """(value, number of features), most frequent first, then by value."""
        request = _request(self.expression, self._context)
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        position = self._names.index(field)
        counts: Dict[Any, int] = {}
        for feature in read_features(self.source, request, feedback):
            value = json_value(feature.attribute(position))
            key = value if not isinstance(value, (list, dict)) else str(value)
            counts[key] = counts.get(key, 0) + 1
        return sorted(counts.items(), key=lambda item: (-item[1], item[0] is None, str(item[0])))


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
    iterator = source.getFeatures(request)
    if not iterator.isValid():
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The layer's data could not be read."),
            hint=translate("QgisAgent", "Check the layer's data source in QGIS."),
            reason="provider",
        )
    feature = QgsFeature()
    number = 0
    while iterator.nextFeature(feature):
        number += 1
        if number % _CHECK_EVERY == 0 and feedback.isCanceled():
            break
        yield feature
    if feedback.isCanceled():
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
        return value.toString(Qt.DateFormat.ISODate)
    if isinstance(value, (bytes, QByteArray)):
        return translate("QgisAgent", "<{} bytes>").format(len(value))
    if isinstance(value, (list, tuple)):
        return [json_value(each, length) for each in value]
    if isinstance(value, dict):
        return {clean_text(str(key), 80): json_value(each, length) for key, each in value.items()}
    return clean_text(str(value), length)
