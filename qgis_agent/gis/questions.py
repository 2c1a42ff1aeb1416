"""One open question a caller: a second one waits until the first is answered, and is looked at anew then."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

Key = Tuple[str, str]
"""(session, caller)."""


class Questions:
    """The questions of one QGIS, in order, for each caller. ``owner`` of an entry is the running call."""

    def __init__(self) -> None:
        self._lines: Dict[Key, List[Tuple[Any, Callable[[], None]]]] = {}

    def put(self, key: Key, owner: Any, begin: Callable[[], None]) -> None:
        """Call ``begin`` now, or when the caller's questions before it are done."""
        line = self._lines.setdefault(key, [])
        line.append((owner, begin))
        if len(line) == 1:
            begin()

    def done(self, key: Key, owner: Any) -> None:
        """The question of ``owner`` is answered, withdrawn or was never put: the next one of the caller begins."""
        line = self._lines.get(key, [])
        first = bool(line) and line[0][0] is owner
        line[:] = [each for each in line if each[0] is not owner]
        if not line:
            self._lines.pop(key, None)
        elif first:
            line[0][1]()

    def open(self, key: Key) -> bool:
        """Whether the caller has a question that is not done."""
        return bool(self._lines.get(key))

    def waiting(self, key: Key) -> int:
        """How many wait behind the open one."""
        return max(0, len(self._lines.get(key, [])) - 1)
