"""The tools that the agent process itself carries out: search_layers, ask_user, request_tool_pack, update_plan, run_subagent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ...bridge.envelope import Envelope, size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES
from ..context.catalogue import rank_layers
from ..context.untrusted import clean
from .context import CallRequest, ToolContext

MAX_ROWS = 200
MAX_FIELDS = 12


class RunDesk(Protocol):
    """What the tools of this process can ask of the run that they belong to."""

    def request_pack(self, pack: str) -> Envelope:
        """Show the tools of a pack from the next turn on."""
        ...

    def set_plan(self, steps: list[dict[str, Any]]) -> Envelope:
        """Replace the run's plan and show it to the person."""
        ...

    async def run_subagent(self, call_id: str, task: str, packs: list[str]) -> Envelope:
        """Let a sub-agent explore; its summary."""
        ...


Outcome = dict[str, Any]
Handler = Callable[[ToolContext, RunDesk, CallRequest], "Outcome | Awaitable[Outcome]"]


def search_layers(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Rank the pushed catalogue; the best rows that fit the budget."""
    del desk
    arguments = request.arguments
    wanted = int(arguments.get("limit", 10))
    limit = min(wanted, MAX_ROWS)
    query = str(arguments["query"])
    found = rank_layers(context.catalogue.layers(), query, str(arguments.get("kind", "any")))
    notes = []
    if wanted > MAX_ROWS:
        notes.append(f"limit {wanted} was clamped to {MAX_ROWS}.")
    if not found:
        there = len(context.catalogue.layers())
        notes.append(f"No layer matches; the project has {there} layers. An empty query lists them.")
    rows = [_row(each) for each in found[:limit]]
    while True:
        data = {"layers": rows, "total": len(found), "returned": len(rows)}
        message = " ".join(notes + ([f"{len(rows)} of {len(found)} are shown."] if len(rows) < len(found) else []))
        envelope = success(data, message)
        if size_bytes(envelope) <= MAX_RESULT_BYTES or len(rows) <= 1:
            return {"envelope": envelope}
        rows = rows[: max(1, len(rows) * 3 // 4)]


def _row(layer: Mapping[str, Any]) -> dict[str, Any]:
    fields = [clean(str(each["name"]), 128) for each in layer.get("fields", [])]
    row: dict[str, Any] = {
        "layer_id": layer["layer_id"],
        "name": clean(str(layer.get("name", "")), 80),
        "kind": layer.get("kind", "other"),
        "group": clean(str(layer.get("group", "")), 80),
        "visible": bool(layer.get("visible")),
        "fields": fields[:MAX_FIELDS],
    }
    if len(fields) > MAX_FIELDS:
        row["fields_total"] = len(fields)
    return row


def ask_user(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Put a question to the person. The run ends; the answer is the next message."""
    del context, desk
    question = str(request.arguments["question"])
    options = [{"label": each, "send": each} for each in request.arguments.get("options", [])]
    return {
        "envelope": success({"asked": question}, "The person is asked; the answer comes as the next message."),
        "question": {"text": question, "options": options},
    }


def request_tool_pack(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Show another pack, or say why not."""
    del context
    return {"envelope": desk.request_pack(str(request.arguments["pack"]))}


def update_plan(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Replace the plan as a whole."""
    del context
    return {"envelope": desk.set_plan(list(request.arguments["steps"]))}


async def run_subagent(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Explore with a context of its own; only the summary comes back."""
    del context
    arguments = request.arguments
    packs = [str(each) for each in arguments.get("packs", [])]
    return {"envelope": await desk.run_subagent(request.call_id, str(arguments["task"]), packs)}


AGENT_TOOLS: Mapping[str, Handler] = {
    "search_layers": search_layers,
    "ask_user": ask_user,
    "request_tool_pack": request_tool_pack,
    "update_plan": update_plan,
    "run_subagent": run_subagent,
}
