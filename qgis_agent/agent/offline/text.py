"""Cleaning and reading text: polite words, punctuation, numbers in figures and words, the language of a sentence."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_POLITE_START = re.compile(
    r"^(?:(?:please|could you|can you|would you|i want to|i would like to|i'd like to|let's|now|ok|hey)\b|"
    r"请问|请你?|帮我|帮忙|麻烦你?|我想要?|我要|那么)[\s,]*",
    re.IGNORECASE,
)
_POLITE_END = re.compile(r"(?:[\s,]*(?:please|thanks|thank you|for me|吧|呢|吗|呗|谢谢|好吗|可以吗))$", re.IGNORECASE)
_END_MARKS = ".。!?,;… "
_DIGITS = {each: number for number, each in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_ENGLISH = {
    each: float(number)
    for number, each in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"fifteen": 15.0, "twenty": 20.0, "fifty": 50.0, "hundred": 100.0, "half": 0.5}
NUMBER = r"(?:\d[\d,]*(?:\.\d+)?|\.\d+|[零〇一二两三四五六七八九十百千万半]+|" + "|".join(_ENGLISH) + ")"
"""What ``number`` may be able to read, as a pattern."""


def is_chinese(text: str) -> bool:
    """Whether there is a Chinese character in the text."""
    return _CJK.search(text) is not None


def clean(text: str) -> str:
    """A sentence without polite words and end marks, with one blank between words, full-width forms made plain."""
    cleaned = " ".join(unicodedata.normalize("NFKC", text).split())
    before = None
    while cleaned != before:
        before = cleaned
        cleaned = _POLITE_START.sub("", cleaned)
        if len(cleaned) > 1:
            cleaned = cleaned.rstrip(_END_MARKS)
        cleaned = _POLITE_END.sub("", cleaned).strip()
    return cleaned or " ".join(text.split())


def fold(text: str) -> str:
    """Text for comparing: case, full-width forms, underscores and repeated blanks make no difference."""
    return " ".join(re.sub(r"[_\-./]+", " ", unicodedata.normalize("NFKC", text).casefold()).split())


def number(text: str) -> float | None:
    """A number in figures ("1,500", "2.5"), Chinese numerals up to 万 ("五百", "半") or an English word; None for others.

    A comma is read only where it groups three digits: "1,5" is not a number here.
    """
    plain = text.strip().casefold()
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+", plain):
        return float(plain.replace(",", ""))
    if plain in _ENGLISH:
        return _ENGLISH[plain]
    if plain == "半":
        return 0.5
    return _chinese_number(plain)


def _chinese_number(text: str) -> float | None:
    if not text or any(each not in _DIGITS and each not in _PLACES and each != "万" for each in text):
        return None
    head, mark, tail = text.rpartition("万")
    high = _below_ten_thousand(head) if mark else 0
    low = _below_ten_thousand(tail) if tail else 0
    if high is None or low is None or (mark and not head):
        return None
    return float(high * 10_000 + low)


def _below_ten_thousand(text: str) -> int | None:
    total, digit = 0, -1
    for each in text:
        if each in _PLACES:
            if digit < 0 and each != "十":
                return None
            total += (digit if digit > 0 else 1) * _PLACES[each]
            digit = -1
        elif digit > 0:
            return None  # two digits in a row are no number of this form
        else:
            digit = _DIGITS[each]
    return total + max(digit, 0)
