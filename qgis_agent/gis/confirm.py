"""The step between the preview and the commit of a write, and the ways a person's no reaches the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterable, Optional, Protocol, Sequence

from .audit import answered_by
from .errors import PERMISSION_DENIED, Envelope, ToolError
from .i18n import translate
from .layers import clean_text
from .work import Answer

if TYPE_CHECKING:
    from .approvals import Card, Pending
    from .call import Call
    from .risk import Risk
    from .work import Step

MAX_REASON = 300
"""Characters of a person's reason for a no that reach the model."""


class Job(Protocol):
    """A prepared write. ``state`` is a text that changes when what was shown is not true any more; "" for what is gone."""

    def state(self) -> str:
        """See the class."""

    def run(self, call: Call) -> Generator[Step, Any, Answer]:
        """Carry it out and read back what was written. On failure everything is as before."""


class ConfirmWrite:
    """The step between preview and commit of a write tool.

    In chat the person decides now: the step gives True after their click, or raises PERMISSION_DENIED. For callers that
    commit by token (command line, MCP) it gives False unless the approver agrees at once: the handler then returns the
    preview with its token.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._calls: Any = None
        self._running: Any = None

    def bind(self, calls: Any, running: Any) -> None:
        """Called by the driver with the Calls and the RunningCall that it belongs to."""
        self._calls, self._running = calls, running

    def start(self, feedback: Any, done: Callable[[Any, Optional[BaseException]], None]) -> None:
        """See Step."""
        ledger = self._calls.host.ledger
        pending = ledger.pending(self._token)

        def answered(answer: str, reason: str) -> None:
            self._running.decision = dict(self._running.decision, by=answered_by(answer, self._calls.approver))
            self._running.resume_clock()
            if answer == "once":
                # What the person did while the question was open is theirs: Undo goes back to what is there now.
                self._calls.host.checkpoints.before_change(self._running.call)
                ledger.arm(self._token)
                done(True, None)
            elif answer == "headless" and self._running.call.capability.caller in ("cli", "mcp"):
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
        data = {"confirm_token": token, "armed": False, "written": False, **answer.data}
        said = translate("QgisAgent", "Nothing is written yet: a person must agree, then commit_action writes it.")
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
