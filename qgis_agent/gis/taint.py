"""Which sessions have read text that others wrote. From there on what leaves the map needs the person's own words.

Names, values, metadata, file names and titles of services may be sentences that were planted for a model. Whether they were
cannot be told, so any result with data counts. There is no way back within a session; a new conversation begins clean.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

OWN_WORDS = ("ask_user", "request_tool_pack", "update_plan")
"""Tools whose results hold nothing that others wrote."""
MAX_SESSIONS = 10_000
"""More conversations than one QGIS has; beyond it the oldest is forgotten, and counts as tainted all the same."""


class Taint:
    """The sessions of one QGIS that have read data of others."""

    def __init__(self) -> None:
        self._by: Dict[str, str] = {}
        self._overflown = False

    def note(self, session_id: str, tool: str, envelope: Mapping[str, Any]) -> None:
        """A result goes out: data in it (also the choices of a failed call) taints the session."""
        if envelope.get("data") and tool not in OWN_WORDS and session_id not in self._by:
            self._by[session_id] = tool
            while len(self._by) > MAX_SESSIONS:
                del self._by[next(iter(self._by))]
                self._overflown = True

    def tainted(self, session_id: str) -> bool:
        """Whether the session has read text of others."""
        return self._overflown or session_id in self._by

    def source(self, session_id: str) -> str:
        """The tool whose result was the first, "" for none."""
        return self._by.get(session_id, "")
