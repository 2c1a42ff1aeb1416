"""Reads the values that a style is made of, on a worker thread, through a source made on the main thread."""

from __future__ import annotations

import math
from array import array
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsVariantUtils,
    QgsVectorLayer,
)

from ..conditions import require_field
from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..features import expression_context, feature_source, json_value, read_features
from ..i18n import translate
from ..layers import field_type, layer_kind
from . import measures

MAX_CATEGORIES = 64


class Numbers(NamedTuple):
    """Finite values, sorted; how many features have none (``nulls``) or no finite one (``not_finite``)."""

    values: Any
    nulls: int
    not_finite: int


class Category(NamedTuple):
    """A distinct value as the provider gives it (None for NULL) and the number of its features."""

    value: Any
    count: int


class NumberReader:
    """The numbers of a field or of a computed name ("$area_km2", "$length_m"). Made on the main thread.

    ``attribute`` is what the renderer gets: the field's name, or an expression that measures on the ellipsoid. The values
    are those of the very same attribute, so that class limits and drawing cannot disagree.
    """

    def __init__(self, layer: QgsVectorLayer, field: str) -> None:
        self._source = feature_source(layer)
        self._context: QgsExpressionContext = expression_context(layer)
        self._position = -1
        if field in measures.NAMES:
            self.attribute = measures.expression(layer, field)
        else:
            self.attribute = require_number_field(layer, field)
            self._position = layer.fields().lookupField(field)

    def read(self, feedback: QgsFeedback) -> Numbers:
        """All values, on a worker thread."""
        found = array("d")
        nulls = not_finite = 0
        for value in self._field_values(feedback) if self._position >= 0 else self._measured_values(feedback):
            if type(value) is not float and not isinstance(value, (int, float)):
                nulls += 1
            elif math.isfinite(value):
                found.append(value)
            else:
                not_finite += 1
        return Numbers(np.sort(np.frombuffer(found, dtype=np.float64)) if found else np.empty(0), nulls, not_finite)

    def _field_values(self, feedback: QgsFeedback) -> Any:
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes([self._position])
        for feature in read_features(self._source, request, feedback):
            yield feature[self._position]

    def _measured_values(self, feedback: QgsFeedback) -> Any:
        expression = QgsExpression(self.attribute)
        expression.prepare(self._context)
        for feature in read_features(self._source, QgsFeatureRequest(), feedback):
            self._context.setFeature(feature)
            yield expression.evaluate(self._context)


class CategoryReader:
    """The distinct values of a field. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, field: str) -> None:
        if field in measures.NAMES:
            raise _only_graduated(field)
        self._field = require_field(layer, field)
        self._position = layer.fields().lookupField(field)
        self._source = feature_source(layer)
        self._others = [each.name() for each in layer.fields() if field_type(each) == "text" and each.name() != field]
        if field_type(self._field) == "other":
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The field '{}' holds lists or binary data, which make no categories.").format(
                    field
                ),
                hint=translate("QgisAgent", "Use a text or number field."),
                reason="field_type",
            )

    def read(self, feedback: QgsFeedback) -> List[Category]:
        """Values in order, NULL last, on a worker thread. INVALID_PARAM for more than 64.

        An empty text counts as NULL: QGIS draws both by one category.
        """
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes([self._position])
        counts: Dict[Any, int] = {}
        originals: Dict[Any, Any] = {}
        for feature in read_features(self._source, request, feedback):
            value = feature[self._position]
            key = None if QgsVariantUtils.isNull(value) or value == "" else _key(value)
            if key not in counts:
                originals[key] = value if key is not None else None
                if len(counts) >= MAX_CATEGORIES:
                    raise self._too_many()
            counts[key] = counts.get(key, 0) + 1
        present = sorted((each for each in counts if each is not None), key=_order)
        return [Category(originals[each], counts[each]) for each in present + ([None] if None in counts else [])]

    def _too_many(self) -> ToolError:
        name = self._field.name()
        if field_type(self._field) in ("integer", "number"):
            hint = translate("QgisAgent", "Use method graduated for the number field '{}', or another field.").format(
                name
            )
        else:
            hint = translate(
                "QgisAgent", "Use a field with fewer values ({}), or graduated with a number field."
            ).format(", ".join(self._others[:6]) or "-")
        return ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The field '{}' has more than {} different values.").format(name, MAX_CATEGORIES),
            hint=hint,
            reason="too_many_categories",
        )


def require_number_field(layer: QgsVectorLayer, field: str) -> str:
    """The field's name. NOT_FOUND for none, INVALID_PARAM naming the number fields for one of another type."""
    found = require_field(layer, field, ("integer", "number"))
    if field_type(found) in ("integer", "number"):
        return str(found.name())
    numbers = [each.name() for each in layer.fields() if field_type(each) in ("integer", "number")]
    usable = numbers + measures.names_for(layer_kind(layer))
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The field '{}' ({}) is no number field.").format(field, field_type(found)),
        hint=translate("QgisAgent", "Number fields: {}. Or use method categorized.").format(
            ", ".join(usable[:12]) or "-"
        ),
        reason="field_type",
    )


def _only_graduated(field: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} is a measure and makes no categories.").format(field),
        hint=translate("QgisAgent", "Use method graduated."),
        reason="field",
    )


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else json_value(value)


def _order(key: Any) -> Tuple[int, Any]:
    return (0, key) if isinstance(key, (int, float)) else (1, str(key))
