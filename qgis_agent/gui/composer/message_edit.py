"""The text field of the composer: its keys, input methods, what is dropped on it, tokens as one piece."""

from __future__ import annotations

import math
from typing import Any, Callable, List, Optional, Tuple

from qgis.PyQt.QtCore import QEvent, QPoint, Qt, pyqtSignal
from qgis.PyQt.QtGui import QPainter, QTextCharFormat, QTextCursor
from qgis.PyQt.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from ..theme import follow_palette, is_theme_change, tones

MOST_LINES = 7
_OF_INPUT_METHOD = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
"""Keys that choose or drop a word while an input method composes; one that does not keep them to itself changes nothing."""


class MessageEdit(QPlainTextEdit):
    """The text field. It grows with its lines, up to seven.

    ``intercept`` sees a key first and says whether it took it (a list of suggestions does); ``wants_escape`` whether Esc
    means something here, before it stops a run; ``take`` gets what is dropped or pasted and says whether it took it.
    """

    submitted = pyqtSignal()
    escaped = pyqtSignal()
    older = pyqtSignal()
    newer = pyqtSignal()
    focus_changed = pyqtSignal(bool)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._composing = False
        self._tokens: List[Tuple[int, int]] = []
        self.hint = ""
        self.intercept: Callable[[Any], bool] = lambda _event: False
        self.wants_escape: Callable[[], bool] = lambda: False
        self.can_take: Callable[[Any], bool] = lambda _mime: False
        self.take: Callable[[Any], bool] = lambda _mime: False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.document().contentsChanged.connect(self._fit)
        self._restyle()
        follow_palette(self._restyle)
        self._fit()

    def composing(self) -> bool:
        """Whether an input method is composing: keys then belong to it."""
        return self._composing

    def show_tokens(self, spans: List[Tuple[int, int]]) -> None:
        """Mark these parts of the text (from, to before), each of which Backspace deletes as one piece."""
        self._tokens = spans
        marked = []
        for start, end in spans:
            each = QTextEdit.ExtraSelection()
            each.cursor = self._cursor(start, end)
            look = QTextCharFormat()
            look.setBackground(tones().bubble)
            look.setFontUnderline(True)
            look.setUnderlineColor(tones().sign)
            each.format = look
            marked.append(each)
        self.setExtraSelections(marked)

    def replace(self, start: int, end: int, text: str) -> None:
        """Put ``text`` in the place of a part, as a step that Ctrl+Z takes back."""
        cursor = self._cursor(start, end)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    # events

    def event(self, event: Any) -> bool:
        """Esc comes here rather than to the dock's shortcut while it closes a list or ends an edit."""
        kind = event.type()
        if kind == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
            if not self._composing and not self.wants_escape():
                return bool(super().event(event))
            event.accept()
            return True
        if (
            kind == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Tab
            and not self._composing
            and self.intercept(event)
        ):
            return True  # Qt would move the focus before keyPressEvent sees it
        return bool(super().event(event))

    def inputMethodEvent(self, event: Any) -> None:  # noqa: N802
        """Remember whether an input method is composing: its Enter chooses a word and must not send."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Suggestions, send, stop, history; everything else is text."""
        key = event.key()
        plain = not (event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)
        if self._composing and key in _OF_INPUT_METHOD:
            return
        if not self._composing and self.intercept(event):
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain:
            self.submitted.emit()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and plain and self.textCursor().blockNumber() == 0 and self._at_edge(True):
            self.older.emit()
        elif key == Qt.Key.Key_Down and plain and self._at_edge(False):
            self.newer.emit()
        elif key == Qt.Key.Key_Backspace and plain and self._delete_token():
            return
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: Any) -> bool:  # noqa: N802
        """Text, pictures, and what ``take`` knows."""
        return self.can_take(source) or bool(source.hasText())

    def insertFromMimeData(self, source: Any) -> None:  # noqa: N802
        """What is pasted or dropped: layers and files by ``take``, everything else as plain text."""
        if self.can_take(source) and self.take(source):
            return
        if source.hasText():
            self.insertPlainText(source.text())

    def dragEnterEvent(self, event: Any) -> None:  # noqa: N802
        """See ``dropEvent``."""
        super().dragEnterEvent(event)
        self._only_copy(event)

    def dragMoveEvent(self, event: Any) -> None:  # noqa: N802
        """See ``dropEvent``."""
        super().dragMoveEvent(event)
        self._only_copy(event)

    def dropEvent(self, event: Any) -> None:  # noqa: N802
        """Layers are copied, never moved: the layer panel takes a layer that was moved away out of the project."""
        super().dropEvent(event)
        self._only_copy(event)

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

    # inside

    def _only_copy(self, event: Any) -> None:
        if self.can_take(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def _cursor(self, start: int, end: int) -> QTextCursor:
        """A cursor over characters of the text, which Qt counts in units of UTF-16."""
        text = self.toPlainText()
        cursor = QTextCursor(self.document())
        cursor.setPosition(units(text[:start]))
        cursor.setPosition(units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _delete_token(self) -> bool:
        """Delete the token that ends at the cursor, when one does."""
        cursor = self.textCursor()
        text = self.toPlainText()
        for start, end in self._tokens:
            if not cursor.hasSelection() and cursor.position() == units(text[:end]):
                self._cursor(start, end).removeSelectedText()
                return True
        return False

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
            self.show_tokens(self._tokens)

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


def units(text: str) -> int:
    """Length of a text as Qt counts it: in units of UTF-16, two for what lies beyond the basic plane."""
    return len(text.encode("utf-16-le")) // 2
