"""A wide button for a sentence: left-aligned, wrapped, as tall as it needs."""

from __future__ import annotations

from typing import Any, Optional

from qgis.PyQt.QtCore import QRect, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QSizePolicy, QWidget

from ..painted_button import PaintedButton
from ..qt import flag_bits
from ..theme import RADIUS, blend, tones

_PAD_X = 10
_PAD_Y = 6


class ChoiceButton(PaintedButton):
    """A sentence that can be clicked, or chosen with Tab and Space or Enter."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._sentence = " ".join(text.split())
        self.setText(self._sentence.replace("&", "&&"))
        self.setAccessibleName(self._sentence)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the mouse comes and goes

    def sentence(self) -> str:
        """The words on it."""
        return self._sentence

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """The sentence wraps anew."""
        super().resizeEvent(event)
        height = self._height_at(self.width())
        if self.height() != height:
            self.setFixedHeight(height)

    def _height_at(self, width: int) -> int:
        box = self.fontMetrics().boundingRect(
            QRect(0, 0, max(40, width - 2 * _PAD_X), 4000), self._flags(), self._sentence
        )
        return box.height() + 2 * _PAD_Y

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as the sentence, when there is room."""
        width = self.fontMetrics().horizontalAdvance(self._sentence) + 2 * _PAD_X + 2
        return QSize(width, self.fontMetrics().height() + 2 * _PAD_Y)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: the sentence wraps instead."""
        return QSize(80, self.fontMetrics().height() + 2 * _PAD_Y)

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw it in the colours of the theme."""
        colours = tones()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pressed = self.isDown() and self.isEnabled()
        hovered = self.underMouse() and self.isEnabled()
        share = 0.26 if pressed else (0.12 if hovered else 0.0)
        painter.setBrush(blend(colours.surface, colours.accent, share))
        painter.setPen(QPen(colours.sign if self.hasFocus() else colours.line, 1.4 if self.hasFocus() else 1.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.7, 0.7, -0.7, -0.7), RADIUS - 2, RADIUS - 2)
        painter.setPen(colours.text if self.isEnabled() else colours.muted)
        painter.drawText(self.rect().adjusted(_PAD_X, _PAD_Y, -_PAD_X, -_PAD_Y), self._flags(), self._sentence)
        painter.end()

    @staticmethod
    def _flags() -> int:
        return flag_bits(Qt.TextFlag.TextWordWrap, Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter)
