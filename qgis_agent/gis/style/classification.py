"""Class limits from the data. Runs on worker threads, on plain numbers.

A value that equals a limit belongs to the class below it, as QGIS draws it: the first class is [lower, upper], every
other one (lower, upper].
"""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Sequence, Tuple

import numpy as np
from qgis.core import (
    QgsClassificationJenks,
    QgsClassificationLogarithmic,
    QgsClassificationPrettyBreaks,
    QgsSymbolLayerUtils,
)

from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate

METHODS = (
    "equal_interval",
    "quantile",
    "natural_breaks",
    "pretty",
    "standard_deviation",
    "logarithmic",
    "manual",
)
_MORE_DECIMALS = 13
"""As many more than the usual ones are tried before a label is written with all its digits."""
SAMPLE_SIZE = 3000
"""QGIS's natural breaks are good and quick up to here; their time grows with the square of the number of values."""


class Classes(NamedTuple):
    """Classes over the values: n + 1 ascending limits, the number of values in each class, notes for the person.

    ``limits[0]`` is the lowest and ``limits[-1]`` the highest value exactly, unless manual breaks lie outside of them.
    ``sample`` is the number of values that natural breaks were computed from; 0 when all values were used.
    ``left_out`` is the number of values that no class holds (logarithmic has no place for 0 and below).
    ``shown``: the limits as people read them, each with the same values below it as the true one.
    """

    limits: Tuple[float, ...]
    counts: Tuple[int, ...]
    sample: int
    notes: Tuple[str, ...]
    left_out: int = 0
    shown: Tuple[str, ...] = ()

    def labels(self) -> List[str]:
        """What legends say of the classes: "lower – upper", each as short as puts every value into its class.

        A manual class outside of the data, whose two limits are one, is "≤ upper" or "> lower".
        """
        last = len(self.limits) - 2
        found = _pairs(self.shown)
        if last and self.limits[0] == self.limits[1]:
            found[0] = "≤ {}".format(found[0])
        if last and self.limits[last] == self.limits[last + 1]:
            found[last] = "> {}".format(found[last])
        return found


def classify(values: Any, method: str, classes: int, breaks: Sequence[float] = ()) -> Classes:
    """Classes of ``values`` (a sorted numpy array of finite numbers, not empty).

    UNSUPPORTED when the method has no class for any of them.
    """
    notes: List[str] = []
    left_out = 0
    if method == "logarithmic":
        left_out = int(np.searchsorted(values, 0.0, side="right"))
        values = _positive(values, left_out, notes)
    low, high = float(values[0]), float(values[-1])
    starts = np.concatenate(([True], values[1:] != values[:-1]))
    distinct = int(np.count_nonzero(starts))
    sample = 0
    if method == "manual":
        uppers = [*breaks, max(high, breaks[-1])]
        low = min(low, breaks[0])
    elif low == high:
        uppers = [high]
        notes.append(translate("QgisAgent", "All values are equal, so there is one class."))
    elif distinct < classes and method not in ("pretty", "standard_deviation"):
        uppers = [float(each) for each in values[starts]]
        notes.append(
            translate("QgisAgent", "There are only {} different values, so there are {} classes.").format(
                distinct, distinct
            )
        )
    elif method == "natural_breaks":
        used = sampled(values)
        sample = len(used) if len(used) < len(values) else 0
        uppers = _natural(used, classes)
        if sample:
            notes.append(
                translate("QgisAgent", "Natural breaks are computed from a sample of {} of {} values.").format(
                    sample, len(values)
                )
            )
    else:
        uppers = _simple(values, method, classes, notes)
    return _finished(values, low, high, uppers, sample, notes, method)._replace(left_out=left_out)


def sampled(values: Any) -> Any:
    """At most 3,000 of the sorted values: every n-th, the lowest and the highest among them. Always the same ones."""
    if len(values) <= SAMPLE_SIZE:
        return values
    return values[np.round(np.linspace(0, len(values) - 1, SAMPLE_SIZE)).astype(np.int64)]


