"""How many tokens a request takes, for the ceiling; what is said of a compaction; and trimming at the start of a run."""

from __future__ import annotations

import json
from typing import Any

from ...bridge.envelope import UNSUPPORTED, encode, failure
from ..llm.tokens import estimate_tokens, request_tokens
from ..llm.types import LLMResponse, ProviderRequest, Usage
from .compaction import Compaction

HISTORY_TOKENS = 40_000
"""A conversation over this is made smaller when the next run begins."""
_LEFT_OUT = "older result left out"
_SENTENCES: dict[str, tuple[str, str]] = {
    "pruned": (
        "Older tool results were left out of the request: about {before} tokens became {after}.",
        "较早的工具结果已从请求中略去：约 {before} 个词元减至 {after} 个。",
    ),
    "summarised": (
        "The beginning of the conversation was summarised: about {before} tokens became {after}.",
        "对话的前面部分已压缩成摘要：约 {before} 个词元减至 {after} 个。",
    ),
    "fallback": (
        "The model could not summarise the beginning of the conversation, so a list of its steps stands in: about {before} "
        "tokens became {after}.",
        "模型未能生成摘要，已用步骤清单代替对话的前面部分：约 {before} 个词元减至 {after} 个。",
    ),
    "stuck": (
        "The conversation cannot be made much smaller: it takes about {after} of {usable} tokens, of which the instructions "
        "and tools alone take {floor}. Start a new conversation, show fewer tool packs, or choose a model with a longer context.",
        "对话已无法再明显压缩：约占 {usable} 个词元中的 {after} 个，其中仅指令和工具就占 {floor} 个。"
        "请新建对话、减少启用的工具包，或换用上下文更长的模型。",
    ),
}


def estimated_usage(request: ProviderRequest, response: LLMResponse) -> Usage:
    """The usage of a model call whose provider does not report it."""
    calls = [[each.name, each.arguments] for each in response.tool_calls]
    return Usage(
        input_tokens=request_tokens(request.messages, request.tools),
        output_tokens=estimate_tokens(response.content, response.reasoning, calls),
        source="estimated",
    )


def compaction_text(outcome: Compaction, usable: int, language: str) -> str:
    """What a person reads of a compaction, in "en" or "zh"; "" where nothing was done. ``usable``: tokens of the limits."""
    pair = _SENTENCES.get(outcome.kind)
    if pair is None:
        return ""
    text = pair[1 if language == "zh" else 0]
    return text.format(before=outcome.before, after=outcome.after, usable=usable, floor=outcome.floor)


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
