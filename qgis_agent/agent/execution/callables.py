"""From registered tools to callables: over the bridge for tools of QGIS, in this process for the agent's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...bridge.envelope import UPSTREAM_ERROR, failure
from ...bridge.messages import TOOLS_CALL
from ...bridge.peer import RpcError
from .agent_tools import AGENT_TOOLS, PackDesk
from .context import ToolContext
from .registry import ToolSpec


@dataclass(frozen=True)
class CallRequest:
    """A checked and permitted call. ``call_id`` is unique in the run."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    origin: str


Outcome = dict[str, Any]
ToolCallable = Callable[[CallRequest], Awaitable[Outcome]]


def build_tool_callables(
    registered: Iterable[ToolSpec], context: ToolContext, packs: PackDesk
) -> dict[str, ToolCallable]:
    """Name to callable. The tools that run here get the context and the pack desk injected."""
    callables: dict[str, ToolCallable] = {}
    for spec in registered:
        if spec.where == "qgis":
            callables[spec.name] = _over_the_bridge(context)
        elif spec.name in AGENT_TOOLS:
            callables[spec.name] = _in_this_process(spec.name, context, packs)
    return callables


def _over_the_bridge(context: ToolContext) -> ToolCallable:
    async def call(request: CallRequest) -> Outcome:
        params = {
            "call_id": request.call_id,
            "run_id": context.run_id,
            "capability": context.capability,
            "name": request.name,
            "arguments": request.arguments,
            "origin": request.origin,
        }
        try:
            outcome = await context.bridge.request(TOOLS_CALL, params)
        except RpcError as error:
            return {
                "envelope": failure(
                    UPSTREAM_ERROR,
                    f"QGIS did not carry out {request.name}: {error.message[:200]}",
                    hint="Try another way.",
                    reason="bridge",
                )
            }
        return outcome if isinstance(outcome, dict) else {}

    return call


def _in_this_process(name: str, context: ToolContext, packs: PackDesk) -> ToolCallable:
    handler = AGENT_TOOLS[name]

    async def call(request: CallRequest) -> Outcome:
        return handler(context, packs, request.arguments)

    return call
