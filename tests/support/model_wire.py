"""Scenarios of providers that speak something else than OpenAI's form, or want something of the history."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model_server import Exchange

SIGNATURE = "c2lnbmF0dXJlIG9mIHRob3VnaHRz"
THOUGHTS = ("The person wants ", "the streets.")


def _lines(say: Exchange, *lines: dict[str, Any]) -> None:
    """Ollama's own stream: one JSON object a line."""
    say.content_type = "application/x-ndjson"
    for line in lines:
        say.raw(json.dumps({"model": say.body["model"], "created_at": "2026-01-01T00:00:00Z", **line}).encode() + b"\n")
    say.close_body()


def _ollama(prompt_tokens: int | None) -> Callable[[Exchange], None]:
    """Two calls in Ollama's form. ``prompt_tokens`` is what it says it has read; None reads all that it was sent."""

    def play(say: Exchange) -> None:
        sent = len(json.dumps(say.body, ensure_ascii=False).encode()) // 4
        calls = [
            {"function": {"name": "count_features", "arguments": {"layer_id": "schools"}}},
            {"function": {"name": "zoom_to", "arguments": {"layer_id": "街道", "where": []}}},
        ]
        _lines(
            say,
            {"message": {"role": "assistant", "content": "Let me look."}, "done": False},
            {"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": False},
            {
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": sent if prompt_tokens is None else prompt_tokens,
                "eval_count": 20,
            },
        )

    return play


def _deepseek(say: Exchange) -> None:
    """A model that thinks: it refuses a history in which a turn of its own lacks its thoughts."""
    for at, message in enumerate(say.body["messages"]):
        if message["role"] == "assistant" and not message.get("reasoning_content"):
            say.error(400, f"Missing `reasoning_content` field in the assistant message at message index {at}.")
            return
    for thought in THOUGHTS:
        say.delta({"reasoning_content": thought})
    say.call('{"layer_id":"街道"}', index=0, id="call_zoom", type="function", name="zoom_to")
    say.finish("tool_calls")


def _cut(say: Exchange) -> None:
    """OpenAI's form in front of a server that cuts: it has read 4,096 tokens, whatever it was sent."""
    say.delta({"content": "Hello! How can I help?"})
    say.delta({}, "stop")
    usage = {"prompt_tokens": 4096, "completion_tokens": 8, "total_tokens": 4104}
    say.event(json.dumps(say.chunk([], usage=usage)))
    say.done()


def _anthropic(say: Exchange) -> None:
    """Signed thoughts, then a call."""

    def event(kind: str, **fields: Any) -> None:
        say.raw(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields}, ensure_ascii=False)}\n\n".encode())

    def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> None:
        event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            event("content_block_delta", index=index, delta=delta)
        event("content_block_stop", index=index)

    usage = {
        "input_tokens": 40,
        "cache_read_input_tokens": 1000,
        "cache_creation_input_tokens": 160,
        "output_tokens": 1,
    }
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": say.body["model"], "content": []}
    event("message_start", message={**message, "stop_reason": None, "usage": usage})
    thoughts = [{"type": "thinking_delta", "thinking": each} for each in THOUGHTS]
    block(0, {"type": "thinking", "thinking": ""}, *thoughts, {"type": "signature_delta", "signature": SIGNATURE})
    pieces = [{"type": "input_json_delta", "partial_json": each} for each in ('{"layer_id"', ':"街道"}')]
    block(1, {"type": "tool_use", "id": "toolu_1", "name": "zoom_to", "input": {}}, *pieces)
    event("message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None}, usage={"output_tokens": 34})
    event("message_stop")
    say.close_body()


def _gemini(say: Exchange) -> None:
    """A call with the signature of the thoughts behind it."""
    call = {"functionCall": {"name": "zoom_to", "args": {"layer_id": "街道"}}, "thoughtSignature": SIGNATURE}
    candidate = {"content": {"role": "model", "parts": [call]}, "finishReason": "STOP", "index": 0}
    usage = {
        "promptTokenCount": 1200,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 14,
        "totalTokenCount": 1234,
        "cachedContentTokenCount": 1024,
    }
    say.event(json.dumps({"candidates": [candidate], "usageMetadata": usage}, ensure_ascii=False))
    say.close_body()


SCENARIOS: dict[str, Callable[[Exchange], None]] = {
    "ollama": _ollama(None),
    "ollamacut": _ollama(16384),
    "cut": _cut,
    "deepseek-v4-flash": _deepseek,
    "claude-haiku-4-5": _anthropic,
    "gemini-2.5-flash": _gemini,
}
