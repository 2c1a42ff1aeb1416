"""From a list of conditions to one QgsExpression, with one meaning on every provider (design section 4).

The model never writes an expression: fields are looked up, values are checked against the field's type and quoted here.
"""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Sequence

from qgis.core import QgsExpression, QgsField, QgsVectorLayer
from qgis.PyQt.QtCore import QDate, QDateTime, QMetaType, Qt, QTime

from .errors import INVALID_PARAM, NOT_FOUND, ToolError, hint_for_name, nearest
from .i18n import translate
from .layers import field_type

Where = Sequence[Dict[str, Any]]

_COMPARE = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_ORDER_OPS = ("gt", "gte", "lt", "lte", "between")
_ORDERED = ("integer", "number", "date")
_TEXT_OPS = ("contains", "starts_with")
_NULL_OPS = ("is_null", "not_null")
MAX_VALUES = 200
MAX_FIELDS = 6
_KEY_FIELD = re.compile(
    r"^(?:fid|ogc_fid|osm_id|id|gid|oid|uid|uuid|object_?id|feature_?id|row_?id|pk|key)(?:_\d+)?$", re.IGNORECASE
)


def where_expression(layer: QgsVectorLayer, where: Where) -> str:
    """The expression of ``where`` on ``layer``; "" when there is no condition.

    Raises NOT_FOUND for a field that does not exist (with the nearest names) and INVALID_PARAM for a value or an operator
    that does not fit the field's type.
    """
    parts: List[str] = []
    for item in where or ():
        if "any_of" in item:
            parts.append("({})".format(" OR ".join(_condition(layer, each) for each in item["any_of"])))
        else:
            parts.append(_condition(layer, item))
    return " AND ".join(parts)


def require_field(layer: QgsVectorLayer, name: str, kinds: Sequence[str] = ()) -> QgsField:
    """The field of this exact name. NOT_FOUND with the nearest names when there is none.

    ``kinds`` are the types of field that serve the purpose: they are offered to the person before others.
    """
    index = layer.fields().lookupField(name)
    if index >= 0 and layer.fields().at(index).name() == name:
        return layer.fields().at(index)
    raise ToolError(
        NOT_FOUND,
        translate("QgisAgent", "The layer '{}' has no field '{}'.").format(layer.name(), name),
        hint=hint_for_name(name, [each.name() for each in layer.fields()], "field"),
        reason="field",
        options=[{"label": each, "replaces": name} for each in fields_like(layer, name, kinds)],
    )


def fields_like(layer: QgsVectorLayer, name: str, kinds: Sequence[str] = ()) -> List[str]:
    """Fields that a person may have meant by a name that is none: names alike first, then those of ``kinds``, then others.

    Keys (fid, id) only where the name is like theirs: nobody colours or counts by them.
    """
    every = [(each.name(), field_type(each)) for each in layer.fields() if field_type(each) != "other"]
    useful = [(each, kind) for each, kind in every if not is_key_field(each)]
    fitting = [each for each, kind in useful if kind in kinds] + [each for each, _ in useful]
    alike = nearest(name, [each for each, _ in every])
    return list(dict.fromkeys(alike + fitting))[:MAX_FIELDS]


def is_key_field(name: str) -> bool:
    """Whether a field only numbers the rows."""
    return _KEY_FIELD.match(name) is not None


