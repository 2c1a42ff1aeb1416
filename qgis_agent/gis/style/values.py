"""Reads the values that a style is made of, on a worker thread, through a source made on the main thread."""

from __future__ import annotations

import math
from array import array
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

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
from ..scope import seen_fields
from . import measures

MAX_CATEGORIES = 64
MAX_COUNTED = 5000
"""Different values that are counted to find the most frequent ones: a field with more names its features one by one."""
SAMPLE_OF_TEXTS = 500
NUMBER_TYPES = ("integer", "number")


class Numbers(NamedTuple):
    """Finite values, sorted; how many features have none (``nulls``) or no finite one (``not_finite``)."""

    values: Any
    nulls: int
    not_finite: int

    @property
    def missing(self) -> int:
        """Features without a usable value."""
        return self.nulls + self.not_finite

    @property
    def total(self) -> int:
        """All features that were read."""
        return self.missing + len(self.values)


class Category(NamedTuple):
    """A distinct value as the provider gives it (None for NULL) and the number of its features.

    ``others`` marks the one that stands for all values that are not listed.
    """

    value: Any
    count: int
    others: bool = False


class Categories(NamedTuple):
    """The categories in order, NULL or the others last; features with NULL, with an empty text; different values read."""

    entries: List[Category]
    nulls: int
    empty: int
    distinct: int


class NumberReader:
    """The numbers of a field, a measure ("$area_km2", "$length_m") or a ratio ("a / b"). Made on the main thread.

    ``attribute`` is what the renderer gets: the field's name, or an expression that measures on the ellipsoid. The values
    are those of the very same attribute, so that class limits and drawing cannot disagree.
    """

    def __init__(self, layer: QgsVectorLayer, field: str, otherwise: Optional[str] = None) -> None:
        self.field = field
        self._source = feature_source(layer)
        self._context: QgsExpressionContext = expression_context(layer)
        self.attribute, self._position = number_attribute(layer, field, otherwise)

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
        request = QgsFeatureRequest()
        if not expression.needsGeometry():
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        for feature in read_features(self._source, request, feedback):
            self._context.setFeature(feature)
            yield expression.evaluate(self._context)


class CategoryReader:
    """The distinct values of a field. Made on the main thread.

    ``most`` is how many of the most frequent values get a category of their own; the rest is one category. Without it
    every value gets one, up to 64.
    """

    def __init__(self, layer: QgsVectorLayer, field: str, most: Optional[int] = None) -> None:
        if field in measures.NAMES:
            raise _only_graduated(field)
        self._field = require_field(layer, field)
        self._position = layer.fields().lookupField(field)
        self._source = feature_source(layer)
        self._most = most
        self._others = [
            each.name() for each in seen_fields(layer) if field_type(each) == "text" and each.name() != field
        ]
        if field_type(self._field) == "other":
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The field '{}' holds lists or binary data, which make no categories.").format(
                    field
                ),
                hint=translate("QgisAgent", "Use a text or number field."),
                reason="field_type",
            )

    def read(self, feedback: QgsFeedback) -> Categories:
        """Values in order, NULL or the others last, on a worker thread. INVALID_PARAM for too many.

        An empty text counts as NULL: QGIS draws both by one category. Reading ends at the first value too many.
        """
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes([self._position])
        counts: Dict[Any, int] = {}
        originals: Dict[Any, Any] = {}
        nulls = empty = 0
        for feature in read_features(self._source, request, feedback):
            value = feature[self._position]
            if QgsVariantUtils.isNull(value):
                nulls += 1
                continue
            if value == "":
                empty += 1
                continue
            key = _key(value)
            if key not in counts:
                originals[key] = value
                if len(counts) >= (MAX_COUNTED if self._most else MAX_CATEGORIES):
                    raise self._too_many()
            counts[key] = counts.get(key, 0) + 1
        if not self._most and len(counts) + (1 if nulls or empty else 0) > MAX_CATEGORIES:
            raise self._too_many()
        return Categories(self._entries(counts, originals, nulls + empty), nulls, empty, len(counts))

    def _entries(self, counts: Dict[Any, int], originals: Dict[Any, Any], missing: int) -> List[Category]:
        """Each value's category, in the order of the values."""
        kept = sorted(counts, key=_order)
        rest = 0
        if self._most and len(kept) > self._most:
            kept = sorted(sorted(kept, key=lambda each: -counts[each])[: self._most], key=_order)
            rest = sum(counts.values()) - sum(counts[each] for each in kept)
        entries = [Category(originals[each], counts[each]) for each in kept]
        if rest:
            return entries + [Category(None, rest + missing, others=True)]
        return entries + ([Category(None, missing)] if missing else [])

    def _too_many(self) -> ToolError:
        name, limit = self._field.name(), MAX_COUNTED if self._most else MAX_CATEGORIES
        ways = []
        if not self._most:
            ways.append(
                translate("QgisAgent", "give classes (2 to 20): so many of the most frequent values, all others in one")
            )
        if field_type(self._field) in NUMBER_TYPES:
            ways.append(translate("QgisAgent", "use method graduated for the number field '{}'").format(name))
        else:
            ways.append(
                translate("QgisAgent", "use a field with fewer values ({}), or graduated with a number field").format(
                    ", ".join(self._others[:6]) or "-"
                )
            )
        return ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The field '{}' has more than {} different values.").format(name, limit),
            hint=translate("QgisAgent", "Either {}.").format("; ".join(ways)),
            reason="too_many_categories",
        )


