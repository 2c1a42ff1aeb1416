"""The stable sections of a request: the same bytes for every turn of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ..governance.permissions import PERSON_ENABLED_PACKS
from ..governance.profile import AgentProfile

PROMPT_PATH = Path(__file__).resolve().parents[3] / "resources" / "prompts" / "system.md"


@dataclass(frozen=True)
class Section:
    """A named part of the prefix: S0 rules, S1 packs (system), S2 the person's wishes (user: data)."""

    name: str
    text: str
    role: Literal["system", "user"] = "system"


def compose_system_prompt(
    profile: AgentProfile,
    packs: Mapping[str, str],
    path: Path = PROMPT_PATH,
    *,
    preferences: Section | None = None,
    plannable: Sequence[str] = (),
) -> tuple[Section, ...]:
    """S0: the rules and the profile's suffix. S1: one line for each pack that is not always shown. S2: what the person prefers.

    The lines do not say which packs are shown now, so that they stay the same when packs grow. ``plannable``: in plan mode, the
    names of the tools that a step may use although they are not shown.
    """
    core = path.read_text(encoding="utf-8").strip()
    if profile.prompt_suffix:
        core += "\n\n# Profile\n" + profile.prompt_suffix
    if profile.mode == "plan" and plannable:
        core += "\n\nTools that a step may name: " + ", ".join(sorted(plannable)) + "."
    shown = sorted(packs) if profile.tools is None else ()  # a profile with a list of tools has nothing to ask for
    lines = [_line(pack, packs[pack]) for pack in shown if pack != "default" and pack in profile.packs]
    wishes = () if preferences is None else (replace(preferences, role="user"),)
    if not lines:
        return (Section("S0", core), *wishes)
    head = "# Packs of tools\nWhen a request needs a tool that you do not see, call request_tool_pack. Never say that it does not exist."
    return (Section("S0", core), Section("S1", "\n".join([head, *lines])), *wishes)


def _line(pack: str, what: str) -> str:
    note = " (only a person enables it; say how)" if pack in PERSON_ENABLED_PACKS else ""
    return f"- {pack}: {what}{note}"
