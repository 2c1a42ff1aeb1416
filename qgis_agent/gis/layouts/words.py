"""Texts on layouts. QGIS evaluates "[% %]" in labels and legends, so a text that has it is refused, or defused where it is data."""

from __future__ import annotations

from typing import NamedTuple

from qgis.core import QgsRenderContext, QgsTextFormat, QgsTextRenderer
from qgis.PyQt.QtGui import QColor, QFont

from ...bridge.text import wide
from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from ..layers import clean_text

INK, MUTED = "#1f1f1f", "#666666"
MM_PER_POINT = 25.4 / 72
LINE = 1.3
"""Height of a line for the size of its letters."""
PIXELS_PER_MM = 20.0
"""Fine enough to measure small letters."""


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


class FittedText(NamedTuple):
    """A text in lines, its size in points, and whether it is whole in its box."""

    text: str
    size_pt: float
    fits: bool


def fit_text(
    text: str, width_mm: float, height_mm: float, size_pt: float, least_pt: float, bold: bool = False
) -> FittedText:
    """The largest size from ``size_pt`` down to ``least_pt`` at which the text is whole in its box, broken into lines if need be."""
    size = size_pt
    while True:
        whole_mm = text_width_mm(text, size, bold)
        lines = max(1, int(height_mm / (size * MM_PER_POINT * LINE)))
        most = int(wide(text) * width_mm / whole_mm) if whole_mm > width_mm else wide(text)
        broken = wrapped(text, max(1, most))
        needed = broken.split("\n")
        if len(needed) <= lines and all(text_width_mm(each, size, bold) <= width_mm for each in needed):
            return FittedText(broken, size, True)
        if size <= least_pt:
            return FittedText(broken, size, False)
        size = max(least_pt, size - 0.5)


def text_width_mm(text: str, size_pt: float, bold: bool = False) -> float:
    """How wide a line of the application's font is, in millimetres."""
    context = QgsRenderContext()
    context.setScaleFactor(PIXELS_PER_MM)
    width = QgsTextRenderer.textWidth(context, text_format(size_pt, bold=bold), [text])
    return float(width) / PIXELS_PER_MM


def text_format(size_pt: float, color: str = INK, bold: bool = False) -> QgsTextFormat:
    """A format in the application's font: Qt takes glyphs that it lacks from other installed fonts."""
    font = QFont()
    font.setBold(bold)
    made = QgsTextFormat()
    made.setFont(font)
    made.setSize(size_pt)
    made.setColor(QColor(color))
    return made
