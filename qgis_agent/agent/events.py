"""What a run tells the person while it goes on: text in pieces of 40 ms, at most 20 progress events a second, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from ..bridge.envelope import size_bytes
from ..bridge.messages import MAX_EVENTS_PER_SECOND, TEXT_COALESCE_S

MAX_ARGUMENT_BYTES = 20_000
MAX_TEXT = 100_000
"""Characters of one text event: a provider's piece of megabytes still crosses in lines."""
Event = dict[str, Any]


class Events(Protocol):
    """The sink that the loop writes to; see EVENT_FIELDS in bridge/messages.py."""

    def emit(self, kind: str, /, **fields: Any) -> None:
        """Any event but text."""
        ...

    def text(self, delta: str) -> None:
        """A piece of streamed answer."""
        ...

    def reset_text(self) -> None:
        """The text streamed so far is no answer. Nothing is sent when there was none."""
        ...


class RunEvents:
    """The sink of one run on an asyncio loop. ``send`` takes the parameters of one ``run/event``."""

    def __init__(
        self, run_id: str, send: Callable[[Event], None], loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        self._run_id = run_id
        self._send = send
        self._loop = loop or asyncio.get_running_loop()
        self._text: list[str] = []
        self._shown_text = False
        self._queue: deque[Event] = deque()
        self._sent_at: deque[float] = deque()
        self._text_timer: asyncio.TimerHandle | None = None
        self._queue_timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()
        self._closed = False

    def emit(self, kind: str, /, **fields: Any) -> None:
        """See Events."""
        self._flush_text()
        if kind == "tool_started" and size_bytes(fields.get("arguments")) > MAX_ARGUMENT_BYTES:
            fields["arguments"] = {}
        self._put({"run_id": self._run_id, "type": kind, **fields})

    def text(self, delta: str) -> None:
        """See Events."""
        if not delta or self._closed:
            return
        self._shown_text = True
        self._text.append(delta)
        if self._text_timer is None:
            self._text_timer = self._loop.call_later(TEXT_COALESCE_S, self._flush_text)

    def reset_text(self) -> None:
        """See Events."""
        if self._shown_text:
            self.emit("text_reset")
            self._shown_text = False

    async def drain(self) -> None:
        """Wait until everything is sent, at the allowed rate."""
        self._flush_text()
        await self._empty.wait()

    def close(self) -> None:
        """Send nothing more: the run was stopped, or everything is drained."""
        self._closed = True
        self._queue.clear()
        self._empty.set()
        for timer in (self._text_timer, self._queue_timer):
            if timer is not None:
                timer.cancel()

    def _flush_text(self) -> None:
        if self._text_timer is not None:
            self._text_timer.cancel()
            self._text_timer = None
        if self._text:
            text = "".join(self._text)
            self._text = []
            for at in range(0, len(text), MAX_TEXT):
                self._put({"run_id": self._run_id, "type": "text_delta", "text": text[at : at + MAX_TEXT]})

    def _put(self, event: Event) -> None:
        if self._closed:
            return
        self._queue.append(event)
        self._empty.clear()
        if self._queue_timer is None:
            self._send_queue()

    def _send_queue(self) -> None:
        self._queue_timer = None
        while self._queue and not self._closed:
            wait = 0.0 if self._queue[0]["type"] == "text_delta" else self._wait()
            if wait > 0:
                self._queue_timer = self._loop.call_later(wait, self._send_queue)
                return
            event = self._queue.popleft()
            if event["type"] != "text_delta":
                self._sent_at.append(self._loop.time())
            self._send(event)
        self._empty.set()

    def _wait(self) -> float:
        """Seconds until one more event keeps to the rate over any second."""
        now = self._loop.time()
        while self._sent_at and now - self._sent_at[0] >= 1.0:
            self._sent_at.popleft()
        if len(self._sent_at) < MAX_EVENTS_PER_SECOND:
            return 0.0
        return max(0.001, 1.0 - (now - self._sent_at[0]))


class QuietEvents:
    """A sink for calls that the person does not read along: the summary of a compaction, the router, a sub-agent's text."""

    def emit(self, kind: str, /, **fields: Any) -> None:
        """Nothing is shown."""

    def text(self, delta: str) -> None:
        """Nothing is shown."""

    def reset_text(self) -> None:
        """Nothing was shown."""


class ChildEvents(QuietEvents):
    """What a person sees of a sub-agent: the steps that it begins, as progress of the call that started it."""

    def __init__(self, parent: Events, call_id: str, tool: str) -> None:
        self._parent = parent
        self._call_id = call_id
        self._tool = tool

    def emit(self, kind: str, /, **fields: Any) -> None:
        """See Events."""
        if kind == "tool_started":
            self._parent.emit("tool_progress", call_id=self._call_id, tool=self._tool, text=str(fields["label"]))


class RecordedEvents:
    """Passes events on and keeps those that a reader of the record needs beside calls and messages."""

    KEPT = frozenset(("plan", "options", "usage", "compaction", "notice", "termination"))

    def __init__(self, events: Events, keep: Callable[[Event], None]) -> None:
        self._events = events
        self._keep = keep

    def emit(self, kind: str, /, **fields: Any) -> None:
        """See Events."""
        if kind in self.KEPT:
            self._keep({"type": kind, **fields})
        self._events.emit(kind, **fields)

    def text(self, delta: str) -> None:
        """See Events."""
        self._events.text(delta)

    def reset_text(self) -> None:
        """See Events."""
        self._events.reset_text()
