"""ToolMaterializer: which tool schemas the model sees. Within a session the list only grows, at declared points."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...bridge.envelope import Envelope, success
from ..governance.permissions import PERSON_ENABLED_PACKS, PermissionRuntime
from .registry import ToolSpec

DEFAULT_PACK = "default"
Schema = dict[str, Any]


def build_tool_schemas(registered: Iterable[ToolSpec]) -> dict[str, Schema]:
    """Name to function-calling schema, sorted by name."""
    return {
        spec.name: {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": spec.shown()},
        }
        for spec in sorted(registered, key=lambda each: each.name)
    }


def canonical(value: Any) -> str:
    """JSON with sorted keys and no blanks: the same bytes in every process."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class ToolMaterializer:
    """Chooses schemas by pack. ``shown_packs`` is kept in the session, so that a later run shows no less."""

    def __init__(
        self,
        registered: Iterable[ToolSpec],
        schemas: Mapping[str, Schema],
        permission: PermissionRuntime,
        packs: Iterable[str],
        shown_packs: set[str],
    ) -> None:
        self._specs = {spec.name: spec for spec in registered}
        self._schemas = schemas
        self._permission = permission
        self._packs = tuple(packs)
        self._shown = shown_packs
        self._shown.add(DEFAULT_PACK)
        self.growths: list[str] = []
        """Packs that were added since the run began: each is a logged change of the prefix."""

    @property
    def can_change(self) -> bool:
        """Whether any tool of the run may change something."""
        return any(spec.effect != "read" and self._permission.evaluate(spec).allow for spec in self._specs.values())

    def pack(self, name: str) -> str:
        """The pack of a tool, "" for one that there is not."""
        spec = self._specs.get(name)
        return spec.pack if spec is not None else ""

    def effect(self, name: str) -> str:
        """The effect of a tool, "" for one that there is not."""
        spec = self._specs.get(name)
        return spec.effect if spec is not None else ""

    def offered_packs(self) -> list[str]:
        """Packs that may be shown in this run."""
        return [pack for pack in self._packs if self._permission.pack_problem(pack) is None]

    def hidden_packs(self) -> list[str]:
        """Packs that could be shown and are not."""
        return [pack for pack in self.offered_packs() if pack not in self._shown]

    def grow(self, packs: Iterable[str]) -> list[str]:
        """Show more packs; what may not be shown is left out. Returns what is new."""
        new = [pack for pack in dict.fromkeys(packs) if pack in self.hidden_packs()]
        self._shown.update(new)
        self.growths.extend(new)
        return new

    def show_enabled(self) -> None:
        """Show the packs that a person switched on."""
        self.grow(PERSON_ENABLED_PACKS)

    def request_pack(self, pack: str) -> Envelope:
        """The model asks for a pack (request_tool_pack)."""
        problem = self._permission.pack_problem(pack)
        if problem is not None:
            return problem
        new = self.grow([pack])
        names = [name for name, spec in self._specs.items() if spec.pack == pack and name in self.visible_names()]
        message = "The tools are shown from the next step on." if new else "These tools are shown already."
        return success({"pack": pack, "tools": sorted(names)}, message)

    def visible_names(self) -> frozenset[str]:
        """Names of the tools that the model may call now."""
        return frozenset(name for name, spec in self._specs.items() if self._visible(spec))

    def schemas(self) -> list[Schema]:
        """What goes into the request's ``tools``."""
        visible = self.visible_names()
        return [schema for name, schema in self._schemas.items() if name in visible]

    def _visible(self, spec: ToolSpec) -> bool:
        return spec.pack in self._shown and self._permission.evaluate(spec).allow
