"""Tokens of one model call, from what the provider reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .types import Usage


def usage_of(raw: Mapping[str, Any]) -> Usage:
    """A provider's usage object as ours. Input counts include cached ones, output counts include thinking.

    Three habits differ: DeepSeek names its cached tokens ``prompt_cache_hit_tokens``; Anthropic's own form (``input_tokens``)
    counts cached tokens beside the others; some servers leave thinking out of ``completion_tokens`` and add it to the total
    only.
    """
    if "prompt_tokens" not in raw and "input_tokens" in raw:
        return _anthropic(raw)
    prompt, completion = _count(raw.get("prompt_tokens")), _count(raw.get("completion_tokens"))
    details = _details(raw, "prompt_tokens_details")
    cached = details.get("cached_tokens")
    if cached is None:
        cached = raw.get("prompt_cache_hit_tokens", raw.get("cache_read_input_tokens"))
    written = details.get("cache_creation_tokens")
    if written is None:
        written = raw.get("cache_creation_input_tokens")
    reasoning = _count(_details(raw, "completion_tokens_details").get("reasoning_tokens"))
    if reasoning and _count(raw.get("total_tokens")) == prompt + completion + reasoning:
        completion += reasoning
    return Usage(
        prompt,
        completion,
        min(_count(cached), prompt),
        "provider",
        min(reasoning, completion),
        min(_count(written), max(0, prompt - _count(cached))),
    )


def _anthropic(raw: Mapping[str, Any]) -> Usage:
    cached, written = _count(raw.get("cache_read_input_tokens")), _count(raw.get("cache_creation_input_tokens"))
    return Usage(
        _count(raw.get("input_tokens")) + cached + written,
        _count(raw.get("output_tokens")),
        cached,
        "provider",
        0,
        written,
    )


def _details(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return max(0, int(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
