"""ContextRoom: keeps the requests of one run within the model's budget, and knows how full they are.

It counts by the estimate, calibrated with what the provider reported, asks the compactor before each request, and writes what
came of it into the events and the record: a compaction is the one change of the prefix that the program makes by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from ..events import Events
from ..llm.tokens import REQUEST_OVERHEAD, Calibration, estimate_tokens, message_tokens, tools_tokens
from ..llm.types import LLMResponse, ProviderRequest, Usage
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
        self._counts: dict[int, tuple[Any, int]] = {}
        self._compactor = Compactor(context.limits, self._messages)
        self.pressure: Level = "ok"

    async def make_room(
        self, tools: Sequence[dict[str, Any]], tail: Tail, summarise: Summarise, *, force: bool = False
    ) -> Compaction:
        """Compact where the budget asks for it, or because a provider refused the request (``force``); what came of it."""
        context = self._context
        fixed = self._calibration.corrected(self._tools(tools)) + self._messages(context.fixed_messages(tail))
        made = await self._compactor.make_room(
            context.history,
            context.projection,
            fixed,
            summarise=summarise,
            keep=lambda: pinned_of(context.history),
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

    def estimated_usage(self, request: ProviderRequest, response: LLMResponse) -> Usage:
        """The usage of a model call whose provider does not report it."""
        calls = [[each.name, each.arguments] for each in response.tool_calls]
        return Usage(
            input_tokens=self._request(request),
            output_tokens=estimate_tokens(response.content, response.reasoning, calls),
            source="estimated",
        )

    def learn(self, request: ProviderRequest, usage: Usage) -> int:
        """Take what a call really read; returns the tokens of its context."""
        estimated = self._request(request)
        if usage.source == "provider":
            self._calibration.learn(estimated, usage.input_tokens)
            return usage.input_tokens
        return self._calibration.corrected(estimated)

    def _messages(self, messages: Sequence[dict[str, Any]]) -> int:
        return self._calibration.corrected(self._raw(messages))

    def _request(self, request: ProviderRequest) -> int:
        return REQUEST_OVERHEAD + self._raw(request.messages) + self._tools(request.tools)

    def _raw(self, messages: Sequence[dict[str, Any]]) -> int:
        return self._counted(messages, message_tokens)

    def _tools(self, tools: Sequence[dict[str, Any]]) -> int:
        return self._counted(tools, _tool_tokens)

    def _counted(self, parts: Sequence[dict[str, Any]], count: Callable[[dict[str, Any]], int]) -> int:
        """The tokens of messages or tools. A history only grows, and its messages do not change: each is counted once."""
        counts, total = self._counts, 0
        for part in parts:
            known = counts.get(id(part))
            if known is None or known[0] is not part:
                known = counts[id(part)] = (part, count(part))
            total += known[1]
        return total

    def _tell(self, made: Compaction) -> None:
        self._events.emit(
            "compaction", kind=made.kind, before=made.before, after=made.after, reason=made.reason, floor=made.floor
        )


def _tool_tokens(tool: dict[str, Any]) -> int:
    return tools_tokens([tool])
