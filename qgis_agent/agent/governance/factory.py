"""AgentFactory: puts the whole runtime of one run together, in one fixed order, anew for every run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...bridge.envelope import FORBIDDEN, Envelope, failure
from ..context.context_manager import ContextManager
from ..context.prompt import compose_system_prompt
from ..events import Events
from ..execution.agent_tools import AGENT_TOOLS, PackDesk
from ..execution.callables import build_tool_callables
from ..execution.context import ToolContext
from ..execution.packs import infer_tool_packs_for_text
from ..execution.registry import ToolRegistry, ToolSpec
from ..execution.tool_materializer import ToolMaterializer, build_tool_schemas
from ..execution.tool_runtime import ToolRuntime
from ..llm.types import ModelClient
from ..loop.agent_loop import AgentLoop
from ..loop.loop_kernel import LoopKernel
from ..loop.policy import LoopPolicy
from ..loop.provider_turn import ProviderTurnCaller
from ..loop.runtime_control import RuntimeControl
from ..loop.state import RunnerState
from ..records.sessions import Session
from ..records.trace import RunRecorder
from ..texts import language_of
from .permissions import PermissionRuntime
from .profile import AgentProfile


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
    assembled: tuple[str, ...]


class _Desk:
    """The pack desk before the materializer exists: tools are bound first, the desk is manned later."""

    def __init__(self) -> None:
        self.materializer: PackDesk | None = None

    def request_pack(self, pack: str) -> Envelope:
        """See PackDesk. Without a materializer (a single call, no model) there is nothing to show."""
        if self.materializer is None:
            return failure(FORBIDDEN, f"There is nobody to show the pack '{pack}' to.", reason="no_model")
        return self.materializer.request_pack(pack)


def filter_agent_tools(registered: Iterable[ToolSpec]) -> list[ToolSpec]:
    """Platform filter: tools of this process that it does not have are left out; QGIS says itself what it lacks."""
    return [spec for spec in registered if spec.where == "qgis" or spec.name in AGENT_TOOLS]


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
) -> LoopRuntimeBundle:
    """The runtime of a run of ``text`` in ``session``. Nothing of an earlier run is reused but the session's history."""
    steps: list[str] = []
    registered = list(registry.list_registered())
    steps.append("registered")
    registered = [spec for spec in registered if spec.pack in profile.packs]
    steps.append("identity_filter")
    registered = filter_agent_tools(registered)
    steps.append("platform_filter")
    desk = _Desk()
    callables = build_tool_callables(registered, context, desk)
    steps.append("tool_callables")
    schemas = build_tool_schemas(registered)
    steps.append("tool_schemas")
    caller = ProviderTurnCaller(client, events)
    steps.append("llm_call")
    # The executor for code (a child process) is made by the pack "code" when a person has enabled it; there is none here.
    steps.append("executor")
    permission = PermissionRuntime.from_profile(profile, context.enabled_packs, context.caller)
    steps.append("permission")
    materializer = ToolMaterializer(registered, schemas, permission, profile.packs, session.shown_packs)
    desk.materializer = materializer
    specs = {spec.name: spec for spec in registered}
    runtime = ToolRuntime(specs, callables, permission, materializer, long_work_s=profile.budget.tool_s)
    steps.append("tool_runtime")
    sections = compose_system_prompt(profile, registry.packs)
    steps.append("system_prompt")
    manager = ContextManager(sections, session.messages, text, cache_key=session.id)
    materializer.show_enabled()
    materializer.grow(infer_tool_packs_for_text(text, materializer.offered_packs()))
    steps.append("project_memory")
    policy, control = LoopPolicy(profile.budget), RuntimeControl()
    kernel = LoopKernel(caller, manager, materializer, runtime, policy, control, recorder, events, context.snapshot)
    loop = AgentLoop(kernel, policy, control, recorder, events, offline)
    state = RunnerState(context.run_id, text, language_of(text, context.locale))
    return LoopRuntimeBundle(loop, state, manager, materializer, runtime, caller, recorder, tuple(steps))


def build_single_call_runtime(registry: ToolRegistry, context: ToolContext, profile: AgentProfile) -> ToolRuntime:
    """The same path for one call without a model: every pack is visible, QGIS decides what is allowed."""
    registered = filter_agent_tools(registry.list_registered())
    callables = build_tool_callables(registered, context, _Desk())
    permission = PermissionRuntime.from_profile(profile, profile.packs, context.caller)
    return ToolRuntime({spec.name: spec for spec in registered}, callables, permission, None)
