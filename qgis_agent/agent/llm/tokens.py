"""Counting tokens without a tokenizer and without the network: an estimate that learns from what the provider reports.

The estimate looks at the classes of characters, not at the bytes alone: by measurement with o200k, bytes/3 is 65 % too high
for an English question and 44 % too low for coordinates, both of which a request is full of.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ...bridge.envelope import encode
from .pictures import picture_tokens

MARGIN_PERCENT = 10
"""Added where a limit must not be passed (harness.md T17)."""
MESSAGE_OVERHEAD = 4
"""Role and separators of one message (C-21)."""
REQUEST_OVERHEAD = 3
"""The start of the answer, once in a request."""
CALL_OVERHEAD = 4
"""Id and type of one tool call."""
TOOL_OVERHEAD = 4
"""What a provider's template puts around one tool."""

# Least squares of the relative error over some 600 texts that are not the ones of the tests (design and reference pages in English,
# messages of QGIS in German and Chinese, a Chinese book, tool schemas, GeoJSON, rows of GeoPackages, WKT of three precisions)
# against the o200k tokenizer, rounded. Digits are no fit but that tokenizer's rule: groups of up to three, and a blank before a
# number is a token. Other tokenizers differ by a factor, which ``Calibration`` learns.
_WORD = 0.85
_LETTER = 0.05
_LONG_WORD = 0.8
_LONG = 8
_MARKS = 0.95
_MARK = 0.1
_TWO_BYTES = 0.85
_WIDE = 0.8
"""A character of three or four bytes: CJK and symbols."""

_KEPT_TEXTS = 2048
_SMOOTHING = 0.5
_BOUNDS = (0.3, 3.0)


def _classes() -> bytes:
    """For ``bytes.translate``: letter, digit, blank, punctuation, first byte of two, of more, and a byte that continues one."""
    table = bytearray(b"p" * 128 + b"c" * 64 + b"2" * 32 + b"w" * 32)
    for characters, kind in ((string.ascii_letters, "l"), (string.digits, "d"), (string.whitespace, "s")):
        for each in characters.encode():
            table[each] = ord(kind)
    return bytes(table)


_CLASSES = _classes()


@lru_cache(maxsize=_KEPT_TEXTS)
def _weight(text: str) -> float:
    """The estimate of one text, unrounded. Kept: the texts of a history come again with every request."""
    kinds = b"s" + text.encode("utf-8", "replace").translate(_CLASSES)
    letters, marks = kinds.count(b"l"), kinds.count(b"p")
    words = sum(kinds.count(each) for each in (b"sl", b"pl", b"dl", b"cl")) if letters else 0
    groups_of_marks = sum(kinds.count(each) for each in (b"sp", b"lp", b"dp", b"cp")) if marks else 0
    return (
        _WORD * words
        + _LETTER * (letters - words)
        + _LONG_WORD * kinds.count(b"l" * _LONG)
        + _MARKS * groups_of_marks
        + _MARK * (marks - groups_of_marks)
        + _digits(kinds)
        + _TWO_BYTES * kinds.count(b"2")
        + _WIDE * kinds.count(b"w")
    )


def _digits(kinds: bytes) -> int:
    """Groups of up to three digits, and the blanks before numbers (not the one that stands for the start)."""
    if b"d" not in kinds:
        return 0
    groups = kinds.replace(b"ddd", b"G").replace(b"dd", b"G")
    return groups.count(b"G") + groups.count(b"d") + kinds.count(b"sd", 1)


def estimate_tokens(*values: Any) -> int:
    """Tokens of texts or JSON values, uncalibrated, rounded up."""
    return _up(sum(_weight(value if isinstance(value, str) else encode(value)) for value in values))


def message_tokens(message: Mapping[str, Any]) -> int:
    """Tokens of one message of OpenAI form: its text, calls, fields sent back verbatim (``echo``), and the overhead."""
    content = message.get("content")
    weight = float(MESSAGE_OVERHEAD) + (
        _weight(content if isinstance(content, str) else encode(content)) if content else 0
    )
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            arguments = function.get("arguments")
            weight += _weight(str(function.get("name")))
            weight += _weight(arguments if isinstance(arguments, str) else encode(arguments))
        weight += CALL_OVERHEAD
    if message.get("echo"):
        weight += _weight(encode(message["echo"]))
    return _up(weight) + picture_tokens(message)


def messages_tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of messages, without what a request adds once."""
    return sum(message_tokens(each) for each in messages)


def tools_tokens(tools: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of the tools of a request, as their JSON."""
    return sum(estimate_tokens(each) + TOOL_OVERHEAD for each in tools)


def request_tokens(messages: Iterable[Mapping[str, Any]], tools: Iterable[Mapping[str, Any]] = ()) -> int:
    """Tokens of a whole request, uncalibrated."""
    return REQUEST_OVERHEAD + messages_tokens(messages) + tools_tokens(tools)


def with_margin(tokens: int) -> int:
    """Tokens plus 10 %, for a limit that must not be passed."""
    return -(-tokens * (100 + MARGIN_PERCENT) // 100)


def _up(number: float) -> int:
    return -int(-number // 1)


class Calibration:
    """What a model's provider counts by what we estimate, as a moving average. The first report counts in full."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.reports = 0

    def learn(self, estimated: int, reported: int) -> None:
        """Take one pair of input token counts. Pairs that can only be a mistake (zero) teach nothing."""
        if estimated <= 0 or reported <= 0:
            return
        ratio = min(max(reported / estimated, _BOUNDS[0]), _BOUNDS[1])
        self.reports += 1
        self.factor += max(_SMOOTHING, 1 / self.reports) * (ratio - self.factor)

    def corrected(self, estimated: int) -> int:
        """An estimate, corrected by what was learnt."""
        return round(estimated * self.factor)

    def tokens(self, *values: Any) -> int:
        """The estimate of texts or JSON values, corrected by what was learnt."""
        return self.corrected(estimate_tokens(*values))


class Calibrations:
    """One calibration for each model, by its name."""

    def __init__(self) -> None:
        self._models: dict[str, Calibration] = {}

    def of(self, model: str) -> Calibration:
        """The calibration of a model; a fresh one the first time."""
        return self._models.setdefault(model, Calibration())
