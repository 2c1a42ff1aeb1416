"""What both stores of results have in common: how long, how much, and the form in which rows and their origin are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .kept import About

TTL_S = 6 * 3600.0
"""Rows are kept so long: as long as QGIS's own handles live (gis/results.py)."""
REMEMBER_S = 7 * 86400.0
"""What a handle came from is known so much longer, so that one that has expired can be asked for again."""
MAX_BYTES_KEPT = 128 * 1024 * 1024
"""Of the rows of all results together; the oldest go first."""
MAX_RESULTS = 500
CHUNK_ROWS = 100
"""Rows that are written and read together."""


class StoreError(OSError):
    """The store could not be opened, read or written. Its words name no address and no password."""


@dataclass(frozen=True)
class Times:
    """Seconds: of the rows, and of what is remembered of them. ``bytes_kept`` bounds all rows together."""

    rows_s: float = TTL_S
    remembered_s: float = REMEMBER_S
    bytes_kept: int = MAX_BYTES_KEPT
    results: int = MAX_RESULTS


def key_of(ref: str) -> str:
    """Under what a handle is kept: who reads the store cannot fetch with it."""
    return hashlib.sha256(ref.encode("utf-8", "surrogatepass")).hexdigest()


def chunks_of(rows: list[Any]) -> Iterator[str]:
    """Rows as texts of CHUNK_ROWS each; one empty chunk where there are none."""
    for start in range(0, max(1, len(rows)), CHUNK_ROWS):
        yield _text(rows[start : start + CHUNK_ROWS])


def span(start: int, count: int) -> tuple[int, int]:
    """The numbers of the first and the last chunk that hold these rows."""
    return start // CHUNK_ROWS, max(start, start + count - 1) // CHUNK_ROWS


def cut(chunks: list[str], first: int, start: int, count: int) -> list[Any]:
    """Rows ``start`` to ``start + count`` of whole chunks that begin with chunk number ``first``. StoreError: damaged."""
    rows: list[Any] = []
    try:
        for each in chunks:
            rows += json.loads(each)
    except (ValueError, TypeError) as error:
        raise StoreError("the rows of a result cannot be read") from error
    offset = start - first * CHUNK_ROWS
    return rows[offset : offset + count]


def _text(value: Any) -> str:
    """Compact JSON in ASCII: what is no valid Unicode (half a pair, from a broken file) has no other form that both stores take."""
    return json.dumps(value, separators=(",", ":"))


def about_text(about: About, total: int) -> str:
    """What is kept beside the rows, as JSON."""
    return _text(
        {
            "owner": about.owner,
            "tool": about.tool,
            "args_digest": about.args_digest,
            "trace_id": about.trace_id,
            "origin": dict(about.origin),
            "total": total,
        }
    )


def read_about(text: str) -> tuple[About, int] | None:
    """The inverse of ``about_text``; None for a text that is no such thing."""
    try:
        given = json.loads(text)
    except ValueError:
        return None
    if not isinstance(given, dict):
        return None
    owner, tool, digest, trace = (given.get(key) for key in ("owner", "tool", "args_digest", "trace_id"))
    origin, total = given.get("origin"), given.get("total")
    if not (isinstance(owner, str) and isinstance(tool, str) and isinstance(digest, str) and isinstance(trace, str)):
        return None
    if not isinstance(origin, dict) or not isinstance(total, int):
        return None
    return About(owner, tool, digest, trace, origin), total
