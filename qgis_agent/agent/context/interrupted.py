"""Results of calls that have none: what a conversation says of them so that a provider accepts it and the model asks."""

from __future__ import annotations

from ...bridge.envelope import CANCELLED, UPSTREAM_ERROR, Envelope, encode, failure


def interrupted_envelope() -> Envelope:
    """The result of a call that began and whose outcome nobody knows."""
    return failure(
        UPSTREAM_ERROR,
        "interrupted; outcome unknown",
        hint="Verify the state of the map or file before you retry it.",
        reason="interrupted",
    )


def not_run_content() -> str:
    """The result of a call that never began."""
    return encode(failure(CANCELLED, "Not run: the run ended before it.", reason="interrupted"))
