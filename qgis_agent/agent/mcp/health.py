"""What GET /health answers: that somebody is there; to an allowed client also who, in which versions."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

SERVED_VERSIONS: tuple[str, ...] = (*reversed(MODERN_PROTOCOL_VERSIONS), *reversed(HANDSHAKE_PROTOCOL_VERSIONS))
"""Newest first: of the first kind each request stands by itself, clients of the others begin with ``initialize``."""


def health(details: Mapping[str, Any] | None) -> dict[str, Any]:
    """``details`` is what to say besides to whoever has a token; None for all others, who learn no more than "ok"."""
    if details is None:
        return {"status": "ok"}
    try:
        sdk = version("mcp")
    except PackageNotFoundError:
        sdk = ""
    return {"status": "ok", **details, "protocol_versions": list(SERVED_VERSIONS), "mcp_sdk": sdk}
