"""Carries out tool calls: check, decide, ask, run, bound, answer. The one way in for every caller.

A call ends within half a second of Stop or of its timeout. What cannot be interrupted is *detached*: its call has been
answered, its result is dropped when it comes. A changing call is done once: when it is asked for again (the line broke after
it was done), the outcome of the first time is the answer.
"""

from __future__ import annotations

import inspect
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple

from qgis.core import Qgis, QgsMessageLog
from qgis.PyQt.QtCore import QObject, QTimer

from ..bridge.envelope import Envelope
from .approvals import NO_ANSWER_S, Approver, Capability
from .call import Call
from .cards import permission_card
from .confirm import ConfirmWrite, refused
from .contracts import Contracts
from .errors import CANCELLED, FORBIDDEN, TIMEOUT, UPSTREAM_ERROR, ToolError, failure
from .features import cancelled
from .host import Host
from .i18n import translate
from .journal import Entry, Journal
from .results import fit, fit_failure
from .sources.urls import host_of
from .tools.registry import EFFECTS, Tool, load_all
from .work import Answer, Step

Outcome = Dict[str, Any]
OnOutcome = Callable[[Outcome], None]
LOG_TAG = "QGIS Agent"


class RunningCall:
    """A call that is under way. ``cancel`` ends it with CANCELLED."""

    def __init__(self, call: Call, finish: OnOutcome, owner: QObject) -> None:
        self.call = call
        self._owner = owner
        self.effect = ""
        self.decision: Dict[str, Any] = {}
        self.started = time.monotonic()
        self.answered = False
        self.entry: Optional[Entry] = None
        """Where the outcome of a changing call is kept."""
        self.withdraw: Optional[Callable[[], None]] = None
        self.own_clock: Optional[Tuple[float, Callable[[], None]]] = None
        self._finish = finish
        self._timer: Optional[QTimer] = None

    def cancel(self) -> None:
        """Stop: the call is answered now; work that cannot be interrupted is detached."""
        self.call.feedback.cancel()
        self.fail(cancelled())

    def fail(self, error: ToolError) -> None:
        """Answer with the error's envelope."""
        self.answer(error.envelope)

    def answer(self, envelope: Envelope) -> None:
        """Answer once; later answers are dropped."""
        if self.answered:
            return
        self.answered = True
        self.stop_clock()
        if self.withdraw is not None:
            self.withdraw()
            self.withdraw = None
        call = self.call
        self._finish(
            {
                "envelope": envelope if envelope["ok"] else fit_failure(envelope),
                "actions": call.actions if envelope["ok"] else [],
                "legend": call.legend if envelope["ok"] else [],
                "evidence": call.evidence if envelope["ok"] else [],
                "decision": dict(self.decision, effect=self.effect),
                "ms": round((time.monotonic() - self.started) * 1000),
            }
        )

    def repeat(self, outcome: Outcome) -> None:
        """Answer with the outcome that this very call had before."""
        self.answered = True
        self._finish(outcome)

    def resume_clock(self) -> None:
        """The person has answered: the call's own time starts again."""
        if self.own_clock is not None:
            self.start_clock(*self.own_clock)

    def start_clock(self, seconds: float, on_timeout: Callable[[], None]) -> None:
        """Start the call's time; waiting for a person is not part of it."""
        self.stop_clock()
        self._timer = QTimer(self._owner)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(on_timeout)
        self._timer.start(int(seconds * 1000))

    def stop_clock(self) -> None:
        """The call waits for a person, or has ended."""
        if self._timer is not None:
            self._timer.stop()
            # Not dropped but deleted later: this may be called from the timer's own signal.
            self._timer.deleteLater()
            self._timer = None


