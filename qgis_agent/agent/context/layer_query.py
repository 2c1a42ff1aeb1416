"""What a query asks for: terms, each with its readings (a word, a concept, characters) and how much it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .layer_guesses import (
    INITIALS,
    MAX_GUESSED,
    SPELLED,
    Reading,
    concept_readings,
    cut_short,
    guesses,
    heard,
    initials_apart,
    mended,
    one_off,
    spelled,
    spelled_with_slip,
)
from .layer_index import LayerIndex
from .layer_sounds import syllables
from .layer_text import is_han, tokens
from .layer_words import EITHER, FUNCTION_HAN, STOP, STOP_HAN, WEAK, WEAK_HAN, Piece, glossary, pieces_of, split_run

_ALL_WORDS = 0.9
_WEAK, _NUMBER, _SHORT, _LETTER = 0.3, 0.4, 0.5, 0.2
_SIDES = 2
"""Characters beside one that is not known that may be part of a mistyped word."""
_LIST = re.compile(r"[,，、;；/&+]")


@dataclass(frozen=True)
class Term:
    """A part of a query. ``weight`` is how much it says; ``parts`` are tried one by one where the whole is not found."""

    text: str
    weight: float
    readings: tuple[Reading, ...]
    parts: tuple[Term, ...] = ()

    @property
    def strong(self) -> bool:
        """Whether a layer can be meant because of this term."""
        return self.weight >= 0.5


def terms_of(query: str, index: LayerIndex) -> list[list[Term]]:
    """The terms of a query in groups, each of which may be meant ("schools and hospitals"); none for "the layer"."""
    groups: list[list[Term]] = []
    for part in _LIST.split(query):
        groups.append([])
        for term in _terms(tokens(part), index):
            if term is None:
                groups.append([])
            else:
                groups[-1].append(term)
    return [each for each in groups if each]


def _terms(words: Sequence[str], index: LayerIndex) -> Iterator[Term | None]:
    """The terms of one part; None where another thing begins."""
    latin: list[str] = []
    for word in words:
        if not is_han(word) and word not in EITHER:
            latin.append(word)
            continue
        yield from _latin_terms(latin, index)
        latin = []
        if is_han(word):
            yield from _han_terms(word, index)
        else:
            yield None
    yield from _latin_terms(latin, index)


def _latin_terms(words: Sequence[str], index: LayerIndex) -> Iterator[Term]:
    pieces = glossary().pieces(tuple(mended(words, index)))
    at = 0
    while at < len(pieces):
        taken, term = _spelled_apart(pieces, at, index)
        if term is None and not (pieces[at].text in STOP and not pieces[at].concepts):
            term = _latin_term(pieces[at], index, at < MAX_GUESSED)
        if term is not None:
            yield term
        at += taken


def _spelled_apart(pieces: list[Piece], at: int, index: LayerIndex) -> tuple[int, Term | None]:
    """Several unknown words that are one Chinese word in pinyin ("yi yuan", "yunxi jiudian"): how many, and the term."""
    end = at
    while end < len(pieces) and not pieces[end].concepts and pieces[end].text.isalpha():
        end += 1
    words = [each.text for each in pieces[at:end]]
    for count in range(len(words), 1, -1):
        joined = "".join(words[:count])
        readings = tuple(spelled(joined, index)) or tuple(initials_apart(words[:count], index))
        if readings:
            return count, Term(joined, 1.0, readings)
    if len(words) > 1 and not any(each in STOP or index.has_word(each) for each in words):
        readings = tuple(spelled_with_slip("".join(words), index))
        if readings:
            return len(words), Term("".join(words), 1.0, readings)
    return 1, None


def _latin_term(piece: Piece, index: LayerIndex, guessing: bool) -> Term:
    text = piece.text
    readings = [Reading("word", text, 1.0), *concept_readings(piece.concepts)]
    if len(piece.words) > 1:
        readings.append(Reading("words", piece.words, _ALL_WORDS))
    if text.isdigit():
        return Term(text, _NUMBER, tuple(readings))
    if guessing and not piece.concepts:
        # A word that stands in the project may be the pinyin of another name there: hubei_gbk, and 湖北城市.
        readings.extend(spelled(text, index) if index.has_word(text) else guesses(text, index))
    if piece.concepts and not index.has_word(text):
        readings.extend(cut_short(text, index))
    weight = _LETTER if len(text) == 1 else _SHORT if len(text) == 2 else 1.0
    return Term(text, _WEAK if text in WEAK else weight, tuple(readings))


def _han_terms(run: str, index: LayerIndex) -> Iterator[Term | None]:
    """The terms of a run of characters: known words, what stands in the project, and the rest."""
    if not run:
        return
    parts = split_run(run, lambda part: _worth(part, run, index))
    repaired = _repaired(run, parts, index) if len(run) > 1 else None
    if repaired is not None:
        start, end, term = repaired
        yield from _han_terms(run[:start], index)
        yield term
        yield from _han_terms(run[end:], index)
        return
    for part, worth in parts:
        if part in EITHER and len(parts) > 1:
            yield None
        elif part not in STOP_HAN or part == run:
            yield _han_term(part, bool(worth), run, index)


def _worth(part: str, run: str, index: LayerIndex) -> float:
    """What a part of a run is worth in splitting it: words of the glossary most, then what stands in the project."""
    if (part in STOP_HAN or part in EITHER) and part != run:
        return 0.5 * len(part)
    if glossary().is_word(part, run):
        return float(len(part) ** 2)
    in_project = 0.0
    if len(part) > 1 and part[0] not in FUNCTION_HAN and part[-1] not in FUNCTION_HAN and index.has_characters(part):
        in_project = 0.9 * len(part) ** 2
    return max(in_project, 0.4 * len(part) if part in WEAK_HAN else 0.0)


def _han_term(part: str, known: bool, run: str, index: LayerIndex) -> Term:
    concepts = glossary().han_words.get(part, []) if glossary().is_word(part, run) else []
    readings = [Reading("characters", part, 1.0), *concept_readings(concepts)]
    if len(part) > 1:
        sounds = syllables(part)
        written = ["".join(sounds), "".join(each[0] for each in sounds) if len(sounds) > 2 else ""]
        ways = zip(written, (SPELLED, INITIALS), strict=True)
        readings += [Reading("word", each, trust) for each, trust in ways if index.has_word(each)]
    weight = _WEAK if part in WEAK_HAN else 1.0 if concepts else max(_SHORT, len(part) / 2)
    smaller = [each for each in pieces_of(part) if each.text not in STOP_HAN] if known and not concepts else []
    parts = tuple(_han_term(each.text, False, each.text, index) for each in smaller) if len(smaller) > 1 else ()
    return Term(part, weight, tuple(readings), parts)


def _repaired(run: str, parts: list[tuple[str, float]], index: LayerIndex) -> tuple[int, int, Term] | None:
    """The longest window around characters that are not known which sounds like, or is one character off, a known name."""
    at = 0
    for part, worth in parts:
        start, end = at, at + len(part)
        at = end
        for first, last in [] if worth else _windows(start, end, len(run)):
            readings = tuple(heard(run[first:last], index)) or tuple(one_off(run[first:last], index))
            if readings:
                return first, last, Term(run[first:last], (last - first) / 2, readings)
    return None


def _windows(start: int, end: int, length: int) -> list[tuple[int, int]]:
    """The places around ``start`` to ``end`` of two characters and more, the longest first."""
    firsts = range(max(0, start - _SIDES), start + 1)
    lasts = range(end, min(length, end + _SIDES) + 1)
    windows = [(first, last) for first in firsts for last in lasts if last - first > 1]
    return sorted(windows, key=lambda each: (each[0] - each[1], each))
