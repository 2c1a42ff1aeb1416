"""Carries out what a "/" command means, with the panel that it was given in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, QTimer

from ...gis.i18n import translate
from ..theme import GAP
from .compacting import Compacting
from .help_card import HelpCard

if TYPE_CHECKING:
    from ...gis.runs import RunController
    from ..dock.dock import AgentDock


SETTLED_MS = 60
"""So long after a card was added its height is known."""


class CommandDesk(QObject):
    """One way for each command of ``commands.py``."""

    def __init__(self, dock: AgentDock, controller: RunController) -> None:
        super().__init__(dock)
        self._dock = dock
        self._controller = controller
        self._ways = {
            "new": dock.new_conversation,
            "undo": self._undo,
            "plan": self._plan,
            "model": dock.settings_asked.emit,
            "picture": self._picture,
            "compact": self._compact,
            "sessions": dock.show_sessions,
            "permissions": dock.permissions_asked.emit,
            "export": self._export,
            "help": lambda: self._show(HelpCard()),
        }
        self.compacting = Compacting(dock, controller)
        dock.composer.command.connect(self.carry_out)

    def carry_out(self, name: str) -> None:
        """Do what the command says."""
        self._ways[name]()

    def _undo(self) -> None:
        undoing = self._dock.undoing
        if self._dock.composer.is_running():
            self._say(translate("QgisAgent", "A run goes on. Stop it first (Esc), then undo."))
        elif not undoing.last_run():
            self._say(translate("QgisAgent", "There is nothing to undo."))
        else:
            undoing.undo_last()

    def _plan(self) -> None:
        self._dock.toggle_plan()

    def _compact(self) -> None:
        if self._dock.composer.is_running():
            self._say(translate("QgisAgent", "A run goes on. Stop it first (Esc), or wait for its end."))
        elif self._is_empty():
            self._say(translate("QgisAgent", "Nothing has been said yet."))
        else:
            self.compacting.begin()

    def _picture(self) -> None:
        canvas = getattr(getattr(self._controller, "host", None), "canvas", None)
        if canvas is None:
            self._say(translate("QgisAgent", "There is no map to be seen."))
        else:
            self._dock.composer.attach(canvas.grab().toImage())

    def _is_empty(self) -> bool:
        return not self._dock.conversation.runs() and self._dock.conversation.is_empty()

    def _export(self) -> None:
        if self._is_empty():
            self._say(translate("QgisAgent", "Nothing has been said yet."))
        else:
            self._dock.export_asked.emit()

    def _say(self, text: str) -> None:
        self._dock.composer.note.say(text)

    def _show(self, card: HelpCard) -> None:
        self._dock.conversation.add_card(card)
        self._dock.conversation.to_end()
        QTimer.singleShot(SETTLED_MS, lambda: self._go_to(card))

    def _go_to(self, card: HelpCard) -> None:
        """A card that is taller than the conversation is read from its top."""
        conversation = self._dock.conversation
        if not sip.isdeleted(card) and card.height() > conversation.viewport().height():
            conversation.verticalScrollBar().setValue(card.y() - GAP)
