"""LoopKernel: one model turn and the settling of its calls, one after the other in the model's order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...bridge.envelope import AMBIGUOUS, CANCELLED, FORBIDDEN, INVALID_PARAM, PERMISSION_DENIED, Envelope, failure
from ..context.budget import estimated_usage
from ..context.context_manager import ContextManager, Tail
from ..events import Events
from ..execution.tool_materializer import ToolMaterializer
from ..execution.tool_runtime import ToolExecution, ToolRuntime
from ..llm.types import LLMResponse, ToolCall
from ..records.trace import RunRecorder
from ..texts import say
from .policy import LoopPolicy
from .provider_turn import ProviderTurnCaller
from .runtime_control import GUARD_BLOCKED, ControlDecision, RuntimeControl
from .state import RunnerState

TurnKind = Literal["text", "calls", "cut_calls", "question"]


@dataclass(frozen=True)
class Turn:
    """What a turn came to. ``decision`` is the strongest one of its calls; ``question`` ends the run."""

    kind: TurnKind
    content: str
    finish_reason: str
    decision: ControlDecision = field(default_factory=ControlDecision)
    question: dict[str, Any] | None = None


class LoopKernel:
    """The mechanism of a turn; whether another one follows is AgentLoop's to decide."""

    def __init__(
        self,
        caller: ProviderTurnCaller,
        context: ContextManager,
        materializer: ToolMaterializer,
        runtime: ToolRuntime,
        policy: LoopPolicy,
        control: RuntimeControl,
        recorder: RunRecorder,
        events: Events,
        snapshot: Mapping[str, Any],
    ) -> None:
        self.caller = caller
        self.context = context
        self.materializer = materializer
        self._runtime = runtime
        self._policy = policy
        self._control = control
        self._recorder = recorder
        self._events = events
        self._snapshot = snapshot
        self._turn = 0

    async def run_turn(self, state: RunnerState) -> Turn:
        """An ordinary turn: the model sees the tools, its calls are settled. Raises ModelError, ModelTimeUp."""
        response = await self._ask(state, self.materializer.schemas(), "", self._policy.model_seconds_left(state))
        state.model_calls += 1
        if not response.tool_calls:
            return Turn("text", response.content, response.finish_reason)
        self._events.reset_text()
        calls = self.context.own_ids(response.tool_calls)
        self._recorder.assistant(self.context.add_assistant(response.content, calls))
        if response.finish_reason == "length":
            self._refuse(calls, _truncated_call)
            return Turn("cut_calls", response.content, "length")
        decision, question = await self._settle_all(calls, state)
        return Turn("question" if question else "calls", response.content, response.finish_reason, decision, question)

    async def run_final_turn(self, state: RunnerState, instruction: str, seconds: float) -> str:
        """The extra turn without tools: its text. Calls that a model writes all the same are discarded."""
        self.context.prefix_events.append("tools_off")
        response = await self._ask(state, [], instruction, seconds)
        state.model_calls += 1
        return response.content.strip()

    async def _ask(
        self, state: RunnerState, tools: list[dict[str, Any]], instruction: str, seconds: float
    ) -> LLMResponse:
        self._turn += 1
        self._events.emit("turn_started", turn=self._turn)
        tail = Tail(self._snapshot, self._working(state), self._control.take_corrections(), instruction)
        request = self.context.build_provider_request(tools, tail)
        response = await self.caller.call(request, state, seconds)
        if response.usage.source != "none":
            state.add_usage(response.usage)
        elif self.caller.client.kind != "offline":  # the offline commands read no tokens
            state.add_usage(estimated_usage(request, response))
        return response

    def _working(self, state: RunnerState) -> dict[str, Any]:
        left = self._policy.budget
        return {
            "model_calls_left": max(0, left.model_calls - state.model_calls),
            "tool_calls_left": max(0, left.tool_calls - state.tool_calls),
            "hidden_packs": self.materializer.hidden_packs(),
            **self._recorder.working_state(),
        }

    async def _settle_all(
        self, calls: Sequence[ToolCall], state: RunnerState
    ) -> tuple[ControlDecision, dict[str, Any] | None]:
        for at, call in enumerate(calls):
            ceiling = self._policy.before_call(state)
            if ceiling is not None:
                state.exceeded = ceiling
                self._refuse(calls[at:], _over_the_ceiling)
                return ControlDecision(), None
            execution = await self._settle_one(call, state)
            decision = self._control.observe(call.name, execution.arguments, execution.envelope)
            question = question_of(call, execution, state)
            if question is not None:
                self._refuse(calls[at + 1 :], _waiting_for_the_person)
                return decision, question
            if decision.halt or decision.force_final:
                self._refuse(calls[at + 1 :], _run_ends)
                return decision, None
        return ControlDecision(), None

    async def _settle_one(self, call: ToolCall, state: RunnerState) -> ToolExecution:
        prepared = self._runtime.prepare(call)
        label = prepared.spec.label(prepared.arguments) if prepared.spec is not None else call.name[:80]
        self._recorder.call_started(call)
        self._events.emit("tool_started", call_id=call.id, tool=call.name, label=label, arguments=prepared.arguments)
        state.tool_calls += 1
        execution = await self._runtime.execute(call, call.id, prepared)
        state.tool_ms += execution.ms
        state.tool_counted_ms += execution.counted_ms
        self._settled(call, execution)
        return execution

    def _refuse(self, calls: Sequence[ToolCall], why: Any) -> None:
        """Answer calls that are not run with an error result each: a history without results is not valid."""
        for call in calls:
            self._events.emit("tool_started", call_id=call.id, tool=call.name, label=call.name, arguments={})
            self._settled(call, ToolExecution(why()))

    def _settled(self, call: ToolCall, execution: ToolExecution) -> None:
        self.context.add_tool_result(call, execution.arguments, execution.envelope)
        self._recorder.call_settled(call, execution)
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


