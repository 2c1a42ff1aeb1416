"""Cleaning and reading text: polite words, punctuation, numbers in figures and words, the language of a sentence."""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_POLITE_START = re.compile(
    r"^(?:(?:please|kindly|could you|can you|can i|would you|will you|i want to|i would like to|i'd like to|i need to|let's|"
    r"let us|just|now|ok|okay|hey|hi|hello)\b|请问|请你?|帮我|帮忙|帮(?!助)|麻烦你?|劳驾|拜托|我想要?|我要|我需要|那么|你好|"
    r"能不能|可不可以|能否|可否)[\s,]*",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:[\s,]*(?:please|pls|thanks(?: a lot)?|thank you(?: very much)?|thx|for me|if you can|right now|now|"
    r"吧|一下|呢|吗|呗|啊|呀|哦|谢谢[你您啦了哈]?|多谢|好吗|行吗|可以吗|好不好|拜托))$",
    re.IGNORECASE,
)
_END_MARKS = ".。!?,;… "
_DIGITS = {each: number for number, each in enumerate("零一二三四五六七八九")} | {"两": 2, "俩": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}
_ENGLISH = {
    each: float(number)
    for number, each in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"fifteen": 15.0, "twenty": 20.0, "fifty": 50.0, "hundred": 100.0, "half": 0.5}
_TIMES = {"百": 1e2, "千": 1e3, "万": 1e4, "亿": 1e8, "k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_FIGURES = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+"
_SCALED = re.compile(rf"({_FIGURES})\s*({'|'.join(_TIMES)})")
NUMBER = (
    r"(?:(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:\s*(?:thousand|million|billion)\b|[万亿千百](?!米))?|[零〇一二两俩三四五六七八九十百千万半]+|"
    + "|".join(_ENGLISH)
    + ")"
)
"""What ``number`` may be able to read, as a pattern."""


@lru_cache(maxsize=1)
def _converter() -> Any:
    return importlib.import_module("opencc").OpenCC("t2s")


@lru_cache(maxsize=8192)
def _simplified(character: str) -> str:
    plain = str(_converter().convert(character))
    return plain if len(plain) == 1 else character


@lru_cache(maxsize=8192)
def simplify(text: str) -> str:
    """Chinese text with traditional characters made simplified, character by character, so that positions stay."""
    if not is_chinese(text):
        return text
    return "".join(_simplified(each) if _CJK.match(each) else each for each in text)


def is_chinese(text: str) -> bool:
    """Whether there is a Chinese character in the text."""
    return _CJK.search(text) is not None


_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’")
_ENGLISH_WORD = re.compile(
    r"\b(?:the|an?|in|of|to|by|on|off|for|is|are|do|does|how|many|much|what|which|where|who|and|or|with|only|me|all|per|each|"
    r"every|please|show|hide|zoom|go|list|count|colou?r|make|set|turn|style|label|select|filter|export|buffer|measure|"
    r"describe|top|first|average|sum|total|than|that|thanks?|hello|hi|ok|help|continue)\b",
    re.IGNORECASE,
)
_CHINESE_WORD = re.compile(
    r"[的了吗呢吧把将给按在到哪几请和与并再个有是这那让用为对从每显隐导统查看找打关放缩]|多少|图层|什么|怎么|谢谢|你好|帮助|继续"
)


def sentence_language(text: str, names: Collection[str] = ()) -> Language:
    """The language in which a person speaks: what is in quotes and ``names`` of the project (layers, fields) do not count.

    Of what is left, words that make a sentence decide ("how many", 有多少), the first of them where both kinds stand in it
    ("zoom to 云溪区" is English, 打开 schools Chinese); then any Chinese character.
    """
    rest = _QUOTED.sub(" ", text)
    for name in sorted({each for each in names if len(each) > 1}, key=len, reverse=True):
        if name.casefold() in rest.casefold():
            rest = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", " ", rest, flags=re.IGNORECASE)
    english, chinese = _ENGLISH_WORD.search(rest), _CHINESE_WORD.search(rest)
    if english and chinese:
        return "en" if english.start() < chinese.start() else "zh"
    if english or chinese:
        return "en" if english else "zh"
    return "zh" if is_chinese(rest if any(each.isalpha() for each in rest) else text) else "en"


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


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Text for comparing: case, full-width and traditional forms, underscores and repeated blanks make no difference."""
    return " ".join(re.sub(r"[_\-./]+", " ", simplify(unicodedata.normalize("NFKC", text)).casefold()).split())


def number(text: str) -> float | None:
    """A number in figures ("1,500", "2.5", "3万"), Chinese numerals up to 万 ("五百", "半") or an English word, else None.

    A comma is read only where it groups three digits: "1,5" is not a number here.
    """
    plain = text.strip().casefold()
    if re.fullmatch(_FIGURES, plain):
        return float(plain.replace(",", ""))
    scaled = _SCALED.fullmatch(plain)
    if scaled:
        return float(scaled.group(1).replace(",", "")) * _TIMES[scaled.group(2)]
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
    if mark and len(tail) == 1:
        low *= 1000  # 三万五 is 35000
    return float(high * 10_000 + low)


def _below_ten_thousand(text: str) -> int | None:
    total, digit, unit = 0, -1, 1
    for each in text:
        if each in _PLACES:
            if digit < 0 and each != "十":
                return None
            total += (digit if digit > 0 else 1) * _PLACES[each]
            digit, unit = -1, _PLACES[each] // 10
        elif digit > 0:
            return None  # two digits in a row are no number of this form
        else:
            digit = _DIGITS[each]
            unit = 1 if digit == 0 else unit
    return total + max(digit, 0) * (max(1, unit))  # 两千三 is 2300, 一百零五 is 105
