"""Carries out tool calls: check, decide, ask, run, bound, answer. The one way in for every caller.

A call ends within half a second of Stop or of its timeout. What cannot be interrupted is *detached*: its call has been
answered, its result is dropped when it comes. A changing call is done once: when it is asked for again (the line broke after
it was done), the outcome of the first time is the answer.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import QObject, pyqtSignal

from .approvals import CHECK_FAILED, NO_ANSWER_S, Approver, CallFacts, Capability, Decision
from .at_home import conversations
from .at_home import projection as at_home
from .at_home.report import Kept
from .audit import answered_by
from .call import Call
from .cards import permission_card
from .confirm import refused
from .contracts import Contracts
from .denials import COUNTED_LEVEL, COUNTS, denied, too_many_questions
from .driver import Driver, named_layers
from .errors import CANCELLED, FORBIDDEN, TIMEOUT, ToolError, failure, success
from .facts import facts_of
from .grants import ALWAYS, GRANTABLE, SESSION
from .host import Host
from .i18n import translate
from .journal import Journal
from .questions import MAX_WAITING, MCP_WAITING, AskRate, Questions
from .running_call import OnOutcome, Outcome, RunningCall
from .secrets import REDACTOR, log_fault
from .tools.registry import EFFECTS, Tool, load_all
from .work import cancelled
from .writers import Writers


class Calls(QObject):
    """Runs tool calls on a host. Lives on the main thread.

    ``progressed(call_id, tool, percent)`` tells how far a long step is, ``held(call_id, tool, holds)`` that a call is about to
    hold the main thread, and that it no longer does; what runs on after Stop is in ``host.detached``. ``began(call_id, tool)``:
    it is carried out from now on, and ``cancel_call`` can end it. ``ended(call_id, tool, {envelope, evidence, recipes})`` is for
    a person who looks closer: what was answered, and the analysis as Python.
    """

    began = pyqtSignal(str, str)
    progressed = pyqtSignal(str, str, int)
    held = pyqtSignal(str, str, bool)
    ended = pyqtSignal(str, str, dict)

    def __init__(
        self, host: Host, approver: Approver, contracts: Optional[Contracts] = None, parent: Optional[QObject] = None
    ) -> None:
        super().__init__(parent)
        self.host = host
        self.approver = approver
        self.contracts = contracts or Contracts()
        self._tools = load_all()
        self._running: List[RunningCall] = []
        self._left = False
        """Whether the last question was left unanswered, and nothing was called since."""
        self._journal = Journal()
        self._questions = Questions()
        self._ask_rate = AskRate()
        self.writers = Writers(self)
        self.kept = Kept()
        host.project.layersWillBeRemoved.connect(self._layers_go)

    def start(self, params: Dict[str, Any], finish: OnOutcome) -> Optional[RunningCall]:
        """Start a ``tools/call``. ``finish`` gets the ToolOutcome once, perhaps before this returns."""

        def finished(outcome: Outcome) -> None:
            if running in self._running:
                self._running.remove(running)
            self.writers.done(running)
            if running.entry is not None:
                running.entry.outcome = outcome
            self.host.checkpoints.after_change(running.call)
            self.host.note_change(running.effect)
            self._heard(running, outcome)
            # What decided stands there as it is: what goes out is redacted, and may have lost a word.
            decided = dict(running.decision, effect=running.effect) if running.decision else outcome["decision"]
            self.host.audit.call(running.call, dict(outcome, decision=decided))
            sent = self._as_sent(outcome, running.call.tool, running.call.arguments)
            self.kept.note(running.call.capability.run_id, running.call.call_id, outcome, sent)
            finish(sent)
            self._tell_end(running.call, outcome)
            self._questions.done(_line(running), running)

        nobody = Capability("", "", "read_only", "", "", "")
        running = RunningCall(
            Call(self.host, nobody, str(params.get("name")), {}, str(params.get("call_id"))), finished, self
        )
        self._running.append(running)
        self._left = False
        try:
            self._admit(running, params)
        except ToolError as error:
            running.fail(error)
        except Exception:  # noqa: BLE001  whatever breaks on the way to a permission, the answer is no
            log_fault()
            running.fail(denied(CHECK_FAILED, running.effect or "read"))
        return None if running.answered else running

    def outcome_of(self, params: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to ``calls/outcome``: {known, outcome?}. Nothing is known to a caller without a capability."""
        try:
            capability = self.host.ledger.capability(params.get("capability"), self.host.project_id())
        except ToolError:
            return {"known": False}
        found = self._journal.outcome(capability, str(params.get("run_id")), str(params.get("call_id")))
        if found is None:
            return {"known": False}
        tool, outcome = found
        return {"known": True, "outcome": self._as_sent(outcome, tool, {})}

    def _as_sent(self, outcome: Outcome, tool: str, arguments: Dict[str, Any]) -> Outcome:
        """The outcome as its caller gets it: without attribute values where the person keeps them at home."""
        return at_home.projected(outcome, tool, arguments, self.host) if at_home.wanted() else outcome

    def cancel_all(self) -> None:
        """End every call that is under way: Stop, another project, or the end of the agent process."""
        for each in list(self._running):
            each.cancel()

    def leave_unanswered(self) -> bool:
        """QGIS or the project closes: open questions end as not answered, so that the run waits for the person's next words (X-7).

        Whether the run has such an answer now: it ends by itself.
        """
        for each in [each for each in self._running if each.withdraw is not None]:
            each.fail(refused("no_answer"))
            self._left = True
        return self._left

    def cancel_call(self, capability: Capability, call_id: str) -> bool:
        """A person cancels one call of a run, which goes on: the model is told who it was. False when it is not under way."""
        for each in list(self._running):
            if each.call.capability is capability and each.call.call_id == call_id:
                each.call.feedback.cancel()
                each.fail(cancelled_by_person())
                return True
        return False

    def end_run(self, capability: Capability) -> None:
        """A run has ended: what it still has under way ends, and its questions are withdrawn."""
        self._left = False
        for each in list(self._running):
            if each.call.capability is capability:
                each.cancel()

    def _layers_go(self, layer_ids: List[str]) -> None:
        """A layer is taken out of the project: the calls that were given it end, before it is gone under them.

        All at once, as a project that closes does it: what asks about them was not answered.
        """
        if set(layer_ids) >= set(self.host.project.mapLayers()):
            self.leave_unanswered()
        for running in list(self._running):
            gone = set(layer_ids) - running.call.removing
            used = named_layers(running.call.arguments) + running.call.uses
            named = [each for each in used if self._id_of(each) in gone]
            reading = gone & set(getattr(running.step, "layer_ids", ()))
            named += [self.host.layers.alias(layer) for layer in map(self.host.project.mapLayer, reading) if layer]
            if named:
                running.call.feedback.cancel()
                running.fail(_layer_removed(named[0]))

    def _tell_end(self, call: Call, outcome: Outcome) -> None:
        told = {key: outcome[key] for key in ("envelope", "evidence", "recipes")}
        self.ended.emit(call.call_id, call.tool, told)

    def _id_of(self, alias: str) -> str:
        layer = self.host.layers.by_alias(alias)
        return layer.id() if layer is not None else ""

    def _admit(self, running: RunningCall, params: Dict[str, Any]) -> None:
        capability = self.host.ledger.capability(params.get("capability"), self.host.project_id())
        contract = self.contracts.get(params.get("name"))
        arguments = self.contracts.checked(contract["name"], params.get("arguments"))
        tool = self._tools.get(contract["name"])
        ruled = capability
        if params.get("caller") == "subagent" and capability.caller == "chat":  # it can only lose by saying so
            ruled = capability.as_caller("subagent")
        if tool is None or ruled.caller not in contract["callers"]:
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "The tool {} is not offered here.").format(contract["name"]),
                hint=translate("QgisAgent", "Use another tool."),
                reason="not_offered",
            )
        call = Call(self.host, capability, tool.name, arguments, str(params.get("call_id")))
        running.call, running.ruled = call, ruled
        running.effect = max(tool.effect, contract["effect"], key=EFFECTS.index)
        running.each_time = _raise_effect(running, tool)
        if running.effect != "read":
            entry = self._journal.begin(call)
            if entry.outcome is not None:
                running.repeat(entry.outcome)
                return
            running.entry = entry
        running.facts, running.risks = facts_of(
            call, ruled, running.effect, contract["pack"], params, running.each_time
        )
        decision = self._decided(running, running.facts)
        if running.each_time:
            self._ask(running, tool, contract, decision)
            return
        if decision.outcome == "click" and not (tool.name.startswith("prepare_") or tool.name == "commit_action"):
            raise denied("write_without_prepare", running.effect)
        if decision.outcome == "ask":
            self._ask(running, tool, contract, decision)
        else:
            self._run(running, tool, contract)

    def _decided(self, running: RunningCall, facts: CallFacts) -> Decision:
        """The decision on a call that is not denied. FORBIDDEN for one that is."""
        decision = self.host.ledger.decide(running.ruled, facts)
        running.decision = {"decision": decision.outcome, "by": decision.by}
        self.host.audit.decision(running.call, running.effect, decision.outcome, decision.by, words=facts.risks)
        if decision.outcome == "deny":
            if decision.by in COUNTS or decision.by.startswith(COUNTED_LEVEL):
                self.host.ledger.denied(running.ruled)
            raise denied(decision.by, running.effect)
        return decision

    def _heard(self, running: RunningCall, outcome: Outcome) -> None:
        """A result goes out: text of others in it taints the session; a step of a plan that made a layer has done so; with its
        values, the conversation holds some from now on, whatever its run began as."""
        call, envelope = running.call, outcome["envelope"]
        if not at_home.wanted():
            conversations.note_run(call.capability.session_id, False)
        if call.capability.token:
            self.host.taint.note(call.capability.session_id, call.tool, envelope, named_layers(call.arguments))
        if call.capability.plan is not None:
            call.capability.plan.settled(call.tool, call.arguments, envelope)

    def _ask(self, running: RunningCall, tool: Tool, contract: Dict[str, Any], decision: Decision) -> None:
        ledger, facts = self.host.ledger, running.facts
        if facts is None:
            raise RuntimeError("asked about a call without facts")
        once_only = running.each_time or not decision.by.startswith("level:") or running.effect not in GRANTABLE
        card = permission_card(
            running.call,
            running.effect,
            each_time=once_only,
            risks=[each.words for each in running.risks],
            always=not once_only and ledger.grants.can_keep(facts.target),
        )

        def answered(answer: str, reason: str) -> None:
            if running.answered:
                return
            running.decision = dict(running.decision, by=answered_by(answer, self.approver))
            if answer in (SESSION, ALWAYS) and not once_only:
                ledger.grant(running.ruled, facts, answer)
            if answer in ("once", SESSION, ALWAYS):
                self._run(running, tool, contract)
            else:
                if answer != "headless":
                    ledger.denied(running.ruled)
                running.fail(refused(answer, str(card.get("host") or ""), reason))

        def settled() -> bool:
            """Whether what was answered while this question waited has answered it too."""
            try:
                again = self._decided(running, facts)
            except ToolError as error:
                running.fail(error)
                return True
            except Exception:  # noqa: BLE001  as in ``start``
                log_fault()
                running.fail(denied(CHECK_FAILED, running.effect))
                return True
            if again.outcome == "allow" and not running.each_time:
                self._run(running, tool, contract)
                return True
            return False

        self.ask(running, card, answered, settled)

    def ask(
        self,
        running: RunningCall,
        card: Dict[str, Any],
        answered: Callable[[str, str], None],
        settled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Ask the person; no answer in 120 s counts as no. A caller has one open question at a time.

        ``answered`` gets what was said and the person's reason. ``settled`` is asked when a question has had to wait.
        """
        running.stop_clock()
        waited = bool(self._questions.open(_line(running)))
        if self.too_many(running):
            running.fail(too_many_questions())
            return
        if self._limits(running):
            self._ask_rate.note(running.ruled.session_id)

        def begin() -> None:
            try:
                if running.answered or (waited and settled()):
                    self._questions.done(_line(running), running)
                else:
                    self._put(running, card, answered)
            except Exception:  # noqa: BLE001  as in ``start``: a question that cannot be put is answered with no
                log_fault()
                running.fail(denied(CHECK_FAILED, running.effect))

        self._questions.put(_line(running), running, begin)

    def too_many(self, running: RunningCall) -> bool:
        """Whether the caller may not ask anything more now."""
        if self._limits(running) and self._ask_rate.full(running.ruled.session_id):
            return True
        most = MCP_WAITING if running.ruled.caller == "mcp" else MAX_WAITING
        return self._questions.waiting(_line(running)) >= most

    def _limits(self, running: RunningCall) -> bool:
        """Whether it counts how often the caller asks: a program, a person."""
        return running.ruled.caller == "mcp" and running.ruled.attended

    def ask_apart(self, running: RunningCall, card: Dict[str, Any], answered: Callable[[str, str], None]) -> None:
        """Ask about a write that ``running`` has prepared. The question stays open when that call has its answer, as a call of
        its own: it ends with the capability, the project and the layers that it names. ``answered`` is called once, with
        "no_answer" where it ends so."""
        said: List[str] = []

        def finish(_outcome: Outcome) -> None:
            if question in self._running:
                self._running.remove(question)
            self._questions.done(_line(question), question)
            tell("no_answer", "")

        def tell(answer: str, reason: str) -> None:
            if not said:
                said.append(answer)
                answered(answer, reason)

        def settled(answer: str, reason: str) -> None:
            tell(answer, reason)
            question.answer(success({}))

        prepared = running.call
        call = Call(self.host, prepared.capability, prepared.tool, prepared.arguments, prepared.call_id)
        question = RunningCall(call, finish, self)
        question.ruled, question.effect, question.decision = running.ruled, running.effect, running.decision
        self._running.append(question)
        self.ask(question, card, settled)

    def _put(self, running: RunningCall, card: Dict[str, Any], answered: Callable[[str, str], None]) -> None:
        state = {"open": True}

        def once(answer: str, reason: str = "") -> None:
            if not state["open"]:
                return
            state["open"] = False
            running.withdraw = None
            running.stop_clock()
            if not self.host.ledger.stands(running.call.capability):
                running.fail(cancelled())  # its run has ended: a click on what it left open does nothing any more
                return
            self.host.audit.answer(running.call, running.effect, card, answer, reason, self.approver)
            try:
                answered(answer, reason)
            finally:
                self._questions.done(_line(running), running)

        def too_late() -> None:
            if running.withdraw is not None:
                running.withdraw()
            once("no_answer")

        running.start_clock(NO_ANSWER_S, too_late)
        withdraw = self.approver.ask(REDACTOR.strings(card), once)
        if state["open"]:
            running.withdraw = withdraw

    def _run(self, running: RunningCall, tool: Tool, contract: Dict[str, Any]) -> None:
        if running.effect == "read":
            self._begin(running, tool, contract)
        else:
            running.stop_clock()
            self.writers.put(running, lambda: self._begin(running, tool, contract))

    def _begin(self, running: RunningCall, tool: Tool, contract: Dict[str, Any]) -> None:
        if running.answered:
            return
        if running.effect != "read":
            self.host.note_change(running.effect)
            self.host.checkpoints.before_change(running.call)
        running.own_clock = (contract["timeout_s"], lambda: timed_out(running, contract["timeout_s"]))
        running.resume_clock()
        self.began.emit(running.call.call_id, running.call.tool)
        Driver(self, running, tool)


def _layer_removed(alias: str) -> ToolError:
    return ToolError(
        CANCELLED,
        translate("QgisAgent", "The layer '{}' was removed from the project meanwhile.").format(alias),
        hint=translate("QgisAgent", "Look at the layers again, or ask the person."),
        reason="layer_removed",
    )


def cancelled_by_person() -> ToolError:
    """The answer to a call that a person cancelled while its run goes on."""
    return ToolError(
        CANCELLED,
        translate("QgisAgent", "The person cancelled this step."),
        hint=translate("QgisAgent", "Do not run it again unasked. Go on without it, and say what is missing."),
        reason="person",
    )


def _raise_effect(running: RunningCall, tool: Tool) -> bool:
    """Raise the effect of a call by its arguments; whether a person is asked about this very call.

    What refuses the call raises; a check that breaks refuses it too.
    """
    if tool.effect_of is None:
        return False
    try:
        effect = tool.effect_of(running.call, running.call.arguments)
    except ToolError:
        raise
    except Exception as error:
        log_fault()
        raise denied(CHECK_FAILED, running.effect) from error
    raised = EFFECTS.index(effect) > EFFECTS.index(running.effect)
    running.effect = max(running.effect, effect, key=EFFECTS.index)
    return raised and running.effect in ("write", "execute")


def _line(running: RunningCall) -> Tuple[str, str]:
    """Whose questions a call's question waits for."""
    if running.ruled.caller == "mcp":
        return "mcp", "mcp"
    return running.ruled.session_id, running.ruled.caller


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
