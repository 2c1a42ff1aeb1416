"""Text that others wrote, made safe to show and to send: one rule for both processes.

What cannot be seen can carry words past a reader: control and bidi characters, zero-width and tag characters, fillers and
supplementary variation selectors. As text for people it is taken out; in JSON it is written as an escape, so that nothing is lost.
"""

from __future__ import annotations

import re
import unicodedata

_BLANKS = "\t\r\n\u2028\u2029"
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef"
"""Seen as nothing, although Unicode counts them as letters and marks. U+FE0E and U+FE0F stay: they belong to emoji."""
_FILLER = re.compile("[" + _FILLERS + "]")
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + _FILLERS
    + "]"
    # The beginning of a tag, of a special token (<|im_start|>) or of <<SYS>>: templates of local models read them in data too.
    + "|<(?=[A-Za-z/|!?<])"
)


def clean(text: str, length: int = 256) -> str:
    """Data as text: nothing that cannot be seen (category C, fillers), blanks folded, at most ``length`` characters."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if each in _BLANKS else each for each in text if _kept(each))
        text = _FILLER.sub("", text)
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"


def _kept(character: str) -> bool:
    return character in _BLANKS or unicodedata.category(character)[0] != "C"


def escaped(json_text: str) -> str:
    """The same JSON with everything that cannot be seen, and what begins a tag, as an escape: it reads back as it was."""
    return _UNSEEN.sub(_as_escape, json_text)


def stripped(json_text: str) -> str:
    """As ``escaped``, but never longer than the text: what cannot be seen is gone, and what would begin a tag is a quotation mark."""
    return _UNSEEN.sub(lambda found: "'" if found.group() == "<" else "", json_text)


def _as_escape(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join("\\u{:02x}{:02x}".format(units[at], units[at + 1]) for at in range(0, len(units), 2))


def wide(text: str) -> int:
    """The width of a text in half-width characters: Chinese, Japanese and Korean ones count twice (UAX #11)."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
