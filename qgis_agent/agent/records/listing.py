"""The sessions of a records folder as a person looks through them: what they are about, when, how large.

Nothing here loads a conversation: lines are looked at by their first bytes, for each record begins with its kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .lock import InUse, WriterLock
from .sessions import said_in

MAX_LISTED = 200
"""Sessions that one answer names, the newest; a search looks through all."""
TITLE_CHARS = 80
_ABOUT = (b'{"t":"user"', b'{"t":"title"', b'{"t":"run_start"')
_SAID = (b'{"t":"user"', b'{"t":"run_end"')


@dataclass(frozen=True)
class SessionEntry:
    """One session. ``at``: seconds since 1970 of the last record; ``size`` in bytes; ``requests``: messages of the person;
    ``project`` and ``project_key``: name and key of the project that its last run worked on, "" for an unsaved one."""

    session_id: str
    title: str
    project: str
    project_key: str
    at: float
    size: int
    requests: int


class SessionListing:
    """Looks through ``folder``. What was read of a file is kept until the file changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[tuple[int, int], SessionEntry | None]] = {}

    def entries(self, project_key: str | None = None, query: str = "") -> list[SessionEntry]:
        """Sessions in which something was said, the newest first. ``project_key`` None: of all projects.

        ``query``: in the title, or in what was said, whatever the case. Files that cannot be read are left out.
        """
        wanted = query.casefold().split()
        found = []
        for path in self._folder.glob("*.jsonl"):
            entry = self._entry(path)
            if entry is None or (project_key is not None and entry.project_key != project_key):
                continue
            if not wanted or _has(entry.title, wanted) or _has(" ".join(said_of(path)), wanted):
                found.append(entry)
        return sorted(found, key=lambda each: each.at, reverse=True)

    def answer(self, project_key: str | None = None, query: str = "") -> dict[str, Any]:
        """``entries`` as the answer to sessions/list: {sessions, total}."""
        found = self.entries(project_key, query)
        return {"sessions": [asdict(each) for each in found[:MAX_LISTED]], "total": len(found)}

    def _entry(self, path: Path) -> SessionEntry | None:
        try:
            state = path.stat()
            mark = (state.st_mtime_ns, state.st_size)
            known = self._known.get(path)
            if known is None or known[0] != mark:
                known = self._known[path] = (mark, _read(path, state.st_mtime, state.st_size))
        except OSError:
            return None
        return known[1]


def _read(path: Path, at: float, size: int) -> SessionEntry | None:
    first, named, requests = "", "", 0
    project: dict[str, Any] = {}
    for record in _records(path, _ABOUT):
        kind = record.get("t")
        if kind == "user":
            requests += 1
            first = first or str(record.get("content", ""))
        elif kind == "title":
            named = str(record.get("title", ""))
        elif isinstance(record.get("project"), dict):
            project = record["project"]
    if not requests:
        return None
    name, key = str(project.get("name", "")), str(project.get("key", ""))
    return SessionEntry(path.stem, title_of(named or first), name, key, at, size, requests)


def said_of(path: Path) -> Iterator[str]:
    """What person and agent said in a session's file. OSError where it cannot be read."""
    for record in _records(path, _SAID):
        yield str(record.get("content" if record.get("t") == "user" else "final") or "")


def transcript_of(path: Path) -> list[dict[str, str]]:
    """What was said, as {role, text}, without touching a file that another process may write. OSError."""
    return said_in(list(_records(path, (*_SAID, b'{"t":"assistant"'))))


def title_of(text: str) -> str:
    """The first words of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def _records(path: Path, kinds: tuple[bytes, ...]) -> Iterator[dict[str, Any]]:
    """The records of some kinds; a line that is damaged, or torn, is not one."""
    with path.open("rb") as file:
        for line in file:
            if not line.startswith(kinds):
                continue
            try:
                record = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


def _has(text: str, wanted: list[str]) -> bool:
    folded = text.casefold()
    return all(each in folded for each in wanted)


def alone_with(path: Path, act: Callable[[], None]) -> None:
    """Do something to a session's file that no open session of this process holds, as its only writer. InUse, OSError."""
    lock = WriterLock(path.with_suffix(".lock"))
    lock.take()
    try:
        act()
    finally:
        lock.release()


def delete_files(path: Path, charts: Path) -> None:
    """Delete a session's file, its damaged copy, and the charts that its answers showed. The lock's file stays for its holder."""
    names = [each for record in _records(path, (b'{"t":"run_end"',)) for each in _chart_names(record)]
    for each in (*(charts / name for name in names), path.with_suffix(".jsonl.bad"), path):
        each.unlink(missing_ok=True)


def _chart_names(record: dict[str, Any]) -> list[str]:
    """Base names only: a record names no file outside of the folder."""
    given = record.get("charts")
    charts = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    names = [Path(str(each.get("file") or "")).name for each in charts]
    return [each for each in names if each.endswith(".png")]


__all__ = [
    "InUse",
    "SessionEntry",
    "SessionListing",
    "alone_with",
    "delete_files",
    "said_of",
    "title_of",
    "transcript_of",
]
