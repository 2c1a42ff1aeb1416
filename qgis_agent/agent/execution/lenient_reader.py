"""A reader of JSON that forgives the slips of models which can be read in one way only."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 20
"""No contract nests half as deep; what does would exhaust the stack of validators and writers."""
MAX_DIGITS = 300
"""Digits of a whole number: more are beyond the largest double."""

HINT = "Send the complete arguments as one JSON object, with double quotes and no trailing comma."
HINT_CUT = "The arguments were cut off. Send them complete, as one JSON object; leave out what is not needed."
HINT_ONE = "Send exactly one JSON object and nothing after it; a second call is a call of its own."
HINT_ESCAPE = (
    'Write a backslash as two (\\\\), or use / in paths; only \\n, \\t, \\r, \\", \\\\, \\/ and \\uXXXX are escapes.'
)


class Unreadable(ValueError):
    """Text that is not read: why, the position (0 is the first character), and how to write it."""

    def __init__(self, why: str, at: int | None = None, hint: str = HINT) -> None:
        super().__init__(why)
        self.why = why
        self.at = at
        self.hint = hint


def finite_number(text: str) -> int | float:
    """The number that ``text``, a number of JSON, says. Raises Unreadable where it is beyond the largest double."""
    whole = text.lstrip("-").isdigit()
    if (whole and len(text) > MAX_DIGITS) or not math.isfinite(float(text)):
        raise Unreadable(f"the number {text[:20]} is out of range")
    return int(text) if whole else float(text)


def unclear_escape(letter: str, at: int) -> Unreadable:
    r"""The refusal of an escape. \b and \f are of JSON, but nobody means a backspace or form feed: it was C:\bin, or LaTeX."""
    return Unreadable(f"the escape \\{letter} in a string is not clear", at, HINT_ESCAPE)


def repeated_key(key: str) -> str:
    """The note of a key that an object has twice."""
    return f"{key[:60]}: given twice, the last one counts"


_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPES: Mapping[str, str] = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_PLAIN = {'"': re.compile(r'[^"\\\x00-\x1f]+'), "'": re.compile(r"[^'\\\x00-\x1f]+")}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FENCE = re.compile(r"```[A-Za-z0-9]*")


class LenientReader:
    """Reads one value of JSON with these slips: a code fence around it, single quotes, keys without quotes, True, False
    and None, a comma before a closing bracket, raw control characters in strings, other white space.

    Every bracket and string must be closed, and nothing may follow. Positions are those of the text given.
    """

    def __init__(self, text: str, notes: list[str]) -> None:
        self._text = text
        self._notes = notes
        self._at = 0
        self._end = len(text)

    def whole(self) -> Any:
        """The value. Raises Unreadable."""
        self._open_fence()
        self._space()
        value = self._value(1)
        self._space()
        if self._at < self._end:
            raise Unreadable("more text follows the value", self._at, HINT_ONE)
        return value

    def _open_fence(self) -> None:
        body = self._text.strip()
        if not (len(body) > 6 and body.startswith("```") and body.endswith("```")):
            return
        start = self._text.index("```")
        opening = _FENCE.match(self._text, start)
        self._at = start + 3 if opening is None else opening.end()
        self._end = start + len(body) - 3
        self._notes.append("code fence")

    def _here(self) -> str:
        return self._text[self._at] if self._at < self._end else ""

    def _space(self) -> None:
        while self._at < self._end and (self._text[self._at].isspace() or self._text[self._at] == "\ufeff"):
            if self._text[self._at] not in " \t\r\n":
                self._notes.append("white space that is not of JSON")
            self._at += 1

    def _wrong(self, wanted: str) -> Unreadable:
        if self._at >= self._end:
            return Unreadable(f"the text ends where {wanted} is wanted", self._at, HINT_CUT)
        return Unreadable(f"{wanted} is wanted", self._at)

    def _value(self, depth: int) -> Any:
        here = self._here()
        if here in ("{", "["):
            if depth > MAX_DEPTH:
                raise Unreadable(f"nested more than {MAX_DEPTH} deep", self._at)
            return self._members(depth) if here == "{" else self._items(depth)
        if here in ('"', "'"):
            return self._string()
        word = _WORD.match(self._text, self._at, self._end)
        return self._number() if word is None else self._word(word[0])

    def _members(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        self._at += 1
        self._space()
        more = self._here() != "}"
        self._at += 0 if more else 1
        while more:
            start = self._at
            key = self._key()
            self._space()
            if self._here() != ":":
                raise self._wrong("a colon")
            self._at += 1
            self._space()
            if key in made:
                self._notes.append(repeated_key(key))
            made[key] = self._value(depth + 1)
            more = self._goes_on("}", start)
        return made

    def _items(self, depth: int) -> list[Any]:
        made: list[Any] = []
        self._at += 1
        self._space()
        more = self._here() != "]"
        self._at += 0 if more else 1
        while more:
            start = self._at
            made.append(self._value(depth + 1))
            more = self._goes_on("]", start)
        return made

    def _goes_on(self, close: str, start: int) -> bool:
        """Whether another member follows; passes the comma or the closing bracket. ``start`` is where this one began."""
        self._space()
        comma = self._here() == ","
        if comma:
            self._at += 1
            self._space()
        if self._here() == close:
            self._at += 1
            if comma:
                self._notes.append("trailing comma")
            return False
        if not comma:
            raise self._wrong(f"a comma or {close} after the value that begins at character {start + 1}")
        return True

    def _key(self) -> str:
        if self._here() in ('"', "'"):
            return self._string()
        name = _WORD.match(self._text, self._at, self._end)
        if name is None:
            raise self._wrong("a key")
        self._at = name.end()
        self._notes.append("key without quotes")
        return name[0]

    def _word(self, word: str) -> Any:
        if word not in _WORDS:
            raise Unreadable(f"{word[:40]!r} is text without quotes", self._at)
        if word[0].isupper():
            self._notes.append(f"{word} of Python")
        self._at += len(word)
        return _WORDS[word]

    def _number(self) -> int | float:
        found = _NUMBER.match(self._text, self._at, self._end)
        if found is None:
            raise self._wrong("a value")
        after = self._text[found.end() : min(found.end() + 1, self._end)]
        if after and after not in ",]}" and not after.isspace():
            raise Unreadable(f"{found[0][:20]} is followed by {after!r}", found.end())
        try:
            value = finite_number(found[0])
        except Unreadable as error:
            raise Unreadable(error.why, self._at) from error
        self._at = found.end()
        return value

    def _string(self) -> str:
        start, quote = self._at, self._here()
        parts: list[str] = []
        self._at += 1
        while self._here() != quote:
            if self._at >= self._end:
                raise Unreadable("this string is not closed", start, HINT_CUT)
            plain = _PLAIN[quote].match(self._text, self._at, self._end)
            if plain is not None:
                parts.append(plain[0])
                self._at = plain.end()
            elif self._here() == "\\":
                parts.append(self._escape())
            else:
                self._notes.append("control character in a string")
                parts.append(self._here())
                self._at += 1
        self._at += 1
        if quote == "'":
            self._notes.append("single quotes")
        return _joined_surrogates("".join(parts))

    def _escape(self) -> str:
        at = self._at
        letter = self._text[at + 1 : min(at + 2, self._end)]
        if letter == "u" and re.fullmatch("[0-9a-fA-F]{4}", self._text[at + 2 : min(at + 6, self._end)]):
            self._at += 6
            return chr(int(self._text[at + 2 : at + 6], 16))
        if letter not in _ESCAPES:
            raise unclear_escape(letter, at)
        self._at += 2
        return _ESCAPES[letter]


def _joined_surrogates(text: str) -> str:
    r"""\ud83d\ude00 as the one character that it is; halves stay (and are refused later)."""
    return re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"),
        text,
    )
