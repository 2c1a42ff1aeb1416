"""Conditions as SQL of a provider, for a layer's filter (subset string). Nothing here is trusted: ``filters.py`` compares what
a filter leaves with what the conditions mean."""

from __future__ import annotations

import itertools
from typing import Any, Iterator, List, Optional

from qgis.core import QgsField, QgsVectorLayer
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime

from .conditions import SQLITE_STORAGE
from .dialects import Dialect, ExpressionDialect, iso
from .errors import UNSUPPORTED, ToolError
from .i18n import translate

MAX_VARIANTS = 64
"""Spellings of a text with letters that a database does not fold: two for each such letter, six letters."""
_ESCAPE = "!"


def dialect_of(layer: QgsVectorLayer) -> Optional[Dialect]:
    """The language of a layer's filters; None where it is not known or the provider has no filters."""
    provider = layer.dataProvider()
    if provider is None or not provider.supportsSubsetString():
        return None
    name = provider.name()
    if name in ("memory", "delimitedtext"):
        return ExpressionDialect()
    if name == "postgres":
        return PostgresDialect()
    if name == "spatialite" or (name == "ogr" and provider.storageType() in SQLITE_STORAGE):
        return SqliteDialect()
    return OgrDialect() if name == "ogr" else None


class _SqlDialect(Dialect):
    """What the SQL dialects share."""

    like = "LIKE"
    """The operator that ignores the case of ASCII letters."""

    def column(self, field: QgsField) -> str:
        """See Dialect."""
        return '"{}"'.format(field.name().replace('"', '""'))

    def literal(self, value: Any) -> str:
        """See Dialect."""
        if isinstance(value, bool):
            return self.truth(value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, QDateTime):
            return self.moment(value)
        if isinstance(value, (QDate, QTime)):
            return "'{}'".format(iso(value))
        return repr(value)

    def side(self, column: str, value: Any) -> str:
        """The column, in the form in which it can be compared with a value of this type."""
        return column

    def compared(self, column: str, sign: str, value: Any) -> str:
        """See Dialect."""
        return "{} {} {}".format(self.side(column, value), sign, self.literal(value))

    def equal(self, column: str, value: Any) -> str:
        """See Dialect."""
        return "({} = {})".format(self.side(column, value), self.literal(value))

    def truth(self, value: bool) -> str:
        """true or false."""
        return "1" if value else "0"

    def text(self, value: str) -> str:
        """A text in quotes."""
        return "'{}'".format(value.replace("'", "''"))

    def moment(self, value: QDateTime) -> str:
        """A date with time."""
        return "'{}'".format(iso(value))

    def contains(self, column: str, text: str) -> str:
        """See Dialect."""
        return self._like(column, "%{}%", text)

    def starts_with(self, column: str, text: str) -> str:
        """See Dialect."""
        return self._like(column, "{}%", text)

    def _like(self, column: str, pattern: str, text: str) -> str:
        parts = [
            "{} {} {} ESCAPE '{}'".format(column, self.like, self.text(pattern.format(_escaped(each))), _ESCAPE)
            for each in _spellings(text)
        ]
        return "({})".format(" OR ".join(parts))


def _escaped(text: str) -> str:
    """% and _ as they are."""
    return "".join(_ESCAPE + each if each in "%_" + _ESCAPE else each for each in text)


def _spellings(text: str) -> Iterator[str]:
    """The text in both cases of each letter beyond ASCII: LIKE folds A to Z only, in some databases."""
    choices: List[List[str]] = []
    number = 1
    for letter in text:
        both = [letter] if letter.isascii() else list(dict.fromkeys((letter.lower(), letter.upper())))
        both = both if all(len(each) == 1 for each in both) else [letter]
        number *= len(both)
        choices.append(both)
    if number > MAX_VARIANTS:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The text '{}' has too many letters with accents for a filter.").format(text),
            hint=translate("QgisAgent", "Use a shorter part of it, or eq."),
            reason="filter_dialect",
        )
    return ("".join(each) for each in itertools.product(*choices))


class SqliteDialect(_SqlDialect):
    """GeoPackage and SpatiaLite. "=" compares by case; LIKE folds ASCII letters only."""

    def is_plain(self, value: Any) -> bool:
        """See Dialect."""
        return super().is_plain(value) and not isinstance(value, QDateTime)

    def side(self, column: str, value: Any) -> str:
        """See _SqlDialect. Moments are text there, in any time zone, so they are brought to one form first."""
        return "strftime('%Y-%m-%dT%H:%M:%f', {})".format(column) if isinstance(value, QDateTime) else column

    def moment(self, value: QDateTime) -> str:
        """See _SqlDialect: in UTC, as GeoPackage keeps moments."""
        return "'{}'".format(value.toUTC().toString("yyyy-MM-ddTHH:mm:ss.zzz"))


class OgrDialect(_SqlDialect):
    """OGR SQL: comparisons ignore case, LIKE does not; a backslash before a quote escapes it."""

    like = "ILIKE"

    def column(self, field: QgsField) -> str:
        """See Dialect."""
        return '"{}"'.format(field.name().replace('"', '\\"'))

    def is_plain(self, value: Any) -> bool:
        """See Dialect."""
        return super().is_plain(value) and not isinstance(value, (str, QDate, QDateTime, QTime))

    def side(self, column: str, value: Any) -> str:
        """See _SqlDialect. Dates as text, "2024/01/31": GDAL 3.6 loses NULL in "day IS NULL OR day <> …" of dates."""
        if isinstance(value, QDateTime):
            return "CAST({} AS character(19))".format(column)
        return "CAST({} AS character(10))".format(column) if isinstance(value, (QDate, QTime)) else column

    def equal(self, column: str, value: Any) -> str:
        """See Dialect. "=" ignores the case of text."""
        if isinstance(value, str):
            return "({} LIKE {} ESCAPE '{}')".format(column, self.text(_escaped(value)), _ESCAPE)
        return super().equal(column, value)

    def text(self, value: str) -> str:
        """See _SqlDialect. UNSUPPORTED for a backslash before a quote or at the end: no quoting says that."""
        if "\\'" in value or value.endswith("\\"):
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "A filter of this layer cannot compare with {!r}.").format(value),
                hint=translate("QgisAgent", "Use contains with a part without the backslash, or select instead."),
                reason="filter_dialect",
            )
        return super().text(value)

    def literal(self, value: Any) -> str:
        """See Dialect. Dates as GDAL writes them."""
        if isinstance(value, QDate):
            return "'{}'".format(value.toString("yyyy/MM/dd"))
        return super().literal(value)

    def moment(self, value: QDateTime) -> str:
        """See _SqlDialect."""
        return "'{}'".format(value.toString("yyyy/MM/dd HH:mm:ss"))


class PostgresDialect(_SqlDialect):
    """PostgreSQL. A backslash is one in E'' only; what ILIKE folds depends on the database."""

    like = "ILIKE"

    def text(self, value: str) -> str:
        """See _SqlDialect."""
        quoted = super().text(value)
        return "E" + quoted.replace("\\", "\\\\") if "\\" in value else quoted

    def truth(self, value: bool) -> str:
        """See _SqlDialect."""
        return "TRUE" if value else "FALSE"

    def moment(self, value: QDateTime) -> str:
        """See _SqlDialect. With its zone where it has one."""
        local = value.timeSpec() == Qt.TimeSpec.LocalTime
        return "'{}'::{}".format(iso(value), "timestamp" if local else "timestamptz")
