"""One conversation: starts runs, supervises the agent process, serves its tool calls. No widgets.

The dock, the command line and the Processing algorithm all use it. State goes idle -> running -> (stopping) -> idle;
"starting" while the agent process comes up, "broken" when it cannot.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from qgis.core import Qgis, QgsApplication
from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from .. import environment
from ..bridge import messages
from ..bridge.peer import Incoming, RpcError
from ..bridge.requested import HOST, requested_by
from . import project_files, run_choices
from .agent_process import AgentProcess, AgentSide, answer_unknown, private_folder
from .approvals import Approver, Capability
from .approved_plan import ApprovedPlan
from .at_home import conversations
from .at_home import projection as at_home
from .calls import Calls, RunningCall
from .catalogue_feed import CatalogueFeed, Notify
from .errors import ToolError
from .host import Host
from .i18n import translate
from .moves import move_of, perform
from .network_variables import network_state, variables_for
from .pictures import Picture
from .run_parts import Run, named_by, new_session_id, offered_by, plugin_version
from .run_reports import agent_gone, stopped_report
from .run_state import state_at_end, state_at_start
from .secrets import REDACTOR, know_all
from .sessions import project_fields

STOP_ANSWER_MS = 400
"""Stop makes the dock idle after this at the latest; the goal is 500 ms."""
STOP_KILL_MS = 5_000
"""An agent process that has not ended a stopped run by then no longer listens."""
MAX_RESTARTS = 1
AGENT_REFUSES = ("FORBIDDEN", "PERMISSION_DENIED")
"""Codes of calls that the agent process may refuse without asking QGIS."""

PLAN_PROFILE = "gis-plan"
"""Its runs only read, whatever the agent process says: their capability is in plan mode."""
APPLY_PROFILE = "gis-build"

OFFLINE: Dict[str, Any] = {"kind": "offline"}


def records_folder() -> Path:
    """Where sessions and traces are kept: ``qgis_agent`` in the QGIS profile folder."""
    return private_folder(Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent")


class RunController(QObject):
    """See the module. Signals: ``status_changed(state, text)``, ``run_event(dict)``, ``finished(dict)`` with a RunReport.

    ``run_event`` carries the agent's events (EVENT_FIELDS in bridge/messages.py) and some that begin and end in QGIS, so that
    they cost no way through the agent and fill no record: ``step_began`` {call_id, tool: ``cancel_step`` can end it},
    ``step_progress`` {call_id, tool, percent}, ``step_holds`` {call_id, tool, holds: the main thread} and ``step_outcome``
    {call_id, tool, envelope, evidence, recipes} of the run, and, with or without one, ``still_stopping`` {tools: what runs on
    after its call was answered}, ``agent_died`` {text}, ``agent_restarted`` {}.
    """

    status_changed = pyqtSignal(str, str)
    run_event = pyqtSignal(dict)
    finished = pyqtSignal(dict)

    def __init__(
        self,
        host: Host,
        approver: Approver,
        parent: Optional[QObject] = None,
        *,
        caller: str = "chat",
        level: str = "safe_write",
        profile: str = APPLY_PROFILE,
        records: Optional[Path] = None,
    ) -> None:
        super().__init__(parent)
        self.host = host
        self.calls = Calls(host, approver, parent=self)
        self.side = AgentSide(self)
        self.caller = caller
        self._level = level
        self.profile = profile
        self.write_enabled = False
        self.session_id = new_session_id()
        self._fresh = True
        """Whether nothing has been said in this session."""
        self._records = records
        self._model: Dict[str, Any] = dict(OFFLINE)
        self._label = ""
        self._agent: Optional[AgentProcess] = None
        self._ready = False
        self._refused = False
        self._restarts = 0
        self._network: Tuple[str, ...] = ()
        self._network_asked = False
        self._run: Optional[Run] = None
        self._own_words = ""
        """What the person said last, by typing; a button's text was written by the agent."""
        self._offered: FrozenSet[str] = frozenset()
        """The messages that the buttons of the last answer send."""
        self._waiting: List[Callable[[Optional[str]], None]] = []
        self._closed = False
        self._catalogue = CatalogueFeed(host, self._listener, self)
        self.calls.began.connect(self._step_began)
        self.calls.progressed.connect(self._step_progress)
        self.calls.held.connect(self._step_holds)
        self.calls.ended.connect(self._step_outcome)
        host.detached.changed.connect(self._still_stopping)
        host.project.cleared.connect(self._project_closing)

    @property
    def level(self) -> str:
        """The level of the runs that begin from now on."""
        return self._level

    @level.setter
    def level(self, level: str) -> None:
        if level != self._level:
            self.host.audit.event("level_changed", caller=self.caller, before=self._level, after=level)
        self._level = level
        self.side.level_changed.emit()

    @property
    def running(self) -> bool:
        """Whether a run is going on."""
        return self._run is not None

    def agent_pid(self) -> int:
        """Process id of the agent, 0 when it does not run."""
        return self._agent.pid() if self._agent is not None else 0

    # what a person does

    def start(
        self, text: str, approved_plan: Optional[Dict[str, Any]] = None, pictures: Sequence[Picture] = ()
    ) -> bool:
        """Begin a run with the person's words. False, and nothing happens, while another run goes on.

        ``approved_plan`` is the plan of a report that the person applied: this run leaves plan mode, to carry it out.
        ``pictures`` are shown to the model with the words; what is on them counts as text of others.
        """
        if self._run is not None or self._closed or not text.strip():
            return False
        if text.strip() not in self._offered:
            self._own_words = text
        apart = self._keep_apart()
        profile = APPLY_PROFILE if approved_plan is not None and self.profile == PLAN_PROFILE else self.profile
        capability = self._issue(
            "run-" + uuid.uuid4().hex[:12],
            requested_by(self._own_words),
            plan_mode=profile == PLAN_PROFILE,
            plan=ApprovedPlan(approved_plan) if approved_plan is not None else None,
            words=self._own_words,
        )
        run = Run(capability, text, profile, approved_plan, pictures)
        self._run = run
        if capability.plan is not None:
            self.host.audit.event("plan_approved", capability, plan_sha256=capability.plan.hash)
        self.host.checkpoints.begin_run(capability.run_id, text)
        self.host.begin_request()
        self.status_changed.emit("running", self._label)
        if apart:
            self.run_event.emit({"type": "notice", "run_id": capability.run_id, "level": "info", "text": apart})
        self.when_ready(lambda problem: self._send_run(run, problem))
        return True

    def call_tool(self, name: str, arguments: Dict[str, Any], done: Callable[[Dict[str, Any]], None]) -> None:
        """One tool through the whole ToolRuntime of the agent process; ``done`` gets a ToolOutcome."""
        capability = self._issue("call-" + uuid.uuid4().hex[:12], named_by(arguments))

        def answered(result: Any, error: Optional[RpcError]) -> None:
            self.calls.end_run(capability)
            self.host.ledger.revoke(capability)
            done(result if error is None else {"envelope": agent_gone(error.message)})

        def ready(problem: Optional[str]) -> None:
            if problem is not None or self._agent is None:
                self.host.ledger.revoke(capability)
                done({"envelope": agent_gone(problem or "")})
                return
            self._catalogue.push()
            params = {
                "run_id": capability.run_id,
                "session_id": self.session_id,
                "capability": capability.token,
                "caller": self.caller,
                "name": name,
                "arguments": arguments,
            }
            self._agent.request(messages.TOOL_RUN, params, answered)

        self.when_ready(ready)

    def stop(self) -> None:
        """Stop the run: its calls are cancelled now, and the report comes within half a second."""
        run = self._run
        if run is None or run.stopping:
            return
        run.stopping = True
        self.status_changed.emit("stopping", self._label)
        self.calls.end_run(run.capability)
        if self._agent is not None and run.request_id:
            agent = self._agent
            agent.cancel(run.request_id)
            QTimer.singleShot(STOP_KILL_MS, lambda: self._kill_if_deaf(agent, run))
        QTimer.singleShot(STOP_ANSWER_MS, lambda: self._end_run(run, stopped_report()))

    def cancel_step(self, call_id: str) -> bool:
        """A person cancels one call (``step_began``); the run goes on. False when it has ended, or the run is being stopped."""
        run = self._run
        return run is not None and not run.stopping and self.calls.cancel_call(run.capability, call_id)

    def show_offered(self, action: Dict[str, Any]) -> Optional[str]:
        """A person clicked the view that an answer offers (a map operation of its report): go there. Else why not."""
        try:
            move = move_of(action.get("args"))
            perform(self.host, move)
        except ToolError as error:
            return str(error.envelope["message"])
        self.host.remember_view(list(move.bbox) if move.bbox is not None else self.host.view_bbox())
        self.host.begin_request()
        return None

    def new_conversation(self) -> None:
        """The next message begins a new session."""
        if self._run is None:
            self.host.ledger.session_ended(self.session_id)
            self.session_id, self._fresh = new_session_id(), True
            self._own_words, self._offered = "", frozenset()

    def go_on_with(self, session_id: str) -> bool:
        """The next message goes on with an earlier session, which counts as one that has read others' texts. False in a run."""
        if self._run is not None:
            return False
        if session_id != self.session_id:
            self.host.ledger.session_ended(self.session_id)
            self.host.taint.resumed(session_id)
            self._own_words, self._offered = "", frozenset()
            self.session_id, self._fresh = session_id, False
        return True

    def ask_agent(self, method: str, params: Dict[str, Any], done: Callable[[Any, str], None]) -> None:
        """A request that belongs to no run. ``done(result, "")``, or ``done(None, why not)``."""

        def ready(problem: Optional[str]) -> None:
            if problem is not None or self._agent is None:
                done(None, problem or str(agent_gone("")["message"]))
                return
            self._agent.request(method, params, answered)

        def answered(result: Any, error: Optional[RpcError]) -> None:
            done(result, "") if error is None else done(None, error.message)

        self.when_ready(ready)

    def configure_model(self, config: Dict[str, Any]) -> None:
        """Set who answers: {"kind": "offline"}, {"kind": "model", …} or {"kind": "script", "turns": […]}."""
        know_all(config)
        self._model = dict(config)
        if self._agent is not None and self._ready:
            self._send_model(self._agent, lambda: None)
        else:
            self.when_ready(lambda _problem: None)

    def network_changed(self) -> None:
        """QGIS's proxy or authorities may be others now: an agent that was started with the old ones is started anew.

        While a run goes on its end is waited for.
        """
        self._network_asked = self._run is not None
        if self._agent is None or self._run is not None:
            return
        if network_state(variables_for(environment.locate())) != self._network:
            self.end_agent()
            self.when_ready(lambda _problem: None)

    def end_agent(self) -> None:
        """End the agent process while no run goes on; the next message starts another."""
        if self._agent is None or self._run is not None:
            return
        agent, self._agent, self._ready = self._agent, None, False
        agent.close()
        agent.deleteLater()

    def set_write_enabled(self, enabled: bool) -> None:
        """A person switches the pack "write" on or off, from the next run on."""
        if enabled != self.write_enabled:
            self.host.audit.event("write_switch", caller=self.caller, session_id=self.session_id, enabled=enabled)
        self.write_enabled = enabled

    def close(self) -> None:
        """QGIS or the plugin ends: the run is stopped and the agent process ends."""
        if self._closed:
            return
        self._closed = True
        self._catalogue.close()
        self.calls.leave_unanswered()
        self.calls.cancel_all()
        if self._agent is not None:
            self._agent.close()
        if self._run is not None:
            self._end_run(self._run, stopped_report())

    # the agent process

    def when_ready(self, then: Callable[[Optional[str]], None]) -> None:
        """Call ``then(None)`` when the agent process is up, or ``then(why not)``. Starts it if need be."""
        if self._ready:
            then(None)
            return
        self._waiting.append(then)
        if self._agent is None:
            self._start_agent()
        elif self._refused:
            self._send_model(self._agent, self._all_ready)

    def agent_when_up(self, then: Callable[[Optional[AgentProcess], str], None]) -> None:
        """Call ``then(agent, "")`` when the agent process is up, whatever it says to the model that is set, or ``then(None, why not)``."""
        self.when_ready(lambda problem: then(self._agent, "" if self._agent is not None else problem or ""))

    def _start_agent(self) -> None:
        self.status_changed.emit("running" if self._run else "starting", translate("QgisAgent", "starting the agent"))
        folder = environment.locate()
        report = environment.check(folder)
        if not report.ok:
            self._not_ready(report.message)
            return
        try:
            child = environment.process_environment(variables_for(folder))
            self._network = network_state(child)
            agent = AgentProcess(environment.python_of(folder), child, self._records or records_folder(), self)
        except OSError as error:
            self._not_ready(translate("QgisAgent", "The agent process could not be started: {}").format(error))
            return
        agent.ready.connect(lambda _answer: self._agent_ready(agent))
        agent.died.connect(lambda why: self._agent_died(agent, why))
        agent.run_event.connect(self._agent_event)
        self.side.attach(agent, self._agent_called)
        self._agent = agent
        locale = QgsApplication.locale() or "en"
        agent.start({"plugin_version": plugin_version(), "locale": locale, "qgis_version": Qgis.version()})

    def _agent_ready(self, agent: AgentProcess) -> None:
        self._send_model(agent, self._all_ready)

    def _send_model(self, agent: AgentProcess, then: Callable[[], None]) -> None:
        self._refused = False

        def configured(result: Any, error: Optional[RpcError]) -> None:
            if error is not None:
                if error.code != messages.PEER_CLOSED:
                    self._refused = True  # another model, or another try, may be taken
                    self._not_ready(translate("QgisAgent", "The model could not be set: {}").format(error.message))
                return
            self._label = str(result.get("label", ""))
            then()
            if self._run is None:
                self.status_changed.emit("idle", self._label)

        agent.request(messages.MODEL_CONFIGURE, self._model, configured)

    def _all_ready(self) -> None:
        self._ready = True
        self._catalogue.push()
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then(None)

    def _not_ready(self, why: str) -> None:
        self._ready = False
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then(why)
        self.status_changed.emit("broken", why)

    def _agent_died(self, agent: AgentProcess, why: str) -> None:
        if agent is not self._agent or self._closed:
            return
        self._agent = None
        was_ready, self._ready = self._ready, False
        self.calls.cancel_all()
        agent.deleteLater()
        self.run_event.emit({"type": "agent_died", "text": why})
        if self._run is not None:
            self._end_run(self._run, messages.failed_report(agent_gone(why)))
        if was_ready and self._restarts < MAX_RESTARTS:
            self._restarts += 1
            self.when_ready(lambda problem: None if problem else self.run_event.emit({"type": "agent_restarted"}))
        else:
            self._not_ready(why)

    def _kill_if_deaf(self, agent: AgentProcess, run: Run) -> None:
        if agent is self._agent and not run.answered and not self._closed:
            agent.kill()

    # a run

    def _keep_apart(self) -> str:
        """A run begins. While values stay at home, a conversation that holds some does not go on: words that say so, or ""."""
        kept, known = at_home.wanted(), self._fresh or conversations.holds_none(self.session_id)
        told = "" if known or not kept else conversations.begun_anew()
        if told:
            self.host.ledger.session_ended(self.session_id)
            self.session_id = new_session_id()
        conversations.note_run(self.session_id, kept)
        self._fresh = False
        return told

    def _issue(self, run_id: str, requested: Iterable[str], **more: Any) -> Capability:
        """A capability; ``requested`` is what the person's own words ask for."""
        packs = frozenset(["write"]) if self.write_enabled else frozenset()
        approver = self.calls.approver
        hosts = [HOST + each for each in getattr(approver, "hosts", ())]  # --allow-network names them
        return self.host.ledger.issue(
            caller=self.caller,
            level=self.level,
            session_id=self.session_id,
            run_id=run_id,
            project_id=self.host.project_id(),
            enabled_packs=packs,
            requested=frozenset((*requested, *hosts)),
            attended=not getattr(approver, "unattended", False),
            **more,
        )

    def _send_run(self, run: Run, problem: Optional[str]) -> None:
        if self._run is not run:
            return  # stopped before the agent was up
        if problem is not None or self._agent is None:
            self._end_run(run, messages.failed_report(agent_gone(problem or "")))
            return
        self._catalogue.push()
        if (
            not run.capability.attended
        ):  # names in what is sent now are text of others, and nobody sees what comes of it
            self.host.taint.note(self.session_id, "snapshot", {"data": True})
        params = {
            "run_id": run.capability.run_id,
            "session_id": self.session_id,
            "capability": run.capability.token,
            "text": run.text,
            "profile": run.profile,
            "enabled_packs": sorted(run.capability.enabled_packs),
            "attended": run.capability.attended,
            "snapshot": at_home.projected_snapshot(self.host.snapshot()) if at_home.wanted() else self.host.snapshot(),
            "map": state_at_start(self.host),
            "project": project_fields(self.host.project),
            **project_files.run_fields(self.host.project),
            **run_choices.run_fields(),
        }
        if run.approved_plan is not None:
            params["approved_plan"] = run.approved_plan
        if run.pictures:
            params["pictures"] = [each.meta() for each in run.pictures]
            self.host.taint.note(self.session_id, "picture", {"data": True})
            for each in run.pictures:
                self._agent.request(messages.PICTURE_PUT, each.message(), self._picture_put)

        def answered(result: Any, error: Optional[RpcError]) -> None:
            run.answered = True
            if error is None:
                self._restarts = 0
                self._end_run(run, result)
            elif error.code != messages.PEER_CLOSED:
                self._end_run(run, messages.failed_report(agent_gone(error.message)))

        run.request_id = self._agent.request(messages.RUN_START, params, answered)

    def _picture_put(self, _result: Any, error: Optional[RpcError]) -> None:
        if error is not None and self._run is not None and error.code != messages.PEER_CLOSED:
            words = translate("QgisAgent", "A picture could not be shown to the model: {}").format(error.message)
            self._tell_of_step("notice", level="warning", text=words)

    def _end_run(self, run: Run, report: Dict[str, Any]) -> None:
        if self._run is not run:
            return
        self._run = None
        self._offered = offered_by(report.get("question"))
        self.calls.end_run(run.capability)
        self._tell_state(run)
        self.host.ledger.revoke(run.capability)
        report = self.calls.kept.restored(run.capability.run_id, report)
        self.finished.emit(REDACTOR.strings(report))
        if self._ready:
            self.status_changed.emit("idle", self._label)
        if self._network_asked:
            QTimer.singleShot(0, self.network_changed)

    def _tell_state(self, run: Run) -> None:
        state = state_at_end(self.host, run.capability) if self._agent is not None and run.request_id else None
        if state is not None and self._agent is not None:
            self._agent.notify(messages.RUN_STATE, state)

    def _agent_event(self, event: Dict[str, Any]) -> None:
        run = self._run
        if run is None or event.get("run_id") != run.capability.run_id or run.stopping:
            return
        refused = event.get("type") == "tool_finished" and event.get("code") in AGENT_REFUSES
        if refused and event.get("call_id") not in run.called:
            self.host.audit.refused_in_agent(run.capability, event)
        self.run_event.emit(REDACTOR.strings(event))

    def _step_began(self, call_id: str, tool: str) -> None:
        self._tell_of_step("step_began", call_id=call_id, tool=tool)

    def _step_progress(self, call_id: str, tool: str, percent: int) -> None:
        self._tell_of_step("step_progress", call_id=call_id, tool=tool, percent=percent)

    def _step_holds(self, call_id: str, tool: str, holds: bool) -> None:
        self._tell_of_step("step_holds", call_id=call_id, tool=tool, holds=holds)

    def _step_outcome(self, call_id: str, tool: str, told: Dict[str, Any]) -> None:
        self._tell_of_step("step_outcome", call_id=call_id, tool=tool, **told)

    def _tell_of_step(self, kind: str, **fields: Any) -> None:
        run = self._run
        if run is not None and not run.stopping and fields.get("call_id") in (None, *run.called):
            self.run_event.emit({"type": kind, "run_id": run.capability.run_id, **fields})

    def _still_stopping(self, _count: int) -> None:
        if not self._closed:
            self.run_event.emit({"type": "still_stopping", "tools": self.host.detached.tools()})

    def _agent_called(self, incoming: Incoming) -> None:
        if incoming.method == messages.TOOLS_CALL:
            if self._run is not None and incoming.params.get("capability") == self._run.capability.token:
                self._run.called.add(str(incoming.params.get("call_id")))
            running = self.calls.start(incoming.params, lambda outcome: self._answer_call(incoming, outcome))
            if isinstance(running, RunningCall):
                incoming.on_cancel = running.cancel
        elif incoming.method == messages.CALLS_OUTCOME:
            incoming.result(self.calls.outcome_of(incoming.params))
        elif incoming.method == messages.PROJECT_REVISION:
            incoming.result({"revision": self._revision(incoming.params)})
        elif incoming.method == messages.RESULTS_READ:
            params = dict(incoming.params, name="fetch_result", call_id="read/{}".format(incoming.id))
            params["arguments"] = {key: params.get(key) for key in ("result_ref", "cursor", "page_size")}
            self.calls.start(params, lambda outcome: incoming.result(outcome["envelope"]))
        elif not self.side.answered(incoming):
            answer_unknown(incoming)

    def _revision(self, params: Dict[str, Any]) -> Optional[str]:
        """The revision of some layers, for a run that QGIS started; None for anybody else and where it cannot be known."""
        try:
            self.host.ledger.capability(params.get("capability"), self.host.project_id())
        except ToolError:
            return None
        aliases = params.get("layer_ids")
        found = self.host.revision.of([str(each) for each in aliases]) if isinstance(aliases, list) else None
        # What was kept with its values is another answer than one without.
        return found + "|values at home" if found is not None and at_home.wanted() else found

    def _answer_call(self, incoming: Incoming, outcome: Dict[str, Any]) -> None:
        if outcome["actions"]:
            self._catalogue.push()  # before the answer, so that the next search sees the new layer
        incoming.result(outcome)

    # the project

    def _listener(self) -> Optional[Notify]:
        return self._agent.notify if self._agent is not None and self._ready else None

    def _project_closing(self) -> None:
        """A run that waits for a person ends as such, by itself; if it has not soon, and any other at once, it is stopped."""
        run = self._run
        if run is not None and self.calls.leave_unanswered():
            QTimer.singleShot(STOP_ANSWER_MS, lambda: self.stop() if self._run is run else None)
        else:
            self.stop()
