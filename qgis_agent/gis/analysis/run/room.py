"""Watches that an algorithm leaves room on the disk and in the memory, and stops it in time.

How much most algorithms make is not known beforehand. A full disk or memory would take QGIS, and unsaved work, with it.
"""

from __future__ import annotations

import ctypes
import shutil
import sys
from typing import Any, Callable, Optional, Tuple

from qgis.PyQt.QtCore import QTimer

from ...errors import (
    UPSTREAM_ERROR,
    ToolError,
)
from ...i18n import translate

CHECK_MS = 500
LEAST_DISK = 500_000_000
"""Bytes that must stay free where the results go."""
LEAST_MEMORY = 0.04
"""Share of the machine's memory that must stay free."""
GROWTH = 1_000_000_000
"""Bytes that must have gone meanwhile, before a lack of memory is put down to the algorithm."""


class RoomWatch:
    """Looks while an algorithm runs; calls ``stop`` once, when there is too little room. On the main thread."""

    def __init__(self, folder: str, stop: Callable[[], None]) -> None:
        self._folder = folder
        self._stop = stop
        self._free = free_memory()[0]
        self.error: Optional[ToolError] = None
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(CHECK_MS)

    def end(self) -> None:
        """The algorithm has returned."""
        self._timer.stop()

    def _look(self) -> None:
        self.error = self._lack()
        if self.error is not None:
            self._timer.stop()
            self._stop()

    def _lack(self) -> Optional[ToolError]:
        disk = free_disk(self._folder)
        if 0 <= disk < LEAST_DISK:
            return _no_room(translate("QgisAgent", "the disk for temporary files is nearly full"), "disk_full")
        free, whole = free_memory()
        if 0 < free < LEAST_MEMORY * whole and self._free - free > GROWTH:
            return _no_room(translate("QgisAgent", "the memory is nearly full"), "no_memory")
        return None


def free_disk(folder: str) -> int:
    """Bytes that are free where ``folder`` is; -1 where that cannot be told."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return -1


def free_memory() -> Tuple[int, int]:
    """Bytes of memory that are free, and all; (0, 0) where the system does not tell (macOS)."""
    if sys.platform == "win32":
        return _of_windows()
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            told = dict(line.split(":", 1) for line in file if ":" in line)
        return int(told["MemAvailable"].split()[0]) * 1024, int(told["MemTotal"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return 0, 0


def _of_windows() -> Tuple[int, int]:
    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong) for name in ("whole", "free", "w1", "f1", "w2", "f2", "more")
        ]

    status: Any = Status()
    status.length = ctypes.sizeof(Status)
    windows: Any = getattr(ctypes, "windll")  # noqa: B009  there is none elsewhere
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0, 0
    return int(status.free), int(status.whole)


def _no_room(why: str, reason: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "It was stopped: {}.").format(why),
        hint=translate("QgisAgent", "Use a smaller area, larger cells or fewer features."),
        reason=reason,
    )