def _condition(layer: QgsVectorLayer, item: Dict[str, Any]) -> str:
    op, value = item["op"], item.get("value")
    field = require_field(layer, item["field"], _ORDERED if op in _ORDER_OPS else ())
    column = QgsExpression.quotedColumnRef(field.name())
    if op in _NULL_OPS:
        if value is not None:
            raise _invalid(field, op, translate("QgisAgent", "takes no value"), "")
        return "{} IS {}NULL".format(column, "" if op == "is_null" else "NOT ")
    kind = field_type(field)
    if op in _ORDER_OPS and kind in ("text", "boolean", "other"):
        raise _invalid(
            field,
            op,
            translate("QgisAgent", "needs a number or date field"),
            translate("QgisAgent", "Use eq, in or contains."),
        )
    if op in _TEXT_OPS:
        return _text_condition(field, column, op, value)
    if op in ("in", "not_in"):
        return _list_condition(field, column, op, value)
    if op == "between":
        if not isinstance(value, list) or len(value) != 2:
            raise _invalid(field, op, translate("QgisAgent", "needs a list of two values"), "[low, high]")
        low, high = (_literal(field, each) for each in value)
        return "({0} >= {1} AND {0} <= {2})".format(column, low, high)
    literal = _literal(field, value)
    if op == "ne":
        return "({0} IS NULL OR {0} <> {1})".format(column, literal)
    return "{} {} {}".format(column, _COMPARE[op], literal)


def _text_condition(field: QgsField, column: str, op: str, value: Any) -> str:
    if field_type(field) != "text" or not isinstance(value, str) or not value:
        raise _invalid(
            field,
            op,
            translate("QgisAgent", "needs a text field and a text"),
            translate("QgisAgent", "Use eq, gt or between."),
        )
    wanted = QgsExpression.quotedString(value.lower())
    if op == "contains":
        return "strpos(lower({}), {}) > 0".format(column, wanted)
    return "left(lower({}), {}) = {}".format(column, len(value.lower()), wanted)


def _list_condition(field: QgsField, column: str, op: str, value: Any) -> str:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_VALUES:
        raise _invalid(field, op, translate("QgisAgent", "needs a list of 1 to 200 values"), "")
    values = ", ".join(_literal(field, each) for each in value)
    if op == "in":
        return "{} IN ({})".format(column, values)
    return "({0} IS NULL OR {0} NOT IN ({1}))".format(column, values)


def _literal(field: QgsField, value: Any) -> str:
    kind = field_type(field)
    if kind == "text" and isinstance(value, str):
        return QgsExpression.quotedString(value)
    if kind in ("integer", "number") and isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, float) and not math.isfinite(value):
            raise _invalid(field, "value", translate("QgisAgent", "must be a finite number"), "")
        return repr(value)
    if kind == "boolean" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "date" and isinstance(value, str):
        return _date_literal(field, value)
    wanted = {
        "text": translate("QgisAgent", "a text in quotes, also when it looks like a number"),
        "integer": translate("QgisAgent", "a number without quotes"),
        "number": translate("QgisAgent", "a number without quotes"),
        "boolean": translate("QgisAgent", "true or false"),
        "date": translate("QgisAgent", "a date as text, YYYY-MM-DD"),
    }.get(kind, translate("QgisAgent", "nothing: this kind of field cannot be compared"))
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The value {!r} does not fit the field '{}' ({}).").format(value, field.name(), kind),
        hint=translate("QgisAgent", "Give {}. For empty values use is_null.").format(wanted),
        reason="value_type",
    )


def _date_literal(field: QgsField, value: str) -> str:
    kind = field.type()
    quoted = QgsExpression.quotedString(value)
    iso = Qt.DateFormat.ISODate
    if kind == QMetaType.Type.QTime:
        valid, function = QTime.fromString(value, iso).isValid(), "to_time"
    elif kind == QMetaType.Type.QDateTime:
        valid, function = QDateTime.fromString(value, iso).isValid(), "to_datetime"
        if len(value) == 10:
            quoted = QgsExpression.quotedString(value + "T00:00:00")
    else:
        valid, function = QDate.fromString(value, iso).isValid() and len(value) == 10, "to_date"
    if not valid:
        raise _invalid(field, "value", translate("QgisAgent", "is not a date"), "YYYY-MM-DD")
    return "{}({})".format(function, quoted)


def _invalid(field: QgsField, op: str, why: str, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "Condition on '{}' ({}): {} {}.").format(field.name(), field_type(field), op, why),
        hint=hint or translate("QgisAgent", "See the field's type in describe_layer."),
        reason="condition",
    )
