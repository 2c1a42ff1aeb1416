"""AgentProfile: who the agent is. Data only; what follows from it is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["build", "plan", "explore", "workflow", "subagent"]
Level = Literal["read_only", "safe_write", "full_access"]


@dataclass(frozen=True)
class Budget:
    """Ceilings of one run (X-1). Time in seconds; waiting for a person is never counted.

    ``tool_s`` is tool time beyond announced long work: tools whose own time limit is over it are not counted.
    """

    model_calls: int = 12
    tool_calls: int = 24
    tokens: int = 200_000
    model_s: float = 180.0
    tool_s: float = 60.0


@dataclass(frozen=True)
class AgentProfile:
    """A name with what it may use and spend. ``packs`` are the groups of tools that it can ever see."""

    name: str
    mode: Mode
    description: str
    packs: tuple[str, ...]
    level: Level
    budget: Budget = field(default_factory=Budget)
    prompt_suffix: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


DEFAULT_PROFILE = "gis-build"
PROFILES: Mapping[str, AgentProfile] = {
    each.name: each
    for each in (
        AgentProfile(
            name=DEFAULT_PROFILE,
            mode="build",
            description="Queries, styles and analyses the open map; writes files after a click.",
            packs=("default", "vector", "write"),
            level="safe_write",
        ),
        AgentProfile(
            name="gis-explore",
            mode="explore",
            description="Reads layers, fields, extents and values; changes nothing.",
            packs=("default",),
            level="read_only",
            budget=Budget(model_calls=4),
            prompt_suffix=(
                "You explore: describe layers, fields, extents and values. You change nothing on the map; when a change is "
                "asked for, say that the profile only reads."
            ),
        ),
    )
}
