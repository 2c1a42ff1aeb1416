"""AgentFactory: puts the whole runtime of one run together, in one fixed order, anew for every run."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ...bridge.messages import PROJECT_REVISION
from ...bridge.peer import RpcError
from ..context.context_manager import ContextManager
from ..context.limits import ContextLimits
from ..context.notes import Notes
from ..context.prompt import Section, compose_system_prompt
from ..context.room import ContextRoom
from ..events import ChildEvents, Events, RecordedEvents
from ..execution.callables import HERE, build_tool_callables
from ..execution.context import CallRequest, ToolContext
from ..execution.packs import infer_tool_packs_for_text
from ..execution.registry import ToolRegistry, ToolSpec
from ..execution.result_cache import ResultCache
from ..execution.tool_materializer import ToolMaterializer, build_tool_schemas, canonical
from ..execution.tool_runtime import ToolRuntime
from ..llm.pictures import PictureStore
from ..llm.prices import PriceTable
from ..llm.roles import RoleClients
from ..llm.tokens import Calibration
from ..llm.types import ModelClient
from ..loop.agent_loop import AgentLoop
from ..loop.look import Looker
from ..loop.loop_kernel import LoopKernel, RunMemory
from ..loop.patterns import POLLING_TOOLS
from ..loop.pending import Offer
from ..loop.planner import OuterPlan
from ..loop.policy import LoopPolicy
from ..loop.provider_turn import ProviderTurnCaller
from ..loop.runtime_control import RuntimeControl
from ..loop.settle import CacheScope, ToolCallSettler
from ..loop.spending import Spending
from ..loop.state import RunnerState
from ..records.sessions import Session
from ..records.trace import RunRecorder
from ..texts import language_of, say
from .desk import Desk
from .hooks import HookChain, HookEvent, HookRuling
from .permissions import PermissionRuntime, requested_by
from .plan import PlanGate
from .profile import AgentProfile
from .subagents import SUBAGENT_TOOL, ParentRun, SubAgents

REVISION_S = 2.0
"""Seconds to wait for a revision; without it a read is simply made."""


@dataclass(frozen=True)
class RunOptions:
    """What a run may have beside its model; everything is optional.

    ``mark`` gives the random mark around data in the tail; a replay gives a fixed one. ``subagent``: this run is one itself.
    """

    roles: RoleClients | None = None
    prices: PriceTable | None = None
    earlier: Mapping[str, str] = field(default_factory=dict)
    """How calls ended whose outcome this side did not learn in an earlier run, as QGIS says."""
    notes: Notes = field(default_factory=Notes)
    cache: ResultCache | None = None
    gate: PlanGate | None = None
    limits: ContextLimits | None = None
    calibration: Calibration | None = None
    mark: Callable[[], str] | None = None
    hooks: HookChain | None = None
    subagent: bool = False
    pictures: Sequence[Mapping[str, Any]] = ()
    """Pictures of the person's message (``llm/pictures.py``)."""
    picture_store: PictureStore | None = None
    """Where their bytes are."""
    cost_limit: Decimal | None = None
    """What the run may cost, in the currency of the model's price."""


@dataclass(frozen=True)
class LoopRuntimeBundle:
    """All that one run needs. ``assembled`` names the steps in the order in which they were taken."""

    loop: AgentLoop
    state: RunnerState
    context: ContextManager
    materializer: ToolMaterializer
    runtime: ToolRuntime
    caller: ProviderTurnCaller
    recorder: RunRecorder
    desk: Desk
    assembled: tuple[str, ...]

    async def run(self) -> RunnerState:
        """Run to an end."""
        try:
            return await self.loop.run(self.state)
        finally:  # packs may have grown: the next run compares with what the last request had
            self.recorder.sections_end(section_hashes((), self.materializer.schemas()))


