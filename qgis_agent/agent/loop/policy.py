"""LoopPolicy: the hard ceilings of a run.

Exactly ``model_calls`` ordinary turns make exactly that many model calls. When the next one would be one too many, the run
gets one extra turn without tools to say what is done, what not and how to continue, and ends as budget_exceeded.
"""

from __future__ import annotations

from ..governance.profile import Budget
from .state import RunnerState

MAX_CONTINUATIONS = 2
MAX_CUT_CALL_TURNS = 3
FINAL_TURN_S = 30.0
"""Time of the extra turn at the ceiling; after it the program itself says what was done."""


class LoopPolicy:
    """Compares the counters of a run with its budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def before_turn(self, state: RunnerState) -> str | None:
        """The ceiling that forbids another ordinary turn, or None."""
        if state.exceeded:
            return state.exceeded
        if state.model_calls >= self.budget.model_calls:
            return "model_calls"
        if state.tokens >= self.budget.tokens:
            return "tokens"
        if state.model_ms >= self.budget.model_s * 1000:
            return "model_time"
        if state.tool_counted_ms >= self.budget.tool_s * 1000:
            return "tool_time"
        return None

    def before_call(self, state: RunnerState) -> str | None:
        """The ceiling that forbids another tool call, or None. Asked before each single call of a batch."""
        if state.tool_calls >= self.budget.tool_calls:
            return "tool_calls"
        if state.tool_counted_ms >= self.budget.tool_s * 1000:
            return "tool_time"
        return None

    def model_seconds_left(self, state: RunnerState) -> float:
        """How long an ordinary model call may still take."""
        return max(0.0, self.budget.model_s - state.model_ms / 1000)
