"""Asks a person by windows, one at a time: the Approver of gis/approvals.py for QGIS with a screen."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QObject, QTimer
from qgis.PyQt.QtWidgets import QWidget

from .approval import DEFAULT_TIMEOUT_S, ApprovalDialog, ShowOnMap

Answer = Callable[..., None]
"""answer(said, reason=""), see gis/approvals.py."""


class DialogApprover(QObject):
    """Asks by windows, one at a time; others wait. A question's time runs from when it was asked, not from when it is
    shown: one that waits too long is a no, as one that is not answered is."""

    def __init__(self, parent: Optional[QWidget] = None, show_on_map: Optional[ShowOnMap] = None) -> None:
        super().__init__(parent)
        self._window = parent
        self._show_on_map = show_on_map
        self._queue: List[_Question] = []
        self._open: Optional[_Question] = None

    def ask(self, card: Dict[str, Any], answer: Answer) -> Callable[[], None]:
        """See gis/approvals.py: returns at once; ``answer`` follows; the returned function withdraws the question."""
        question = _Question(card, answer)
        self._queue.append(question)
        QTimer.singleShot(0, self._next)
        return lambda: self._withdraw(question)

    def current(self) -> Optional[ApprovalDialog]:
        """The window that is open now."""
        return self._open.dialog if self._open is not None else None

    def waiting(self) -> int:
        """How many questions wait behind the open one."""
        return len(self._queue)

    def close_all(self) -> None:
        """The plugin or QGIS goes: no question is left open, and each is answered with no_answer, which is a no."""
        left, self._queue = self._queue, []
        opened, self._open = self._open, None
        if opened is not None and opened.dialog is not None:
            opened.dialog.withdraw()
            left.insert(0, opened)
        for each in left:
            each.answer("no_answer")

    def _next(self) -> None:
        if self._open is not None or not self._queue:
            self._tell_waiting()
            return
        question = self._queue.pop(0)
        left = question.seconds_left()
        if left <= 0:
            question.answer("no_answer")
            QTimer.singleShot(0, self._next)
            return
        self._open = question
        dialog = question.dialog = ApprovalDialog(question.card, self._window, self._show_on_map)
        dialog.decided.connect(lambda said, reason: self._decided(question, said, reason))
        dialog.refuse_similar.connect(lambda: self._refuse_similar(question))
        self._tell_waiting()
        dialog.present(left)

    def _decided(self, question: _Question, said: str, reason: str) -> None:
        self._open = None
        QTimer.singleShot(0, self._next)
        question.say(said, reason)

    def _refuse_similar(self, question: _Question) -> None:
        similar = [each for each in self._queue if each.is_like(question)]
        self._queue = [each for each in self._queue if each not in similar]
        reason = question.dialog.answers.reason.text().strip() if question.dialog is not None else ""
        for each in similar:
            each.say("deny", reason)

    def _tell_waiting(self) -> None:
        if self._open is not None and self._open.dialog is not None:
            similar = sum(each.is_like(self._open) for each in self._queue)
            self._open.dialog.set_waiting(similar, len(self._queue) - similar)

    def _withdraw(self, question: _Question) -> None:
        if question in self._queue:
            self._queue.remove(question)
            self._tell_waiting()
        elif self._open is question and question.dialog is not None:
            self._open = None
            question.dialog.withdraw()
            QTimer.singleShot(0, self._next)


class _Question:
    """A card that waits for an answer."""

    def __init__(self, card: Dict[str, Any], answer: Answer) -> None:
        self.card = card
        self.answer = answer
        self.dialog: Optional[ApprovalDialog] = None
        self._until = time.monotonic() + float(card.get("timeout_s") or DEFAULT_TIMEOUT_S)

    def seconds_left(self) -> float:
        """Until no answer means no."""
        return self._until - time.monotonic()

    def is_like(self, other: _Question) -> bool:
        """The same tool, asked by the same caller, and of several programs by the same."""
        keys = ("kind", "verb", "caller", "client")
        return all(self.card.get(key) == other.card.get(key) for key in keys)

    def say(self, said: str, reason: str) -> None:
        """Give the answer, with the person's reason where there is one."""
        if reason:
            self.answer(said, reason)
        else:
            self.answer(said)
