"""From a list of conditions to one QgsExpression, with one meaning on every provider (design section 4).

A day that is compared with a field of date and time means the whole day.

The model never writes an expression: fields are looked up, values are checked against the field's type and quoted here.
"""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Sequence, Union

from qgis.core import QgsField, QgsVectorLayer
from qgis.PyQt.QtCore import QDate, QDateTime, QMetaType, Qt, QTime

from .dialects import INT64_MAX, KNOWS_NULL, Condition, Day, ExpressionDialect, open_fields, perhaps, unknown
from .errors import INVALID_PARAM, NOT_FOUND, ToolError, hint_for_name, nearest
from .i18n import translate
from .layers import clean_text, field_type
from .scope import seen_field, seen_fields

Where = Sequence[Dict[str, Any]]

_ORDER_OPS = ("gt", "gte", "lt", "lte", "between")
_ORDERED = ("integer", "number", "date")
_TEXT_OPS = ("contains", "starts_with")
_NULL_OPS = ("is_null", "not_null")
OPS = ("eq", "ne", "gt", "gte", "lt", "lte", "in", "not_in", "between") + _TEXT_OPS + _NULL_OPS
SQLITE_STORAGE = ("GPKG", "SQLite")
_WITHOUT_SQL = ("memory", "delimitedtext")
MAX_VALUES = 200
MAX_FIELDS = 6
_KEY_FIELD = re.compile(
    r"^(?:fid|ogc_fid|osm_id|id|gid|oid|uid|uuid|object_?id|feature_?id|row_?id|pk|key)(?:_\d+)?$", re.IGNORECASE
)


def where_expression(layer: QgsVectorLayer, where: Where) -> str:
    """The expression of ``where`` on ``layer``; "" when there is no condition. Raises as ``checked`` does."""
    return ExpressionDialect().where(checked(layer, where))


def request_expression(layer: QgsVectorLayer, where: Where) -> str:
    """``where_expression`` for a QgsFeatureRequest, kept from providers that would change its meaning."""
    return by_qgis(layer, where_expression(layer, where))


class NullAware:
    """How to find the features that a ``where`` leaves out only because a field is NULL. Made on the main thread.

    ``unknown``: the expression for them, "" when there can be none. Where there are several ``fields``, ``perhaps`` finds
    them together with those that match, and they are those with a NULL in one of ``fields``: one reading instead of two.
    (Of one field "field IS NULL" is read sooner than the field itself.)
    """

    def __init__(self, layer: QgsVectorLayer, where: Where) -> None:
        groups, dialect = checked(layer, where), ExpressionDialect()
        self.unknown = by_qgis(layer, unknown(groups, dialect))
        self.fields = open_fields(groups)
        self.perhaps = by_qgis(layer, perhaps(groups, dialect)) if len(self.fields) > 1 else ""
        open_groups = [group for group in groups if group[0].op not in KNOWS_NULL]
        self.is_whole_field = len(self.fields) == 1 and len(open_groups) == len(groups)
        """Whether ``unknown`` finds each NULL of the one field."""


def by_qgis(layer: QgsVectorLayer, expression: str) -> str:
    """An expression that QGIS evaluates itself where the provider's own SQL does not mean the same.

    QGIS translates what it can into the provider's SQL. That is right for GeoPackage and PostgreSQL; OGR SQL has no third
    truth value and takes "day <> …" for true on the very day, and of other servers nothing is known. if() is not translated.
    """
    if not expression or _translates_well(layer):
        return expression
    return "if({}, true, false)".format(expression)


def _translates_well(layer: QgsVectorLayer) -> bool:
    provider = layer.providerType()
    if provider == "ogr":
        return layer.dataProvider().storageType() in SQLITE_STORAGE
    if provider == "postgres":
        return all(each.typeName().lower() != "citext" for each in layer.fields())
    return provider in _WITHOUT_SQL


def checked(layer: QgsVectorLayer, where: Where) -> List[List[Condition]]:
    """The conditions with their fields and with values of the field's type, in groups of which one must hold.

    Raises NOT_FOUND for a field that does not exist (with the nearest names) and INVALID_PARAM for a value or an operator
    that does not fit the field's type.
    """
    return [[_checked(layer, each) for each in item.get("any_of", [item])] for item in where or ()]


def require_field(layer: QgsVectorLayer, name: str, kinds: Sequence[str] = ()) -> QgsField:
    """The field of this exact name. NOT_FOUND with the nearest names when there is none.

    ``kinds`` are the types of field that serve the purpose: they are offered to the person before others.
    """
    index = layer.fields().lookupField(name)
    if index >= 0 and layer.fields().at(index).name() == name and seen_field(layer, name):
        return layer.fields().at(index)
    meant = fields_with_alias(layer, name)
    hint = translate("QgisAgent", "'{}' is the alias of {}: give the field's own name.").format(
        name, ", ".join(repr(each) for each in meant)
    )
    raise ToolError(
        NOT_FOUND,
        translate("QgisAgent", "The layer '{}' has no field '{}'.").format(clean_text(layer.name(), 60), name),
        hint=hint if meant else hint_for_name(name, seen_fields(layer).names(), "field"),
        reason="field",
        options=[{"label": each, "replaces": name} for each in fields_like(layer, name, kinds)],
    )


