"""The list of suggestions above the composer. It never takes the keyboard, so that an input method keeps its place."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from qgis.PyQt.QtCore import QPoint, QRect, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QWidget

from ...gis.i18n import translate
from ..qt import flag_bits
from ..theme import follow_palette, is_theme_change, tones
from ..tips import plain_tip

MOST_ROWS = 8
_PAD = 8
_TITLE_SHARE = 0.55
"""Of the width, for a title with details beside it."""


class Option(NamedTuple):
    """A suggestion: what is shown, and what it stands for."""

    title: str
    detail: str
    value: Any


class _Row(QStyledItemDelegate):
    """Title and details in one line. The chosen row has a bar at its edge, so that it is not told by colour alone."""

    def sizeHint(self, option: Any, _index: Any) -> QSize:  # noqa: N802
        """One line with room around it."""
        return QSize(40, option.fontMetrics.height() + _PAD)

    def paint(self, painter: QPainter, option: Any, index: Any) -> None:
        """Draw a row."""
        colours = tones()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(option.rect, colours.bubble if chosen else colours.surface)
        if chosen:
            painter.fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), colours.sign)
        title, detail = index.data(Qt.ItemDataRole.DisplayRole), index.data(Qt.ItemDataRole.UserRole + 1)
        inner = option.rect.adjusted(_PAD + 2, 0, -_PAD, 0)
        metrics = option.fontMetrics
        middle = flag_bits(Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter)
        most = round(inner.width() * _TITLE_SHARE) if detail else inner.width()
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, most)
        painter.setPen(colours.text)
        painter.drawText(inner, middle, shown)
        rest = inner.adjusted(metrics.horizontalAdvance(shown) + 10, 0, 0, 0)
        painter.setPen(colours.muted)
        painter.drawText(rest, middle, metrics.elidedText(detail, Qt.TextElideMode.ElideRight, rest.width()))
        painter.restore()


class Suggestions(QListWidget):
    """``chosen`` carries the value of the suggestion that was clicked; keys are the field's, which calls ``step``."""

    chosen = pyqtSignal(object)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setItemDelegate(_Row(self))
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(translate("QgisAgent", "Suggestions"))
        self.itemClicked.connect(lambda item: self.chosen.emit(item.data(Qt.ItemDataRole.UserRole)))
        self._restyle()
        follow_palette(self._restyle)
        self.hide()

    def offer(self, options: List[Option]) -> None:
        """Show other suggestions, the first one chosen; hidden when there are none."""
        self.clear()
        for each in options:
            item = QListWidgetItem(each.title)
            item.setData(Qt.ItemDataRole.UserRole, each.value)
            item.setData(Qt.ItemDataRole.UserRole + 1, each.detail)
            words = translate("QgisAgent", "{title}, {detail}").format(title=each.title, detail=each.detail)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words if each.detail else each.title)
            item.setToolTip(plain_tip(words if each.detail else each.title))
            self.addItem(item)
        self.setVisible(bool(options))
        if options:
            self.setCurrentRow(0)

    def place_above(self, widget: QWidget) -> None:
        """Lie above ``widget``, as wide as it is, inside the panel that both are in."""
        panel = self.parentWidget()
        if panel is None:
            return
        corner = widget.mapTo(panel, QPoint(0, 0))
        rows = min(self.count(), MOST_ROWS)
        row = self.sizeHintForRow(0) if self.count() else 0
        height = min(rows * row + 2 * self.frameWidth() + 2, max(corner.y() - 4, row + 4))
        self.setGeometry(corner.x(), max(0, corner.y() - height - 2), widget.width(), height)
        self.raise_()

    def step(self, by: int) -> None:
        """Choose the next or the one before, round and round."""
        if self.count():
            self.setCurrentRow((self.currentRow() + by) % self.count())

    def value(self) -> Any:
        """What the chosen suggestion stands for; None without one."""
        item = self.currentItem()
        return item.data(Qt.ItemDataRole.UserRole) if item is not None else None

    def spoken(self) -> str:
        """The chosen suggestion in words, with its place in the list."""
        item = self.currentItem()
        if item is None:
            return ""
        words = translate("QgisAgent", "Suggestion {number} of {count}: {words}")
        said = item.data(Qt.ItemDataRole.AccessibleTextRole)
        return words.format(number=self.currentRow() + 1, count=self.count(), words=said)

    def changeEvent(self, event: Any) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event):
            self._restyle()

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """The rows, and a border around them."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setPen(QPen(tones().line, 1))
        painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _restyle(self, *_palette: Any) -> None:
        sheet = "QListWidget {{ background: {}; border: none; outline: none; padding: 1px; }}".format(
            tones().surface.name()
        )
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)
