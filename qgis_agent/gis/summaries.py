"""What a field holds, in numbers: read once on a worker thread, computed with numpy."""

from __future__ import annotations

import math
import re
from array import array
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
from qgis.core import QgsFeedback, QgsVectorLayer

from .conditions import require_field
from .features import FeatureReader, json_value
from .layers import field_type

MAX_DISTINCT = 100_000
"""Different values that are told apart; of more it is only said that there are more."""
TOP = 5
_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_LEADING_ZERO = re.compile(r"0\d+", re.ASCII)
_PLAIN = (str, int, float)
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
        counts: Dict[Any, int] = {}
        complete, total, wanted = True, 0, contains.lower()
        for value in self.values(feedback):
            key = value if isinstance(value, _PLAIN) or value is None else _text_key(value)
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

    def summary(self, feedback: QgsFeedback) -> Dict[str, Any]:
        """Numbers of the field, by its type; see the functions below."""
        if self.kind in ("integer", "number"):
            return _numbers(self.values(feedback), self.kind == "integer")
        if self.kind == "text":
            return _texts(self.values(feedback))
        return _others(self.distinct(feedback), self.kind)


def most_frequent(found: Distinct, number: int) -> List[Dict[str, Any]]:
    """{value, count}, most frequent first, then by value, NULL last among equals."""
    ordered = sorted(found.counts.items(), key=lambda item: (-item[1], item[0] is None, _sort_key(item[0])))
    return [{"value": json_value(value), "count": count} for value, count in ordered[:number]]


def _sort_key(value: Any) -> Tuple[int, Any]:
    return (0, value) if isinstance(value, (int, float)) else (1, str(value))


def _text_key(value: Any) -> Any:
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
    total = _exact_sum(numbers) if found.typecode == "q" else float(np.sum(numbers, dtype=np.longdouble))
    q1, median, q3 = (float(each) for each in np.quantile(numbers, (0.25, 0.5, 0.75)))
    data = {
        "distinct": 1 + int(np.count_nonzero(numbers[1:] != numbers[:-1])),
        "min": numbers[0].item(),
        "max": numbers[-1].item(),
        "sum": total,
        "mean": total / len(found),
        "median": median,
        "q1": q1,
        "q3": q3,
        "stdev": float(np.std(numbers.astype(np.float64))),
    }
    if len(found) > 1:
        data["stdev_sample"] = float(np.std(numbers.astype(np.float64), ddof=1))
    return data


def _exact_sum(numbers: Any) -> int:
    """The sum of 64-bit integers, which may need more bits. By numpy, which lets other threads run meanwhile."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


def _texts(values: Any) -> Dict[str, Any]:
    """Of texts: lengths, and how many look like numbers or codes. ``as_numbers`` reads those that look like numbers."""
    counts: Dict[Any, int] = {}
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
    data: Dict[str, Any] = {"count": total - nulls, "nulls": nulls, "distinct": len(counts)}
    if not complete:
        data["distinct_kind"] = "at_least"
    if counts:
        data.update(_text_facts(counts))
        data["top"] = most_frequent(Distinct(counts, complete, total), TOP)
    return data


def _text_facts(counts: Dict[str, int]) -> Dict[str, Any]:
    """Facts by value, weighted by how often it occurs."""
    lengths = {text: len(text) for text in counts}
    read = sum(counts.values())
    numeric = [text for text in counts if _NUMBER.fullmatch(text)]
    data: Dict[str, Any] = {
        "empty": sum(number for text, number in counts.items() if not text.strip()),
        "min_length": min(lengths.values()),
        "max_length": max(lengths.values()),
        "mean_length": round(sum(lengths[text] * number for text, number in counts.items()) / read, 3),
        "first_sorted": json_value(min(counts), 80),
        "last_sorted": json_value(max(counts), 80),
        "look_like_numbers": sum(counts[text] for text in numeric),
        "leading_zeros": sum(counts[text] for text in numeric if _LEADING_ZERO.fullmatch(text.strip())),
    }
    if numeric:
        found = array("d")
        for text in numeric:
            found.extend([float(text)] * counts[text])
        data["as_numbers"] = {
            key: value for key, value in statistics(found).items() if key in ("min", "max", "mean", "sum", "median")
        }
    return data


def _others(found: Distinct, kind: str) -> Dict[str, Any]:
    """Of dates the first and the last; of truth values and the rest the most frequent."""
    nulls = found.counts.get(None, 0)
    present = [each for each in found.counts if each is not None]
    data: Dict[str, Any] = {"count": found.total - nulls, "nulls": nulls, "distinct": len(present)}
    if not found.complete:
        data["distinct_kind"] = "at_least"
    if kind == "date" and present:
        data.update(min=min(present), max=max(present))
    data["top"] = most_frequent(found, TOP)
    return data
