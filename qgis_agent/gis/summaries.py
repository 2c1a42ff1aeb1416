"""What a field holds, in numbers: read once on a worker thread, computed with numpy."""

from __future__ import annotations

import math
import re
from array import array
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import QgsFeedback, QgsVectorLayer

from .conditions import require_field
from .features import FeatureReader, json_value, told_apart
from .layers import field_type

MAX_DISTINCT = 100_000
"""Different values that are told apart; of more it is only said that there are more."""
TOP = 5
_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_LEADING_ZERO = re.compile(r"0\d+", re.ASCII)
_INT64 = 2**63


class Distinct(NamedTuple):
    """How often each value occurs (None for NULL). ``complete``: no value was left out for there being too many."""

    counts: Dict[Any, int]
    complete: bool
    total: int
    """Features read, those of values that were left out included."""


class FieldReader:
    """Reads one field of what a FeatureReader matches. Made on the main thread. NOT_FOUND for no such field."""

    def __init__(self, layer: QgsVectorLayer, field: str, reader: FeatureReader) -> None:
        self.kind = field_type(require_field(layer, field))
        self._field = field
        self._reader = reader

    def values(self, feedback: QgsFeedback) -> Any:
        """Value by value, NULL as None."""
        return self._reader.column(feedback, self._field)

    def distinct(self, feedback: QgsFeedback, contains: str = "") -> Distinct:
        """The different values as JSON values; with ``contains`` only those whose text has it, whatever its case."""
        return _distinct(self.values(feedback), contains)

    def summary(self, feedback: QgsFeedback) -> Dict[str, Any]:
        """Numbers of the field, by its type; see the functions below."""
        if self.kind in ("integer", "number"):
            return _numbers(self.values(feedback), self.kind == "integer")
        if self.kind == "text":
            return _texts(self.values(feedback))
        ends = _Ends(self.values(feedback))
        data = _others(_distinct(ends if self.kind == "date" else self.values(feedback)))
        if ends.first is not None:
            data.update(min=json_value(ends.first), max=json_value(ends.last))
        return data


def _distinct(values: Any, contains: str = "") -> Distinct:
    counts: Dict[Any, int] = {}
    complete, total, wanted = True, 0, contains.lower()
    for value in values:
        key = value if isinstance(value, (str, int)) or value is None else _text_key(value)
        if wanted and (key is None or wanted not in str(key).lower()):
            continue
        total += 1
        if key in counts:
            counts[key] += 1
        elif len(counts) < MAX_DISTINCT:
            counts[key] = 1
        else:
            complete = False
    return Distinct(counts, complete, total)


class _Ends:
    """Passes dates on and keeps the first and the last of all, also of those that are too many to be told apart."""

    def __init__(self, values: Iterator[Any]) -> None:
        self._values = values
        self.first: Any = None
        self.last: Any = None

    def __iter__(self) -> Iterator[Any]:
        for value in self._values:
            if value is not None:
                self.first = value if self.first is None or value < self.first else self.first
                self.last = value if self.last is None or value > self.last else self.last
            yield value


def most_frequent(found: Distinct, number: int) -> List[Dict[str, Any]]:
    """{value, count}, most frequent first, then by value, NULL last among equals."""
    ordered = sorted(found.counts.items(), key=lambda item: (-item[1], item[0] is None, _sort_key(item[0])))
    return [{"value": json_value(value), "count": count} for value, count in ordered[:number]]


def _sort_key(value: Any) -> Tuple[int, Any]:
    return (0, value) if isinstance(value, (int, float)) else (1, str(value))


def _text_key(value: Any) -> Any:
    if isinstance(value, float):
        return told_apart(value)
    plain = json_value(value)
    return str(plain) if isinstance(plain, (list, dict)) else plain


def _numbers(values: Any, whole: bool) -> Dict[str, Any]:
    """Of numbers: quartiles between the two nearest values as numpy has them; stdev of all, stdev_sample with n - 1.

    Sums of integers are exact.
    """
    found = array("q" if whole else "d")
    nulls = not_finite = 0
    fits = (lambda value: value < _INT64) if whole else math.isfinite
    for value in values:
        if value is None:
            nulls += 1
        elif fits(value):
            found.append(value)
        else:
            not_finite += 1
    data: Dict[str, Any] = {"count": len(found), "nulls": nulls}
    if not_finite:
        data["not_finite"] = not_finite
    if found:
        data.update(statistics(found))
    return data


