"""What a call is, for the decision: its target, its risks, where it came from, what was read before it."""

from __future__ import annotations

import re
from typing import Any, Dict, Tuple

from .approvals import CHECK_FAILED, CallFacts, Capability
from .call import Call
from .risk import Risk, risks_of
from .secrets import log_fault
from .targets import target_of

NATIVE = "native"
TAINTED = "tainted"
"""The agent's reason for asking that says that text of others was read."""
REASON = re.compile(r"[a-z_]{1,40}")
"""The agent's reason is an id. It stands in the audit log, where it must not look like anything else."""


def facts_of(
    call: Call, ruled: Capability, effect: str, pack: str, params: Dict[str, Any], each_time: bool
) -> Tuple[CallFacts, Tuple[Risk, ...]]:
    """The facts of a call with its risks in words. A check that breaks is a risk of its own, which refuses.

    ``ruled`` is who the call is ruled on as; ``params`` those of ``tools/call``.
    """
    risks, reasons = _risks(call, effect)
    said = str(params.get("ask_reason") or "")
    ask_reason = said if not said or REASON.fullmatch(said) else "agent"
    facts = CallFacts(
        tool=call.tool,
        effect=effect,
        pack=pack,
        target=target_of(call, effect),
        origin=NATIVE if params.get("origin", NATIVE) == NATIVE else "text",
        ask_reason=ask_reason,
        risks=reasons,
        each_time=each_time,
        # The agent also knows what its own tools (search_layers …) have read: its word can only make it stricter.
        tainted=call.host.taint.tainted(ruled.session_id) or ask_reason == TAINTED,
        requested=ruled.requested,
        algorithm=str(call.arguments.get("algorithm") or "") if call.tool == "run_algorithm" else "",
        deviates=ruled.plan is not None and ruled.plan.deviates(call.tool, effect, call.arguments),
    )
    return facts, risks


def _risks(call: Call, effect: str) -> Tuple[Tuple[Risk, ...], Tuple[str, ...]]:
    try:
        risks = risks_of(call, effect)
    except Exception:  # noqa: BLE001  whatever breaks in a check of permission, the answer is no
        log_fault()
        return (), (CHECK_FAILED,)
    return risks, tuple(each.reason for each in risks)
