"""The boundary: who may do what. Every tool call of every caller is decided here, on the QGIS side.

A run gets a *capability* from QGIS; a call without one is FORBIDDEN. ``Ledger.decide`` applies, in this order: plan mode, the
person's rule for the tool, the table of levels over effects (design section 8), the risk of the call, what untrusted text was
read before, and the grants. Deny before ask before allow. What it answers with "ask" goes to an Approver: a dialog in QGIS,
or the command line's --approve. A write is prepared first (``tokens.py``), and only a person's click commits one.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Protocol, Tuple

from ..bridge.requested import HOST, NOTE, WRITE
from .approved_plan import ApprovedPlan
from .errors import FORBIDDEN, ToolError
from .grants import GRANTABLE, NOTHING_IN_PARTICULAR, SESSION, Grant, GrantStore, Target
from .i18n import translate
from .rules import AS_LEVEL, ASK, Rules
from .tokens import TOKEN_TTL_S, Card, Pending, Tokens, digest

__all__ = [
    "ANSWERS",
    "LEVELS",
    "NO_ANSWER_S",
    "TOKEN_TTL_S",
    "Approver",
    "CallFacts",
    "Capability",
    "Card",
    "Decision",
    "Grant",
    "Ledger",
    "Pending",
    "digest",
]

LEVELS: Dict[str, Dict[str, str]] = {
    "read_only": {
        "read": "allow",
        "view": "ask",
        "create": "ask",
        "network": "deny",
        "write": "deny",
        "execute": "deny",
    },
    "safe_write": {
        "read": "allow",
        "view": "allow",
        "create": "allow",
        "network": "ask",
        "write": "click",
        "execute": "ask",
    },
    "full_access": {
        "read": "allow",
        "view": "allow",
        "create": "allow",
        "network": "ask",
        "write": "click",
        "execute": "ask",
    },
}
"""Level -> effect -> allow, ask (a grant can answer it), click (each call; no grant covers it) or deny."""
STRICTNESS = ("allow", "ask", "click", "deny")

NO_ANSWER_S = 120.0
ANSWERS = ("once", "session", "always", "deny", "no_answer", "headless")
"""What an Approver's ``answer`` is called with; "headless" says that nobody is there."""
MOST_DENIALS = 3
"""After so many denials in a run nobody is asked any more."""
DENIALS_S = 600.0
"""An MCP client has no runs that end: its denials are forgotten after this."""
SHOWN = ("chat", "mcp")
"""Callers whose questions a person in QGIS sees."""
OUTSIDE = ("network", "write", "execute")
"""Effects that leave the map: once text of others was read, they need the person's own words, or the person."""
NOTE_TOOL = "prepare_note"
"""Writes what later runs read: a click is not enough where data may have put the words into the model's mouth."""
COMMIT_TOOL = "commit_action"
"""Carries out what a person clicked, and nothing else: its token is worth nothing without the click (tokens.py)."""
ASK_FOR_READS_TOO = "rule"
"""A reason of the agent's profile: its rule may name a tool that only reads. The other reasons say nothing about a read."""
NO_REASON = ("", "level")
"""Reasons of the agent that add nothing: its own table says "ask" where this one does."""
CHECK_FAILED = "check_failed"


class Approver(Protocol):
    """Asks a person, without blocking. One whose attribute ``unattended`` is true stands for nobody (the command line)."""

    def ask(self, card: Card, answer: Callable[..., None]) -> Callable[[], None]:
        """Show ``card``; ``answer(said, reason="")`` is called once, later, with one of ANSWERS and, for a deny, the
        person's own words. Returns a function that withdraws the question."""


@dataclass(frozen=True)
class Capability:
    """What QGIS lets a caller do. Its ``token`` is the only part that the agent process knows.

    ``within`` are levels of others that bind it too: the session's, for a sub-agent and an MCP client. ``requested`` is what
    the person's own words ask for (bridge/requested.py). ``attended``: a person sits before the questions of this run.
    """

    token: str
    caller: str
    level: str
    session_id: str
    run_id: str
    project_id: str
    plan_mode: bool = False
    enabled_packs: FrozenSet[str] = frozenset()
    within: Tuple[str, ...] = ()
    requested: FrozenSet[str] = frozenset()
    attended: bool = True
    plan: Optional[ApprovedPlan] = None
    words: str = ""
    """What the person said to begin the run, as they said it; for cards."""
    client: str = ""
    """What the person calls the MCP client, cleaned; "" for all others."""

    def as_caller(self, caller: str, level: str = "") -> Capability:
        """The same for another caller that works inside this one: never more than this, and with no grant of this one's."""
        return replace(self, caller=caller, level=level or self.level, within=(*self.within, self.level))

    @property
    def alone(self) -> bool:
        """Whether nobody can judge by looking: callers that no question of is shown for, and all on the command line."""
        return self.caller not in SHOWN or not self.attended


