"""Patterns over the settled calls of a run: loops, repeated failures, alternation, churn of the map. Counts and reasons are here.

A step's signature is the tool, its canonical arguments and a hash of its result without what differs from call to call. Each
pattern is said to the model once for a streak, with one last warning a step later, and ends the run at its count with a reason
of its own. Reading on (fetch_result with a growing cursor) differs by its arguments; a tool that is declared to poll is exempt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...bridge.envelope import encode
from .guards import Signed, canonical_value, signature

NUDGE_AT = 3
HALT_AT = 5
ALTERNATION = 6
MONOLOGUE = 3
CHURN_WINDOW = 8
CHURN_EACH = 2
CHURN_HITS = 3
MAX_DENIALS = 3
MAX_DEVIATIONS = 4
"""Corrections of any kind in a run, at most one of a kind a turn; the fourth ends it."""

LOOP = "loop"
REPEATED_FAILURE = "repeated_failure"
ALTERNATES = "alternation"
MAP_CHURN = "map_churn"
MONOLOGUE_END = "monologue"
DEVIATION = "deviation"
DENIED = "denials"
WORKER_RUNNING = "worker_running_verified"
ANALYSIS_READY = "analysis_answer_ready"
"""Why a run was ended; the words for each are in ``texts.py``."""

POLLING_TOOLS: frozenset[str] = frozenset({"worker_status", "get_worker_status", "wait_for_worker"})
"""Tools that declare that the same call is made until its answer changes."""
VOLATILE = frozenset({"result_ref", "confirm_token", "rule_id", "ms", "trace_id", "call_id", "expires_at"})
"""Keys of a result that differ from call to call and say nothing of the outcome."""
ADD_TOOLS = frozenset(
    {"add_vector_layer", "add_raster_layer", "add_table_layer", "add_temp_layer", "add_service_layer", "add_layer"}
)
REMOVE_TOOLS = frozenset({"prepare_remove_layer", "remove_layer", "clear_temp_layers"})

Action = Literal["nudge", "warn", "force_final", "halt"]


@dataclass(frozen=True)
class Seen:
    """A settled call as the patterns see it; ``code`` is "" for a success."""

    tool: str
    call: str
    result: str
    code: str
    churn: tuple[str, str] = ("", "")
    """What it did to the layers: ("layers", "add" or "remove"), or (a layer, "show" or "hide")."""


@dataclass(frozen=True)
class Finding:
    """A pattern that a step completed. ``nudge`` is new; ``warn`` repeats it, louder; the others end the run."""

    reason: str
    action: Action
    count: int


def seen(tool: str, arguments: Signed, envelope: Mapping[str, Any]) -> Seen:
    """The step of a settled call."""
    code = "" if envelope.get("ok") else str(envelope.get("code"))
    churn = ("", "") if code or isinstance(arguments, str) else _churn_of(tool, arguments)
    return Seen(tool, signature(tool, arguments), result_hash(envelope), code, churn)


def result_hash(envelope: Mapping[str, Any]) -> str:
    """A hash of a result without its volatile keys."""
    stable = encode(canonical_value(_stable(envelope)))
    return hashlib.sha256(stable.encode("utf-8", "replace")).hexdigest()


class PatternWatch:
    """The steps of one run. ``polling`` are the tools that may be called over and over."""

    def __init__(self, polling: Collection[str] = POLLING_TOOLS) -> None:
        self._polling = frozenset(polling)
        self._steps: list[Seen] = []
        self._churn_hits = 0

    def step(self, step: Seen) -> Finding | None:
        """Take one step; the strongest pattern that it completes."""
        self._steps.append(step)
        if step.tool in self._polling:
            return None
        found = [
            each for each in (self._loop(step), self._failure(step), self._churn(step), self._alternation()) if each
        ]
        order: tuple[Action, ...] = ("halt", "force_final", "nudge", "warn")
        return min(found, key=lambda each: order.index(each.action), default=None)

    def _loop(self, step: Seen) -> Finding | None:
        """The same call with the same successful result."""
        if step.code:
            return None
        count = self._streak(lambda each: (each.call, each.result) == (step.call, step.result))
        if count >= HALT_AT:
            return Finding(LOOP, "halt", count)
        return _nudge(LOOP, count)

    def _failure(self, step: Seen) -> Finding | None:
        """The same tool with the same error, whatever the arguments."""
        if not step.code:
            return None
        count = self._streak(lambda each: (each.tool, each.code) == (step.tool, step.code))
        if count >= HALT_AT:
            return Finding(REPEATED_FAILURE, "force_final", count)
        return _nudge(REPEATED_FAILURE, count)

    def _streak(self, same: Callable[[Seen], bool]) -> int:
        count = 0
        for each in reversed(self._steps):
            if not same(each):
                break
            count += 1
        return count

    def _alternation(self) -> Finding | None:
        recent = [(each.call, each.result) for each in self._steps[-ALTERNATION:]]
        if any(each.tool in self._polling for each in self._steps[-ALTERNATION:]):
            return None
        two = len(recent) == ALTERNATION and len(set(recent)) == 2
        if two and all(first != second for first, second in zip(recent, recent[1:])):
            return Finding(ALTERNATES, "force_final", ALTERNATION)
        return None

    def _churn(self, step: Seen) -> Finding | None:
        """Adding and removing layers, or showing and hiding one, each at least twice in the last steps."""
        about, _kind = step.churn
        if not about:
            return None
        kinds = [each.churn[1] for each in self._steps[-CHURN_WINDOW:] if each.churn[0] == about]
        if len(set(kinds)) < 2 or min(kinds.count(each) for each in set(kinds)) < CHURN_EACH:
            return None
        self._churn_hits += 1
        if self._churn_hits >= CHURN_HITS:
            return Finding(MAP_CHURN, "force_final", self._churn_hits)
        return Finding(MAP_CHURN, "nudge" if self._churn_hits == 1 else "warn", self._churn_hits)


def correction_for(finding: Finding, tool: str, learned: str) -> str:
    """The words of a nudge or a warning. ``learned`` is the line on the tool's last failure."""
    last = " This is the last warning: the run is ended otherwise." if finding.action == "warn" else ""
    if finding.reason == LOOP:
        text = f"{tool} was called {finding.count} times with the same arguments and the same result. Do something else or answer."
    elif finding.reason == REPEATED_FAILURE:
        text = (
            f"{tool} failed {finding.count} times in the same way. {learned} Do not retry it unchanged: follow the hint, or say "
            "what is not possible."
        )
    else:
        text = (
            "Layers are added and removed, or shown and hidden, over and over. Check whether this still serves the request; "
            "finish it, or answer with what is there."
        )
    return text + last


def _nudge(reason: str, count: int) -> Finding | None:
    if count < NUDGE_AT:
        return None
    return Finding(reason, "nudge" if count == NUDGE_AT else "warn", count)


def _churn_of(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    if tool in ADD_TOOLS:
        return ("layers", "add")
    if tool in REMOVE_TOOLS:
        return ("layers", "remove")
    if tool == "toggle_layer":
        return (f"layer {arguments.get('layer_id')}", "show" if arguments.get("visible") else "hide")
    return ("", "")


def _stable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _stable(each) for key, each in value.items() if key not in VOLATILE}
    return [_stable(each) for each in value] if isinstance(value, (list, tuple)) else value
