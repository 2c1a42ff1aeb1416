"""Small signs drawn in the colours of the theme: states of a step, send, stop, fold.

Each state has its own shape, so that nothing is told by colour alone.
"""

from __future__ import annotations

from typing import Callable, Dict, Optional

from qgis.PyQt.QtCore import QPointF, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF
from qgis.PyQt.QtWidgets import QWidget

from .theme import tones

SIZE = 16


def _pen(colour: QColor, width: float = 1.7) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def _check(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.9))
    painter.drawPolyline(QPolygonF([QPointF(3.5, 8.5), QPointF(6.8, 11.8), QPointF(12.8, 4.8)]))


def _cross(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.9))
    painter.drawLine(QPointF(4.2, 4.2), QPointF(11.8, 11.8))
    painter.drawLine(QPointF(11.8, 4.2), QPointF(4.2, 11.8))


def _spinner(painter: QPainter, colour: QColor, turn: float) -> None:
    faint = QColor(colour)
    faint.setAlpha(60)
    box = QRectF(3, 3, 10, 10)
    painter.setPen(_pen(faint, 2.0))
    painter.drawEllipse(box)
    painter.setPen(_pen(colour, 2.0))
    painter.drawArc(box, round(-turn * 360 * 16), 100 * 16)


def _stopped(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour))
    painter.drawEllipse(QRectF(2.5, 2.5, 11, 11))
    painter.drawLine(QPointF(5.5, 8), QPointF(10.5, 8))


def _waiting(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour))
    painter.drawEllipse(QRectF(2.5, 2.5, 11, 11))
    painter.drawPolyline(QPolygonF([QPointF(8, 5), QPointF(8, 8.3), QPointF(10.3, 9.8)]))


def _dot(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QRectF(5, 5, 6, 6))


def _alert(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.5))
    painter.drawPolygon(QPolygonF([QPointF(8, 2.4), QPointF(14.2, 13.2), QPointF(1.8, 13.2)]))
    painter.drawLine(QPointF(8, 6.4), QPointF(8, 9.2))
    painter.drawPoint(QPointF(8, 11.3))


def _info(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.5))
    painter.drawEllipse(QRectF(2.5, 2.5, 11, 11))
    painter.drawLine(QPointF(8, 7.6), QPointF(8, 11))
    painter.drawPoint(QPointF(8, 5.2))


def _send(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.9))
    painter.drawLine(QPointF(8, 13), QPointF(8, 3.4))
    painter.drawPolyline(QPolygonF([QPointF(3.8, 7.4), QPointF(8, 3.2), QPointF(12.2, 7.4)]))


def _stop(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(QRectF(4, 4, 8, 8), 1.5, 1.5)


def _down(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour))
    painter.drawPolyline(QPolygonF([QPointF(4, 6.2), QPointF(8, 10.2), QPointF(12, 6.2)]))


def _right(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour))
    painter.drawPolyline(QPolygonF([QPointF(6.2, 4), QPointF(10.2, 8), QPointF(6.2, 12)]))


def _plus(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour))
    painter.drawLine(QPointF(8, 3.2), QPointF(8, 12.8))
    painter.drawLine(QPointF(3.2, 8), QPointF(12.8, 8))


def _sliders(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.5))
    for y, knob in ((4.5, 10.5), (11.5, 5.5)):
        painter.drawLine(QPointF(2.5, y), QPointF(knob - 2, y))
        painter.drawLine(QPointF(knob + 2, y), QPointF(13.5, y))
        painter.drawEllipse(QPointF(knob, y), 1.9, 1.9)


def _sessions(painter: QPainter, colour: QColor, _turn: float) -> None:
    """A clock whose edge is an arrow that goes back."""
    painter.setPen(_pen(colour, 1.5))
    painter.drawArc(QRectF(2.5, 2.5, 11, 11), 160 * 16, -320 * 16)
    painter.drawPolyline(QPolygonF([QPointF(0.9, 4.0), QPointF(3.0, 6.6), QPointF(5.8, 5.0)]))
    painter.drawPolyline(QPolygonF([QPointF(8, 5), QPointF(8, 8.3), QPointF(10.3, 9.8)]))


