"""The messages of a session that is opened: the newest are made at once, older ones when a person goes up to them.

One message is made at a time, so that QGIS draws and answers between two of them however long the session is.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import QObject, Qt, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..cards.card_button import CardButton
from .past_answer import PastAnswer
from .user_bubble import UserBubble

BATCH = 20
"""Messages that are made when a session is opened, and each time a person reaches the top."""
CALM_MS = 300
"""So long after the last message was made, texts have found their height."""


class EarlierMessages(QObject):
    """Gives widgets for the messages from the newest to the oldest: ``made`` carries each, to be put above the others.

    ``busy`` says whether what is above the view still grows.
    """

    made = pyqtSignal(QWidget)
    settled = pyqtSignal()

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._left: List[Dict[str, Any]] = []
        self._wanted = 0
        self.busy = False
        self.more = MoreButton()
        self.more.button.clicked.connect(self.show_more)
        self.more.hide()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._make_one)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM_MS)
        self._calm.timeout.connect(self._settled)

    def open(self, messages: List[Dict[str, Any]]) -> None:
        """Begin with the newest of ``messages``, each {role: "user" | "assistant", text}, oldest first."""
        self.forget()
        self._left = [each for each in messages if str(each.get("text") or "").strip()]
        self.show_more()

    def show_more(self) -> None:
        """Make the next older ones."""
        if self._left and not self._timer.isActive():
            self._wanted = BATCH
            self.busy = True
            self._calm.stop()
            self._timer.start()
        self._update()

    def forget(self) -> None:
        """Another conversation: nothing more is made."""
        self._timer.stop()
        self._calm.stop()
        self._left = []
        self.busy = False
        self._update()

    def left(self) -> int:
        """How many messages are not shown yet."""
        return len(self._left)

    def _make_one(self) -> None:
        if not self._left or self._wanted <= 0:
            self._timer.stop()
            self._calm.start()
            return
        self._wanted -= 1
        message = self._left.pop()
        text = str(message["text"])
        self.made.emit(UserBubble(text) if message.get("role") == "user" else PastAnswer(text))
        self._update()

    def _settled(self) -> None:
        self.busy = False
        self.settled.emit()

    def _update(self) -> None:
        self.more.tell(len(self._left))


class MoreButton(QWidget):
    """Above the oldest message that is shown, while there are older ones."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.button = CardButton("")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)

    def tell(self, count: int) -> None:
        """Say how many older messages there are; gone when there are none."""
        words = translate("QgisAgent", "Show earlier messages ({count})").format(count=count)
        if self.button.text() != words:
            self.button.setText(words)
            self.button.setAccessibleName(words)
            self.button.updateGeometry()
        self.setVisible(count > 0)
