"""QGIS's message bar: a sentence when something ends while the panel is closed, with a button that opens it."""

from __future__ import annotations

from typing import Any, Callable, Dict

from qgis.core import Qgis
from qgis.PyQt.QtWidgets import QPushButton

from ..gis.i18n import translate
from ..gis.layers import clean_text

LONGEST = 160
"""Characters of an answer or a reason in the message bar."""
SECONDS = 12


class Notices:
    """``shown`` tells whether a person sees the panel; ``open_panel`` opens it."""

    def __init__(self, bar: Any, shown: Callable[[], bool], open_panel: Callable[[], None]) -> None:
        self._bar = bar
        self._shown = shown
        self._open = open_panel

    def finished(self, report: Dict[str, Any]) -> None:
        """A run has ended; what the person stopped needs no notice."""
        termination = str(report.get("termination") or "")
        if self._shown() or termination == "interrupted":
            return
        question, error = report.get("question"), report.get("error")
        if isinstance(question, dict) and termination == "awaiting_user":
            self._push(
                translate("QgisAgent", "The agent has a question."), str(question.get("text") or ""), _LEVEL.Warning
            )
        elif isinstance(error, dict):
            self._push(
                translate("QgisAgent", "The request did not succeed."), str(error.get("message") or ""), _LEVEL.Warning
            )
        else:
            self._push(
                translate("QgisAgent", "The agent has finished."), str(report.get("answer") or ""), _LEVEL.Success
            )

    def died(self, event: Dict[str, Any]) -> None:
        """The agent process ended by itself."""
        if event.get("type") == "agent_died" and not self._shown():
            self._push(
                translate("QgisAgent", "The agent process ended."), str(event.get("text") or ""), _LEVEL.Critical
            )

    def _push(self, title: str, text: str, level: Any) -> None:
        """Plain text: a widget of the message bar takes its words for rich text where they look like it."""
        item = self._bar.createMessage(translate("QgisAgent", "QGIS Agent"), _plain(title, text))
        button = QPushButton(translate("QgisAgent", "Show"), item)
        button.clicked.connect(lambda _checked=False: self._show(item))
        item.layout().addWidget(button)
        self._bar.pushWidget(item, level, SECONDS)

    def _show(self, item: Any) -> None:
        self._open()
        self._bar.popWidget(item)


_LEVEL = Qgis.MessageLevel


def _plain(title: str, text: str) -> str:
    """Title and the first words, without what markup is made of."""
    words = clean_text(" ".join(text.split()), LONGEST)
    return " ".join(each for each in (title, words) if each).replace("<", "‹").replace(">", "›").replace("&", "＆")
