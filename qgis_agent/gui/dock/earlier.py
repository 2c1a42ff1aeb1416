"""The messages of a session that is opened: the newest are made at once, older ones when a person goes up to them.

One message is made at a time, so that QGIS draws and answers between two of them however long the session is. Runs that are
not here yet are asked for when their turn comes.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import QObject, Qt, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..cards.card_button import CardButton
from .past_run import PastRun
from .user_bubble import UserBubble

BATCH = 20
"""Messages that are made when a session is opened, and each time a person reaches the top."""
CALM_MS = 300
"""So long after the last message was made, texts have found their height."""
A_RUN = 2
"""Messages of a run: the person's and the agent's."""
Runs = List[Dict[str, Any]]
More = Callable[[int, Callable[[Runs, int], None]], None]
"""``more(before, done)`` gets the runs above run ``before``: ``done(runs, number of the first of them)``."""


class EarlierMessages(QObject):
    """Gives widgets for the messages from the newest to the oldest: ``made`` carries each, to be put above the others.

    ``busy`` says whether what is above the view still grows.
    """

    made = pyqtSignal(QWidget)
    settled = pyqtSignal()

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._left: List[Tuple[str, Dict[str, Any]]] = []
        self._first = 0
        self._more: Optional[More] = None
        self._asked = 0
        """Counts what is asked for: answers to an earlier conversation's questions are not taken."""
        self._waits = self._failed = False
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

    def open(self, runs: Runs, first: int = 0, more: Optional[More] = None) -> None:
        """Begin with the newest of ``runs`` (PastRun of bridge/messages.py, oldest first), above which there are ``first`` others."""
        self.forget()
        self._left = _messages(runs)
        self._first, self._more = (first, more) if more is not None else (0, None)
        self.show_more()

    def show_more(self) -> None:
        """Make the next older ones."""
        self._failed = False
        if self.left() and not self._timer.isActive() and not self._waits:
            self._wanted = BATCH
            self.busy = True
            self._calm.stop()
            self._timer.start()
        self._update()

    def want_more(self) -> None:
        """Make the next older ones, unless the last ones could not be had: then a person asks for them by the button."""
        if not self._failed:
            self.show_more()

    def forget(self) -> None:
        """Another conversation: nothing more is made."""
        self._timer.stop()
        self._calm.stop()
        self._left, self._first, self._more = [], 0, None
        self._asked += 1
        self.busy = self._waits = self._failed = False
        self._update()

    def left(self) -> int:
        """How many messages are not shown yet."""
        return len(self._left) + A_RUN * self._first

    def _make_one(self) -> None:
        if self._wanted > 0 and not self._left and self._first and self._more is not None:
            self._ask_for_runs(self._more)
        elif not self._left or self._wanted <= 0:
            self._timer.stop()
            self._calm.start()
        else:
            self._wanted -= 1
            kind, run = self._left.pop()
            self.made.emit(UserBubble(str(run["text"])) if kind == "user" else PastRun(run))
            self._update()

    def _ask_for_runs(self, more: More) -> None:
        self._timer.stop()
        self._waits = True
        self._asked += 1
        number = self._asked

        def came(runs: Runs, first: int) -> None:
            if number == self._asked:
                self._take(runs, first)

        more(self._first, came)

    def _take(self, runs: Runs, first: int) -> None:
        self._waits = False
        self._failed = not runs
        if runs:
            self._left, self._first = _messages(runs), first
            self._timer.start()
        else:
            self._calm.start()
        self._update()

    def _settled(self) -> None:
        self.busy = False
        self.settled.emit()

    def _update(self) -> None:
        self.more.tell(self.left())


def _messages(runs: Runs) -> List[Tuple[str, Dict[str, Any]]]:
    """What was said and what came of it, oldest first."""
    found = [(kind, run) for run in runs for kind in ("user", "run")]
    return [(kind, run) for kind, run in found if kind == "run" or str(run.get("text") or "").strip()]


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
