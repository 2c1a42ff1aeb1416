"""The stable sections of a request: the same bytes for every turn of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..governance.permissions import PERSON_ENABLED_PACKS
from ..governance.profile import AgentProfile

PROMPT_PATH = Path(__file__).resolve().parents[3] / "resources" / "prompts" / "system.md"


@dataclass(frozen=True)
class Section:
    """A named part of the prefix (S0, S1 …)."""

    name: str
    text: str


def compose_system_prompt(
    profile: AgentProfile, packs: Mapping[str, str], path: Path = PROMPT_PATH
) -> tuple[Section, ...]:
    """S0: the rules and the profile's suffix. S1: one line for each pack that is not always shown.

    The lines do not say which packs are shown now, so that they stay the same when packs grow.
    """
    core = path.read_text(encoding="utf-8").strip()
    if profile.prompt_suffix:
        core += "\n\n# Profile\n" + profile.prompt_suffix
    lines = [_line(pack, packs[pack]) for pack in sorted(packs) if pack != "default" and pack in profile.packs]
    if not lines:
        return (Section("S0", core),)
    head = "# Packs of tools\nWhen a request needs a tool that you do not see, call request_tool_pack. Never say that it does not exist."
    return (Section("S0", core), Section("S1", "\n".join([head, *lines])))


def _line(pack: str, what: str) -> str:
    note = " (you cannot ask for it; say how a person enables it)" if pack in PERSON_ENABLED_PACKS else ""
    return f"- {pack}: {what}{note}"