@dataclass(frozen=True)
class CallFacts:
    """What one call is: all that ``decide`` looks at besides the capability.

    ``each_time``: the arguments made the call graver than its tool is. ``ask_reason``: why the agent's own policy wants the
    person asked. ``risks``: short ids of gis/risk.py. ``deviates``: the call is not in the plan that the person approved.
    """

    tool: str
    effect: str
    pack: str = "default"
    target: Target = NOTHING_IN_PARTICULAR
    origin: str = "native"
    ask_reason: str = ""
    risks: Tuple[str, ...] = ()
    each_time: bool = False
    tainted: bool = False
    requested: FrozenSet[str] = frozenset()
    algorithm: str = ""
    deviates: bool = False

    @property
    def wanted(self) -> bool:
        """Whether the person's own words ask for this: a write, a note, or this very host. Code never."""
        if self.effect == "network":
            host = self.target.value
            plain, _, port = host.rpartition(":")
            return HOST + host in self.requested or (port in ("80", "443") and HOST + plain in self.requested)
        return self.effect == "write" and (NOTE if self.tool == NOTE_TOOL else WRITE) in self.requested


@dataclass(frozen=True)
class Decision:
    """Outcome of ``decide``: allow, ask, click or deny, and what made it."""

    outcome: str
    by: str
    effect: str


@dataclass
class Ledger(Tokens):
    """Capabilities, grants and tokens of one QGIS. Nothing in it can be made or changed from the agent process.

    Lives on the main thread. ``grants`` and ``rules`` are read anew with every decision.
    """

    clock: Callable[[], float] = time.monotonic
    grants: GrantStore = field(default_factory=GrantStore)
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        super().__init__(self.clock)
        self._capabilities: Dict[str, Capability] = {}
        self._denials: Dict[str, List[float]] = {}
        self._used: Dict[str, float] = {}
        """When each capability was last shown, by its token."""

    # capabilities

    def issue(
        self, *, caller: str, level: str, session_id: str, run_id: str, project_id: str, **more: Any
    ) -> Capability:
        """A capability for one run; ``more`` are further fields of Capability. ValueError for an unknown level."""
        for each in (level, *more.get("within", ())):
            if each not in LEVELS:
                raise ValueError("unknown level {!r}".format(each))
        capability = Capability(secrets.token_urlsafe(24), caller, level, session_id, run_id, project_id, **more)
        self._capabilities[capability.token] = capability
        self._used[capability.token] = self.clock()
        self._denials.pop(run_id, None)
        return capability

    def revoke(self, capability: Capability) -> None:
        """The run has ended: its capability is worth nothing now."""
        self._capabilities.pop(capability.token, None)
        self._used.pop(capability.token, None)
        self._denials.pop(capability.run_id, None)

    def capability(self, token: Any, project_id: str) -> Capability:
        """The capability of a token. FORBIDDEN when it is unknown, ended, or of another project."""
        found = self._capabilities.get(token) if isinstance(token, str) else None
        if found is None or found.project_id != project_id:
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "This call does not belong to a run that QGIS started."),
                hint=translate("QgisAgent", "Send the request again from QGIS."),
                reason="capability",
            )
        self._used[found.token] = self.clock()
        return found

    def idle_s(self, capability: Capability) -> float:
        """Seconds since something was asked with a capability."""
        return self.clock() - self._used.get(capability.token, self.clock())

    def stands(self, capability: Capability) -> bool:
        """Whether the run of a capability goes on: what it asked is not answered any more once it has ended."""
        return self._capabilities.get(capability.token) is capability

    # decisions

    def decide(self, capability: Capability, facts: CallFacts) -> Decision:
        """Rule on one call. What is not in the table is denied, and so is what could not be checked."""
        level, base = _by_level(capability, facts.effect)
        rule = self.rules.of(facts.tool, facts.algorithm)
        denied = _denied_by(capability, facts, rule, base, level)
        if denied:
            return Decision("deny", denied, facts.effect)
        each = _asked_each_time(facts, rule)
        if each:
            outcome, by = max(base, "ask", key=STRICTNESS.index), each
        elif base == "ask" and not facts.each_time and self.granted(capability, facts) is not None:
            outcome, by = "allow", "grant"
        else:
            outcome, by = base, level
        if outcome != "allow" and self.denials(capability) >= MOST_DENIALS:
            return Decision("deny", "too_many_denials", facts.effect)
        return Decision(outcome, by, facts.effect)

    def denied(self, capability: Capability) -> None:
        """A call of this run was denied, by a person or by a rule: it counts for the breaker."""
        self._denials.setdefault(capability.run_id, []).append(self.clock())

    def denials(self, capability: Capability) -> int:
        """How many calls of this run were denied; of an MCP client, how many of the last ten minutes."""
        since = self.clock() - DENIALS_S if capability.caller == "mcp" else float("-inf")
        return sum(each > since for each in self._denials.get(capability.run_id, ()))

    # grants

    def grant(self, capability: Capability, facts: CallFacts, lifetime: str = SESSION) -> Optional[Grant]:
        """A person chose "this session" or "always here". None for what no grant may answer: then it was for once."""
        if facts.effect not in GRANTABLE or facts.each_time:
            return None
        try:
            return self.grants.add(**_granted_for(capability, facts), lifetime=lifetime)
        except ValueError:  # a target without a name: what was agreed to is this one call
            return None

    def granted(self, capability: Capability, facts: CallFacts) -> Optional[Grant]:
        """The grant that answers this ask."""
        return self.grants.matching(**_granted_for(capability, facts))

    # ends

    def session_ended(self, session_id: str) -> None:
        """A conversation is over: its grants end."""
        self.grants.session_ended(session_id)

    def project_changed(self) -> None:
        """Another project, or none: capabilities, session grants and tokens all end."""
        self._capabilities.clear()
        self._used.clear()
        self._denials.clear()
        self.grants.project_changed()
        self.void_all()


