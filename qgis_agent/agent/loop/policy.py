"""LoopPolicy: the hard ceilings of a run, checked at three points (before a turn, after the model, before each tool).

Exactly ``model_calls`` ordinary turns make exactly that many model calls. When the next one would be one too many, the run
gets one extra turn without tools to say what is done, what not and how to continue, and ends as budget_exceeded: at the
ceiling a run has made ``model_calls`` + 1 model calls, the last of which could not act. Times and tokens are known only
afterwards: they are compared before the next step, so that a run goes over by what its last step took.
"""

from __future__ import annotations

from collections.abc import Collection

from ..governance.profile import Budget
from .state import RunnerState

MAX_CONTINUATIONS = 2
MAX_CUT_CALL_TURNS = 3
FINAL_TURN_S = 30.0
"""Time of the extra turn at the ceiling; after it the program itself says what was done."""


class LoopPolicy:
    """Compares the counters of a run with its budget.

    ``code_tools`` are the names of the tools of the pack "code", which have a ceiling of their own. What one request may cost is
    known after a call, as tokens are; what a model may cost altogether is checked before one, by its role (``OverBudget``).
    """

    def __init__(self, budget: Budget, *, code_tools: Collection[str] = ()) -> None:
        self.budget = budget
        self._code_tools = frozenset(code_tools)

    def before_turn(self, state: RunnerState) -> str | None:
        """The ceiling that leaves no room for another ordinary turn, or None. Also the check before the first call.

        Ceilings of calls do not end a run here: a model that has made its last call may still answer.
        """
        if state.exceeded:
            return state.exceeded
        if state.model_calls >= self.budget.model_calls:
            return "model_calls"
        if state.tokens >= self.budget.tokens:
            return "tokens"
        if state.over_cost:
            return "cost"
        if state.model_ms >= self.budget.model_s * 1000:
            return "model_time"
        if state.tool_calls > 0 and self._tool_time_is_up(state):  # without tool time a run may still answer
            return "tool_time"
        return None

    def after_model(self, state: RunnerState) -> str | None:
        """The ceiling that an answer went over, or None: its calls are then not run. Exactly at a ceiling they still are."""
        if state.tokens > self.budget.tokens:
            return "tokens"
        if state.over_cost:
            return "cost"
        return "model_time" if state.model_ms > self.budget.model_s * 1000 else None

    def before_call(self, state: RunnerState, tool: str = "") -> str | None:
        """The ceiling that forbids this tool call, or None. Asked before each single call of a batch."""
        if state.tool_calls >= self.budget.tool_calls:
            return "tool_calls"
        code_calls: int = getattr(state, "code_calls", 0)
        if tool in self._code_tools:
            if code_calls >= self.budget.code_calls:
                return "code_calls"
        elif state.tool_calls - code_calls >= self.budget.plain_calls:
            return "plain_calls"
        return "tool_time" if self._tool_time_is_up(state) else None

    def model_seconds_left(self, state: RunnerState) -> float:
        """How long an ordinary model call may still take."""
        return max(0.0, self.budget.model_s - state.model_ms / 1000)

    def _tool_time_is_up(self, state: RunnerState) -> bool:
        return state.tool_counted_ms >= self.budget.tool_s * 1000
