"""Text that others wrote: control and bidi characters out, one line, clipped; and JSON that fits a number of bytes."""

from __future__ import annotations

import unicodedata
from typing import Any

from ...bridge.envelope import size_bytes


def clean(text: str, length: int = 256) -> str:
    """Data as text: no characters of category C (control, bidi, surrogates), blanks folded, at most ``length`` characters."""
    kept = "".join(" " if each in "\t\r\n\u2028\u2029" else each for each in text if _kept(each))
    kept = " ".join(kept.split())
    return kept if len(kept) <= length else kept[: length - 1] + "…"


def _kept(character: str) -> bool:
    return character in "\t\r\n" or unicodedata.category(character)[0] != "C"


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
