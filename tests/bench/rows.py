"""Rows of the bench: {name, value, unit, baseline, baseline_value, ratio, goal, holds}, and how they are shown and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
Row = dict[str, Any]


def row(name: str, value: float, unit: str, baseline: str, baseline_value: float, goal: str, holds: bool) -> Row:
    """One measurement."""
    ratio = round(value / baseline_value, 3) if baseline_value else None
    return {
        "name": name,
        "value": round(value, 4),
        "unit": unit,
        "baseline": baseline,
        "baseline_value": round(baseline_value, 4),
        "ratio": ratio,
        "goal": goal,
        "holds": holds,
    }


def keep(rows: list[Row], name: str) -> None:
    """Write ``build/NAME`` and print a table."""
    target = REPO / "build" / name
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for each in rows:
        mark = "ok  " if each["holds"] else "MISS"
        print(
            f"{mark} {each['name']}: {each['value']} {each['unit']} ({each['goal']}; {each['ratio']} x {each['baseline']})"
        )
