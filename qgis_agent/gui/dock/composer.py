"""Where a person types: Enter sends, Shift+Enter starts a new line, Up brings back what was sent before."""

from __future__ import annotations

import math
from typing import Any, List, Optional

from qgis.PyQt.QtCore import QPoint, Qt, pyqtSignal
from qgis.PyQt.QtGui import QPainter, QTextCursor
from qgis.PyQt.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface
from ..theme import follow_palette, is_theme_change, tones
from .send_button import SendButton

MOST_LINES = 7
HISTORY = 100
"""Messages that Up can bring back."""


class MessageEdit(QPlainTextEdit):
    """The text field. It grows with its lines, up to seven."""

    submitted = pyqtSignal()
    escaped = pyqtSignal()
    older = pyqtSignal()
    newer = pyqtSignal()
    focus_changed = pyqtSignal(bool)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.hint = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.document().contentsChanged.connect(self._fit)
        self._restyle()
        follow_palette(self._restyle)
        self._fit()

    def inputMethodEvent(self, event: Any) -> None:  # noqa: N802
        """Remember whether an input method is composing: its Enter chooses a word and must not send."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Send, stop, history; everything else is text."""
        key = event.key()
        plain = not (event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and not self._composing:
            self.submitted.emit()
        elif key == Qt.Key.Key_Escape and not self._composing:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and plain and self.textCursor().blockNumber() == 0 and self._at_edge(True):
            self.older.emit()
        elif key == Qt.Key.Key_Down and plain and self._at_edge(False):
            self.newer.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: Any) -> None:  # noqa: N802
        """Paste text only."""
        if source.hasText():
            self.insertPlainText(source.text())

    def focusInEvent(self, event: Any) -> None:  # noqa: N802
        """Tell the frame."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: Any) -> None:  # noqa: N802
        """Tell the frame."""
        self._composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Lines wrap anew."""
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """The text, or the hint while there is none: Qt's own hint does not follow the style sheet of a theme."""
        super().paintEvent(event)
        if self.hint and not self._composing and self.document().isEmpty():
            painter = QPainter(self.viewport())
            painter.setPen(tones().muted)
            margin = round(self.document().documentMargin())
            shown = self.fontMetrics().elidedText(
                self.hint, Qt.TextElideMode.ElideRight, self.viewport().width() - 2 * margin
            )
            painter.drawText(QPoint(margin + 2, margin + self.fontMetrics().ascent()), shown)
            painter.end()

    def changeEvent(self, event: Any) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event):
            self._restyle()

    def _at_edge(self, up: bool) -> bool:
        """Whether the cursor is in the first (last) line as it is wrapped."""
        cursor = self.textCursor()
        before = cursor.position()
        cursor.movePosition(QTextCursor.MoveOperation.Up if up else QTextCursor.MoveOperation.Down)
        return cursor.position() == before or (cursor.atStart() and up and before == 0)

    def _restyle(self, *_palette: Any) -> None:
        colours = tones()
        sheet = "QPlainTextEdit {{ background: transparent; border: none; color: {}; }}".format(colours.text.name())
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)

    def _fit(self) -> None:
        margins = 2 * round(self.document().documentMargin()) + 2
        text = 0.0
        block = self.document().begin()
        while block.isValid():  # lines with Chinese are taller than the font says
            text += self.blockBoundingRect(block).height()
            block = block.next()
        line = self.fontMetrics().lineSpacing()
        most = MOST_LINES * line + margins
        height = max(line, math.ceil(text)) + margins
        if self.height() != min(height, most):
            self.setFixedHeight(min(height, most))
        wanted = Qt.ScrollBarPolicy.ScrollBarAsNeeded if height > most else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.verticalScrollBarPolicy() != wanted:
            self.setVerticalScrollBarPolicy(wanted)


class Composer(Surface):
    """The field with its send button, which is a stop button while a run goes on."""

    submitted = pyqtSignal(str)
    stop_asked = pyqtSignal()
    queued_wanted = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__("plain", parent)
        self._history: List[str] = []
        self._place = 0
        self._draft = ""
        self._running = False
        self._has_queued = False
        self.edit = MessageEdit()
        self.edit.setAccessibleName(translate("QgisAgent", "Message"))
        self.edit.setAccessibleDescription(
            translate("QgisAgent", "Enter sends, Shift+Enter starts a new line, Esc stops.")
        )
        self.edit.hint = translate("QgisAgent", "Ask, or say what to do…")
        self.button = SendButton()
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 6, 6)
        column.addLayout(row)
        self.setFocusProxy(self.edit)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self._escape)
        self.edit.older.connect(lambda: self._browse(-1))
        self.edit.newer.connect(lambda: self._browse(1))
        self.edit.focus_changed.connect(self.set_focused)
        self.edit.textChanged.connect(self._refresh_button)
        self.button.clicked.connect(self._pressed)
        self._refresh_button()

    def text(self) -> str:
        """What is typed."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put text into the field, cursor at its end."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def set_running(self, running: bool) -> None:
        """A run goes on, or has ended."""
        self._running = running
        self._refresh_button()

    def set_has_queued(self, queued: bool) -> None:
        """Whether a message waits for the end of the run; Up then pulls it back first."""
        self._has_queued = queued

    def remember(self, text: str) -> None:
        """Keep a sent message for Up."""
        if text and (not self._history or self._history[-1] != text):
            self._history = (self._history + [text])[-HISTORY:]
        self._place = len(self._history)

    def submit(self) -> None:
        """Send what is typed, when there is anything."""
        text = self.text().strip()
        if text:
            self.edit.clear()
            self.submitted.emit(text)

    def _pressed(self) -> None:
        if self._running and not self.text().strip():
            self.stop_asked.emit()
        else:
            self.submit()

    def _escape(self) -> None:
        if self._running:
            self.stop_asked.emit()

    def _browse(self, step: int) -> None:
        if step < 0 and self._has_queued and not self.text().strip():
            self.queued_wanted.emit()
            return
        place = self._place + step
        if not 0 <= place <= len(self._history):
            return
        if self._place == len(self._history):
            self._draft = self.text()
        self._place = place
        self.set_text(self._draft if place == len(self._history) else self._history[place])

    def _refresh_button(self) -> None:
        typed = bool(self.text().strip())
        self.button.show_state("stop" if self._running and not typed else "send", typed or self._running)
