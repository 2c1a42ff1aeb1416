"""Handlers of the pack "write": carrying out what was prepared."""

from __future__ import annotations

from typing import Any, Generator

from ...approvals import Pending
from ...call import Call
from ...confirm import committed
from ...work import Answer, Step
from ..registry import tool


@tool("commit_action", effect="write", runs="task")
def commit_action(call: Call, confirm_token: str) -> Generator[Step, Any, Answer]:
    """Carry out a prepared write after a person armed its token."""

    def state_of(pending: Pending) -> str:
        return pending.commit.__self__.state()  # type: ignore[attr-defined]  the bound run() of an _Export

    pending = call.host.ledger.redeem(confirm_token, call.capability, state_of)
    return (yield from committed(call, pending))
