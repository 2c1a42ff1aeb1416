"""What a person does with sessions: look through them, go on with one, rename, delete. Answers for the server, without pipes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..bridge.envelope import size_bytes
from ..bridge.messages import MAX_LINE_BYTES
from .parameters import ParamsError, text_of
from .records.listing import SessionListing, alone_with, delete_files, title_of, transcript_of
from .records.lock import InUse
from .records.migrate import SCHEMA_VERSION, newest_schema
from .records.past_runs import RunFile
from .records.sessions import SessionError, SessionStore

PAGE_BYTES = MAX_LINE_BYTES // 2
"""Of one answer to session/load: the rest comes with another request."""
Answer = dict[str, Any]


class _Refused(Exception):
    """A change that is not made; its text is the reason."""


class SessionService:
    """``busy`` tells whether a run goes on; the session of that run is then neither let go nor deleted."""

    def __init__(self, store: SessionStore, records_dir: Path, busy: Callable[[], bool]) -> None:
        self._store = store
        self._charts = records_dir / "charts"
        self._listing = SessionListing(records_dir / "sessions")
        self._busy = busy

    def listed(self, params: Mapping[str, Any]) -> Answer:
        """sessions/list: {sessions, total}; of one project where ``project_key`` is given. Slow work: call it on a thread."""
        key = params.get("project_key")
        if key is not None and not isinstance(key, str):
            raise ParamsError("project_key: must be a text or null")
        return self._listing.answer(key, text_of(params, "query", ""))

    def load(self, params: Mapping[str, Any]) -> Answer:
        """session/load: a page of what was said, the last one unless ``before`` is given; ``own`` to go on with the session."""
        ident = text_of(params, "session_id")
        try:
            path = self._store.path_of(ident)
            if params.get("own") is True:
                if self._busy():
                    return _refused(ident, "running")
                said = self._store.resume(ident).conversation()
            elif self._store.is_owned(ident):
                said = self._store.get(ident).conversation()
            else:
                said = transcript_of(path) if path.exists() else []
        except SessionError as error:
            if error.reason:
                return _refused(ident, error.reason)
            raise ParamsError(str(error)) from error
        before = params.get("before")
        end = before if isinstance(before, int) and 0 <= before <= len(said) else len(said)
        first = _page(said, end)
        return {"session_id": ident, "messages": said[first:end], "first": first, "total": len(said), "reason": ""}

    async def runs(self, params: Mapping[str, Any]) -> Answer:
        """session/runs: a page of runs with all that they showed, the last one unless ``before`` is given; ``own`` as in load.

        The first answer (without ``before``) also has what the whole conversation used, and its project.
        """
        ident, before = text_of(params, "session_id"), params.get("before")
        if before is not None and (not isinstance(before, int) or isinstance(before, bool)):
            raise ParamsError("before: must be a number or null")
        path = self._path(ident)
        reason = self._begin(ident) if params.get("own") is True else ""
        if reason:
            return _no_runs(ident, reason)
        try:
            return await asyncio.to_thread(_runs_in, path, ident, before)
        except FileNotFoundError:
            return _no_runs(ident, "missing")

    def _begin(self, ident: str) -> str:
        """Make this process the session's writer, "" or why not."""
        if self._busy():
            return "running"
        try:
            self._store.resume(ident)
        except SessionError as error:
            return error.reason or "missing"
        return ""

    def rename(self, params: Mapping[str, Any]) -> Answer:
        """sessions/rename: {done, reason}."""
        ident, title = text_of(params, "session_id"), title_of(text_of(params, "title"))
        return self._change(ident, lambda: self._write_title(ident, title))

    def delete(self, params: Mapping[str, Any]) -> Answer:
        """sessions/delete: {done, reason}. What it says is gone for good."""
        ident = text_of(params, "session_id")
        if self._busy() and self._store.is_owned(ident):
            return {"done": False, "reason": "running"}
        self._store.forget(ident)
        return self._change(ident, lambda: delete_files(self._path(ident), self._charts))

    def _change(self, ident: str, act: Callable[[], None]) -> Answer:
        """Do it as the only writer: the open session's own lock, or one for this moment."""
        path = self._path(ident)
        if not path.exists():
            return {"done": False, "reason": "missing"}
        try:
            if self._store.is_owned(ident):
                act()
            else:
                alone_with(path, act)
        except InUse:
            return {"done": False, "reason": "in_use"}
        except _Refused as error:
            return {"done": False, "reason": str(error)}
        except OSError as error:
            return {"done": False, "reason": "failed", "message": error.strerror or type(error).__name__}
        return {"done": True, "reason": ""}

    def _path(self, ident: str) -> Path:
        try:
            return self._store.path_of(ident)
        except SessionError as error:
            raise ParamsError(str(error)) from error

    def _write_title(self, ident: str, title: str) -> None:
        with self._store.path_of(ident).open("rb") as file:
            if newest_schema(file) > SCHEMA_VERSION:
                raise _Refused("newer")
        self._store.record(ident, "title", title=title)


def _page(said: list[dict[str, str]], end: int) -> int:
    """The first message of the page that ends before ``end``: as many as fit, and at least one."""
    first, size = end, 0
    while first > 0:
        size += size_bytes(said[first - 1])
        if size > PAGE_BYTES and first < end:
            break
        first -= 1
    return first


def _runs_in(path: Path, ident: str, before: int | None) -> Answer:
    """On a thread: the file may be long."""
    file = RunFile(path)
    runs, first = file.page(before)
    answer = {"session_id": ident, "runs": runs, "first": first, "total": file.total, "reason": ""}
    return answer if before is not None else {**answer, "usage": file.usage(), "project": file.project()}


def _no_runs(ident: str, reason: str) -> Answer:
    return {"session_id": ident, "runs": [], "first": 0, "total": 0, "reason": reason}


def _refused(ident: str, reason: str) -> Answer:
    return {"session_id": ident, "messages": [], "first": 0, "total": 0, "reason": reason}
