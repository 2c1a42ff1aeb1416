"""Results of calls that have none: what a conversation says of them so that a provider accepts it and the model asks."""

from __future__ import annotations

from ...bridge.envelope import CANCELLED, encode, failure


def not_run_content() -> str:
    """The result of a call that never began."""
    return encode(failure(CANCELLED, "Not run: the run ended before it.", reason="interrupted"))
