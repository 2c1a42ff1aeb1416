"""Handlers of the pack "write": carrying out what was prepared."""

from __future__ import annotations

from typing import Any, Generator

from ...approvals import NOTE_TOOL, CallFacts, Pending
from ...call import Call
from ...confirm import AwaitClick, committed
from ...denials import denied
from ...work import Answer, Step
from ..registry import tool


@tool("commit_action", effect="write", runs="task")
def commit_action(call: Call, confirm_token: str) -> Generator[Step, Any, Answer]:
    """Carry out a prepared write after a person armed its token."""

    def state_of(pending: Pending) -> str:
        return pending.commit.__self__.state()  # type: ignore[attr-defined]  the bound run() of a job

    prepared = call.host.ledger.pending(confirm_token)
    if prepared is not None and prepared.session_id == call.capability.session_id:
        _require_allowed(call, prepared.tool)
        if call.capability.caller == "mcp" and call.capability.attended and not prepared.armed:
            yield AwaitClick(confirm_token)
    pending = call.host.ledger.redeem(confirm_token, call.capability, state_of)
    return (yield from committed(call, pending))


def _require_allowed(call: Call, tool_name: str) -> None:
    """FORBIDDEN when the tool that prepared the write may not be called any more: a rule came since.

    The call itself was ruled on as commit_action; a rule that names the tool of the write does not speak of that. Data that was
    read since (the preview is some) does not matter: what was clicked is just this write.
    """
    capability = call.capability
    facts = CallFacts(
        tool=tool_name,
        effect="write",
        pack="default" if tool_name == NOTE_TOOL else "write",
        requested=capability.requested,
    )
    decision = call.host.ledger.decide(capability, facts)
    if decision.outcome == "deny":
        call.host.audit.decision(call, "write", decision.outcome, decision.by)
        raise denied(decision.by, "write")
