"""Conversations that hold no attribute values, by their ids: only these go on while values stay at home.

A conversation that began without the switch holds values in its history, which is sent to the model again with every request.
"""

from __future__ import annotations

from typing import List

from qgis.core import QgsSettings

from ..i18n import translate

_SETTING = "qgis_agent/conversations_at_home"
MAX_KEPT = 500


def holds_none(session_id: str) -> bool:
    """Whether every run of a conversation was made with the values kept at home."""
    return session_id in _kept()


def note_run(session_id: str, at_home: bool) -> None:
    """A run begins in a conversation. One run without the switch is enough to count as holding values."""
    kept = _kept()
    if at_home == (session_id in kept):
        return
    rest = [each for each in kept if each != session_id]
    QgsSettings().setValue(_SETTING, (rest + [session_id] if at_home else rest)[-MAX_KEPT:])


def begun_anew() -> str:
    """What the person is told when their message could not go on with a conversation that holds values."""
    return translate(
        "QgisAgent",
        "This message began a new conversation: the earlier one holds attribute values, and these are kept in QGIS now.",
    )


def not_summarised() -> str:
    """What the person is told who wants a summary: the model would read the conversation once more for it."""
    return translate(
        "QgisAgent",
        "This conversation is not summarised: it may hold attribute values, and these are kept in QGIS now. The next message "
        "begins a new conversation.",
    )


def _kept() -> List[str]:
    found = QgsSettings().value(_SETTING, []) or []
    return [str(each) for each in ([found] if isinstance(found, str) else found)]