class Calls(QObject):
    """Runs tool calls on a host. Lives on the main thread."""

    def __init__(
        self, host: Host, approver: Approver, contracts: Optional[Contracts] = None, parent: Optional[QObject] = None
    ) -> None:
        super().__init__(parent)
        self.host = host
        self.approver = approver
        self.contracts = contracts or Contracts()
        self._tools = load_all()
        self._running: List[RunningCall] = []
        self._journal = Journal()
        host.project.layersWillBeRemoved.connect(self._layers_go)

    def start(self, params: Dict[str, Any], finish: OnOutcome) -> Optional[RunningCall]:
        """Start a ``tools/call``. ``finish`` gets the ToolOutcome once, perhaps before this returns."""

        def finished(outcome: Outcome) -> None:
            if running in self._running:
                self._running.remove(running)
            if running.entry is not None:
                running.entry.outcome = outcome
            finish(outcome)

        nobody = Capability("", "", "read_only", "", "", "")
        running = RunningCall(
            Call(self.host, nobody, str(params.get("name")), {}, str(params.get("call_id"))), finished, self
        )
        self._running.append(running)
        try:
            self._admit(running, params)
        except ToolError as error:
            running.fail(error)
        return None if running.answered else running

    def outcome_of(self, params: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to ``calls/outcome``: {known, outcome?}. Nothing is known to a caller without a capability."""
        try:
            capability = self.host.ledger.capability(params.get("capability"), self.host.project_id())
        except ToolError:
            return {"known": False}
        outcome = self._journal.outcome(capability, str(params.get("run_id")), str(params.get("call_id")))
        return {"known": False} if outcome is None else {"known": True, "outcome": outcome}

    def cancel_all(self) -> None:
        """End every call that is under way: Stop, another project, or the end of the agent process."""
        for each in list(self._running):
            each.cancel()

    def _layers_go(self, layer_ids: List[str]) -> None:
        """A layer is taken out of the project: the calls that were given it end, before it is gone under them."""
        gone = set(layer_ids)
        for running in list(self._running):
            named = [each for each in _named_layers(running.call.arguments) if self._id_of(each) in gone]
            if named:
                running.call.feedback.cancel()
                running.fail(_layer_removed(named[0]))

    def _id_of(self, alias: str) -> str:
        layer = self.host.layers.by_alias(alias)
        return layer.id() if layer is not None else ""

    def _admit(self, running: RunningCall, params: Dict[str, Any]) -> None:
        capability = self.host.ledger.capability(params.get("capability"), self.host.project_id())
        contract = self.contracts.get(params.get("name"))
        arguments = self.contracts.checked(contract["name"], params.get("arguments"))
        tool = self._tools.get(contract["name"])
        if tool is None or capability.caller not in contract["callers"]:
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "The tool {} is not offered here.").format(contract["name"]),
                hint=translate("QgisAgent", "Use another tool."),
                reason="not_offered",
            )
        call = Call(self.host, capability, tool.name, arguments, str(params.get("call_id")))
        running.call = call
        running.effect = max(tool.effect, contract["effect"], key=EFFECTS.index)
        if running.effect != "read":
            entry = self._journal.begin(call)
            if entry.outcome is not None:
                running.repeat(entry.outcome)
                return
            running.entry = entry
        target = _target(arguments, running.effect)
        decision = self.host.ledger.decide(
            capability,
            tool.name,
            running.effect,
            target,
            pack=contract["pack"],
            origin=str(params.get("origin", "native")),
            ask_reason=str(params.get("ask_reason", "")),
        )
        running.decision = {"decision": decision.outcome, "by": decision.by}
        if decision.outcome == "deny":
            raise _denied(decision.by, running.effect)
        if decision.outcome == "click" and not (tool.name.startswith("prepare_") or tool.name == "commit_action"):
            raise _denied("write_without_prepare", running.effect)
        if decision.outcome == "ask":
            self._ask(running, tool, contract, target)
        else:
            self._run(running, tool, contract)

    def _ask(self, running: RunningCall, tool: Tool, contract: Dict[str, Any], target: str) -> None:
        card = permission_card(running.call, running.effect)

        def answered(answer: str) -> None:
            running.withdraw = None
            running.stop_clock()
            if running.answered:
                return
            running.decision = dict(running.decision, by="person:" + answer)
            if answer == "session":
                self.host.ledger.grant(running.call.capability, tool.name, target)
            if answer in ("once", "session"):
                self._run(running, tool, contract)
            else:
                running.fail(refused(answer, str(card.get("host") or "")))

        self.ask(running, card, answered)

    def ask(self, running: RunningCall, card: Dict[str, Any], answered: Callable[[str], None]) -> None:
        """Ask the person; no answer in 120 s counts as no."""
        running.stop_clock()
        state = {"open": True}

        def once(answer: str) -> None:
            if state["open"]:
                state["open"] = False
                running.withdraw = None
                answered(answer)

        def too_late() -> None:
            if running.withdraw is not None:
                running.withdraw()
            once("no_answer")

        running.start_clock(NO_ANSWER_S, too_late)
        withdraw = self.approver.ask(card, once)
        if state["open"]:
            running.withdraw = withdraw

    def _run(self, running: RunningCall, tool: Tool, contract: Dict[str, Any]) -> None:
        running.own_clock = (contract["timeout_s"], lambda: timed_out(running, contract["timeout_s"]))
        running.resume_clock()
        _Driver(
            self, running, tool.handler(running.call, **running.call.arguments) if tool.runs == "task" else None, tool
        )


def _named_layers(arguments: Dict[str, Any]) -> List[str]:
    """The aliases among the arguments of a call."""
    found: List[str] = []
    for key, value in arguments.items():
        if key.endswith("layer_id") and isinstance(value, str):
            found.append(value)
        elif key.endswith("layer_ids") and isinstance(value, list):
            found += [each for each in value if isinstance(each, str)]
    return found


def _layer_removed(alias: str) -> ToolError:
    return ToolError(
        CANCELLED,
        translate("QgisAgent", "The layer '{}' was removed from the project meanwhile.").format(alias),
        hint=translate("QgisAgent", "Look at the layers again, or ask the person."),
        reason="layer_removed",
    )


def _target(arguments: Dict[str, Any], effect: str) -> str:
    """What a grant of this call would be for: the host of a network call, else the layer."""
    if effect == "network":
        return host_of(str(arguments.get("url") or ""))
    return str(arguments.get("layer_id") or arguments.get("polygon_layer_id") or "")


def timed_out(running: RunningCall, seconds: float) -> None:
    """Answer TIMEOUT; the work is told to stop and is detached."""
    running.call.feedback.cancel()
    running.answer(
        failure(
            TIMEOUT,
            translate("QgisAgent", "It took longer than {} s and was stopped.").format(seconds),
            hint=translate("QgisAgent", "Use fewer features (where) or a smaller area."),
            reason="timeout",
        )
    )


class _Driver:
    """Drives one handler: a plain function at once, a generator from step to step."""

    def __init__(self, calls: Calls, running: RunningCall, generator: Any, tool: Tool) -> None:
        self._calls = calls
        self._running = running
        self._generator = generator
        try:
            if generator is None:
                result = tool.handler(running.call, **running.call.arguments)
                if inspect.isgenerator(result):
                    raise TypeError("handler of {} is a generator but runs on the main thread".format(tool.name))
                self._finish(result)
            else:
                self._resume(None, None)
        except ToolError as error:
            running.fail(error)
        except Exception:  # noqa: BLE001  a fault of ours: the person and the model are told, the log has it
            self._broke()

    def _resume(self, value: Any, error: Optional[BaseException]) -> None:
        if self._running.answered:
            self._generator.close()
            return
        try:
            step = self._generator.throw(error) if error is not None else self._generator.send(value)
        except StopIteration as stop:
            self._finish(stop.value)
            return
        except ToolError as failed:
            self._running.fail(failed)
            return
        except Exception:  # noqa: BLE001  as above
            self._broke()
            return
        self._start(step)

    def _start(self, step: Step) -> None:
        if isinstance(step, ConfirmWrite):
            step.bind(self._calls, self._running)
        step.start(self._running.call.feedback, self._later)

    def _later(self, value: Any, error: Optional[BaseException]) -> None:
        # A task that is added while the task manager is still finishing another one is sometimes never started
        # (seen with QGIS 3.40.6: it stays queued while the thread pool is idle). So go on from the event loop.
        QTimer.singleShot(0, lambda: self._guarded(value, error))

    def _guarded(self, value: Any, error: Optional[BaseException]) -> None:
        try:
            self._resume(value, error)
        except Exception:  # noqa: BLE001  as above; a slot must not raise into Qt
            self._broke()

    def _finish(self, result: Any) -> None:
        call = self._running.call
        if self._running.answered:
            return
        answer = result if isinstance(result, Answer) else Answer(dict(result or {}))
        rows = answer.rows if answer.rows is not None else answer.data.get(answer.rows_key) if answer.rows_key else None

        def keep() -> Optional[str]:
            if rows is None:
                return None
            capability = call.capability
            return call.host.results.put(
                rows,
                tool=call.tool,
                project_id=call.host.project_id(),
                caller=capability.caller,
                session_id=capability.session_id,
            )

        if call.actions:
            call.host.last_action = "{} {}".format(call.actions[-1]["op"], call.arguments.get("layer_id", "")).strip()
        self._running.answer(fit(answer.data, answer.message, answer.rows_key, keep))

    def _broke(self) -> None:
        QgsMessageLog.logMessage(traceback.format_exc(), LOG_TAG, Qgis.MessageLevel.Critical)
        self._running.answer(
            failure(
                UPSTREAM_ERROR,
                translate("QgisAgent", "The tool {} broke.").format(self._running.call.tool),
                hint=translate("QgisAgent", "The log (tab QGIS Agent) has the details; try another way."),
                reason="internal",
            )
        )


def _denied(by: str, effect: str) -> ToolError:
    hints = {
        "plan_mode": translate("QgisAgent", "Plan mode only reads; leave plan mode first."),
        "pack_not_enabled": translate(
            "QgisAgent",
            "A person must switch on writing files first (the box “Allow file export” in the panel, or --allow-write).",
        ),
        "write_without_prepare": translate("QgisAgent", "Writes go through a prepare_ tool."),
    }
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "This is not allowed here ({}).").format(effect),
        hint=hints.get(by, translate("QgisAgent", "A person can raise the permission level in the settings.")),
        reason=by,
    )
