"""What the pages of settings have in common: explanations, and lists that say so when they are empty."""

from __future__ import annotations

import html
from typing import Any, Callable, List, Optional

from qgis.gui import QgsFilterLineEdit
from qgis.PyQt.QtCore import QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QKeySequence, QPainter, QPalette
from qgis.PyQt.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ..qt import QShortcut, flag_bits
from ..surfaces import PageGround
from ..theme import MARGIN, tones

_LEAST_LETTERS = 14
"""How much of an entry a closed list shows at least."""


def explanation(text: str, above: int = 0) -> QLabel:
    """A wrapped line of plain text; ``above`` is indented by the width of a radio button's sign."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setContentsMargins(above, 0, 0, 4)
    return label


def literal_tip(text: str) -> str:
    """A tool tip that shows this text: what Qt takes for HTML in it is shown as it is written."""
    return "<qt>{}</qt>".format(html.escape(text)) if text else ""


def scrolled(parent: QWidget, boxes: List[QWidget]) -> None:
    """Put boxes below one another into a page that scrolls where it is too low."""
    inner = PageGround()
    column = QVBoxLayout(inner)
    column.setSpacing(12)
    for box in boxes:
        column.addWidget(box)
    column.addStretch(1)
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the control that has the focus
    area.setWidgetResizable(True)
    area.setWidget(inner)
    outer = QVBoxLayout(parent)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.addWidget(area)
    _make_readable(inner)


def _make_readable(page: QWidget) -> None:
    """No list is as wide as its longest entry, a label stands above its field where there is no room beside it, hints are read."""
    for box in page.findChildren(QComboBox):
        if box.sizeAdjustPolicy() != QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon:
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_LEAST_LETTERS)
    for edit in page.findChildren(QLineEdit):  # themes write what an empty field is for too faintly to be read
        palette = edit.palette()
        palette.setColor(QPalette.ColorRole.PlaceholderText, tones().muted)
        edit.setPalette(palette)
    for form in page.findChildren(QFormLayout):
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)


def _is_enter(event: Any) -> bool:
    return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class EntryBox(QComboBox):
    """An editable list whose Enter is its own (``entered``): a dialog around it would take it for OK and close."""

    entered = pyqtSignal()

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """The line of the box passes Enter on to here."""
        if _is_enter(event):
            event.accept()
            self.entered.emit()
            return
        super().keyPressEvent(event)


class SearchEdit(QgsFilterLineEdit):
    """A field to search in; Enter does not close the dialog around it."""

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """The list follows each letter: there is nothing left to do for Enter."""
        if _is_enter(event):
            event.accept()
            return
        super().keyPressEvent(event)


class ListView(QTreeWidget):
    """A flat list with columns. ``emptied`` is shown in its middle while it has no rows; Del calls ``on_delete``."""

    def __init__(
        self,
        columns: List[str],
        name: str,
        emptied: str,
        on_delete: Callable[[], None],
        height: int = 120,
    ) -> None:
        """``height`` in device-independent pixels: what it takes in a page that has room enough."""
        super().__init__()
        self._height = height
        self.setMinimumHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.emptied = emptied
        self.setColumnCount(len(columns))
        self.setHeaderLabels(columns)
        self.setAccessibleName(name)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.header().setStretchLastSection(False)
        self.header().setHighlightSections(False)
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(on_delete)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as it was asked for; longer lists scroll."""
        return QSize(super().sizeHint().width(), self._height)

    def stretch(self, *columns: int) -> None:
        """These columns share the width; the others are as wide as what they hold."""
        for column in range(self.columnCount()):
            mode = QHeaderView.ResizeMode.Stretch if column in columns else QHeaderView.ResizeMode.ResizeToContents
            self.header().setSectionResizeMode(column, mode)

    def show_rows(self, rows: List[List[str]], keys: List[Any], tips: Optional[List[str]] = None) -> None:
        """Show these rows; ``keys`` are what ``chosen`` gives back. What was chosen stays chosen where it is still there."""
        before = set(map(str, self.chosen()))
        self.clear()
        for number, (row, key) in enumerate(zip(rows, keys)):
            item = QTreeWidgetItem(row)
            item.setData(0, Qt.ItemDataRole.UserRole, key)
            for column, text in enumerate(row):
                item.setToolTip(column, literal_tip(tips[number] if tips else text))
            self.addTopLevelItem(item)
            item.setSelected(str(key) in before)
        self.viewport().update()

    def chosen(self) -> List[Any]:
        """The keys of the rows that are chosen."""
        return [each.data(0, Qt.ItemDataRole.UserRole) for each in self.selectedItems()]

    def texts(self) -> List[List[str]]:
        """What the rows say."""
        items = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        return [[item.text(column) for column in range(self.columnCount())] for item in items]

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """Draw the rows, or the words for none."""
        super().paintEvent(event)
        if self.topLevelItemCount():
            return
        painter = QPainter(self.viewport())
        painter.setPen(tones().muted)
        room = self.viewport().rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        painter.drawText(room, flag_bits(Qt.AlignmentFlag.AlignCenter, Qt.TextFlag.TextWordWrap), self.emptied)
        painter.end()
