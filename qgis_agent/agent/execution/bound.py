"""The last resort of the 4,096-byte budget: QGIS has already fitted its results, this holds whatever comes."""

from __future__ import annotations

from typing import Any

from ...bridge.envelope import CODES, UPSTREAM_ERROR, Envelope, failure, size_bytes
from ...bridge.messages import MAX_RESULT_BYTES

_STEPS = ((400, 60), (200, 20), (80, 5), (40, 2), (12, 2))
"""Characters of a string and items of a list or object that are kept, from mild to hard."""
_KEPT_KEYS = ("result_ref", "layer_id", "total", "count")


def bound(envelope: Envelope) -> tuple[Envelope, bool]:
    """The envelope in at most 4,096 bytes of JSON, and whether anything was left out. Code, reason and retryable stay."""
    if size_bytes(envelope) <= MAX_RESULT_BYTES:
        return envelope, False
    for length, items in _STEPS:
        smaller = {key: _clip(value, length, items) for key, value in envelope.items()}
        smaller["message"] = (str(smaller.get("message", "")) + " (shortened to fit)").strip()
        if size_bytes(smaller) <= MAX_RESULT_BYTES:
            return smaller, True
    data = envelope.get("data")
    kept = {key: data[key] for key in _KEPT_KEYS if key in data} if isinstance(data, dict) else {}
    rest = {key: _clip(value, 200, 2) for key, value in envelope.items() if key != "data"}
    smallest = dict(rest, data={key: _clip(value, 120, 2) for key, value in kept.items()})
    return smallest, True


def _clip(node: Any, length: int, items: int) -> Any:
    if isinstance(node, str):
        return node if len(node) <= length else node[:length] + "…"
    if isinstance(node, list):
        return [_clip(each, length, items) for each in node[:items]]
    if isinstance(node, dict):
        entries = list(node.items())
        kept = entries[:items] + [each for each in entries[items:] if each[0] in _KEPT_KEYS]
        return {key: value if key == "result_ref" else _clip(value, length, items) for key, value in kept}
    return node


def _is_json(value: Any) -> bool:
    """Whether it can be written as JSON at all (no NaN, no endless nesting)."""
    try:
        size_bytes(value)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def checked_envelope(value: Any) -> Envelope:
    """An envelope as it came over the bridge, or UPSTREAM_ERROR where it is none."""
    if isinstance(value, dict) and isinstance(value.get("ok"), bool) and _is_json(value):
        if value["ok"]:
            return {"ok": True, "data": value.get("data"), "message": str(value.get("message", ""))}
        if value.get("code") in CODES:
            return value
    return failure(UPSTREAM_ERROR, "QGIS sent an answer that is no envelope.", hint="Try another way.", reason="bridge")