def grant_caller(capability: Capability) -> str:
    """Whose a grant is. One MCP client's are not another's."""
    return "mcp:" + capability.session_id if capability.caller == "mcp" else capability.caller


def _granted_for(capability: Capability, facts: CallFacts) -> Dict[str, Any]:
    """What a grant of this call is bound to: the same where it is given and where it is looked for."""
    return {
        "caller": grant_caller(capability),
        "tool": facts.tool,
        "effect": facts.effect,
        "target": facts.target,
        "session": capability.session_id,
        "project_id": capability.project_id,
    }


def _by_level(capability: Capability, effect: str) -> Tuple[str, str]:
    """("level:…", outcome) of the strictest level that binds the caller."""
    found = [(LEVELS.get(each, {}).get(effect, "deny"), each) for each in (capability.level, *capability.within)]
    outcome, level = max(found, key=lambda each: STRICTNESS.index(each[0]))
    return "level:" + level, outcome


def _denied_by(capability: Capability, facts: CallFacts, rule: str, base: str, level: str) -> str:
    """What forbids the call, "" for nothing. A reason that no person can answer comes before any question."""
    effect = facts.effect
    if capability.plan_mode and effect != "read":
        return "plan_mode"
    if rule not in (AS_LEVEL, ASK):
        return "rule"
    if base == "deny":
        return level
    to_disk = effect == "write" and facts.pack != "default"  # notes have a question of their own, and no box
    if (facts.pack == "write" or to_disk) and "write" not in capability.enabled_packs:
        return "pack_not_enabled"
    if CHECK_FAILED in facts.risks:
        return CHECK_FAILED
    if (effect == "execute" or facts.each_time) and capability.caller != "chat":
        return "asked_in_qgis_only"
    if facts.tainted and not facts.wanted and facts.tool != COMMIT_TOOL:
        if effect in OUTSIDE and capability.alone:
            return "tainted"
        if facts.tool == NOTE_TOOL:
            return "tainted_note"
    return ""


def _asked_each_time(facts: CallFacts, rule: str) -> str:
    """Why no earlier answer counts for this call, "" for nothing of the kind."""
    if rule == ASK:
        return "rule"
    if facts.effect == "read":
        return "origin:rule" if facts.ask_reason == ASK_FOR_READS_TOO else ""
    if facts.ask_reason not in NO_REASON or facts.origin != "native":
        return "origin:" + (facts.ask_reason if facts.ask_reason not in NO_REASON else facts.origin)
    if facts.deviates:
        return "plan_deviation"
    if facts.effect in OUTSIDE and facts.tainted and not facts.wanted:
        return "tainted"
    # A grant for a host was given with the risk on its card; the others are risks of this one call.
    return "risk" if facts.risks and facts.effect != "network" else ""
