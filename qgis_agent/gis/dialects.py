"""How a checked condition is written: as a QGIS expression here, as SQL of a provider in ``sql_dialects.py``.

A dialect states each operator so that it means the same as the table in design section 4: ``eq`` compares text by case and
numbers exactly, ``ne`` and ``not_in`` are true for NULL, ``contains`` and ``starts_with`` ignore case.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Sequence, Tuple, Union

from qgis.core import QgsExpression, QgsField
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime

EXACT = 2**53
"""From here on two neighbouring integers can be one double; QGIS compares numbers as doubles."""
MARGIN = 4096
"""More than the distance of neighbouring doubles below 2**63."""
NEAR = 16.0
"""Below this QGIS's "=" takes neighbouring doubles for equal (they differ by less than 8.9e-16), databases do not."""
INT64_MAX = 2**63 - 1
_ZONE = "(Z|[+-][0-9][0-9]:[0-9][0-9])$"
"""The end of a moment with a zone, as QGIS writes it as text."""
KNOWS_NULL = ("ne", "not_in", "is_null", "not_null")
"""Operators that are true or false for NULL, never unknown."""
_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


class Day(NamedTuple):
    """A day as the value of a date-and-time field: from its first moment up to, not including, the next day's."""

    start: QDateTime
    end: QDateTime


class Condition(NamedTuple):
    """One checked condition: ``kind`` is the field's type, ``values`` are Python values, QDate, QDateTime, QTime or Day."""

    field: QgsField
    kind: str
    op: str
    values: Tuple[Any, ...]


Groups = Sequence[Sequence[Condition]]
"""All groups must hold; of each group one condition."""


def open_fields(groups: Groups) -> List[str]:
    """Fields whose NULL leaves a condition open, where each group is one condition: else NULL of one may not matter."""
    if any(len(group) > 1 for group in groups):
        return []
    return list(dict.fromkeys(group[0].field.name() for group in groups if group[0].op not in KNOWS_NULL))


def perhaps(groups: Groups, dialect: Dialect) -> str:
    """True where the conditions are true, or left open because a field is NULL."""
    return _joined(groups, "({} OR {} IS NULL)", dialect)


def unknown(groups: Groups, dialect: Dialect) -> str:
    """True where the conditions are neither true nor false, because a field is NULL; "" when they always are.

    Written without relying on NULL: not every provider has a third truth value ("(a = 1) IS NULL" is never true in OGR SQL).
    """
    if all(item.op in KNOWS_NULL for group in groups for item in group):
        return ""
    fields = {item.field.name(): item.field for group in groups for item in group}
    missing = ["{} IS NULL".format(dialect.column(fields[name])) for name in open_fields(groups)]
    if len(missing) == 1:
        known = [group for group in groups if group[0].op in KNOWS_NULL]
        return " AND ".join(missing + ([dialect.where(known)] if known else []))
    if missing:
        return "{} AND ({})".format(perhaps(groups, dialect), " OR ".join(missing))
    surely = _joined(groups, "({} AND {} IS NOT NULL)", dialect)
    return "{} AND NOT ({})".format(perhaps(groups, dialect), surely)


def _joined(groups: Groups, form: str, dialect: Dialect) -> str:
    def written(item: Condition) -> str:
        text = dialect.condition(item)
        return text if item.op in KNOWS_NULL else form.format(text, dialect.column(item.field))

    return " AND ".join("({})".format(" OR ".join(written(item) for item in group)) for group in groups)


class Dialect:
    """Writes conditions. What differs between dialects is overridden."""

    def where(self, groups: Groups) -> str:
        """All groups as one text; "" when there is none."""
        written: List[str] = []
        for group in groups:
            parts = [self.condition(each) for each in group]
            written.append(parts[0] if len(parts) == 1 else "({})".format(" OR ".join(parts)))
        return " AND ".join(written)

    def condition(self, item: Condition) -> str:
        """One condition, closed in itself."""
        column = self.column(item.field)
        if item.op in ("is_null", "not_null"):
            return "{} IS {}NULL".format(column, "" if item.op == "is_null" else "NOT ")
        if item.op == "contains":
            return self.contains(column, item.values[0])
        if item.op == "starts_with":
            return self.starts_with(column, item.values[0])
        if item.op == "between":
            low, high = item.values
            return "({} AND {})".format(self._compared(item, "gte", low), self._compared(item, "lte", high))
        if item.op in _SIGNS:
            return self._compared(item, item.op, item.values[0])
        equal = self._among(item)
        if item.op in ("ne", "not_in"):
            return "({} IS NULL OR NOT {})".format(column, equal)
        return equal

    def _among(self, item: Condition) -> str:
        """Whether the field is one of the values."""
        plain = [each for each in item.values if self.is_plain(each)]
        parts = [self._equal(item, each) for each in item.values if not self.is_plain(each)]
        if len(plain) > 1:
            values = ", ".join(self.literal(each) for each in plain)
            parts.insert(0, "({} IN ({}))".format(self.column(item.field), values))
        else:
            parts = [self._equal(item, each) for each in plain] + parts
        return parts[0] if len(parts) == 1 else "({})".format(" OR ".join(parts))

    def _equal(self, item: Condition, value: Any) -> str:
        column = self.column(item.field)
        if isinstance(value, Day):
            start, end = self.compared(column, ">=", value.start), self.compared(column, "<", value.end)
            return "({} AND {})".format(start, end)
        if isinstance(value, float) and abs(value) < NEAR:
            return "({0} >= {1} AND {0} <= {1})".format(column, self.literal(value))
        return self.equal(column, value)

    def _compared(self, item: Condition, op: str, value: Any) -> str:
        column = self.column(item.field)
        if isinstance(value, Day):
            sign, moment = {
                "gt": (">=", value.end),
                "gte": (">=", value.start),
                "lt": ("<", value.start),
                "lte": ("<", value.end),
            }[op]
            return self.compared(column, sign, moment)
        return self.compared(column, _SIGNS[op], value)

    # what dialects override

    def is_plain(self, value: Any) -> bool:
        """Whether "=" and IN say exactly this value."""
        return not isinstance(value, Day) and not (isinstance(value, float) and abs(value) < NEAR)

    def column(self, field: QgsField) -> str:
        """The field, quoted."""
        raise TypeError("a dialect says how a column is written")

    def literal(self, value: Any) -> str:
        """A value: text, number, truth value, date or time."""
        raise TypeError("a dialect says how a value is written")

    def equal(self, column: str, value: Any) -> str:
        """Equal; text by case."""
        return "({} = {})".format(column, self.literal(value))

    def compared(self, column: str, sign: str, value: Any) -> str:
        """An order of numbers or dates."""
        return "{} {} {}".format(column, sign, self.literal(value))

    def contains(self, column: str, text: str) -> str:
        """A part of the text, whatever its case."""
        raise TypeError("a dialect says how a part of a text is found")

    def starts_with(self, column: str, text: str) -> str:
        """The beginning of the text, whatever its case."""
        raise TypeError("a dialect says how the beginning of a text is found")


