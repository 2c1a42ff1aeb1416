"""LoopKernel: one model turn. Make room, ask, read the answer, settle its calls. What follows is AgentLoop's to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...bridge.envelope import INVALID_PARAM, Envelope, failure
from ..context.blackboard import Blackboard
from ..context.budget import compaction_text
from ..context.compaction import Compaction
from ..context.context_manager import ContextManager, Tail
from ..context.room import ContextRoom
from ..events import Events, QuietEvents
from ..execution.tool_materializer import ToolMaterializer
from ..llm.types import LLMResponse, ModelClient, ModelError, ProviderRequest, SettledCall, Usage
from ..records.trace import RunRecorder
from ..texts import say
from .planner import OuterPlan
from .policy import LoopPolicy
from .provider_turn import ModelTimeUp, ProviderTurnCaller
from .runtime_control import ControlDecision, RuntimeControl
from .settle import ToolCallSettler, over_the_ceiling
from .spending import Spending
from .state import RunnerState

TurnKind = Literal["text", "calls", "cut_calls", "question", "unreadable"]
SUMMARY_TOKENS = 1200
_SUMMARY_TURN_S = 60.0


@dataclass(frozen=True)
class Turn:
    """What a turn came to. ``decision`` is the strongest one of its calls; ``question`` ends the run."""

    kind: TurnKind
    content: str
    finish_reason: str
    decision: ControlDecision = field(default_factory=ControlDecision)
    question: dict[str, Any] | None = None


@dataclass(frozen=True)
class RunMemory:
    """What the tail of every request is made of, beside corrections."""

    snapshot: Mapping[str, Any]
    blackboard: Blackboard
    plan: OuterPlan
    notes: Mapping[str, Any] = field(default_factory=dict)
    """The project's notes, labelled: data."""
    objective: Sequence[str] = ()
    """Lines that stay the same in the run: an approved plan."""
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Outcomes of interrupted calls of an earlier run, as QGIS knows them."""


class LoopKernel:
    """The mechanism of a turn."""

    def __init__(
        self,
        caller: ProviderTurnCaller,
        context: ContextManager,
        materializer: ToolMaterializer,
        settler: ToolCallSettler,
        policy: LoopPolicy,
        control: RuntimeControl,
        recorder: RunRecorder,
        events: Events,
        memory: RunMemory,
        room: ContextRoom,
        spending: Spending,
    ) -> None:
        self.caller = caller
        self.context = context
        self.materializer = materializer
        self._settler = settler
        self._policy = policy
        self._control = control
        self._recorder = recorder
        self._events = events
        self._memory = memory
        self._room = room
        self._spending = spending
        self._turn = 0

    async def run_turn(self, state: RunnerState) -> Turn:
        """An ordinary turn: the model sees the tools, its calls are settled. Raises ModelError, ModelTimeUp."""
        response = await self._ask(state, self.materializer.schemas(), "", self._policy.model_seconds_left(state))
        state.model_calls += 1
        if response.unreadable_markup and not response.tool_calls:
            return Turn("unreadable", response.content, response.finish_reason)
        if response.unknown_tools and not response.tool_calls and self._shows(response.unknown_tools):
            return Turn("unreadable", response.content, response.finish_reason)
        if not response.tool_calls:
            return Turn("text", response.content, response.finish_reason)
        self._events.reset_text()
        calls = self.context.own_ids(response.tool_calls)
        self._recorder.assistant(self.context.add_response(response, calls, self._settler.repaired(calls)))
        over = self._policy.after_model(state)
        if over is not None:
            state.exceeded = over
            self._settler.refuse(calls, over_the_ceiling)
            return Turn("calls", response.content, response.finish_reason)
        if response.finish_reason == "length":
            self._settler.refuse(calls, _truncated_call)
            return Turn("cut_calls", response.content, "length")
        settlement = await self._settler.settle_all(calls, state)
        self._think_over(settlement.settled)
        kind: TurnKind = "question" if settlement.question else "calls"
        return Turn(kind, response.content, response.finish_reason, settlement.decision, settlement.question)

    async def run_final_turn(self, state: RunnerState, instruction: str, seconds: float) -> str:
        """The extra turn without tools: its text. Calls that a model writes all the same are discarded."""
        self.context.prefix_events.append("tools_off")
        response = await self._ask(state, [], instruction, seconds)
        state.model_calls += 1
        return response.content.strip()

    def _shows(self, names: Sequence[str]) -> bool:
        """Show the hidden packs of tools that a model wrote calls of as text; whether there were any."""
        packs = [self.materializer.pack(each) for each in names]
        return bool(self.materializer.grow([each for each in packs if each in self.materializer.hidden_packs()]))

    @property
    def can_change(self) -> bool:
        """Whether the profile can change anything: in plan mode "I have made a plan" claims no change of the map."""
        return self.materializer.can_change

    async def make_room(self, state: RunnerState) -> bool:
        """The model said that the request is too long: compact once, whatever the estimate says. Whether room was made."""
        tail = self._tail(state, (), "")
        made = await self._room.make_room(self.materializer.schemas(), tail, self._summariser(state), force=True)
        if made.kind != "stuck":  # else the model's own error says it; our estimate was wrong
            self._tell(made, state)
        return made.after < made.before

    async def _ask(
        self, state: RunnerState, tools: list[dict[str, Any]], instruction: str, seconds: float
    ) -> LLMResponse:
        self._turn += 1
        self._events.emit("turn_started", turn=self._turn)
        corrections = self._control.take_corrections()
        try:
            return await self._asked(state, tools, corrections, instruction, seconds)
        except (ModelError, ModelTimeUp):
            for each in corrections:  # nobody has read them
                self._control.correct(each)
            raise

    async def _asked(
        self,
        state: RunnerState,
        tools: list[dict[str, Any]],
        corrections: Sequence[str],
        instruction: str,
        seconds: float,
    ) -> LLMResponse:
        tail = self._tail(state, corrections, instruction)
        if self.caller.client.kind != "offline":  # the offline commands read no history
            made = await self._room.make_room(tools, tail, self._summariser(state))
            self._tell(made, state)
            if not made.fits:
                text = compaction_text(made, self.context.limits.usable, state.language)
                raise ModelError("context_overflow", text, hint=say("overflow_hint", state.language))
        request = self.context.build_provider_request(tools, tail)
        if not tools:
            request = replace(request, known_tools=tuple(sorted(self.materializer.visible_names())))
        response = await self.caller.call(request, state, seconds)
        self._count(request, response, state)
        return response

    def count_router(self, usage: Usage, client: ModelClient, state: RunnerState) -> None:
        """Tokens and cost of the router, or of the model for pictures, are the run's; their calls are no turns of it."""
        state.add_usage(usage)
        self._spending.add(usage, client, state)

    def _tell(self, made: Compaction, state: RunnerState) -> None:
        """Say what a compaction did; one that is paused was spoken of before."""
        text = compaction_text(made, self.context.limits.usable, state.language)
        if text and made.reason != "paused":
            level = "warning" if made.kind in ("stuck", "fallback") else "info"
            self._events.emit("notice", level=level, text=text)

    def _count(self, request: ProviderRequest, response: LLMResponse, state: RunnerState) -> None:
        """Tokens and cost of a call; what a provider reported teaches the estimate."""
        usage = response.usage
        if usage.source == "none" and self.caller.client.kind != "offline":
            usage = self._room.estimated_usage(request, response)
        if usage.source == "none":  # the offline commands read no tokens
            return
        tokens = self._room.learn(request, usage)
        state.add_usage(usage)
        self._spending.add(usage, self.caller.client, state)
        self._events.emit(
            "usage",
            turn=self._turn,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
            source=usage.source,
            context_tokens=tokens,
            context_limit=self.context.limits.usable,
            pressure=self._room.pressure,
            cost=self._spending.text(usage, self.caller.client),
        )
        if self.context.last_plan is not None:
            self._recorder.request(self._turn, self.context.last_plan.as_record())

    def _tail(self, state: RunnerState, corrections: Sequence[str], instruction: str) -> Tail:
        memory = self._memory
        objective = [*memory.objective, *memory.plan.lines(), *self._control.objective()]
        return Tail(memory.snapshot, self._working(state), corrections, instruction, objective, memory.notes)

    def _working(self, state: RunnerState) -> dict[str, Any]:
        left = self._policy.budget
        return {
            "model_calls_left": max(0, left.model_calls - state.model_calls),
            "tool_calls_left": max(0, left.tool_calls - state.tool_calls),
            "hidden_packs": self.materializer.hidden_packs(),
            **({"earlier_calls": dict(self._memory.earlier)} if self._memory.earlier else {}),
            "blackboard": self._memory.blackboard.snapshot(),
        }

    def _think_over(self, settled: Sequence[SettledCall]) -> None:
        """Bring the outer plan up to date; after the first wrong argument of the run, think about it once."""
        for each in settled:
            self._memory.plan.settled(each.call.name, self.materializer.effect(each.call.name), each.envelope)
            reflection = self._memory.plan.reflection(each.call.name, each.envelope)
            if reflection:
                self._control.correct(reflection)

    def _summariser(self, state: RunnerState) -> Any:
        """A tool-free call of the same model that writes a summary; it counts as model time and tokens, not as a turn."""

        async def summarise(messages: list[dict[str, Any]]) -> str:
            request = ProviderRequest(messages=messages, tools=[], max_output_tokens=SUMMARY_TOKENS)
            seconds = min(_SUMMARY_TURN_S, self._policy.model_seconds_left(state))
            try:
                response = await ProviderTurnCaller(self.caller.client, QuietEvents()).call(request, state, seconds)
            except ModelTimeUp as error:
                raise ModelError("timeout", "The time of this run ended while its summary was written.") from error
            usage = response.usage if response.usage.source != "none" else self._room.estimated_usage(request, response)
            state.add_usage(usage)
            self._spending.add(usage, self.caller.client, state)
            return response.content

        return summarise


def _truncated_call() -> Envelope:
    return failure(
        INVALID_PARAM,
        "The answer was cut off by its length limit, so none of its calls was run.",
        hint="Make fewer calls in one answer, with smaller arguments.",
        reason="truncated_call",
    )
