"""The conversation: one widget a message in a scroll area that follows the end only while a person is there."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QEvent, Qt, QTimer, pyqtSignal
from qgis.PyQt.QtGui import QPainter
from qgis.PyQt.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import GlyphButton
from ..theme import MARGIN, is_theme_change, tones
from .earlier import EarlierMessages, More
from .empty_state import EmptyState
from .run_view import RunView
from .user_bubble import UserBubble

NEAR_END = 24
"""This close to the end, in pixels, counts as being there."""
NEAR_TOP = 200
"""This close to the top older messages are made, in pixels."""
PACK = 20
"""Messages that are laid out together: where one of them grows, the others of a long conversation are only moved."""
SPACING = MARGIN + 2
"""Distance between two messages, in device-independent pixels."""
REVEAL_MS = 30
"""What was opened has its place by then."""


class Conversation(QScrollArea):
    """All messages. ``send`` carries the message of a clicked example or answer, ``plan_applied`` a plan, ``view_asked`` an
    offered view, ``cancel_asked`` the id of a call."""

    send = pyqtSignal(str)
    plan_applied = pyqtSignal(dict)
    view_asked = pyqtSignal(dict)
    cancel_asked = pyqtSignal(str)
    menu_asked = pyqtSignal(str, QWidget)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._follow = True
        self._messages: List[QWidget] = []
        self._empty: Optional[EmptyState] = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Never "as needed": a bar that comes makes texts narrower and so taller, one that goes the contrary, and Qt does both
        # inside one another until the stack is full: QGIS crashed. Its place is kept, and it is hidden while it is of no use.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setAccessibleName(translate("QgisAgent", "Conversation"))
        self._highest = 0
        self._page = _Page()
        self._column = QVBoxLayout(self._page)
        self._column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        self._column.setSpacing(SPACING)
        self._packs: List[_Pack] = []
        self._column.addStretch(1)
        self.earlier = EarlierMessages(self)
        self.earlier.made.connect(self._add_earlier)
        self.earlier.settled.connect(self._want_earlier)
        self._column.insertWidget(0, self.earlier.more)
        self.setWidget(self._page)
        self._jump = GlyphButton("down", translate("QgisAgent", "Go to the newest message"), parent=self)
        self._jump.setAutoRaise(False)
        self._jump.clicked.connect(self.to_end)
        self._jump.hide()
        bar = self.verticalScrollBar()
        bar.hide()  # until there is something to scroll
        self._strip = _Ground(self)  # the place kept for the bar, or it looks like a margin on one side
        self._strip.lower()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._value_changed)

    def show_runs(self, runs: List[Dict[str, Any]], first: int = 0, more: Optional[More] = None) -> None:
        """Show an earlier session in place of what is shown: PastRun of bridge/messages.py each, oldest first.

        The newest are made first, the others when a person goes up to them; ``more`` gets the ``first`` ones that are not here.
        """
        self.clear()
        self.earlier.open(runs, first, more)

    def show_examples(self, examples: List[str]) -> None:
        """What a person sees before the first message."""
        self._remove_examples()
        if not self.is_empty():
            return
        self._empty = EmptyState(examples)
        self._empty.chosen.connect(self.send)
        self._column.insertWidget(1, self._empty)

    def is_empty(self) -> bool:
        """Whether nothing has been said yet."""
        return not self._messages and not self.earlier.left()

    def add_user(self, text: str) -> UserBubble:
        """What the person said; what came before can no longer be answered by a button."""
        self._remove_examples()
        for each in self._messages:
            if isinstance(each, RunView):
                each.disarm()
        bubble = UserBubble(text)
        self._add(bubble)
        self.to_end()
        return bubble

    def add_run(self) -> RunView:
        """The place for what a run shows."""
        view = RunView()
        view.send.connect(self.send)
        view.plan_applied.connect(self.plan_applied)
        view.view_asked.connect(self.view_asked)
        view.cancel_asked.connect(self.cancel_asked)
        view.menu_asked.connect(self.menu_asked)
        view.reveal.connect(self._reveal)
        self._add(view)
        return view

    def add_card(self, card: QWidget) -> None:
        """A card that belongs to no run."""
        self._remove_examples()
        self._add(card)

    def remove(self, card: QWidget) -> None:
        """Take a message or card away."""
        if card in self._messages:
            self._messages.remove(card)
            card.hide()
            card.deleteLater()
            self._drop_empty_pack(card)

    def clear(self) -> None:
        """Forget everything that is shown."""
        self._remove_examples()
        self.earlier.forget()
        for each in self._messages:
            each.hide()
            each.deleteLater()
        for pack in self._packs:
            pack.hide()
            pack.deleteLater()
        self._messages, self._packs = [], []
        self._follow = True

    def runs(self) -> List[RunView]:
        """The runs that are shown, oldest first."""
        return [each for each in self._messages if isinstance(each, RunView)]

    def to_end(self) -> None:
        """Go to the newest message and stay with it."""
        self._follow = True
        self._jump.hide()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def follows(self) -> bool:
        """Whether the view stays with the newest message."""
        return self._follow

    # internals

    def _add(self, widget: QWidget) -> None:
        self._messages.append(widget)
        if not self._packs or self._packs[-1].is_full():
            self._packs.append(_Pack())
            self._column.insertWidget(self._column.count() - 1, self._packs[-1])
        self._packs[-1].put(widget, at_top=False)

    def _add_earlier(self, widget: QWidget) -> None:
        """Below the button for older ones, above everything else. Of what an earlier run offers, only looking acts."""
        if isinstance(widget, RunView):
            widget.view_asked.connect(self.view_asked)
            widget.menu_asked.connect(self.menu_asked)
            widget.reveal.connect(self._reveal)
        self._messages.insert(0, widget)
        if not self._packs or self._packs[0].is_full():
            self._packs.insert(0, _Pack())
            self._column.insertWidget(1, self._packs[0])
        self._packs[0].put(widget, at_top=True)

    def _drop_empty_pack(self, card: QWidget) -> None:
        for pack in [each for each in self._packs if each.holds_only(card)]:
            self._packs.remove(pack)
            pack.hide()
            pack.deleteLater()

    def _remove_examples(self) -> None:
        if self._empty is not None:
            self._empty.hide()
            self._empty.deleteLater()
            self._empty = None

    def _reveal(self, widget: QWidget) -> None:
        """Bring a part of a message into view: its layout is to come."""
        self._follow = False
        QTimer.singleShot(REVEAL_MS, lambda: None if sip.isdeleted(widget) else self._go_to(widget))

    def _go_to(self, widget: QWidget) -> None:
        self.ensureWidgetVisible(widget, 0, MARGIN)

    def _range_changed(self, low: int, high: int) -> None:
        self.verticalScrollBar().setVisible(high > low)
        grown, self._highest = high - self._highest, high
        if self._follow:
            self.verticalScrollBar().setValue(high)
        elif self.earlier.busy and grown > 0:  # what comes above does not move what a person reads
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + grown)
        self._place_jump()

    def _value_changed(self, value: int) -> None:
        self._follow = value >= self.verticalScrollBar().maximum() - NEAR_END
        self._want_earlier()
        self._place_jump()

    def _want_earlier(self) -> None:
        """A person who has come near the top wants to see more."""
        near = self.verticalScrollBar().value() < NEAR_TOP and not self._follow
        if near and self.earlier.left() and not self.earlier.busy:
            self.earlier.want_more()

    def _place_jump(self) -> None:
        size = self._jump.sizeHint()
        self._jump.setGeometry(
            (self.width() - size.width()) // 2, self.height() - size.height() - 8, size.width(), size.height()
        )
        self._jump.setVisible(not self._follow)
        self._jump.raise_()

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Stay at the end when lines wrap anew."""
        follow = self._follow
        super().resizeEvent(event)
        self._strip.setGeometry(self.rect())
        if follow:
            QTimer.singleShot(0, self.to_end)
        self._place_jump()


class _Pack(QWidget):
    """A few messages that follow each other."""

    def __init__(self) -> None:
        super().__init__()
        self._held: List[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACING)

    def is_full(self) -> bool:
        """Whether the next message goes elsewhere."""
        return len(self._held) >= PACK

    def put(self, widget: QWidget, at_top: bool) -> None:
        """Add a message above or below the others."""
        self._held.append(widget)
        self._column.insertWidget(0 if at_top else self._column.count(), widget)

    def holds_only(self, widget: QWidget) -> bool:
        """Whether nothing is left without this one; it is forgotten."""
        if widget in self._held:
            self._held.remove(widget)
            return not self._held
        return False


class _Ground(QWidget):
    """The background of the conversation, in the colour of the theme."""

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """Fill what is exposed."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), tones().surface)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event):
            self.update()


class _Page(_Ground):
    """What scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
