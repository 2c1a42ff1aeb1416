"""The list of earlier conversations: two lines each, a title that can be edited in place and what is to be known of it."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from qgis.PyQt.QtCore import QModelIndex, QRect, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QFont, QPainter, QPen
from qgis.PyQt.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QWidget

from ..gis.i18n import translate
from .surfaces import smaller
from .theme import blend, follow_palette, tones
from .tips import plain_tip

_PAD = 8
_ID = Qt.ItemDataRole.UserRole
_ABOUT = Qt.ItemDataRole.UserRole + 1
_CURRENT = Qt.ItemDataRole.UserRole + 2


class Row(NamedTuple):
    """One conversation: its id, title, the second line, and whether it is the one that is shown."""

    session_id: str
    title: str
    about: str
    current: bool = False


class SessionsList(QListWidget):
    """``opened`` carries the id of a row that was chosen; ``renamed`` id and new title; ``delete_wanted`` by the key."""

    opened = pyqtSignal(str)
    delete_wanted = pyqtSignal(str)
    renamed = pyqtSignal(str, str)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._filling = False
        self.setItemDelegate(_TwoLines(self))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setAccessibleName(translate("QgisAgent", "Conversations"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setMouseTracking(True)
        self.itemActivated.connect(lambda item: self.opened.emit(item.data(_ID)))
        self.itemChanged.connect(self._changed)
        self._recolour()
        follow_palette(self._recolour)

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Delete asks for the chosen row to be deleted."""
        if event.key() == Qt.Key.Key_Delete and self.chosen():
            self.delete_wanted.emit(self.chosen())
        else:
            super().keyPressEvent(event)

    def show_rows(self, rows: List[Row]) -> None:
        """Show these; the one that was chosen stays chosen."""
        before = self.chosen()
        self._filling = True
        self.clear()
        for row in rows:
            item = QListWidgetItem(row.title)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setData(_ID, row.session_id)
            item.setData(_ABOUT, row.about)
            item.setData(_CURRENT, row.current)
            item.setToolTip(plain_tip(row.title))
            spoken = [row.title, row.about]
            if row.current:
                spoken.append(translate("QgisAgent", "shown now"))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(spoken))
            self.addItem(item)
            if row.session_id == before:
                self.setCurrentItem(item)
        self._filling = False
        if self.currentItem() is None and rows:
            self.setCurrentRow(0)

    def chosen(self) -> str:
        """The id of the row that is chosen, "" without one."""
        item = self.currentItem()
        return str(item.data(_ID)) if item is not None else ""

    def title(self, session_id: str) -> str:
        """The title of a row, "" where it is not shown."""
        item = self._item(session_id)
        return item.text() if item is not None else ""

    def edit_title(self) -> None:
        """Let the person write another title for the chosen row."""
        if self.currentItem() is not None:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editItem(self.currentItem())

    def put_title(self, session_id: str, title: str) -> None:
        """Show a title without telling."""
        item = self._item(session_id)
        if item is not None:
            self._filling = True
            item.setText(title)
            self._filling = False

    def _item(self, session_id: str) -> Optional[QListWidgetItem]:
        items = (self.item(row) for row in range(self.count()))
        return next((each for each in items if each.data(_ID) == session_id), None)

    def _changed(self, item: QListWidgetItem) -> None:
        if not self._filling:
            self.renamed.emit(str(item.data(_ID)), item.text())

    def _recolour(self, *_palette: Any) -> None:
        colours = tones()
        sheet = "QListWidget {{ background: {}; color: {}; outline: none; }}"
        self.setStyleSheet(sheet.format(colours.surface.name(), colours.text.name()))


class _TwoLines(QStyledItemDelegate):
    """Draws title and second line; a bar at the left marks the conversation that is shown."""

    def sizeHint(self, option: Any, _index: QModelIndex) -> QSize:  # noqa: N802
        """Two lines and room around them."""
        return QSize(60, round(option.fontMetrics.height() * 2.1) + 2 * _PAD)

    def updateEditorGeometry(self, editor: QWidget, option: Any, _index: QModelIndex) -> None:  # noqa: N802
        """The editor lies over the title."""
        editor.setGeometry(option.rect.adjusted(4, 2, -4, -2))

    def paint(self, painter: QPainter, option: Any, index: QModelIndex) -> None:
        """Draw one row."""
        colours = tones()
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, blend(colours.surface, colours.accent, 0.16))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, colours.raised)
        if index.data(_CURRENT):
            painter.fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()), colours.sign)
        if state & QStyle.StateFlag.State_Selected:  # a frame, too: the fill alone would be told by its colour
            focused = bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(colours.sign if focused else colours.muted, 2 if focused else 1))
            painter.drawRect(option.rect.adjusted(1, 1, -2, -2) if focused else option.rect.adjusted(0, 0, -1, -1))
        room = option.rect.adjusted(_PAD + 2, _PAD, -_PAD, -_PAD)
        font = QFont(option.font)
        painter.setFont(font)
        painter.setPen(colours.text)
        upper = QRect(room.left(), room.top(), room.width(), option.fontMetrics.height())
        self._line(painter, upper, str(index.data(Qt.ItemDataRole.DisplayRole) or ""))
        font.setPointSizeF(smaller(font.pointSizeF()))
        painter.setFont(font)
        painter.setPen(colours.muted)
        self._line(
            painter, QRect(room.left(), upper.bottom() + 2, room.width(), upper.height()), str(index.data(_ABOUT))
        )
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, place: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place.left(), place.top() + painter.fontMetrics().ascent(), shown)