def question_of(call: ToolCall, execution: ToolExecution, state: RunnerState) -> dict[str, Any] | None:
    """The question that a settled call puts to the person: ask_user, AMBIGUOUS, or a permission that nobody answered."""
    envelope = execution.envelope
    if execution.question is not None:
        return execution.question
    if envelope.get("code") == AMBIGUOUS:
        data = envelope.get("data")
        options = data.get("options", []) if isinstance(data, dict) else []
        text = str(envelope.get("message", ""))
        return {
            "text": text,
            "options": [_option(each, state.text) for each in options if isinstance(each, dict) and each.get("label")],
        }
    if envelope.get("code") == PERMISSION_DENIED and envelope.get("reason") == "no_answer":
        text = say("no_answer", state.language, tool=call.name)
        return {"text": text, "options": [{"label": say("ask_again", state.language), "send": state.text}]}
    return None


def _option(raw: Mapping[str, Any], request: str) -> dict[str, str]:
    """A button. What a click sends: ``send``, else the request with the ambiguous words replaced, else the label."""
    label = str(raw["label"])
    replaced = str(raw.get("replaces") or "")
    if raw.get("send"):
        return {"label": label, "send": str(raw["send"])}
    if replaced and replaced in request:
        return {"label": label, "send": request.replace(replaced, label, 1)}
    return {"label": label, "send": label}


def _truncated_call() -> Envelope:
    return failure(
        INVALID_PARAM,
        "The answer was cut off by its length limit, so none of its calls was run.",
        hint="Make fewer calls in one answer, with smaller arguments.",
        reason="truncated_call",
    )


def _over_the_ceiling() -> Envelope:
    return failure(FORBIDDEN, "The ceiling of this run is reached; the call was not run.", reason=GUARD_BLOCKED)


def _waiting_for_the_person() -> Envelope:
    return failure(CANCELLED, "Not run: the person is asked first.", reason="awaiting_user")


def _run_ends() -> Envelope:
    return failure(CANCELLED, "Not run: the run ends here.", reason=GUARD_BLOCKED)
