"""Text that others wrote: what cannot be seen out, one line, clipped; and JSON for a model in which data stays data.

A block of data is JSON, so that no quotation mark in it ends it, stands in a message of its own or between two random marks,
and is labelled as data (``ContextManager``). Which calls may follow from it is decided by policy, never by these words.
"""

from __future__ import annotations

from typing import Any

from ...bridge.envelope import encode, size_bytes
from ...bridge.messages import MAX_RESULT_BYTES
from ...bridge.text import clean, escaped, stripped

__all__ = ["clean", "clean_json", "data_text", "fitted"]


def data_text(node: Any, limit: int = MAX_RESULT_BYTES) -> str:
    """JSON for a model: what cannot be seen, and what begins a tag or a special token, is written as an escape.

    Where the escapes would make more than ``limit`` bytes (a text of nothing but zero-width characters), they are left out.
    """
    plain = encode(node)
    text = escaped(plain)
    if text == plain or len(text.encode("utf-8", "replace")) <= limit:
        return text
    return stripped(plain)


def clean_json(node: Any, length: int = 120, items: int = 20) -> Any:
    """A copy of JSON data with every string cleaned and clipped, and lists and objects cut to ``items``."""
    if isinstance(node, str):
        return clean(node, length)
    if isinstance(node, (list, tuple)):
        return [clean_json(each, length, items) for each in node[:items]]
    if isinstance(node, dict):
        return {clean(str(key), 60): clean_json(value, length, items) for key, value in list(node.items())[:items]}
    return node if isinstance(node, (int, float, bool)) or node is None else clean(str(node), length)


def fitted(node: Any, limit: int) -> Any:
    """``clean_json`` of data in at most ``limit`` bytes: harder cuts until it fits, then nothing."""
    for length, items in ((120, 20), (60, 12), (30, 6), (12, 3)):
        smaller = clean_json(node, length, items)
        if size_bytes(smaller) <= limit:
            return smaller
    return {}