def fields_like(layer: QgsVectorLayer, name: str, kinds: Sequence[str] = ()) -> List[str]:
    """Fields that a person may have meant by a name that is none: names alike first, then those of ``kinds``, then others.

    Keys (fid, id) only where the name is like theirs: nobody colours or counts by them.
    """
    every = [(each.name(), field_type(each)) for each in seen_fields(layer) if field_type(each) != "other"]
    useful = [(each, kind) for each, kind in every if not is_key_field(each)]
    fitting = [each for each, kind in useful if kind in kinds] + [each for each, _ in useful]
    alike = fields_with_alias(layer, name) + nearest(name, [each for each, _ in every])
    return list(dict.fromkeys(alike + fitting))[:MAX_FIELDS]


def fields_with_alias(layer: QgsVectorLayer, alias: str) -> List[str]:
    """The fields that QGIS shows to the person under this name."""
    wanted = alias.strip().casefold()
    return [each.name() for each in seen_fields(layer) if wanted and each.alias().strip().casefold() == wanted]


def is_key_field(name: str) -> bool:
    """Whether a field only numbers the rows."""
    return _KEY_FIELD.match(name) is not None


def _checked(layer: QgsVectorLayer, item: Dict[str, Any]) -> Condition:
    op, value = item["op"], item.get("value")
    if op not in OPS:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "There is no operator '{}'.").format(op),
            hint=translate("QgisAgent", "Operators: {}.").format(", ".join(OPS)),
            reason="condition",
        )
    field = require_field(layer, item["field"], _ORDERED if op in _ORDER_OPS else ())
    kind = field_type(field)
    if op in _NULL_OPS:
        if value is not None:
            raise _invalid(field, op, translate("QgisAgent", "takes no value"), "")
        return Condition(field, kind, op, ())
    if op in _ORDER_OPS and kind in ("text", "boolean", "other"):
        raise _invalid(
            field,
            op,
            translate("QgisAgent", "needs a number or date field"),
            translate("QgisAgent", "Use eq, in or contains."),
        )
    if op in _TEXT_OPS:
        if kind != "text" or not isinstance(value, str) or not value:
            raise _invalid(
                field,
                op,
                translate("QgisAgent", "needs a text field and a text"),
                translate("QgisAgent", "Use eq, gt or between."),
            )
        return Condition(field, kind, op, (value,))
    values = tuple(_value(field, kind, each) for each in _values(field, op, value))
    if op == "between" and _first(values[0]) > _last(values[1]):
        low, high = (clean_text(str(each), 40) for each in reversed(value))
        raise _invalid(
            field,
            op,
            translate("QgisAgent", "has its limits the wrong way round, so nothing would match"),
            translate("QgisAgent", "Give [{}, {}]: the low one first.").format(low, high),
        )
    return Condition(field, kind, op, values)


def _first(value: Any) -> Any:
    return value.start if isinstance(value, Day) else value


def _last(value: Any) -> Any:
    return value.end.addMSecs(-1) if isinstance(value, Day) else value


def _values(field: QgsField, op: str, value: Any) -> List[Any]:
    if op in ("in", "not_in"):
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_VALUES:
            raise _invalid(field, op, translate("QgisAgent", "needs a list of 1 to 200 values"), "")
        return value
    if op == "between":
        if not isinstance(value, list) or len(value) != 2:
            raise _invalid(field, op, translate("QgisAgent", "needs a list of two values"), "[low, high]")
        return value
    return [value]


def _value(field: QgsField, kind: str, value: Any) -> Any:
    """``value`` as the field's type has it. INVALID_PARAM when it does not fit."""
    if (kind == "text" and isinstance(value, str)) or (kind == "boolean" and isinstance(value, bool)):
        return value
    if kind in ("integer", "number") and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(field, kind, value)
    if kind == "date" and isinstance(value, str):
        return _moment(field, value)
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


def _number(field: QgsField, kind: str, value: Union[int, float]) -> Union[int, float]:
    if isinstance(value, float) and not math.isfinite(value):
        raise _invalid(field, "value", translate("QgisAgent", "must be a finite number"), "")
    if kind == "integer" and value == int(value):
        value = int(value)
    if isinstance(value, int) and abs(value) > INT64_MAX:
        raise _invalid(
            field, "value", translate("QgisAgent", "is too large"), "-9223372036854775807 … 9223372036854775807"
        )
    return value if kind == "integer" else float(value)


def _moment(field: QgsField, value: str) -> Union[QDate, QDateTime, QTime, Day]:
    """A date, a time, or a moment; the whole day for a day given to a field of moments."""
    kind, iso = field.type(), Qt.DateFormat.ISODate
    day = QDate.fromString(value, iso) if len(value) == 10 else QDate()
    moment: Union[QDate, QDateTime, QTime] = day
    if kind == QMetaType.Type.QTime:
        moment = QTime.fromString(value, iso)
    elif kind == QMetaType.Type.QDateTime:
        if day.isValid():
            midnight = QTime(0, 0)
            return Day(QDateTime(day, midnight), QDateTime(day.addDays(1), midnight))
        moment = QDateTime.fromString(value, Qt.DateFormat.ISODateWithMs)
    if not moment.isValid():
        raise _invalid(field, "value", translate("QgisAgent", "is not a date"), "YYYY-MM-DD")
    return moment


def _invalid(field: QgsField, op: str, why: str, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "Condition on '{}' ({}): {} {}.").format(field.name(), field_type(field), op, why),
        hint=hint or translate("QgisAgent", "See the field's type in describe_layer."),
        reason="condition",
    )
