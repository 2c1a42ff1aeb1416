"""The message that waits for the end of the run."""

from __future__ import annotations

from typing import List, Optional, Sequence

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QPushButton, QWidget

from ...gis.i18n import translate
from ...gis.pictures import Picture
from ..glyphs import Glyph
from ..surfaces import ElidedLabel, Surface
from ..theme import GAP


class QueuedBar(Surface):
    """One line with the message and a button that takes it back into the field."""

    edit_asked = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        self._text = ""
        self.pictures: List[Picture] = []
        self._label = ElidedLabel()
        self.edit_button = QPushButton(translate("QgisAgent", "Edit"))
        self.edit_button.setToolTip(translate("QgisAgent", "Take the waiting message back into the field (Up)"))
        self.edit_button.setAutoDefault(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 4, 4)
        row.setSpacing(GAP)
        row.addWidget(Glyph("waiting"))
        row.addWidget(self._label, 1)
        row.addWidget(self.edit_button)
        self.edit_button.clicked.connect(self.edit_asked)
        self.hide()

    def text(self) -> str:
        """The waiting message, "" when there is none."""
        return self._text

    def put(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Let a message wait, with its pictures."""
        self._text, self.pictures = text, list(pictures)
        words = translate("QgisAgent", "Next: {text}").format(text=text)
        if self.pictures:
            count = translate("QgisAgent", "pictures: {}").format(len(self.pictures))
            words = translate("QgisAgent", "{text} ({more})").format(text=words, more=count)
        self._label.set_text(words)
        self.show()

    def take(self) -> str:
        """The waiting message; it waits no longer."""
        text, self._text, self.pictures = self._text, "", []
        self.hide()
        return text
