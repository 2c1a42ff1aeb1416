"""Which tools of the catalogue an MCP client is shown, and what it is told of each. Nothing here imports the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...bridge.envelope import FORBIDDEN, Envelope, failure
from ..execution.arguments import ArgumentValidator, drop_nulls
from ..execution.geometry import geometry_problem
from ..execution.registry import ToolRegistry, ToolSpec
from ..governance.permissions import PERSON_ENABLED_PACKS
from ..governance.profile import DEFAULT_PROFILE, PROFILES
from .clients import Access

ONLY_IN_A_RUN = frozenset({"ask_user", "request_tool_pack", "resolve_reference", "run_subagent", "update_plan"})
"""Tools that need a conversation of ours: a host has a person, a plan and a list of tools of its own."""
DENIED_EFFECTS: Mapping[str, frozenset[str]] = {
    "read_only": frozenset({"network", "write", "execute"}),
    "safe_write": frozenset(),
    "full_access": frozenset(),
}
"""Level -> effects that QGIS denies without asking (gis/approvals.py): tools with no less are not shown."""
ABSOLUTE = frozenset(
    {
        "clear_selection",
        "clear_temp_layers",
        "copy_style",
        "highlight_features",
        "rename_layer",
        "select_by_location",
        "select_features",
        "set_layer_crs",
        "set_layer_encoding",
        "set_layer_filter",
        "set_layer_label",
        "set_legend",
        "set_raster_style",
        "set_render_rule",
        "zoom_to",
    }
)
"""Tools that set a state and not a difference: called again they change nothing more."""
RESULT_HOURS = 6
"""How long a client's result_ref can be read (``store.py``)."""


class Offered:
    """The part of the catalogue that MCP clients can have at all, by name in order."""

    def __init__(self, registry: ToolRegistry) -> None:
        packs = frozenset(PROFILES[DEFAULT_PROFILE].packs)
        self._specs: dict[str, ToolSpec] = {
            spec.name: spec
            for spec in registry.list_registered()
            if "mcp" in spec.callers and spec.pack in packs and spec.name not in ONLY_IN_A_RUN
        }
        self._validator = ArgumentValidator()

    def get(self, name: str) -> ToolSpec | None:
        """A tool that some client can have, or None."""
        return self._specs.get(name)

    def __getitem__(self, name: str) -> ToolSpec:
        return self._specs[name]

    def names(self) -> list[str]:
        """All of them."""
        return list(self._specs)

    def shown(self, access: Access | None, *, replica: bool = False) -> list[ToolSpec]:
        """What a client is shown: the tools of its packs with an effect that its level does not deny. The order and the bytes
        follow from level and packs alone. ``access`` None: what every client may see."""
        level = access.level if access is not None else "read_only"
        enabled = access.enabled_packs if access is not None else ()
        return [spec for spec in self._specs.values() if _reaches(spec, level, enabled, replica)]

    def problem(self, spec: ToolSpec, arguments: Mapping[str, Any], *, replica: bool = False) -> Envelope | None:
        """Why a call is not even begun, or None. Strict: what a model of ours may get wrong (a near name of a parameter) is an
        error here, because another program's is not ours to guess. Nulls of optional parameters are no values."""
        if replica and spec.effect != "read":
            return failure(
                FORBIDDEN,
                f"This is a read-only copy of the server; {spec.name} changes something.",
                hint="Use the server that has the person's QGIS.",
                reason="replica",
            )
        given = drop_nulls(dict(arguments), spec.parameters)
        return self._validator.check(spec.name, spec.parameters, given) or geometry_problem(given)


def _reaches(spec: ToolSpec, level: str, enabled: tuple[str, ...], replica: bool) -> bool:
    if replica:
        return spec.effect == "read"
    if spec.effect in DENIED_EFFECTS.get(level, DENIED_EFFECTS["read_only"]):
        return False
    person_only = spec.pack in PERSON_ENABLED_PACKS or (spec.effect == "write" and spec.pack != "default")
    return not person_only or (spec.pack if spec.pack in PERSON_ENABLED_PACKS else "write") in enabled


def described(spec: ToolSpec) -> str:
    """The description for a host: what differs from the chat is said."""
    if spec.name == "fetch_result":
        return f"{spec.description} A result_ref can be read for {RESULT_HOURS} hours."
    if spec.name == "make_chart":
        return f"{spec.description} Over MCP chart is the URI of a resource, the picture."
    if spec.name.startswith("prepare_"):
        return (
            f"{spec.description} Over MCP it returns a preview and a confirm_token at once; a person decides in QGIS, then "
            "commit_action carries it out."
        )
    return spec.description


def titled(name: str) -> str:
    """A tool's name as a title: "Count features"."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def hints(spec: ToolSpec) -> dict[str, bool]:
    """The annotations of a tool, from its least effect; QGIS decides by each call's own, so these are hints only."""
    found = {
        "read_only_hint": spec.effect == "read",
        "destructive_hint": spec.effect in ("write", "execute"),
        "open_world_hint": spec.effect == "network",
    }
    if spec.effect == "read" or spec.name in ABSOLUTE:
        found["idempotent_hint"] = True
    return found
