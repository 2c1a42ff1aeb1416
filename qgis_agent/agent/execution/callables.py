"""From registered tools to callables: over the bridge for tools of QGIS, in this process for the agent's own."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ...bridge.envelope import UPSTREAM_ERROR, failure
from ...bridge.messages import TOOLS_CALL
from ...bridge.peer import RpcError
from ..charts.tool import make_chart
from .agent_tools import AGENT_TOOLS, Handler, RunDesk
from .context import CallRequest, ToolContext
from .registry import ToolSpec

Outcome = dict[str, Any]
HERE: dict[str, Handler] = {**AGENT_TOOLS, "make_chart": lambda context, _desk, request: make_chart(context, request)}
"""The tools of this process."""
ToolCallable = Callable[[CallRequest], Awaitable[Outcome]]


def build_tool_callables(
    registered: Iterable[ToolSpec], context: ToolContext, desk: RunDesk
) -> dict[str, ToolCallable]:
    """Name to callable. The tools that run here get the context and the pack desk injected."""
    callables: dict[str, ToolCallable] = {}
    for spec in registered:
        if spec.where == "qgis":
            callables[spec.name] = _over_the_bridge(context)
        elif spec.name in HERE:
            callables[spec.name] = _in_this_process(spec.name, context, desk)
    return callables


def _over_the_bridge(context: ToolContext) -> ToolCallable:
    async def call(request: CallRequest) -> Outcome:
        params = {
            "call_id": context.call_prefix + request.call_id,
            "run_id": context.run_id,
            "capability": context.capability,
            "name": request.name,
            "arguments": request.arguments,
            "origin": request.origin,
            "ask_reason": request.ask_reason,
            "caller": context.caller,
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


def _in_this_process(name: str, context: ToolContext, desk: RunDesk) -> ToolCallable:
    handler = HERE[name]

    async def call(request: CallRequest) -> Outcome:
        outcome = handler(context, desk, request)
        return await outcome if inspect.isawaitable(outcome) else outcome

    return call
