"""The answers to a question: buttons that agree and are inert at first, the one that does not, and a line for the reason."""

from __future__ import annotations

from typing import Any, Dict, List, Set

from qgis.PyQt.QtCore import QSize, pyqtSignal
from qgis.PyQt.QtGui import QPalette
from qgis.PyQt.QtWidgets import QBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..theme import GAP, tones
from ..tips import with_mnemonic

MAX_REASON = 300
"""Characters of a reason: as many as reach the agent."""


class AnswerRow(QWidget):
    """``answered`` carries once, session, always or deny, and the reason of a deny."""

    answered = pyqtSignal(str, str)

    def __init__(self, card: Dict[str, Any], parent: QWidget) -> None:
        super().__init__(parent)
        writes = card.get("kind") == "write"
        kept = not writes and not card.get("each_time")
        self.reason = QLineEdit()
        self.reason.setMaxLength(MAX_REASON)
        hint = (
            translate("QgisAgent", "If not: tell the program why (optional)")
            if card.get("client")
            else translate("QgisAgent", "If not: tell the agent why (optional)")
        )
        self.reason.setPlaceholderText(hint)
        palette = self.reason.palette()
        palette.setColor(QPalette.ColorRole.PlaceholderText, tones().muted)  # themes have it too faint to be read
        self.reason.setPalette(palette)
        self.reason.setAccessibleName(hint)
        self.reason.setAccessibleDescription(translate("QgisAgent", "Enter says no, with this reason."))
        self.reason.returnPressed.connect(lambda: self._said("deny"))
        self.agree_button = QPushButton()
        self.session_button = QPushButton()
        self.always_button = QPushButton()
        self.deny_button = QPushButton()
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(GAP)
        self._row.addStretch(1)
        taken: Set[str] = {"M"}  # "Show on map"
        agree = str(card.get("agree") or translate("QgisAgent", "Allow once"))
        decline = str(card.get("decline") or translate("QgisAgent", "Don't allow"))
        self._buttons: List[QPushButton] = []
        for button, answer, words, letter, shown in (
            (self.agree_button, "once", agree, "Y", True),
            (self.session_button, "session", translate("QgisAgent", "Allow for this session"), "S", kept),
            (
                self.always_button,
                "always",
                translate("QgisAgent", "Always allow here"),
                "P",
                kept and bool(card.get("always")),
            ),
            (self.deny_button, "deny", decline, "N", True),
        ):
            button.setText(with_mnemonic(words, letter, taken) if shown else words)
            button.setAccessibleName(words)
            button.setAutoDefault(False)
            button.setVisible(shown)
            button.clicked.connect(lambda _checked=False, answer=answer: self._said(answer))
            self._row.addWidget(button)
            if shown:
                self._buttons.append(button)
        self.disarm()
        self.deny_button.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.reason)
        column.addLayout(self._row)

    def focus_order(self) -> List[QWidget]:
        """What Tab goes through, from the safe answer on."""
        shown = [each for each in self._buttons if each is not self.deny_button]
        return [self.deny_button, self.reason, *shown]

    def is_armed(self) -> bool:
        """Whether the buttons that agree can be pressed already."""
        return self.agree_button.isEnabled()

    def arm(self) -> None:
        """The buttons that agree can be pressed now."""
        for each in (self.agree_button, self.session_button, self.always_button):
            each.setEnabled(each in self._buttons)

    def disarm(self) -> None:
        """Only a no can be said."""
        for each in (self.agree_button, self.session_button, self.always_button):
            each.setEnabled(False)

    def wanted_width(self) -> int:
        """So wide that the buttons stand beside each other, in pixels."""
        return sum(each.sizeHint().width() + GAP for each in self._buttons)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As wide as the widest button: they go below each other where there is no room."""
        widest = max(each.sizeHint().width() for each in self._buttons)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Beside or below each other, by the room there is."""
        super().resizeEvent(event)
        row, column = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        direction = row if self.wanted_width() <= self.width() else column
        if self._row.direction() != direction:
            self._row.setDirection(direction)
        lines = 1 if direction == row else len(self._buttons)
        # Said outright: beside texts that wrap, a layout squeezes buttons below their least height.
        height = max(each.sizeHint().height() for each in self._buttons)
        self.setMinimumHeight(self.reason.sizeHint().height() + lines * (height + GAP))

    def _said(self, answer: str) -> None:
        if answer != "deny":
            if self.is_armed():
                self.answered.emit(answer, "")
            return
        self.answered.emit("deny", self.reason.text().strip())