def check_breaks(breaks: Sequence[float]) -> None:
    """INVALID_PARAM unless the inner limits of ``manual`` are there, finite and ascending."""
    if not breaks:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The classification manual needs breaks."),
            hint=translate("QgisAgent", "Give options.breaks, ascending inner limits: n breaks make n+1 classes."),
            reason="breaks",
        )
    if not all(math.isfinite(each) for each in breaks) or any(low >= high for low, high in zip(breaks, breaks[1:])):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The breaks are not ascending."),
            hint=translate("QgisAgent", "Sort options.breaks from low to high, each number once."),
            reason="breaks",
        )


def labels(limits: Sequence[float]) -> List[str]:
    """ "lower – upper" of each class. The limits may be values of the data, so none is told as less than it is."""
    return _pairs(limit_texts(limits, np.asarray(limits, dtype=float)))


def _pairs(texts: Sequence[str]) -> List[str]:
    return [low if low == high else "{} – {}".format(low, high) for low, high in zip(texts, texts[1:])]


def limit_texts(limits: Sequence[float], values: Any, given: bool = False) -> List[str]:
    """Ascending limits as people read them, in one format, so that no label puts a value into another class.

    Exactly where up to two more digits than usual are enough for that; else rounded, each to the side on which the same
    values lie below it: the ends outwards, an inner limit within the gap of the ``values`` (sorted) that it lies in.
    ``given``: a person gave the inner limits, which are told exactly, however many digits they have.
    """
    distinct = len(set(limits))
    if all(each == int(each) for each in limits) and all(abs(each) < 1e15 for each in limits):
        return format_numbers(limits)
    if not given and np.array_equal(values, np.floor(values)) and abs(limits[0]) < 1e15 and abs(limits[-1]) < 1e15:
        whole = [float(math.floor(each)) for each in limits]
        if len(set(whole)) == distinct:
            return format_numbers(whole)
    usual = _decimals(limits)
    close = 1e-12 * max(abs(each) for each in limits)
    if close >= 1e3 or usual > 15:
        return _with_digits(limits)
    for places in range(usual, usual + 3):
        texts = [_fixed(each, places) for each in limits]
        exact = all(abs(float(text) - each) <= close for text, each in zip(texts, limits))
        if exact and len(set(texts)) == distinct:
            return texts
    for places in range(usual, usual + _MORE_DECIMALS):
        sided = [
            _on_its_side(each, places, values, place, place - len(limits) + 1, given)
            for place, each in enumerate(limits)
        ]
        if all(sided) and len(set(sided)) == distinct:
            return sided
    return _with_digits(limits)


def _with_digits(limits: Sequence[float]) -> List[str]:
    """Very large, very small or very close numbers, by as many digits as tell them apart."""
    texts: List[str] = []
    for digits in (6, 9, 12, 17):
        texts = ["{:.{}g}".format(each, digits) for each in limits]
        if len(set(texts)) == len(set(limits)):
            break
    return texts


def _on_its_side(limit: float, places: int, values: Any, from_start: int, from_end: int, given: bool) -> str:
    """A limit with so many decimals and the same values below it; "" where there is no such number.

    ``from_start`` is 0 for the lowest limit, ``from_end`` for the highest.
    """
    step = 10.0**-places
    near = _fixed(limit, places)
    for text in (near, _fixed(float(near) - step, places), _fixed(float(near) + step, places)):
        number = float(text)
        if not from_start:
            fits = number <= limit
        elif not from_end:
            fits = number >= limit
        elif given:
            fits = number == limit
        else:
            side = np.searchsorted(values, [number, limit], side="right")
            fits = bool(side[0] == side[1])
        if fits and abs(number - limit) < step:
            return text
    return ""


def _fixed(number: float, places: int) -> str:
    return "{:.{}f}".format(round(number, places) + 0.0, places)


