"""What the person said: on the right, in a bubble no wider than its words. The last one can be changed and sent again."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.pictures import Picture
from ..composer.picture_row import thumbnail
from ..surfaces import GlyphButton, Surface, ThemedLabel
from ..text_view import TextView

LARGEST_SHARE = 0.88
"""Largest part of the conversation's width that a bubble takes."""
SHOWN = 64
"""Longest side of a picture in a bubble, in device-independent pixels: four fit a narrow panel."""
_PAD = 10


class UserBubble(QWidget):
    """The words, unchanged and as plain text. ``edit_asked``: the person wants to change them and send them again."""

    edit_asked = pyqtSignal()

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.text = text
        self.pictures: List[Picture] = []
        self._surface = Surface("bubble")
        self._view = TextView()
        self._view.set_plain(text)
        self._view.setAccessibleName(translate("QgisAgent", "You said: {text}").format(text=text))
        self.edit_button: Optional[GlyphButton] = None
        inner = QVBoxLayout(self._surface)
        inner.setContentsMargins(_PAD, 7, _PAD, 7)
        inner.addWidget(self._view)
        self._inner = inner
        self._shown: List[QLabel] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._row = QHBoxLayout()
        self._row.setSpacing(2)
        self._row.addStretch(1)
        self._row.addWidget(self._surface)
        self._column.addLayout(self._row)

    def show_pictures(self, pictures: Sequence[Picture]) -> None:
        """Small pictures of what was shown with the words, below them."""
        self.pictures = list(pictures)
        if not self.pictures:
            return
        row = QHBoxLayout()
        row.setSpacing(6)
        for at, each in enumerate(self.pictures, 1):
            label = QLabel()
            label.setPixmap(thumbnail(each, SHOWN))
            name = translate("QgisAgent", "Picture {}").format(at)
            label.setAccessibleName(name)
            label.setToolTip(name)
            row.addWidget(label)
            self._shown.append(label)
        row.addStretch(1)
        self._inner.addLayout(row)
        self._fit()

    def offer_edit(self, offered: bool) -> None:
        """Show the button that changes this message, or take it away."""
        if self.edit_button is None and offered:
            words = translate("QgisAgent", "Change this message and send it again")
            self.edit_button = GlyphButton("edit", words)
            self.edit_button.clicked.connect(self.edit_asked)
            self._row.insertWidget(1, self.edit_button, 0, Qt.AlignmentFlag.AlignTop)
        if self.edit_button is not None:
            self.edit_button.setVisible(offered)
            self._fit()

    def show_replaced(self) -> None:
        """It was sent again, with other words: it can no longer be changed."""
        self.offer_edit(False)
        note = ThemedLabel(translate("QgisAgent", "Changed and sent again, below"), muted=True, small=True)
        note.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._column.addWidget(note)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Be as wide as the words, within the largest share."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        most = round(self.width() * LARGEST_SHARE)
        if self.edit_button is not None and not self.edit_button.isHidden():
            most = min(most, self.width() - self.edit_button.sizeHint().width() - 4)
        self._surface.setFixedWidth(max(60, min(self._wanted(), most)))

    def _wanted(self) -> int:
        """Width of the longest line when nothing wraps."""
        metrics = self._view.fontMetrics()
        longest = max((metrics.horizontalAdvance(line) for line in self.text.split("\n")), default=0)
        pictures = sum(each.sizeHint().width() + 6 for each in self._shown)
        return max(math.ceil(longest * 1.02), pictures) + 2 * _PAD + 6
