"""Lines inside the composer: a remark about what was typed, and that the last message is being changed."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..surfaces import GlyphButton, ThemedLabel
from ..tips import breakable


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
        self._label.setText(breakable(text))
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
