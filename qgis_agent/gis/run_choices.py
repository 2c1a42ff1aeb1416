"""What a person chose for every run: the language of answers and the limits of one request. Sent with ``run/start``.

The numbers of 0 stand for "as it is": the agent process has the defaults and its own bounds (agent/governance/person_limits.py).
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from qgis.core import QgsSettings

PREFIX = "qgis_agent/run/"
AS_ASKED, ENGLISH, CHINESE = "", "en", "zh"
LANGUAGES = (AS_ASKED, ENGLISH, CHINESE)
"""As the request is written, English, Simplified Chinese."""

LIMITS: Mapping[str, Tuple[float, float, float]] = {
    # default, least, most. The defaults are the global ceiling (design X-1, agent/governance/profile.py: Budget); beyond the
    # highest values a run that goes wrong costs more than a person would want to learn afterwards.
    "model_calls": (12, 1, 60),
    "tool_calls": (24, 1, 200),
    "tokens": (200_000, 10_000, 2_000_000),
    "model_s": (180, 20, 3_600),
    "tool_s": (60, 10, 3_600),
    "cost": (0, 0, 1_000),
}
"""Steps (requests to the model, tool calls), tokens, seconds, and cost in the currency of the model's price (0: no limit)."""


def language() -> str:
    """The language of answers: "en", "zh", or "" for that of the request."""
    chosen = str(QgsSettings().value(PREFIX + "language", AS_ASKED) or AS_ASKED)
    return chosen if chosen in LANGUAGES else AS_ASKED


def choose_language(chosen: str) -> None:
    """Keep the language of answers. ValueError for one that is not offered."""
    if chosen not in LANGUAGES:
        raise ValueError("no such language: {!r}".format(chosen))
    QgsSettings().setValue(PREFIX + "language", chosen)


def limits() -> Dict[str, float]:
    """The limits of one request, each within its bounds; the default where nothing, or nonsense, was kept."""
    return {name: _limit(name) for name in LIMITS}


def choose_limits(chosen: Mapping[str, float]) -> None:
    """Keep limits, each cut to its bounds; one that is the default is forgotten, so that it follows a later default."""
    settings = QgsSettings()
    for name, value in chosen.items():
        default, least, most = LIMITS[name]
        bounded = min(max(float(value), least), most)
        if bounded == default:
            settings.remove(PREFIX + name)
        else:
            settings.setValue(PREFIX + name, bounded)


def run_fields() -> Dict[str, Any]:
    """The fields of ``run/start``: {language, limits}, without those that are as they are anyway."""
    changed = {name: value for name, value in limits().items() if value != LIMITS[name][0]}
    fields: Dict[str, Any] = {"limits": changed} if changed else {}
    if language():
        fields["language"] = language()
    return fields


def _limit(name: str) -> float:
    default, least, most = LIMITS[name]
    kept = QgsSettings().value(PREFIX + name, None)
    try:
        value = float(kept) if kept is not None else default
    except (TypeError, ValueError):
        return default
    return value if least <= value <= most else default
