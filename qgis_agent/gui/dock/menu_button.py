"""A word with an arrow that opens a menu, as the line under the composer has several."""

from __future__ import annotations

from typing import Any, Optional

from qgis.PyQt.QtCore import QPointF, Qt
from qgis.PyQt.QtGui import QPainter, QPen, QPolygonF
from qgis.PyQt.QtWidgets import QToolButton, QWidget

from ..theme import follow_palette, tones


class MenuButton(QToolButton):
    """Flat, in the muted colour. The arrow is drawn here: the themes' own is a dot that nobody sees on dark ground."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._recolour()
        follow_palette(self._recolour)

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """The button, and the arrow at its right."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tones().muted, 1.3))
        right, middle = self.width() - 5.0, self.height() / 2
        arrow = [QPointF(right - 6, middle - 1.5), QPointF(right - 3, middle + 1.5), QPointF(right, middle - 1.5)]
        painter.drawPolyline(QPolygonF(arrow))
        painter.end()

    def _recolour(self, *_palette: object) -> None:
        # Room at the right for the arrow.
        sheet = "QToolButton {{ color: {}; padding: 2px 16px 2px 4px; }} QToolButton::menu-indicator {{ image: none; }}"
        self.setStyleSheet(sheet.format(tones().muted.name()))
