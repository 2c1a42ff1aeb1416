"""PermissionRuntime: the agent's own policy. QGIS has the last word on every call; this one may only be stricter.

Deny before ask before allow, whatever is more specific. ``ask`` is not asked here: the call goes to QGIS with the reason, and
QGIS puts the question to the person or, where nobody can answer, refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from ...bridge.envelope import FORBIDDEN, INVALID_PARAM, NOT_FOUND, Envelope, failure
from ...bridge.requested import HOST, NOTE, requested_by
from ..execution.registry import ToolSpec
from ..texts import say
from .profile import AgentProfile, strictest
from .profile_check import LEVELS, Action

PERSON_ENABLED_PACKS = ("write", "code", "web")
"""Packs that only a person can enable; neither the model nor an inference from the request shows them."""
_SWITCHES = {"chat": "write_on_chat", "cli": "write_on_cli"}
"""Caller to the words for where a person switches writing on."""
PLAN_ONLY_TOOLS = ("update_plan",)
OUTSIDE_EFFECTS = ("write", "network", "execute")
"""Effects that leave the map: once untrusted text was read they ask, unless the person's own words want them."""
NOTE_TOOLS = ("prepare_note",)
"""Tools that write what later runs read. A click is not enough where data may have put the words into the model's mouth."""
_NO_DATA = ("ask_user", "request_tool_pack", "update_plan")
"""Tools whose results hold nothing that others wrote."""

EFFECT_RULES: Mapping[str, Mapping[str, Action]] = {
    # Stricter than QGIS's table: there a person can be asked to let a reading profile change the map; here it has no tools
    # for it. "ask" says that QGIS asks each time.
    "read_only": {"read": "allow"},
    "safe_write": {
        "read": "allow",
        "view": "allow",
        "create": "allow",
        "network": "ask",
        "write": "ask",
        "execute": "ask",
    },
    "full_access": {
        "read": "allow",
        "view": "allow",
        "create": "allow",
        "network": "ask",
        "write": "ask",
        "execute": "ask",
    },
}
"""Level -> effect -> rule. What is not in the table is denied."""

__all__ = ["NOTE", "Decision", "PermissionRuntime", "argument_risk", "intersection", "own_rule", "requested_by"]

Risk = Callable[[ToolSpec, Mapping[str, Any]], str]
"""Says why a call with these arguments asks, or ""."""


@dataclass(frozen=True)
class Decision:
    """``allow``, or not with an envelope that says why. ``ask_reason`` is why QGIS is to ask the person, "" for no question."""

    allow: bool
    by: str
    envelope: Envelope | None = None
    ask_reason: str = ""

    @property
    def outcome(self) -> Action:
        """Allow, ask or deny."""
        return "deny" if not self.allow else "ask" if self.ask_reason else "allow"


