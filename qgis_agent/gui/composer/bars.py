"""Lines inside the composer: a remark about what was typed, and that the last message is being changed."""

from __future__ import annotations

import re
from typing import Optional, Sequence

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..cards.card_button import ButtonRow, CardButton
from ..glyphs import Glyph
from ..surfaces import GlyphButton, ThemedLabel
from ..tips import breakable

_SLASH = re.compile("(?<=[ 、])/")
_JOINED = "\u2060"
"""Not seen; no line ends here: a command is not parted from its "/"."""


class NoteLine(QWidget):
    """One remark, until the text changes."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._label = ThemedLabel(small=True)
        self._said = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(6)
        row.addWidget(Glyph("info"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        self.hide()

    def text(self) -> str:
        """What is said now, "" for nothing."""
        return self._said

    def say(self, text: str) -> None:
        """Show a remark."""
        self._said = text
        self._label.setText(_SLASH.sub("/" + _JOINED, breakable(text)))
        self._label.setAccessibleName(text)
        self.show()

    def forget(self) -> None:
        """Show none."""
        if self._said:
            self._said = ""
            self.hide()


class EditBar(QWidget):
    """Says that the last message is being changed; ``left`` when the person leaves it as it was."""

    left = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        words = ThemedLabel(translate("QgisAgent", "Changing your last message"), muted=True, small=True)
        self.leave_button = GlyphButton("failed", translate("QgisAgent", "Leave it as it was (Esc)"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(Glyph("edit"))
        row.addWidget(words, 1)
        row.addWidget(self.leave_button)
        self.leave_button.clicked.connect(self.left)
        self.hide()


class AskBar(QWidget):
    """Asks whether what the last message did to the map is taken back; ``answered`` is "undo", "keep" or "leave"."""

    answered = pyqtSignal(str)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._words = ThemedLabel()
        self.undo_button = CardButton(translate("QgisAgent", "Undo and send"))
        self.keep_button = CardButton(translate("QgisAgent", "Keep and send"))
        self.leave_button = CardButton(translate("QgisAgent", "Cancel"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        column.addWidget(self._words)
        column.addWidget(ButtonRow([self.undo_button, self.keep_button, self.leave_button]))
        for button, answer in ((self.undo_button, "undo"), (self.keep_button, "keep"), (self.leave_button, "leave")):
            button.clicked.connect(lambda _checked=False, answer=answer: self._answer(answer))
        self.hide()

    def ask(self, changed: Sequence[str]) -> None:
        """``changed``: what would be put back, in words. The keyboard goes to the first button, which Space presses."""
        comma = translate("QgisAgent", "; ")
        words = translate("QgisAgent", "The last message changed the map ({changes}). Put that back first?")
        text = words.format(changes=comma.join(changed))
        self._words.setText(breakable(text))
        self._words.setAccessibleName(text)
        self.undo_button.setAccessibleDescription(text)
        self.show()
        self.undo_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _answer(self, answer: str) -> None:
        self.hide()
        self.answered.emit(answer)
