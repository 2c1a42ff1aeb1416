"""The token between the preview and the commit of a write: made, armed, checked and used up here, on the QGIS side.

Random, single use, five minutes, bound to the tool, its canonical arguments, caller, session, project and to the state that
was shown. Only a person's click (or the command line's --approve) arms one.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
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
    void: bool = False
    """Whether the person said no, or the project was closed: what is left of it only tells why it is refused."""


class Tokens:
    """The prepared writes of one QGIS, by token. ``clock`` gives seconds and never goes back.

    A refused token says why by a reason of its own: ``unknown_token``, ``other_project``, ``other_session``, ``other_caller``,
    ``voided``, ``used``, ``expired``, ``not_armed``, ``args_changed``, ``state_changed``.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.observe: Callable[[str, str, Pending], None] = lambda _what, _token, _pending: None
        """Told of what becomes of a token: made, armed, voided, redeemed."""
        self._pending: Dict[str, Pending] = {}
        self._one_at_a_time = threading.Lock()

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
        """A person clicked. Called by the approver's answer only; KeyError for an unknown token. A void one stays void."""
        pending = self._pending[token]
        if not pending.void:
            pending.armed = True
            self.observe("armed", token, pending)

    def void(self, token: str) -> None:
        """The person said no, or did not answer: the token is worth nothing now."""
        pending = self._pending.get(token)
        if pending is not None:
            self._end(token, pending)

    def redeem(
        self,
        token: Any,
        capability: Capability,
        state_of: Callable[[Pending], str],
        arguments: Optional[Dict[str, Any]] = None,
    ) -> Pending:
        """Check a token and use it up. CONFIRM_REQUIRED with the reason when it may not be used.

        ``arguments``: those that would be carried out, where the caller has them beside the token.
        """
        with self._one_at_a_time:
            pending = self._of(token, capability)
            _require_usable(pending, self.clock())
            if arguments is not None and digest(arguments) != pending.arguments_digest:
                raise _not_confirmed(
                    "args_changed", translate("QgisAgent", "These are not the arguments that were shown.")
                )
            pending.used = True  # from here on for one only: looking at the state may take its time
        same = False
        try:
            same = state_of(pending) == pending.state
        finally:
            pending.used = same
        if not same:
            raise _not_confirmed("state_changed", translate("QgisAgent", "What was shown has changed since."))
        self.observe("redeemed", token, pending)
        return pending

    def pending(self, token: Any) -> Optional[Pending]:
        """A prepared write by its token; None for one that is unknown or void."""
        found = self._pending.get(token) if isinstance(token, str) else None
        return None if found is None or found.void else found

    def void_all(self) -> None:
        """Another project, or none: every token ends."""
        for token, pending in self._pending.items():
            self._end(token, pending)

    def _of(self, token: Any, capability: Capability) -> Pending:
        """The prepared write of this very project, session and caller."""
        pending = self._pending.get(token) if isinstance(token, str) else None
        if pending is None:
            raise _not_confirmed("unknown_token", translate("QgisAgent", "There is no prepared write with this token."))
        for reason, bound, own, what in (
            ("other_project", pending.project_id, capability.project_id, translate("QgisAgent", "project")),
            ("other_session", pending.session_id, capability.session_id, translate("QgisAgent", "conversation")),
            ("other_caller", pending.caller, capability.caller, translate("QgisAgent", "caller")),
        ):
            if bound != own:
                raise _not_confirmed(reason, translate("QgisAgent", "This token was made for another {}.").format(what))
        return pending

    def _end(self, token: str, pending: Pending) -> None:
        """What it would do, and the layers that it holds, are let go."""
        if not (pending.used or pending.void):
            self.observe("voided", token, pending)
        pending.void, pending.card, pending.state, pending.commit = True, {}, "", _nothing


def _nothing(*_arguments: Any) -> None:
    """What a void token carries out."""


def _require_usable(pending: Pending, now: float) -> None:
    if pending.used:
        raise _not_confirmed("used", translate("QgisAgent", "This token has been used already."))
    if pending.void:
        raise _not_confirmed(
            "voided", translate("QgisAgent", "The person did not agree to this, or the project was closed.")
        )
    if pending.until < now:
        raise _not_confirmed("expired", translate("QgisAgent", "This token is older than 5 minutes."))
    if not pending.armed:
        raise _not_confirmed("not_armed", translate("QgisAgent", "A person has not agreed to this write."))


def _not_confirmed(reason: str, message: str) -> ToolError:
    hint = translate(
        "QgisAgent", "Prepare the write again; a person then decides in QGIS (or the command line's --approve)."
    )
    if reason == "not_armed":
        hint = translate(
            "QgisAgent", "A person decides in QGIS (or the command line's --approve); call commit_action again then."
        )
    return ToolError(CONFIRM_REQUIRED, message, hint=hint, reason=reason)


def digest(arguments: Dict[str, Any]) -> str:
    """SHA-256 of the canonical arguments."""
    canonical = encode({key: arguments[key] for key in sorted(arguments)})
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()
