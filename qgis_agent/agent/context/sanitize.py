"""Pure, idempotent passes over a history, run before every request, so that a provider always gets a valid one.

After them every assistant call has an id and a name that are used once and arguments that are a JSON object, and its result
follows at once, in the order of the calls; no other result is there; no message is empty; the person speaks first. Inputs are
never changed. An assistant message may carry ``echo``, fields that the provider wants back verbatim: whole messages keep it,
messages whose calls a pass changed lose it, because a signature belongs to what was signed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...bridge.envelope import encode
from .interrupted import interrupted_envelope

Message = dict[str, Any]
UNREADABLE = "(A tool call of this turn could not be read.)"
NO_TEXT = "(no text)"
LEFT_OUT = "(The beginning of the conversation is left out here.)"
_RAW_CHARS = 2000
"""How much of arguments that are no JSON is replayed."""


@dataclass(frozen=True)
class Rules:
    """What a provider asks for beyond the protocol itself. ``merge_same_role``: it refuses neighbours of one role."""

    merge_same_role: bool = False


@dataclass(frozen=True)
class SanitizeReport:
    """How many messages or calls each pass dropped, made or changed; 0 everywhere is the rule."""

    unreadable_calls: int = 0
    mended_arguments: int = 0
    duplicate_results: int = 0
    orphan_results: int = 0
    synthesised_results: int = 0
    empty_messages: int = 0
    leading_notes: int = 0
    merged_messages: int = 0


def interrupted_content() -> str:
    """The result of a call whose outcome nobody knows."""
    return encode(interrupted_envelope())


def sanitize(messages: list[Message], rules: Rules = Rules()) -> tuple[list[Message], SanitizeReport]:
    """All passes in their order, with the counts. A history that needs none of them comes back as it is, in a new list."""
    if not rules.merge_same_role and is_valid(messages):
        return messages[:], SanitizeReport()
    readable, unreadable = drop_unreadable_calls(messages)
    sendable, mended = mend_arguments(readable)
    unique, duplicates = drop_duplicate_results(sendable)
    owned, orphans = drop_orphan_results(unique)
    complete, synthesised = complete_batches(owned)
    filled, empty = fill_or_drop_empty(complete)
    led, notes = begin_with_user(filled)
    merged, joined = merge_neighbours(led) if rules.merge_same_role else (led, 0)
    return merged, SanitizeReport(unreadable, mended, duplicates, orphans, synthesised, empty, notes, joined)


def is_valid(messages: list[Message]) -> bool:
    """Whether no pass would change anything (but joining neighbours): one quick reading, because that is the rule."""
    used: set[str] = set()
    waiting: list[str] = []
    began = False
    for message in messages:
        role = message.get("role")
        if role == "tool":
            if not waiting or message.get("tool_call_id") != waiting.pop():
                return False
            continue
        if waiting or not (began or role in ("user", "system")):
            return False
        began = began or role != "system"
        calls = message.get("tool_calls") if role == "assistant" else None
        if not calls and role in ("user", "assistant") and not _says_something(message.get("content")):
            return False
        for call in reversed(calls or ()):
            ident = _call_id(call)
            if ident is None or ident in used or not _is_sendable(call["function"].get("arguments")):
                return False
            used.add(ident)
            waiting.append(ident)
    return not waiting


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
        kept.append(message if len(good) == len(calls) else with_calls(message, good))
    return kept, dropped


def mend_arguments(messages: list[Message]) -> tuple[list[Message], int]:
    """Give every call arguments that are the text of a JSON object. What is one already stays byte for byte."""
    kept: list[Message] = []
    mended = 0
    for message in messages:
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        texts = [sendable_arguments(each["function"].get("arguments")) for each in calls or ()]
        wrong = sum(each["function"].get("arguments") != text for each, text in zip(calls or (), texts))
        if calls and wrong:
            mended += wrong
            new = [{**each, "function": {**each["function"], "arguments": text}} for each, text in zip(calls, texts)]
            message = with_calls(message, new)
        kept.append(message)
    return kept, mended


def sendable_arguments(arguments: Any) -> str:
    """Arguments that every provider takes back: an object's own text unchanged, nothing as {}, anything else wrapped."""
    if arguments is None:
        return "{}"
    if not isinstance(arguments, str):
        text = encode(arguments) if isinstance(arguments, dict) else encode({"INVALID_JSON": str(arguments)})
        return text.encode("utf-8", "replace").decode()
    if is_json_object(arguments):
        return arguments
    if not arguments.strip():
        return "{}"
    raw = arguments.encode("utf-8", "replace").decode()
    return raw if is_json_object(raw) else encode({"INVALID_JSON": raw[:_RAW_CHARS]})


