"""The agent's environment in QGIS's window: the dialog that sets it up, the card in the dock, and what follows its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional

from qgis.PyQt.QtCore import QObject
from qgis.PyQt.QtWidgets import QApplication, QWidget

from .. import environment
from ..gis.i18n import translate
from .cards.error_card import ErrorCard, NoticeLine
from .cards.setup_card import SetupCard
from .dialogs.setup import SetupDialog
from .settings.builder import EnvironmentBuilder

if TYPE_CHECKING:
    from ..gis.runs import RunController
    from .dock.dock import AgentDock

BUILD_WAIT_MS = 3_000


class FirstRun(QObject):
    """Owns the builder. ``ready`` is called when an environment was built: who answers has to be told again."""

    def __init__(self, dock: AgentDock, controller: RunController, ready: Callable[[], None], window: QWidget) -> None:
        super().__init__(window)
        self._dock = dock
        self._controller = controller
        self._ready = ready
        self._window = window
        self._card: Optional[SetupCard] = None
        self.dialog: Optional[SetupDialog] = None
        self.builder = EnvironmentBuilder(self)
        self.builder.began.connect(self._began)
        self.builder.progress.connect(self._building)
        self.builder.done.connect(self._ended)

    def show(self) -> None:
        """Open the dialog, over the window that a person is in: QGIS's options wait for their own dialogs only."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        modal = QApplication.activeModalWidget()
        dialog = SetupDialog(self.builder, self._free_to_remove, modal or self._window)
        self.dialog = dialog
        # Not by its being destroyed alone: that waits for the outermost event loop, and the options' dialog has its own.
        dialog.finished.connect(lambda _result: self._forget(dialog))
        dialog.destroyed.connect(lambda _object=None: self._forget(dialog))
        if modal is not None:
            dialog.open()
        else:
            dialog.show()

    def close(self) -> None:
        """QGIS or the plugin ends: a build is stopped and waited for."""
        if self.dialog is not None:
            self.dialog.close()
        self.builder.wait(BUILD_WAIT_MS)

    def _forget(self, dialog: SetupDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None

    def _free_to_remove(self) -> bool:
        """The agent's process must not be in the folder any more."""
        if self._controller.running:
            return False
        self._controller.end_agent()
        return True

    def _began(self) -> None:
        if self.builder.removing:
            return
        self._card = SetupCard(self.builder.stop, self.show)
        self._dock.show_card(self._card)
        self._dock.setUserVisible(True)

    def _building(self, line: str, fraction: float) -> None:
        if self._card is not None:
            self._card.show_progress(line, fraction)

    def _ended(self, ok: bool, text: str) -> None:
        card, self._card = self._card, None
        if self.builder.removing:
            self._controller.when_ready(lambda _problem: None)  # says in the dock that it is missing
            return
        if card is not None:
            self._dock.drop_card()
        if ok:
            self._dock.conversation.add_card(NoticeLine(text))
            self._ready()
            return
        error = self.builder.error
        title = translate("QgisAgent", "The agent environment could not be built")
        actions = [(translate("QgisAgent", "Try again…"), self.show)]
        message, hint = (str(error), error.hint) if error is not None else (text, "")
        self._dock.show_card(ErrorCard(title, message, hint, actions))


def needs_setup() -> bool:
    """Whether the agent's environment is missing or broken."""
    return not environment.check(environment.locate()).ok
