"""Making room: prune old tool results first, in one batch, summarise the beginning second, and say when neither helps.

The history list is never touched; a compaction makes a new ``Projection`` of it. It runs before a request, when the budget asks
for it (A), when tool results drown the conversation (B), or after a provider refused a request as too long (``force``).
Whatever it does rewrites what was sent before, so it does it seldom and in one go: each time is a logged change of the prefix.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..llm.tokens import with_margin
from ..llm.types import ModelError
from .limits import TABLE, ContextLimits, Level, higher, pressure
from .projection import Projection, boundaries, project, safe_cut, tool_names
from .summary import LADDER, Pinned, fallback_summary, not_found, shortened, summary_request, with_pinned

__all__ = ["Compaction", "CompactionKind", "Compactor", "Pinned"]

Message = dict[str, Any]
Estimate = Callable[[list[Message]], int]
Summarise = Callable[[list[Message]], Awaitable[str]]
CompactionKind = Literal["none", "pruned", "summarised", "fallback", "stuck"]


@dataclass(frozen=True)
class Compaction:
    """What came of it. ``before`` and ``after`` are tokens of the whole request, summary and fixed part included.

    Kinds: "none" (there was no need, or nothing that would be worth it), "pruned", "summarised", "fallback" (the model could not
    summarise, the program did), "stuck" (under 10 % freed, or still over: no automatic compaction until something changes).
    ``reason`` is what asked for it (budget, pressure, tool_share, overflow), for "stuck" why: no_progress, still_over, floor, paused.
    ``floor`` is the part that no compaction can free: prompt, tools and tail. ``fits``: the request can be sent all the same, with
    the margin of the estimate. ``dropped``: constraints of the person that are kept no longer.
    """

    projection: Projection
    before: int
    after: int
    kind: CompactionKind
    reason: str
    floor: int = 0
    fits: bool = True
    summary_calls: int = 0
    dropped: int = 0


@dataclass(frozen=True)
class _Room:
    """One request for room: everything the steps need to know."""

    history: Sequence[Message]
    projection: Projection
    fixed: int
    keep: Pinned
    before: int
    trigger: str
    level: Level
    last: int
    """Where the last turns begin."""


@dataclass(frozen=True)
class _Stuck:
    fixed: int
    tokens: int
    limits: ContextLimits


class Compactor:
    """Makes room for one conversation. ``estimate`` counts messages, calibrated for the model; ``limits`` may be exchanged."""

    def __init__(self, limits: ContextLimits, estimate: Estimate) -> None:
        self.limits = limits
        self._estimate = estimate
        self._stuck: _Stuck | None = None

    def size(self, history: Sequence[Message], projection: Projection, fixed_tokens: int) -> int:
        """Tokens of a request: the fixed part, the summary, the projected history."""
        return fixed_tokens + self._summary_size(projection) + self._estimate(project(history, projection, self.limits))

    async def make_room(
        self,
        history: Sequence[Message],
        projection: Projection,
        fixed_tokens: int,
        *,
        summarise: Summarise,
        keep: Pinned | Callable[[], Pinned],
        force: bool = False,
    ) -> Compaction:
        """Make room where there is need. ``fixed_tokens``: prompt, tools and tail, without the summary.

        ``summarise`` raises ModelError where it cannot; anything else that it raises passes through. ``force``: a provider
        refused the request as too long.
        """
        live = project(history, projection, self.limits)
        whole = self._summary_size(projection) + self._estimate(live)
        before = fixed_tokens + whole
        trigger = "overflow" if force else self._trigger(live, whole, before)
        none = Compaction(projection, before, before, "none", trigger, fixed_tokens, self._fits(before))
        if not trigger:
            return none
        if self._is_paused(fixed_tokens, before, force):
            return replace(none, kind="stuck", reason="paused")
        if not self._fits(fixed_tokens):
            return self._stop(replace(none, kind="stuck", reason="floor", fits=False))
        level = higher(pressure(before, self.limits), "overflow" if force else "ok")
        pinned = keep() if callable(keep) else keep  # looked for only when room is needed
        room = _Room(
            history, projection, fixed_tokens, pinned, before, trigger, level, _start_of_turns(history, pinned.turns)
        )
        pruned = self._prune(room)
        if trigger in ("pressure", "tool_share"):
            return self._judged(room, pruned, "pruned", 0) if self._is_worth(room, pruned) else none
        if pruned != projection and self._is_enough(room, pruned):
            return self._judged(room, pruned, "pruned", 0)
        return await self._summarised(room, pruned, summarise)

    def _fits(self, tokens: int) -> bool:
        """Whether a request of about so many tokens is within the model's window and the person's budget (T17: margin 10 %)."""
        return with_margin(tokens) <= self.limits.usable

    def _summary_size(self, projection: Projection) -> int:
        if not projection.summary:
            return 0
        return self._estimate([{"role": "user", "content": projection.summary}])

    # whether

    def _trigger(self, live: list[Message], whole: int, before: int) -> str:
        """What asks for room: "budget" (A), "pressure" (hot: prune only), "tool_share" (B, prune only), or "" for nothing.

        B: the results in the live context (summary and projected history, not the fixed part) are more than 60 % of it, and
        more than pruning leaves alone anyway.
        """
        if before > self.limits.at(self.limits.compact_at):
            return "budget"
        if pressure(before, self.limits) in ("hot", "overflow"):
            return "pressure"
        if whole <= self.limits.prune_protect:
            return ""
        results = self._estimate([each for each in live if each.get("role") == "tool"])
        drowned = results > self.limits.tool_share * whole and results > self.limits.prune_protect
        return "tool_share" if drowned else ""

    def _is_paused(self, fixed: int, before: int, force: bool) -> bool:
        """Whether the last try came to nothing and nothing has changed since.

        A change is: other limits, a smaller fixed part, or as much new history as a compaction has to free at least. A refusal by
        the provider counts once: the next one with the same request finds this paused.
        """
        stuck = self._stuck
        if stuck is None:
            return False
        least = self.limits.at(self.limits.minimum_progress)
        no_floor = (self._fits(fixed) and not self._fits(stuck.fixed)) or stuck.fixed - fixed >= least
        grown = before - stuck.tokens >= least and self._fits(fixed)
        if stuck.limits != self.limits or no_floor or grown:
            self._stuck = None
            return False
        return not force or before <= stuck.tokens or not self._fits(fixed)

    # pruning

    def _prune(self, room: _Room, hard: bool = False) -> Projection:
        """All results as skeletons but the newest, those of recent messages, and those of protected tools.

        ``hard``: recent messages are only the last turns, and even of these long results are clipped.
        """
        history, limits = room.history, self.limits
        allowed = TABLE[room.level]
        names = tool_names(history)
        recent = room.last if hard else min(room.last, max(0, len(history) - limits.keep_recent))
        left_tokens, left_results = limits.prune_protect, allowed.raw_results
        pruned = set(room.projection.pruned)
        for at in range(len(history) - 1, safe_cut(history, room.projection.cut) - 1, -1):
            message = history[at]
            ident = str(message.get("tool_call_id"))
            if message.get("role") != "tool" or ident in pruned or names.get(ident) in limits.protected_tools:
                continue
            left_tokens -= self._estimate([message])
            left_results -= 1
            if at < recent and (left_tokens < 0 or left_results < 0):
                pruned.add(ident)
        level = higher(room.projection.level, room.level)
        seen = len(history) if hard else max(room.projection.seen, recent)
        return replace(room.projection, pruned=frozenset(pruned), level=level, seen=seen)

    def _is_worth(self, room: _Room, pruned: Projection) -> bool:
        """Whether pruning alone frees what a broken prefix costs."""
        freed = room.before - self.size(room.history, pruned, room.fixed)
        return pruned.pruned != room.projection.pruned and freed >= self.limits.prune_minimum

    def _is_enough(self, room: _Room, pruned: Projection) -> bool:
        after = self.size(room.history, pruned, room.fixed)
        freed = room.before - after
        return after <= self.limits.at(self.limits.target_most) and freed >= self._least(room.before)

    # summarising

    async def _summarised(self, room: _Room, pruned: Projection, summarise: Summarise) -> Compaction:
        cut = self._cut(room, pruned, self.limits.keep_recent)
        if cut is None:  # not even without anything but the recent messages: these must become smaller, too
            pruned = self._prune(room, hard=True)
            if self._is_enough(room, pruned):
                return self._judged(room, pruned, "pruned", 0)
            cut = self._cut(room, pruned, 0) or max(each for each in boundaries(room.history) if each <= room.last)
        start = safe_cut(room.history, room.projection.cut)
        if cut <= start:
            return self._judged(room, pruned, "pruned", 0)  # nothing is left that could be summarised
        old = room.history[start:cut]
        text, calls = await self._written(old, room.projection.summary, summarise)
        kind: CompactionKind = "summarised"
        if not text:
            kind = "fallback"
            text = fallback_summary(old, room.projection.summary, self.limits.summary_chars)
        return self._judged(room, replace(pruned, summary=text, cut=cut), kind, calls)

    def _cut(self, room: _Room, pruned: Projection, recent: int) -> int | None:
        """Where the summary ends: the first boundary from which on the target is reached; else the last allowed one.

        Not within the last turns, and not within the last ``recent`` messages. None where even with the last one the request is
        over the threshold or too little is freed.
        """
        limits = self.limits
        last = min(room.last, len(room.history) - recent)
        places = [each for each in boundaries(room.history) if each <= last] or [0]
        pins = self._estimate([{"role": "user", "content": text} for _, text in room.keep.items()])
        allowance = limits.summary_chars // 2 + pins  # two characters a token: Chinese has fewer, English more
        goal = limits.at(limits.target) - room.fixed - allowance
        if room.trigger == "overflow":  # the provider counts more than we do: half, whatever the estimate says
            goal = min(goal, self._shown(room, pruned, pruned.cut) // 2)
        first = self._first(places, room, pruned, goal)
        if first is not None:
            return first
        most = min(limits.at(limits.compact_at), room.before - self._least(room.before)) - room.fixed - allowance
        return places[-1] if self._shown(room, pruned, places[-1]) <= most else None

    def _first(self, places: Sequence[int], room: _Room, pruned: Projection, goal: int) -> int | None:
        """The first of ascending places behind the present cut from which on at most ``goal`` tokens are shown."""
        new = [each for each in places if each > pruned.cut]
        at = bisect_left(new, True, key=lambda cut: self._shown(room, pruned, cut) <= goal)
        return new[at] if at < len(new) else None

    def _shown(self, room: _Room, pruned: Projection, cut: int) -> int:
        return self._estimate(project(room.history, replace(pruned, cut=cut), self.limits))

    async def _written(self, old: Sequence[Message], previous: str, summarise: Summarise) -> tuple[str, int]:
        """The model's summary ("" where there is none), and how often the model was asked.

        A call that is too long is made shorter along the ladder, before it is sent where the estimate says so, else after the
        provider did.
        """
        calls = 0
        request: list[Message] = []
        for share in LADDER:
            before, request = request, summary_request(old, previous, leave_out=share)
            if request == before or not self._fits(self._estimate(request)):
                continue
            calls += 1
            try:
                text = await summarise(request)
            except ModelError as error:
                if error.kind == "context_overflow":
                    continue
                return "", calls
            return shortened(text, self.limits.summary_chars), calls
        return "", calls

    # judging

    def _least(self, before: int) -> int:
        return int(before * self.limits.minimum_progress)

    def _judged(self, room: _Room, new: Projection, kind: CompactionKind, calls: int) -> Compaction:
        """The outcome, with what is pinned in it and its progress checked.

        A projection that frees nothing is not taken: it would only cost the prefix.
        """
        shown = project(room.history, new, self.limits)
        new = replace(new, summary=with_pinned(new.summary, shown, room.keep))
        after = self.size(room.history, new, room.fixed)
        taken = new if after < room.before else room.projection
        after = min(after, room.before)
        dropped = len(not_found(room.keep.dropped, new.summary, shown)) if taken is new else 0
        outcome = Compaction(
            taken, room.before, after, kind, room.trigger, room.fixed, self._fits(after), calls, dropped
        )
        if room.before - after < self._least(room.before):
            return self._stop(replace(outcome, kind="stuck", reason="no_progress"))
        if after > self.limits.at(self.limits.compact_at):
            return self._stop(replace(outcome, kind="stuck", reason="still_over"))
        self._stuck = None
        return outcome

    def _stop(self, outcome: Compaction) -> Compaction:
        self._stuck = _Stuck(outcome.floor, outcome.after, self.limits)
        return outcome


def _start_of_turns(history: Sequence[Message], turns: int) -> int:
    """Where the last ``turns`` model turns begin; 0 where there are no more."""
    starts = [at for at, each in enumerate(history) if each.get("role") == "assistant"]
    if turns <= 0:
        return len(history)
    return starts[-turns] if len(starts) >= turns else 0