def _is_sendable(arguments: Any) -> bool:
    return isinstance(arguments, str) and is_json_object(arguments)


@lru_cache(maxsize=2048)
def is_json_object(text: str) -> bool:
    """Whether a text is strict JSON of an object that can be sent as UTF-8. Kept: a history is read with every request."""
    try:
        text.encode()
        return isinstance(json.loads(text, parse_constant=_no_constant), dict)
    except (ValueError, RecursionError):
        return False


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def drop_duplicate_results(messages: list[Message]) -> tuple[list[Message], int]:
    """Of several results of one call the first after the call wins; a late real one after a synthesised one is dropped."""
    called: set[str] = set()
    answered: set[str] = set()

    def wanted(message: Message) -> bool:
        if message.get("role") == "assistant":
            called.update(call_ids(message))
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
            called.update(call_ids(message))
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
        for ident in call_ids(message):
            if ident not in results:
                made += 1
            ordered.append(
                results.get(ident) or {"role": "tool", "tool_call_id": ident, "content": interrupted_content()}
            )
    return ordered, made


def fill_or_drop_empty(messages: list[Message]) -> tuple[list[Message], int]:
    """Drop assistant messages that say and call nothing; an empty message of the person gets a note in its place."""
    kept: list[Message] = []
    changed = 0
    for message in messages:
        role = message.get("role")
        if role not in ("user", "assistant") or message.get("tool_calls") or _says_something(message.get("content")):
            kept.append(message)
            continue
        changed += 1
        if role == "user":
            kept.append({**message, "content": NO_TEXT})
    return kept, changed


def begin_with_user(messages: list[Message]) -> tuple[list[Message], int]:
    """Put a note in the person's role before a history that begins with anything else but system messages."""
    first = next((at for at, each in enumerate(messages) if each.get("role") != "system"), None)
    if first is None or messages[first].get("role") == "user":
        return messages, 0
    return [*messages[:first], {"role": "user", "content": LEFT_OUT}, *messages[first:]], 1


def merge_neighbours(
    messages: list[Message], whole: Callable[[Message], bool] | None = None
) -> tuple[list[Message], int]:
    """Join neighbours of the person and neighbours of the assistant to one message. Calls stay with their results.

    Of two assistant messages the ``echo`` of the one with calls is kept, else none: the joined text is not what was signed.
    ``whole`` says which messages are not joined at all.
    """
    merged: list[Message] = []
    for message in messages:
        before = merged[-1] if merged else None
        apart = whole is not None and before is not None and (whole(before) or whole(message))
        if before is not None and not apart and _can_join(before, message):
            merged[-1] = _joined(before, message)
        else:
            merged.append(message)
    return merged, len(messages) - len(merged)


def _can_join(before: Message, message: Message) -> bool:
    return message.get("role") == before.get("role") in ("user", "assistant") and not before.get("tool_calls")


def _joined(before: Message, message: Message) -> Message:
    first, second = before.get("content") or "", message.get("content") or ""
    if isinstance(first, str) and isinstance(second, str):
        content: Any = "\n\n".join(each for each in (first, second) if each)
    else:
        content = [*_parts(first), *_parts(second)]
    whole = {**before, **message, "content": content}
    if not message.get("tool_calls") or "echo" not in message:
        whole.pop("echo", None)
    return whole


def _parts(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": str(content)}] if content else []


def _says_something(content: Any) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)


def _filtered(messages: list[Message], wanted: Callable[[Message], bool]) -> tuple[list[Message], int]:
    kept = [each for each in messages if wanted(each)]
    return kept, len(messages) - len(kept)


def with_calls(message: Message, calls: list[Any]) -> Message:
    """An assistant message with other calls, without its ``echo``; a note where it would say nothing."""
    rest = {key: value for key, value in message.items() if key not in ("tool_calls", "echo")}
    if calls:
        rest["tool_calls"] = calls
    elif not _says_something(rest.get("content")):
        rest["content"] = UNREADABLE
    return rest


def call_ids(message: Message) -> list[str]:
    """The ids of the readable calls of a message, in order."""
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
