"""The table of changed values on a card: every row can be reached, every cell is plain text."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from qgis.PyQt.QtCore import QAbstractTableModel, QModelIndex, Qt
from qgis.PyQt.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import ThemedLabel
from ..tips import plain_tip

SHOWN_ROWS = 7
"""As many rows are seen without scrolling."""
_LOOKED_AT = 400
"""Rows that the widths of the columns are taken from."""


class ChangeModel(QAbstractTableModel):
    """Rows of texts. Nothing is copied: a table may have ten thousands of rows."""

    def __init__(self, head: Sequence[str], rows: Sequence[Sequence[str]], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._head = head
        self._rows = rows

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: N802, B008  Qt's own signature
        """All rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: N802, B008  Qt's own signature
        """As many as the head has."""
        return 0 if parent.isValid() else len(self._head)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text of a cell; its tool tip says the same, escaped."""
        if not index.isValid():
            return None
        text = str(self._rows[index.row()][index.column()])
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return " ".join(text.split())  # one line a row
        return plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names of the columns."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return self._head[section]


class ChangeView(QWidget):
    """How many change, and the list of them."""

    def __init__(self, table: Any, parent: Optional[QWidget] = None) -> None:
        """``table`` is a ChangeTable of gis/card_changes.py."""
        super().__init__(parent)
        self.words = ThemedLabel(str(table.words), muted=True, small=True)
        self.view = QTableView()
        self.view.setModel(ChangeModel(table.head, table.rows, self.view))
        self.view.setAccessibleName(translate("QgisAgent", "Changed values"))
        self.view.setAccessibleDescription(str(table.words))
        self.view.setTabKeyNavigation(False)  # Tab goes on to the buttons; the arrows move in the table
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.view.setWordWrap(False)
        self.view.setAlternatingRowColors(True)
        self.view.verticalHeader().hide()
        header = self.view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setResizeContentsPrecision(_LOOKED_AT)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.view.resizeColumnsToContents()
        row_height = self.view.fontMetrics().height() + 8
        self.view.verticalHeader().setDefaultSectionSize(row_height)
        shown = min(len(table.rows), SHOWN_ROWS)
        bar = self.view.horizontalScrollBar().sizeHint().height()
        self.view.setFixedHeight(header.sizeHint().height() + shown * row_height + bar + 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.view)
        column.addWidget(self.words)
