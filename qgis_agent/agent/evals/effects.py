"""What scoring knows of the tools: effect and pack by name, of the schema that both sides share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..execution.registry import ToolRegistry
from .labels import CHANGES, label_of


@dataclass(frozen=True)
class ToolFacts:
    """Effects and packs of all tools."""

    effects: Mapping[str, str]
    packs: Mapping[str, str]

    @classmethod
    def of(cls, registry: ToolRegistry) -> ToolFacts:
        """The facts of a registry."""
        specs = registry.list_registered()
        return cls({each.name: each.effect for each in specs}, {each.name: each.pack for each in specs})

    def effect(self, tool: str) -> str:
        """A tool's least effect; "write" for one that is not known: the worst is assumed."""
        return self.effects.get(tool, "write")

    def changes(self, tool: str) -> bool:
        """Whether a tool changes anything."""
        return self.effect(tool) in CHANGES

    def label(self, tool: str) -> str:
        """The intent that a tool carries out."""
        return label_of(tool, self.packs.get(tool, ""), self.effect(tool))
