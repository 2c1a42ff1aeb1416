"""A language that nobody speaks: every text of the catalogue, longer, with accents, in brackets.

Where it is installed, a word without an accent is one that nobody translates, and a text that does not fit shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from qgis.PyQt.QtCore import QCoreApplication, QTranslator

ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀčďéƒǧĥíĵķłɱñóƥɋŕšťúṽŵẋýžÁƁČĎÉƑǦĤÍĴĶŁḾÑÓƤɊŔŠŤÚṼŴẊÝŽ",
)
KEPT = re.compile(r"(\{[^{}]*\}|<[^<>]*>|&[a-z]+;|%\d|%n)")
"""What is filled in, tags and entities: they stay as they are."""
LONGER = 0.35
"""Share by which a translation may be longer than the English (W3C: 30 to 40 % for texts of this length)."""


def pseudo(text: str) -> str:
    """The text in the pseudo-locale."""
    parts = KEPT.split(text)
    parts[::2] = [each.translate(ACCENTS) for each in parts[::2]]
    letters = sum(len(each) for each in parts[::2])
    more = round(letters * LONGER)
    words = [" ~~~~~"] * (more // 6) if more >= 6 else ["~" * more]
    return "[{}{}]".format("".join(parts), "".join(words))


class PseudoTranslator(QTranslator):
    """Translates everything of the context QgisAgent; ``asked`` are the texts that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def isEmpty(self) -> bool:  # noqa: N802
        """Qt leaves out a translator that has nothing."""
        return False

    def translate(self, context: str, text: str, disambiguation: str | None = None, count: int = -1) -> str:
        """See QTranslator. What Qt and QGIS say is a mark without letters: with "" Qt's reader of TGA pictures crashes."""
        if context != "QgisAgent":
            return "·"
        self.asked.add(text)
        return pseudo(text)


@contextmanager
def pseudo_locale() -> Iterator[PseudoTranslator]:
    """Everything that is made meanwhile is in the pseudo-locale."""
    translator = PseudoTranslator()
    QCoreApplication.installTranslator(translator)
    try:
        yield translator
    finally:
        QCoreApplication.removeTranslator(translator)
