"""Reports of runs that the agent process did not answer: it is gone, or the run was stopped."""

from __future__ import annotations

from ..bridge.messages import RunReport, failed_report
from .errors import CANCELLED, UPSTREAM_ERROR, Envelope, failure
from .i18n import translate


def agent_gone(why: str) -> Envelope:
    """What is told when the agent process is not there; ``why`` where it is known."""
    return failure(
        UPSTREAM_ERROR,
        why or translate("QgisAgent", "The agent process is not there."),
        hint=translate("QgisAgent", "The conversation is kept; send the request again."),
        reason="agent_process",
    )


def stopped_report() -> RunReport:
    """The RunReport of a run that a person stopped."""
    return failed_report(failure(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped"), "interrupted")
