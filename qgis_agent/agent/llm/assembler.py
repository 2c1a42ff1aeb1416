"""From the chunks of a stream to one answer: our own assembler, on plain dicts, without input or output.

Providers cut tool calls up in ways that break the obvious reading (by index alone): two calls on one index, no index, an
id that comes late or never, arguments that are null or an object. A call is found by index *and* id here:

- an id that is known names its call; a new id at an index that has an id already starts a new call;
- a new id at an index whose call has none yet is that call's late id, unless a name after complete arguments came with it;
- without id and index a piece belongs to the call that was begun last;
- a name after complete arguments starts a new call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .echo import CALL_FIELDS, FUNCTION_FIELDS, EchoCollector, extras
from .ids import IdSource
from .types import LLMResponse, ToolCall, Usage
from .usage import usage_of


@dataclass
class _OpenCall:
    """A tool call while its pieces come in."""

    index: int | None
    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)
    whole: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    function_extra: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        return self.whole if self.whole is not None else "".join(self.parts)

    def add(self, arguments: Any) -> None:
        if isinstance(arguments, str):
            self.parts.append(arguments)
        elif arguments is not None:
            self.whole = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))

    def is_complete(self) -> bool:
        try:
            return isinstance(json.loads(self.text()), dict)
        except ValueError:
            return False

    def begins_anew(self, name: str) -> bool:
        """Whether ``name`` in a further piece can only be the start of another call."""
        if not name or not self.name:
            return False
        return self.is_complete() or (not self.text() and name != self.name)


class StreamAssembler:
    """Collects chunks (dicts of OpenAI's streaming form) and gives the finished answer.

    ``taken_ids`` are the call ids of the conversation so far: a call without an id gets one that is not among them.
    """

    def __init__(self, taken_ids: Iterable[str] = ()) -> None:
        self._ids = IdSource(taken_ids)
        self._calls: list[_OpenCall] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._echo = EchoCollector()
        self._finish = ""
        self._usage: Mapping[str, Any] | None = None

    def feed(self, chunk: Mapping[str, Any]) -> str:
        """Take one chunk; returns the text in it that can be shown at once."""
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self._usage = usage
        shown = ""
        for choice in chunk.get("choices") or ():
            if choice.get("index") not in (None, 0):
                continue  # one answer is asked for
            shown += self._feed_delta(choice.get("delta") or {})
            if choice.get("finish_reason"):
                self._finish = str(choice["finish_reason"])
        return shown

    def _feed_delta(self, delta: Mapping[str, Any]) -> str:
        text = _text_of(delta.get("content"))
        if text:
            self._text.append(text)
        thought = _text_of(delta.get("reasoning_content")) or _text_of(delta.get("reasoning"))
        if thought:
            self._reasoning.append(thought)
        self._echo.feed(delta)
        for piece in delta.get("tool_calls") or ():
            self._feed_call(piece)
        return text

    def _feed_call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function") or {}
        name = str(function.get("name") or "")
        call = self._find(piece.get("index"), str(piece.get("id") or ""), name)
        call.name = call.name or name
        call.add(function.get("arguments"))
        call.extra.update(extras(piece, CALL_FIELDS))
        call.function_extra.update(extras(function, FUNCTION_FIELDS))

    def _find(self, index: int | None, ident: str, name: str) -> _OpenCall:
        same_index = [call for call in self._calls if index is None or call.index == index]
        if ident:
            known = next((call for call in reversed(same_index) if call.id == ident), None)
            if known is not None:
                return known
            last = same_index[-1] if same_index else None
            if (
                last is not None
                and not last.id
                and not last.begins_anew(name)
                and not (index is None and name and last.name)
            ):
                last.id = ident
                return last
        elif same_index and not same_index[-1].begins_anew(name):
            return same_index[-1]
        call = _OpenCall(index, ident)
        self._calls.append(call)
        return call

    @property
    def usage(self) -> Usage | None:
        """Tokens as the chunks said them; None when they did not."""
        return None if self._usage is None else usage_of(self._usage)

    @property
    def has_calls(self) -> bool:
        """Whether any piece of a tool call has come."""
        return bool(self._calls)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all has come: no text, no call, no reasoning."""
        return not (self._calls or self._reasoning or "".join(self._text).strip())

    @property
    def finish_reason(self) -> str:
        """The reason as the provider gave it; "" when the stream has not said that it ended."""
        return self._finish

    @property
    def reasoning(self) -> str:
        """The thoughts so far, as far as they came in fields of their own."""
        return "".join(self._reasoning)

    def fresh_id(self) -> str:
        """An id for a call that the provider did not send as one."""
        return self._ids.fresh()

    def response(self, usage: Usage | None = None) -> LLMResponse:
        """The finished answer. Calls keep their order and have ids; empty and null arguments are "{}".

        A reason of "stop" with calls in the answer is "tool_calls" (many servers get that wrong); "length" stays, so that
        calls of an answer that was cut off are not run. ``echo`` holds all that any provider could want back.
        """
        calls = tuple(ToolCall(self._ids.keep(call.id), call.name, _arguments(call.text())) for call in self._calls)
        finish = self._finish
        if calls and finish not in ("length", "content_filter"):
            finish = "tool_calls"
        fields = [
            {"id": made.id, "call": call.extra, "function": call.function_extra}
            for made, call in zip(calls, self._calls, strict=True)
        ]
        return LLMResponse(
            "".join(self._text),
            calls,
            finish or "stop",
            usage or self.usage or Usage(),
            self.reasoning,
            self._echo.collected(self.reasoning, fields),
        )


def _arguments(text: str) -> str:
    return "{}" if text.strip() in ("", "null") else text


def _text_of(content: Any) -> str:
    """Text of a content field: a string, or a list of parts of which the text ones count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""
