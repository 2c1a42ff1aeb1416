"""How far a long step is, for a person at the command line: on stderr, so that it stands in no pipe."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, Optional, TextIO

if TYPE_CHECKING:
    from .gis.calls import Calls

EVERY_S = 2.0
"""A line this often at the most, in seconds."""


class ProgressLines:
    """Writes "tool: 42 %" lines. ``clock`` gives seconds that only go forward."""

    def __init__(self, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._last: Optional[float] = None

    def tell(self, _call_id: str, tool: str, percent: int) -> None:
        """Takes the signal ``progressed`` of Calls."""
        now = self._clock()
        if self._last is None or now - self._last >= EVERY_S:
            self._last = now
            self._out.write("{}: {} %\n".format(tool, percent))
            self._out.flush()


def tell_progress(calls: Calls, out: TextIO) -> None:
    """Write the progress of ``calls`` to ``out`` for as long as they are."""
    lines = ProgressLines(out)
    # Not the method itself: Qt would not keep the object that it belongs to.
    calls.progressed.connect(lambda call_id, tool, percent: lines.tell(call_id, tool, percent))
