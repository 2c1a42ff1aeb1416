"""Keys by which rows are joined: what makes two values of two fields the same key, and what a join would find.

Nothing and empty text are no keys and never match. The rules: "exact" (numbers as numbers, text letter by letter; a number
and a text where the text is the number as it is usually written), "number" (texts as the numbers that they write, so that
01001 is 1001), "trim" (without spaces at the ends), "trim_ignore_case".
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from qgis.core import QgsFeedback, QgsVariantUtils
from qgis.PyQt.QtCore import QDate, QDateTime, QTime

from ...conditions import Where
from ...dialects import iso
from ...features import FeatureReader
from ...layers import clean_text

RULES = ("exact", "number", "trim", "trim_ignore_case")
_NUMBER = re.compile(r"^\s*[+-]?\d+(?:\.\d+)?\s*$")
SHOWN = 5
Key = Any


def key_of(value: Any, rule: str) -> Optional[Key]:
    """What a value is compared by; None where it is no key."""
    if value is None or QgsVariantUtils.isNull(value):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    text = text_of(value)
    if not text.strip():
        return None
    if rule == "number":
        return number_of(text) if number_of(text) is not None else text.strip()
    if rule == "trim":
        return unicodedata.normalize("NFC", text).strip()
    if rule == "trim_ignore_case":
        return unicodedata.normalize("NFKC", text).strip().casefold()
    return text


def text_of(value: Any) -> str:
    """A value as it is usually written: 7.0 as 7, dates in ISO 8601."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, (QDate, QDateTime, QTime)):
        return str(iso(value))
    return str(value)


def number_of(text: str) -> Optional[Any]:
    """The number that a text writes in full (01001 is 1001), or None."""
    if not _NUMBER.match(text):
        return None
    number = float(text)
    if "." not in text:
        return int(text)
    return int(number) if number.is_integer() else number


class Column(NamedTuple):
    """The values of a key field: how often each occurs (as text), rows without a key, and all rows."""

    values: Dict[str, int]
    without: int
    rows: int

    def keys(self, rule: str) -> Dict[Key, int]:
        """How often each key occurs under a rule."""
        found: Counter[Key] = Counter()
        for text, number in self.values.items():
            key = key_of(text, rule)
            if key is not None:
                found[key] += number
        return found


def read_column(values: Iterable[Any]) -> Column:
    """Count the values of a key field."""
    found: Counter[str] = Counter()
    rows = without = 0
    for value in values:
        rows += 1
        if key_of(value, "exact") is None:
            without += 1
        else:
            found[text_of(value)] += 1
    return Column(found, without, rows)


class Columns:
    """Reads both key fields on a worker thread. Made on the main thread."""

    def __init__(self, layer: Any, field: str, where: Where, other: Any, other_field: str, other_where: Where) -> None:
        self._readers = FeatureReader(layer, where), FeatureReader(other, other_where)
        self._fields = field, other_field

    def read(self, feedback: QgsFeedback) -> Tuple[Column, Column]:
        """Both columns."""
        one, two = (read_column(each.column(feedback, name)) for each, name in zip(self._readers, self._fields))
        return one, two


class Outlook(NamedTuple):
    """What a join will find: rows of the input with a partner, rows with several, rows when every pair is a row, and keys
    that are alone on either side."""

    matched: int
    multiple: int
    pairs: int
    duplicate_keys: int
    most: int
    most_key: str
    alone: List[str]
    alone_rows: int
    unused: List[str]
    unused_keys: int


def outlook(one: Column, two: Column, rule: str) -> Outlook:
    """Compare two columns under a rule."""
    first, second = one.keys(rule), two.keys(rule)
    both = [key for key in first if key in second]
    alone = [key for key in first if key not in second]
    unused = [key for key in second if key not in first]
    most = max(second, key=lambda key: second[key], default="")
    return Outlook(
        matched=sum(first[key] for key in both),
        multiple=sum(first[key] for key in both if second[key] > 1),
        pairs=sum(first[key] * second[key] for key in both),
        duplicate_keys=sum(number > 1 for number in second.values()),
        most=second.get(most, 0),
        most_key=clean_text(str(most), 60),
        alone=[clean_text(str(each), 60) for each in alone[:SHOWN]],
        alone_rows=sum(first[key] for key in alone),
        unused=[clean_text(str(each), 60) for each in unused[:SHOWN]],
        unused_keys=len(unused),
    )


def collisions(column: Column, rule: str) -> List[str]:
    """Two different values that a rule takes for the same key (01001 and 1001), or []."""
    seen: Dict[Key, str] = {}
    for text in column.values:
        key = key_of(text, rule)
        if key is not None and seen.setdefault(key, text) != text:
            return [clean_text(seen[key], 60), clean_text(text, 60)]
    return []


def zeros(column: Column) -> Optional[str]:
    """A key that begins with 0 and writes a whole number, such as 01001."""
    for text in column.values:
        if len(text) > 1 and text[0] == "0" and text.isdigit():
            return clean_text(text, 60)
    return None
