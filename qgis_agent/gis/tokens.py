"""The token between the preview and the commit of a write: made, armed, checked and used up here, on the QGIS side.

Random, single use, five minutes, bound to the tool, its canonical arguments, caller, session, project and to the state that
was shown. Only a person's click (or the command line's --approve) arms one.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from ..bridge.envelope import encode
from .errors import CONFIRM_REQUIRED, ToolError
from .i18n import translate

if TYPE_CHECKING:
    from .approvals import Capability

TOKEN_TTL_S = 300.0

Card = Dict[str, Any]


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
    commit: Callable[..., Any]
    card: Card
    reversible: bool
    armed: bool = False
    used: bool = False


class Tokens:
    """The prepared writes of one QGIS, by token. ``clock`` gives seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.observe: Callable[[str, str, Pending], None] = lambda _what, _token, _pending: None
        """Told of what becomes of a token: made, armed, voided, redeemed."""
        self._pending: Dict[str, Pending] = {}

    def prepare(
        self,
        capability: Capability,
        tool: str,
        arguments: Dict[str, Any],
        *,
        state: str,
        card: Card,
        reversible: bool,
        commit: Callable[..., Any],
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
        self.observe("made", token, self._pending[token])
        return token

    def arm(self, token: str) -> None:
        """A person clicked. Called by the approver's answer only; KeyError for an unknown token."""
        self._pending[token].armed = True
        self.observe("armed", token, self._pending[token])

    def void(self, token: str) -> None:
        """The person said no, or did not answer: the token is worth nothing now."""
        pending = self._pending.pop(token, None)
        if pending is not None:
            self.observe("voided", token, pending)

    def redeem(self, token: Any, capability: Capability, state_of: Callable[[Pending], str]) -> Pending:
        """Check a token and use it up. CONFIRM_REQUIRED with the reason when it may not be used."""
        pending = self._pending.get(token) if isinstance(token, str) else None
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
        if pending.until < self.clock():
            raise _not_confirmed("expired", translate("QgisAgent", "This token is older than 5 minutes."))
        if not pending.armed:
            raise _not_confirmed("not_armed", translate("QgisAgent", "A person has not agreed to this write."))
        if state_of(pending) != pending.state:
            raise _not_confirmed("state_changed", translate("QgisAgent", "What was shown has changed since."))
        pending.used = True
        self.observe("redeemed", token, pending)
        return pending

    def pending(self, token: str) -> Optional[Pending]:
        """A prepared write by its token."""
        return self._pending.get(token)

    def void_all(self) -> None:
        """Another project, or none: every token ends."""
        for token, pending in self._pending.items():
            if not pending.used:
                self.observe("voided", token, pending)
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