def section_hashes(sections: Sequence[Section], tools: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Name to hash of what a run's requests begin with."""
    parts: dict[str, Any] = {each.name: each.text for each in sections}
    parts["tools"] = list(tools)
    return {
        name: hashlib.sha256(canonical(part).encode("utf-8", "replace")).hexdigest()[:16]
        for name, part in parts.items()
    }


def changed_sections(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What is not as in the last run of the session (profile, language, preferences, packs): logged changes of the prefix."""
    if not before:
        return []
    return [f"section:{name}" for name in sorted({*before, *now}) if before.get(name) != now.get(name)]


def filter_agent_tools(registered: Iterable[ToolSpec]) -> list[ToolSpec]:
    """Platform filter: tools of this process that it does not have are left out; QGIS says itself what it lacks."""
    return [spec for spec in registered if spec.where == "qgis" or spec.name in HERE]


def build_loop_runtime_bundle(
    registry: ToolRegistry,
    client: ModelClient,
    context: ToolContext,
    profile: AgentProfile,
    *,
    session: Session,
    text: str,
    events: Events,
    recorder: RunRecorder,
    offline: Callable[[], ModelClient] | None = None,
    options: RunOptions | None = None,
) -> LoopRuntimeBundle:
    """The runtime of a run of ``text`` in ``session``. Nothing of an earlier run is reused but what the session keeps."""
    given = options or RunOptions()
    language = language_of(text, context.locale, context.language)
    events = RecordedEvents(events, recorder.event)
    steps: list[str] = []
    registered = list(registry.list_registered())
    steps.append("registered")
    registered = [spec for spec in registered if spec.pack in profile.packs]
    steps.append("identity_filter")
    registered = filter_agent_tools(registered)
    steps.append("platform_filter")
    desk = Desk(events, {spec.name: spec for spec in registered})
    callables = build_tool_callables(registered, context, desk)
    steps.append("tool_callables")
    schemas = build_tool_schemas(registered)
    steps.append("tool_schemas")
    caller = ProviderTurnCaller(client, events)
    steps.append("llm_call")
    # The executor for code (a child process) is made by the pack "code" when a person has enabled it; there is none here.
    steps.append("executor")
    read_before = bool(given.notes.tail()) or any(each["role"] == "tool" for each in session.messages)
    # A sub-agent's task is the words of a model that may have read anything: they ask for nothing in the person's name.
    read_before = read_before or given.subagent or bool(given.pictures)  # others may have written what is on a picture
    requested = () if given.subagent else requested_by(text)
    permission = PermissionRuntime.from_profile(
        profile,
        context.enabled_packs,
        context.caller,
        requested=requested,
        read_before=read_before,
        attended=context.attended,
    )
    steps.append("permission")
    materializer = ToolMaterializer(registered, schemas, permission, profile.packs, session.shown_packs)
    desk.shelf = materializer
    specs = {spec.name: spec for spec in registered}

    def tried_again(request: CallRequest, attempt: int) -> None:
        text = say("tool_again", language, number=attempt)
        events.emit("tool_progress", call_id=request.call_id, tool=request.name, text=text)

    if read_before:
        permission.taint()  # the history holds what others wrote; there is no way back in a session

    def hook_said(event: HookEvent, ruling: HookRuling) -> None:
        recorder.hook(event.point, event.tool, event.call_id, ruling.records)

    runtime = ToolRuntime(
        specs,
        callables,
        permission,
        materializer,
        on_retry=tried_again,
        hooks=given.hooks,
        on_hook=hook_said,
        run_id=context.run_id,
        caller=context.caller,
    )
    steps.append("tool_runtime")
    plannable = [spec.name for spec in registered if spec.effect != "read"]
    sections = compose_system_prompt(profile, registry.packs, preferences=given.notes.section(), plannable=plannable)
    steps.append("system_prompt")
    now = section_hashes(sections, materializer.schemas())
    changed = changed_sections(session.sections, now)
    session.sections = now
    store = given.picture_store or PictureStore()
    sees = getattr(getattr(client, "settings", None), "vision", False) is True
    manager = ContextManager(
        sections,
        session.messages,
        text,
        cache_key=session.id,
        projection=session.projection,
        limits=given.limits,
        profile=profile.name,
        level=profile.level,
        pictures=given.pictures,
        picture_urls=store.urls if sees else lambda _messages: {},
        **({} if given.mark is None else {"mark": given.mark}),
    )
    control = RuntimeControl(
        text,
        language,
        {spec.name: spec.effect for spec in registered},
        None if given.subagent else _offer(session),
        packs={spec.name: spec.pack for spec in registered},
        names=lambda: {each["layer_id"]: each["name"] for each in context.catalogue.layers()},
        polling=POLLING_TOOLS | {spec.name for spec in registered if spec.polling},
    )
    materializer.show_enabled()
    if profile.tools is not None:  # a list of tools by name: there is nothing to ask for
        materializer.grow(profile.packs)
    materializer.grow([*control.required_packs(), *infer_tool_packs_for_text(text, materializer.offered_packs())])
    steps.append("project_memory")
    code_tools = [spec.name for spec in registered if spec.pack == "code"]
    policy = LoopPolicy(profile.budget, code_tools=code_tools)
    board = session.blackboard
    board.begin(text)
    desk.board = board
    scope = CacheScope(context.catalogue.project_id, profile.name, _revisions(context))
    settler = ToolCallSettler(
        runtime, policy, control, manager, recorder, events, board, given.cache, scope, given.gate
    )
    room = ContextRoom(manager, events, recorder, given.calibration)
    lines = (*_plan_lines(given.gate), *_language_lines(context.language))
    memory = RunMemory(context.snapshot, board, OuterPlan(text), given.notes.tail(), lines, given.earlier)
    kernel = LoopKernel(
        caller, manager, materializer, settler, policy, control, recorder, events, memory, room, Spending(given.prices)
    )
    router = given.roles.for_role("router") if given.roles is not None else None
    vision = given.roles.for_role("vision") if given.roles is not None and not sees else None
    looker = Looker(vision, store, events) if vision is not None else None
    loop = AgentLoop(kernel, policy, control, recorder, events, offline, router, looker)
    pending = control.pending
    state = RunnerState(
        context.run_id,
        text,
        language,
        request=pending.request if pending and pending.request else text,
        cost_limit=given.cost_limit,
    )
    if not given.subagent:
        parent = ParentRun(profile, materializer.offered_packs, state, recorder, control.child_denied)
        _man_subagents(desk, registry, client, context, session, parent, events, given)
    manager.prefix_events.extend(changed)
    return LoopRuntimeBundle(loop, state, manager, materializer, runtime, caller, recorder, desk, tuple(steps))


def build_single_call_runtime(
    registry: ToolRegistry, context: ToolContext, profile: AgentProfile, hooks: HookChain | None = None
) -> ToolRuntime:
    """The same path for one call without a model: every pack is visible, QGIS decides what is allowed."""
    registered = filter_agent_tools(registry.list_registered())
    callables = build_tool_callables(registered, context, Desk())
    permission = PermissionRuntime.from_profile(profile, profile.packs, context.caller)
    specs = {spec.name: spec for spec in registered}
    return ToolRuntime(specs, callables, permission, None, hooks=hooks, run_id=context.run_id, caller=context.caller)


def _man_subagents(
    desk: Desk,
    registry: ToolRegistry,
    client: ModelClient,
    context: ToolContext,
    session: Session,
    parent: ParentRun,
    events: Events,
    options: RunOptions,
) -> None:
    """Let the run start sub-agents. They get the run's capability, and a session that lives in memory only."""

    def build(child: AgentProfile, own: Session, task: str, record: RunRecorder, call_id: str) -> LoopRuntimeBundle:
        return build_loop_runtime_bundle(
            registry,
            client,
            replace(context, caller="subagent", call_prefix=f"{call_id}."),
            child,
            session=own,
            text=task,
            events=ChildEvents(events, call_id, SUBAGENT_TOOL),
            recorder=record,
            options=replace(options, subagent=True, gate=None, roles=None, pictures=()),
        )

    desk.spawn = SubAgents(parent, build, session.child).spawn


def _offer(session: Session) -> Offer | None:
    """What came before the person's words: the end of the session's last run."""
    last = session.last_end
    if not last:
        return None
    return Offer(last["answer"], last["termination"], last["question"], last["request"], last["reason"])


def _language_lines(chosen: str) -> tuple[str, ...]:
    """What the person's choice of a language adds to the objective; nothing where answers follow the request."""
    names = {"en": "English", "zh": "Simplified Chinese"}
    return (f"Answer in {names[chosen]}, whatever language the request is in.",) if chosen in names else ()


def _plan_lines(gate: PlanGate | None) -> tuple[str, ...]:
    """The approved plan for the tail of every request, as data."""
    if gate is None:
        return ()
    steps = "; ".join(
        " ".join(
            part
            for part in (f"{at}.", each.tool or "-", each.target, *each.inputs, each.path, f"“{each.title}”")
            if part
        )
        for at, each in enumerate(gate.plan.steps, 1)
    )
    return (f"The person approved this plan; carry it out step by step, and nothing that is not in it: {steps}",)


def _revisions(context: ToolContext) -> Callable[[Sequence[str]], Awaitable[str | None]]:
    """Asks QGIS for the revision of layers; anything but a text is "not known"."""

    async def ask(layer_ids: Sequence[str]) -> str | None:
        params = {"capability": context.capability, "layer_ids": list(layer_ids)}
        try:
            answer = await asyncio.wait_for(context.bridge.request(PROJECT_REVISION, params), REVISION_S)
        except (RpcError, asyncio.TimeoutError):
            return None
        revision = answer.get("revision") if isinstance(answer, dict) else None
        return revision if isinstance(revision, str) else None

    return ask
