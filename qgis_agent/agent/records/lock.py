"""One writer a session: two QGIS on one profile must not write into one another's file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO


class InUse(Exception):
    """Another process writes this session."""


class WriterLock:
    """A lock of the operating system on ``<session>.lock``, held until the process ends: a killed one leaves none behind.

    The file stays, empty; what counts is who holds it. Where the file system knows no locks, there is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def take(self) -> None:
        """Hold it from now on. InUse when another process does."""
        if self._file is not None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        try:
            _lock(opened)
        except (BlockingIOError, PermissionError) as error:
            opened.close()
            raise InUse(self._path.stem) from error
        except OSError:
            sys.stderr.write(f"no lock on {self._path.name}: its file system has none\n")
        self._file = opened

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._file is not None

    def release(self) -> None:
        """Let others write. Closing a file ends all locks of this process on it: hold one WriterLock a session at a time."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(opened: BinaryIO) -> None:
        msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(opened: BinaryIO) -> None:
        fcntl.lockf(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
