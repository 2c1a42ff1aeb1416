"""What state the agent is in and which model answers; pressed, the menu of models."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from qgis.PyQt.QtCore import QPointF, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QPainter, QPen, QPolygonF
from qgis.PyQt.QtWidgets import QMenu, QSizePolicy, QWidget

from ...gis.i18n import translate
from ..painted_button import PaintedButton
from ..qt import QActionGroup, flag_bits
from ..theme import tones
from ..tips import plain_tip

_ARROW = 12
Entry = Tuple[str, str, bool]
"""(id, words, whether it answers now)."""


class ModelButton(PaintedButton):
    """One line of words, cut where they do not fit. ``chosen`` carries the id of an entry, ``settings_asked`` the last one."""

    chosen = pyqtSignal(str)
    settings_asked = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._short = ""
        self._entries: List[Entry] = []
        self.menu = QMenu(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleDescription(translate("QgisAgent", "Opens the menu of models."))
        self.clicked.connect(self._open)

    def text(self) -> str:
        """All of the words."""
        return self._words

    def set_text(self, text: str, short: str = "") -> None:
        """Show other words; ``short`` stands for them where they do not fit."""
        self._words = " ".join(text.split())
        self._short = " ".join(short.split())
        self.setAccessibleName(self._words)
        self.updateGeometry()
        self.update()

    def show_models(self, entries: List[Entry]) -> None:
        """The models that the menu offers."""
        self._entries = list(entries)

    def fill_menu(self) -> QMenu:
        """The menu as it is now."""
        self.menu.clear()
        group = QActionGroup(self.menu)
        group.setExclusive(True)
        for ident, words, current in self._entries:
            action = self.menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(current)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, ident=ident: self.chosen.emit(ident))
        if self._entries:
            self.menu.addSeparator()
        settings = self.menu.addAction(translate("QgisAgent", "Model settings…"))
        settings.triggered.connect(lambda _checked=False: self.settings_asked.emit())
        return self.menu

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as the words and the arrow."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._words) + 4 + _ARROW, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: the words are cut instead."""
        return QSize(24 + _ARROW, self.fontMetrics().height() + 4)

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """What fits of the words, the arrow behind them, and a line under them while it has the keyboard."""
        colours = tones()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colours.muted)
        metrics = self.fontMetrics()
        room = max(0, self.width() - _ARROW)
        fits = metrics.horizontalAdvance(self._words) <= room
        words = self._words if fits or not self._short else self._short
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(self.rect(), flag_bits(Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter), shown)
        end = min(metrics.horizontalAdvance(shown), self.width() - _ARROW)
        if self.hasFocus():
            painter.setPen(QPen(colours.sign, 1.4))
            painter.drawLine(0, self.height() - 2, end, self.height() - 2)
        middle = self.height() / 2
        painter.setPen(QPen(colours.muted, 1.3))
        painter.drawPolyline(
            QPolygonF([QPointF(end + 4, middle - 1.5), QPointF(end + 7, middle + 1.5), QPointF(end + 10, middle - 1.5)])
        )
        painter.end()
        tip = plain_tip(self._words) if shown != self._words else ""
        if self.toolTip() != tip:
            self.setToolTip(tip)

    def _open(self) -> None:
        menu = self.fill_menu()
        above = self.mapToGlobal(self.rect().topLeft())
        above.setY(above.y() - menu.sizeHint().height())
        menu.popup(above)