def statistics(found: array) -> Dict[str, Any]:
    """Distinct number, extremes, sum, mean, quartiles and deviations of an array of at least one number."""
    numbers = np.sort(np.frombuffer(found, dtype=np.int64 if found.typecode == "q" else np.float64))
    real = numbers.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all numbers is left out below
        total = _exact_sum(numbers) if found.typecode == "q" else float(np.sum(numbers, dtype=np.longdouble))
        q1, median, q3 = (float(each) for each in np.quantile(numbers, (0.25, 0.5, 0.75)))
        stdev, sample = float(np.std(real)), float(np.std(real, ddof=1)) if len(found) > 1 else None
    data = {
        "distinct": 1 + int(np.count_nonzero(numbers[1:] != numbers[:-1])),
        "min": numbers[0].item(),
        "max": numbers[-1].item(),
        "sum": total,
        "mean": total / len(found),
        "median": median,
        "q1": q1,
        "q3": q3,
        "stdev": stdev,
        "stdev_sample": sample,
    }
    return {key: value for key, value in data.items() if value is not None and math.isfinite(value)}


def _exact_sum(numbers: Any) -> int:
    """The sum of 64-bit integers, which may need more bits. By numpy, which lets other threads run meanwhile."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def _texts(values: Any) -> Dict[str, Any]:
    """Of texts: lengths, and how many look like numbers or codes. ``as_numbers`` reads those that look like numbers."""
    counts: Dict[Any, int] = {}
    facts = _TextFacts()
    complete, total, nulls = True, 0, 0
    for value in values:
        total += 1
        if value is None:
            nulls += 1
        elif value in counts:
            counts[value] += 1
        elif len(counts) < MAX_DISTINCT:
            counts[value] = 1
        else:
            complete = False
            facts.add(value, 1)
    for text, times in counts.items():
        facts.add(text, times)
    data: Dict[str, Any] = {"count": total - nulls, "nulls": nulls, "distinct": len(counts)}
    if not complete:
        data["distinct_kind"] = "at_least"
    if counts:
        data.update(facts.data())
        data["top"] = most_frequent(Distinct(counts, complete, total), TOP)
    return data


class _TextFacts:
    """Facts of texts, each with how often it occurs."""

    def __init__(self) -> None:
        self._read = self._empty = self._length = self._numeric = self._zeros = 0
        self._lengths: Tuple[int, int] = (0, 0)
        self._ends: Optional[Tuple[str, str]] = None
        self._numbers = array("d")

    def add(self, text: str, times: int) -> None:
        """A text that occurs so often."""
        length = len(text)
        if self._ends is None:
            self._ends, self._lengths = (text, text), (length, length)
        self._ends = (min(self._ends[0], text), max(self._ends[1], text))
        self._lengths = (min(self._lengths[0], length), max(self._lengths[1], length))
        self._read += times
        self._length += length * times
        self._empty += 0 if text.strip() else times
        if not _NUMBER.fullmatch(text):
            return
        self._numeric += times
        self._zeros += times if _LEADING_ZERO.fullmatch(text.strip()) else 0
        number = float(text)
        if math.isfinite(number):  # "9E999" looks like a number and is none that could be reckoned with
            self._numbers.extend([number] * times)

    def data(self) -> Dict[str, Any]:
        """The facts, of at least one text."""
        first, last = self._ends or ("", "")
        data: Dict[str, Any] = {
            "empty": self._empty,
            "min_length": self._lengths[0],
            "max_length": self._lengths[1],
            "mean_length": round(self._length / self._read, 3),
            "first_sorted": json_value(first, 80),
            "last_sorted": json_value(last, 80),
            "look_like_numbers": self._numeric,
            "leading_zeros": self._zeros,
        }
        if self._numbers:
            found = statistics(self._numbers)
            data["as_numbers"] = {
                key: value for key, value in found.items() if key in ("min", "max", "mean", "sum", "median")
            }
        return data


def _others(found: Distinct) -> Dict[str, Any]:
    """Of dates, truth values and the rest the most frequent."""
    nulls = found.counts.get(None, 0)
    present = [each for each in found.counts if each is not None]
    data: Dict[str, Any] = {"count": found.total - nulls, "nulls": nulls, "distinct": len(present)}
    if not found.complete:
        data["distinct_kind"] = "at_least"
    data["top"] = most_frequent(found, TOP)
    return data
