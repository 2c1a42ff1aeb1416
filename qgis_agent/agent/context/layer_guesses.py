"""What words can mean that are neither known nor in the project: pinyin, its initials, slips, words only begun."""

from __future__ import annotations

import importlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .layer_index import LayerIndex
from .layer_sounds import glossary_sounds, may_be_initials, may_be_pinyin, syllables
from .layer_text import is_han
from .layer_words import EITHER, STOP, WEAK, glossary

SAME, NARROWER, STEP_DOWN, BROADER = 0.96, 0.78, 0.08, 0.55
SPELLED, INITIALS, HEARD, BEGUN, SLIP, SLIPS = 0.85, 0.7, 0.75, 0.7, 0.75, 0.65
_MAX_READINGS = 200
MAX_GUESSED = 8
"""Words of a query whose meaning is guessed: more unknown ones make no name."""


@dataclass(frozen=True)
class Reading:
    """One way to read a term. ``kind`` is a method of LayerIndex: word, words, concept, characters, run."""

    kind: str
    value: Any
    quality: float


def concept_readings(concepts: Iterable[int], trust: float = 1.0) -> Iterator[Reading]:
    """The concepts, what is narrower, and what is broader where that may be meant."""
    words = glossary()
    for concept in concepts:
        for each, steps in words.kinds_of(concept).items():
            yield Reading("concept", each, trust * (SAME if not steps else NARROWER - STEP_DOWN * (steps - 1)))
        for each in words.near_broader.get(concept, ()):
            yield Reading("concept", each, trust * BROADER)


def guesses(word: str, index: LayerIndex) -> list[Reading]:
    """The readings of an unknown word: those of the first way that gives any."""
    if word in WEAK:
        return []
    for guess in (spelled, _initials, _slipped, _begun, spelled_with_slip):
        readings = list(guess(word, index))[:_MAX_READINGS]
        if readings:
            return readings
    return []


def spelled(word: str, index: LayerIndex) -> Iterator[Reading]:
    """Chinese names and words whose full pinyin a word is."""
    if may_be_pinyin(word):
        yield from (Reading("run", part, SPELLED) for part in index.sounds.spelled(word))
        for known in glossary_sounds()[0].get(word, ()):
            yield from _han_word(known, SPELLED)


def initials_apart(words: Sequence[str], index: LayerIndex) -> Iterator[Reading]:
    """Chinese names that begin so, for initials with blanks between ("yx jd")."""
    if all(may_be_initials(each) for each in words):
        yield from _initials("".join(words), index)


def _initials(word: str, index: LayerIndex) -> Iterator[Reading]:
    if may_be_initials(word):
        yield from (Reading("run", part, INITIALS) for part in index.sounds.initials(word))
        for known in glossary_sounds()[1].get(word, ()):
            yield from _han_word(known, INITIALS)


def spelled_with_slip(word: str, index: LayerIndex) -> Iterator[Reading]:
    """Chinese names and words whose full pinyin is one slip away."""
    if len(word) < 6 or not may_be_pinyin(word):
        return
    heard = index.sounds.all_spelled
    near = {text for text, _ in _closest(word, index.all_sounds, 1)}
    runs = index.sounds.runs
    yield from (Reading("run", (runs[at], len(runs[at])), SLIPS) for at, each in enumerate(heard) if each in near)
    for each in sorted(near):
        for known in glossary_sounds()[0].get(each, ()):
            yield from _han_word(known, SLIPS)


def heard(window: str, index: LayerIndex) -> Iterator[Reading]:
    """Names and words that sound like these characters."""
    letters = "".join(syllables(window))
    yield from (Reading("run", part, HEARD) for part in index.sounds.spelled(letters))
    for known in glossary_sounds()[0].get(letters, ()):
        yield from _han_word(known, HEARD)


def one_off(window: str, index: LayerIndex) -> Iterator[Reading]:
    """Names and words of four characters and more of which one is wrong, missing or too many."""
    if len(window) < 4:
        return
    for text, _ in _closest(window, index.all_runs, 1):
        yield Reading("run", (text, len(text)), SLIPS)
        yield from concept_readings(glossary().han_words.get(text, ()), SLIPS)


