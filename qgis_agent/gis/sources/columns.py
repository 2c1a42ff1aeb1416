"""Columns of delimited text: the type of each, guessed so that no value changes by it.

Text with leading zeros, thousands marks, a plus before many digits or an exponent stays text, 0 and 1 stay numbers, and a
number with more digits than its type holds stays text. Dates are dates where QGIS's provider reads each of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import List, Optional, Tuple

from qgis.PyQt.QtCore import QDate, QDateTime, Qt

_NUMERIC = ("integer", "number")
_PLAIN_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,14})$", re.ASCII)
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d+$", re.ASCII)
_BLANKS = " \t\r\n"
"""What QGIS skips around a number. Other blanks (of no width, of full width) are text to it."""
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})$", re.ASCII)
_DIGITS = re.compile(r"[+-]?0\d+$", re.ASCII)
_PLUS = re.compile(r"\+\d{7,}$", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(?:0|[1-9]\d{0,14})?(?:\.\d+)?$|[+-]?\d(?:\.\d+)?[eE][+-]\d{1,3}$|[+-]?\d+\.\d+[eE]\d{1,3}$", re.ASCII
)
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+$", re.ASCII)
POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+$", re.ASCII)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+$", re.ASCII)
_POINT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+$", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d$", re.ASCII)
_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$", re.ASCII)
_CODE = re.compile(r"\d+[eE]\d+$", re.ASCII)
_COORDINATE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$", re.ASCII)
_ODD_KEPT = 20
_EXACT_DIGITS = 15
"""A floating-point number holds every integer of so many digits."""


@dataclass
class Column:
    """One column: its name, the type that keeps all its values, and why a number-like column stays text.

    Of a column for coordinates (``watched``) the cells with a number are counted to the end, and of the other ones that are not
    blank the first different texts are kept (``odd``).
    """

    name: str
    kind: str = ""
    filled: int = 0
    why_text: str = ""
    first: str = ""
    grouped: str = ""
    decimals: bool = False
    long: bool = False
    watched: bool = False
    numbers: int = 0
    odd: List[str] = field(default_factory=list)

    def take(self, value: str, comma: bool) -> None:
        """Take in one value; the type can only become wider."""
        if value == "":
            return
        self.filled += 1
        if not self.first:
            self.first = value
        if self.kind in _NUMERIC and _PLAIN_INTEGER.match(value):  # most cells of a big file end here
            self.numbers += 1
            return
        if self.kind == "text" and self.why_text and not self.watched:
            return  # nothing can change any more, and a long text column is read faster
        if self.watched:
            self.watch(value, coordinate_of(value, comma) is not None)
        kind, why = kind_of(value, comma)
        if kind == "number" and not comma:
            self._points(value.strip(_BLANKS))
        self.long = self.long or (kind == "integer" and len(value.strip(_BLANKS).lstrip("+-")) > _EXACT_DIGITS)
        if kind == "text" and why and self.kind != "text":
            self.why_text = why
        self.kind = _wider(self.kind, kind)
        if self.kind == "text" and not self.why_text and not why:
            self.why_text = "words"

    def settle(self) -> None:
        """The type when all values are taken in."""
        self.kind = self.kind or "text"
        if self.kind == "number" and self.long:
            self.kind, self.why_text = "text", "too_many_digits"

    def watch(self, value: str, is_number: bool) -> None:
        """Count a cell of a column for coordinates."""
        if is_number:
            self.numbers += 1
        elif value.strip() and value not in self.odd and len(self.odd) < _ODD_KEPT:
            self.odd.append(value)

    def _points(self, text: str) -> None:
        if not _POINT_GROUPS.match(text):
            self.decimals = self.decimals or "." in text
        elif not self.grouped:
            self.grouped = text

    def perhaps_thousands(self) -> str:
        """A value such as 1.234 where no value shows whether the points are decimal signs or part thousands; else ""."""
        return self.grouped if self.kind == "number" and not self.decimals else ""


def coordinate_of(value: str, comma: bool) -> Optional[float]:
    """The number that QGIS's provider reads in a coordinate column, whatever type the column has; None for what is none."""
    text = value.strip(_BLANKS)
    text = text.replace(",", ".") if comma else text
    return float(text) if _COORDINATE.match(text) else None


@lru_cache(maxsize=4096)
def kind_of(value: str, comma: bool) -> Tuple[str, str]:
    """(type, why it stays text) of one raw value; the reason is "" where it is plain words."""
    if not comma and _PLAIN_DECIMAL.match(value):
        return "number", ""
    text = value.strip(_BLANKS)
    if _DIGITS.match(text):
        return "text", "leading_zeros"
    if _CODE.match(text):
        return "text", "exponent"
    if _PLUS.match(text):
        return "text", "plus_sign"
    if _INTEGER.match(text):
        return "integer", ""
    if (THOUSANDS.match(text) and not comma) or (_POINT_GROUPS.match(text) and (comma or text.count(".") > 1)):
        return "text", "thousands"
    number = text.replace(",", ".") if comma and COMMA_NUMBER.match(text) else text
    if number not in ("", "+", "-") and _NUMBER.match(number):
        return "number", ""
    if text.lstrip("+-").isdigit():
        return "text", "too_many_digits" if text.isascii() else ""
    return _time_kind(value)


def _time_kind(value: str) -> Tuple[str, str]:
    """ "date" or "datetime" where QGIS reads the text back as it stands (there is no 30 February), else "text"."""
    if _DATE.match(value):
        date = QDate.fromString(value, Qt.DateFormat.ISODate)
        same = date.isValid() and date.toString(Qt.DateFormat.ISODate) == value
        return ("date", "") if same else ("text", "no_such_date")
    if _DATETIME.match(value):
        moment = QDateTime.fromString(value, Qt.DateFormat.ISODate)
        same = moment.isValid() and moment.toString(Qt.DateFormat.ISODate) == value.replace(" ", "T")
        return ("datetime", "") if same else ("text", "no_such_date")
    return "text", ""


def _wider(known: str, found: str) -> str:
    if not known or known == found:
        return found
    if {known, found} == {"integer", "number"}:
        return "number"
    return "text"
