"""Numbers in a text: what counts as one, how it was written, and its value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FULL_WIDTH = str.maketrans("０１２３４５６７８９．，％", "0123456789.,%")
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_UNIT = re.compile(r"[kcm]?m[23]")
_RANGE_GAP = re.compile(r"^\s*[%％]?\s*(?:[~～–—−-]|至|到|to)\s*$")
_LIST_MARK = re.compile(r"^[ \t]*\d{1,2}[.)、．](?=\s)", re.MULTILINE)
_SIGNS = "-−"
_DATUM = re.compile(r"\b(?:WGS|NAD|ETRS|CGCS|GRS|ITRF|ED|PZ|RGF|SAD|GDA|JGD)[ -]?\d+(?:\.\d+)?(?!\d)", re.IGNORECASE)
"""Names of datums, ellipsoids and frames: 84 of "WGS 84" is no number."""


@dataclass(frozen=True)
class Number:
    """A number as shown: ``text`` with sign and %, ``value`` without unit, ``decimals`` the digits behind the point.

    ``start`` and ``end`` are its place in the text that was searched.
    """

    text: str
    value: float
    decimals: int
    digits: int
    start: int
    end: int
    percent: bool


_DIGIT = re.compile(r"\d")
"""A digit of any script; those of other scripts are no numbers, but looking closer does no harm."""


def numbers_in(text: str, names: Iterable[str] = ()) -> list[Number]:
    """The numbers of a text, in order.

    Digits inside identifiers (golden_1, B2, v1.2.3, #a1b2c3, EPSG:4326, WGS 84) are no numbers, nor are those inside ``names`` (names of
    layers), nor the marks of a numbered list. Chinese characters may touch a number.
    """
    if _DIGIT.search(text) is None:  # most texts: names of fields, messages
        return []
    plain = _blank_names(text.translate(_FULL_WIDTH), names)
    plain = _DATUM.sub(lambda match: "_" * len(match.group()), plain)
    plain = _LIST_MARK.sub(lambda match: " " * len(match.group()), plain)
    found = []
    for match in _NUMBER.finditer(plain):
        number = _number(plain, match.start(), match.end())
        if number is not None:
            found.append(number)
    return found


def ranges_in(text: str, numbers: list[Number]) -> list[tuple[int, int]]:
    """Pairs of indexes of numbers that are written as one range: 4.4~7.8, 3 to 5, 2–4."""
    plain = text.translate(_FULL_WIDTH)
    pairs = []
    for at, (first, second) in enumerate(zip(numbers, numbers[1:])):
        if _RANGE_GAP.match(plain[first.end : second.start]):
            pairs.append((at, at + 1))
    return pairs


def _blank_names(text: str, names: Iterable[str]) -> str:
    for name in sorted({each for each in names if _names_a_number(each)}, key=len, reverse=True):
        pattern = rf"(?<![0-9A-Za-z_.]){re.escape(name)}(?![0-9A-Za-z_])"
        text = re.sub(pattern, lambda match: "_" * len(match.group()), text)
    return text


def _names_a_number(name: str) -> bool:
    return any(each.isdigit() for each in name) and any(each.isalpha() for each in name)


def _number(text: str, start: int, end: int) -> Number | None:
    before = text[start - 1] if start else " "
    if _is_letter(before) or before in "#_" or _follows_a_code(text, start):
        return None
    if before == "." and start > 1 and text[start - 2].isalnum():
        return None  # a later part of 1.2.3
    if re.match(r"\.\d", text[end:]):
        return None  # the first part of 1.2.3
    suffix = re.match(r"[A-Za-z_][A-Za-z0-9_]*", text[end:])
    if suffix and _is_identifier(suffix.group()):
        return None
    raw = text[start:end]
    signed = _is_negative(text, start)
    percent = re.match(r"\s?%", text[end:]) is not None
    mantissa = re.split("[eE]", raw)[0].replace(",", "")
    value = float(raw.replace(",", ""))
    shown = ("-" if signed else "") + raw + ("%" if percent else "")
    decimals = len(mantissa.split(".")[1]) if "." in mantissa else 0
    digits = len(mantissa.replace(".", "").lstrip("0"))
    return Number(shown, -value if signed else value, decimals, digits, start - signed, end, percent)


def _is_identifier(suffix: str) -> bool:
    """Whether what follows the digits makes them a part of a name: 3d_model, 2b4f, 3D; not 500m, 1.85km2."""
    if suffix in ("D", "d"):
        return True
    return ("_" in suffix or any(each.isdigit() for each in suffix)) and _UNIT.fullmatch(suffix) is None


def _is_letter(character: str) -> bool:
    """A letter of an alphabet: Chinese, Japanese and Korean characters touch numbers without making them identifiers."""
    return character.isalpha() and not "\u2e80" <= character <= "\u9fff" and not "\uac00" <= character <= "\ufaff"


def _follows_a_code(text: str, start: int) -> bool:
    return re.search(r"(?<![A-Za-z])[A-Z]{2,}:$", text[max(0, start - 12) : start]) is not None


def _is_negative(text: str, start: int) -> bool:
    """A minus belongs to the number unless it joins it to something before: 4-8, A-5, 2024-05."""
    if start == 0 or text[start - 1] not in _SIGNS:
        return False
    before = text[start - 2] if start > 1 else " "
    return not (before.isascii() and before.isalnum()) and before not in "%)）]" + _SIGNS
