"""The boundary: who may do what. Every tool call of every caller is decided here, on the QGIS side.

A run gets a *capability* from QGIS; a call without one is FORBIDDEN. ``decide`` applies the table of levels over effects
(design section 8). What it answers with "ask" goes to an Approver: a dialog in QGIS, or the command line's --approve.
A write is prepared first; the token between preview and commit is made, armed and checked here, and only a person's
click (or --approve) arms one.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Protocol, Tuple

from ..bridge.envelope import encode
from .errors import CONFIRM_REQUIRED, FORBIDDEN, ToolError
from .i18n import translate

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

TOKEN_TTL_S = 300.0
NO_ANSWER_S = 120.0
ANSWERS = ("once", "session", "deny", "no_answer")

Card = Dict[str, Any]


class Approver(Protocol):
    """Asks a person, without blocking."""

    def ask(self, card: Card, answer: Callable[[str], None]) -> Callable[[], None]:
        """Show ``card``; ``answer`` is called once, later, with one of ANSWERS. Returns a function that withdraws it."""


@dataclass(frozen=True)
class Capability:
    """What QGIS lets a caller do. Its ``token`` is the only part that the agent process knows."""

    token: str
    caller: str
    level: str
    session_id: str
    run_id: str
    project_id: str
    plan_mode: bool = False
    enabled_packs: FrozenSet[str] = frozenset()


@dataclass(frozen=True)
class Grant:
    """A permission that a person gave for this session: {caller, tool, target, project}. It answers asks, never clicks."""

    caller: str
    tool: str
    target: str
    project_id: str
    session_id: str


@dataclass
class Pending:
    """A prepared write: what it does, bound to everything that it was previewed with."""

    tool: str
    arguments_digest: str
    caller: str
    session_id: str
    project_id: str
    state: str
    until: float
    commit: Callable[[], Any]
    card: Card
    reversible: bool
    armed: bool = False
    used: bool = False


@dataclass(frozen=True)
class Decision:
    """Outcome of ``decide``: allow, ask, click or deny, and the rule that made it."""

    outcome: str
    by: str
    effect: str


ASK_EACH_TIME = ("tainted", "recovered_from_text", "risky_path", "rule")
"""Reasons of the agent's policy that turn an allowed change into a question, each time."""
ASK_FOR_READS_TOO = "rule"
"""The profile's own rule: it may name a tool that only reads. The other reasons say nothing about a read."""


