"""Two small charts of a report as SVG text: no library, the same bytes each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

INK, MUTED, BAR, BEFORE = "#222222", "#767676", "#4477aa", "#cc7722"
FONT = 'font-family="sans-serif" font-size="12"'
LEFT, WIDTH, ROW = 130, 320, 28
"""Pixels: room for titles, width of 100 %, height of a row."""


def metrics_svg(metrics: Mapping[str, Mapping[str, Any]], before: Mapping[str, Mapping[str, Any]]) -> str:
    """The shares as bars with their intervals, thresholds as ticks; a hollow ring where the baseline was."""
    shares = [(name, each) for name, each in metrics.items() if name != "rounds"]
    parts = []
    for at, (name, each) in enumerate(shares):
        parts += _share_row(10 + at * ROW, each, (before.get(name) or {}).get("before"))
    bottom = 10 + len(shares) * ROW
    for percent in (0, 25, 50, 75, 100):
        x = LEFT + WIDTH * percent / 100
        parts.append(
            f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle" fill="{MUTED}" {FONT}>{percent} %</text>'
        )
    notes = "bar: share · line: 95 % interval · tick: threshold" + (" · ring: baseline" if before else "")
    parts.append(f'<text x="{LEFT}" y="{bottom + 34}" fill="{MUTED}" {FONT}>{notes}</text>')
    return _svg(LEFT + WIDTH + 70, bottom + 44, parts)


def _share_row(y: int, each: Mapping[str, Any], before: Any) -> list[str]:
    middle = y + ROW / 2
    parts = [
        f'<text x="{LEFT - 8}" y="{middle + 4:.0f}" text-anchor="end" fill="{INK}" {FONT}>{escape(str(each["title"]))}</text>'
    ]
    if each["value"] is None:
        return [
            *parts,
            f'<text x="{LEFT}" y="{middle + 4:.0f}" fill="{MUTED}" {FONT}>not measured</text>',
        ]
    value, low, high = (LEFT + WIDTH * float(each[key]) for key in ("value", "low", "high"))
    parts += [
        f'<rect x="{LEFT}" y="{y + 6}" width="{value - LEFT:.1f}" height="{ROW - 12}" fill="{BAR}"/>',
        f'<path d="M{low:.1f} {middle:.0f}H{high:.1f}M{low:.1f} {middle - 4:.0f}v8M{high:.1f} {middle - 4:.0f}v8" '
        f'stroke="{INK}" fill="none"/>',
    ]
    if each.get("threshold") is not None:
        x = LEFT + WIDTH * float(each["threshold"])
        parts.append(f'<path d="M{x:.1f} {y + 2}v{ROW - 4}" stroke="{INK}" stroke-width="2" stroke-dasharray="3 2"/>')
    if before is not None:
        x = LEFT + WIDTH * float(before)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{middle:.0f}" r="5" stroke="{BEFORE}" stroke-width="2" fill="#ffffff"/>'
        )
    parts.append(
        f'<text x="{LEFT + WIDTH + 10}" y="{middle + 4:.0f}" fill="{INK}" {FONT}>{100 * float(each["value"]):.1f} %</text>'
    )
    return parts


def calls_svg(calls: Sequence[int]) -> str:
    """How many cases took how many tool calls."""
    counts = Counter(min(each, 10) for each in calls)
    most = max(counts.values(), default=1)
    parts = [f'<text x="10" y="16" fill="{INK}" {FONT}>Cases by number of tool calls</text>']
    for number in range(11):
        x, height = 14 + number * 36, 90 * counts[number] / most
        label = "10+" if number == 10 else str(number)
        parts += [
            f'<rect x="{x}" y="{124 - height:.1f}" width="28" height="{height:.1f}" fill="{BAR}"/>',
            f'<text x="{x + 14}" y="140" text-anchor="middle" fill="{MUTED}" {FONT}>{label}</text>',
        ]
        if counts[number]:
            parts.append(
                f'<text x="{x + 14}" y="{120 - height:.1f}" text-anchor="middle" fill="{INK}" {FONT}>{counts[number]}</text>'
            )
    return _svg(420, 150, parts)


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )
