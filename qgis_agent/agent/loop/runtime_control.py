"""RuntimeControl: soft governance of one run. Before a turn it says what the request is for, before a call it may block it, after
a call it answers with corrections or an end.

The parts are modules of their own: ``task_modes`` (what is asked), ``pending`` (what a short yes answers), ``guards`` (before),
``patterns`` (after), ``closing`` (ends without another model call). Corrections go into the dynamic tail, never into the history.
There is one control for each run, so a new message of the person resets everything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...bridge.envelope import AMBIGUOUS, CANCELLED, Envelope, encode
from ..execution.packs import infer_tool_packs_for_text
from ..execution.tool_runtime import PACK_HIDDEN
from ..llm.types import SettledCall, ToolCall
from . import closing
from .closing import AnalysisReadiness
from .guards import (
    CHANGING,
    DEFAULT_GUARDS,
    DENIALS,
    GUARD_BLOCKED,
    Guard,
    Outcome,
    RetryBudget,
    RunFacts,
    Signed,
    check_guards,
    repeat_blocked,
    signed,
)
from .patterns import (
    ANALYSIS_READY,
    DENIED,
    DEVIATION,
    HALT_AT,
    MAX_DENIALS,
    MAX_DEVIATIONS,
    MONOLOGUE,
    MONOLOGUE_END,
    NUDGE_AT,
    POLLING_TOOLS,
    WORKER_RUNNING,
    Finding,
    PatternWatch,
    correction_for,
    seen,
)
from .pending import Offer, resolve_pending
from .phrases import announces_only, misses_a_tool
from .recovery import BUSINESS, choices, classify, lesson
from .task_modes import Task, infer_task, objective, packs_of, task_of_intent

__all__ = ["GUARD_BLOCKED", "HALT_AT", "NUDGE_AT", "ControlDecision", "RuntimeControl"]
MAX_LESSONS = 4


@dataclass(frozen=True)
class ControlDecision:
    """What follows from a batch or a text. ``halt`` and ``force_final`` are reasons, empty for none.

    ``auto_final`` is a local answer that ends the run without another model call; ``go_on`` asks the model once more.
    """

    halt: str = ""
    force_final: str = ""
    tool: str = ""
    auto_final: str = ""
    go_on: bool = False


class RuntimeControl:
    """One for each run; its state only grows.

    ``effects`` and ``packs`` give the least effect and the pack of the tools by name, ``offer`` what came before the person's
    words, ``task`` the task where a router or a click knows it, ``names`` the layers' names by alias.
    """

    def __init__(
        self,
        text: str = "",
        language: str = "en",
        effects: Mapping[str, str] | None = None,
        offer: Offer | None = None,
        *,
        packs: Mapping[str, str] | None = None,
        task: Task | None = None,
        guards: Sequence[Guard] = DEFAULT_GUARDS,
        polling: Collection[str] = POLLING_TOOLS,
        names: Callable[[], Mapping[str, str]] = dict,
        readiness: AnalysisReadiness | None = None,
    ) -> None:
        self._text = text
        self._language = language
        self._names = names
        self._guards = tuple(guards)
        self._readiness = readiness or AnalysisReadiness()
        self.pending = resolve_pending(text, offer)
        packs = packs or {}
        self._task_is_given = task is not None
        self.task = task or self._infer(set(packs.values()))
        pending = self.pending
        self._facts = RunFacts(
            self.task, effects or {}, packs, pending.avoided if pending else (), pending.preferred if pending else ()
        )
        self._watch = PatternWatch(polling)
        self._budget = RetryBudget()
        self._denials = 0
        self._empty = 0
        self._misses = 0
        self._monologue = 0
        self._deviations = 0
        self._kinds_this_turn: set[str] = set()
        self._corrections: list[str] = []
        self._lessons: dict[str, str] = {}
        self._last_failure: Mapping[str, Any] | None = None
        self._analysis: list[str] = []
        self._said_ready = False
        self._looked_up: list[str] = []

    def _infer(self, available: Collection[str]) -> Task:
        if self.pending is None:
            return infer_task(self._text, available)
        if self.pending.request:
            return infer_task(self.pending.request, available)
        return Task("general", visual=True)

    def take_intent(self, intent: str) -> None:
        """What a router took the request for. A task that a click gave, or a short yes, is known better already."""
        if self._task_is_given or (self.pending is not None and not self.pending.request):
            return
        text = self.pending.request if self.pending is not None else self._text
        self.task = self._facts.task = task_of_intent(intent, text, set(self._facts.packs.values()))

    # before a turn

    @property
    def mode(self) -> str:
        """The task mode."""
        return self.task.mode

    @property
    def deviations(self) -> int:
        """How many corrections the run has needed."""
        return self._deviations

    def objective(self) -> list[str]:
        """What the mode, a pending offer and the failures so far add to the objective of every turn (D*)."""
        lines = list(self.pending.objective) if self.pending else []
        lines += objective(self.task)
        lessons = list(self._lessons.values())[-MAX_LESSONS:]
        return lines + [f"Learned in this run: {each}" for each in lessons]

    def required_packs(self) -> list[str]:
        """Packs without which the mode makes no sense, then those that a pending offer or request points to."""
        packs = list(packs_of(self.task))
        if self.pending is not None:
            offered = set(self._facts.packs.values())
            packs += infer_tool_packs_for_text(self.pending.request or self.pending.quote, offered)
        return list(dict.fromkeys(packs))

    def take_corrections(self) -> list[str]:
        """The corrections for the next turn's tail; each is said once."""
        corrections, self._corrections = self._corrections, []
        self._kinds_this_turn.clear()
        self._budget.end_batch()
        return corrections

    def correct(self, text: str) -> None:
        """Say something in the next turn's tail."""
        if text not in self._corrections:
            self._corrections.append(text)

    # before a call

    def check(self, call: ToolCall, arguments: Mapping[str, Any] | None = None) -> Envelope | None:
        """The envelope of a call that may not run, or None. ``arguments`` are those that it would be run with.

        A call that passes counts as running until it is observed: once it has failed, the same call is not run beside itself.
        """
        what = signed(call, arguments)
        before = self._budget.spent(call.name, what)
        if before is not None:
            return repeat_blocked(call.name, before)
        blocked = check_guards(call.name, self._facts, self._guards)
        if blocked is not None:
            return blocked
        before = self._budget.begin(call, what)
        return None if before is None else repeat_blocked(call.name, before)

    # after a call

    def observe(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        envelope: Mapping[str, Any],
        call: ToolCall | None = None,
    ) -> ControlDecision:
        """Take one settled call, in order. ``call`` is the call as the model wrote it, ``arguments`` as it was run."""
        self._monologue = 0
        what = arguments if call is None else signed(call, arguments)
        if envelope.get("reason") == GUARD_BLOCKED:
            return self._observe_blocked(tool, what, envelope, call)
        self._remember(tool, arguments, what, envelope)
        denied = self._denial(tool, envelope) or self._denied_below(tool)
        return denied or self._after_step(tool, what, envelope)

    def child_denied(self, number: int) -> None:
        """The person said no so often to a sub-agent of this run: it counts as a no to the run."""
        self._denials += number

    def _denied_below(self, tool: str) -> ControlDecision | None:
        return ControlDecision(halt=DENIED, tool=tool) if self._denials >= MAX_DENIALS else None

    def _observe_blocked(
        self, tool: str, what: Signed, envelope: Mapping[str, Any], call: ToolCall | None
    ) -> ControlDecision:
        """A blocked repetition counts as the failure that it repeats; another blocked call is a deviation.

        A call that its twin made needless is none where the twin succeeded.
        """
        held = self._budget.held(call)
        before = self._budget.failure_of(tool, what) if held else self._budget.spent(tool, what)
        if before is not None:
            denied = self._denial(tool, before)
            return denied or self._after_step(tool, what, before)
        if held:
            return ControlDecision()
        text = f"{tool} was blocked: {envelope.get('message', '')} {envelope.get('hint', '')}".strip()
        return self._deviate("guard", text, tool) or ControlDecision()

    def _remember(self, tool: str, arguments: Mapping[str, Any], what: Signed, envelope: Mapping[str, Any]) -> None:
        known = self._facts.known(tool)
        ok = bool(envelope.get("ok"))
        code = "" if ok else str(envelope.get("code", ""))
        if envelope.get("reason") != PACK_HIDDEN:
            self._facts.outcomes.append(Outcome(known, code))
        self._budget.take(tool, what, envelope, changed=known.effect in CHANGING)
        if ok:
            self._looked_up += [value for value in arguments.values() if isinstance(value, str)]
            if known.effect in CHANGING:
                self._lessons.clear()
                self._last_failure = None
            self._lessons.pop(tool, None)
            return
        if code != CANCELLED and envelope.get("reason") != PACK_HIDDEN:
            self._lessons.pop(tool, None)
            self._lessons[tool] = lesson(tool, envelope)
            self._last_failure = envelope
            self._business(tool, envelope)

    def _business(self, tool: str, envelope: Mapping[str, Any]) -> None:
        """C-4: what is not retryable is said so, with what the mode wants instead."""
        code = str(envelope.get("code", ""))
        if self.mode == "operation_repair" and tool == "run_operation":
            self.correct(
                "The operation failed. Read it with get_operation(include_code=true), change it with edit_operation or edit_file, "
                "then run it again. Do not go round it with code."
            )
        if classify(code) == BUSINESS and code not in (*DENIALS, AMBIGUOUS):
            self.correct(
                f"{tool} cannot do this ({code}). Do not send the same call again; say what is possible instead."
            )

    def _denial(self, tool: str, envelope: Mapping[str, Any]) -> ControlDecision | None:
        if envelope.get("code") not in DENIALS or envelope.get("ok") or envelope.get("reason") == PACK_HIDDEN:
            return None
        self._denials += 1
        self.correct(f"{tool} was not allowed. Do not try a way round; tell the person what is not possible.")
        return ControlDecision(halt=DENIED, tool=tool) if self._denials >= MAX_DENIALS else None

    def _after_step(self, tool: str, what: Signed, envelope: Mapping[str, Any]) -> ControlDecision:
        found = self._watch.step(seen(tool, what, envelope))
        if found is None:
            return ControlDecision()
        if found.action == "halt":
            return ControlDecision(halt=found.reason, tool=tool)
        if found.action == "force_final":
            return ControlDecision(force_final=found.reason, tool=tool)
        return self._nudge(found, tool, envelope)

    def _nudge(self, found: Finding, tool: str, envelope: Mapping[str, Any]) -> ControlDecision:
        text = correction_for(found, tool, lesson(tool, envelope))
        if found.action == "warn":  # the same streak: said louder, counted once
            self.correct(text)
            return ControlDecision()
        return self._deviate(found.reason, text, tool) or ControlDecision()

    def _deviate(self, kind: str, text: str, tool: str = "") -> ControlDecision | None:
        """Count a correction, one of a kind a turn; the fourth ends the run (C-6)."""
        self.correct(text)
        if kind in self._kinds_this_turn:
            return None
        self._kinds_this_turn.add(kind)
        self._deviations += 1
        return ControlDecision(force_final=DEVIATION, tool=tool) if self._deviations >= MAX_DEVIATIONS else None

    # after a batch

    def after_batch(self, settled: Sequence[SettledCall], actions: Iterable[Mapping[str, Any]] = ()) -> ControlDecision:
        """What follows when all calls of a turn are settled. ``actions`` are the map operations that they reported."""
        self._budget.end_batch()
        if self._worker_runs(settled):
            return ControlDecision(force_final=WORKER_RUNNING, tool=settled[-1].call.name)
        ready = self._analysis_ready(settled)
        if ready.force_final or not self._may_close():
            return ready
        text = closing.auto_final(
            self._text,
            settled,
            language=self._language,
            names=self._names(),
            known=self._looked_up,
            actions=actions,
            effects=self._facts.effects,
        )
        return ControlDecision(auto_final=text)

    def _may_close(self) -> bool:
        """A run that failed somewhere, or made something else than a change of the map, is the model's to report."""
        if self.task.mode not in ("map_rendering", "general") or self._deviations or self._corrections:
            return False
        return all(
            not each.code and (each.tool.effect == "read" or each.tool.name in closing.MAP_AND_STYLE)
            for each in self._facts.outcomes
        )

    def _worker_runs(self, settled: Sequence[SettledCall]) -> bool:
        if self.mode != "worker":
            return False
        return any(each.call.name.endswith("_worker") and _healthy(each.envelope) for each in settled)

    def _analysis_ready(self, settled: Sequence[SettledCall]) -> ControlDecision:
        if self.mode != "data_analysis" or self.task.visual:
            return ControlDecision()
        for each in settled:
            known = self._facts.known(each.call.name)
            if not each.envelope.get("ok"):
                self._analysis.clear()
            elif known.effect in ("create", "execute"):
                self._analysis.append(encode(each.envelope.get("data")) + str(each.envelope.get("message", "")))
        if self._said_ready or not self._readiness.suffices(self._analysis):
            return ControlDecision()
        self._said_ready = True
        if self._readiness.force:
            return ControlDecision(force_final=ANALYSIS_READY)
        self.correct("The results seem to answer the request. Answer now, unless a part of it is still open.")
        return ControlDecision()

    def degrade(self, request: str = "") -> dict[str, Any] | None:
        """A question with buttons made of the last failure, where it named what can be chosen; see ``recovery.choices``."""
        if self._last_failure is None:
            return None
        return choices(self._last_failure, request or self._text, self._language)

    # texts without calls

    def no_tool_turn(self, text: str) -> ControlDecision:
        """A text without calls. ``go_on``: it only announces what comes next, so the model is asked to do it; the third in a row
        ends the run. Neither: it is an answer."""
        if not announces_only(text):
            return ControlDecision()
        self._monologue += 1
        if self._monologue >= MONOLOGUE:
            return ControlDecision(force_final=MONOLOGUE_END)
        ended = self._deviate(
            MONOLOGUE_END, "You said what you will do and called no tool. Call the tool now, or give the answer."
        )
        return ended or ControlDecision(go_on=True)

    def empty_answer(self) -> bool:
        """An answer without text and calls came. True: ask once more; False: give up."""
        self._empty += 1
        if self._empty > 1:
            return False
        self._deviate("empty", "Your last answer was empty. Answer the person, or call a tool.")
        return True

    def visibility_miss(self, text: str) -> bool:
        """Whether an answer says that a tool is missing, for the first time: then all packs are shown once."""
        if self._misses or not misses_a_tool(text):
            return False
        self._misses += 1
        self._deviate(
            "visibility",
            "You said that a tool is missing. Tools are shown in packs; all packs of this profile are shown now. Look again and "
            "carry out the request, or say what QGIS cannot do.",
        )
        return True


def _healthy(envelope: Mapping[str, Any]) -> bool:
    data = envelope.get("data")
    return bool(envelope.get("ok")) and isinstance(data, Mapping) and data.get("status") in ("running", "healthy")
