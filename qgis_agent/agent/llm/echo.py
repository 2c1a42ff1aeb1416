"""What providers want back verbatim in later requests, collected from the pieces of a stream.

Anthropic signs its thoughts: a block is kept exactly as it came, or not at all. Gemini hides a signature in a field beside a
call. DeepSeek wants its ``reasoning_content``. Which of these is sent back is said in ``quirks.py``.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

CALL_FIELDS = frozenset({"index", "id", "type", "function"})
FUNCTION_FIELDS = frozenset({"name", "arguments"})
_SHOWN_ELSEWHERE = frozenset({"thinking_blocks", "reasoning_content", "reasoning"})


def extras(piece: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The fields of a piece that OpenAI's form does not have."""
    return {key: value for key, value in piece.items() if key not in known and value not in (None, "", {}, [])}


class EchoCollector:
    """Collects the fields of one answer that belong to the message as a whole."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None
        self._fields: dict[str, Any] = {}

    def feed(self, delta: Mapping[str, Any]) -> None:
        """Take the delta of one chunk."""
        for piece in delta.get("thinking_blocks") or ():
            if isinstance(piece, Mapping):
                self._thinking(piece)
        fields = delta.get("provider_specific_fields")
        if isinstance(fields, Mapping):
            for key, value in extras(fields, _SHOWN_ELSEWHERE).items():
                before = self._fields.get(key)
                joined = isinstance(before, list) and isinstance(value, list)
                self._fields[key] = [*before, *value] if joined else copy.deepcopy(value)  # type: ignore[misc]

    def _thinking(self, piece: Mapping[str, Any]) -> None:
        if piece.get("type") == "redacted_thinking":
            self._blocks.append({"type": "redacted_thinking", "data": piece.get("data")})
            return
        if self._open is None:
            self._open = {"type": "thinking", "thinking": ""}
        self._open["thinking"] += str(piece.get("thinking") or "")
        if piece.get("signature"):
            self._blocks.append({**self._open, "signature": piece["signature"]})
            self._open = None

    def collected(self, reasoning: str, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Everything by the name of the message's field; ``calls`` are the extra fields of its tool calls, in their order.

        A thinking block without its signature would be refused, so all blocks are dropped then.
        """
        found: dict[str, Any] = {"reasoning_content": reasoning, "provider_specific_fields": self._fields}
        if self._open is None:
            found["thinking_blocks"] = self._blocks
        if any(each["call"] or each["function"] for each in calls):
            found["tool_call_fields"] = [dict(each) for each in calls]
        return {key: value for key, value in found.items() if value}
