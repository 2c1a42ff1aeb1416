"""The text of an answer: Markdown from its first word on, laid out piece by piece.

A piece is a few paragraphs. While the answer streams only the last piece is laid out anew, and no more often than leaves the
main thread free; what is finished is not touched again. Most answers are a single piece.
"""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

from qgis.PyQt.QtCore import QElapsedTimer, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ..gis.i18n import translate
from .markdown_blocks import boundaries, pieces
from .text_view import MAX_CHARS, TextView, shortened

PIECE = 1_000
"""Characters of a piece: about 10 ms of layout."""
HUGE = 4_000
"""One block of more characters (code, a long table) is shown as it is written until it ends."""
SHARE = 10
"""The layout of the last piece takes one part in so many of the time."""
LEAST_MS = 30
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:", re.MULTILINE)
"""A link that is defined apart from where it is used: only the whole text has both."""

Mark = Tuple[List[str], str, str]
"""Texts that are marked, the tip of the mark, and the address it leads to ("" for a mark of what has no source)."""


class AnswerView(QWidget):
    """``append`` takes what streams in, ``set_markdown`` a finished text. ``step_asked`` carries the number of a step."""

    step_asked = pyqtSignal(int)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._views: List[TextView] = []
        self._text = ""
        self._tail_from = 0
        self._plain_to = 0
        self._cost_ms = 0
        self._marks: List[Mark] = []
        self._waiting: List[str] = []
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._render)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._next_piece)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def append(self, text: str) -> None:
        """Add streamed text."""
        self._text += text
        if len(self._text) > MAX_CHARS:
            return  # the finished text says how much is left out
        rest_ms = self._rest_ms()
        if rest_ms <= 0:
            self._timer.stop()
            self._render()
        elif not self._timer.isActive():
            self._timer.start(rest_ms)

    def finish(self, text: str) -> None:
        """The answer is ``text``: usually what has streamed, whose finished pieces stay as they are."""
        self._timer.stop()
        if text != self._text or len(text) > MAX_CHARS or _REFERENCE.search(text):
            self.set_markdown(text)
            return
        rest = pieces(self._text[self._tail_from :], PIECE)
        if rest:
            self._show_tail(rest[0])
            self._wait_with(rest[1:])

    def set_markdown(self, text: str) -> None:
        """Show a finished text. Its first piece is there at once, the others follow one by one."""
        self._later.stop()
        for each in self._views:
            each.hide()
            each.deleteLater()
        self._views, self._text, self._tail_from = [], text, len(text)
        shown = shortened(text)
        first, *rest = [shown] if _REFERENCE.search(shown) else pieces(shown, PIECE)
        self._show_tail(first)
        self._wait_with(rest)

    def mark(self, texts: List[str], tip: str, address: str = "") -> None:
        """Mark each place where one of ``texts`` stands alone. An address "step:3" makes it a link to a step of the run."""
        self._marks.append((texts, tip, address))
        for view in self._views:
            _mark(view, self._marks[-1])

    def views(self) -> List[TextView]:
        """The pieces, in order."""
        return list(self._views)

    def toPlainText(self) -> str:  # noqa: N802  as Qt's text widgets have it
        """All that is shown."""
        return "\n".join(each.toPlainText() for each in self._views)

    # internals

    def _rest_ms(self) -> int:
        """How long the main thread is left alone before the next layout."""
        if not self._since.isValid():
            return 0
        return max(LEAST_MS, self._cost_ms * SHARE) - int(self._since.elapsed())

    def _render(self) -> None:
        """Lay out what is not finished, and cut off what has become so."""
        clock = QElapsedTimer()
        clock.start()
        tail = self._text[self._tail_from :]
        cut = _cut(tail)
        if cut:
            self._show_tail(tail[:cut])
            self._tail_from += cut
            self._plain_to = 0
            self._add_view()
            tail = tail[cut:]
        if len(tail) > HUGE:
            self._show_plain(tail)
        else:
            self._show_tail(tail)
        self._cost_ms = int(clock.elapsed())
        self._since.restart()

    def _show_tail(self, text: str) -> None:
        view = self._views[-1] if self._views else self._add_view()
        view.set_markdown(text)
        for each in self._marks:
            _mark(view, each)

    def _show_plain(self, tail: str) -> None:
        view = self._views[-1]
        if not self._plain_to:
            view.set_plain(tail)
        else:
            view.append_plain(tail[self._plain_to :])
        self._plain_to = len(tail)

    def _add_view(self) -> TextView:
        view = TextView()
        view.setAccessibleName(translate("QgisAgent", "Answer"))
        view.step_asked.connect(self.step_asked)
        self._views.append(view)
        self._column.addWidget(view)
        return view

    def _wait_with(self, rest: List[str]) -> None:
        self._waiting = rest
        if rest:
            self._later.start()

    def _next_piece(self) -> None:
        self._add_view()
        self._show_tail(self._waiting[0])
        self._wait_with(self._waiting[1:])


def _cut(tail: str) -> int:
    """Where the first piece of a long text ends that is still being written; 0 where nothing of it is finished."""
    cuts = boundaries(tail) if len(tail) > PIECE else []
    return max([each for each in cuts if each <= PIECE] or cuts[:1], default=0)


def _mark(view: TextView, mark: Mark) -> None:
    texts, tip, address = mark
    view.mark(texts, tip, address)
