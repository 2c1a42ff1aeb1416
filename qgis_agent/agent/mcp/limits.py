"""How much the HTTP endpoint takes: one place for every number, and the counters that hold clients to them."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

ANONYMOUS = ""
"""Whoever asks /health without a token, all together."""


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes, times in seconds."""

    rate_per_s: float = 20.0
    burst: int = 40
    """Requests that a client may send at once after a pause."""
    at_once: int = 8
    """Requests of one client that are worked on at a time; as many as QGIS gets of one (clients.py)."""
    in_line: int = 16
    """Requests of one client that wait for such a place."""
    line_s: float = 10.0
    connections: int = 64
    """Of all clients together; one that does nothing makes room."""
    body_bytes: int = 1024 * 1024
    header_bytes: int = 16 * 1024
    header_s: float = 10.0
    """From the first byte of a request, or from the start of a connection, to the end of its headers."""
    body_s: float = 10.0
    linger_s: float = 5.0
    """A request that was answered before its body had come: what still comes is dropped for so long."""
    send_s: float = 15.0
    """A client that does not read its answer for so long has gone."""
    keep_alive_s: float = 60.0
    request_s: float = 900.0
    """No answer takes longer; tools have time-outs of their own, all shorter."""


class Busy(Exception):
    """Too much at once. ``retry_after_s`` is a whole number of seconds, at least 1; ``what`` says of what there was too much."""

    def __init__(self, what: str, retry_after_s: float) -> None:
        super().__init__(what)
        self.what = what
        self.retry_after_s = max(1, math.ceil(retry_after_s))


class Bucket:
    """Tokens that refill with time: ``burst`` at first, ``rate_per_s`` of them a second later on."""

    def __init__(self, rate_per_s: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate_per_s, float(burst), clock
        self._left, self._at = float(burst), clock()

    def take(self) -> float:
        """Take one: 0, or the seconds until there is one again."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / self._rate
        self._left -= 1
        return 0.0


class Turnstile:
    """The rate and the places of each client. Only ids of allowed clients, and ANONYMOUS, get here, so that it stays small."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._buckets: dict[str, Bucket] = {}
        self._places: dict[str, anyio.Semaphore] = {}
        self._waiting: dict[str, int] = {}

    def count(self, client_id: str) -> None:
        """One more request of this client. Busy where they come too fast."""
        bucket = self._buckets.get(client_id)
        if bucket is None:
            bucket = self._buckets[client_id] = Bucket(self._limits.rate_per_s, self._limits.burst, self._clock)
        wait = bucket.take()
        if wait:
            raise Busy("requests a second", wait)

    @asynccontextmanager
    async def place(self, client_id: str) -> AsyncIterator[None]:
        """A place to work in, after at most ``line_s`` in line. Busy where there is none."""
        places = self._places.setdefault(client_id, anyio.Semaphore(self._limits.at_once))
        await self._stand(client_id, places)
        try:
            yield
        finally:
            places.release()

    async def _stand(self, client_id: str, places: anyio.Semaphore) -> None:
        try:
            places.acquire_nowait()
            return
        except anyio.WouldBlock:
            waiting = self._waiting.get(client_id, 0)
        if waiting >= self._limits.in_line:
            raise Busy("requests at once", 1)
        self._waiting[client_id] = waiting + 1
        try:
            with anyio.fail_after(self._limits.line_s):
                await places.acquire()
        except TimeoutError:
            raise Busy("requests at once", 1) from None
        finally:
            if client_id in self._waiting:
                self._waiting[client_id] -= 1

    def forget(self, client_id: str) -> None:
        """The client is allowed no more. Its open requests keep their places until they end."""
        for each in (self._buckets, self._places, self._waiting):
            each.pop(client_id, None)
