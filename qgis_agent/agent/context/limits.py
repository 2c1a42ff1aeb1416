"""How much a request may hold: the budget, the levels of pressure, and what each level allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

Level = Literal["ok", "warm", "hot", "overflow"]
LEVELS: tuple[Level, ...] = ("ok", "warm", "hot", "overflow")

INPUT_BUDGET = 100_000
OUTPUT_RESERVE = 4096
SMALLEST_WINDOW = 2048
"""A window smaller than this is taken for a mistake of its statement."""


@dataclass(frozen=True)
class LevelLimits:
    """What a request may hold at one level of pressure.

    ``tool_result_chars``: of one older result that is shown raw; ``raw_results``: how many of the newest are never pruned;
    ``code_chars``: of one text in the arguments of an older call.
    """

    tool_result_chars: int
    raw_results: int
    code_chars: int


TABLE: Mapping[Level, LevelLimits] = MappingProxyType(
    {
        "ok": LevelLimits(tool_result_chars=4096, raw_results=30, code_chars=8000),
        "warm": LevelLimits(tool_result_chars=4096, raw_results=16, code_chars=4000),
        "hot": LevelLimits(tool_result_chars=2048, raw_results=8, code_chars=2000),
        "overflow": LevelLimits(tool_result_chars=1024, raw_results=4, code_chars=800),
    }
)
"""4,096 is what any result is bound to (design section 4), so the lowest levels cut nothing. 8 raw results: C-20."""


@dataclass(frozen=True)
class ContextLimits:
    """The numbers of one model's context. Tokens, unless a name says otherwise; shares are of ``usable``.

    Sources: harness.md section 7, requirements O-125, O-127, O-151 to O-153.
    """

    input_budget: int = INPUT_BUDGET
    output_reserve: int = OUTPUT_RESERVE
    warm: float = 0.55
    hot: float = 0.75
    overflow: float = 0.92
    compact_at: float = 0.8
    target: float = 0.6
    target_most: float = 0.7
    """A compaction that ends above this share of the budget goes on to its next means."""
    minimum_progress: float = 0.1
    tool_share: float = 0.6
    """Trigger B: tool results are over this share of the live context (summary and projected history)."""
    keep_recent: int = 8
    """Messages at the end that a summary leaves as they are."""
    prune_protect: int = 40_000
    prune_minimum: int = 20_000
    user_tokens: int = 20_000
    summary_chars: int = 8_000
    protected_tools: frozenset[str] = frozenset({"ask_user", "load_skill"})
    """Results that are never pruned: what the person answered, and instructions that the work still follows."""

    @property
    def usable(self) -> int:
        """Tokens that a request may have: the budget without the reserve for the answer."""
        return max(1, self.input_budget - self.output_reserve)

    def at(self, share: float) -> int:
        """Tokens at a share of what is usable."""
        return int(self.usable * share)

    @classmethod
    def for_window(cls, window: int | None, budget: int = INPUT_BUDGET, reserve: int = OUTPUT_RESERVE) -> ContextLimits:
        """Limits for a model with a context window of so many tokens (None: unknown), and the person's own budget.

        A long window is no reason to send more than the budget (M-145); in a short one everything shrinks with it.
        """
        whole = min(budget, window) if window is not None and window >= SMALLEST_WINDOW else budget
        kept = min(reserve, whole // 4)
        scale = min(1.0, (whole - kept) / (INPUT_BUDGET - OUTPUT_RESERVE))
        plain = cls(input_budget=whole, output_reserve=kept)
        return replace(
            plain,
            prune_protect=int(plain.prune_protect * scale),
            prune_minimum=int(plain.prune_minimum * scale),
            user_tokens=int(plain.user_tokens * scale),
            summary_chars=max(1200, int(plain.summary_chars * scale)),
        )


def pressure(tokens: int, limits: ContextLimits) -> Level:
    """The level of a request of so many tokens."""
    share = tokens / limits.usable
    if share >= limits.overflow:
        return "overflow"
    if share >= limits.hot:
        return "hot"
    return "warm" if share >= limits.warm else "ok"


def higher(one: Level, other: Level) -> Level:
    """The one of two levels with more pressure."""
    return max(one, other, key=LEVELS.index)
