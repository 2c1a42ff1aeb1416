"""The chips above the text: what the message names, each with a cross that takes it out again."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from qgis.PyQt.QtCore import QRectF, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QPainter, QPen, QPixmap
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ..glyphs import SIZE, paint_glyph
from ..painted_button import PaintedButton
from ..qt import flag_bits
from ..theme import RADIUS, blend, tones
from ..tips import plain_tip

_PAD = 8
_GAP = 6
_CROSS = 12
"""Side of the cross, in device-independent pixels."""
THUMBNAIL = 36
"""Longest side of the small picture on a chip, in device-independent pixels."""


class ChipText(NamedTuple):
    """What a chip shows: its words, what a screen reader says, the tool tip; ``problem``: it cannot be sent as it is;
    ``picture``: a small picture before the words."""

    words: str
    name: str
    tip: str
    problem: bool = False
    picture: Optional[QPixmap] = None


class Chip(PaintedButton):
    """A chip. Pressing it, or Delete, takes it out."""

    def __init__(self, key: str, text: ChipText, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.key = key
        self._text = text
        self.setText(text.words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(plain_tip(text.tip))
        self.setAccessibleName(text.name)
        self.setAccessibleDescription(text.tip)

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Delete and Backspace press it too."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.click()
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The words, the cross, and a sign or a picture before them."""
        metrics = self.fontMetrics()
        sign = SIZE + 2 if self._text.problem else 0
        shown = self._text.picture
        wide = round(shown.width() / shown.devicePixelRatio()) + 6 if shown is not None else 0
        high = THUMBNAIL if shown is not None else 0
        words = metrics.horizontalAdvance(self.text())
        return QSize(words + 2 * _PAD + _CROSS + 6 + sign + wide, max(metrics.height(), high) + 6)

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw it."""
        colours = tones()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = blend(colours.bubble, colours.text, 0.08) if self.underMouse() or self.isDown() else colours.bubble
        painter.setBrush(fill)
        painter.setPen(QPen(colours.sign, 1.6) if self.hasFocus() else QPen(colours.line, 1.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS - 2, RADIUS - 2)
        left = _PAD
        if self._text.problem:
            painter.save()
            painter.translate(left - 2, (self.height() - SIZE) / 2)
            paint_glyph(painter, "warning", colours.text)
            painter.restore()
            left += SIZE + 2
        shown = self._text.picture
        if shown is not None:
            wide, high = (round(each / shown.devicePixelRatio()) for each in (shown.width(), shown.height()))
            painter.drawPixmap(left - 2, (self.height() - high) // 2, shown)
            left += wide + 6
        inner = self.rect().adjusted(left, 0, -_PAD - _CROSS - 4, 0)
        painter.setPen(colours.text)
        flags = flag_bits(Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(inner, flags, shown)
        painter.translate(self.width() - _PAD - _CROSS + 2, (self.height() - _CROSS) / 2)
        painter.scale(_CROSS / SIZE, _CROSS / SIZE)
        paint_glyph(painter, "failed", colours.muted)
        painter.end()


class ChipRow(QWidget):
    """Chips in as many lines as they need. ``removed`` carries the key of one that was taken out."""

    removed = pyqtSignal(str)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._chips: List[Chip] = []
        self.setAccessibleName(translate("QgisAgent", "Named in this message"))
        self.hide()

    def chips(self) -> List[Chip]:
        """The chips, in order."""
        return list(self._chips)

    def show_chips(self, texts: List[Any]) -> None:
        """``texts``: pairs of a key and a ChipText."""
        wanted = [(key, text) for key, text in texts]
        if [(each.key, each._text) for each in self._chips] == wanted:
            return
        for each in self._chips:
            each.hide()
            each.deleteLater()
        self._chips = [Chip(key, text, self) for key, text in wanted]
        for each in self._chips:
            each.clicked.connect(lambda _checked=False, key=each.key: self.removed.emit(key))
            each.show()
        self.setVisible(bool(self._chips))
        self._place()

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Lines anew."""
        super().resizeEvent(event)
        self._place()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: words are cut instead."""
        return QSize(60, self.minimumHeight())

    def _place(self) -> None:
        left, top, height = 0, 0, 0
        width = max(self.width(), 60)
        for each in self._chips:
            size = each.sizeHint().boundedTo(QSize(width, 1000))
            if left and left + size.width() > width:
                left, top = 0, top + size.height() + 4
            each.setGeometry(left, top, size.width(), size.height())
            left += size.width() + _GAP
            height = top + size.height()
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)