class ExpressionDialect(Dialect):
    """QGIS expressions: what queries are made of, and the filters of memory and delimited text layers."""

    def column(self, field: QgsField) -> str:
        """See Dialect."""
        return str(QgsExpression.quotedColumnRef(field.name()))

    def literal(self, value: Any) -> str:
        """See Dialect."""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return str(QgsExpression.quotedString(value))
        if isinstance(value, QDateTime):
            return "to_datetime({})".format(QgsExpression.quotedString(iso(value)))
        if isinstance(value, QDate):
            return "to_date({})".format(QgsExpression.quotedString(iso(value)))
        if isinstance(value, QTime):
            return "to_time({})".format(QgsExpression.quotedString(iso(value)))
        if value == -INT64_MAX - 1:
            return "(-{} - 1)".format(INT64_MAX)
        return repr(value)

    def is_plain(self, value: Any) -> bool:
        """See Dialect."""
        return super().is_plain(value) and not _is_big(value) and not _has_zone(value)

    def equal(self, column: str, value: Any) -> str:
        """See Dialect. Integers that no double tells apart are compared by their difference, which is exact."""
        if _is_big(value):
            return "({} AND {} - {} = 0)".format(self._near(column, value), column, self.literal(value))
        if _has_zone(value):
            return self.compared(column, "=", value)
        return super().equal(column, value)

    def compared(self, column: str, sign: str, value: Any) -> str:
        """See Dialect. Far from a big integer doubles decide, near it the difference does.

        QGIS compares the clocks of two moments and leaves their zones out. So a moment that has a zone is compared as an
        instant with moments that have one, and by the clock with those that have none.
        """
        if _has_zone(value):
            instant = "epoch({}) {} {}".format(column, sign, value.toMSecsSinceEpoch())
            clock = super().compared(column, sign, value)
            return "if(regexp_match(to_string({}), '{}') > 0, {}, {})".format(column, _ZONE, instant, clock)
        if not _is_big(value):
            return super().compared(column, sign, value)
        beyond = _bounded(value + MARGIN if ">" in sign else value - MARGIN)
        far = "{} {} {}".format(column, sign[0], self.literal(beyond))
        return "({} OR ({} AND {} - {} {} 0))".format(far, self._near(column, value), column, self.literal(value), sign)

    def _near(self, column: str, value: int) -> str:
        """So near that the difference cannot leave the range of integers."""
        low, high = _bounded(value - MARGIN), _bounded(value + MARGIN)
        return "{0} >= {1} AND {0} <= {2}".format(column, self.literal(low), self.literal(high))

    def contains(self, column: str, text: str) -> str:
        """See Dialect. lower() on both sides: Python and Qt have different ideas of some letters."""
        return "(strpos(lower({}), lower({})) > 0)".format(column, self.literal(text))

    def starts_with(self, column: str, text: str) -> str:
        """See Dialect."""
        return "(strpos(lower({}), lower({})) = 1)".format(column, self.literal(text))


def iso(value: Union[QDate, QDateTime, QTime]) -> str:
    """A date or time in ISO 8601, with milliseconds where it has some."""
    with_ms = isinstance(value, (QDateTime, QTime)) and _milliseconds(value) != 0
    return str(value.toString(Qt.DateFormat.ISODateWithMs if with_ms else Qt.DateFormat.ISODate))


def _milliseconds(value: Union[QDateTime, QTime]) -> int:
    return int((value.time() if isinstance(value, QDateTime) else value).msec())


def _has_zone(value: Any) -> bool:
    return isinstance(value, QDateTime) and value.timeSpec() != Qt.TimeSpec.LocalTime


def _is_big(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) >= EXACT


def _bounded(value: int) -> int:
    return max(-INT64_MAX, min(INT64_MAX, value))
