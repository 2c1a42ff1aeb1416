"""Ids of tool calls: the provider's where it gave one, ours where not, each one once in a conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def ids_in(messages: Iterable[dict[str, Any]]) -> set[str]:
    """The ids of all tool calls in messages of OpenAI form."""
    return {
        str(call["id"])
        for message in messages
        for call in (message.get("tool_calls") or ())
        if isinstance(call, dict) and call.get("id")
    }


class IdSource:
    """Gives ids that are not taken yet. The same conversation gets the same ids, in every process."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._number = len(self._taken)

    def fresh(self) -> str:
        """A new id, "call_N"."""
        while True:
            self._number += 1
            candidate = f"call_{self._number}"
            if candidate not in self._taken:
                self._taken.add(candidate)
                return candidate

    def keep(self, wanted: str) -> str:
        """``wanted`` itself when nothing else has it, else a new id. A provider's id is never changed without need:
        some hide a signature in it."""
        if not wanted or wanted in self._taken:
            return self.fresh()
        self._taken.add(wanted)
        return wanted
