"""The round button of the composer: send, or stop."""

from __future__ import annotations

from typing import Any, Optional

from qgis.PyQt.QtCore import QRectF, QSize, Qt
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ..glyphs import SIZE, paint_glyph
from ..painted_button import PaintedButton
from ..theme import blend, tones

_SIDE = 28


class SendButton(PaintedButton):
    """``state`` is "send" or "stop"; both have their own sign and name."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.state = ""
        self.setFixedSize(QSize(_SIDE, _SIDE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_state("send", False)

    def show_state(self, state: str, enabled: bool) -> None:
        """Show "send" or "stop"."""
        self.setEnabled(enabled)
        if state == self.state:
            return
        self.state = state
        name = translate("QgisAgent", "Stop (Esc)") if state == "stop" else translate("QgisAgent", "Send (Enter)")
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A square."""
        return QSize(_SIDE, _SIDE)

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """A filled circle while it can be pressed, a ring when it has the keyboard."""
        colours = tones()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = colours.accent if self.isEnabled() else blend(colours.surface, colours.text, 0.12)
        if self.isDown():
            fill = blend(fill, colours.text, 0.2)
        box = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawEllipse(box)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colours.text, 1.4))
            painter.drawEllipse(QRectF(self.rect()).adjusted(0.8, 0.8, -0.8, -0.8))
        painter.translate((self.width() - SIZE) / 2, (self.height() - SIZE) / 2)
        paint_glyph(painter, self.state, colours.on_accent if self.isEnabled() else colours.muted)
        painter.end()