@dataclass
class Ledger:
    """Capabilities, grants and tokens of one QGIS. Nothing in it can be made or changed from the agent process."""

    clock: Callable[[], float] = time.monotonic
    _capabilities: Dict[str, Capability] = field(default_factory=dict)
    _grants: List[Grant] = field(default_factory=list)
    _pending: Dict[str, Pending] = field(default_factory=dict)

    def issue(
        self,
        *,
        caller: str,
        level: str,
        session_id: str,
        run_id: str,
        project_id: str,
        plan_mode: bool = False,
        enabled_packs: FrozenSet[str] = frozenset(),
    ) -> Capability:
        """A capability for one run. ValueError for an unknown level."""
        if level not in LEVELS:
            raise ValueError("unknown level {!r}".format(level))
        capability = Capability(
            secrets.token_urlsafe(24), caller, level, session_id, run_id, project_id, plan_mode, enabled_packs
        )
        self._capabilities[capability.token] = capability
        return capability

    def revoke(self, capability: Capability) -> None:
        """The run has ended: its capability is worth nothing now."""
        self._capabilities.pop(capability.token, None)

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
        return found

    def decide(
        self,
        capability: Capability,
        tool: str,
        effect: str,
        target: str,
        *,
        pack: str = "",
        origin: str = "native",
        ask_reason: str = "",
        each_time: bool = False,
    ) -> Decision:
        """Rule on one call: deny before ask before allow. What is not in the table is denied.

        ``each_time``: the call's own arguments made it graver than its tool is, so no earlier grant answers for it.

        ``ask_reason``: why the agent's own policy wants the person asked. It can only make an "allow" an "ask", and where it
        comes from untrusted text no earlier grant answers it. (A ``write`` is clicked in any case, by its own card.)
        """
        rule = LEVELS[capability.level].get(effect, "deny")
        if capability.plan_mode and effect != "read":
            return Decision("deny", "plan_mode", effect)
        to_disk = effect == "write" and pack != "default"  # notes have a question of their own, and no box
        if (pack == "write" or to_disk) and "write" not in capability.enabled_packs:
            return Decision("deny", "pack_not_enabled", effect)
        doubtful = origin == "text" or ask_reason in ASK_EACH_TIME
        if (effect != "read" and doubtful) or ask_reason == ASK_FOR_READS_TOO:
            return Decision("ask" if rule == "allow" else rule, "origin:" + (ask_reason or origin), effect)
        if rule == "ask" and not each_time and self.granted(capability, tool, target):
            return Decision("allow", "grant", effect)
        return Decision(rule, "level:" + capability.level, effect)

    def grant(self, capability: Capability, tool: str, target: str) -> Grant:
        """A person chose "for this session"."""
        grant = Grant(capability.caller, tool, target, capability.project_id, capability.session_id)
        if grant not in self._grants:
            self._grants.append(grant)
        return grant

    def granted(self, capability: Capability, tool: str, target: str) -> bool:
        """Whether a grant answers this ask."""
        wanted = Grant(capability.caller, tool, target, capability.project_id, capability.session_id)
        return wanted in self._grants

    def grants(self) -> Tuple[Grant, ...]:
        """All grants in force."""
        return tuple(self._grants)

    def prepare(
        self,
        capability: Capability,
        tool: str,
        arguments: Dict[str, Any],
        *,
        state: str,
        card: Card,
        reversible: bool,
        commit: Callable[[], Any],
    ) -> str:
        """Keep a previewed write; returns its token: random, single use, 5 minutes, not armed."""
        now = self.clock()
        self._pending = {key: each for key, each in self._pending.items() if each.until > now - TOKEN_TTL_S}
        token = secrets.token_urlsafe(24)
        self._pending[token] = Pending(
            tool,
            digest(arguments),
            capability.caller,
            capability.session_id,
            capability.project_id,
            state,
            now + TOKEN_TTL_S,
            commit,
            card,
            reversible,
        )
        return token

    def arm(self, token: str) -> None:
        """A person clicked. Called by the approver's answer only; KeyError for an unknown token."""
        self._pending[token].armed = True

    def void(self, token: str) -> None:
        """The person said no, or did not answer: the token is worth nothing now."""
        self._pending.pop(token, None)

    def redeem(self, token: Any, capability: Capability, state_of: Callable[[Pending], str]) -> Pending:
        """Check a token and use it up. CONFIRM_REQUIRED with the reason when it may not be used."""
        pending = self._pending.get(token) if isinstance(token, str) else None
        now = self.clock()
        if pending is None or (pending.caller, pending.session_id, pending.project_id) != (
            capability.caller,
            capability.session_id,
            capability.project_id,
        ):
            raise _not_confirmed(
                "other_session", translate("QgisAgent", "No prepared write of this session has this token.")
            )
        if pending.used:
            raise _not_confirmed("used", translate("QgisAgent", "This token has been used already."))
        if pending.until < now:
            raise _not_confirmed("expired", translate("QgisAgent", "This token is older than 5 minutes."))
        if not pending.armed:
            raise _not_confirmed("not_armed", translate("QgisAgent", "A person has not agreed to this write."))
        if state_of(pending) != pending.state:
            raise _not_confirmed("state_changed", translate("QgisAgent", "What was shown has changed since."))
        pending.used = True
        return pending

    def pending(self, token: str) -> Optional[Pending]:
        """A prepared write by its token."""
        return self._pending.get(token)

    def project_changed(self) -> None:
        """Another project, or none: capabilities, session grants and tokens all end."""
        self._capabilities.clear()
        self._grants.clear()
        self._pending.clear()


def _not_confirmed(reason: str, message: str) -> ToolError:
    return ToolError(
        CONFIRM_REQUIRED,
        message,
        hint=translate(
            "QgisAgent", "Prepare the write again; a person then decides in QGIS (or the command line's --approve)."
        ),
        reason=reason,
    )


def digest(arguments: Dict[str, Any]) -> str:
    """SHA-256 of the canonical arguments."""
    canonical = encode({key: arguments[key] for key in sorted(arguments)})
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()
