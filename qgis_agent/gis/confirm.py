"""The step between the preview and the commit of a write, and the ways a person's no reaches the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterable, Optional, Protocol, Sequence

from qgis.PyQt.QtCore import QTimer

from .audit import answered_by
from .denials import too_many_questions
from .errors import PERMISSION_DENIED, Envelope, ToolError
from .i18n import translate
from .layers import clean_text
from .work import Answer

if TYPE_CHECKING:
    from .approvals import Card, Pending
    from .call import Call
    from .risk import Risk
    from .work import Step

CLICK_WAIT_S = 25.0
"""Seconds that commit_action waits for the click: hosts give a call a minute, some half of it."""
CLICK_LOOK_MS = 100
MAX_REASON = 300
"""Characters of a person's reason for a no that reach the model."""


class Job(Protocol):
    """A prepared write. ``state`` is a text that changes when what was shown is not true any more; "" for what is gone."""

    def state(self) -> str:
        """See the class."""

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Carry it out and read back what was written. On failure everything is as before."""


class Asking:
    """A step that needs to know the Calls and the RunningCall that it belongs to. While it waits others may write."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._calls: Any = None
        self._running: Any = None

    def bind(self, calls: Any, running: Any) -> None:
        """Called by the driver."""
        self._calls, self._running = calls, running

    def _back(self, then: Callable[[], None]) -> None:
        """It goes on when nobody else writes."""
        self._calls.writers.put(self._running, then)


class AwaitClick(Asking):
    """A client commits while the person still reads: wait a while for the click, so that the client need not come again."""

    def start(self, feedback: Any, done: Callable[[Any, Optional[BaseException]], None]) -> None:
        """See Step."""
        calls, running, ledger = self._calls, self._running, self._calls.host.ledger
        calls.writers.done(running)
        until = ledger.clock() + CLICK_WAIT_S
        timer = QTimer(calls)
        timer.setInterval(CLICK_LOOK_MS)

        def look() -> None:
            pending = ledger.pending(self._token)
            if running.answered:
                timer.stop()
                timer.deleteLater()
                done(None, None)
            elif pending is None or pending.armed or pending.used or ledger.clock() >= until:
                timer.stop()
                timer.deleteLater()
                running.resume_clock()
                self._back(lambda: done(None, None))

        running.stop_clock()
        timer.timeout.connect(look)
        timer.start()


class ConfirmWrite(Asking):
    """The step between preview and commit of a write tool.

    In chat the person decides now: the step gives True after their click, or raises PERMISSION_DENIED. The command line commits
    by token: it gives False unless --approve agrees at once. For an MCP client it gives False at once, and the question stays
    open by itself: a click arms the token, and commit_action writes. With False the handler returns the preview and the token.
    """

    def start(self, feedback: Any, done: Callable[[Any, Optional[BaseException]], None]) -> None:
        """See Step."""
        self._calls.writers.done(self._running)
        if self._running.ruled.caller == "mcp":
            self._ask_apart(done)
        else:
            self._ask(done)

    def _ask_apart(self, done: Callable[[Any, Optional[BaseException]], None]) -> None:
        calls, running, token = self._calls, self._running, self._token
        ledger = calls.host.ledger
        if calls.too_many(running):
            ledger.void(token)
            done(None, too_many_questions())
            return

        def answered(answer: str, _reason: str) -> None:
            if answer == "once" and ledger.pending(token) is not None:
                ledger.arm(token)
            elif answer != "headless":
                ledger.void(token)
                if answer != "no_answer":
                    ledger.denied(running.ruled)
            if not running.ruled.attended:  # the policy of the command line has answered: the preview says what
                done(False, None)

        calls.ask_apart(running, _with_risks(ledger.pending(token).card, running.risks), answered)
        if running.ruled.attended:
            done(False, None)

    def _ask(self, done: Callable[[Any, Optional[BaseException]], None]) -> None:
        ledger = self._calls.host.ledger
        pending = ledger.pending(self._token)

        def agreed() -> None:
            self._running.resume_clock()
            # What the person did while the question was open is theirs: Undo goes back to what is there now.
            self._calls.host.checkpoints.before_change(self._running.call)
            ledger.arm(self._token)
            done(True, None)

        def answered(answer: str, reason: str) -> None:
            self._running.decision = dict(self._running.decision, by=answered_by(answer, self._calls.approver))
            self._running.resume_clock()
            if answer == "once":
                self._back(agreed)
            elif answer == "headless" and self._running.call.capability.caller == "cli":
                done(False, None)
            else:
                ledger.void(self._token)
                if answer != "headless":
                    ledger.denied(self._running.ruled)
                done(None, refused(answer, reason=reason))

        self._calls.ask(self._running, _with_risks(pending.card, self._running.risks), answered)


