"""A question of the agent with its answers as buttons."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface
from ..text_view import TextView
from .choice_button import ChoiceButton


class QuestionCard(Surface):
    """``chosen`` carries the message that an answer sends."""

    chosen = pyqtSignal(str)

    def __init__(self, question: Dict[str, Any], show_text: bool = True, parent: Optional[QWidget] = None) -> None:
        """``question`` is {text, options: [{label, send}]} of a RunReport; the text is left out when the answer has it."""
        super().__init__("card", parent)
        self.buttons: List[ChoiceButton] = []
        text = str(question.get("text") or "")
        self.setAccessibleName(translate("QgisAgent", "Question: {text}").format(text=text))
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(6)
        if show_text and text:
            view = TextView()
            view.set_plain(text)
            view.setAccessibleName(text)
            column.addWidget(view)
        for option in question.get("options") or []:
            label = str(option.get("label") or option.get("send") or "")
            send = str(option.get("send") or label)
            button = ChoiceButton(label)
            button.clicked.connect(partial(self._choose, send))
            column.addWidget(button)
            self.buttons.append(button)
        if self.buttons:
            self.setFocusProxy(self.buttons[0])
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def disarm(self) -> None:
        """The conversation went on: the buttons no longer act."""
        for button in self.buttons:
            button.setEnabled(False)

    def _choose(self, send: str, _checked: bool = False) -> None:
        self.disarm()
        self.chosen.emit(send)
