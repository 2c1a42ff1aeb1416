"""The Test button of the model's settings, and below it what works and what does not, line by line."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ...bridge.model_test import CHECKS, FAIL, NOTE, OK, SKIPPED, WARN
from ...gis.i18n import translate
from ..glyphs import Glyph
from .models_words import check_name, said, state_name
from .parts import explanation

SIGNS = {OK: "done", WARN: "warning", FAIL: "failed", NOTE: "info", SKIPPED: "stopped"}
"""Each state has its own shape."""

Config = Dict[str, Any]


class ModelTestPanel(QWidget):
    """``asked`` gives the settings to test, None where they are not complete (the page says so itself).

    ``tester`` is a ModelTester of gis/model_test.py, or anything with its signals; it outlives the page.
    """

    finished = pyqtSignal()

    def __init__(self, tester: Any, asked: Callable[[], Optional[Config]], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._tester = tester
        self._asked = asked
        self._mine = False
        self.lines: List[Dict[str, Any]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.button = QPushButton(translate("QgisAgent", "Test the model"))
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda _checked=False: self._pressed())
        self.state = explanation(_what_it_costs())
        row = QHBoxLayout()
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.state, 1)
        column.addLayout(row)
        self._area = QWidget()
        self._grid = QGridLayout(self._area)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setColumnStretch(2, 1)
        self._grid.setVerticalSpacing(3)
        self._area.setVisible(False)
        column.addWidget(self._area)
        tester.line.connect(self._show_line)
        tester.ended.connect(self._ended)
        self.destroyed.connect(tester.stop)

    def clear(self) -> None:
        """The settings are others now: what was found is not about them."""
        if self._mine:
            self._tester.stop()
        self._empty()
        self.state.setText(_what_it_costs())

    def text(self) -> str:
        """All that is shown, as plain text."""
        return "\n".join([self.state.text(), *(_plain(each) for each in self.lines)])

    def _pressed(self) -> None:
        if self._mine:
            self._tester.stop()
            return
        config = self._asked()
        if config is None:
            return
        if self._tester.running:
            self.state.setText(translate("QgisAgent", "Another test is going on."))
            return
        self._empty()
        self._mine = True
        self.button.setText(translate("QgisAgent", "Stop the test"))
        self.state.setText(translate("QgisAgent", "Testing… This takes from a few seconds to a few minutes."))
        self._tester.start(config)

    def _show_line(self, line: Dict[str, Any]) -> None:
        if not self._mine:
            return
        self.lines.append(line)
        row = 2 * CHECKS.index(line["check"])
        sentence, hint = said(line)
        sign = Glyph(SIGNS[line["state"]], strong=line["state"] == OK)
        sign.setAccessibleName(state_name(line["state"]))
        sign.setToolTip(state_name(line["state"]))
        words = explanation(sentence)
        words.setAccessibleName(_plain(line))
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(sign, row, 0, top)
        self._grid.addWidget(QLabel(check_name(line["check"])), row, 1, top)
        self._grid.addWidget(words, row, 2, top)
        if hint:
            told = explanation(hint)
            told.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self._grid.addWidget(told, row + 1, 2, top)
        self._area.setVisible(True)

    def _ended(self, why: str) -> None:
        if not self._mine:
            return
        self._mine = False
        self.button.setText(translate("QgisAgent", "Test the model"))
        self.state.setText(why or self._verdict())
        self.finished.emit()

    def _verdict(self) -> str:
        states = [each["state"] for each in self.lines]
        if FAIL in states:
            return translate("QgisAgent", "The agent cannot work with these settings yet.")
        if WARN in states:
            return translate("QgisAgent", "The agent can work with this model, within limits.")
        return translate("QgisAgent", "All that the agent needs works.")

    def _empty(self) -> None:
        self.lines = []
        while self._grid.count():
            widget = self._grid.takeAt(0).widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._area.setVisible(False)


def _what_it_costs() -> str:
    return translate(
        "QgisAgent",
        "Sends four made-up requests, about 9,000 tokens in all; nothing of your project is in them.",
    )


def _plain(line: Dict[str, Any]) -> str:
    """A line for those who do not see the sign: what was looked at, how it is, the sentence and the hint."""
    sentence, hint = said(line)
    text = translate("QgisAgent", "{check} ({state}): {sentence}").format(
        check=check_name(line["check"]), state=state_name(line["state"]), sentence=sentence
    )
    return "{} {}".format(text, hint).strip()
