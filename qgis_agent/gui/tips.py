"""Tool tips and words on buttons that are never taken for markup."""

from __future__ import annotations

import html
from typing import Set

from qgis.PyQt.QtCore import Qt

_BREAK = "\u200b"
_WORD = 24
"""Characters of a word after which a label may break it."""

_might_be_rich = getattr(Qt, "mightBeRichText", None)  # PyQt6 has no name for it: every text is then escaped


def plain_tip(text: str) -> str:
    """``text`` as a tool tip that shows its own characters: Qt takes a tip that looks like HTML for HTML, and loads its
    pictures."""
    if _might_be_rich is not None and not _might_be_rich(text):
        return text
    if _might_be_rich is None and not any(each in text for each in "<&"):
        return text
    return "<qt>{}</qt>".format(html.escape(text).replace("\n", "<br>"))


def breakable(text: str) -> str:
    """``text`` with places to break long words at (no character is seen): a label is else as wide as its longest word."""
    words = text.split(" ")
    return " ".join(_BREAK.join(each[at : at + _WORD] for at in range(0, len(each), _WORD)) for each in words)


def with_mnemonic(words: str, fallback: str, taken: Set[str]) -> str:
    """Words for a button with a letter for Alt: the first Latin letter that no other button has, else "words(&X)" as is
    usual in Chinese. The letter is added to ``taken``. "&" in the words stays a character."""
    for at, each in enumerate(words):
        if each.isascii() and each.isalpha() and each.upper() not in taken:
            taken.add(each.upper())
            return words[:at].replace("&", "&&") + "&" + words[at:].replace("&", "&&")
    letter = fallback if fallback not in taken else ""
    taken.add(letter)
    escaped = words.replace("&", "&&")
    return "{}(&{})".format(escaped, letter) if letter else escaped
