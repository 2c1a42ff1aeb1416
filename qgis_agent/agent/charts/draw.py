"""Draws a chart with matplotlib as a PNG. Imported on the first chart only: it takes a second, and ``initialize`` has 0.3 s.

Every text is literal: matplotlib would read ``$…$`` as mathematics, so that is switched off for each one.
"""

from __future__ import annotations

import importlib
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...bridge.text import wide

WIDTH_IN, HEIGHT_IN, DPI = 4.5, 2.8125, 960 / 4.5
"""960 by 600 pixels. Drawn for the panel, which shows it some 340 pixels wide: a text of 9 points is 9.4 pixels high there."""
ROW_IN = 0.17
"""Height of one of many horizontal bars: a label of 9 points with air; the picture grows with them."""
INK, MUTED, GRID = "#222222", "#5f6368", "#e3e5e8"
FONTS = (
    "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei",
    "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC", "Arial Unicode MS", "Droid Sans Fallback",
)  # fmt: skip
"""Asked for glyph by glyph, in this order: Latin from the first, Chinese from the first of the others that is installed."""
LONG_LABEL = 8
MANY_BARS = 6
LONGEST_LABEL = 20
TITLE_WIDTH = 48
"""Half-width characters of a line of the title: 4.5 inches at 11 points, less the axis."""


class Drawing(NamedTuple):
    """The file's size in pixels, and characters for which no installed font has a glyph."""

    width: int
    height: int
    missing: str


def draw(data: Mapping[str, Any], title: str, path: Path) -> Drawing:
    """Draw the rows of ``read_chart_values`` into ``path`` (PNG). The folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("MPLCONFIGDIR", str(path.parent / "matplotlib"))
    figure_module = importlib.import_module("matplotlib.figure")
    fonts = importlib.import_module("matplotlib.font_manager")
    installed = {each.name for each in fonts.fontManager.ttflist}
    family = [each for each in FONTS if each in installed] or ["sans-serif"]
    rc = {"font.family": family, "font.size": 9.0, "axes.unicode_minus": False, "text.usetex": False}
    with importlib.import_module("matplotlib").rc_context(rc), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        height = _height(data)
        figure = figure_module.Figure(figsize=(WIDTH_IN, height), dpi=DPI, layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        _frame(axes)
        _PLOTS[str(data["kind"])](axes, data)
        if title:
            axes.set_title(wrapped(title, TITLE_WIDTH), fontsize=11, color=INK, loc="left", pad=10)
        _literal(figure)
        figure.savefig(path, format="png", metadata={"Software": None})
    return Drawing(round(WIDTH_IN * DPI), round(height * DPI), _missing_glyphs(caught))


def _height(data: Mapping[str, Any]) -> float:
    """Inches: more for many horizontal bars, each of which has a label; whole pixels."""
    bars = len(data["rows"]) if data["kind"] == "bar" else 0
    return round(max(HEIGHT_IN, 0.8 + bars * ROW_IN) * DPI) / DPI


def _frame(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
    axes.tick_params(colors=MUTED, labelcolor=INK, length=3)
    axes.set_axisbelow(True)


def _colors(data: Mapping[str, Any]) -> list[str]:
    return [str(row.get("color") or ("#b8bcc2" if row.get("others") else data["color"])) for row in data["rows"]]


def _bar(axes: Any, data: Mapping[str, Any]) -> None:
    rows = data["rows"]
    labels = [_short(str(row["label"])) for row in rows]
    values = [row["value"] for row in rows]
    measure = _value_name(data)
    places = list(range(len(rows)))
    if len(rows) > MANY_BARS or max(len(each) for each in labels) > LONG_LABEL:
        axes.barh(places, values, color=_colors(data), edgecolor=MUTED, linewidth=0.4)
        axes.set_yticks(places, labels)
        axes.margins(y=0.01)
        axes.invert_yaxis()
        _value_axis(axes.xaxis, whole=not data["y"])
        axes.set_xlabel(measure, color=MUTED)
        axes.set_ylabel(_name(data, "x"), color=MUTED)
    else:
        axes.bar(places, values, color=_colors(data), edgecolor=MUTED, linewidth=0.4, width=0.7)
        axes.set_xticks(places, labels)
        _value_axis(axes.yaxis, whole=not data["y"])
        axes.set_ylabel(measure, color=MUTED)
        axes.set_xlabel(_name(data, "x"), color=MUTED)


def _line(axes: Any, data: Mapping[str, Any]) -> None:
    rows = data["rows"]
    xs = [row["x"] for row in rows]
    words = any(isinstance(each, str) for each in xs)
    places = list(range(len(xs))) if words else xs
    marker = "o" if len(rows) <= 40 else None
    axes.plot(places, [row["y"] for row in rows], color=data["color"], marker=marker, markersize=4, linewidth=1.6)
    if words:
        step = max(1, math.ceil(len(xs) / 6))
        turned = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if len(xs) > 3 else {}
        axes.set_xticks(places[::step], [_short(str(each)) for each in xs[::step]], **turned)
    _value_axis(axes.yaxis)
    _named(axes, data)


def _scatter(axes: Any, data: Mapping[str, Any]) -> None:
    rows = data["rows"]
    size = 22 if len(rows) <= 200 else 8
    axes.scatter(
        [row["x"] for row in rows],
        [row["y"] for row in rows],
        s=size,
        color=data["color"],
        edgecolor=MUTED,
        linewidth=0.3,
    )
    _value_axis(axes.yaxis)
    _named(axes, data)


def _histogram(axes: Any, data: Mapping[str, Any]) -> None:
    rows = data["rows"]
    if len(rows) == 1 and rows[0]["lower"] == rows[0]["upper"]:
        axes.bar([str(rows[0]["lower"])], [rows[0]["count"]], color=_colors(data), width=0.3)
    else:
        axes.bar(
            [row["lower"] for row in rows],
            [row["count"] for row in rows],
            width=[row["upper"] - row["lower"] for row in rows],
            align="edge", color=_colors(data), edgecolor="white", linewidth=0.6,
        )  # fmt: skip
    _value_axis(axes.yaxis, whole=True)
    axes.set_xlabel(_name(data, "x"), color=MUTED)
    axes.set_ylabel(str(data.get("count_label", "")), color=MUTED)


def _box(axes: Any, data: Mapping[str, Any]) -> None:
    rows = data["rows"]
    stats = [
        {
            "label": _short(str(row["label"])), "med": row["median"], "q1": row["q1"], "q3": row["q3"],
            "whislo": row["low"], "whishi": row["high"], "fliers": row["outliers"],
        }
        for row in rows
    ]  # fmt: skip
    drawn = axes.bxp(
        stats, patch_artist=True, widths=0.5, medianprops={"color": INK, "linewidth": 1.4},
        whiskerprops={"color": MUTED}, capprops={"color": MUTED},
        flierprops={"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgecolor": MUTED},
    )  # fmt: skip
    for patch, color in zip(drawn["boxes"], _colors(data), strict=True):
        patch.set(facecolor=color, edgecolor=MUTED, linewidth=0.8)
    if len(rows) > 4:
        axes.tick_params(axis="x", rotation=30)
    _value_axis(axes.yaxis)
    axes.set_ylabel(_name(data, "y") or _name(data, "x"), color=MUTED)
    axes.set_xlabel(_name(data, "x") if data["y"] else "", color=MUTED)


_PLOTS = {"bar": _bar, "line": _line, "scatter": _scatter, "histogram": _histogram, "box": _box}


def _named(axes: Any, data: Mapping[str, Any]) -> None:
    axes.set_xlabel(_name(data, "x"), color=MUTED)
    axes.set_ylabel(_value_name(data), color=MUTED)


def _name(data: Mapping[str, Any], key: str) -> str:
    """What an axis is called: the field's alias where it has one, else its name."""
    return str(data.get(key + "_label") or data.get(key) or "")


