"""Shows an earlier conversation, a few messages at a time, so that QGIS stays smooth however long it is."""

from __future__ import annotations

from typing import Dict, List, Optional

from qgis.PyQt.QtCore import QElapsedTimer, QObject, QTimer
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..answer_view import AnswerView
from ..surfaces import ThemedLabel
from .conversation import Conversation

SLICE_MS = 12
"""Time for messages before QGIS is let work again."""


class EarlierAnswer(QWidget):
    """An answer of an earlier run: its text. What belonged to its run (buttons, legend) is of a map that was."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.text = text
        self.view = AnswerView()
        self.view.set_markdown(text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)


class History(QObject):
    """Fills a conversation with what was said before."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._conversation = conversation
        self._waiting: List[Dict[str, str]] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._some)

    def show_messages(self, said: List[Dict[str, str]]) -> None:
        """Show them from the first to the last, and a line that says that they are earlier ones."""
        self._waiting = list(said)
        if self._waiting:
            self._timer.start()

    def stop(self) -> None:
        """Another conversation is shown."""
        self._timer.stop()
        self._waiting = []

    def finish(self) -> None:
        """Show all that is left at once: something new is to stand below it."""
        while self._waiting:
            self._one()
        self._timer.stop()

    def busy(self) -> bool:
        """Whether there are messages that are not shown yet."""
        return bool(self._waiting)

    def _some(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._waiting and clock.elapsed() < SLICE_MS:
            self._one()
        if not self._waiting:
            self._timer.stop()
            self._conversation.add_card(
                ThemedLabel(translate("QgisAgent", "Earlier conversation. Layers may have changed since."), muted=True)
            )
            self._conversation.to_end()

    def _one(self) -> None:
        message = self._waiting.pop(0)
        if message["role"] == "user":
            self._conversation.add_user(message["text"])
        else:
            self._conversation.add_card(EarlierAnswer(message["text"]))
