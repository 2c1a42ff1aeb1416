"""Buttons on a card, drawn in the colours of the theme and inside their own edges.

A style's own button reaches to the last pixel of its area; on screens with a scale that is no whole number that pixel is cut
off in some places, and with it the lower edge of the button.
"""

from __future__ import annotations

from typing import Any, List, Optional

from qgis.PyQt.QtCore import QRectF, QSize, Qt
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QWidget

from ..qt import flag_bits
from ..theme import GAP, RADIUS, blend, tones

_PAD_X = 14
_PAD_Y = 5
_EDGE = 1.5
"""Distance of the border from the edge of the widget, in device-independent pixels: over one pixel of any screen."""


class CardButton(QPushButton):
    """Behaves as any push button."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(text, parent)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # drawn anew when the mouse comes and goes

    def sizeHint(self) -> QSize:  # noqa: N802
        """The words and room around them."""
        metrics = self.fontMetrics()
        wide = metrics.horizontalAdvance(self.text()) + 2 * _PAD_X
        return QSize(max(wide, 72), metrics.height() + 2 * _PAD_Y + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never smaller: a layout that is short of room takes it elsewhere."""
        return self.sizeHint()

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw it."""
        colours = tones()
        active = self.isEnabled()
        share = 0.26 if self.isDown() and active else (0.12 if self.underMouse() and active else 0.0)
        focused = self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(blend(colours.surface, colours.accent, share) if active else Qt.BrushStyle.NoBrush)
        border = colours.sign if focused else (blend(colours.line, colours.text, 0.25) if active else colours.line)
        painter.setPen(QPen(border, 1.4 if focused else 1.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE), RADIUS - 4, RADIUS - 4)
        painter.setPen(colours.text if active else colours.muted)
        flags = flag_bits(Qt.AlignmentFlag.AlignCenter, Qt.TextFlag.TextShowMnemonic)
        painter.drawText(self.rect(), flags, self.text())
        painter.end()


class ButtonRow(QWidget):
    """Buttons beside each other, or below each other where there is no room: they never make the panel wider."""

    def __init__(self, buttons: List[CardButton], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._buttons = buttons
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 4, 0, 0)
        self._row.setSpacing(GAP)
        for button in buttons:
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self._row.addStretch(1)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as the widest button."""
        widest = max((each.sizeHint().width() for each in self._buttons), default=0)
        return QSize(widest, self._row.minimumSize().height())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Beside or below each other, by the room there is."""
        super().resizeEvent(event)
        wanted = sum(each.sizeHint().width() + GAP for each in self._buttons) - GAP
        beside = QBoxLayout.Direction.LeftToRight if wanted <= self.width() else QBoxLayout.Direction.TopToBottom
        if self._row.direction() != beside:
            self._row.setDirection(beside)
            self.updateGeometry()
