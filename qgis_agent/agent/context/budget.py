"""How many tokens a request takes, for the ceiling, and making room in a long conversation at the start of a run."""

from __future__ import annotations

import json
from typing import Any

from ...bridge.envelope import UNSUPPORTED, encode, failure
from ..llm.tokens import estimate_tokens
from ..llm.types import LLMResponse, ProviderRequest, Usage

HISTORY_TOKENS = 40_000
"""A conversation over this is made smaller when the next run begins."""
_LEFT_OUT = "older result left out"


def estimated_usage(request: ProviderRequest, response: LLMResponse) -> Usage:
    """The usage of a model call whose provider does not report it."""
    calls = [[each.name, each.arguments] for each in response.tool_calls]
    return Usage(
        input_tokens=estimate_tokens(request.messages, request.tools),
        output_tokens=estimate_tokens(response.content, response.reasoning, calls),
        source="estimated",
    )


def trimmed(messages: list[dict[str, Any]], limit: int = HISTORY_TOKENS) -> list[dict[str, Any]]:
    """The history in about ``limit`` tokens: bodies of earlier tool results go first, then whole runs, oldest first.

    The last run stays as it is. A copy; the same list when there is room.
    """
    if estimate_tokens(messages) <= limit:
        return messages
    starts = [at for at, each in enumerate(messages) if each.get("role") == "user"]
    if not starts:
        return messages
    last = starts[-1]
    smaller = [_skeleton(each) for each in messages[:last]] + messages[last:]
    for start in starts[1:]:
        if estimate_tokens(smaller) <= limit:
            break
        gone = len(messages) - len(smaller)
        smaller = smaller[start - gone :]
    return smaller


def _skeleton(message: dict[str, Any]) -> dict[str, Any]:
    """A tool result without its body: the handle stays, so that it can be read again."""
    content = message.get("content")
    if message.get("role") != "tool" or not isinstance(content, str) or len(content) <= 200:
        return message
    try:
        envelope = json.loads(content)
    except ValueError:
        envelope = {}
    data = envelope.get("data") if isinstance(envelope, dict) else None
    kept = (
        {key: data[key] for key in ("result_ref", "layer_id", "total", "count") if key in data}
        if isinstance(data, dict)
        else {}
    )
    if isinstance(envelope, dict) and envelope.get("ok"):
        body = {"ok": True, "data": kept, "message": _LEFT_OUT}
    else:
        body = failure(UNSUPPORTED, _LEFT_OUT)
        body.update(
            {
                key: envelope[key]
                for key in ("code", "reason", "retryable")
                if isinstance(envelope, dict) and key in envelope
            }
        )
    return dict(message, content=encode(body))
