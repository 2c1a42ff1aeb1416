"""Fields renamed, converted, dropped and put in order: the mapping, and what became of each value."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from qgis.core import (
    QgsExpression,
    QgsFeatureRequest,
    QgsFeedback,
    QgsField,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt.QtCore import QMetaType

from ...conditions import require_field
from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...features import (
    json_value,
    read_features,
)
from ...i18n import translate
from ...layers import field_type
from ...scope import seen_fields
from ..checks.verify import broken
from .calculate import (
    TYPES,
    field_entry,
)

_WHOLE = "^[+-]?[0-9]{1,18}([.]0*)?$"
_NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_ZEROS = re.compile(r"^[+-]?0[0-9]")
_EXPRESSIONS = {
    ("text", "integer"): "if(regexp_match(trim({0}), '" + _WHOLE + "'), regexp_replace(trim({0}), '[.]0*$', ''), NULL)",
    ("text", "number"): "if(regexp_match(trim({0}), '" + _NUMBER + "'), to_real(trim({0})), NULL)",
    ("text", "date"): "try(to_date(trim({0})))",
    ("text", "datetime"): "try(to_datetime(trim({0})))",
    ("text", "boolean"): (
        "CASE WHEN lower(trim({0})) IN ('true', 't', 'yes', 'y', '1') THEN true "
        "WHEN lower(trim({0})) IN ('false', 'f', 'no', 'n', '0') THEN false END"
    ),
    ("integer", "number"): "{0}",
    ("integer", "boolean"): "{0} <> 0",
    ("number", "integer"): "if(abs({0}) < 9e18, round({0}), NULL)",
    ("boolean", "integer"): "if({0}, 1, 0)",
    ("date", "date"): "to_date({0})",
    ("date", "datetime"): "to_datetime({0})",
}
"""What {0}, a quoted field, is converted by. Integers go through their text: to_int() knows 32 bits only."""
_DATE_FORMATS = {QMetaType.Type.QDate: "yyyy-MM-dd", QMetaType.Type.QDateTime: "yyyy-MM-ddTHH:mm:ss",
                 QMetaType.Type.QTime: "HH:mm:ss"}  # fmt: skip


class Change(NamedTuple):
    """One field of the result: its source, its name, the type it gets ("" to keep it)."""

    source: QgsField
    name: str
    type: str


class Read(NamedTuple):
    """What became of a converted field: values before, values that could not be read, up to three of them, leading zeros
    that were lost, values that were rounded."""

    values: int
    unread: int
    samples: List[Any]
    zeros: int
    rounded: int


def changes_of(layer: QgsVectorLayer, changes: Sequence[Mapping[str, Any]], keep: Sequence[str]) -> List[Change]:
    """The fields of the result in order. NOT_FOUND for a field, INVALID_PARAM for what cannot be."""
    asked: Dict[str, Mapping[str, Any]] = {}
    for each in changes:
        name = require_field(layer, each["field"]).name()
        if name in asked:
            raise _refused(translate("QgisAgent", "The field '{}' is named twice.").format(name))
        asked[name] = each
    order = [require_field(layer, each).name() for each in keep] or [each.name() for each in seen_fields(layer)]
    found: List[Change] = []
    for name in dict.fromkeys(order):
        wanted = asked.get(name, {})
        if not wanted.get("drop"):
            source = layer.fields()[layer.fields().indexOf(name)]
            kind = str(wanted.get("type") or "")
            found.append(Change(source, wanted.get("name") or name, "" if _is(source, kind) else kind))
    names = [each.name.casefold() for each in found]
    twice = [each.name for each in found if names.count(each.name.casefold()) > 1]
    if twice:
        raise _refused(translate("QgisAgent", "Two fields would be called '{}'.").format(twice[0]))
    if not found:
        raise _refused(translate("QgisAgent", "No field would be left."))
    if not changes and not keep:
        raise _refused(translate("QgisAgent", "Nothing is to be changed."))
    return found


def _is(field: QgsField, kind: str) -> bool:
    """Whether a field has the wanted type already."""
    if kind in ("date", "datetime"):
        return bool(field.type() == TYPES[kind])
    return field_type(field) == kind


def _refused(why: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        why,
        hint=translate("QgisAgent", "Give changes ({field, name, type, drop}) or keep (names in order)."),
        reason="fields",
    )


def mapping(changes: Sequence[Change]) -> List[Dict[str, Any]]:
    """FIELDS_MAPPING of native:refactorfields."""
    return [_entry(each) for each in changes]


def _entry(change: Change) -> Dict[str, Any]:
    kept = field_entry(change.source, change.name)
    if not change.type:
        return kept
    column = QgsExpression.quotedColumnRef(change.source.name())
    before = field_type(change.source)
    if change.type == "text":
        text = text_of(change.source)
    else:
        text = _EXPRESSIONS.get((before, change.type), "").replace("{0}", column)
    if not text:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The field '{}' ({}) cannot become {}.").format(
                change.source.name(), before, change.type
            ),
            hint=translate("QgisAgent", "Use calculate_field with a formula for it."),
            reason="field_type",
        )
    return {**kept, "type": int(TYPES[change.type]), "sub_type": 0, "length": 0, "precision": 0, "expression": text}


def text_of(field: QgsField) -> str:
    """The expression that makes text of a field: dates as in ISO 8601."""
    column, form = QgsExpression.quotedColumnRef(field.name()), _DATE_FORMATS.get(field.type())
    return "format_date({}, '{}')".format(column, form) if form else "to_string({})".format(column)


def read_changes(
    before: QgsVectorLayerFeatureSource,
    after: QgsVectorLayerFeatureSource,
    changes: Sequence[Change],
    feedback: QgsFeedback,
) -> Dict[str, Read]:
    """By name of the converted fields what became of their values, row by row. UPSTREAM_ERROR when the rows differ, or when a
    value of a field that only was to be kept is another one."""
    positions = [before.fields().indexOf(each.source.name()) for each in changes]
    counts: Dict[str, List[Any]] = {each.name: [0, 0, [], 0, 0] for each in changes if each.type}
    request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
    made = read_features(after, QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry), feedback)
    for rows, feature in enumerate(read_features(before, request, feedback)):
        result = next(made, None)
        if result is None:
            raise broken(translate("QgisAgent", "only {} rows were written").format(rows))
        for number, change in enumerate(changes):
            old, new = json_value(feature[positions[number]], 10_000), json_value(result[number], 10_000)
            if change.type:
                _count(counts[change.name], old, new, change.type)
            elif old != new:
                raise broken(translate("QgisAgent", "a value of '{}' has changed").format(change.name))
    if next(made, None) is not None:
        raise broken(translate("QgisAgent", "more rows were written than read"))
    return {name: Read(*each) for name, each in counts.items()}


def _count(counts: List[Any], old: Any, new: Any, kind: str) -> None:
    """Empty texts are no values, so that NULL for them is no loss."""
    if old is None or (isinstance(old, str) and not old.strip() and kind != "text"):
        return
    counts[0] += 1
    if new is None:
        counts[1] += 1
        if len(counts[2]) < 3:
            counts[2].append(json_value(old, 40))
    counts[3] += isinstance(old, str) and kind in ("integer", "number") and _ZEROS.match(old.strip()) is not None
    counts[4] += kind == "integer" and isinstance(old, float) and old != math.floor(old)


def said(read: Mapping[str, Read]) -> List[str]:
    """What must be known of the conversions."""
    found: List[str] = []
    for name, each in read.items():
        if each.unread:
            text = translate("QgisAgent", "{} of {} values of '{}' could not be read and are NULL, such as {}.")
            shown = ", ".join(repr(one) for one in each.samples)
            found.append(text.format(each.unread, each.values, name, shown))
        if each.zeros:
            found.append(
                translate("QgisAgent", "{} values of '{}' lost leading zeros: codes stay text.").format(
                    each.zeros, name
                )
            )
        if each.rounded:
            found.append(translate("QgisAgent", "{} values of '{}' were rounded.").format(each.rounded, name))
    return found


def require_read(read: Mapping[str, Read]) -> None:
    """INVALID_PARAM when no value of a converted field could be read: nothing useful would be made."""
    for name, each in read.items():
        if each.values and each.unread == each.values:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "None of the {} values of '{}' can be read as that type, such as {!r}.").format(
                    each.values, name, each.samples[0]
                ),
                hint=translate("QgisAgent", "Use calculate_field with a formula, e.g. to_date(\"d\", 'dd.MM.yyyy') or "
                               "to_real(replace(\"n\", ',', '.'))."),
                reason="nothing_made",
            )  # fmt: skip
