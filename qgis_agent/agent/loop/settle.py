"""ToolCallSettler: carries out the calls of one turn and writes every result into the conversation, in the calls' order.

Read tools that declare it run side by side, at most four; everything else is a barrier: it begins when all calls before it have
ended, and nothing begins before it has ended. A call that a guard or a ceiling stops is answered with the reason.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...bridge.envelope import (
    AMBIGUOUS,
    CANCELLED,
    FORBIDDEN,
    PERMISSION_DENIED,
    UPSTREAM_ERROR,
    Envelope,
    encode,
    failure,
)
from ..context.blackboard import Blackboard
from ..context.context_manager import ContextManager
from ..context.interrupted import interrupted_envelope
from ..events import Events
from ..execution.result_cache import ResultCache
from ..execution.tool_runtime import PreparedCall, ToolExecution, ToolRuntime
from ..governance.plan import PLAN_DEVIATION, PlanGate, PlannedCall, planned_call
from ..llm.types import SettledCall, ToolCall
from ..records.trace import RunRecorder
from ..texts import say
from .policy import LoopPolicy
from .recovery import choices
from .runtime_control import GUARD_BLOCKED, ControlDecision, RuntimeControl
from .state import RunnerState

MAX_PARALLEL = 4
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settlement:
    """What the calls of a turn came to: the strongest decision, the question that ends the run, the calls with their results."""

    decision: ControlDecision = field(default_factory=ControlDecision)
    question: dict[str, Any] | None = None
    settled: tuple[SettledCall, ...] = ()


@dataclass
class _Ready:
    """A call before it runs: prepared, or blocked by a guard. Hooks may change what is prepared when its turn comes."""

    call: ToolCall
    prepared: PreparedCall
    answered: ToolExecution | None = None
    """The answer of a guard, so that nothing runs."""

    @property
    def side_by_side(self) -> bool:
        spec = self.prepared.spec
        runs = self.answered is None and self.prepared.refused is None
        return runs and spec is not None and spec.effect == "read" and spec.parallel


@dataclass(frozen=True)
class CacheScope:
    """Where cached results belong. ``revision`` asks QGIS for the revision of layers, None where it cannot be known."""

    project_id: str = ""
    profile: str = ""
    revision: Callable[[Sequence[str]], Awaitable[str | None]] | None = None


class ToolCallSettler:
    """Settles the calls of a run's turns."""

    def __init__(
        self,
        runtime: ToolRuntime,
        policy: LoopPolicy,
        control: RuntimeControl,
        context: ContextManager,
        recorder: RunRecorder,
        events: Events,
        blackboard: Blackboard,
        cache: ResultCache | None = None,
        scope: CacheScope | None = None,
        gate: PlanGate | None = None,
    ) -> None:
        self._runtime = runtime
        self._policy = policy
        self._control = control
        self._context = context
        self._recorder = recorder
        self._events = events
        self._blackboard = blackboard
        self._cache = cache or ResultCache()
        self._scope = scope or CacheScope()
        self._gate = gate
        self._known: dict[str, PreparedCall] = {}
        """Calls of this turn that were prepared already: preparing twice could show a pack that the model has not seen."""

    async def settle_all(self, calls: Sequence[ToolCall], state: RunnerState) -> Settlement:
        """Every call gets a result. A question or a halt ends the batch: the calls behind it are answered as not run."""
        self._known = {}
        settled: list[SettledCall] = []
        actions: list[dict[str, Any]] = []
        at = 0
        while at < len(calls):
            batch, ceiling = self._next_batch(calls, at, state)
            if not batch:
                state.exceeded = ceiling
                self.refuse(calls[at:], over_the_ceiling)
                return Settlement(settled=tuple(settled))
            at += len(batch)
            executions = await self._run(batch, state)
            decision, question = ControlDecision(), None
            for ready, execution in zip(batch, executions):
                settled.append(SettledCall(ready.call, execution.arguments, execution.envelope))
                actions += execution.actions
                seen = self._control.observe(ready.call.name, execution.arguments, execution.envelope, ready.call)
                decision = seen if ends(seen) and not ends(decision) else decision
                question = question or question_of(execution, state)
            if question is not None:
                self.refuse(calls[at:], _waiting_for_the_person)
                return Settlement(decision, question, tuple(settled))
            if ends(decision):
                self.refuse(calls[at:], _run_ends)
                return Settlement(decision, None, tuple(settled))
        return Settlement(self._control.after_batch(settled, actions), None, tuple(settled))

    def repaired(self, calls: Sequence[ToolCall]) -> dict[str, str]:
        """Arguments by call id, as they will be run, of calls whose own text is no JSON object."""
        found = {each.id: self._runtime.readable(each) for each in calls}
        return {ident: text for ident, text in found.items() if text is not None}

    def refuse(self, calls: Sequence[ToolCall], why: Callable[[], Envelope]) -> None:
        """Answer calls that are not run with an error result each: a history without results is not valid."""
        for call in calls:
            self._events.emit("tool_started", call_id=call.id, tool=call.name, label=call.name[:80], arguments={})
            self._settled(call, ToolExecution(why()))

    def _next_batch(self, calls: Sequence[ToolCall], at: int, state: RunnerState) -> tuple[list[_Ready], str]:
        """The next call, with the reads that may run beside it. Each is counted here; empty with the ceiling in the way."""
        batch: list[_Ready] = []
        for call in calls[at : at + MAX_PARALLEL]:
            ceiling = self._policy.before_call(state, call.name)
            if ceiling is not None:
                return batch, ceiling
            ready = self._ready(call)
            if batch and not ready.side_by_side:
                break
            batch.append(ready)
            self._count(ready, state)
            if not ready.side_by_side:
                break
        return batch, ""

    @staticmethod
    def _count(ready: _Ready, state: RunnerState) -> None:
        state.tool_calls += 1
        if ready.prepared.spec is not None and ready.prepared.spec.pack == "code":
            state.code_calls += 1

    def _ready(self, call: ToolCall) -> _Ready:
        prepared = self._known.get(call.id) or self._runtime.prepare(call)
        self._known[call.id] = prepared
        blocked = self._control.check(call, prepared.arguments)
        return _Ready(call, prepared, None if blocked is None else ToolExecution(blocked, prepared.arguments))

    async def _run(self, batch: Sequence[_Ready], state: RunnerState) -> list[ToolExecution]:
        for ready in batch:
            spec = ready.prepared.spec
            label = spec.label(ready.prepared.arguments) if spec is not None else ready.call.name[:80]
            self._recorder.call_started(ready.call, changing=spec is not None and spec.effect != "read")
            self._events.emit(
                "tool_started",
                call_id=ready.call.id,
                tool=ready.call.name,
                label=label,
                arguments=ready.prepared.arguments,
            )
        tasks = [asyncio.ensure_future(self._safely(each)) for each in batch]
        try:
            executions = await asyncio.gather(*tasks)
        except asyncio.CancelledError:
            await self._stopped(batch, tasks, state)
            raise
        for ready, execution in zip(batch, executions):
            self._finish(ready, execution, state)
        return list(executions)

    async def _stopped(
        self, batch: Sequence[_Ready], tasks: Sequence[asyncio.Future[ToolExecution]], state: RunnerState
    ) -> None:
        """Stop: what had ended keeps its result; the outcome of what had not is unknown, and its result says so."""
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=0.3)
        for ready, task in zip(batch, tasks):
            if task.done() and not task.cancelled():
                self._finish(ready, task.result(), state)
            else:
                self._finish(ready, ToolExecution(interrupted_envelope(), ready.prepared.arguments), state)

    async def _execute(self, ready: _Ready) -> ToolExecution:
        if ready.answered is not None:
            return ready.answered
        ready.prepared = await self._runtime.guard(ready.call, ready.prepared)
        deviation = await self._deviation(ready)
        if deviation is not None:
            return ToolExecution(deviation, ready.prepared.arguments)
        key = await self._cache_key(ready.prepared)
        kept = self._cache.get(key)
        if kept is not None and ready.prepared.spec is not None:
            self._runtime.note(ready.prepared.spec, kept.envelope)
            return kept
        execution = await self._runtime.execute(ready.call, ready.call.id, ready.prepared)
        self._cache.put(key, execution)
        return execution

    async def _safely(self, ready: _Ready) -> ToolExecution:
        """A fault of ours in one call is that call's result; its neighbours and the run go on."""
        try:
            return await self._execute(ready)
        except Exception as error:  # noqa: BLE001  (logged; the model and the person read that it failed)
            where = traceback.extract_tb(error.__traceback__)[-1]
            _log.error("%s failed: %s in %s:%s", ready.call.name[:80], type(error).__name__, where.name, where.lineno)
            return ToolExecution(_internal(ready.call.name), ready.prepared.arguments)

    async def _deviation(self, ready: _Ready) -> Envelope | None:
        """Why a call is not in the approved plan, where there is one. Features are counted first where the plan has a number."""
        planned = self._planned(ready) if self._gate is not None else None
        if self._gate is None or planned is None:
            return None
        if self._gate.needs_features(planned):
            planned = replace(planned, features=await self._count_features(ready.call, planned.target))
        return self._gate.check(planned)

    async def _count_features(self, call: ToolCall, layer_id: str) -> int | None:
        counting = ToolCall(f"{call.id}.features", "count_features", encode({"layer_id": layer_id}))
        counted = await self._runtime.execute(counting, counting.id)
        data = counted.envelope.get("data")
        count = data.get("count") if isinstance(data, dict) else None
        return count if isinstance(count, int) and not isinstance(count, bool) else None

    def _planned(self, ready: _Ready) -> PlannedCall | None:
        spec, prepared = ready.prepared.spec, ready.prepared
        if spec is None or prepared.refused is not None:
            return None
        return planned_call(spec.name, spec.effect, prepared.arguments)

    async def _cache_key(self, prepared: PreparedCall) -> str | None:
        spec, scope = prepared.spec, self._scope
        if spec is None or prepared.refused is not None or not spec.cacheable or scope.revision is None:
            return None
        layers = sorted(str(value) for key, value in prepared.arguments.items() if key.endswith("layer_id"))
        revision = await scope.revision(layers)
        return self._cache.key(
            spec, prepared.arguments, project_id=scope.project_id, profile=scope.profile, revision=revision
        )

    def _finish(self, ready: _Ready, execution: ToolExecution, state: RunnerState) -> None:
        state.tool_ms += execution.ms
        state.tool_counted_ms += execution.counted_ms
        spec = ready.prepared.spec
        if spec is not None and spec.effect != "read" and ready.answered is None:
            self._cache.changed()
            state.changes += bool(execution.envelope.get("ok"))
        planned = self._planned(ready) if self._gate is not None else None
        if self._gate is not None and planned is not None:
            self._gate.settled(planned, execution.envelope)
        self._settled(ready.call, execution)

    def _settled(self, call: ToolCall, execution: ToolExecution) -> None:
        self._context.add_tool_result(call, execution.arguments, execution.envelope)
        self._recorder.call_settled(call, execution)
        self._blackboard.record(call.name, execution.arguments, execution.envelope)
        envelope = execution.envelope
        self._events.emit(
            "tool_finished",
            call_id=call.id,
            tool=call.name,
            ok=bool(envelope["ok"]),
            code=str(envelope.get("code", "")),
            message=str(envelope.get("message", "")),
            ms=execution.ms,
        )


