"""Results behind handles, kept where every replica of a server finds them: between a client's calls and the store.

QGIS gives the rows once, with what they came from; at each fetch it is asked whether the client may see that now. Rows that QGIS
does not give (too many, or attribute values that stay at home) are fetched from it as ever.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ...bridge.envelope import FORBIDDEN, NOT_FOUND, Envelope, encode, failure, size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES, MCP_ACCESS, MCP_SEAL
from ..execution.bound import checked_envelope
from .clients import AccessRefused, Client

MAX_ROWS = 20_000
MAX_BYTES = 8 * 1024 * 1024
MAX_PAGE = 200
DEFAULT_PAGE = 20
ROOM = 300
"""Bytes of a page's envelope that its rows leave to the rest."""


@dataclass(frozen=True)
class About:
    """What is kept beside the rows. ``owner`` is the client's id, ``origin`` is QGIS's word (mcp/seal)."""

    owner: str
    tool: str
    args_digest: str
    trace_id: str
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """A result that the store has, or had: ``expired`` says that its rows are gone."""

    about: About
    total: int
    expired: bool = False


class Pages(Protocol):
    """The store (``store.py``). May wait for a disk or a network: called on threads. OSError where it cannot."""

    def put(self, ref: str, about: About, rows: list[Any]) -> None:
        """Keep a result for its time."""
        ...

    def look(self, ref: str) -> Kept | None:
        """What is known of a handle."""
        ...

    def rows(self, ref: str, start: int, count: int) -> list[Any]:
        """Some rows of a result, in order; fewer at its end."""
        ...


def open_keeper(spec: str, records_dir: Path) -> Keeper:
    """A keeper over the store that ``spec`` names: "sqlite", or a Redis URL. OSError where it cannot be opened."""
    from .store import open_store

    return Keeper(open_store(spec, records_dir))


class Keeper:
    """See ResultKeeper. A store that fails costs a client its replica, never its answer."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def keep(self, client: Client, tool: str, arguments: Mapping[str, Any], envelope: Envelope) -> None:
        """See ResultKeeper."""
        ref = envelope["data"]["result_ref"]
        if tool == "fetch_result":
            return
        found = await self._all_rows(client, ref)
        if found is None:
            return
        rows, origin = found
        digest = hashlib.sha256(encode(dict(arguments)).encode("utf-8", "replace")).hexdigest()
        try:
            access = await client.access()
        except AccessRefused:
            return
        about = About(client.id, tool, digest, access.run_id, origin)
        try:
            await asyncio.to_thread(self._pages.put, ref, about, rows)
        except OSError as error:
            sys.stderr.write(f"a result for an MCP client could not be kept: {type(error).__name__}\n")

    @staticmethod
    async def _all_rows(client: Client, ref: str) -> tuple[list[Any], Mapping[str, Any]] | None:
        """All rows of a handle and their origin; None where they stay with QGIS."""
        rows: list[Any] = []
        size, cursor = 0, 0
        while True:
            answer = await client.request(MCP_SEAL, {"result_ref": ref, "cursor": cursor})
            part, origin, following = answer.get("rows"), answer.get("origin"), answer.get("next")
            if not isinstance(part, list) or not isinstance(origin, dict):
                return None
            rows += part
            size += size_bytes(part)
            if len(rows) > MAX_ROWS or size > MAX_BYTES:
                return None
            if not isinstance(following, int) or following <= cursor:
                return rows, origin
            cursor = following

    async def fetch(self, client: Client, arguments: Mapping[str, Any]) -> Envelope | None:
        """See ResultKeeper."""
        ref = str(arguments.get("result_ref", ""))
        try:
            kept = await asyncio.to_thread(self._pages.look, ref)
        except OSError as error:
            sys.stderr.write(f"the store of results could not be read: {type(error).__name__}\n")
            return None
        if kept is None or kept.about.owner != client.id:
            return None  # QGIS says the same of a handle that there never was and of one of somebody else's
        if kept.expired:
            return _expired(kept.about.tool)
        answer = await client.request(MCP_ACCESS, {"origin": dict(kept.about.origin)})
        if answer.get("allowed") is not True:
            return _refused(answer)
        return await self._page(ref, kept, arguments)

    async def _page(self, ref: str, kept: Kept, arguments: Mapping[str, Any]) -> Envelope:
        given = {key: value for key, value in arguments.items() if value is not None}
        wanted = int(given.get("page_size", DEFAULT_PAGE))
        cursor = min(int(given.get("cursor", 0)), kept.total)  # no store takes a number of any size
        size = max(1, min(wanted, MAX_PAGE))
        try:
            rows = await asyncio.to_thread(self._pages.rows, ref, cursor, size)
        except OSError:
            return _expired(kept.about.tool)
        said = f"page_size {wanted} was clamped to {MAX_PAGE}." if wanted > MAX_PAGE else ""
        while True:
            end = cursor + len(rows)
            data = {
                "rows": rows,
                "total": kept.total,
                "returned": len(rows),
                "cursor": cursor,
                "next": end if rows and end < kept.total else None,
            }
            page = success(data, said)
            if len(rows) <= 1 or size_bytes(page) <= MAX_RESULT_BYTES - ROOM:
                return page
            rows = rows[: max(1, len(rows) * 2 // 3)]


def _expired(tool: str) -> Envelope:
    return failure(
        NOT_FOUND,
        "This result is no longer kept.",
        hint=f"Call {tool} again: it gives a new result_ref.",
        reason="result_ref",
    )


def _refused(answer: Mapping[str, Any]) -> Envelope:
    if isinstance(answer.get("envelope"), dict):
        return checked_envelope(answer["envelope"])
    return failure(FORBIDDEN, "QGIS does not show this result now.", hint="Ask the question again.", reason="scope")
