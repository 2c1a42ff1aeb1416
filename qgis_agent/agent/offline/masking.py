"""Names of layers kept whole while a sentence is parted: each name that stands in it becomes one private character.

So a name may hold blanks, commas, "and", numbers or words of command without being torn: "bus stops 2023 per street".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...bridge.messages import CatalogueLayer
from .naming import group_name
from .text import simplify

_FIRST = 0xE000
_MARK = re.compile("[\ue000-\uf8ff]")
_MARKS = 6000


@dataclass
class Masked:
    """A sentence in simplified characters with names as marks; ``restore`` gives back what the person wrote."""

    original: str
    plain: str
    names: list[str] = field(default_factory=list)

    def restore(self, text: str) -> str:
        """The words of the person for a part of ``plain``."""
        parts: list[str] = []
        end = 0
        for found in _MARK.finditer(text):
            parts += [self._written(text[end : found.start()]), self.names[ord(found.group()) - _FIRST]]
            end = found.end()
        return "".join([*parts, self._written(text[end:])])

    def _written(self, text: str) -> str:
        simple = simplify(self.original)
        if simple == self.original or not text:
            return text
        at = simple.find(text)
        return self.original[at : at + len(text)] if at >= 0 else text


def unmasked(sentence: str) -> Masked:
    """The sentence in simplified characters, no name kept whole."""
    bare = _MARK.sub("", sentence)
    return Masked(bare, simplify(bare))


def masked(sentence: str, layers: Sequence[CatalogueLayer]) -> Masked | None:
    """The sentence with the names of ``layers`` as marks, longest first; None when no name of more than one word part stands in it."""
    result = unmasked(sentence)
    lowered = result.plain.casefold()
    if len(lowered) != len(result.plain):
        return None
    bracketed = {f"[{group_name(layer)}]" for layer in layers if layer["group"]}
    names = {each for layer in layers for each in (layer["name"], layer["layer_id"])} | bracketed
    for name in sorted(names, key=len, reverse=True):
        wanted = simplify(name).casefold()
        if len(wanted) < 2 or wanted not in lowered or len(result.names) >= _MARKS:
            continue
        result, lowered = _put(result, lowered, wanted)
    return result if result.names else None


def _put(result: Masked, lowered: str, wanted: str) -> tuple[Masked, str]:
    """Every occurrence of ``wanted`` as a mark. Latin names must stand as words of their own."""
    left = r"(?<![^\W_])" if wanted[0].isascii() and wanted[0].isalnum() else ""
    right = r"(?![^\W_])" if wanted[-1].isascii() and wanted[-1].isalnum() else ""
    left, right = (each.replace(r"[^\W_]", "[A-Za-z0-9]") for each in (left, right))
    plain, names, end, marked = result.plain, list(result.names), 0, ""
    for found in re.finditer(left + re.escape(wanted) + right, lowered):
        names.append(plain[found.start() : found.end()])
        marked += plain[end : found.start()] + chr(_FIRST + len(names) - 1)
        end = found.end()
    marked += plain[end:]
    return Masked(result.original, marked, names), marked.casefold()
