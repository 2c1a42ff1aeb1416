"""Text of names and queries in one spelling, and its tokens: words, numbers and runs of Chinese characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ..offline.naming import singular
from ..offline.text import simplify

_CJK = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKENS = re.compile(rf"\d+|[{_CJK}]+|[^\W\d_{_CJK}]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z])")
_VOWEL = re.compile(r"[aeiou]|.y")
_HAN = re.compile(rf"[{_CJK}]")


def fold(text: str) -> str:
    """Text for comparing: case, width, accents, traditional characters and separators make no difference."""
    plain = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text)).casefold()
    if not plain.isascii():
        parts = unicodedata.normalize("NFD", plain)
        plain = unicodedata.normalize("NFC", "".join(each for each in parts if not unicodedata.combining(each)))
        plain = simplify(plain)
    return plain


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, folded, English words without their plural ending (letters without a vowel are no word)."""
    return tuple(singular(each) if _VOWEL.search(each) else each for each in _TOKENS.findall(fold(text)))


def is_han(token: str) -> bool:
    """Whether a token is a run of Chinese characters."""
    return _HAN.match(token) is not None


def units(token: str) -> float:
    """How much of a name a token is: 1 for a word or a number, and for two Chinese characters."""
    return len(token) / 2 if is_han(token) else 1.0
