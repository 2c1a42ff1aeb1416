"""The ends of the line: protocol bytes on a private copy of stdout, everything else on stderr, stdin read by a thread."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

READ_BYTES = 65536


def take_stdout() -> int:
    """A private descriptor for the protocol. From now on what libraries print to stdout goes to stderr."""
    sys.stdout.flush()
    descriptor = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return descriptor


class LineWriter:
    """Writes whole lines under a lock. After the other side has gone, nothing."""

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._broken = False

    def write(self, line: bytes) -> None:
        """Write one line; blocks while the pipe is full."""
        with self._lock:
            if self._broken:
                return
            view = memoryview(line)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:  # the parent closed its end
                self._broken = True
        if self._broken:
            self._on_broken()


def start_reader(on_bytes: Callable[[bytes], None], on_end: Callable[[], None]) -> threading.Thread:
    """Read stdin on a thread of its own, so that reading works the same on every system. The callbacks run on that thread."""

    def read() -> None:
        while True:
            try:
                data = os.read(0, READ_BYTES)
            except OSError:
                data = b""
            if not data:
                on_end()
                return
            on_bytes(data)

    thread = threading.Thread(target=read, name="stdin", daemon=True)
    thread.start()
    return thread
