"""Sentences without data: what this program wrote passes, and names of layers and fields in it; anything else is "…".

A text is taken apart by the sentences of this program (``i18n.own_sentences``): their literal words are ours, what stands in
their placeholders is looked through again in the same way, and in the end only names pass. So it does not matter which
sentence fits: nothing that came from data can pass as a word of ours, except where it is word for word one of our sentences.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import Iterable, List, NamedTuple, Optional, Pattern, Tuple

from ..i18n import own_sentences

GAP = "…"
MIN_LITERAL = 6
"""Letters that a sentence must have of its own to be looked for: fewer fit everywhere."""
MAX_TEXT = 8_000
_ENGLISH: Tuple[str, ...] = ("Did you mean {}?", "Valid {}: {}.", "There is no {} here.", "{} and {} more")
"""What ``bridge.envelope.hint_for_name`` writes, which is not translated."""
_JOINING = re.compile(r"(?:[\s.,;:!?'\"()\[\]“”‘’、，。；：（）/·]|\b(?:and|or)\b|和|或)+")
_GAPS = re.compile("{0}(?:[\\s.,;:'\"“”‘’、，+-]*{0})+".format(GAP))


class Sentence(NamedTuple):
    """A sentence of ours: its literal parts, the one to look for first, and the pattern that finds its values."""

    parts: Tuple[str, ...]
    anchor: str
    weight: int


@lru_cache(maxsize=20_000)
def _sentence(template: str) -> Optional[Sentence]:
    """None for a template that has too few words of its own, or that is no template."""
    try:
        parts = tuple(literal for literal, *_rest in _pieces(template))
    except ValueError:  # braces that are none of ours
        return None
    whole = "".join(parts)
    words = len(whole.split()) > 1 or not whole.isascii()
    weight = sum(each.isalnum() for each in whole)
    if not words or weight < (MIN_LITERAL if whole.isascii() else MIN_LITERAL // 2):
        return None
    return Sentence(parts, max(parts, key=len), weight)


def _pieces(template: str) -> List[Tuple[str, bool]]:
    """(literal, ends with a placeholder) for each piece, with an empty one behind a last placeholder."""
    found: List[Tuple[str, bool]] = []
    literal = ""
    for text, name, _spec, _conversion in string.Formatter().parse(template):
        literal += text
        if name is not None:
            found.append((literal, True))
            literal = ""
    return [*found, (literal, False)]


@lru_cache(maxsize=2_000)
def _pattern(parts: Tuple[str, ...]) -> Pattern[str]:
    """What is before the sentence, its values, and what is behind it: the last place where it stands, with short values."""
    body = "(.*?)".join(re.escape(each) for each in parts)
    if len(parts) > 1 and not parts[-1]:  # its last value goes on to the end
        body = body[: -len("(.*?)")] + "(.*)"
    start = r"(?<!\w)" if parts[0][:1].isascii() and parts[0][:1].isalnum() else ""
    end = r"(?!\w)" if parts[-1][-1:].isascii() and parts[-1][-1:].isalnum() else ""
    before = "(.*)" if parts[0] else "()"
    return re.compile(before + start + body + end + "(.*)", re.DOTALL)


class Sentences:
    """Lets texts through as far as they are ours. ``names`` are what may stand in them besides."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted({each for each in names if each.strip()}, key=len, reverse=True)
        found = (_sentence(each) for each in (*own_sentences(), *_ENGLISH))
        self._sentences = sorted({each for each in found if each is not None}, key=lambda each: -each.weight)

    def safe(self, text: str) -> str:
        """The text with "…" for everything that is neither ours nor a name."""
        if not text:
            return ""
        told = self._ours(text[:MAX_TEXT], self._sentences)
        return _GAPS.sub(GAP, told)

    def _ours(self, text: str, among: List[Sentence]) -> str:
        if not text:
            return ""
        fitting = [each for each in among if each.anchor in text]
        for sentence in fitting:
            found = _pattern(sentence.parts).match(text)
            if found is None:
                continue
            before, *values, after = (self._ours(each, fitting) for each in found.groups())
            return before + "".join(part + value for part, value in zip(sentence.parts, [*values, ""])) + after
        return self._only_names(text)

    def _only_names(self, text: str) -> str:
        """Names, and the signs and words that join them; the rest is left out."""
        known = [each for each in self._names if each in text]
        if known:
            pattern = re.compile(r"(?<!\w)(?:{})(?!\w)".format("|".join(map(re.escape, known))))
            at, parts = 0, []
            for found in pattern.finditer(text):
                parts += [_gaps(text[at : found.start()]), found.group()]
                at = found.end()
            return "".join([*parts, _gaps(text[at:])])
        return _gaps(text)


def _gaps(text: str) -> str:
    """What joins names stays, everything else is one gap."""
    parts, at = [], 0
    for found in _JOINING.finditer(text):
        parts += [GAP if found.start() > at else "", found.group()]
        at = found.end()
    return "".join([*parts, GAP if at < len(text) else ""])
