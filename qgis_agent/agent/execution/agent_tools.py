"""The tools that the agent process itself carries out: search_layers, ask_user, request_tool_pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ...bridge.envelope import Envelope, size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES
from ..context.catalogue import rank_layers
from ..context.untrusted import clean
from .context import ToolContext

MAX_ROWS = 200
MAX_FIELDS = 12


class PackDesk(Protocol):
    """Where packs of tools are asked for; see ToolMaterializer."""

    def request_pack(self, pack: str) -> Envelope:
        """Show the tools of a pack from the next turn on."""
        ...


Handler = Callable[[ToolContext, PackDesk, dict[str, Any]], dict[str, Any]]


def search_layers(context: ToolContext, packs: PackDesk, arguments: dict[str, Any]) -> dict[str, Any]:
    """Rank the pushed catalogue; the best rows that fit the budget."""
    del packs
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


def ask_user(context: ToolContext, packs: PackDesk, arguments: dict[str, Any]) -> dict[str, Any]:
    """Put a question to the person. The run ends; the answer is the next message."""
    del context, packs
    question = str(arguments["question"])
    options = [{"label": each, "send": each} for each in arguments.get("options", [])]
    return {
        "envelope": success({"asked": question}, "The person is asked; the answer comes as the next message."),
        "question": {"text": question, "options": options},
    }


def request_tool_pack(context: ToolContext, packs: PackDesk, arguments: dict[str, Any]) -> dict[str, Any]:
    """Show another pack, or say why not."""
    del context
    return {"envelope": packs.request_pack(str(arguments["pack"]))}


AGENT_TOOLS: Mapping[str, Handler] = {
    "search_layers": search_layers,
    "ask_user": ask_user,
    "request_tool_pack": request_tool_pack,
}
