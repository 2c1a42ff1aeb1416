"""The tools as the agent process knows them: read from the generated ``tools.schema.json``, without pydantic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA_PATH = Path(__file__).resolve().parents[3] / "resources" / "tools.schema.json"


@dataclass(frozen=True)
class ToolSpec:
    """One tool: what the model, the validator and the permission rules need of its contract."""

    name: str
    pack: str
    where: str
    effect: str
    description: str
    progress: str
    timeout_s: float
    callers: tuple[str, ...]
    parameters: Mapping[str, Any]
    """What calls are checked against."""
    advertised: Mapping[str, Any] | None = None
    """What the model is shown in place of ``parameters``, where that is another (smaller) schema."""
    parallel: bool = False
    cacheable: bool = False
    polling: bool = False

    def shown(self) -> dict[str, Any]:
        """The parameter schema for the model. A copy of its top."""
        return dict(self.parameters if self.advertised is None else self.advertised)

    def label(self, arguments: Mapping[str, Any]) -> str:
        """What the person reads while it runs: ``progress`` with the arguments in their places, each clipped."""
        text = self.progress
        for key in self.parameters.get("properties", {}):
            value = arguments.get(key)
            shown = "…" if value is None else str(value)
            text = text.replace("{" + key + "}", shown if len(shown) <= 60 else shown[:59] + "…")
        return text


class ToolRegistry:
    """All tools by name, and the packs with one line each."""

    def __init__(self, specs: tuple[ToolSpec, ...], packs: Mapping[str, str]) -> None:
        self._specs = {each.name: each for each in specs}
        self.packs = dict(packs)

    @classmethod
    def load(cls, path: Path = SCHEMA_PATH) -> ToolRegistry:
        """Read the schema file; internal tools are left out. OSError or ValueError that says what is wrong with it."""
        document = json.loads(path.read_text(encoding="utf-8"))
        try:
            specs = tuple(
                ToolSpec(
                    name=each["name"],
                    pack=each["pack"],
                    where=each["where"],
                    effect=each["effect"],
                    description=each["description"],
                    progress=each["progress"],
                    timeout_s=float(each["timeout_s"]),
                    callers=tuple(each["callers"]),
                    parameters=each["parameters"],
                    advertised=each.get("advertised"),
                    parallel=bool(each["parallel"]),
                    cacheable=bool(each["cacheable"]),
                    polling=bool(each["polling"]),
                )
                for each in document["tools"]
                if not each.get("internal")
            )
            return cls(specs, document["packs"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path.name} is not a tool schema file: {error!r}") from error

    def list_registered(self) -> tuple[ToolSpec, ...]:
        """All tools, by name."""
        return tuple(self._specs[name] for name in sorted(self._specs))

    def get(self, name: str) -> ToolSpec | None:
        """A tool, or None."""
        return self._specs.get(name)