class PermissionRuntime:
    """Rules on one call. What is not in the table is denied."""

    def __init__(
        self,
        profile: AgentProfile,
        enabled_packs: Collection[str],
        caller: str,
        *,
        requested: Collection[str] = (),
        read_before: bool = False,
        risk: Risk | None = None,
        attended: bool = True,
    ) -> None:
        """``requested`` is what the person's words ask for (``requested_by``); ``risk`` is argument_risk.

        ``read_before``: the model sees text of others from the start (earlier results, notes of the project). It bears on notes.
        Not ``attended``: a chat of the command line, whose person is told options and not boxes.
        """
        self._profile = profile
        self._enabled = frozenset(enabled_packs)
        self._caller = caller
        self._seat = caller if attended else "cli"
        self._requested = frozenset(requested)
        self._read_before = read_before
        self._risk = risk or argument_risk
        self._tainted = False

    @classmethod
    def from_profile(
        cls,
        profile: AgentProfile,
        enabled_packs: Collection[str],
        caller: str,
        *,
        session: AgentProfile | None = None,
        requested: Collection[str] = (),
        read_before: bool = False,
        attended: bool = True,
    ) -> PermissionRuntime:
        """The policy of a profile for one run. ``enabled_packs`` are the packs that a person switched on.

        ``session`` is the profile of the session that a sub-agent or an MCP client works in: it gets no more than that.
        """
        narrowed = profile if session is None else intersection(profile, session)
        return cls(narrowed, enabled_packs, caller, requested=requested, read_before=read_before, attended=attended)

    @property
    def tainted(self) -> bool:
        """Whether text that others wrote has been read in this run."""
        return self._tainted

    def taint(self) -> None:
        """Text that others wrote has been read; there is no way back in a run."""
        self._tainted = True

    def note_result(self, spec: ToolSpec, envelope: Envelope) -> None:
        """A settled call: data in its result (rows, names, legend labels, choices) was written by others and taints."""
        if envelope.get("data") and spec.name not in _NO_DATA:
            self.taint()

    def pack_problem(self, pack: str) -> Envelope | None:
        """Why a pack cannot be used, or None."""
        if pack not in self._profile.packs:
            return _refused(
                f"The profile {self._profile.name} has no tools of the pack '{pack}'.", "profile", _PROFILE_HINT
            )
        if pack in PERSON_ENABLED_PACKS and pack not in self._enabled:
            off = say("write_off", "en") if pack == "write" else f"The pack '{pack}' is not enabled."
            where = self._seat if pack == "write" else ""
            return _refused(off, "pack_not_enabled", say(_SWITCHES.get(where, "write_on"), "en"))
        return None

    def admit(self, spec: ToolSpec) -> Decision:
        """Whether this caller is offered the tool at all: caller, mode, the profile's own list, pack."""
        only = self._profile.tools
        listed = only is None or spec.name in only
        planning = spec.name not in PLAN_ONLY_TOOLS or self._profile.mode == "plan"
        if self._caller not in spec.callers or not listed or not planning:
            by = "caller" if self._caller not in spec.callers else "profile"
            return _deny(by, _refused(f"The tool {spec.name} is not offered here.", "not_offered", "Use another tool."))
        problem = self.pack_problem(spec.pack)
        if problem is None and spec.effect == "write" and spec.pack != "default":
            problem = self.pack_problem("write")  # files of any pack are written only where a person enabled that
        return Decision(True, "offered") if problem is None else _deny(str(problem["reason"]), problem)

    def evaluate(self, spec: ToolSpec) -> Decision:
        """The rule on a tool, before there are arguments: offered, plan mode, level, the profile's rules, taint."""
        offered = self.admit(spec)
        if not offered.allow:
            return offered
        if self._profile.mode == "plan" and spec.effect != "read":
            return _deny(
                "plan_mode",
                _refused(
                    f"Plan mode changes nothing; {spec.name} would ({spec.effect}).",
                    "plan_mode",
                    "Put it into the plan as a step (update_plan). The person applies the plan.",
                ),
            )
        level: Action = EFFECT_RULES.get(self._profile.level, {}).get(spec.effect, "deny")
        if level == "deny":
            return _deny(
                "level",
                _refused(
                    f"The profile {self._profile.name} only reads; {spec.name} changes something ({spec.effect}).",
                    "level",
                    _PROFILE_HINT,
                ),
            )
        own = own_rule(self._profile, spec.name)
        if own == "deny":
            return _deny("rule", _refused(f"The profile does not allow {spec.name}.", "rule", _PROFILE_HINT))
        return self._asked(spec, level, own)

    def rule(self, spec: ToolSpec | None, arguments: Any, *, origin: str = "native") -> Decision:
        """The whole rule on one call. ``spec`` is None for a tool that there is not; ``arguments`` anything but an object
        is a denial. The check of the arguments always runs, and its failure is a denial."""
        if spec is None:
            return _deny("unknown_tool", failure(NOT_FOUND, "There is no such tool.", reason="unknown_tool"))
        decision = self.evaluate(spec)
        if not decision.allow:
            return decision
        # Here and not in ``evaluate``: what is shown to the model must not change when it reads something.
        if spec.name in NOTE_TOOLS and NOTE not in self._requested and (self._tainted or self._read_before):
            return _deny("tainted_note", _refused(_NOTE_MESSAGE, "tainted_note", _NOTE_HINT))
        if not isinstance(arguments, Mapping):
            message = f"The arguments of {spec.name} could not be read."
            hint = "Give the arguments as one JSON object."
            return _deny("arguments", failure(INVALID_PARAM, message, hint=hint, reason="tool_arguments"))
        try:
            risk = self._risk(spec, arguments)
        except Exception as error:  # noqa: BLE001  (whatever breaks in a check of permission, the answer is no)
            message = f"The check of {spec.name}'s arguments failed ({type(error).__name__})."
            return _deny("risk", _refused(message, "risk_check", "Say that this step could not be checked."))
        if decision.by == "taint":  # the strongest reason to ask: without a person QGIS refuses then
            return decision
        if risk:
            return replace(decision, by="risk", ask_reason=risk)
        if origin == "text" and spec.effect != "read":
            return replace(decision, by="origin", ask_reason="recovered_from_text")
        return decision

    def _asked(self, spec: ToolSpec, level: Action, own: Action) -> Decision:
        if self._tainted and spec.effect in OUTSIDE_EFFECTS and not self._wanted(spec):
            return Decision(True, "taint", ask_reason="tainted")
        if own == "ask":
            return Decision(True, "rule", ask_reason="rule")
        return Decision(True, "profile", ask_reason="level" if level == "ask" else "")

    def _wanted(self, spec: ToolSpec) -> bool:
        """Whether the person's own words ask for this. Where they name a host, QGIS compares it with the call's."""
        if spec.effect == "network":
            return any(each.startswith(HOST) for each in self._requested)
        return (NOTE if spec.name in NOTE_TOOLS else spec.effect) in self._requested


