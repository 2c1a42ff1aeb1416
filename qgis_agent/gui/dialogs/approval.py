"""The question before an effect: a window that shows all of it, and that nobody can agree to by accident.

It does not block: the map can be looked at meanwhile. "Don't allow" is the default and what Esc and closing mean; the
button that agrees is inert for a moment, so that a click meant for something else does not land on it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QEvent, QObject, Qt, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..surfaces import Ground, Surface, ThemedLabel
from ..text_view import TextView
from ..theme import GAP, MARGIN

INERT_MS = 700
"""The buttons that agree do nothing for this long after the window appeared."""
DEFAULT_TIMEOUT_S = 120.0

Answer = Callable[[str], None]


class ApprovalDialog(QDialog):
    """One question. ``decided`` carries once, session, deny or no_answer, exactly once."""

    decided = pyqtSignal(str)

    def __init__(self, card: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        """``card`` is described in gis/approvals.py and gis/cards.py; its words were made on the QGIS side."""
        super().__init__(parent)
        self.card = card
        self._done = False
        self.setObjectName("QgisAgentApproval")
        self.setWindowTitle(translate("QgisAgent", "QGIS Agent asks"))
        self.setModal(False)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setMinimumWidth(460)
        writes = card.get("kind") == "write"
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(MARGIN + 4, MARGIN + 4, MARGIN + 4, MARGIN)
        column.setSpacing(MARGIN)
        column.addLayout(self._heading(writes))
        column.addWidget(self._details(), 1)
        column.addWidget(ThemedLabel(self._consequence(), muted=True))
        column.addLayout(self._buttons(writes))
        self._expiry = QTimer(self)
        self._expiry.setSingleShot(True)
        self._expiry.timeout.connect(lambda: self._decide("no_answer"))
        self._inert = QTimer(self)
        self._inert.setSingleShot(True)
        self._inert.timeout.connect(self._arm)

    # building

    def _heading(self, writes: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(Glyph("warning" if writes else "info", strong=True), 0, Qt.AlignmentFlag.AlignTop)
        title = ThemedLabel(str(self.card.get("title") or ""), bold=True)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        row.addWidget(title, 1)
        return row

    def _details(self) -> QWidget:
        """All of the effect in one place that scrolls; nothing of it is cut off."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(GAP)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(MARGIN)
        form.setVerticalSpacing(6)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for label, value in self._rows():
            form.addRow(_label(label), _value(value))
        column.addLayout(form)
        arguments = str(self.card.get("arguments") or "")
        if arguments:
            column.addWidget(ThemedLabel(translate("QgisAgent", "Arguments of the call"), muted=True, small=True))
            column.addWidget(_arguments_view(arguments))
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Never "as needed": a bar that comes makes the text narrower and so taller, one that goes the contrary, and Qt does
        # both inside one another until the stack is full: QGIS crashes.
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        area.setWidget(holder)
        area.setMinimumHeight(120)
        area.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        area.viewport().setAutoFillBackground(False)
        holder.setAutoFillBackground(False)
        self._holder, self._area = holder, area
        area.setAccessibleName(translate("QgisAgent", "What would happen"))
        return area

    def _rows(self) -> List[List[str]]:
        rows = [[str(each[0]), str(each[1])] for each in self.card.get("lines") or []]
        layer = str(self.card.get("layer") or "")
        if layer and not any(layer == value for _label_text, value in rows):
            rows.append([translate("QgisAgent", "Layer"), layer])
        caller = str(self.card.get("caller") or "")
        if caller and caller != "chat":
            rows.append([translate("QgisAgent", "Asked by"), caller])
        # Last, above the arguments: what a person decides about is the title and the effect.
        rows.append([translate("QgisAgent", "Tool"), str(self.card.get("verb") or "")])
        return rows

    def _consequence(self) -> str:
        if self.card.get("reversible"):
            return translate("QgisAgent", "This can be taken back.")
        return translate("QgisAgent", "This cannot be taken back by the agent.")

    def _buttons(self, writes: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addStretch(1)
        agree, decline = str(self.card.get("agree") or ""), str(self.card.get("decline") or "")
        self.agree_button = QPushButton(agree or translate("QgisAgent", "Allow once"))
        self.session_button = QPushButton(translate("QgisAgent", "Allow for this session"))
        self.deny_button = QPushButton(decline or translate("QgisAgent", "Don't allow"))
        for button, answer in (
            (self.agree_button, "once"),
            (self.session_button, "session"),
            (self.deny_button, "deny"),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, answer=answer: self._clicked(answer))
            row.addWidget(button)
        self.session_button.setVisible(not writes and not self.card.get("each_time"))
        self.agree_button.setEnabled(False)
        self.session_button.setEnabled(False)
        self.deny_button.setDefault(True)
        return row

    # deciding

    def present(self) -> None:
        """Show the window; the time to answer begins now."""
        self._expiry.start(round(1000 * float(self.card.get("timeout_s") or DEFAULT_TIMEOUT_S)))
        self._inert.start(INERT_MS)
        self.show()
        self.raise_()
        self.activateWindow()
        self.deny_button.setFocus()

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """As tall as what there is to read, up to two thirds of the screen; the rest scrolls."""
        super().showEvent(event)
        QTimer.singleShot(0, self._fit)

    def _fit(self) -> None:
        if self._done:
            return
        screen = self.screen().availableGeometry().height() if self.screen() is not None else 900
        chrome = self.height() - self._area.viewport().height()
        wanted = chrome + self._read_height() + 6
        if wanted <= screen * 2 // 3:
            self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.resize(self.width(), min(wanted, screen * 2 // 3))

    def _read_height(self) -> int:
        """What there is to read, in pixels at its present width."""
        return int(self._holder.layout().totalMinimumSize().height())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """A person made the window smaller than what there is to read: then it scrolls."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self._scroll_if_cut)

    def _scroll_if_cut(self) -> None:
        if not self._done and self._read_height() > self._area.viewport().height():
            self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def is_armed(self) -> bool:
        """Whether the buttons that agree can be pressed already."""
        return self.agree_button.isEnabled()

    def withdraw(self) -> None:
        """Take the window away without an answer."""
        self._done = True
        self._finish()

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
            self._disarm()
            self._inert.start(INERT_MS)

    def _disarm(self) -> None:
        self.agree_button.setEnabled(False)
        self.session_button.setEnabled(False)

    def _arm(self) -> None:
        if not self._done:
            self.agree_button.setEnabled(True)
            self.session_button.setEnabled(not self.session_button.isHidden())

    def _clicked(self, answer: str) -> None:
        if answer == "deny" or self.is_armed():
            self._decide(answer)

    def _decide(self, answer: str) -> None:
        if self._done:
            return
        self._done = True
        self._finish()
        self.decided.emit(answer)

    def _finish(self) -> None:
        self._expiry.stop()
        self._inert.stop()
        self.hide()
        self.deleteLater()


class DialogApprover(QObject):
    """Asks by windows, one at a time; others wait. The Approver of gis/approvals.py for QGIS with a screen."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._window = parent
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
        """The plugin goes: no question is left open, and nobody is told that a person decided."""
        self._queue = []
        if self._open is not None and self._open.dialog is not None:
            self._open.dialog.withdraw()
        self._open = None

    def _next(self) -> None:
        if self._open is not None or not self._queue:
            return
        question = self._queue.pop(0)
        self._open = question
        question.dialog = ApprovalDialog(question.card, self._window)
        question.dialog.decided.connect(lambda said: self._decided(question, said))
        question.dialog.present()

    def _decided(self, question: _Question, said: str) -> None:
        self._open = None
        QTimer.singleShot(0, self._next)
        question.answer(said)

    def _withdraw(self, question: _Question) -> None:
        if question in self._queue:
            self._queue.remove(question)
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


def _label(text: str) -> QLabel:
    label = ThemedLabel(text, muted=True)
    label.setWordWrap(False)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return label


def _value(text: str) -> QWidget:
    view = TextView()
    view.set_plain(text)
    view.setAccessibleName(text)
    return view


def _arguments_view(text: str) -> QWidget:
    view = TextView(fixed_pitch=True)
    view.set_plain(text)
    view.setAccessibleName(translate("QgisAgent", "Arguments of the call"))
    frame = Surface("plain")
    column = QVBoxLayout(frame)
    column.setContentsMargins(10, 8, 10, 8)
    column.addWidget(view)
    return frame
