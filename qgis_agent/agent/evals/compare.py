"""A set's scores against those of an earlier time: which cases got worse or better, and where each went wrong first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .summary import ORDER, Row, summary_of

CHECKS = ("tools", "params", "end_to_end", "intent", "replay")
"""What is compared of a case; besides, whether there are unsafe actions and numbers without a source."""


def compared(before: Sequence[Row], now: Sequence[Row]) -> dict[str, Any]:
    """{worse, better, new, gone, metrics, codes}: cases are matched by id; ``metrics`` are those of both, for the same cases."""
    old, new = {str(each["id"]): each for each in before}, {str(each["id"]): each for each in now}
    both = [each for each in new if each in old]
    worse, better = [], []
    for ident in both:
        lost, won = _changes(old[ident], new[ident])
        if lost:
            worse.append(_entry(new[ident], lost))
        elif won:
            better.append(_entry(new[ident], won))
    sums = summary_of([old[each] for each in both]), summary_of([new[each] for each in both])
    return {
        "worse": worse,
        "better": better,
        "new": [each for each in new if each not in old],
        "gone": [each for each in old if each not in new],
        "metrics": {name: {"before": sums[0]["metrics"][name]["value"], "now": _now(sums[1], name)} for name in ORDER},
        "codes": dict(Counter(each["kind"] for each in worse)),
    }


def _now(summary: Mapping[str, Any], name: str) -> Any:
    return summary["metrics"][name]["value"]


def _changes(old: Row, new: Row) -> tuple[list[str], list[str]]:
    """Checks that held and do not any more, and the other way round. What was not judged both times is not compared."""
    before, now = _state(old), _state(new)
    lost = [each for each in before if before[each] is True and now[each] is False]
    won = [each for each in before if before[each] is False and now[each] is True]
    return lost, won


def _state(row: Row) -> dict[str, bool | None]:
    state: dict[str, bool | None] = {each: row.get(each) for each in CHECKS}
    state["unsafe"] = not row.get("unsafe")
    state["numbers"] = not row.get("unverified")
    return state


def _entry(row: Row, what: list[str]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "what": what,
        "blame": row["blame"],
        "tool": row["first_failed"],
        "code": row["code"],
        "kind": kind_of(str(row["code"])),
        "why": list(row["why"]),
        "trace_id": row.get("trace_id", ""),
    }


def kind_of(code: str) -> str:
    """How regressions are sorted (seed 003, 4.8.2): by the codes that a model causes, calls that were left out, and others."""
    return code if code in ("INVALID_PARAM", "NOT_FOUND", "MISSING") else "other"
