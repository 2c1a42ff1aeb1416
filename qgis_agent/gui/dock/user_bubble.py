"""What the person said: on the right, in a bubble no wider than its words."""

from __future__ import annotations

import math
from typing import Any, Optional

from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface
from ..text_view import TextView

LARGEST_SHARE = 0.88
"""Largest part of the conversation's width that a bubble takes."""
_PAD = 10


class UserBubble(QWidget):
    """The words, unchanged and as plain text."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.text = text
        self._surface = Surface("bubble")
        self._view = TextView()
        self._view.set_plain(text)
        self._view.setAccessibleName(translate("QgisAgent", "You said: {text}").format(text=text))
        inner = QVBoxLayout(self._surface)
        inner.setContentsMargins(_PAD, 7, _PAD, 7)
        inner.addWidget(self._view)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(self._surface)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Be as wide as the words, within the largest share."""
        super().resizeEvent(event)
        self._surface.setFixedWidth(max(60, min(self._wanted(), round(self.width() * LARGEST_SHARE))))

    def _wanted(self) -> int:
        """Width of the longest line when nothing wraps."""
        metrics = self._view.fontMetrics()
        longest = max((metrics.horizontalAdvance(line) for line in self.text.split("\n")), default=0)
        return math.ceil(longest * 1.02) + 2 * _PAD + 6
