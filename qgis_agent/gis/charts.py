"""What a chart shows, made from columns of values on a worker thread: bars, bins, points and boxes, never raw tables.

Rules: bars are sums of y (or counts) by category, the 30 largest, the rest in one bar; a line is the mean of y by x; bins
follow Freedman and Diaconis (numpy's "fd"), 5 to 40 of them; whiskers reach the last value within 1.5 interquartile ranges
(Tukey 1977); of more than 1,000 points every n-th is drawn. Values that are NULL or not finite are left out and counted.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .errors import INVALID_PARAM, UNSUPPORTED, ToolError
from .i18n import translate

MAX_BARS = 30
MAX_BOXES = 12
MAX_POINTS = 1000
MAX_OUTLIERS = 20
BINS = (5, 40)
WHISKER = 1.5
LARGEST = 1e150
"""Numbers beyond this are left out: their squares and sums are no numbers any more."""
Rows = List[Dict[str, Any]]


class Shaped(NamedTuple):
    """The rows of a chart, how many values it is made of, how many were left out, and numbers about the whole."""

    rows: Rows
    used: int
    left_out: int
    summary: Dict[str, Any]
    notes: List[str]
    merged: bool = False
    """Whether several rows make one bar or point: their sum or mean."""


def shape(kind: str, xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    """The rows of a chart of this kind from JSON values, row by row. ToolError when the columns do not make one."""
    made = _KINDS[kind](xs, ys)
    if not made.rows:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "There is no value to draw: {} rows, none with what the chart needs.").format(
                len(xs)
            ),
            hint=translate("QgisAgent", "Choose a field with values; summarize_field tells how many it has."),
            reason="no_values",
        )
    if made.left_out:
        made.notes.append(
            translate("QgisAgent", "{} of {} rows have no value and are left out.").format(
                made.left_out, made.used + made.left_out
            )
        )
    return made


def _number(value: Any) -> Optional[float]:
    """The value as a number that can be drawn: sums of numbers of this size stay numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= LARGEST:
        return None
    return float(value)


def _numbers(values: Sequence[Any]) -> np.ndarray:
    found = [each for each in (_number(value) for value in values) if each is not None]
    return np.array(found, dtype=np.float64)


