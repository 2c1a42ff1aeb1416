"""A word to the person in their own host while QGIS waits for their click.

commit_action of a write that nobody has decided on answers not_armed, and the model would have to come again by itself. A host that
can put a question to its person (elicitation) is asked to say instead: decide in QGIS, then go on here. The answer arms nothing, and
nothing relies on it: some hosts decline by themselves, and many cannot ask. "Decline" means declined or not available.
"""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ...bridge.envelope import CONFIRM_REQUIRED, Envelope, failure

COMMIT = "commit_action"
NOT_ARMED = "not_armed"
KEY = "decided_in_qgis"
WAIT_S = 120.0
_WORDS = (
    "QGIS asks you whether this may be written, and shows what it would be. Decide there, then go on here.",
    "QGIS 正在询问您是否允许写入，并显示将要写入的内容。请先在 QGIS 中决定，再在这里继续。",
)


def waits_for_click(tool: str, envelope: Envelope) -> bool:
    """Whether a call is a write that no person has decided on yet."""
    return tool == COMMIT and envelope.get("code") == CONFIRM_REQUIRED and envelope.get("reason") == NOT_ARMED


def declined(params: types.CallToolRequestParams) -> Envelope | None:
    """The answer to a call that comes again because the host's person was asked, and did not say yes; None for all others."""
    answer = (params.input_responses or {}).get(KEY) if params.name == COMMIT else None
    if answer is None or getattr(answer, "action", "") == "accept":
        return None
    return failure(
        CONFIRM_REQUIRED,
        "A person has not agreed to this write.",
        hint="A person decides in QGIS, where the question stays open; call commit_action again after that.",
        reason=NOT_ARMED,
    )


def can_be_asked(context: Any) -> bool:
    """Whether the host said that it can put a form to its person."""
    told = context.session.client_capabilities
    asks = told.elicitation if told is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)  # an empty one means forms


def form(chinese: bool) -> types.ElicitRequestFormParams:
    """The question: words and two buttons, nothing to fill in."""
    return types.ElicitRequestFormParams(message=_WORDS[chinese], requested_schema={"type": "object", "properties": {}})


async def asked_on_the_stream(context: Any, chinese: bool) -> bool:
    """Ask a host of the older era, where the stream goes both ways. True where its person says that they have decided."""
    if not context.session.can_send_request:
        return False
    params = form(chinese)
    try:
        asked = context.session.elicit_form(params.message, params.requested_schema, context.request_id)
        answer = await asyncio.wait_for(asked, WAIT_S)
    except (MCPError, asyncio.TimeoutError):
        return False
    return bool(answer.action == "accept")
