"""A person asks to make the conversation smaller now: its beginning becomes a summary, as a full context would make it.

The history and the record keep everything; only what later requests hold is another. Where the model cannot write the summary
nothing is changed: a person who asks for a summary does not want the list of steps that stands in for one in an emergency.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from .context.compaction import Compaction, Compactor
from .context.limits import ContextLimits
from .context.summary import pinned_of
from .events import QuietEvents
from .llm.tokens import Calibration, estimate_tokens, message_tokens
from .llm.types import LLMResponse, ModelClient, ModelError, ProviderRequest, Usage
from .llm.words import in_language
from .loop.provider_turn import ModelTimeUp, ProviderTurnCaller
from .loop.spending import Spending
from .loop.state import RunnerState
from .records.sessions import Session

SUMMARY_TOKENS = 1200
SUMMARY_S = 90.0
LEAST_TOKENS = 1500
"""A shorter conversation is not worth a call of the model."""
TARGET, MOST, AT = 0.35, 0.5, 0.9
"""Shares of the conversation as it is: what is aimed at, what is good enough, and from where on there is something to do."""
KEEP_RECENT = 4
Answer = dict[str, Any]


class CompactNow:
    """Compacts one session. ``limits`` are those of its model, ``calibration`` too."""

    def __init__(
        self,
        session: Session,
        client: ModelClient,
        limits: ContextLimits,
        calibration: Calibration,
        spending: Spending,
        language: str,
    ) -> None:
        self._session = session
        self._client = client
        self._limits = limits
        self._calibration = calibration
        self._spending = spending
        self._state = RunnerState(f"compact-{secrets.token_hex(6)}", "", language)
        self._usage: Usage | None = None
        self._why = ""

    async def run(self) -> Answer:
        """See ``session/compact`` in bridge/messages.py. The session is this process's own."""
        session, before = self._session, self._size()
        if self._client.kind == "offline":
            return self._answer("offline", before, before)
        if before < LEAST_TOKENS:
            return self._answer("short", before, before)
        compactor = Compactor(asked_for(self._limits, before), self._estimate)
        made = await compactor.make_room(
            session.messages, session.projection, 0, summarise=self._summarise, keep=pinned_of(session.messages)
        )
        if self._usage is not None:
            self._record_usage(self._usage)
        if made.kind == "fallback" or (self._why and made.kind != "pruned"):
            return self._answer("model", before, before)
        if made.projection == session.projection or made.after >= before:
            return self._answer("short", before, before)
        self._take(made)
        return {**self._answer("", before, made.after), "kind": "pruned" if made.kind == "pruned" else "summarised"}

    # inside

    def _size(self) -> int:
        return Compactor(self._limits, self._estimate).size(self._session.messages, self._session.projection, 0)

    def _estimate(self, messages: list[dict[str, Any]]) -> int:
        return self._calibration.corrected(sum(message_tokens(each) for each in messages))

    async def _summarise(self, messages: list[dict[str, Any]]) -> str:
        request = ProviderRequest(messages=messages, tools=[], max_output_tokens=SUMMARY_TOKENS)
        try:
            response = await ProviderTurnCaller(self._client, QuietEvents()).call(request, self._state, SUMMARY_S)
        except ModelTimeUp as error:
            self._why = "timeout"
            raise ModelError("timeout", "The model took too long.") from error
        except ModelError as error:
            if error.kind != "context_overflow":  # then a shorter request follows
                self._why = in_language(error.message, self._state.language)
            raise
        self._usage = usage_of(request, response)
        return response.content

    def _take(self, made: Compaction) -> None:
        self._session.projection = made.projection
        new = made.projection
        self._session.write(
            "compaction",
            run_id=self._state.run_id,
            kind=made.kind,
            asked=True,
            summary=new.summary,
            cut=new.cut,
            pruned=sorted(new.pruned),
            level=new.level,
            seen=new.seen,
        )

    def _record_usage(self, usage: Usage) -> None:
        self._spending.add(usage, self._client, self._state)
        self._session.costs.merge(self._state.costs)
        self._session.write("event", run_id=self._state.run_id, event={"type": "usage", **self._usage_fields(usage)})

    def _usage_fields(self, usage: Usage) -> dict[str, Any]:
        return {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "source": usage.source,
            "cost": self._spending.text(usage, self._client),
        }

    def _answer(self, reason: str, before: int, after: int) -> Answer:
        usage = self._usage_fields(self._usage) if self._usage is not None else None
        told = {"message": self._why} if reason == "model" and self._why != "timeout" else {}
        return {"done": not reason, "reason": reason, "before": before, "after": after, "usage": usage, **told}


def asked_for(limits: ContextLimits, tokens: int) -> ContextLimits:
    """The model's limits, moved so that a conversation of so many tokens is over them: what fits stays what fits."""
    share = tokens / limits.usable
    return replace(
        limits,
        compact_at=AT * share,
        target=TARGET * share,
        target_most=MOST * share,
        prune_protect=min(limits.prune_protect, tokens // 5),
        prune_minimum=min(limits.prune_minimum, tokens // 10),
        keep_recent=min(limits.keep_recent, KEEP_RECENT),
    )


def usage_of(request: ProviderRequest, response: LLMResponse) -> Usage:
    """What the call took; estimated where its provider does not say."""
    if response.usage.source != "none":
        return response.usage
    read = sum(message_tokens(each) for each in request.messages)
    return Usage(read, estimate_tokens(response.content), 0, "estimated")
