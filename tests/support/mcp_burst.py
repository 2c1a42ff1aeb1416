"""Many programs at once, and far too many requests: what a broken or a hostile program does. Standard library only.

Standard input: {url, tokens, requests, clients, wrong, calls: [{name, arguments}]}: ``clients`` connections share ``requests`` requests
between them, each with one of ``tokens``; ``wrong`` of them have a token that nobody was given. Each goes through ``calls`` in turn.
Standard output: {statuses: {status: count}, seconds, closed, latencies: {median, worst} in ms}.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

VERSION = "2026-07-28"
ANSWER_S = 60.0


class Caller:
    """One connection that is kept as long as the other side keeps it."""

    def __init__(self, url: str, token: str, calls: list[dict[str, Any]]) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = str(parts.hostname), int(parts.port or 80), parts.path
        self._token = token
        self._calls = calls
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.closed = 0

    async def call(self, ident: int) -> int:
        """The status of one call; 0 where the connection was closed without an answer."""
        for _again in range(2):
            try:
                return await asyncio.wait_for(self._call(ident), ANSWER_S)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.closed += 1
                self._streams = None
        return 0

    async def _call(self, ident: int) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(self._request(ident))
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = {
            key.lower(): value.strip() for key, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
        }
        if "content-length" in headers:
            await reader.readexactly(int(headers["content-length"]))
        elif headers.get("transfer-encoding") == "chunked":
            await self._chunks(reader)
        if headers.get("connection", "").lower() == "close":
            writer.close()
            self._streams = None
        return int(head.split(" ", 2)[1])

    @staticmethod
    async def _chunks(reader: asyncio.StreamReader) -> None:
        while True:
            size = int((await reader.readline()).strip() or b"0", 16)
            await reader.readexactly(size + 2)
            if size == 0:
                return

    def _request(self, ident: int) -> bytes:
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "burst", "version": "1"},
        }
        call = self._calls[ident % len(self._calls)]
        params = {"name": call["name"], "arguments": call["arguments"], "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}).encode()
        lines = (
            f"POST {self._path} HTTP/1.1",
            f"Host: {self._host}:{self._port}",
            f"Authorization: Bearer {self._token}",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            f"MCP-Protocol-Version: {VERSION}",
            "Mcp-Method: tools/call",
            f"Mcp-Name: {call['name']}",
            f"Content-Length: {len(body)}",
        )
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def burst(plan: dict[str, Any]) -> dict[str, Any]:
    """All clients at once, each call of a client as soon as the one before is answered."""
    statuses: Counter[str] = Counter()
    times: list[float] = []
    clients, per_client = plan["clients"], plan["requests"] // plan["clients"]
    tokens = plan["tokens"]
    callers = [
        Caller(
            plan["url"],
            "qgm_wrong" if each < plan.get("wrong", 0) else tokens[each % len(tokens)],
            plan["calls"],
        )
        for each in range(clients)
    ]

    async def run(caller: Caller) -> None:
        for ident in range(per_client):
            began = time.monotonic()
            statuses[str(await caller.call(ident))] += 1
            times.append(1000 * (time.monotonic() - began))

    began = time.monotonic()
    await asyncio.gather(*(run(each) for each in callers))
    return {
        "statuses": dict(statuses),
        "seconds": time.monotonic() - began,
        "closed": sum(each.closed for each in callers),
        "latencies": {"median": statistics.median(times), "worst": max(times)},
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(burst(json.load(sys.stdin)))))