def _plug(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.5))
    for x in (6.0, 10.0):
        painter.drawLine(QPointF(x, 2.2), QPointF(x, 5.4))
    painter.drawLine(QPointF(3.6, 5.6), QPointF(12.4, 5.6))
    painter.drawPolyline(QPolygonF([QPointF(4.6, 5.6), QPointF(4.6, 8.6), QPointF(6.6, 11), QPointF(9.4, 11)]))
    painter.drawPolyline(QPolygonF([QPointF(9.4, 11), QPointF(11.4, 8.6), QPointF(11.4, 5.6)]))
    painter.drawLine(QPointF(8, 11), QPointF(8, 14))


def _pencil(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.5))
    painter.drawPolygon(
        QPolygonF([QPointF(3, 13), QPointF(3.8, 9.8), QPointF(10.8, 2.8), QPointF(13.2, 5.2), QPointF(6.2, 12.2)])
    )
    painter.drawLine(QPointF(9.2, 4.4), QPointF(11.6, 6.8))


def _copy(painter: QPainter, colour: QColor, _turn: float) -> None:
    painter.setPen(_pen(colour, 1.4))
    painter.drawRoundedRect(QRectF(5.5, 5.5, 8, 8), 1.5, 1.5)
    painter.drawPolyline(
        QPolygonF([QPointF(3.5, 10.5), QPointF(2.5, 10.5), QPointF(2.5, 2.5), QPointF(10.5, 2.5), QPointF(10.5, 3.5)])
    )


_SIGNS: Dict[str, Callable[[QPainter, QColor, float], None]] = {
    "done": _check,
    "failed": _cross,
    "running": _spinner,
    "stopped": _stopped,
    "waiting": _waiting,
    "idle": _dot,
    "warning": _alert,
    "info": _info,
    "send": _send,
    "stop": _stop,
    "down": _down,
    "right": _right,
    "new": _plus,
    "settings": _sliders,
    "copy": _copy,
    "edit": _pencil,
    "sessions": _sessions,
    "plug": _plug,
}


def paint_glyph(painter: QPainter, name: str, colour: QColor, turn: float = 0.0) -> None:
    """Draw a sign in a box of 16 x 16 at the origin; ``turn`` (0 to 1) is the position of the spinner."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _SIGNS[name](painter, colour, turn)
    painter.restore()


def glyph_icon(name: str, colour: QColor, ratio: float = 2.0) -> QIcon:
    """A sign as an icon, drawn ``ratio`` times as large for screens of high density."""
    pixmap = QPixmap(round(SIZE * ratio), round(SIZE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_glyph(painter, name, colour)
    painter.end()
    return QIcon(pixmap)


class Glyph(QWidget):
    """A sign as a widget of 16 x 16. ``strong`` draws it in the accent colour (``Tones.sign``) instead of the muted text colour."""

    def __init__(self, name: str, strong: bool = False, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._name = name
        self._strong = strong
        self._turn = 0.0
        self.setFixedSize(QSize(SIZE, SIZE))

    def name(self) -> str:
        """The sign that is shown."""
        return self._name

    def show_sign(self, name: str, strong: bool = False) -> None:
        """Show another sign."""
        self._name = name
        self._strong = strong
        self.update()

    def turn_to(self, turn: float) -> None:
        """Turn the spinner to a position between 0 and 1."""
        self._turn = turn % 1.0
        self.update()

    def paintEvent(self, _event: object) -> None:  # noqa: N802
        """Draw it in the colours that the theme has now."""
        colours = tones()
        painter = QPainter(self)
        paint_glyph(painter, self._name, colours.sign if self._strong else colours.muted, self._turn)
        painter.end()
