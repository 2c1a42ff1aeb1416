"""Suggestions while a person types "@" or "/": when they appear, which keys they take, what a choice does."""

from __future__ import annotations

import re
from typing import Any, Callable, List, NamedTuple, Optional

from qgis.PyQt.QtCore import QEvent, QObject, Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QWidget

from .commands import Command, commands, offered
from .message_edit import MessageEdit
from .popup import Option, Suggestions
from .references import Reference, References

_AT = re.compile("(?:^|[^A-Za-z0-9._%+\\-@\uff20])([@\uff20])([^\\s@\uff20]{0,80})$")
_SLASH = re.compile("^[/\uff0f]([A-Za-z]*)$")


class Trigger(NamedTuple):
    """What is typed: the sign, where it stands (in characters), and what follows it up to the cursor."""

    sign: str
    start: int
    query: str


def trigger_in(before: str) -> Optional[Trigger]:
    """What is typed in the text ``before`` the cursor: "@" at the start of a word, or "/" at the start of the message."""
    found = _AT.search(before)
    if found is not None:
        return Trigger("@", found.start(1), found.group(2))
    found = _SLASH.match(before)
    return Trigger("/", 0, found.group(1)) if found is not None else None


class Completion(QObject):
    """Connects a field with its list. ``command_chosen`` carries the name of a command that was chosen by Enter or click."""

    command_chosen = pyqtSignal(str)

    def __init__(
        self,
        edit: MessageEdit,
        references: Optional[References],
        around: QWidget,
        known: Callable[[], List[Command]] = commands,
    ) -> None:
        """``around`` is what the list lies above: the frame of the field."""
        super().__init__(around)
        self._edit = edit
        self._references = references
        self._around = around
        self._known = known
        self._list: Optional[Suggestions] = None
        self._now: Optional[Trigger] = None
        self._closed_at: Optional[Trigger] = None
        edit.intercept = self.takes_key
        edit.textChanged.connect(self.look)
        edit.cursorPositionChanged.connect(self.look)
        edit.focus_changed.connect(self._focus_changed)
        around.installEventFilter(self)

    def is_open(self) -> bool:
        """Whether the list is shown."""
        return self._list is not None and self._list.isVisibleTo(self._list.parentWidget())

    def suggestions(self) -> Suggestions:
        """The list; it lies in the panel that the field is in."""
        if self._list is None:
            self._list = Suggestions(self._around.parentWidget() or self._around)
            self._list.chosen.connect(self._choose)
            self._list.currentRowChanged.connect(lambda _row: self._speak())
        return self._list

    def look(self) -> None:
        """Look at what is typed, and offer what fits."""
        cursor = self._edit.textCursor()
        before = _before(self._edit)
        now = trigger_in(before) if self._has_keyboard() and not cursor.hasSelection() else None
        if now == self._now:
            return
        began = now is not None and (self._now is None or self._now.start != now.start or self._now.sign != now.sign)
        self._now = now
        if now is None or (self._closed_at is not None and self._closed_at[:2] == now[:2]):
            self._hide()
            if now is None:
                self._closed_at = None
            return
        self._closed_at = None
        if began and now.sign == "@" and self._references is not None:
            self._references.refresh()
        self._offer(now)

    def close(self) -> None:
        """Hide the list, until another word begins."""
        self._closed_at = self._now
        self._hide()

    def eventFilter(self, watched: Any, event: Any) -> bool:  # noqa: N802
        """The list stays above the frame, which grows with its lines and chips."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self._list is not None and self.is_open():
            self._list.place_above(self._around)
        return bool(super().eventFilter(watched, event))

    def be_quiet(self) -> None:
        """A text was put into the field: nothing is offered for what stands there already."""
        self._now = trigger_in(_before(self._edit))
        self.close()

    def takes_key(self, event: Any) -> bool:
        """Whether a key is for the list: arrows, Enter, Tab and Esc while it is shown."""
        if not self.is_open() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.suggestions().step(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            self.close()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._is_typed_out():
                self.close()
                return False  # nothing is left to complete: Enter sends
            self._choose(self.suggestions().value())
        elif key == Qt.Key.Key_Tab:
            self._choose(self.suggestions().value(), run=False)
        else:
            return False
        return True

    # inside

    def _offer(self, now: Trigger) -> None:
        options: List[Option] = []
        if now.sign == "/":
            options = [Option("/" + each.name, each.help, each) for each in offered(now.query, self._known())]
        elif self._references is not None:
            options = [Option(each.title, each.detail, each) for each in self._references.offered(now.query)]
        if not options:
            self._hide()
            return
        shown = self.suggestions()
        shown.offer(options)
        shown.place_above(self._around)
        self._speak()

    def _has_keyboard(self) -> bool:
        """Whether keys of its window go to the field, also while the window manager says nothing of who is active."""
        return self._edit.window().focusWidget() is self._edit

    def _is_typed_out(self) -> bool:
        value = self.suggestions().value()
        return isinstance(value, Reference) and self._now is not None and self._now.query == value.token[1:]

    def _choose(self, value: Any, run: bool = True) -> None:
        now = self._now
        if now is None:
            return
        end = now.start + 1 + len(now.query)
        if isinstance(value, Command):
            self._edit.replace(now.start, end, "/" + value.name + ("" if run else " "))
            self.close()
            if run:
                self.command_chosen.emit(value.name)
        elif isinstance(value, Reference):
            follows = self._edit.toPlainText()[end : end + 1]
            self._edit.replace(now.start, end, value.token + ("" if follows.isspace() else " "))
            self.close()

    def _focus_changed(self, has_focus: bool) -> None:
        if not has_focus:
            self.close()

    def _hide(self) -> None:
        if self._list is not None and self._list.isVisibleTo(self._list.parentWidget()):
            self._list.hide()
            self._speak()

    def _speak(self) -> None:
        """A screen reader hears the suggestion as the field's description: the field keeps the keyboard."""
        said = self._list.spoken() if self._list is not None and self.is_open() else ""
        self._edit.setAccessibleDescription(said or self._edit.property("keys") or "")


def _before(edit: MessageEdit) -> str:
    """The text before the cursor. A block's text is enough for "@"; "/" must begin the whole message."""
    cursor = edit.textCursor()
    line = cursor.block().text().encode("utf-16-le")[: 2 * cursor.positionInBlock()].decode("utf-16-le", "replace")
    return line if cursor.blockNumber() == 0 else _earlier(edit, cursor.blockNumber()) + line


def _earlier(edit: MessageEdit, number: int) -> str:
    return "".join(line + "\n" for line in edit.toPlainText().split("\n")[:number])
