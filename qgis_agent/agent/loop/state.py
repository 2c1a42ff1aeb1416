"""RunnerState: what one run has spent and how it ended. One object, shared by loop, kernel, policy and report."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...bridge.envelope import Envelope
from ..llm.prices import CostTally
from ..llm.types import Usage

RUNNING = "running"


@dataclass
class RunnerState:
    """Counters and outcome of a run. Times in milliseconds, tokens as the provider counted them or estimated."""

    run_id: str
    text: str
    language: str = "en"
    request: str = ""
    """What the run is about: the person's words, or the earlier request that a short "continue" goes on with."""
    model_calls: int = 0
    model_attempts: int = 0
    tool_calls: int = 0
    code_calls: int = 0
    changes: int = 0
    """Calls that succeeded and were more than a read."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    costs: CostTally = field(default_factory=CostTally)
    cost_limit: Decimal | None = None
    """What the person lets one request cost, in the currency of the model's price; None: no limit."""
    usage_sources: set[str] = field(default_factory=set)
    model_ms: float = 0.0
    tool_ms: int = 0
    tool_counted_ms: int = 0
    exceeded: str = ""
    """The ceiling that was met in the middle of a turn."""
    continuations: int = 0
    cut_call_turns: int = 0
    unreadable_turns: int = 0
    compacted_for_overflow: bool = False
    """The one compaction that an overflow of the model's window gets was made."""
    partial: str = ""
    """Text of an answer that was cut off by length, so far."""
    termination: str = RUNNING
    reason: str = ""
    answer: str = ""
    question: dict[str, Any] | None = None
    error: Envelope | None = None
    answered_by: str = ""
    offline: bool = False
    """Whether the offline commands answer."""

    @property
    def tokens(self) -> int:
        """Input and output tokens of all model calls of the run."""
        return self.input_tokens + self.output_tokens

    @property
    def over_cost(self) -> bool:
        """Whether the request has cost its limit. Calls whose price nobody knows count nothing."""
        limit = self.cost_limit
        return limit is not None and any(each.amount >= limit for each in self.costs.sums.values())

    def add_usage(self, usage: Usage) -> None:
        """Count one model call's tokens."""
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens
        self.usage_sources.add(usage.source)

    def end(self, termination: str, reason: str = "", *, answer: str = "", error: Envelope | None = None) -> None:
        """The run has ended; the first end counts."""
        if self.termination == RUNNING:
            self.termination, self.reason, self.answer, self.error = termination, reason, answer, error

    def usage(self) -> dict[str, Any]:
        """The report's ``usage``. ``source`` is "estimated" as soon as one call was estimated."""
        source = next((each for each in ("estimated", "provider") if each in self.usage_sources), "none")
        return {
            "model_calls": self.model_calls,
            "tool_calls": self.tool_calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": self.costs.text(),
            "source": source,
            "model_ms": round(self.model_ms),
            "tool_ms": self.tool_ms,
        }
