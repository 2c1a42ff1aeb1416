"""Sentences put one behind the other: an empty line ends a list, and Chinese sentences have no blank between them."""

from __future__ import annotations

from collections.abc import Iterable

_CHINESE_ENDS = "。！？；："


def and_then(text: str, more: str) -> str:
    """A text and what follows it: in the same line, or as a paragraph of its own below a list. Either may be empty."""
    if not text or not more:
        return text or more
    if _ends_in_list(text):
        return f"{text}\n\n{more}"
    return f"{text}{more}" if text.endswith(tuple(_CHINESE_ENDS)) else f"{text} {more}"


def in_lines(parts: Iterable[str]) -> str:
    """Each part in a line of its own; below a list an empty line, or Markdown takes what follows for a part of the list."""
    text = ""
    for part in parts:
        gap = "" if not text else "\n\n" if _ends_in_list(text) and not part.startswith("- ") else "\n"
        text += gap + part
    return text


def _ends_in_list(text: str) -> bool:
    return text.rpartition("\n")[2].startswith("- ")
