"""Contract of get_map_state: for MCP clients only, as chat is sent the snapshot with each request."""

from __future__ import annotations

from .base import Contract

CONTRACTS: tuple[Contract, ...] = ()
