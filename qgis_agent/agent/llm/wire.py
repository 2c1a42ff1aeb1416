"""A request as one provider wants it: fields to echo, cache markers, tools as text. Pure; nothing is changed in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .alternation import in_turn
from .pictures import with_pictures
from .quirks import Quirks
from .tools_in_text import in_text
from .types import ProviderRequest

Message = dict[str, Any]
_MARK = {"type": "ephemeral"}
MAX_MARKS = 4
"""Cache markers that Anthropic takes in one request."""


def wire_form(
    request: ProviderRequest, quirks: Quirks, *, tools_in_text: bool = False, alternating: bool = False
) -> tuple[list[Message], list[dict[str, Any]]]:
    """Messages and tools as they are sent. ``alternating``: the server said that it wants the roles in turn."""
    if tools_in_text:
        told = in_text([with_echo(each, quirks) for each in shown(request)], request.tools)
        return (in_turn(told, _joinable) if alternating or quirks.alternating else told), []
    messages, stable = shown(request), request.stable_messages
    if alternating or quirks.alternating:
        messages, stable = in_turn(messages, lambda each: is_echoed(each, quirks)), min(stable, 1)
    messages = [with_echo(each, quirks) for each in messages]
    if quirks.cache == "markers":
        return with_marks(messages, request.tools, stable)
    return messages, request.tools


def shown(request: ProviderRequest) -> list[Message]:
    """The messages with the pictures that the model sees, and words for those that it does not."""
    return [with_pictures(each, request.pictures) for each in request.messages]


def echo_of(collected: Mapping[str, Any], quirks: Quirks) -> dict[str, Any]:
    """What of an answer is kept to be sent back: the fields that the quirk names, with the family that wants them."""
    wanted = {key: value for key, value in collected.items() if key in quirks.echo and value}
    return {"family": quirks.family, **wanted} if wanted else {}


def is_echoed(message: Message, quirks: Quirks) -> bool:
    """Whether a message carries fields that this family wants back as they came."""
    echo = message.get("echo")
    return isinstance(echo, Mapping) and echo.get("family") == quirks.family and bool(quirks.echo & echo.keys())


def _joinable(_message: Message) -> bool:
    return False


def with_echo(message: Message, quirks: Quirks) -> Message:
    """A message without ``echo``; its fields are merged in where they came from the same family, verbatim."""
    if message.get("role") != "assistant":
        return {key: value for key, value in message.items() if key != "echo"} if "echo" in message else message
    plain = {key: value for key, value in message.items() if key != "echo"}
    echo = message.get("echo")
    if isinstance(echo, Mapping) and echo.get("family") == quirks.family:
        for key in sorted(quirks.echo & echo.keys()):
            if key == "tool_call_fields":
                plain["tool_calls"] = _with_fields(plain.get("tool_calls") or [], echo[key])
            else:
                plain[key] = echo[key]
        if not plain.get("tool_calls"):
            plain.pop("tool_calls", None)
    if quirks.placeholder and not plain.get("reasoning_content"):
        plain["reasoning_content"] = quirks.placeholder
    return plain


def _with_fields(calls: Sequence[Any], fields: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Calls with the extra fields that came with them: found by id, by place where ids were renamed."""
    by_id = {each.get("id"): each for each in fields}
    same_places = len(fields) == len(calls)
    result = []
    for at, call in enumerate(calls):
        entry = by_id.get(call.get("id")) or (fields[at] if same_places else {})
        merged = {**call, **(entry.get("call") or {})}
        if entry.get("function"):
            merged["function"] = {**call.get("function", {}), **entry["function"]}
        result.append(merged)
    return result


def with_marks(
    messages: list[Message], tools: list[dict[str, Any]], stable: int
) -> tuple[list[Message], list[dict[str, Any]]]:
    """Cache markers behind the tools, the stable messages, the history, and where the history ended one turn earlier.

    The last message is the tail, which changes every turn, unless the person did not write it. The fourth marker is there
    because a provider looks back only about 20 blocks for an entry that it knows.
    """
    end = len(messages) - (2 if messages and messages[-1].get("role") == "user" else 1)
    before = next((at for at in range(end, -1, -1) if messages[at].get("role") == "assistant"), 0) - 1
    places = dict.fromkeys(at for at in (stable - 1, end, before) if 0 <= at <= end)
    marked = list(messages)
    for at in list(places)[: MAX_MARKS - (1 if tools else 0)]:
        marked[at] = _marked(messages[at])
    if tools:
        tools = [*tools[:-1], {**tools[-1], "cache_control": _MARK}]
    return marked, tools


def _marked(message: Message) -> Message:
    content = message.get("content")
    if message.get("role") == "tool" or not content:
        return {**message, "cache_control": _MARK}
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": _MARK}]}
