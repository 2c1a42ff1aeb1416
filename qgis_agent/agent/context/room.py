"""ContextRoom: keeps the requests of one run within the model's budget, and knows how full they are.

It counts by the estimate, calibrated with what the provider reported, asks the compactor before each request, and writes what
came of it into the events and the record: a compaction is the one change of the prefix that the program makes by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from ..events import Events
from ..llm.tokens import Calibration, messages_tokens, request_tokens, tools_tokens
from ..llm.types import ProviderRequest, Usage
from .compaction import Compaction, Compactor
from .context_manager import ContextManager, Tail
from .limits import Level, pressure
from .projection import Projection
from .summary import pinned_of

Summarise = Callable[[list[dict[str, Any]]], Awaitable[str]]


class CompactionRecord(Protocol):
    """Where a compaction is kept; see RunRecorder."""

    def compaction(self, projection: Projection, kind: str) -> None:
        """What a model sees of the conversation from now on."""
        ...


class ContextRoom:
    """Room for one run. ``calibration`` belongs to the model and outlives the run."""

    def __init__(
        self,
        context: ContextManager,
        events: Events,
        record: CompactionRecord,
        calibration: Calibration | None = None,
    ) -> None:
        self._context = context
        self._events = events
        self._record = record
        self._calibration = calibration or Calibration()
        self._compactor = Compactor(context.limits, self._messages)
        self.pressure: Level = "ok"

    async def make_room(
        self, tools: Sequence[dict[str, Any]], tail: Tail, summarise: Summarise, *, force: bool = False
    ) -> Compaction:
        """Compact where the budget asks for it, or because a provider refused the request (``force``); what came of it."""
        context = self._context
        fixed = self._calibration.corrected(tools_tokens(tools)) + self._messages(context.fixed_messages(tail))
        made = await self._compactor.make_room(
            context.history,
            context.projection,
            fixed,
            summarise=summarise,
            keep=pinned_of(context.history),
            force=force,
        )
        self.pressure = pressure(made.after, context.limits)
        if made.projection != context.projection:
            context.projection = made.projection
            context.prefix_events.append("compaction")
            self._record.compaction(made.projection, made.kind)
        if made.kind != "none" and made.reason != "paused":
            self._tell(made)
        return made

    def learn(self, request: ProviderRequest, usage: Usage) -> int:
        """Take what a call really read; returns the tokens of its context."""
        estimated = request_tokens(request.messages, request.tools)
        if usage.source == "provider":
            self._calibration.learn(estimated, usage.input_tokens)
            return usage.input_tokens
        return self._calibration.corrected(estimated)

    def _messages(self, messages: Sequence[dict[str, Any]]) -> int:
        return self._calibration.corrected(messages_tokens(messages))

    def _tell(self, made: Compaction) -> None:
        self._events.emit(
            "compaction", kind=made.kind, before=made.before, after=made.after, reason=made.reason, floor=made.floor
        )