def _decimals(numbers: Sequence[float]) -> int:
    """Decimals that show three digits of the usual difference of ascending numbers."""
    gaps = sorted(high - low for low, high in zip(numbers, numbers[1:]) if high > low) or [abs(numbers[0]) or 1.0]
    return max(0, 2 - math.floor(math.log10(gaps[(len(gaps) - 1) // 2])))


def format_numbers(numbers: Sequence[float]) -> List[str]:
    """Ascending numbers as text in one format: whole ones without decimals, else three digits of the usual difference.

    More decimals only where two different numbers would look the same.
    """
    if all(each == int(each) for each in numbers) and all(abs(each) < 1e15 for each in numbers):
        return ["{:d}".format(int(each)) for each in numbers]
    decimals = _decimals(numbers)
    if max(abs(each) for each in numbers) < 1e15:
        for places in range(decimals, 9):
            texts = ["{:.{}f}".format(each, places) for each in numbers]
            if len(set(texts)) == len(set(numbers)):
                return texts
    return ["{:.6g}".format(each) for each in numbers]


def _positive(values: Any, left_out: int, notes: List[str]) -> Any:
    """The values above 0, which alone have a logarithm."""
    if left_out == len(values):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "No value is above 0, and only those have a place in logarithmic classes."),
            hint=translate(
                "QgisAgent", "Use quantile, equal_interval or standard_deviation; the style was not changed."
            ),
            reason="no_positive_values",
        )
    if left_out:
        notes.append(
            translate("QgisAgent", "{} values of 0 or below have no logarithm and are not drawn.").format(left_out)
        )
    return values[left_out:]


def _simple(values: Any, method: str, classes: int, notes: List[str]) -> List[float]:
    low, high = float(values[0]), float(values[-1])
    if method == "equal_interval":
        return [low + (high - low) * index / classes for index in range(1, classes)] + [high]
    if method == "quantile":  # linear between the neighbours, as QGIS's own "equal count"
        return [float(each) for each in np.quantile(values, [index / classes for index in range(1, classes)])] + [high]
    if method == "pretty":
        return [each.upperBound() for each in QgsClassificationPrettyBreaks().classes(low, high, classes)]
    if method == "standard_deviation":
        return _deviations(values, classes, notes)
    if method == "logarithmic":
        return _logarithmic(low, high, classes, notes)
    raise ValueError("classification {!r}".format(method))


def _deviations(values: Any, classes: int, notes: List[str]) -> List[float]:
    """Limits at round multiples of the (population) standard deviation from the mean, over the whole range of the data.

    QGIS's own class afterwards drops every limit that has no partner on the other side of the mean, which leaves one class
    of skewed data such as populations.
    """
    mean, deviation = float(values.mean()), float(values.std())
    low, high = float(values[0]), float(values[-1])
    steps = QgsSymbolLayerUtils.prettyBreaks((low - mean) / deviation, (high - mean) / deviation, classes)
    notes.append(
        translate("QgisAgent", "Limits are the mean ({}) and steps of the standard deviation ({}) from it.").format(
            _short(mean), _short(deviation)
        )
    )
    return [mean + each * deviation for each in steps if mean + each * deviation < high] + [high]


def _logarithmic(low: float, high: float, classes: int, notes: List[str]) -> List[float]:
    """Limits at powers of ten as QGIS sets them; equal steps of the logarithm where the values span less than that."""
    if high >= 10 * low:
        found = [each.upperBound() for each in QgsClassificationLogarithmic().classes(low, high, classes)]
        return [each for each in found if each < high] + [high]
    notes.append(
        translate("QgisAgent", "The values span less than a power of ten: limits are equal steps of the logarithm.")
    )
    return [float(each) for each in np.geomspace(low, high, classes + 1)[1:-1]] + [high]


def _short(number: float) -> str:
    return "{:.4g}".format(number)


def _natural(values: Any, classes: int) -> List[float]:
    return [each.upperBound() for each in QgsClassificationJenks().classes([float(each) for each in values], classes)]


def _finished(
    values: Any, low: float, high: float, uppers: Sequence[float], sample: int, notes: List[str], method: str
) -> Classes:
    """Put the ends right, drop limits that coincide, count."""
    kept = [float(each) for each in uppers]
    if method != "manual":
        kept = [each for each in sorted(set(kept)) if low <= each < high] + [high]
        if len(kept) < len(uppers):
            notes.append(
                translate("QgisAgent", "Limits that coincide were merged, so there are {} classes.").format(len(kept))
            )
    limits = (low, *kept)
    places = np.searchsorted(np.asarray(kept), values, side="left")
    counts = np.bincount(places, minlength=len(kept))
    shown = limit_texts(limits, values, given=method == "manual")
    return Classes(limits, tuple(int(each) for each in counts), sample, tuple(notes), shown=tuple(shown))
