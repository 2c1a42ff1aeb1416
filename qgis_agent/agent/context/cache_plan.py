"""What of a request a provider can have in its cache, as three hashes that are kept with every turn.

``system_prefix``: tools and stable sections, the same for all turns of a run. ``cacheable_prefix``: tools, sections and
history, that is everything but the tail; it begins the next request. ``dynamic_suffix``: the tail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..execution.tool_materializer import canonical

HASH_CHARS = 16


@dataclass(frozen=True)
class CachePlan:
    """Hashes (first 16 hex digits of SHA-256 over canonical JSON) and the bytes that they cover."""

    system_prefix: str
    cacheable_prefix: str
    dynamic_suffix: str
    prefix_bytes: int
    suffix_bytes: int

    def as_record(self) -> dict[str, Any]:
        """For the trace."""
        return {
            "system_prefix_hash": self.system_prefix,
            "cacheable_prefix_hash": self.cacheable_prefix,
            "dynamic_suffix_hash": self.dynamic_suffix,
            "prefix_bytes": self.prefix_bytes,
            "suffix_bytes": self.suffix_bytes,
        }


class CachePlanner:
    """Plans for the requests of one run. Where a request goes on from the one before, only what is new is encoded and hashed."""

    def __init__(self) -> None:
        self._hashed: list[Any] = []
        self._running = hashlib.sha256()
        self._size = 0
        self._stable = (0, "")

    def plan(self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]], stable: int) -> CachePlan:
        """The plan of a request whose last message is the tail and whose first ``stable`` ones are the sections."""
        parts = [*tools, *messages[:-1]]
        known = len(self._hashed)
        goes_on = known <= len(parts) and all(one is other for one, other in zip(self._hashed, parts))
        sections = len(tools) + stable
        if not goes_on or self._stable[0] != sections:
            self._hashed, self._running, self._size, known = [], hashlib.sha256(), 0, 0
            self._stable = (sections, "")
        for at, part in enumerate(parts[known:], known):
            if at == sections:
                self._stable = (sections, self._digest())
            text = canonical(part).encode("utf-8", "replace") + b"\n"
            self._running.update(text)
            self._size += len(text)
        self._hashed = parts
        if not self._stable[1] and len(parts) == sections:
            self._stable = (sections, self._digest())
        tail = canonical(messages[-1]).encode("utf-8", "replace") if messages else b""
        suffix = hashlib.sha256(tail).hexdigest()[:HASH_CHARS]
        return CachePlan(self._stable[1], self._digest(), suffix, self._size, len(tail))

    def _digest(self) -> str:
        return self._running.hexdigest()[:HASH_CHARS]
