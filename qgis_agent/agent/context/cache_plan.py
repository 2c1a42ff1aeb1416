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
    """Plans for the requests of one run. Messages that were seen before are not encoded again: a history only grows."""

    def __init__(self) -> None:
        self._encoded: dict[int, tuple[Any, bytes]] = {}

    def plan(self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]], stable: int) -> CachePlan:
        """The plan of a request whose last message is the tail and whose first ``stable`` ones are the sections."""
        running = hashlib.sha256()
        size = 0
        for tool in tools:
            size += self._feed(running, tool)
        for message in messages[:stable]:
            size += self._feed(running, message)
        system = running.hexdigest()[:HASH_CHARS]
        for message in messages[stable:-1]:
            size += self._feed(running, message)
        tail = canonical(messages[-1]).encode("utf-8", "replace") if messages else b""
        suffix = hashlib.sha256(tail).hexdigest()[:HASH_CHARS]
        return CachePlan(system, running.hexdigest()[:HASH_CHARS], suffix, size, len(tail))

    def _feed(self, running: Any, value: Mapping[str, Any]) -> int:
        key = id(value)
        known = self._encoded.get(key)
        if known is None or known[0] is not value:
            known = (value, canonical(value).encode("utf-8", "replace") + b"\n")
            self._encoded[key] = known
        running.update(known[1])
        return len(known[1])
