"""How Chinese names sound: full pinyin and initials, from any of their characters on."""

from __future__ import annotations

import importlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import cast

from .layer_words import glossary, pieces_of

_LEAST_INITIALS = 3
_INITIALS = re.compile(r"[abcdefghjklmnopqrstwxyz]{2,10}")
"""Letters that a syllable can begin with."""
_LETTERS = re.compile(r"[a-z]{4,40}")


@lru_cache(maxsize=1)
def _spell() -> Callable[[str], list[str]]:
    return cast("Callable[[str], list[str]]", importlib.import_module("pypinyin").lazy_pinyin)


@lru_cache(maxsize=16_384)
def _spelled(word: str) -> tuple[str, ...]:
    return tuple(_spell()(word))


@lru_cache(maxsize=65_536)
def syllables(run: str) -> tuple[str, ...]:
    """The syllables of a run of characters without tones: known words as words (银行 is yin hang), others one by one."""
    found: list[str] = []
    for piece in pieces_of(run):
        found.extend(_spelled(piece.text) if piece.concepts else [each for one in piece.text for each in _spelled(one)])
    return tuple(found)


class Sounds:
    """Runs of characters by how they sound."""

    def __init__(self, runs: Iterable[str]) -> None:
        self.runs = sorted(set(runs))
        self._from: list[tuple[str, int, int]] = []
        self._initials: dict[str, list[int]] = {}
        for at, run in enumerate(self.runs):
            spelled = syllables(run)
            self._from.extend(("".join(spelled[start:]), at, start) for start in range(len(spelled)))
            first = "".join(each[0] for each in spelled)
            ends = {first} if len(first) > 1 else set()
            ends |= {first[:end] for end in range(_LEAST_INITIALS, len(first))}
            ends |= {first[start:] for start in range(1, len(first) - _LEAST_INITIALS + 1)}
            for each in ends:
                self._initials.setdefault(each, []).append(at)
        self._from.sort()

    def spelled(self, letters: str) -> list[tuple[str, int]]:
        """The runs in which ``letters`` are whole syllables, and how many: two or more, or one that is all of the run."""
        found: dict[str, int] = {}
        place = bisect_left(self._from, (letters, -1, -1))
        while place < len(self._from) and self._from[place][0].startswith(letters):
            _, at, start = self._from[place]
            count = _whole(letters, syllables(self.runs[at])[start:], alone=start == 0)
            if count:
                found[self.runs[at]] = max(count, found.get(self.runs[at], 0))
            place += 1
        return list(found.items())

    def initials(self, letters: str) -> list[tuple[str, int]]:
        """The runs whose syllables begin with ``letters``: all, or three and more from the start or to the end."""
        return [(self.runs[at], len(letters)) for at in self._initials.get(letters, ())]

    @cached_property
    def all_spelled(self) -> list[str]:
        """The full spelling of each run, in the order of ``runs``."""
        return ["".join(syllables(each)) for each in self.runs]


def _whole(letters: str, spelled: tuple[str, ...], alone: bool) -> int:
    """How many whole syllables from the first on ``letters`` are; 0 where they are none, or one of several."""
    length = 0
    for count, each in enumerate(spelled, 1):
        length += len(each)
        if length >= len(letters):
            fits = length == len(letters) and (count > 1 or (alone and len(spelled) == 1))
            return count if fits else 0
    return 0


def may_be_pinyin(word: str) -> bool:
    """Whether a word is long enough, and of plain letters, to be the spelling of two characters."""
    return _LETTERS.fullmatch(word) is not None


def may_be_initials(word: str) -> bool:
    """Whether syllables can begin with all letters of a word."""
    return _INITIALS.fullmatch(word) is not None


@lru_cache(maxsize=1)
def glossary_sounds() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The Chinese words of the glossary by full pinyin, and by initials."""
    full: dict[str, tuple[str, ...]] = {}
    first: dict[str, tuple[str, ...]] = {}
    for word in glossary().han_words:
        if len(word) > 1:
            spelled = _spelled(word)
            joined, letters = "".join(spelled), "".join(each[0] for each in spelled)
            full[joined] = (*full.get(joined, ()), word)
            first[letters] = (*first.get(letters, ()), word)
    return full, first