def ends(decision: ControlDecision) -> bool:
    """Whether a decision ends the run or forces its last turn."""
    return bool(decision.halt or decision.force_final)


def question_of(execution: ToolExecution, state: RunnerState) -> dict[str, Any] | None:
    """The question that a settled call puts to the person: ask_user, AMBIGUOUS, or a permission that nobody answered."""
    envelope = execution.envelope
    if isinstance(execution.question, dict) and execution.question.get("text"):
        return execution.question
    if envelope.get("code") == AMBIGUOUS:
        text = str(envelope.get("message") or "") or say("which_one", state.language)
        return choices(envelope, state.text, state.language) or {"text": text, "options": []}
    if envelope.get("reason") == PLAN_DEVIATION:
        data = envelope.get("data")
        options = data.get("options", []) if isinstance(data, dict) else []
        return {"text": str(envelope.get("message", "")), "options": [dict(each) for each in options]}
    if envelope.get("code") == PERMISSION_DENIED and envelope.get("reason") == "no_answer":
        text = say("no_answer", state.language)
        return {"text": text, "options": [{"label": say("ask_again", state.language), "send": state.text}]}
    return None


def over_the_ceiling() -> Envelope:
    """The answer to a call that the run has no budget for."""
    return failure(FORBIDDEN, "The ceiling of this run is reached; the call was not run.", reason=GUARD_BLOCKED)


def _internal(tool: str) -> Envelope:
    return failure(
        UPSTREAM_ERROR,
        f"{tool[:80]} failed inside the program.",
        hint="Verify what it may have done before you try another way.",
        reason="internal",
    )


def _waiting_for_the_person() -> Envelope:
    return failure(CANCELLED, "Not run: the person is asked first.", reason="awaiting_user")


def _run_ends() -> Envelope:
    return failure(CANCELLED, "Not run: the run ends here.", reason=GUARD_BLOCKED)