def _value_name(data: Mapping[str, Any]) -> str:
    """What the heights mean: "sum of 人口" where rows were put together, else the field, else the number of features."""
    return str(data.get("value_label") or _name(data, "y") or data.get("count_label", ""))


def _value_axis(axis: Any, whole: bool = False) -> None:
    """A light grid, and numbers with thousands apart; very large and very small ones as powers of ten."""
    axis.grid(True, color=GRID, linewidth=0.8)
    ticker = importlib.import_module("matplotlib.ticker")
    if whole:  # there is no half a feature
        axis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _position: number_text(value)))


def number_text(value: float) -> str:
    """A tick's number for people: 12,000; 0.25; 3.1e+09."""
    if value != 0 and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.2g}"
    return f"{value:,.10g}"


def wrapped(text: str, most: int) -> str:
    """Broken into lines of at most ``most`` half-width characters, at blanks where there are any."""
    lines, line = [], ""
    for piece in re.findall(r"[!-~]{1,40} ?|.", text):
        if line and wide(line + piece.rstrip()) > most:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return "\n".join([*lines, line.rstrip()])


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _literal(figure: Any) -> None:
    for text in figure.findobj(importlib.import_module("matplotlib.text").Text):
        text.set_parse_math(False)


def _missing_glyphs(caught: Sequence[Any]) -> str:
    """Characters that matplotlib warned about ("Glyph 35752 (…) missing from font(s) …")."""
    found = []
    for each in caught:
        words = str(each.message).split()
        if len(words) > 2 and words[0] == "Glyph" and words[1].isdigit():
            found.append(chr(int(words[1])))
    return "".join(dict.fromkeys(found))