def mended(words: Sequence[str], index: LayerIndex) -> list[str]:
    """The words, with slips put right where that makes a known phrase ("trafic accident", "bie lane", "merto lin")."""
    better = list(words)
    for at, word in enumerate(words[:MAX_GUESSED]):
        if _is_known(word, index) or any(spelled(word, index)):
            continue
        for near, _ in _closest(word, glossary().phrase_list, max(1, _slips(word)), least=3):
            tried = [*better[:at], near, *better[at + 1 :]]
            if any(glossary().is_phrase(tried[start:end]) for start, end in _windows(at, len(tried))):
                better = tried
                break
        else:
            better = _as_one(better, at)
    return better


def _as_one(words: list[str], at: int) -> list[str]:
    """The words, those around one of them replaced by the phrase that they are together but for two slips."""
    for start, end in _windows(at, len(words)):
        joined = "".join(words[start:end])
        near = _closest(joined, glossary().joined_list, _slips(joined)) if len(joined) > 7 else []
        meant = glossary().of_joined[near[0][0]] if near else ()
        if len(meant) == end - start:
            return [*words[:start], *meant, *words[end:]]
    return words


def _windows(at: int, length: int) -> list[tuple[int, int]]:
    """Two to four places in a row with ``at`` among them."""
    starts = range(max(0, at - 2), at + 1)
    return [(start, end) for start in starts for end in range(max(at + 1, start + 2), min(length, start + 4) + 1)]


def _is_known(word: str, index: LayerIndex) -> bool:
    return _is_word(word) or index.has_word(word)


def _han_word(word: str, trust: float) -> Iterator[Reading]:
    """A Chinese word that may be meant, and what means the same."""
    yield Reading("characters", word, trust)
    yield from concept_readings(glossary().han_words[word], trust)


def _slips(word: str) -> int:
    """How many slips a word of this length may have."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2 if len(word) < 11 else 3


def _closest(word: str, choices: list[str], most: int, least: int = 4) -> list[tuple[str, int]]:
    """The choices fewest slips away (letters wrong, missing, too many or swapped), at most ``most``, of ``least`` letters.

    ``choices`` are sorted. The first letter is right, or is the second one (swapped, or one letter before it too many).
    """
    if not most or len(word) < least:
        return []
    process: Any = importlib.import_module("rapidfuzz.process")
    distance: Any = importlib.import_module("rapidfuzz.distance")
    good: list[tuple[str, int]] = []
    for letter, allowed in {word[1]: 1, word[0]: most}.items():  # the first one where both are the same letter
        start = bisect_left(choices, letter)
        alike = choices[start : bisect_left(choices, chr(ord(letter) + 1), start)]
        near = process.extract(word, alike, scorer=distance.OSA.distance, score_cutoff=allowed, limit=None)
        good += [(text, int(slips)) for text, slips, _ in near if len(text) >= least]
    fewest = min((slips for _, slips in good), default=0)
    return sorted({each for each in good if each[1] == fewest})


def cut_short(word: str, index: LayerIndex) -> Iterator[Reading]:
    """Words of the project that are the beginning of a longer known word and no word themselves: elev of elevation."""
    for length in range(4, len(word)):
        begun = word[:length]
        if index.has_word(begun) and not _is_word(begun):
            yield Reading("word", begun, BEGUN)


def _is_word(word: str) -> bool:
    known = glossary()
    return word in known.by_word or word in known.phrase_words or word in STOP or word in WEAK or word in EITHER


def _slipped(word: str, index: LayerIndex) -> Iterator[Reading]:
    known = glossary().by_word
    near = _closest(word, index.all_words, _slips(word))
    bare = word.rstrip("s")  # the plural's ending is gone where it was right, and in the way where it was not
    for text, slips in near or (_closest(bare, index.all_words, _slips(bare)) if bare != word else ()):
        trust = SLIP if slips == 1 else SLIPS
        yield Reading("word", text, trust)
        yield from concept_readings(known.get(text, ()), trust)


def _begun(word: str, index: LayerIndex) -> Iterator[Reading]:
    if len(word) >= 4 and not is_han(word):
        at = bisect_left(index.all_words, word)
        while at < len(index.all_words) and index.all_words[at].startswith(word):
            yield Reading("word", index.all_words[at], BEGUN)
            yield from concept_readings(glossary().by_word.get(index.all_words[at], ()), BEGUN)
            at += 1
