"""What a replay found, in words for a person."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from ..i18n import translate

MAX_VALUE = 120
"""Characters of a value that are shown."""


def words_of(report: Dict[str, Any]) -> str:
    """One or a few sentences."""
    error = report.get("error")
    if error:
        return " ".join(filter(None, [str(error.get("message") or ""), str(error.get("hint") or "")]))
    told = report.get("first_difference")
    text = _same(report) if told is None else _different(report, told)
    return " ".join([text, *left_out(report)])


def _same(report: Dict[str, Any]) -> str:
    """That nothing differs, and no more than what was compared."""
    done = sum(each["outcome"] == "equal" for each in report["steps"])
    if done and report["map_compared"]:
        text = translate("QgisAgent", "The replay is equal: the same results and the same map. Steps repeated: {}.")
    elif done:
        text = translate("QgisAgent", "The replay is equal: the same results. Steps repeated: {}.")
    elif report["map_compared"]:
        text = translate("QgisAgent", "No step was repeated. The map is the same.")
    else:
        text = translate("QgisAgent", "No step was repeated, and nothing was compared but the beginning.")
    return text.format(done)


def _different(report: Dict[str, Any], told: Dict[str, Any]) -> str:
    place = told.get("path") or ""
    where = translate("QgisAgent", "in step {} ({})").format(told.get("step"), _tool(report, told))
    if place.startswith("/state_in"):
        where = translate("QgisAgent", "before the first step: the project is not as it was then")
    elif place.startswith("/map_state"):
        where = translate("QgisAgent", "at the end, in the map")
    text = translate("QgisAgent", "The replay differs {}. At {} it was {}, now it is {}.")
    return text.format(where, place, _value(told.get("expected")), _value(told.get("found")))


def left_out(report: Dict[str, Any]) -> List[str]:
    """Sentences about what was not repeated or not compared, though nothing says that it differs."""
    said: List[str] = []
    commits = sum(each.get("why") == "commit" for each in report["steps"])
    if commits:
        said.append(translate("QgisAgent", "Not done again, because they write: {}.").format(commits))
    if report["not_compared"]:
        text = translate("QgisAgent", "Came out otherwise and not compared, because they use what these changed: {}.")
        said.append(text.format(report["not_compared"]))
    if report["first_difference"] is None and report["error"] is None and not report["map_compared"]:
        said.append(translate("QgisAgent", "The map at the end was not compared: the trace does not tell how it was."))
    return said


def _tool(report: Dict[str, Any], told: Dict[str, Any]) -> str:
    rows = [each for each in report["steps"] if each["step"] == told.get("step") and each["run"] == told.get("run")]
    return rows[0]["tool"] if rows else "?"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "…"
