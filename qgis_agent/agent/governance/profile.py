"""AgentProfile: who the agent is. Data only; what follows from it is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from .profile_check import ACTIONS, Action, Level, Mode, ProfileError, problems_of


@dataclass(frozen=True)
class Budget:
    """Ceilings of one run (X-1). Time in seconds; waiting for a person is never counted.

    ``tool_calls`` counts all calls, ``code_calls`` those of the pack "code", ``plain_calls`` all others (1000: no ceiling but that
    of all calls). ``tool_s`` is tool time beyond announced long work: tools whose own time limit is over it are not counted.
    The defaults are the global ceiling.
    """

    model_calls: int = 12
    tool_calls: int = 24
    tokens: int = 200_000
    model_s: float = 180.0
    tool_s: float = 60.0
    code_calls: int = 1000
    plain_calls: int = 1000

    def within(self, other: Budget) -> Budget:
        """The smaller of each number."""
        return Budget(**{each.name: min(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)})


CEILING = Budget()
"""X-1: no profile has more than this, wherever it comes from."""


_WORKING_PACKS = (
    "default",
    "arrange",
    "data",
    "inspect",
    "vector",
    "overlay",
    "join",
    "geometry",
    "raster",
    "processing",
    "layout",
    "write",
)


@dataclass(frozen=True)
class AgentProfile:
    """A name with what it may use and spend. ``packs`` are the groups of tools that it can ever see.

    ``metadata`` has two keys, both optional: ``permissions``, a mapping of tools (``*`` stands for any characters) to
    allow, ask or deny, which can only make the level's rules stricter; and ``tools``, the names of the only tools that are
    shown.
    """

    name: str
    mode: Mode
    description: str
    packs: tuple[str, ...]
    level: Level
    budget: Budget = CEILING
    prompt_suffix: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # frozen would not keep anyone from writing into the mapping
        object.__setattr__(self, "metadata", _frozen(self.metadata))

    @property
    def permissions(self) -> Mapping[str, Action]:
        """Rules for single tools."""
        found: Mapping[str, Action] = self.metadata.get("permissions", MappingProxyType({}))
        return found

    @property
    def tools(self) -> tuple[str, ...] | None:
        """The only tools that are shown, or None when the packs decide."""
        found: tuple[str, ...] | None = self.metadata.get("tools")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data that ``from_dict`` takes back."""
        metadata: dict[str, Any] = {}
        if self.permissions:
            metadata["permissions"] = dict(self.permissions)
        if self.tools is not None:
            metadata["tools"] = list(self.tools)
        return {
            "name": self.name,
            "mode": self.mode,
            "description": self.description,
            "packs": list(self.packs),
            "level": self.level,
            "budget": asdict(self.budget),
            "prompt_suffix": self.prompt_suffix,
            "metadata": metadata,
        }

    @classmethod
    def from_dict(cls, data: Any, ceiling: Budget = CEILING) -> AgentProfile:
        """A profile from JSON data. ProfileError with everything that is wrong; what is absent is the strictest default.

        Budgets over the ceiling are the ceiling.
        """
        problems = problems_of(data)
        if problems:
            raise ProfileError(problems)
        return cls(
            name=data["name"],
            mode=data.get("mode", "build"),
            description=data.get("description", ""),
            packs=tuple(dict.fromkeys(data.get("packs", ("default",)))),
            level=data.get("level", "read_only"),
            budget=Budget(**data.get("budget", {})).within(ceiling),
            prompt_suffix=data.get("prompt_suffix", ""),
            metadata=data.get("metadata", {}),
        )


def _frozen(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    frozen: dict[str, Any] = dict(metadata)
    if "permissions" in frozen:
        frozen["permissions"] = MappingProxyType(dict(frozen["permissions"]))
    if frozen.get("tools") is not None:
        frozen["tools"] = tuple(dict.fromkeys(frozen["tools"]))
    return MappingProxyType(frozen)


def strictest(first: Action, *others: Action) -> Action:
    """The strictest of some rules: deny before ask before allow."""
    return max((first, *others), key=ACTIONS.index)


def within_ceiling(profile: AgentProfile, ceiling: Budget) -> AgentProfile:
    """The profile with no budget over the ceiling (a person may have set a lower one than ours)."""
    return replace(profile, budget=profile.budget.within(ceiling))


DEFAULT_PROFILE = "gis-build"
SMALL_PROFILE = "gis-small"
SUBAGENT_PROFILE = "gis-subagent"
PROFILES: Mapping[str, AgentProfile] = MappingProxyType(
    {
        each.name: each
        for each in (
            AgentProfile(
                name=DEFAULT_PROFILE,
                mode="build",
                description="Queries, styles and analyses the open map; writes files after a click.",
                packs=(*_WORKING_PACKS, "subagent"),
                level="safe_write",
            ),
            AgentProfile(
                name="gis-plan",
                mode="plan",
                description="Makes a plan from what it reads; carries nothing out.",
                packs=_WORKING_PACKS,
                level="read_only",
                budget=Budget(model_calls=3, code_calls=1),
                prompt_suffix=(
                    "You plan and change nothing. Read what you need, then give the plan with update_plan: one step for each "
                    "call that would change the map or write a file, with its tool, its target layer, its other layers "
                    "(inputs) and its path. Say in a sentence "
                    "what the plan does and what is uncertain. The person applies the plan; you cannot."
                ),
            ),
            AgentProfile(
                name="gis-explore",
                mode="explore",
                description="Reads layers, fields, extents and values; changes nothing.",
                packs=("default", "data", "inspect", "subagent"),
                level="read_only",
                budget=Budget(model_calls=4, code_calls=2),
                prompt_suffix=(
                    "You explore: describe layers, fields, extents and values. You change nothing on the map; when a change "
                    "is asked for, say that the profile only reads."
                ),
            ),
            AgentProfile(
                name="workflow-runner",
                mode="workflow",
                description="Carries out one node of a workflow, with a record and a budget of its own.",
                packs=(*_WORKING_PACKS, "subagent"),
                level="safe_write",
                budget=Budget(model_calls=8),
                prompt_suffix=(
                    "You carry out one step of a workflow. Do this step and nothing of the others, and say what it made."
                ),
            ),
            AgentProfile(
                name=SUBAGENT_PROFILE,
                mode="subagent",
                description="Carries out one task that another agent hands on, in a context of its own.",
                packs=("default",),
                level="safe_write",
                budget=Budget(model_calls=4),
                prompt_suffix=(
                    "You carry out one task for another agent. Answer with the result in a few sentences, with numbers and "
                    "layer_ids; nobody can answer a question of yours."
                ),
            ),
            AgentProfile(
                name=SMALL_PROFILE,
                mode="build",
                description="For small models: eight tools for finding, counting, showing and colouring.",
                packs=("default", "vector"),
                level="safe_write",
                prompt_suffix=(
                    "You have few tools, and no others can be asked for. One call at a time; look at its result before the "
                    "next one. When a request needs a tool that you do not have, say so."
                ),
                metadata={
                    "tools": (
                        "search_layers",
                        "resolve_place",
                        "query_features",
                        "count_features",
                        "toggle_layer",
                        "zoom_to",
                        "set_render_rule",
                        "stat_by_polygon",
                    )
                },
            ),
        )
    }
)
"""The built-in profiles by name."""
