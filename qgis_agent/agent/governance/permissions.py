"""PermissionRuntime: the agent's own policy. QGIS has the last word on every call; this one may only be stricter."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ...bridge.envelope import FORBIDDEN, Envelope, failure
from ..execution.registry import ToolSpec
from .profile import AgentProfile

PERSON_ENABLED_PACKS = ("write",)
"""Packs that only a person can enable; neither the model nor an inference from the request shows them."""

Rule = Literal["allow", "deny"]
_EFFECT_RULES: Mapping[str, Mapping[str, Rule]] = {
    # What QGIS asks for is "allow" here: the question is QGIS's to put. A profile that only reads has nobody to ask.
    "read_only": {"read": "allow"},
    "safe_write": dict.fromkeys(("read", "view", "create", "network", "write", "execute"), "allow"),
    "full_access": dict.fromkeys(("read", "view", "create", "network", "write", "execute"), "allow"),
}


@dataclass(frozen=True)
class Decision:
    """``allow``, or not with an envelope that says why."""

    allow: bool
    by: str
    envelope: Envelope | None = None


class PermissionRuntime:
    """Rules on one call. What is not in the table is denied."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        packs: Collection[str],
        enabled_packs: Collection[str],
        caller: str,
        profile: str,
    ) -> None:
        self._rules = dict(rules)
        self._packs = frozenset(packs)
        self._enabled = frozenset(enabled_packs)
        self._caller = caller
        self._profile = profile

    @classmethod
    def from_profile(cls, profile: AgentProfile, enabled_packs: Collection[str], caller: str) -> PermissionRuntime:
        """The policy of a profile for one run. ``enabled_packs`` are the packs that a person switched on."""
        return cls(_EFFECT_RULES.get(profile.level, {}), profile.packs, enabled_packs, caller, profile.name)

    def pack_problem(self, pack: str) -> Envelope | None:
        """Why a pack cannot be used, or None."""
        if pack not in self._packs:
            return failure(
                FORBIDDEN,
                f"The profile {self._profile} has no tools of the pack '{pack}'.",
                hint="Say that this profile cannot do it.",
                reason="profile",
            )
        if pack in PERSON_ENABLED_PACKS and pack not in self._enabled:
            return failure(
                FORBIDDEN,
                f"The pack '{pack}' is not enabled.",
                hint="Only a person can enable it: writing files is switched on in the dock's menu, or with --allow-write.",
                reason="pack_not_enabled",
            )
        return None

    def admit(self, spec: ToolSpec) -> Decision:
        """Whether this caller is offered the tool at all: caller, then pack."""
        if self._caller not in spec.callers:
            return Decision(
                False,
                "caller",
                failure(
                    FORBIDDEN,
                    f"The tool {spec.name} is not offered here.",
                    hint="Use another tool.",
                    reason="not_offered",
                ),
            )
        problem = self.pack_problem(spec.pack)
        return Decision(True, "offered") if problem is None else Decision(False, str(problem["reason"]), problem)

    def evaluate(self, spec: ToolSpec) -> Decision:
        """The whole rule, deny before allow: caller, pack, effect."""
        offered = self.admit(spec)
        if not offered.allow:
            return offered
        if self._rules.get(spec.effect, "deny") != "allow":
            return Decision(
                False,
                "level",
                failure(
                    FORBIDDEN,
                    f"The profile {self._profile} only reads; {spec.name} changes something ({spec.effect}).",
                    hint="Say that this profile cannot do it.",
                    reason="level",
                ),
            )
        return Decision(True, "profile")
