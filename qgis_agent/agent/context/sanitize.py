"""Pure, idempotent passes over a history, run before every request, so that a provider always gets a valid one.

After them every assistant call has an id and a name that are used once, and its result follows at once, in the order of the
calls; no other result is there. Inputs are never changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...bridge.envelope import UPSTREAM_ERROR, encode, failure

Message = dict[str, Any]
UNREADABLE = "(A tool call of this turn could not be read.)"


@dataclass(frozen=True)
class SanitizeReport:
    """How many messages or calls each pass dropped or made; 0 everywhere is the rule."""

    unreadable_calls: int = 0
    duplicate_results: int = 0
    orphan_results: int = 0
    synthesised_results: int = 0


def interrupted_content() -> str:
    """The result of a call whose outcome nobody knows."""
    return encode(
        failure(
            UPSTREAM_ERROR,
            "interrupted; outcome unknown",
            hint="Verify the state of the map or file before you retry it.",
            reason="interrupted",
        )
    )


def sanitize(messages: list[Message]) -> tuple[list[Message], SanitizeReport]:
    """All passes in their order, with the counts."""
    readable, unreadable = drop_unreadable_calls(messages)
    unique, duplicates = drop_duplicate_results(readable)
    owned, orphans = drop_orphan_results(unique)
    complete, synthesised = complete_batches(owned)
    return complete, SanitizeReport(unreadable, duplicates, orphans, synthesised)


def drop_unreadable_calls(messages: list[Message]) -> tuple[list[Message], int]:
    """Take out calls without id or name, and calls whose id an earlier call has; a message left empty gets a note."""
    used: set[str] = set()
    kept: list[Message] = []
    dropped = 0
    for message in messages:
        calls = message.get("tool_calls")
        if message.get("role") != "assistant" or not calls:
            kept.append(message)
            continue
        good = []
        for call in calls:
            ident = _call_id(call)
            if ident is None or ident in used:
                dropped += 1
                continue
            used.add(ident)
            good.append(call)
        kept.append(message if len(good) == len(calls) else _with_calls(message, good))
    return kept, dropped


def drop_duplicate_results(messages: list[Message]) -> tuple[list[Message], int]:
    """Of several results of one call the first after the call wins; a late real one after a synthesised one is dropped."""
    called: set[str] = set()
    answered: set[str] = set()

    def wanted(message: Message) -> bool:
        if message.get("role") == "assistant":
            called.update(_ids(message))
        if message.get("role") != "tool":
            return True
        ident = message.get("tool_call_id")
        if ident not in called:
            return True  # no duplicate but an orphan: the next pass's
        if ident in answered:
            return False
        answered.add(str(ident))
        return True

    return _filtered(messages, wanted)


def drop_orphan_results(messages: list[Message]) -> tuple[list[Message], int]:
    """Take out results without a call before them."""
    called: set[str] = set()

    def wanted(message: Message) -> bool:
        if message.get("role") == "assistant":
            called.update(_ids(message))
        return message.get("role") != "tool" or message.get("tool_call_id") in called

    return _filtered(messages, wanted)


def complete_batches(messages: list[Message]) -> tuple[list[Message], int]:
    """Put each result behind its call, in the order of the calls; a missing one is made: interrupted, outcome unknown."""
    results = {str(each.get("tool_call_id")): each for each in reversed(messages) if each.get("role") == "tool"}
    ordered: list[Message] = []
    made = 0
    for message in messages:
        if message.get("role") == "tool":
            continue
        ordered.append(message)
        for ident in _ids(message):
            if ident not in results:
                made += 1
            ordered.append(
                results.get(ident) or {"role": "tool", "tool_call_id": ident, "content": interrupted_content()}
            )
    return ordered, made


def _filtered(messages: list[Message], wanted: Callable[[Message], bool]) -> tuple[list[Message], int]:
    kept = [each for each in messages if wanted(each)]
    return kept, len(messages) - len(kept)


def _with_calls(message: Message, calls: list[Any]) -> Message:
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    if calls:
        rest["tool_calls"] = calls
    elif not rest.get("content"):
        rest["content"] = UNREADABLE
    return rest


def _ids(message: Message) -> list[str]:
    if message.get("role") != "assistant":
        return []
    return [ident for ident in (_call_id(each) for each in message.get("tool_calls") or []) if ident is not None]


def _call_id(call: Any) -> str | None:
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    ident = call.get("id")
    named = isinstance(function, dict) and isinstance(function.get("name"), str) and function["name"]
    return ident if named and isinstance(ident, str) and ident else None
