"""Where a person types: Enter sends, Shift+Enter starts a new line, Up brings back what was sent before.

"@" names things of the project, "/" gives commands, layers and files can be dropped (``gui/composer/``).
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from qgis.core import QgsMapLayer
from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtGui import QImage, QTextCursor
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.errors import ToolError
from ...gis.host import Host
from ...gis.i18n import translate
from ...gis.pictures import Picture
from ..composer import drops
from ..composer.bars import AskBar, EditBar, NoteLine
from ..composer.chips import ChipRow, ChipText
from ..composer.commands import commands, meant_command, typed_command, unknown_text
from ..composer.completion import Completion
from ..composer.message_edit import MessageEdit, units
from ..composer.picture_row import PictureRow
from ..composer.references import Reference, References, kind_words
from ..composer.sent import SentMessages
from ..surfaces import Surface
from .send_button import SendButton

__all__ = ["Composer", "MessageEdit"]

_TYPED_KEPT = 200


class Composer(Surface):
    """The field with its send button, which is a stop button while a run goes on.

    ``submitted`` carries the message in precise words (``References.expand``); ``edited`` the same for the last message,
    changed; ``command`` the name of a command.
    """

    submitted = pyqtSignal(str)
    edited = pyqtSignal(str)
    edit_left = pyqtSignal()
    command = pyqtSignal(str)
    running_changed = pyqtSignal(bool)
    stop_asked = pyqtSignal()
    queued_wanted = pyqtSignal()

    def __init__(
        self, parent: Optional[QWidget] = None, host: Optional[Host] = None, sent: Optional[SentMessages] = None
    ) -> None:
        """Without a ``host`` there is nothing that "@" could name."""
        super().__init__("plain", parent)
        self._host = host
        self._history = sent or SentMessages()
        self._place: Optional[int] = None
        self._draft = ""
        self._before_edit = ""
        self._pictures_before: List[Picture] = []
        self._running = False
        self._has_queued = False
        self._typed: Dict[str, str] = {}
        self._shown: List[Reference] = []
        self.references = References(host) if host is not None else None
        self.edit = MessageEdit()
        self.edit.setAccessibleName(translate("QgisAgent", "Message"))
        self.edit.setProperty(
            "keys",
            translate(
                "QgisAgent",
                "Enter sends, Shift+Enter starts a new line, Esc stops. @ names layers and more, / gives commands.",
            ),
        )
        self.edit.setAccessibleDescription(self.edit.property("keys"))
        self.edit.hint = translate("QgisAgent", "Ask, or say what to do…")
        self.button = SendButton()
        self.chips = ChipRow()
        self.pictures = PictureRow()
        self.note = NoteLine()
        self.editing = EditBar()
        self.asking = AskBar()
        self._lay_out()
        self.completion = Completion(self.edit, self.references, self)
        self._connect()
        self._refresh()

    # what others use

    def text(self) -> str:
        """What is typed."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put text into the field, cursor at its end. A message that was sent from here comes back as it was typed."""
        self.edit.setPlainText(self._typed.get(text, text))
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self.completion.be_quiet()

    def insert_reference(self, layer: QgsMapLayer) -> bool:
        """Name a layer in the message, at the cursor. False for a layer that the agent does not see."""
        reference = self.references.of_layer(layer) if self.references is not None else None
        if reference is None:
            self.note.say(translate("QgisAgent", "The agent does not see this layer: it is excluded or private."))
            return False
        self._insert(reference)
        return True

    def attach(self, image: QImage) -> bool:
        """Put a picture into the message, or say why not."""
        problem = self.pictures.add(image)
        if problem:
            self.note.say(problem)
        return not problem

    def set_running(self, running: bool) -> None:
        """A run goes on, or has ended."""
        self._running = running
        self._refresh_button()
        self.running_changed.emit(running)

    def is_running(self) -> bool:
        """Whether a run goes on."""
        return self._running

    def set_has_queued(self, queued: bool) -> None:
        """Whether a message waits for the end of the run; Up then pulls it back first."""
        self._has_queued = queued

    def remember(self, text: str) -> None:
        """Keep a sent message for Up."""
        self._history.add(self._typed.get(text, text))
        self._place = None

    def submit(self) -> None:
        """Send what is typed, when there is anything that can be sent; a command is carried out instead."""
        text = self.text().strip()
        name = typed_command(text)
        if not text:
            if self.pictures.pictures():
                self.note.say(translate("QgisAgent", "Say what is to be done with the picture."))
            return
        if name is not None:
            self._give_command(name, text.partition(" ")[2] if " " in text else "")
            return
        meant = meant_command(text) if not self.editing.isVisibleTo(self) and not self.pictures.pictures() else None
        if meant is not None:
            self._give_command(meant)
            return
        if self.references is not None:
            self.references.refresh()
        problem = self._problem(text) or self.pictures.why_not()
        if problem:
            self.note.say(problem)
            self._refresh()
            return
        sent = self.references.expand(text) if self.references is not None else text
        self._keep_typed(sent, text)
        if self.editing.isVisibleTo(self):
            self.edited.emit(sent)
            return
        self.edit.clear()
        self.submitted.emit(sent)

    def begin_edit(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Change the last message: its words and pictures are in the field, and a line says so. Esc leaves it."""
        if not self.editing.isVisibleTo(self):
            self._before_edit = self.text()
            self._pictures_before = self.pictures.pictures()
        self.pictures.put(pictures)
        self.set_text(text)
        self.editing.show()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def end_edit(self, sent: bool) -> None:
        """The message was sent again, or is left as it is: what was typed before comes back."""
        if not self.editing.isVisibleTo(self):
            return
        self.editing.hide()
        self.asking.hide()
        self.set_text("" if sent else self._before_edit)
        if not sent:
            self.pictures.put(self._pictures_before)
        self._before_edit, self._pictures_before = "", []
        self.edit_left.emit()

    # building

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.editing)
        column.addWidget(self.pictures)
        column.addWidget(self.chips)
        column.addLayout(row)
        column.addWidget(self.note)
        column.addWidget(self.asking)
        self.setFocusProxy(self.edit)

    def _connect(self) -> None:
        self.edit.can_take = self._can_take
        self.edit.take = self._take
        self.edit.wants_escape = lambda: self.completion.is_open() or self.editing.isVisibleTo(self)
        self.edit.submitted.connect(self.submit)
        self.edit.escaped.connect(self._escape)
        self.edit.older.connect(lambda: self._browse(-1))
        self.edit.newer.connect(lambda: self._browse(1))
        self.edit.focus_changed.connect(self.set_focused)
        self.edit.textChanged.connect(self._text_changed)
        self.completion.command_chosen.connect(self._give_command)
        self.editing.left.connect(lambda: self.end_edit(False))
        self.chips.removed.connect(self._remove)
        self.pictures.changed.connect(self.note.forget)
        if self._host is not None:
            project = self._host.project
            for signal in (project.layersAdded, project.layersRemoved, self._host.scope.changed):
                signal.connect(self._layers_changed)
            project.cleared.connect(self._project_cleared)
        self.button.clicked.connect(self._pressed)

    # inside

    def _give_command(self, name: str, rest: str = "") -> None:
        """Carry a command out; words behind it stay in the field. An unknown one is told, and stays."""
        known = commands()
        if name not in [each.name for each in known]:
            self.note.say(unknown_text(name, known))
            return
        self.set_text(rest)
        self.command.emit(name)

    def _problem(self, text: str) -> str:
        """Why a text cannot be sent, "" when it can: something that it names is not there (any more)."""
        found = [each.reference for each in self.references.find(text)] if self.references is not None else []
        problems = [each.problem for each in found if each.problem]
        if problems:
            return problems[0]
        tokens = {each.token for each in found}
        gone = [each for each in self._shown if each.token not in tokens and each.token in text]
        words = translate("QgisAgent", "“{name}” is not there any more, or is excluded.")
        return words.format(name=gone[0].title) if gone else ""

    def _keep_typed(self, sent: str, typed: str) -> None:
        if sent != typed:
            self._typed[sent] = typed
            for oldest in list(self._typed)[:-_TYPED_KEPT]:
                del self._typed[oldest]

    def _pressed(self) -> None:
        if self._running and not self.text().strip():
            self.stop_asked.emit()
        else:
            self.submit()

    def _escape(self) -> None:
        if self.editing.isVisibleTo(self):
            self.end_edit(False)
        elif self._running:
            self.stop_asked.emit()

    def _browse(self, step: int) -> None:
        if step < 0 and self._has_queued and not self.text().strip():
            self.queued_wanted.emit()
            return
        sent = self._history.messages()
        now = len(sent) if self._place is None else min(self._place, len(sent))
        place = now + step
        if not 0 <= place <= len(sent):
            return
        if now == len(sent):
            self._draft = self.text()
        self._place = place
        self.set_text(self._draft if place == len(sent) else sent[place])

    def _can_take(self, mime: Any) -> bool:
        return drops.picture_of(mime) is not None or (self._host is not None and drops.can_read(mime))

    def _take(self, mime: Any) -> bool:
        """A picture is attached; layers and files that were dropped become references; what cannot is said."""
        image = drops.picture_of(mime)
        if image is not None:
            self.attach(image)
            return True
        if self._host is None or self.references is None:
            return False
        dropped = drops.read(mime)
        problem = ""
        for each in dropped.layer_ids:
            layer = self._host.project.mapLayer(each)
            if layer is None or not self.insert_reference(layer):
                problem = translate("QgisAgent", "The agent does not see this layer: it is excluded or private.")
        for path in dropped.paths:
            try:
                self._insert(self.references.of_file(path))
            except ToolError as error:
                problem = str(error.envelope["message"])
        if dropped.other:
            problem = translate("QgisAgent", "Only layers of this project and files can be dropped here.")
        if problem:
            self.note.say(problem)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _insert(self, reference: Reference) -> None:
        """Put a token at the cursor, with a blank on either side where none is."""
        cursor = self.edit.textCursor()
        text = self.text()
        before = text.encode("utf-16-le")[: 2 * cursor.selectionStart()].decode("utf-16-le", "replace")
        blank = " " if before and not before[-1].isspace() else ""
        cursor.insertText(blank + reference.token + " ")
        self.edit.setTextCursor(cursor)
        self.completion.be_quiet()

    def _remove(self, key: str) -> None:
        """Take everything that a chip stands for out of the text."""
        text = self.text()
        cursor = QTextCursor(self.edit.document())
        cursor.beginEditBlock()
        for each in reversed(self.references.find(text) if self.references is not None else []):
            if each.reference.token == key:
                end = each.end + (1 if text[each.end : each.end + 1] == " " else 0)
                cursor.setPosition(units(text[: each.start]))
                cursor.setPosition(units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
        cursor.endEditBlock()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _layers_changed(self, *_args: Any) -> None:
        if self.references is not None:
            self.references.forget()

    def _project_cleared(self) -> None:
        if self.references is not None:
            self.references.forget(files=True)
        self._place = None

    def _text_changed(self) -> None:
        self.note.forget()
        self.asking.hide()
        self._refresh()

    def _refresh(self) -> None:
        """Chips and marks for what the text names now."""
        text = self.text()
        found = self.references.find(text) if self.references is not None else []
        self._shown = list({each.reference.token: each.reference for each in found}.values())
        self.edit.show_tokens([(each.start, each.end) for each in found])
        texts = [(each.token, _chip_text(each)) for each in self._shown]
        self.chips.show_chips(texts)
        self._refresh_button()

    def _refresh_button(self) -> None:
        typed = bool(self.text().strip())
        self.button.show_state("stop" if self._running and not typed else "send", typed or self._running)


def _chip_text(reference: Reference) -> ChipText:
    kind = kind_words()[reference.kind]
    alone = reference.kind in ("selection", "extent")
    shown = reference.token[1:] if reference.kind == "field" else reference.title
    words = shown if not alone else "{}: {}".format(reference.title, reference.detail)
    name = words if alone else translate("QgisAgent", "{kind}: {name}").format(kind=kind, name=shown)
    sent = translate("QgisAgent", "Sent as: {text}").format(text=reference.sent)
    tip = "\n".join([reference.problem or sent, translate("QgisAgent", "Press to take it out of the message.")])
    return ChipText(words, name, tip, bool(reference.problem))
