"""Results and arguments of old calls made small: a skeleton that keeps what can be read again, or a clipped form.

All are pure, and each is its own fixed point: what was made small stays as it is.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

from ...bridge.envelope import encode

LEFT_OUT = "older result left out"
CLIPPED = " … [clipped]"
_KEPT = ("result_ref", "confirm_token", "layer_id", "total", "count", "count_kind", "returned", "crs", "unit", "field")
_KEPT_ENDINGS = ("_ref", "_id", "_ids", "_token", "_count")
_KEPT_FAILURE = ("code", "reason", "retryable")
_VALUE_CHARS = 120
_LIST_ITEMS = 10
_LIST_CHARS = 240
_FACTS_CHARS = 360
_STEPS = ((400, 5), (200, 3), (80, 2), (40, 1), (12, 0))
"""Characters of a string and items of a list that are kept, from mild to hard."""


@lru_cache(maxsize=2048)
def skeleton(content: str, tool: str, call_id: str) -> str:
    """A result without its body: tool, call id, ok or code, layers, handles and counts stay. Unchanged where that is no shorter."""
    envelope = _object(content)
    if envelope is None:
        smaller = encode({"ok": None, "data": {"tool": tool, "call_id": call_id}, "message": LEFT_OUT})
        return smaller if len(smaller) < len(content) else content
    if envelope.get("message") == LEFT_OUT:
        return content
    data = {"tool": tool, "call_id": call_id, **_facts(envelope.get("data"))}
    body: dict[str, Any] = {"ok": envelope.get("ok"), "data": data, "message": LEFT_OUT}
    body.update({key: envelope[key] for key in _KEPT_FAILURE if key in envelope})
    smaller = encode(body)
    return smaller if len(smaller) < len(content) else content


def _facts(data: Any) -> dict[str, Any]:
    """Handles, layers and counts of a result, one level deep and of what is nested in objects; rows are not looked into."""
    facts: dict[str, Any] = {}
    for key, value in data.items() if isinstance(data, dict) else ():
        if len(encode(facts)) > _FACTS_CHARS:
            break
        if key in _KEPT or key.endswith(_KEPT_ENDINGS):
            short = _short(value)
            if short is not None:
                facts[key] = short
        elif isinstance(value, dict):
            facts.update({inner: found for inner, found in _facts(value).items() if inner not in facts})
    return facts


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _VALUE_CHARS else None
    if isinstance(value, list):
        plain = [each for each in value if isinstance(each, (str, int, float))][:_LIST_ITEMS]
        return plain if plain and len(encode(plain)) <= _LIST_CHARS else None
    return value if isinstance(value, (int, float)) else None


@lru_cache(maxsize=2048)
def clipped_result(content: str, limit: int, tool: str = "", call_id: str = "") -> str:
    """A result in at most ``limit`` characters: long texts and lists cut, still JSON, handles whole; else its skeleton.

    ``limit`` is never under 800, which every skeleton fits in.
    """
    if len(content) <= limit:
        return content
    envelope = _object(content)
    if envelope is None:
        return content[: max(0, limit - len(CLIPPED))] + CLIPPED
    for length, items in _STEPS:
        smaller = encode(_clip(envelope, length, items))
        if len(smaller) <= limit:
            return smaller
    return skeleton(content, tool, call_id)


def _clip(node: Any, length: int, items: int) -> Any:
    if isinstance(node, str):
        return node if len(node) <= length else node[:length] + CLIPPED
    if isinstance(node, list):
        return [_clip(each, length, items) for each in node[:items]]
    if isinstance(node, dict):
        return {
            key: value if key.endswith(_KEPT_ENDINGS) else _clip(value, length, items) for key, value in node.items()
        }
    return node


@lru_cache(maxsize=512)
def clipped_arguments(arguments: str, limit: int) -> str:
    """Arguments whose texts are at most ``limit`` characters long, in their own JSON form; unchanged where none is longer."""
    value = _object(arguments)
    if value is None:
        return arguments
    smaller = _clip_texts(value, limit)
    return arguments if smaller == value else encode(smaller)


def _clip_texts(node: Any, limit: int) -> Any:
    if isinstance(node, str):
        return node if len(node) <= limit else node[: max(0, limit - len(CLIPPED))] + CLIPPED
    if isinstance(node, list):
        return [_clip_texts(each, limit) for each in node]
    if isinstance(node, dict):
        return {key: _clip_texts(value, limit) for key, value in node.items()}
    return node


def _object(text: str) -> dict[str, Any] | None:
    """A text read as a JSON object that can be written again, or None."""
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _finite(text: str) -> float:
    """A number as Python has it; ValueError for what JSON cannot write back (NaN, 1e999)."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number
