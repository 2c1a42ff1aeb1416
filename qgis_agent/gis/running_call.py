"""A call that is under way: its answer, given once, and its clock, which stands while a person is asked."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional, Tuple

from qgis.PyQt.QtCore import QObject, QTimer

from ..bridge.envelope import Envelope
from .approvals import CallFacts, Capability
from .call import Call
from .confirm import with_written
from .errors import ToolError
from .journal import Entry
from .results import fit_failure
from .risk import Risk
from .secrets import REDACTOR
from .work import Step, cancelled

Outcome = Dict[str, Any]
OnOutcome = Callable[[Outcome], None]


class RunningCall:
    """A call that is under way. ``cancel`` ends it with CANCELLED."""

    def __init__(self, call: Call, finish: OnOutcome, owner: QObject) -> None:
        self.call = call
        self._owner = owner
        self.effect = ""
        self.decision: Dict[str, Any] = {}
        self.started = time.monotonic()
        self.each_time = False
        """Whether a person is asked about this very call, whatever was granted before."""
        self.answered = False
        self.ruled: Capability = call.capability
        """Who the call is ruled on as: the run itself, or its sub-agent."""
        self.facts: Optional[CallFacts] = None
        self.risks: Tuple[Risk, ...] = ()
        self.entry: Optional[Entry] = None
        """Where the outcome of a changing call is kept."""
        self.withdraw: Optional[Callable[[], None]] = None
        self.own_clock: Optional[Tuple[float, Callable[[], None]]] = None
        self.step: Optional[Step] = None
        """What runs for it now."""
        self.on_answered: Optional[Callable[[], None]] = None
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
        if self.on_answered is not None:
            self.on_answered()
        call = self.call
        outcome = {
            "envelope": envelope if envelope["ok"] else fit_failure(with_written(envelope, call.written)),
            "actions": call.actions if envelope["ok"] else [],
            "legend": call.legend if envelope["ok"] else [],
            "evidence": call.evidence if envelope["ok"] else [],
            "recipes": list(call.recipes) if envelope["ok"] else [],
            "decision": dict(self.decision, effect=self.effect),
            "ms": round((time.monotonic() - self.started) * 1000),
        }
        self._finish(REDACTOR.strings(outcome))

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