def own_rule(profile: AgentProfile, tool: str) -> Action:
    """The strictest of the profile's rules whose pattern matches the tool; "allow" when none does."""
    return strictest("allow", *(rule for pattern, rule in profile.permissions.items() if fnmatchcase(tool, pattern)))


def intersection(profile: AgentProfile, session: AgentProfile) -> AgentProfile:
    """``profile`` with no more than ``session`` has: for sub-agents and MCP clients. It keeps its name and its words."""
    rules = {
        pattern: strictest(profile.permissions.get(pattern, "allow"), session.permissions.get(pattern, "allow"))
        for pattern in (*profile.permissions, *session.permissions)
    }
    metadata: dict[str, Any] = {"permissions": rules} if rules else {}
    lists = [each for each in (profile.tools, session.tools) if each is not None]
    if lists:
        metadata["tools"] = tuple(each for each in lists[0] if all(each in other for other in lists))
    return replace(
        profile,
        mode="plan" if session.mode == "plan" else profile.mode,
        packs=tuple(each for each in profile.packs if each in session.packs),
        level=min(profile.level, session.level, key=LEVELS.index),
        budget=profile.budget.within(session.budget),
        metadata=metadata,
    )


def argument_risk(spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
    """ "risky_path" when a path leaves plain local files: an URL, a driver prefix, a virtual or network file system, "..".

    Only for what changes something; whether a path lies in an allowed folder is decided by QGIS, by its real path.
    """
    if spec.effect == "read":
        return ""
    values = [
        value
        for key, value in arguments.items()
        if _PATH_KEY.search(key) and not (key == "url" and spec.effect == "network" and _is_web(value))
    ]
    return "risky_path" if any(not isinstance(each, str) or _RISKY_PATH.search(each) for each in values) else ""


def _is_web(value: Any) -> bool:
    """Whether a value is what the parameter of a network tool is for; QGIS asks about its host, or has a grant for it."""
    return isinstance(value, str) and re.match(r"https?://[^\s\\]+\Z", value) is not None


_PATH_KEY = re.compile(r"(?:^|_)(?:path|file|dir|folder|url)$")
_RISKY_PATH = re.compile(r"^\s*(?:/vsi|\\\\|//|[<{]|[A-Za-z][A-Za-z0-9+.-]+:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\0")
_NOTE_MESSAGE = "Data has been read, and the person's own words did not ask to remember anything; nothing is noted."
_NOTE_HINT = "Do not try it again. Who wants something kept says so in their own words (remember …, 记住…)."
_PROFILE_HINT = "Say that this profile cannot do it."


def _refused(message: str, reason: str, hint: str) -> Envelope:
    return failure(FORBIDDEN, message, hint=hint, reason=reason)


def _deny(by: str, envelope: Envelope) -> Decision:
    return Decision(False, by, envelope)
