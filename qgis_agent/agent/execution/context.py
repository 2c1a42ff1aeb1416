"""ToolContext: what the tools of one run are bound to. Made anew for each run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..context.catalogue import CatalogueStore


class QgisBridge(Protocol):
    """Requests to the QGIS side."""

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """The answer. Raises RpcError; when the waiting task is cancelled the request is cancelled too."""
        ...


@dataclass(frozen=True)
class CallRequest:
    """A checked and permitted call. ``call_id`` is unique in the run."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    origin: str
    ask_reason: str = ""
    """Why QGIS is to ask the person even where its own rules would not; "" for no reason."""


@dataclass(frozen=True)
class ToolContext:
    """Who calls, for which run, and the ways out of the process. ``capability`` is QGIS's; without it nothing is done."""

    run_id: str
    session_id: str
    capability: str
    caller: str
    bridge: QgisBridge
    catalogue: CatalogueStore
    snapshot: Mapping[str, Any] = field(default_factory=dict)
    whole_map: Mapping[str, Any] = field(default_factory=dict)
    """What the record keeps of the map for a replay; no model sees it."""
    enabled_packs: tuple[str, ...] = ()
    locale: str = "en"
    attended: bool = True
    """Whether a person looks on in the panel; False for the command line."""
    language: str = ""
    """The language of answers where the person chose one, else ""."""
    charts_dir: Path | None = None
    """Where pictures of charts are written; None where none can be kept."""
    call_prefix: str = ""
    """Before every call id that crosses the bridge: a sub-agent shares its parent's run, and no two calls of a run may share an id."""
