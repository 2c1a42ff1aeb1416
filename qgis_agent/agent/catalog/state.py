"""Contract of get_map_state: for MCP clients and the command line, as chat is sent the snapshot with each request."""

from __future__ import annotations

from .base import Contract, NoArguments

CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "get_map_state", "default", "qgis", "read",
        "Read the map's present state. Use it first; not for data. Returns view, scale, CRS, visible layers from the top, active "
        "layer, layers touched last, selection, filters, last action.",
        NoArguments, "Looking at the map", callers=("mcp", "cli"), parallel=True,
    ),
)  # fmt: skip
