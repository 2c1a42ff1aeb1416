"""One open question a caller: a second one waits until the first is answered, and is looked at anew then."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, List, Set, Tuple

Key = Tuple[str, str]
"""(session, caller). All MCP clients together are one caller: a person sees one question of theirs at a time."""
MAX_WAITING = 20
"""Questions of a caller that wait behind the open one; no person wants more."""
MCP_WAITING = 3
MCP_A_MINUTE = 10
"""Questions of one MCP client."""


@dataclass
class _Entry:
    """A question that is to be put; ``begun`` once it was."""

    owner: Any
    begin: Callable[[], None]
    begun: bool = False


class Questions:
    """The questions of one QGIS, in order, for each caller. ``owner`` of an entry is the running call."""

    def __init__(self) -> None:
        self._lines: Dict[Key, List[_Entry]] = {}
        self._moving: Set[Key] = set()

    def put(self, key: Key, owner: Any, begin: Callable[[], None]) -> None:
        """Call ``begin`` now, or when the caller's questions before it are done."""
        self._lines.setdefault(key, []).append(_Entry(owner, begin))
        self._move(key)

    def done(self, key: Key, owner: Any) -> None:
        """The question of ``owner`` is answered, withdrawn or was never put: the next one of the caller begins."""
        line = self._lines.get(key, [])
        line[:] = [each for each in line if each.owner is not owner]
        if not line:
            self._lines.pop(key, None)
        self._move(key)

    def open(self, key: Key) -> bool:
        """Whether the caller has a question that is not done."""
        return bool(self._lines.get(key))

    def waiting(self, key: Key) -> int:
        """How many wait behind the open one."""
        return max(0, len(self._lines.get(key, [])) - 1)

    def _move(self, key: Key) -> None:
        """Begin the first question of the line. One after the other, not one inside the other: a line may be long, and
        each of its questions may be settled as soon as it begins."""
        if key in self._moving:
            return
        self._moving.add(key)
        try:
            line = self._lines.get(key)
            while line and not line[0].begun:
                line[0].begun = True
                line[0].begin()
                line = self._lines.get(key)
        finally:
            self._moving.discard(key)


class AskRate:
    """How often each MCP client has asked in the last minute. ``clock`` gives seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked: Dict[str, Deque[float]] = {}

    def full(self, session_id: str) -> bool:
        """Whether a client has asked as often as it may."""
        asked = self._asked.get(session_id, deque())
        while asked and asked[0] <= self._clock() - 60.0:
            asked.popleft()
        return len(asked) >= MCP_A_MINUTE

    def note(self, session_id: str) -> None:
        """A client asks now."""
        self._asked.setdefault(session_id, deque()).append(self._clock())
