"""From our envelope to what a tool call answers over MCP.

Text only, and no output schema: where a result has structured content too, some hosts show the model that and drop the text, others
the reverse, and whoever shows both pays twice. One compact JSON text of at most 4,096 bytes is the same everywhere.
"""

from __future__ import annotations

import mcp_types as types

from ...bridge.envelope import Envelope
from ...bridge.messages import MAX_RESULT_BYTES
from ..context.untrusted import data_text, fitted
from ..execution.bound import bound, checked_envelope

_HARDER = (2000, 1000, 600)
"""Bytes to which an envelope is cut whose escapes would make it longer than it may be: each character can become six bytes."""


def text_of_envelope(envelope: Envelope) -> str:
    """The envelope as compact JSON in at most 4,096 bytes; what cannot be seen, and what begins a tag, is an escape."""
    whole = bound(checked_envelope(envelope))[0]
    text = data_text(whole)
    for limit in _HARDER:
        if len(text.encode("utf-8", "replace")) <= MAX_RESULT_BYTES:
            break
        text = data_text(fitted(whole, limit))
    return text


def tool_result(envelope: Envelope) -> types.CallToolResult:
    """The result of a call. ``is_error`` says of a failed one that the model can read why."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text_of_envelope(envelope))],
        is_error=not envelope.get("ok"),
    )
