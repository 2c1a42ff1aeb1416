"""A model that reads its answers from a script: ``--script`` of the command line, and tests of the whole system."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Literal, get_args

from .types import LLMResponse, ModelError, OnText, ProviderRequest, ToolCall

FinishReason = Literal["stop", "tool_calls", "length", "content_filter"]
PIECE = 8
"""Characters of a piece of streamed text."""
_TURN_KEYS = {"text", "tool_calls", "finish_reason"}
_CALL_KEYS = {"name", "arguments"}


@dataclass(frozen=True)
class ScriptedCall:
    """A call of a script: its name and the JSON text of its arguments."""

    name: str
    arguments: str


@dataclass(frozen=True)
class ScriptedTurn:
    """One answer of a script."""

    text: str
    calls: tuple[ScriptedCall, ...]
    finish_reason: str


def parse_turns(raw: Any) -> tuple[ScriptedTurn, ...]:
    """Check a script and read it.

    A script is a list of ``{"text", "tool_calls": [{"name", "arguments"}], "finish_reason"}``; text or calls must be there,
    ``arguments`` is an object, or a string that is sent as it stands (to play a model that writes bad JSON). Raises
    ValueError that names the place.
    """
    if not isinstance(raw, list):
        raise ValueError("script: must be a list of turns")
    return tuple(_turn(each, f"turn {number}") for number, each in enumerate(raw, 1))


def _turn(raw: Any, place: str) -> ScriptedTurn:
    if not isinstance(raw, dict):
        raise ValueError(f"{place}: must be an object")
    _only(raw, _TURN_KEYS, place)
    text = raw.get("text", "")
    if not isinstance(text, str):
        raise ValueError(f"{place}.text: must be a string")
    calls = raw.get("tool_calls", [])
    if not isinstance(calls, list):
        raise ValueError(f"{place}.tool_calls: must be a list")
    if not text and not calls:
        raise ValueError(f"{place}: has neither text nor tool_calls")
    finish = raw.get("finish_reason", "tool_calls" if calls else "stop")
    if finish not in get_args(FinishReason):
        raise ValueError(f"{place}.finish_reason: must be one of {', '.join(get_args(FinishReason))}")
    return ScriptedTurn(text, tuple(_call(each, f"{place}.tool_calls[{at}]") for at, each in enumerate(calls)), finish)


def _call(raw: Any, place: str) -> ScriptedCall:
    if not isinstance(raw, dict):
        raise ValueError(f"{place}: must be an object")
    _only(raw, _CALL_KEYS, place)
    name, arguments = raw.get("name"), raw.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise ValueError(f"{place}.name: must be the name of a tool")
    if isinstance(arguments, str):
        return ScriptedCall(name, arguments)
    if not isinstance(arguments, dict):
        raise ValueError(f"{place}.arguments: must be an object")
    return ScriptedCall(name, json.dumps(arguments, ensure_ascii=False))


def _only(raw: dict[str, Any], allowed: set[str], place: str) -> None:
    unknown = sorted(set(raw) - allowed)
    if unknown:
        raise ValueError(f"{place}: unknown key {unknown[0]!r}; allowed: {', '.join(sorted(allowed))}")


class ScriptedClient:
    """Plays turns strictly in order, whatever it is asked. Call ids are ``call_<turn>_<number>``."""

    kind = "script"

    def __init__(self, turns: tuple[ScriptedTurn, ...], label: str = "script") -> None:
        self.label = label
        self._turns = turns
        self._next = 0

    @property
    def remaining(self) -> int:
        """Turns that have not been played yet."""
        return len(self._turns) - self._next

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Play the next turn. Raises ModelError("bad_answer") when there is none."""
        if self._next >= len(self._turns):
            raise ModelError(
                "bad_answer",
                f"The script has {len(self._turns)} turns, and one more was asked for.",
                hint="Add the missing turn to the script.",
            )
        turn = self._turns[self._next]
        self._next += 1
        for at in range(0, len(turn.text), PIECE):
            on_text(turn.text[at : at + PIECE])
            await asyncio.sleep(0)  # a stop gets through between two pieces
        calls = tuple(
            ToolCall(f"call_{self._next}_{number}", call.name, call.arguments)
            for number, call in enumerate(turn.calls, 1)
        )
        return LLMResponse(turn.text, calls, turn.finish_reason)
