"""The chat dock: puts the parts together and connects them with a RunController."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

from qgis.core import QgsProject
from qgis.gui import QgsDockWidget
from qgis.PyQt.QtCore import Qt, QTimer, pyqtSignal
from qgis.PyQt.QtGui import QKeySequence
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.host import Host
from ...gis.i18n import translate
from ...gis.pictures import Picture
from ...gis.sessions import Opened, project_key
from ..cards.error_card import Action, ErrorCard, NoticeLine
from ..composer.command_desk import CommandDesk
from ..composer.picture_row import MOST, joined, too_many
from ..composer.resend import Resend
from ..composer.sent import sent_messages
from ..qt import QShortcut
from ..sessions import SessionsPanel
from ..surfaces import Panel
from ..theme import GAP, MARGIN
from .composer import Composer
from .conversation import Conversation
from .earlier import More
from .header import Header
from .history import History
from .map_thumbnail import watch
from .mode_button import APPLY_PROFILE, PLAN_PROFILE, ModeStrip
from .queued_bar import QueuedBar
from .run_desk import RunDesk
from .run_view import RunView
from .status_line import StatusLine
from .stopping_line import StoppingLine
from .undoing import Undoing

if TYPE_CHECKING:
    from ...gis.runs import RunController

OBJECT_NAME = "QgisAgentDock"


class AgentDock(QgsDockWidget):
    """The panel. ``settings_asked``, ``setup_asked`` and ``permissions_asked`` are for the plugin, which owns those windows,
    and ``level_chosen``, for the setting is the plugin's.

    ``before_run`` is called before each run and may set the model (it is where a stored key is read, so that QGIS asks
    for its master password only when a model is really used).
    """

    settings_asked = pyqtSignal()
    setup_asked = pyqtSignal()
    permissions_asked = pyqtSignal()
    level_chosen = pyqtSignal(str)
    export_asked = pyqtSignal()

    def __init__(
        self,
        controller: RunController,
        examples: Callable[[], List[str]],
        before_run: Callable[[], None] = lambda: None,
        needs_setup: Callable[[], bool] = lambda: False,
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__(translate("QgisAgent", "QGIS Agent"), parent)
        self.setObjectName(OBJECT_NAME)
        self._controller = controller
        self._examples = examples
        self._before_run = before_run
        self._needs_setup = needs_setup
        self._run: Optional[RunView] = None
        self._said = ""
        self._pictures: List[Picture] = []
        self._plan: Optional[Dict[str, Any]] = None
        self._stopped = False
        self._new_wanted = False
        self._broken_card: Optional[QWidget] = None
        self.header = Header()
        self.conversation = Conversation()
        self.history = History(self.conversation)
        self.sessions = SessionsPanel()
        self.mode_strip = ModeStrip()
        self.queued = QueuedBar()
        host = getattr(controller, "host", None)
        host = host if isinstance(host, Host) else None
        self.composer = Composer(host=host, sent=sent_messages(host))
        self.stopping = StoppingLine()
        self.status = StatusLine()
        self.setWidget(self._body())
        checkpoints = getattr(getattr(controller, "host", None), "checkpoints", None)
        self.undoing = Undoing(checkpoints, lambda text: self.conversation.add_card(NoticeLine(text)), self)
        self.commands = CommandDesk(self, controller)
        self.run_desk = RunDesk(controller, self, self.conversation.add_card)
        self.resend = Resend(self.composer, self.undoing, self._submitted, self)
        self._connect()
        self.status.show_profile(getattr(controller, "profile", APPLY_PROFILE))
        self.refresh_examples()

    # what the plugin and tests use

    def send(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Send a message with the pictures that belong to it, or let it wait for the end of the run."""
        text = text.strip()
        if not text:
            return
        if self._controller.running:
            self._wait_with(text, pictures)
            return
        self.composer.remember(text)
        self.history.finish()
        bubble = self.conversation.add_user(text)
        bubble.show_pictures(pictures)
        self.resend.said(bubble)
        self._begin(text, pictures=pictures)

    def refresh_examples(self) -> None:
        """Another project, or other layers: other examples, as long as nothing has been said."""
        if self.conversation.is_empty():
            self.conversation.show_examples(self._examples())

    def show_card(self, card: QWidget) -> None:
        """Show a card that belongs to no run, in place of the last one of its kind."""
        self.drop_card()
        self._broken_card = card
        self.conversation.add_card(card)

    def drop_card(self) -> None:
        """What the card said is no longer so."""
        if self._broken_card is not None:
            self.conversation.remove(self._broken_card)
            self._broken_card = None
            self.refresh_examples()

    def focus_composer(self) -> None:
        """Put the cursor where a person types."""
        self.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_profile(self, profile: str) -> None:
        """How the agent works from the next message on; it is seen above the composer when it changes nothing."""
        self._controller.profile = profile
        self.status.show_profile(profile)
        self.mode_strip.show_profile(profile)

    def toggle_plan(self) -> None:
        """Plan mode on, or off."""
        planning = self._controller.profile == PLAN_PROFILE
        self.set_profile(APPLY_PROFILE if planning else PLAN_PROFILE)

    def show_sessions(self) -> None:
        """Show the earlier conversations in the place of this one; again: back to it."""
        if not self.sessions.isHidden():
            self.leave_sessions()
            return
        self.conversation.hide()
        self.sessions.begin()

    def leave_sessions(self) -> None:
        """Back to the conversation."""
        self.sessions.hide()
        self.conversation.show()
        self.focus_composer()

    def show_history(self, opened: Opened, more: More) -> None:
        """An earlier conversation goes on: what it was is shown, and what it used."""
        self._forget_shown()
        self.status.usage.resume(opened.usage)
        self.history.show_opened(opened, more, project_key(QgsProject.instance()))

    # building

    def _body(self) -> QWidget:
        body = Panel()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.conversation, 1)
        column.addWidget(self.sessions, 1)
        self.sessions.hide()
        bottom = QVBoxLayout()
        bottom.setContentsMargins(MARGIN - 4, GAP, MARGIN - 4, 2)
        bottom.setSpacing(6)
        bottom.addWidget(self.mode_strip)
        bottom.addWidget(self.queued)
        bottom.addWidget(self.composer)
        column.addLayout(bottom)
        column.addWidget(self.stopping)
        column.addWidget(self.status)
        body.setMinimumWidth(260)
        return body

    def _connect(self) -> None:
        self.composer.submitted.connect(self._submitted)
        self.composer.stop_asked.connect(self._stop)
        self.composer.queued_wanted.connect(self._take_back)
        self.queued.edit_asked.connect(self._take_back)
        self.conversation.send.connect(self.send)
        self.conversation.plan_applied.connect(self._apply_plan)
        self.conversation.view_asked.connect(self._show_view)
        self.conversation.earlier.made.connect(self.undoing.offer_past)
        self.conversation.menu_asked.connect(self.run_desk.do)
        self.conversation.cancel_asked.connect(lambda call_id: self._controller.cancel_step(call_id))
        self.header.new_asked.connect(self.new_conversation)
        self.header.sessions_asked.connect(self.show_sessions)
        self.header.settings_asked.connect(self.settings_asked)
        self.status.mode.chosen.connect(self.set_profile)
        self.mode_strip.left.connect(lambda: self.set_profile(APPLY_PROFILE))
        self.status.level.chosen.connect(self.level_chosen)
        self.status.level.permissions_asked.connect(self.permissions_asked)
        self.header.export_toggled.connect(self._controller.set_write_enabled)
        self._controller.status_changed.connect(self._status_changed)
        self._controller.run_event.connect(self._event)
        self._controller.finished.connect(self._finished)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self._escape)

    # a run

    def _show_view(self, action: Dict[str, Any]) -> None:
        """A person clicked the view that an answer offers."""
        problem = self._controller.show_offered(action)
        if problem:
            self.conversation.add_card(NoticeLine(problem, "warning"))

    def _apply_plan(self, plan: Dict[str, Any]) -> None:
        """A person clicked "Apply plan": the one way in which a run gets a plan that it may carry out."""
        if self._controller.running:
            return
        text = translate("QgisAgent", "Apply the plan.")
        self.conversation.add_user(text)
        self._begin(text, plan)

    def _submitted(self, text: str) -> None:
        """What was typed is sent, with the pictures that are in the composer."""
        self.send(text, self.composer.pictures.take())

    def _begin(self, text: str, plan: Optional[Dict[str, Any]] = None, pictures: Sequence[Picture] = ()) -> None:
        if not self.sessions.isHidden():
            self.leave_sessions()
        self._said, self._pictures = text, list(pictures)
        self._plan = plan
        self._stopped = False
        self._run = self.conversation.add_run()
        self.resend.began(self._run)
        self._before_run()
        self.composer.set_running(True)
        self.undoing.set_busy(True)
        shown = [self._pictures] if self._pictures else []
        if not self._controller.start(text, plan, *shown):
            self._run = None
            self.undoing.set_busy(False)
            self.conversation.remove(self.conversation.runs()[-1])
            if plan is None:
                self._wait_with(text, pictures)

    def _wait_with(self, text: str, pictures: Sequence[Picture] = ()) -> None:
        """Keep one message for later; a second one is added to it, so that nothing is lost: pictures that one message does not
        take are in the field again."""
        waiting = self.queued.text()
        found = joined(self.queued.pictures, pictures)
        self.queued.put(waiting + "\n" + text if waiting else text, found[:MOST])
        self.composer.set_has_queued(True)
        if len(found) > MOST:
            self.composer.pictures.put(joined(self.composer.pictures.pictures(), found[MOST:]))
            self.composer.note.say(too_many())

    def _send_queued(self) -> None:
        pictures = self.queued.pictures
        self.send(self.queued.take(), pictures)

    def _take_back(self) -> None:
        pictures = joined(self.queued.pictures, self.composer.pictures.pictures())
        text = self.queued.take()
        self.composer.pictures.put(pictures)
        self.composer.set_has_queued(False)
        typed = self.composer.text().strip()
        self.composer.set_text("\n".join(each for each in (text, typed) if each))
        self.focus_composer()
        if len(pictures) > MOST:
            self.composer.note.say(too_many())

    def _escape(self) -> None:
        """Back from the earlier conversations; else stop."""
        if self.sessions.isHidden():
            self._stop()
        else:
            self.leave_sessions()

    def _stop(self) -> None:
        if self._controller.running:
            self._stopped = True
            self._controller.stop()

    def _event(self, event: Dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "usage":
            self.status.usage.take(event)
        if kind == "agent_died":
            self._agent_died(str(event.get("text") or ""))
        elif kind == "agent_restarted":
            text = translate("QgisAgent", "The agent process was started again. The conversation goes on.")
            self.conversation.add_card(NoticeLine(text))
        elif kind == "still_stopping":
            self.stopping.show_tools([str(each) for each in event.get("tools") or []])
        elif self._run is not None:
            self._run.handle(event)

    def _agent_died(self, why: str) -> None:
        title = translate("QgisAgent", "The agent process ended")
        kept = translate("QgisAgent", "What was said is kept. Send the request again to go on.")
        message = "\n".join(each for each in (why, kept) if each)
        if self._run is not None:
            self._run.fail(title, message, self._retry_actions())
        else:
            self.conversation.add_card(ErrorCard(title, message))

    def _finished(self, report: Dict[str, Any]) -> None:
        self.composer.set_running(False)
        run, self._run = self._run, None
        if run is not None:
            run.finish(self._without_setup_error(report), self._retry_actions())
            self.undoing.offer(run)
            watch(getattr(getattr(self._controller, "host", None), "canvas", None), report, run.show_map, run)
        self.undoing.set_busy(False)
        if self._new_wanted:
            self.new_conversation()
            return
        waiting = self.queued.text()
        if waiting and (self._stopped or report.get("termination") == "interrupted"):
            self._take_back()  # after Stop nothing starts by itself
        elif waiting:
            self.composer.set_has_queued(False)
            QTimer.singleShot(0, self._send_queued)  # the controller is not done with this signal

    def _without_setup_error(self, report: Dict[str, Any]) -> Dict[str, Any]:
        """The card about a missing environment says more than the error of a run that could not begin without it."""
        error = report.get("error")
        missing = isinstance(error, dict) and error.get("reason") == "agent_process" and self._needs_setup()
        return dict(report, error=None) if missing else report

    def _retry_actions(self) -> List[Action]:
        text, plan, pictures = self._said, self._plan, self._pictures
        return [
            (
                translate("QgisAgent", "Retry"),
                lambda: self.send(text, pictures) if plan is None else self._apply_plan(plan),
            ),
            (translate("QgisAgent", "Settings"), self.settings_asked.emit),
        ]

    # around it

    def new_conversation(self) -> None:
        """Begin anew; a run that goes on is stopped first."""
        if self._controller.running:
            self._new_wanted = True
            self._stop()
            return
        self._new_wanted = False
        self._controller.new_conversation()
        self._forget_shown()
        self.leave_sessions()
        self.refresh_examples()

    def _forget_shown(self) -> None:
        self.history.stop()
        self.queued.take()
        self.composer.set_has_queued(False)
        self._broken_card = None
        self.resend.forget()
        self._pictures = []
        self.conversation.clear()
        self.undoing.forget()
        self.status.usage.forget()

    def _status_changed(self, state: str, text: str) -> None:
        self.status.show_state(state, text)
        if state == "broken":
            self._show_broken(text)
        elif state == "idle":
            self.drop_card()

    def _show_broken(self, why: str) -> None:
        if self._needs_setup():
            title = translate("QgisAgent", "The agent environment has to be set up")
            hint = translate(
                "QgisAgent",
                "The agent runs in a Python environment of its own, apart from QGIS's. It is built once, in your QGIS "
                "profile folder, and needs the internet or a folder of wheels.",
            )
            button = translate("QgisAgent", "Set up the agent environment")
            self.show_card(ErrorCard(title, why, hint, [(button, self.setup_asked.emit)]))
        elif self._run is None and not self.conversation.runs():
            title = translate("QgisAgent", "The agent is not available")
            self.show_card(ErrorCard(title, why, "", [(translate("QgisAgent", "Settings"), self.settings_asked.emit)]))