def label_of(value: Any) -> str:
    """How a category is called: NULL and the empty text are two, as in every count."""
    if value is None:
        return translate("QgisAgent", "No value")
    if value == "":
        return translate("QgisAgent", "Empty text")
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _bars(xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    totals: Dict[str, float] = {}
    used = 0
    repeated = False
    for index, x in enumerate(xs):
        value = 1.0 if ys is None else _number(ys[index])
        if value is None:
            continue
        used += 1
        label = label_of(x)
        repeated = repeated or label in totals
        totals[label] = totals.get(label, 0.0) + value
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    notes = []
    if ys is not None and repeated:
        notes.append(translate("QgisAgent", "Rows with the same category are summed."))
    rows: Rows = [{"label": label, "value": _tidy(value)} for label, value in ranked[:MAX_BARS]]
    rest = ranked[MAX_BARS:]
    if rest:
        rows.append(
            {
                "label": translate("QgisAgent", "{} others").format(len(rest)),
                "value": _tidy(sum(value for _, value in rest)),
                "others": True,
            }
        )
        notes.append(
            translate("QgisAgent", "The {} largest of {} categories have a bar.").format(MAX_BARS, len(ranked))
        )
    total = _tidy(math.fsum(totals.values()))
    return Shaped(rows, used, len(xs) - used, {"categories": len(ranked), "sum": total}, notes, repeated)


def _line(xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    values = _needed(ys, "line")
    points: Dict[Any, List[float]] = {}
    used = 0
    for x, y in zip(xs, values):
        value = _number(y)
        if value is None or x == "" or isinstance(x, bool) or not isinstance(x, (str, int, float)):
            continue
        used += 1
        points.setdefault(x, []).append(value)
    if len({isinstance(each, str) for each in points}) > 1:
        raise _mixed()
    notes = []
    merged = any(len(each) > 1 for each in points.values())
    if merged:
        notes.append(translate("QgisAgent", "Rows with the same x are averaged."))
    ordered = sorted(points)
    picked = _every(len(ordered), notes)
    rows: Rows = [{"x": ordered[index], "y": _tidy(float(np.mean(points[ordered[index]])))} for index in picked]
    return Shaped(rows, used, len(xs) - used, {"points": len(ordered)}, notes, merged)


def _scatter(xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    values = _needed(ys, "scatter")
    pairs = [(_number(x), _number(y)) for x, y in zip(xs, values)]
    kept = [(x, y) for x, y in pairs if x is not None and y is not None]
    notes: List[str] = []
    rows: Rows = [{"x": _tidy(kept[index][0]), "y": _tidy(kept[index][1])} for index in _every(len(kept), notes)]
    summary: Dict[str, Any] = {"points": len(kept)}
    table = np.array(kept, dtype=np.float64) if kept else np.empty((0, 2))
    if len(kept) >= 3 and table[:, 0].std() > 0 and table[:, 1].std() > 0:
        summary["pearson_r"] = round(float(np.corrcoef(table[:, 0], table[:, 1])[0, 1]), 4)
    return Shaped(rows, len(kept), len(xs) - len(kept), summary, notes)


def _histogram(xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    if ys is not None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A histogram is of one field."),
            hint=translate("QgisAgent", "Leave y out, or use bar or scatter."),
            reason="tool_arguments",
        )
    values = _numbers(xs)
    if not len(values):
        return Shaped([], 0, len(xs), {}, [])
    low, high = float(values.min()), float(values.max())
    if low == high:
        rows: Rows = [{"lower": _tidy(low), "upper": _tidy(high), "count": len(values)}]
    else:
        counts, edges = np.histogram(values, bins=_bin_count(values, high - low))
        rows = [
            {"lower": _tidy(float(lower)), "upper": _tidy(float(upper)), "count": int(count)}
            for lower, upper, count in zip(edges, edges[1:], counts)
        ]
    summary = {
        "min": _tidy(low),
        "max": _tidy(high),
        "mean": _tidy(float(values.mean())),
        "median": _tidy(float(np.median(values))),
    }
    return Shaped(rows, len(values), len(xs) - len(values), summary, [])


def _bin_count(values: np.ndarray, span: float) -> int:
    """Bins by Freedman and Diaconis. Reckoned, not laid out as numpy does: one far outlier would make 1e9 edges."""
    q1, q3 = np.percentile(values, (25, 75))
    width = 2.0 * float(q3 - q1) / len(values) ** (1.0 / 3.0)
    wanted = span / width if width > 0 else 1.0
    return BINS[1] if wanted >= BINS[1] else max(BINS[0], math.ceil(wanted))


def _boxes(xs: Sequence[Any], ys: Optional[Sequence[Any]]) -> Shaped:
    groups: Dict[str, List[Any]] = {}
    if ys is None:
        groups[""] = list(xs)
    else:
        for x, y in zip(xs, ys):
            groups.setdefault(label_of(x), []).append(y)
    boxes: Rows = []
    used = 0
    for label, values in groups.items():
        numbers = np.sort(_numbers(values))
        if len(numbers):
            used += len(numbers)
            boxes.append(_box(label, numbers))
    boxes.sort(key=lambda each: (-each["count"], each["label"]))
    notes = []
    if len(boxes) > MAX_BOXES:
        notes.append(
            translate("QgisAgent", "The {} categories with most values of {} have a box.").format(MAX_BOXES, len(boxes))
        )
    rows = sorted(boxes[:MAX_BOXES], key=lambda each: str(each["label"]))
    return Shaped(rows, used, len(xs) - used, {"categories": len(boxes)}, notes)


def _box(label: str, numbers: np.ndarray) -> Dict[str, Any]:
    q1, median, q3 = (float(each) for each in np.percentile(numbers, (25, 50, 75)))
    reach = WHISKER * (q3 - q1)
    inside = numbers[(numbers >= q1 - reach) & (numbers <= q3 + reach)]
    outside = numbers[(numbers < q1 - reach) | (numbers > q3 + reach)]
    picked = [outside[index] for index in _spread(len(outside), MAX_OUTLIERS)]
    return {
        "label": label,
        "count": len(numbers),
        "q1": _tidy(q1),
        "median": _tidy(median),
        "q3": _tidy(q3),
        "low": _tidy(float(inside[0])),
        "high": _tidy(float(inside[-1])),
        "outliers": [_tidy(float(each)) for each in picked],
        "outlier_count": len(outside),
    }


_KINDS: Dict[str, Callable[[Sequence[Any], Optional[Sequence[Any]]], Shaped]] = {
    "bar": _bars,
    "line": _line,
    "scatter": _scatter,
    "histogram": _histogram,
    "box": _boxes,
}


def _every(count: int, notes: List[str]) -> List[int]:
    picked = _spread(count, MAX_POINTS)
    if len(picked) < count:
        notes.append(translate("QgisAgent", "{} of {} points are drawn, evenly picked.").format(len(picked), count))
    return picked


def _spread(count: int, most: int) -> List[int]:
    """At most ``most`` positions of ``count``, evenly spread, both ends kept."""
    if count <= most:
        return list(range(count))
    return [round(index * (count - 1) / (most - 1)) for index in range(most)]


def _tidy(value: float) -> Any:
    """Whole numbers as integers, others with 12 significant digits: sums carry no noise of the machine."""
    if value == int(value) and abs(value) < 1e15:
        return int(value)
    return float("{:.12g}".format(value))


def _needed(ys: Optional[Sequence[Any]], kind: str) -> Sequence[Any]:
    if ys is None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A chart of kind {} needs y.").format(kind),
            hint=translate("QgisAgent", "Give y, a number field; or use histogram for one field."),
            reason="tool_arguments",
        )
    return ys


def _mixed() -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "x holds texts and numbers together, which have no order."),
        hint=translate("QgisAgent", "Use bar, or another x."),
        reason="field_type",
    )


def row_colors(rows: Rows, kind: str, colors: Dict[str, Any]) -> Tuple[Rows, bool]:
    """The rows with the colours that the map gives to the same values, and whether any has one.

    ``colors``: {"values": {label: hex}} of categories, or {"classes": [(lower, upper, hex)]} of a graduated style.
    """
    by_label, classes = colors.get("values", {}), colors.get("classes", [])
    coloured = False
    for row in rows:
        found = by_label.get(row.get("label")) if kind in ("bar", "box") else None
        if kind == "histogram" and classes:
            middle = (row["lower"] + row["upper"]) / 2
            found = next((color for lower, upper, color in classes if lower <= middle <= upper), None)
        if kind == "bar" and classes and found is None and not row.get("others"):
            found = next((color for lower, upper, color in classes if lower <= row["value"] <= upper), None)
        if found:
            row["color"] = found
            coloured = True
    return rows, coloured