class TextSample:
    """Whether a text field holds numbers, by its first 500 values. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, field: str) -> None:
        self._source = feature_source(layer)
        self._position = layer.fields().lookupField(field)

    def read(self, feedback: QgsFeedback) -> Tuple[int, int]:
        """(how many of them are numbers, how many were read), on a worker thread. NULL and "" are left out."""
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes([self._position])
        numbers = texts = 0
        for feature in read_features(self._source, request, feedback):
            value = feature[self._position]
            if QgsVariantUtils.isNull(value) or value == "":
                continue
            texts += 1
            numbers += _is_number(str(value))
            if texts >= SAMPLE_OF_TEXTS:
                break
        return numbers, texts


def number_attribute(layer: QgsVectorLayer, field: str, otherwise: Optional[str] = None) -> Tuple[str, int]:
    """What a renderer classifies by, and the field's position (-1 for an expression).

    NOT_FOUND for a name that is none, INVALID_PARAM for a field of another type (``otherwise`` as in require_number_field).
    """
    if layer.fields().lookupField(field) < 0:
        parts = measures.ratio_parts(field)
        if parts is not None:
            return measures.ratio_expression(*(_operand(layer, each, otherwise) for each in parts)), -1
        if field in measures.NAMES:
            return measures.expression(layer, field), -1
    name = require_number_field(layer, field, otherwise=otherwise)
    return name, layer.fields().lookupField(name)


def is_text_field(layer: QgsVectorLayer, field: str) -> bool:
    """Whether there is a field of this exact name that holds text."""
    position = layer.fields().lookupField(field)
    return (
        position >= 0
        and layer.fields().at(position).name() == field
        and field_type(layer.fields().at(position)) == "text"
    )


def require_number_field(
    layer: QgsVectorLayer, field: str, numbers: int = 0, texts: int = 0, otherwise: Optional[str] = None
) -> str:
    """The field's name. NOT_FOUND for none, INVALID_PARAM naming the number fields for one of another type.

    ``numbers`` of ``texts`` values of a text field are numbers (``TextSample``): that is said. ``otherwise`` is the way out
    when there is no number field; without it, categories.
    """
    found = require_field(layer, field, NUMBER_TYPES)
    if field_type(found) in NUMBER_TYPES:
        return str(found.name())
    usable = [each.name() for each in seen_fields(layer) if field_type(each) in NUMBER_TYPES]
    usable += measures.names_for(layer_kind(layer))
    message = translate("QgisAgent", "The field '{}' ({}) is no number field.").format(field, field_type(found))
    if numbers:
        message = translate(
            "QgisAgent",
            "The field '{}' is text, although {} of the {} values looked at are numbers: text is ordered letter by letter "
            "(10 before 9), so it has no classes.",
        ).format(field, numbers, texts)
    raise ToolError(
        INVALID_PARAM,
        message,
        hint="{} {}".format(
            translate("QgisAgent", "Number fields: {}.").format(", ".join(usable[:12]) or "-"),
            translate("QgisAgent", "Or use method categorized.") if otherwise is None else otherwise,
        ),
        reason="text_numbers" if numbers else "field_type",
    )


def _operand(layer: QgsVectorLayer, name: str, otherwise: Optional[str]) -> str:
    if name in measures.NAMES:
        return measures.expression(layer, name)
    return QgsExpression.quotedColumnRef(require_number_field(layer, name, otherwise=otherwise))


def _only_graduated(field: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} is a measure and makes no categories.").format(field),
        hint=translate("QgisAgent", "Use method graduated."),
        reason="field",
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text.strip().replace(",", "")))
    except ValueError:
        return False


def _key(value: Any) -> Any:
    return value if isinstance(value, (str, int, float)) else json_value(value)


def _order(key: Any) -> Tuple[int, Any]:
    return (0, key) if isinstance(key, (int, float)) else (1, str(key))
