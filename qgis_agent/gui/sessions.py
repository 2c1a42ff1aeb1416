"""The panel of earlier conversations: find, go on with, rename, export, delete. It asks; others do (sessions_desk.py)."""

from __future__ import annotations

from typing import Any, List, Optional

from qgis.PyQt.QtCore import Qt, QTimer, pyqtSignal
from qgis.PyQt.QtGui import QPalette
from qgis.PyQt.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ..gis.i18n import translate
from .cards.card_button import CardButton
from .sessions_list import Row, SessionsList
from .surfaces import GlyphButton, ThemedLabel
from .theme import GAP, MARGIN, follow_palette, tones

SEARCH_MS = 200
"""After the last key, before the search begins."""


class SessionsPanel(QWidget):
    """Stands in the place of the conversation. Signals carry what a person wants; the id is the chosen conversation's."""

    find_asked = pyqtSignal(str, bool)
    open_asked = pyqtSignal(str)
    rename_asked = pyqtSignal(str, str)
    export_asked = pyqtSignal(str)
    delete_asked = pyqtSignal(str)
    closed = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.rows = SessionsList()
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(translate("QgisAgent", "Search titles and texts"))
        self.search.setAccessibleName(translate("QgisAgent", "Search conversations"))
        self.all_projects = QCheckBox(translate("QgisAgent", "All projects"))
        self.note = ThemedLabel("", muted=True)
        self.note.hide()
        self.close_button = GlyphButton("failed", translate("QgisAgent", "Back to the conversation"))
        self.open_button = CardButton(translate("QgisAgent", "Open"))
        self.rename_button = CardButton(translate("QgisAgent", "Rename"))
        self.export_button = CardButton(translate("QgisAgent", "Export…"))
        self.delete_button = CardButton(translate("QgisAgent", "Delete…"))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SEARCH_MS)
        self._lay_out()
        self._connect()
        self._refresh()
        self._recolour()
        follow_palette(self._recolour)

    def begin(self) -> None:
        """Shown anew: look for all of this project's conversations."""
        self.say("")
        self.show()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.find()

    def find(self) -> None:
        """Look again with the words and the choice that are there."""
        self._timer.stop()
        self.find_asked.emit(self.search.text().strip(), self.all_projects.isChecked())

    def show_rows(self, rows: List[Row], total: int, problem: str = "") -> None:
        """What was found, of how many; ``problem`` says why nothing could be looked for."""
        self.rows.show_rows(rows)
        if problem:
            self.say(problem)
        elif not rows and (self.search.text().strip()):
            self.say(translate("QgisAgent", "No conversation has these words."))
        elif not rows:
            self.say(translate("QgisAgent", "There are no earlier conversations of this project yet."))
        elif total > len(rows):
            self.say(translate("QgisAgent", "The newest {shown} of {total}.").format(shown=len(rows), total=total))
        else:
            self.say("")
        self._refresh()

    def say(self, text: str) -> None:
        """A sentence below the list; "" takes it away."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Esc goes back to the conversation, also where no shortcut of the panel reaches."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(ThemedLabel(translate("QgisAgent", "Conversations"), bold=True), 1)
        head.addWidget(self.close_button)
        buttons = QGridLayout()  # two by two: in every language they fit a narrow panel
        buttons.setSpacing(GAP - 2)
        for at, each in enumerate((self.open_button, self.rename_button, self.export_button, self.delete_button)):
            buttons.addWidget(each, at // 2, at % 2)
        buttons.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, GAP, MARGIN, GAP)
        column.setSpacing(GAP)
        column.addLayout(head)
        column.addWidget(self.search)
        column.addWidget(self.all_projects)
        column.addWidget(self.rows, 1)
        column.addWidget(self.note)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self._timer.timeout.connect(self.find)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.search.returnPressed.connect(self.find)
        self.all_projects.toggled.connect(lambda _on: self.find())
        self.close_button.clicked.connect(self.closed)
        self.rows.opened.connect(self.open_asked)
        self.rows.renamed.connect(self.rename_asked)
        self.rows.delete_wanted.connect(self.delete_asked)
        self.rows.currentRowChanged.connect(lambda _row: self._refresh())
        self.open_button.clicked.connect(lambda: self._with_chosen(self.open_asked.emit))
        self.rename_button.clicked.connect(self.rows.edit_title)
        self.export_button.clicked.connect(lambda: self._with_chosen(self.export_asked.emit))
        self.delete_button.clicked.connect(lambda: self._with_chosen(self.delete_asked.emit))

    def _recolour(self, *_palette: Any) -> None:
        """Qt's own colour of the hint is too pale to read on dark themes."""
        palette = self.search.palette()
        palette.setColor(QPalette.ColorRole.PlaceholderText, tones().muted)
        self.search.setPalette(palette)

    def _with_chosen(self, act: Any) -> None:
        if self.rows.chosen():
            act(self.rows.chosen())

    def _refresh(self) -> None:
        for each in (self.open_button, self.rename_button, self.export_button, self.delete_button):
            each.setEnabled(bool(self.rows.chosen()))