def _with_risks(card: Card, risks: Iterable[Risk]) -> Card:
    """The card with a line for each risk that it does not name yet."""
    shown = {value for _label, value in card["lines"]}
    more = [[translate("QgisAgent", "Note"), each.words] for each in risks if each.words not in shown]
    return dict(card, lines=card["lines"] + more)


def confirmed(
    call: Call,
    card: Dict[str, Any],
    job: Job,
    *,
    reversible: bool,
    preview: Optional[Callable[[], Answer]] = None,
) -> Generator[Step, Any, Answer]:
    """Show the card, and carry the job out when the person agrees; the preview with its token where they agree later.

    ``preview`` makes what is given back then, in place of the lines of the card; the token is added to it. Every write tool
    goes through here, so that what is shown, what is agreed to and what is carried out is the same job.
    """
    ledger = call.host.ledger
    token = ledger.prepare(
        call.capability, call.tool, call.arguments, state=job.state(), card=card, reversible=reversible, commit=job.run
    )
    agreed = yield ConfirmWrite(token)
    if not agreed:
        answer = preview() if preview is not None else Answer({"effect": _effect(card)})
        pending = ledger.pending(token)
        armed = pending is not None and pending.armed
        data = {"confirm_token": token, "armed": armed, "written": False, **answer.data}
        said = translate("QgisAgent", "Nothing is written yet: a person must agree, then commit_action writes it.")
        if armed:
            said = translate("QgisAgent", "Nothing is written yet: commit_action writes it.")
        return Answer(data, said, rows_key=answer.rows_key, rows=answer.rows)
    pending = ledger.redeem(token, call.capability, lambda _pending: job.state(), call.arguments)
    return (yield from committed(call, pending))


def _effect(card: Card) -> Dict[str, Any]:
    """The lines of a card by their labels; what has the same label is joined."""
    effect: Dict[str, Any] = {}
    for label, value in card["lines"]:
        effect[label] = value if label not in effect else "{}; {}".format(effect[label], value)
    return effect


def committed(call: Call, pending: Pending) -> Generator[Step, Any, Answer]:
    """Carry out a prepared write whose token has been redeemed."""
    answer: Answer = yield from pending.commit(call)
    return answer


def with_written(envelope: Envelope, written: Sequence[str]) -> Envelope:
    """A failed envelope that says what was written before: a caller that stops a write too late must not hear "stopped"."""
    if not written:
        return envelope
    text = translate("QgisAgent", "{} What was written before stays: {}.")
    return dict(envelope, message=text.format(envelope["message"], "; ".join(written)))


def refused(answer: str, host: str = "", reason: str = "") -> ToolError:
    """The person said no (or "session", which no write takes), did not answer, or nobody is there.

    ``host`` (with its port) is the one that was to be asked over the network; ``reason`` are the person's own words.
    """
    if answer == "headless" and host:
        return ToolError(
            PERMISSION_DENIED,
            translate("QgisAgent", "Nobody is here to agree to this."),
            hint=translate("QgisAgent", "Run again with --allow-network {}, or in QGIS.").format(clean_text(host, 120)),
            reason="headless",
        )
    if answer == "headless":
        return ToolError(
            PERMISSION_DENIED,
            translate("QgisAgent", "Nobody is here to agree to this."),
            hint=translate(
                "QgisAgent",
                "Run again with --approve (--allow-write DIR for files, --allow-network HOST for services), or in QGIS.",
            ),
            reason="headless",
        )
    if answer == "no_answer":
        return ToolError(
            PERMISSION_DENIED,
            translate("QgisAgent", "The question was not answered."),
            hint=translate("QgisAgent", "Ask again when you want it; a new question is shown."),
            reason="no_answer",
        )
    words = clean_text(reason, MAX_REASON)
    message = translate("QgisAgent", "You did not allow this.")
    if words:
        message = translate("QgisAgent", "You did not allow this, and said: {}").format(words)
    return ToolError(
        PERMISSION_DENIED,
        message,
        hint=translate("QgisAgent", "Do not try it again; say what else can be done."),
        reason="denied",
    )
