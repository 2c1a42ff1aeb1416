"""What the agent process sends, a little at a time: many messages at once must not hold QGIS's main thread.

A burst of MCP programs puts dozens of calls into one read of the pipe; each costs the main thread some milliseconds.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Callable, Deque, Optional

from qgis.PyQt.QtCore import QObject, QTimer

BUDGET_S = 0.008
"""After so long the main thread gets to other things before the next message is taken; half a frame at 60 Hz."""


class Inbox(QObject):
    """Bytes go in, ``take`` gets them line by line (with the line's end, and the rest without) in their order.

    A ``take`` that waits in an event loop of its own does not hold back what comes behind it.
    """

    def __init__(
        self, take: Callable[[bytes], None], parent: Optional[QObject] = None, budget_s: float = BUDGET_S
    ) -> None:
        super().__init__(parent)
        self._take = take
        self._budget_s = budget_s
        self._lines: Deque[bytes] = deque()
        self._more = QTimer(self)
        self._more.setInterval(0)
        self._more.timeout.connect(self._turn)

    def add(self, data: bytes) -> None:
        """Bytes have come."""
        *lines, rest = data.split(b"\n")
        self._lines.extend(each + b"\n" for each in lines)
        if rest:
            self._lines.append(rest)
        if not self._more.isActive():
            self._turn()

    def drain(self) -> None:
        """The other side has ended: take all that is left now."""
        self._more.stop()
        while self._lines:
            self._take(self._lines.popleft())

    def _turn(self) -> None:
        until = time.perf_counter() + self._budget_s
        while self._lines:
            line = self._lines.popleft()
            if self._lines:
                self._more.start()
            self._take(line)
            if time.perf_counter() > until:
                break
        if not self._lines:
            self._more.stop()
