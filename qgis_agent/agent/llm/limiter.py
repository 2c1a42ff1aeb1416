"""Requests per minute of one model role, kept by waiting. The wait is an await: a stop ends it at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

WINDOW_S = 60.0


class RateLimiter:
    """At most ``per_minute`` starts in any 60 seconds; None never waits. ``clock`` is monotonic, in seconds."""

    def __init__(
        self,
        per_minute: int | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._starts: deque[float] = deque()

    def delay(self) -> float:
        """Seconds until one more may start; 0.0 when it may now."""
        if self._per_minute is None:
            return 0.0
        now = self._clock()
        while self._starts and now - self._starts[0] >= WINDOW_S:
            self._starts.popleft()
        return 0.0 if len(self._starts) < self._per_minute else WINDOW_S - (now - self._starts[0])

    async def wait(self, on_wait: Callable[[float], None] | None = None) -> None:
        """Return when one more may start, and count it. ``on_wait`` hears the seconds before a wait begins.

        A wait that is cancelled counts nothing.
        """
        told = False
        while (seconds := self.delay()) > 0:
            if on_wait is not None and not told:
                on_wait(seconds)
                told = True
            await self._sleep(seconds)
        if self._per_minute is not None:
            self._starts.append(self._clock())
