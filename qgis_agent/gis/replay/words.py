"""What a replay found, in words for a person."""

from __future__ import annotations

import json
from typing import Any, Dict

from ..i18n import translate

MAX_VALUE = 120
"""Characters of a value that are shown."""


def words_of(report: Dict[str, Any]) -> str:
    """One or two sentences."""
    error = report.get("error")
    if error:
        return " ".join(filter(None, [str(error.get("message") or ""), str(error.get("hint") or "")]))
    steps = report["steps"]
    told = report.get("first_difference")
    if told is None:
        done = sum(each["outcome"] == "equal" for each in steps)
        text = translate(
            "QgisAgent", "The replay is equal: the same results and the same map. Steps repeated: {}."
        ).format(done)
        return " ".join(filter(None, [text, _skipped(report)]))
    place = told.get("path") or ""
    where = translate("QgisAgent", "in step {} ({})").format(told.get("step"), _tool(report, told))
    if place.startswith("/state_in"):
        where = translate("QgisAgent", "before the first step: the project is not as it was then")
    elif place.startswith("/map_state"):
        where = translate("QgisAgent", "at the end, in the map")
    text = translate("QgisAgent", "The replay differs {}. At {} it was {}, now it is {}.")
    return text.format(where, place, _value(told.get("expected")), _value(told.get("found")))


def _skipped(report: Dict[str, Any]) -> str:
    commits = sum(each.get("why") == "commit" for each in report["steps"])
    if not commits:
        return ""
    return translate("QgisAgent", "Not done again, because they write: {}.").format(commits)


def _tool(report: Dict[str, Any], told: Dict[str, Any]) -> str:
    rows = [each for each in report["steps"] if each["step"] == told.get("step") and each["run"] == told.get("run")]
    return rows[0]["tool"] if rows else "?"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"
