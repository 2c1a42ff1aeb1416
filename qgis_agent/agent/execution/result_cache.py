"""ResultCache: what a read tool answered, for a few minutes and only while nothing changed.

The key is project, profile, tool, canonical arguments and data revision. The revision is asked of QGIS before each such call
(``project/revision``) and joined with our own count of changing calls, so that a stale result cannot be read: where QGIS knows no
revision (network, databases) there is no caching. Only contracts that say ``cacheable`` are kept.
"""

from __future__ import annotations

import copy
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .registry import ToolSpec
from .tool_materializer import canonical
from .tool_runtime import ToolExecution

TTL_S = 300.0
MAX_ENTRIES = 128


@dataclass(frozen=True)
class _Entry:
    execution: ToolExecution
    until: float


class ResultCache:
    """Kept for the life of the process, shared by runs. ``clock`` is monotonic seconds."""

    def __init__(self, *, ttl_s: float = TTL_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._ttl_s = ttl_s
        self._clock = clock
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._changes = 0
        self.hits = 0

    def changed(self) -> None:
        """A call that is not a read ended, however it ended: what was read before may be old."""
        self._changes += 1

    def key(
        self, spec: ToolSpec, arguments: Mapping[str, Any], *, project_id: str, profile: str, revision: str | None
    ) -> str | None:
        """The key of a call, or None when its result must not be kept."""
        if revision is None or spec.effect != "read" or not spec.cacheable:
            return None
        if arguments.get("use_selection"):
            return None  # what is selected changes without the data revision
        return canonical([project_id, profile, spec.name, dict(arguments), revision, self._changes])

    def get(self, key: str | None) -> ToolExecution | None:
        """A kept result; its ``decision`` says that it comes from the cache, and it took no time."""
        entry = self._entries.get(key) if key is not None else None
        if entry is None or key is None:
            return None
        if entry.until <= self._clock():
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        self.hits += 1
        kept = entry.execution
        return ToolExecution(
            envelope=copy.deepcopy(kept.envelope),
            arguments=dict(kept.arguments),
            actions=list(kept.actions),
            legend=list(kept.legend),
            evidence=list(kept.evidence),
            decision={"effect": "read", "decision": "allow", "by": "cache"},
        )

    def put(self, key: str | None, execution: ToolExecution) -> None:
        """Keep a success. A result with a handle is not kept: the handle may be gone before the entry is."""
        data = execution.envelope.get("data")
        has_handle = isinstance(data, dict) and "result_ref" in data
        if key is None or not execution.envelope.get("ok") or has_handle or execution.question is not None:
            return
        self._entries[key] = _Entry(execution, self._clock() + self._ttl_s)
        self._entries.move_to_end(key)
        while len(self._entries) > MAX_ENTRIES:
            self._entries.popitem(last=False)
