"""Puts a token before an MCP endpoint, for programs that cannot send one: the conformance suite.

All else of a request, and every byte of an answer, goes on as it came: a wrong Host or Origin is refused by the endpoint, not here.
"""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType

HEAD_BYTES = 65_536
RATE, BURST = 15.0, 25
"""Requests a second that go on, and how many may come at once before: the suite takes 429 for a failure, and waits for nothing."""


class Bearer:
    """A relay on a loopback port of its own, in a thread, while the ``with`` lasts. One request a connection."""

    def __init__(self, port: int, token: str) -> None:
        self._to = port
        self._line = f"Authorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._next = 0.0
        self.port = 0
        self.requests = 0

    def __enter__(self) -> Bearer:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._begin(), self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _begin(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=HEAD_BYTES)

    async def _end(self) -> None:
        self._server.close()
        open_ones = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for each in open_ones:
            each.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.requests += 1
            await self._turn()
            lines = [each for each in head[:-4].split(b"\r\n") if not each.lower().startswith(b"connection:")]
            answers, onward = await asyncio.open_connection("127.0.0.1", self._to)
            onward.write(b"\r\n".join(lines) + b"\r\n" + self._line)
            # Either side's end is the other's: a client that goes away has to be noticed by the endpoint.
            halves = [asyncio.create_task(_pump(reader, onward)), asyncio.create_task(_pump(answers, writer))]
            await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
            for each in halves:
                each.cancel()
            await asyncio.gather(*halves, return_exceptions=True)
            onward.transport.abort()
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    async def _turn(self) -> None:
        now = self._loop.time()
        self._next = max(self._next, now - BURST / RATE) + 1 / RATE
        await asyncio.sleep(max(0.0, self._next - now))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(HEAD_BYTES):
        writer.write(data)
        await writer.drain()
