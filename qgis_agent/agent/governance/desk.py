"""The desk of a run: what the tools of this process ask for (packs, the plan, a sub-agent), behind one small interface.

Tools are bound before the run is put together, so the desk is made first and manned later.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ...bridge.envelope import FORBIDDEN, INVALID_PARAM, Envelope, failure, success
from ..context.blackboard import Blackboard
from ..events import Events
from .plan import Plan, PlanError


class PackShelf(Protocol):
    """Where packs are shown; see ToolMaterializer."""

    def request_pack(self, pack: str) -> Envelope:
        """Show the tools of a pack from the next turn on."""
        ...


SpawnSubAgent = Callable[[str, str, list[str]], Awaitable[Envelope]]


class Desk:
    """See RunDesk in execution/agent_tools.py. Without a run (a single call, no model) there is nobody to ask."""

    def __init__(self, events: Events | None = None, tools: Mapping[str, Any] | None = None) -> None:
        """``tools``: what a step of a plan may name; None for anything."""
        self.shelf: PackShelf | None = None
        self.spawn: SpawnSubAgent | None = None
        self.plan: Plan | None = None
        self.board: Blackboard | None = None
        """What the conversation is about; None for a single call."""
        self._events = events
        self._tools = tools

    def request_pack(self, pack: str) -> Envelope:
        """See RunDesk."""
        if self.shelf is None:
            return failure(FORBIDDEN, f"There is nobody to show the pack '{pack}' to.", reason="no_model")
        return self.shelf.request_pack(pack)

    def set_plan(self, steps: list[dict[str, Any]]) -> Envelope:
        """See RunDesk. The whole plan is replaced, or nothing."""
        try:
            plan = Plan.from_steps(steps, self._tools)
        except PlanError as error:
            return failure(INVALID_PARAM, str(error), hint="Send the whole plan again, corrected.", reason="plan")
        self.plan = plan
        if self._events is not None:
            self._events.emit("plan", **plan.to_dict())
        return success({"steps": len(plan.steps), "hash": plan.hash}, "The plan is shown to the person, who decides.")

    async def run_subagent(self, call_id: str, task: str, packs: list[str]) -> Envelope:
        """See RunDesk."""
        if self.spawn is None:
            return failure(
                FORBIDDEN,
                "A sub-agent cannot start another one.",
                hint="Do it with the tools that are there.",
                reason="nested_subagent",
            )
        return await self.spawn(call_id, task, packs)
