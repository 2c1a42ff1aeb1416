"""What became of the changing calls of this QGIS: so that none is done twice, and a restarted agent can ask how one ended."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from .approvals import Capability
from .call import Call
from .errors import INVALID_PARAM, ToolError
from .i18n import translate

MAX_CALLS = 1000

Outcome = Dict[str, Any]


@dataclass
class Entry:
    """A changing call that was begun. ``outcome`` is None while it is under way."""

    tool: str
    arguments: str
    session_id: str
    project_id: str
    outcome: Optional[Outcome] = None


class Journal:
    """Changing calls by run and call id; the run is the capability's own, not what the caller says. The newest 1000."""

    def __init__(self) -> None:
        self._entries: Dict[str, Entry] = {}

    def begin(self, call: Call) -> Entry:
        """The entry of a call: with an outcome when this very call has ended before, else without.

        INVALID_PARAM for an id that another call has (another tool or other arguments), and for a call that is under way.
        """
        capability = call.capability
        key = _key(capability.run_id, call.call_id)
        arguments = _digest(call.arguments)
        known = self._entries.get(key)
        if known is None:
            entry = Entry(call.tool, arguments, capability.session_id, capability.project_id)
            self._entries[key] = entry
            while len(self._entries) > MAX_CALLS:
                del self._entries[next(iter(self._entries))]
            return entry
        if known.outcome is None or (known.tool, known.arguments) != (call.tool, arguments):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "Another call of this run has the same id."),
                hint=translate("QgisAgent", "Give every call an id of its own."),
                reason="call_id_used",
            )
        return known

    def outcome(self, capability: Capability, run_id: str, call_id: str) -> Optional[Tuple[str, Outcome]]:
        """Tool and outcome of a call of the same session and project, also of an earlier run; None when that is not known."""
        entry = self._entries.get(_key(run_id, call_id))
        if entry is None or (entry.session_id, entry.project_id) != (capability.session_id, capability.project_id):
            return None
        return None if entry.outcome is None else (entry.tool, entry.outcome)


def _key(run_id: str, call_id: str) -> str:
    return json.dumps([run_id, call_id])


def _digest(arguments: Dict[str, Any]) -> str:
    """SHA-256 of the arguments, with the keys of every object in order."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode("utf-8")).hexdigest()
