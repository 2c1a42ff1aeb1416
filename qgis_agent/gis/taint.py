"""Which sessions have read text that others wrote. From there on what leaves the map needs the person's own words.

Names, values, metadata, file names and titles of services may be sentences that were planted for a model. Whether they were
cannot be told, so any result with data counts. There is no way back within a session; a new conversation begins clean.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

OWN_WORDS = ("ask_user", "request_tool_pack", "update_plan")
"""Tools whose results hold nothing that others wrote."""
MAX_SESSIONS = 10_000
"""More conversations than one QGIS has; beyond it the oldest is forgotten, and counts as tainted all the same."""
MAX_READ = 6
"""How many of the last results a card names."""


class Read(NamedTuple):
    """A result that was read: the tool, and the aliases of the layers that its call named."""

    tool: str
    layers: Tuple[str, ...]


class Taint:
    """The sessions of one QGIS that have read data of others."""

    def __init__(self) -> None:
        self._by: Dict[str, str] = {}
        self._read: Dict[str, List[Read]] = {}
        self._overflown = False

    def note(self, session_id: str, tool: str, envelope: Mapping[str, Any], layers: Sequence[str] = ()) -> None:
        """A result goes out: data in it (also the choices of a failed call) taints the session.

        ``layers`` are those that the call named.
        """
        if not envelope.get("data") or tool in OWN_WORDS:
            return
        read = Read(tool, tuple(layers))
        others = [each for each in self._read.pop(session_id, []) if each != read]
        self._read[session_id] = [*others, read][-MAX_READ:]
        if session_id not in self._by:
            self._by[session_id] = tool
            while len(self._by) > MAX_SESSIONS:
                forgotten = next(iter(self._by))
                del self._by[forgotten]
                self._read.pop(forgotten, None)
                self._overflown = True

    def resumed(self, session_id: str) -> None:
        """An earlier conversation goes on: what it read is not known any more, so it counts as tainted."""
        self._by.setdefault(session_id, "")

    def tainted(self, session_id: str) -> bool:
        """Whether the session has read text of others."""
        return self._overflown or session_id in self._by

    def read(self, session_id: str) -> List[Read]:
        """The last results with data, each once, the newest last."""
        return list(self._read.get(session_id, ()))

    def source(self, session_id: str) -> str:
        """The tool whose result was the first, "" for none."""
        return self._by.get(session_id, "")
