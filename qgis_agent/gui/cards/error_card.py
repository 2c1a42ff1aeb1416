"""Cards in QGIS Agent's own voice: an error, a notice. Never in the voice of the model."""

from __future__ import annotations

from typing import Callable, List, Optional, Tuple

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ..glyphs import Glyph
from ..surfaces import Surface, ThemedLabel
from ..text_view import TextView
from ..theme import GAP
from .card_button import ButtonRow, CardButton

Action = Tuple[str, Callable[[], None]]
"""Words on a button, and what it does."""


class NoticeLine(QWidget):
    """One small line: something that a person may want to know. ``level`` is info, warning or error."""

    def __init__(self, text: str, level: str = "info", parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        sign = {"warning": "warning", "error": "failed"}.get(level, "info")
        row.addWidget(Glyph(sign, strong=level != "info"), 0, Qt.AlignmentFlag.AlignTop)
        self._view = TextView(muted=True)
        self._view.set_plain(text)
        self._view.setAccessibleName(text)
        row.addWidget(self._view, 1)
        self.setAccessibleName(text)

    def text(self) -> str:
        """The words."""
        return self._view.toPlainText()


class ErrorCard(Surface):
    """What went wrong, how to put it right, and buttons for it."""

    def __init__(
        self,
        title: str,
        message: str,
        hint: str = "",
        actions: Optional[List[Action]] = None,
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__("card", parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join(each for each in (message, hint) if each))
        self.title = title
        self.message = message
        self.buttons: List[CardButton] = []
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(ThemedLabel(title, bold=True))
        for text, muted in ((message, False), (hint, True)):
            if text:
                view = TextView(muted=muted)
                view.set_plain(text)
                view.setAccessibleName(text)
                column.addWidget(view)
        if actions:
            column.addWidget(self._button_row(actions))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 10, 10, 10)
        row.setSpacing(GAP)
        row.addWidget(Glyph("warning", strong=True), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)

    def _button_row(self, actions: List[Action]) -> ButtonRow:
        for words, act in actions:
            button = CardButton(words)
            button.clicked.connect(lambda _checked=False, act=act: act())
            self.buttons.append(button)
        return ButtonRow(self.buttons)

    def disarm(self) -> None:
        """Something newer has taken its place: its buttons no longer act."""
        for button in self.buttons:
            button.setEnabled(False)
