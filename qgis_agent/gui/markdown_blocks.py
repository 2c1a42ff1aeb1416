"""Where Markdown that is still being written may be cut: between two blocks that no later word can join any more."""

from __future__ import annotations

import re
from typing import List

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_ITEM = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_MAYBE_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]?)")
"""The beginning of a line that may yet become an item of a list."""


def boundaries(text: str, whole: bool = False) -> List[int]:
    """Positions in ``text`` at which a new block begins, the first one left out. ``whole``: nothing more will come.

    A list is one block, also with blank lines between its items: Qt numbers each list from its own beginning. Code between
    fences is one block. A line whose kind is not known yet begins none.
    """
    found: List[int] = []
    fence, in_list, apart, position = "", False, False, 0
    first = True
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence, apart = "", True
            continue
        if not line.strip():
            apart = True
            continue
        item = _ITEM.match(line) is not None
        if apart and not first:
            undecided = not whole and not line.endswith("\n") and _MAYBE_ITEM.fullmatch(line.strip()) is not None
            if not (in_list and (item or undecided or line[0] in " \t")):
                found.append(start)
                in_list = item
        else:
            in_list = in_list or item
        first = apart = False
        if mark:
            fence = mark.group(1)
    return found


def pieces(text: str, size: int) -> List[str]:
    """``text`` in pieces of about ``size`` characters that end where a block ends; a longer block stays whole."""
    cuts = [0]
    last = 0
    for at in [*boundaries(text, whole=True), len(text)]:
        if at - cuts[-1] > size and last > cuts[-1]:
            cuts.append(last)
        last = at
    return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)])]
