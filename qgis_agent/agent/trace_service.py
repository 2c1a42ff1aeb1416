"""Traces for the QGIS side: the state of the map at a run's end goes into the record, and traces are written from it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..bridge.trace import to_line
from .parameters import ParamsError, object_of, text_of, texts_of
from .records.migrate import migrated
from .records.redact_trace import KINDS, redacted
from .records.sessions import Record, SessionError, SessionStore
from .records.trace_export import traces_of


class TraceService:
    """Answers ``trace/export`` and takes ``run/state``."""

    def __init__(self, sessions: SessionStore) -> None:
        self._sessions = sessions

    def state_told(self, params: Mapping[str, Any]) -> str:
        """Record what the map was like when a run had ended; returns what went wrong, or ""."""
        try:
            session_id, run_id = text_of(params, "session_id"), text_of(params, "run_id")
            fields = {"map_state": object_of(params, "map_state"), "aliases": object_of(params, "aliases")}
            if not self._sessions.is_owned(session_id):
                return "the session is not this process's"
            self._sessions.record(session_id, "map_state", run_id=run_id, **fields)
        except (ParamsError, SessionError, OSError) as error:
            return str(error)
        return ""

    def export(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Write traces as lines of a file that a person named: {count, unreadable}. ParamsError that says why not.

        Without ``append`` the file must be a new one or is replaced as a whole, never half. ``unreadable``: how many lines of
        the record are damaged; what they told is missing, and all else is there.
        """
        session_id = text_of(params, "session_id")
        wanted = texts_of(params, "trace_ids")
        kinds = texts_of(params, "redact")
        unknown = [each for each in kinds if each not in KINDS]
        if unknown:
            raise ParamsError(f"redact: unknown {unknown[0]!r}; allowed: {', '.join(KINDS)}")
        try:
            path = self._sessions.path_of(session_id)
            records, unreadable = _read(path) if path.exists() else ([], 0)
        except (SessionError, OSError) as error:
            raise ParamsError(str(error)) from error
        traces = traces_of(records, session_id, text_of(params, "project_path", ""))
        chosen = [each for each in traces if not wanted or each["trace_id"] in wanted]
        if not chosen:
            raise ParamsError("there is no such run in the conversation")
        lines = "".join(to_line(each) for each in redacted(chosen, kinds))
        try:
            _write(Path(text_of(params, "path")), lines, append=params.get("append") is True)
        except OSError as error:
            raise ParamsError(f"the file could not be written: {error.strerror or error}") from error
        return {"count": len(chosen), "unreadable": unreadable}


def _read(path: Path) -> tuple[list[Record], int]:
    """The records as they are now, and how many lines are none. Nothing is mended: their writer may be in the middle of a line,
    and one that has no end yet is not damaged."""
    records: list[Record] = []
    unreadable = 0
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            record = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            records.append(record)
        elif line.endswith(b"\n"):
            unreadable += 1
    return migrated(records), unreadable


def _write(path: Path, text: str, *, append: bool) -> None:
    """Only its owner reads the file: a trace holds what was said and what the data says."""
    if append and path.exists():
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
