"""The calls of MCP clients, written down as those of a conversation are, but in files of their own.

They are no conversation: nobody opens them again, several processes may write at once (each stdio host has its own), and a busy client
makes more of them than a person ever says. So there is a file for each client and day, and old ones go. Who was allowed what is in
QGIS's audit, which is kept apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..records.redact import Redactor
from ..records.sessions import SessionStore

FOLDER = "mcp_calls"
KEPT_DAYS = 30
DAY_S = 86_400.0


class Journal:
    """Append-only files in ``records_dir/mcp_calls``. Days are those of UTC."""

    def __init__(self, records_dir: Path, redactor: Redactor, clock: Callable[[], float] = time.time) -> None:
        self._store = SessionStore(records_dir / FOLDER, redactor, clock)
        self._folder = records_dir / FOLDER
        self._clock = clock
        self._day = ""

    def write(self, session_id: str, kind: str, /, **fields: Any) -> None:
        """Append one record of a client. OSError where it cannot be written; ValueError for a bad id."""
        day = time.strftime("%Y%m%d", time.gmtime(self._clock()))
        if day != self._day:
            self._day = day
            self._remove_old()
        self._store.record(f"{session_id}-{day}", kind, **fields)

    def _remove_old(self) -> None:
        before = self._clock() - KEPT_DAYS * DAY_S
        for path in self._folder.glob("**/*.jsonl"):
            try:
                if path.stat().st_mtime < before:
                    path.unlink()
            except OSError as error:  # another process was quicker, or holds it
                sys.stderr.write(f"an old record of MCP calls stays: {type(error).__name__}\n")
