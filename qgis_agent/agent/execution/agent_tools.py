"""The tools that the agent process itself carries out: finding layers, asking the person, packs, the plan, sub-agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ...bridge.envelope import AMBIGUOUS, NOT_FOUND, Envelope, failure, size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES
from ..context.blackboard import Blackboard
from ..context.references import Known, Meant, options_of, resolve
from ..context.untrusted import clean
from ..offline.naming import spelled
from .context import CallRequest, ToolContext

MAX_ROWS = 200
MAX_FIELDS = 12
MAX_OPTIONS = 6


class RunDesk(Protocol):
    """What the tools of this process can ask of the run that they belong to."""

    board: Blackboard | None
    """What the conversation is about; None for a single call."""

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


async def search_layers(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """Rank the pushed catalogue; the best rows that fit the budget."""
    del desk
    arguments = request.arguments
    wanted = int(arguments.get("limit", 10))
    limit = min(wanted, MAX_ROWS)
    query, kind = str(arguments["query"]), str(arguments.get("kind", "any"))
    store = context.catalogue
    await store.ready()
    found = store.search(query, kind)
    notes = []
    if wanted > MAX_ROWS:
        notes.append(f"limit {wanted} was clamped to {MAX_ROWS}.")
    if not found:
        notes.append(f"No layer matches; the project has {len(store.layers())} layers. An empty query lists them.")
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


async def resolve_reference(context: ToolContext, desk: RunDesk, request: CallRequest) -> Outcome:
    """What words that point back mean. AMBIGUOUS with options for several layers, NOT_FOUND where nothing known fits."""
    text = str(request.arguments["text"])
    await context.catalogue.ready()
    layers = context.catalogue.layers()
    known = Known(layers, context.snapshot, desk.board, context.catalogue.search)
    return {"envelope": _resolved(text, resolve(text, known), known)}


def _resolved(text: str, meant: Meant, known: Known) -> Envelope:
    said = clean(text, 80)
    if meant.result_ref:
        return success({"result_ref": meant.result_ref, "why": meant.why})
    if not meant.layer_ids:
        hint = f"search_layers finds layers by words; the project has {len(known.layers)}. Else ask the person."
        return failure(NOT_FOUND, f"Nothing that is known fits '{said}'.", hint=hint, reason="reference")
    if meant.together:
        return success({"layer_ids": meant.layer_ids, "why": meant.why})
    if len(meant.layer_ids) == 1:
        return success({"layer_id": meant.layer_ids[0], "why": meant.why})
    by_id = {each["layer_id"]: each for each in known.layers}
    options = options_of(meant.layer_ids, lambda each: clean(spelled(by_id[each], known.layers), 80), text, MAX_OPTIONS)
    message = f"'{said}' can be {len(meant.layer_ids)} layers ({meant.why})."
    return failure(AMBIGUOUS, message, hint="Ask the person which.", reason="reference", options=options)


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
    "resolve_reference": resolve_reference,
    "ask_user": ask_user,
    "request_tool_pack": request_tool_pack,
    "update_plan": update_plan,
    "run_subagent": run_subagent,
}
