"""Texts on layouts. QGIS evaluates "[% %]" in labels and legends, so a text that has it is refused, or defused where it is data."""

from __future__ import annotations

import unicodedata

from qgis.core import QgsTextFormat
from qgis.PyQt.QtGui import QColor, QFont

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from ..layers import clean_text

INK, MUTED = "#1f1f1f", "#666666"


def literal(text: str, length: int, what: str) -> str:
    """A text of a model or a person that is shown as it is. INVALID_PARAM for one that QGIS would evaluate."""
    shown = clean_text(text, length)  # first: what is taken out may stand between the two signs
    if "[%" in shown:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The {} has '[%', which QGIS would evaluate as an expression.").format(what),
            hint=translate("QgisAgent", "Write the text without '[%'."),
            reason="expression",
        )
    return shown


def defused(text: str, length: int = 120) -> str:
    """Data as text for a layout: "[%" is taken apart so that it stays text."""
    return clean_text(text, length).replace("[%", "[ %")


def wide(text: str) -> int:
    """The width of a text in half-width characters: Chinese, Japanese and Korean ones count twice (UAX #11)."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def wrapped(text: str, most: int) -> str:
    """Broken into lines of at most ``most`` half-width characters: at blanks where there are any, else anywhere."""
    lines, line = [], ""
    for word in text.split(" "):
        joined = word if not line else line + " " + word
        if wide(joined) <= most:
            line = joined
            continue
        if line:
            lines.append(line)
        line = ""
        for character in word:
            if wide(line + character) > most:
                lines.append(line)
                line = ""
            line += character
    return "\n".join(lines + ([line] if line else []))


def text_format(size_pt: float, color: str = INK, bold: bool = False) -> QgsTextFormat:
    """A format in the application's font: Qt takes glyphs that it lacks from other installed fonts."""
    font = QFont()
    font.setBold(bold)
    made = QgsTextFormat()
    made.setFont(font)
    made.setSize(size_pt)
    made.setColor(QColor(color))
    return made
