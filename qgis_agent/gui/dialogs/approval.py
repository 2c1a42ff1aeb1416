"""The question before an effect: a window that shows all of it, and that nobody can agree to by accident.

It does not block: the map can be looked at meanwhile. "Don't allow" is the default and what Esc and closing mean; the
buttons that agree are inert for a moment, so that a click meant for something else does not land on them.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from qgis.PyQt.QtCore import QEvent, Qt, QTimer, pyqtSignal
from qgis.PyQt.QtGui import QGuiApplication
from qgis.PyQt.QtWidgets import QApplication, QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..surfaces import Ground, ThemedLabel
from ..theme import GAP, MARGIN
from ..tips import breakable
from .answer_row import AnswerRow
from .card_body import CardBody, card_rows
from .countdown import Countdown

INERT_MS = 700
"""The buttons that agree do nothing for this long after the window appeared."""
DEFAULT_TIMEOUT_S = 120.0
_WIDTH = 520
_FIRST_HEIGHT = 420
"""In device-independent pixels; the height follows what there is to read as soon as it is known."""
_MOST_OF_SCREEN = 0.75
_SETTLE_MS = 40

ShowOnMap = Callable[[Dict[str, Any]], str]
"""Shows a card's place on the map; "" or why it cannot."""


class ApprovalDialog(QDialog):
    """One question. ``decided`` carries once, session, always, deny or no_answer, and the reason of a deny, exactly once;
    ``refuse_similar`` before it that the questions of the same kind that wait are refused too."""

    decided = pyqtSignal(str, str)
    refuse_similar = pyqtSignal()

    def __init__(
        self, card: Dict[str, Any], parent: Optional[QWidget] = None, show_on_map: Optional[ShowOnMap] = None
    ) -> None:
        """``card`` is described in gis/approvals.py and gis/cards.py; its words were made on the QGIS side."""
        super().__init__(parent)
        self.card = card
        self._done = False
        self._show_on_map = show_on_map
        self.setObjectName("QgisAgentApproval")
        self.setWindowTitle(asking(card))
        self.setModal(False)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setMinimumWidth(340)
        ground = self._ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(MARGIN + 4, MARGIN + 4, MARGIN + 4, MARGIN)
        column.setSpacing(MARGIN)
        column.addLayout(self._heading(card.get("kind") == "write"))
        self._body = CardBody(card)
        column.addWidget(self._body, 1)
        column.addLayout(self._consequence())
        self.answers = AnswerRow(card, self)
        self.answers.answered.connect(self._answered)
        column.addWidget(self._waiting_line())
        column.addWidget(self.answers)
        self.countdown = Countdown()
        self.countdown.expired.connect(lambda: self._decide("no_answer"))
        column.addWidget(self.countdown)
        self._describe()
        self._inert = QTimer(self)
        self._inert.setSingleShot(True)
        self._inert.timeout.connect(self._arm)
        margins = 2 * (MARGIN + 4)
        self.resize(max(_WIDTH, self.answers.wanted_width() + margins), _FIRST_HEIGHT)
        self._order()

    @property
    def agree_button(self) -> QPushButton:
        """Agrees to this once."""
        return self.answers.agree_button

    @property
    def session_button(self) -> QPushButton:
        """Agrees for the session."""
        return self.answers.session_button

    @property
    def always_button(self) -> QPushButton:
        """Agrees for this project, from now on."""
        return self.answers.always_button

    @property
    def deny_button(self) -> QPushButton:
        """Says no."""
        return self.answers.deny_button

    # building

    def _heading(self, writes: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(Glyph("warning" if writes else "info", strong=True), 0, Qt.AlignmentFlag.AlignTop)
        text = str(self.card.get("title") or "")
        title = ThemedLabel(breakable(text), bold=True)
        title.setAccessibleName(text)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        row.addWidget(title, 1)
        return row

    def _consequence(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(2)
        self.undo_label = ThemedLabel(breakable(consequence(self.card)), muted=True)
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(self.undo_label, 1)
        self.map_button = QPushButton(translate("QgisAgent", "Show on &map"))
        self.map_button.setAutoDefault(False)
        self.map_button.clicked.connect(self._flash)
        self.map_button.setVisible(bool(self.card.get("place")) and self._show_on_map is not None)
        row.addWidget(self.map_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        covers = "" if self.card.get("kind") == "write" or self.card.get("each_time") else self.card.get("covers")
        if covers:
            column.addWidget(ThemedLabel(breakable(str(covers)), muted=True, small=True))
        return column

    def _waiting_line(self) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        self.waiting_label = ThemedLabel("", muted=True, small=True)
        self.refuse_button = QPushButton("")
        self.refuse_button.setAutoDefault(False)
        self.refuse_button.clicked.connect(self._refuse_all)
        row.addWidget(self.waiting_label, 1)
        row.addWidget(self.refuse_button)
        line.hide()
        self._waiting = line
        return line

    def _describe(self) -> None:
        """For screen readers: the title and all lines, read when the window appears."""
        lines = ["{}: {}".format(label, value) for label, value in card_rows(self.card)]
        self.setAccessibleName(str(self.card.get("title") or ""))
        self.setAccessibleDescription("\n".join([*lines, consequence(self.card)]))

    def _order(self) -> None:
        stops = [*self.answers.focus_order(), self.map_button, self._body]
        if self._body.changes is not None:
            stops.append(self._body.changes.view)
        for one, other in zip(stops, stops[1:]):
            QWidget.setTabOrder(one, other)

    # what the approver tells

    def present(self, seconds: Optional[float] = None) -> None:
        """Show the window; ``seconds`` are left to answer (the card's own time if it has not waited)."""
        self.countdown.start(seconds if seconds is not None else float(self.card.get("timeout_s") or DEFAULT_TIMEOUT_S))
        self._inert.start(INERT_MS)
        elsewhere = bool(self.card.get("client")) and not _is_used()
        # Who works in the program that asks may be typing there: the keys must not land on an answer.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, elsewhere)
        self.show()
        self.raise_()
        if elsewhere:
            QApplication.alert(self)
        else:
            self.activateWindow()
        self.deny_button.setFocus()

    def set_waiting(self, similar: int, others: int) -> None:
        """How many questions wait behind this one: of the same kind, and others."""
        words = []
        if similar:
            words.append(translate("QgisAgent", "Similar questions that wait: {}").format(similar))
        if others:
            words.append(translate("QgisAgent", "Other questions that wait: {}").format(others))
        self.waiting_label.setText(" · ".join(words))
        self.refuse_button.setText(translate("QgisAgent", "Don't allow any of these {}").format(similar + 1))
        self.refuse_button.setVisible(similar > 0)
        self._waiting.setVisible(similar + others > 0)
        QTimer.singleShot(0, self._fit)

    def is_armed(self) -> bool:
        """Whether the buttons that agree can be pressed already."""
        return self.answers.is_armed()

    def withdraw(self) -> None:
        """Take the window away without an answer."""
        self._done = True
        self._finish()

    # Qt

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """As tall as what there is to read, up to three quarters of the screen; the rest scrolls."""
        super().showEvent(event)
        # Twice: texts know their height only when they have their width.
        QTimer.singleShot(0, self._fit)
        QTimer.singleShot(_SETTLE_MS, self._fit)

    def _fit(self) -> None:
        if self._done or not self.isVisible():
            return
        screen = self.screen().availableGeometry().height() if self.screen() is not None else 900
        most = round(screen * _MOST_OF_SCREEN)
        chrome = self.height() - self._body.viewport().height()
        wanted = chrome + self._body.read_height() + 6
        if wanted <= most:
            self._body.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.resize(self.width(), min(wanted, most))

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """A person made the window smaller than what there is to read: then it scrolls."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self._scroll_if_cut)

    def _scroll_if_cut(self) -> None:
        if self._done:
            return
        # A narrow window needs more height for the same words: no answer may be below its edge.
        self.setMinimumHeight(self._ground.layout().minimumHeightForWidth(self._ground.width()))
        if self._body.is_cut():
            self._body.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def reject(self) -> None:
        """Esc."""
        self._decide("deny")

    def closeEvent(self, event: Any) -> None:  # noqa: N802
        """Closing the window is a no."""
        self._decide("deny")
        event.accept()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The window came to the front again: wait anew, a click may have been meant for what was there before."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and not self._done:
            self.answers.disarm()
            self._inert.start(INERT_MS)

    # deciding

    def _arm(self) -> None:
        if not self._done:
            self.answers.arm()

    def _flash(self) -> None:
        if self._show_on_map is not None and self.card.get("place"):
            problem = self._show_on_map(self.card["place"])
            if problem:
                self.waiting_label.setText(problem)
                self._waiting.show()

    def _refuse_all(self) -> None:
        if not self._done:
            self.refuse_similar.emit()
            self._decide("deny", self.answers.reason.text().strip())

    def _answered(self, answer: str, reason: str) -> None:
        self._decide(answer, reason)

    def _decide(self, answer: str, reason: str = "") -> None:
        if self._done:
            return
        self._done = True
        self._finish()
        self.decided.emit(answer, reason)

    def _finish(self) -> None:
        self.countdown.stop()
        self._inert.stop()
        self.hide()
        self.deleteLater()


def _is_used() -> bool:
    """Whether a person works in QGIS now, and not in another program."""
    return bool(QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive)


def asking(card: Dict[str, Any]) -> str:
    """The title of the window: the agent asks, or a program by the name that the person gave it."""
    client = str(card.get("client") or "")
    if client:
        return translate("QgisAgent", "“{}” asks, over MCP").format(client)
    return translate("QgisAgent", "QGIS Agent asks")


def consequence(card: Dict[str, Any]) -> str:
    """Whether what is asked about can be taken back; in the job's own words where it knows more."""
    words = str(card.get("undo_words") or "")
    if words:
        return words
    if card.get("reversible") and card.get("client"):
        return translate("QgisAgent", "This can be taken back (menu QGIS Agent › Undo the agent's last run).")
    if card.get("reversible"):
        return translate("QgisAgent", "This can be taken back (“Undo this run”).")
    return translate("QgisAgent", "This cannot be taken back by the agent.")
