"""Results of MCP clients in one SQLite file beside the other records. Readable by its owner only; rows that end are overwritten."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .kept import About, Kept
from .store_form import StoreError, Times, about_text, chunks_of, cut, key_of, read_about, span

FORM = 1
"""A file of another form is emptied: nothing in it lives for longer than hours."""
BUSY_S = 5.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, about TEXT NOT NULL, made REAL NOT NULL, "
    "until REAL NOT NULL, forget REAL NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS chunks (key TEXT NOT NULL, number INTEGER NOT NULL, rows TEXT NOT NULL, "
    "PRIMARY KEY (key, number)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS results_made ON results (made)",
)


class SqlitePages:
    """See Pages. Several processes may have the file open; each call is one transaction. StoreError for every fault."""

    def __init__(self, path: Path, times: Times, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._times = times
        self._clock = clock
        self._lock = threading.Lock()
        try:
            self._connection = self._open()
        except sqlite3.OperationalError as error:  # locked, or no place to write: not the file's fault
            raise StoreError("the file of results cannot be opened") from error
        except sqlite3.DatabaseError:  # no SQLite file, or a damaged one: what was in it is lost anyway
            path.unlink(missing_ok=True)
            try:
                self._connection = self._open()
            except sqlite3.Error as error:
                raise StoreError("the file of results cannot be made") from error

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        os.chmod(self._path, 0o600)
        connection = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
                connection.execute("DROP TABLE IF EXISTS results")
                connection.execute("DROP TABLE IF EXISTS chunks")
                connection.execute(f"PRAGMA user_version={FORM}")
            for each in _TABLES:
                connection.execute(each)
            self._clear(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError("the file of results cannot be read or written") from error

    def put(self, ref: str, about: About, rows: list[Any]) -> None:
        """See Pages. What is older makes room."""
        key, now = key_of(ref), self._clock()
        texts = list(chunks_of(rows))
        size = sum(map(len, texts))
        if size > self._times.bytes_kept:
            raise StoreError("the result is too large to be kept")
        ends = (now, now + self._times.rows_s, now + self._times.remembered_s)
        with self._transaction() as connection:
            connection.execute("DELETE FROM chunks WHERE key = ?", (key,))
            connection.execute(
                "INSERT OR REPLACE INTO results (key, about, made, until, forget, bytes) VALUES (?, ?, ?, ?, ?, ?)",
                (key, about_text(about, len(rows)), *ends, size),
            )
            connection.executemany(
                "INSERT INTO chunks (key, number, rows) VALUES (?, ?, ?)",
                [(key, number, text) for number, text in enumerate(texts)],
            )
            self._clear(connection)
            self._make_room(connection, key)

    def _clear(self, connection: sqlite3.Connection) -> None:
        """Rows past their time, and what is remembered of those long ago."""
        now = self._clock()
        connection.execute(
            "DELETE FROM chunks WHERE key IN (SELECT key FROM results WHERE bytes > 0 AND until < ?)", (now,)
        )
        connection.execute("UPDATE results SET bytes = 0 WHERE bytes > 0 AND until < ?", (now,))
        connection.execute("DELETE FROM results WHERE forget < ?", (now,))

    def _make_room(self, connection: sqlite3.Connection, newest: str) -> None:
        """Drop the rows of the oldest results until the others fit; what they came from stays known."""
        kept = connection.execute("SELECT key, bytes FROM results WHERE bytes > 0 ORDER BY made DESC").fetchall()
        kept.sort(key=lambda each: each[0] != newest)  # the one that was just put is never the one to go
        size = 0
        for number, (key, part) in enumerate(kept):
            size += part
            if number >= self._times.results or size > self._times.bytes_kept:
                connection.execute("DELETE FROM chunks WHERE key = ?", (key,))
                connection.execute("UPDATE results SET bytes = 0, until = ? WHERE key = ?", (self._clock(), key))

    def look(self, ref: str) -> Kept | None:
        """See Pages."""
        key, now = key_of(ref), self._clock()
        with self._transaction() as connection:
            row = connection.execute("SELECT about, until, forget, bytes FROM results WHERE key = ?", (key,)).fetchone()
            if row is not None and row[1] < now and row[3]:
                self._clear(connection)
        found = read_about(row[0]) if row is not None and row[2] >= now else None
        if row is None or found is None:
            return None
        return Kept(found[0], found[1], expired=row[1] < now or not row[3])

    def rows(self, ref: str, start: int, count: int) -> list[Any]:
        """See Pages. StoreError where the rows have gone meanwhile."""
        key = key_of(ref)
        first, last = span(start, count)
        with self._transaction() as connection:
            alive = connection.execute(
                "SELECT 1 FROM results WHERE key = ? AND bytes > 0 AND until >= ?", (key, self._clock())
            ).fetchone()
            if alive is None:
                raise StoreError("this result is no longer kept")
            found = connection.execute(
                "SELECT rows FROM chunks WHERE key = ? AND number BETWEEN ? AND ? ORDER BY number", (key, first, last)
            ).fetchall()
        return cut([each[0] for each in found], first, start, count)
