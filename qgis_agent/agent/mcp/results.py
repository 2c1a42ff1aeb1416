"""From our envelope to what a tool call answers over MCP.

Text only, and no output schema: where a result has structured content too, some hosts show the model that and drop the text, others
the reverse, and whoever shows both pays twice. One compact JSON text of at most 4,096 bytes is the same everywhere.
"""

from __future__ import annotations

import mcp_types as types

from ...bridge.envelope import Envelope
from ..context.untrusted import data_text
from ..execution.bound import bound, checked_envelope


def text_of_envelope(envelope: Envelope) -> str:
    """The envelope as compact JSON in at most 4,096 bytes; what cannot be seen, and what begins a tag, is an escape."""
    return data_text(bound(checked_envelope(envelope))[0])


def tool_result(envelope: Envelope) -> types.CallToolResult:
    """The result of a call. ``is_error`` says of a failed one that the model can read why."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text_of_envelope(envelope))],
        is_error=not envelope.get("ok"),
    )
