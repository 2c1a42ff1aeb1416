"""The tool contracts as the QGIS side knows them: ``resources/tools.schema.json``, generated from ``agent/catalog``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

from ..bridge.schema import check, problem_envelope
from .errors import NOT_FOUND, ToolError, hint_for_name

PLUGIN_ROOT = Path(__file__).resolve().parents[2]
SCHEMA_PATH = PLUGIN_ROOT / "resources" / "tools.schema.json"


class Contracts:
    """All contracts by name."""

    def __init__(self, path: Path = SCHEMA_PATH) -> None:
        document = json.loads(path.read_text(encoding="utf-8"))
        self.version: int = document["schema_version"]
        self.tools: Dict[str, Dict[str, Any]] = {each["name"]: each for each in document["tools"]}

    def get(self, name: Any) -> Dict[str, Any]:
        """A contract. NOT_FOUND with the nearest names."""
        if not isinstance(name, str) or name not in self.tools:
            raise ToolError(
                NOT_FOUND,
                "There is no tool {!r}.".format(name),
                hint=hint_for_name(str(name), self.tools, "tools"),
                reason="tool",
            )
        return self.tools[name]

    def checked(self, name: str, arguments: Any) -> Dict[str, Any]:
        """The arguments when they fit the contract's schema. INVALID_PARAM otherwise."""
        contract = self.get(name)
        problem = check(arguments, contract["parameters"])
        if problem is not None:
            envelope = problem_envelope(problem)
            raise ToolError(envelope["code"], envelope["message"], hint=envelope["hint"], reason=envelope["reason"])
        return dict(arguments)

    def names(self, where: str = "") -> List[str]:
        """Names of all tools, or of those that run on one side ("qgis" or "agent")."""
        return [each for each, contract in self.tools.items() if not where or contract["where"] == where]


__all__ = ["PLUGIN_ROOT", "SCHEMA_PATH", "Contracts"]
