"""ProviderTurnCaller: the boundary between a request and a model. The one owner of retries and of the model's time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from ..events import Events
from ..llm.types import LLMResponse, ModelClient, ModelError, ProviderRequest
from ..llm.words import in_language, notice
from .state import RunnerState

MODEL_RETRIES = 3
EMPTY_RETRIES = 1
"""Retries of an answer that is none: a model that says nothing twice has nothing to say."""
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 30.0
TOTAL_WAIT_S = 60.0
"""Waiting that one turn may come to; a server that asks for more is not waited for."""
JITTER_S = 0.5
QUIET_S = 15.0
"""Silence of a model after which the person is told that it is still being waited for."""
COUNTDOWN_S = (20.0, 10.0, 5.0)
"""Seconds left at which a wait is spoken of again."""
_NEVER = frozenset({"auth", "quota", "config", "context_overflow", "internal"})
"""Kinds that another attempt cannot mend, whatever the error says of itself."""


class ModelTimeUp(Exception):
    """The run's time for models ended in the middle of a call; the call was cancelled."""


class ProviderTurnCaller:
    """Calls one model. ``client`` may be exchanged (for the offline commands) by the loop."""

    def __init__(
        self,
        client: ModelClient,
        events: Events,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        retries: int = MODEL_RETRIES,
    ) -> None:
        self.client = client
        self._events = events
        self._sleep = sleep
        self._jitter = jitter
        self._retries = retries

    async def call(self, request: ProviderRequest, state: RunnerState, seconds: float) -> LLMResponse:
        """One model turn in at most ``seconds`` of model time; waits count as none.

        Retried ``retries`` times at most, and only errors that say so. Text that was shown before a failure is taken back; once a
        piece of a tool call has come the client marks its error as final. Raises ModelError, ModelTimeUp.
        """
        attempt, waited = 0, 0.0
        while True:
            await self._admit(request, state)
            started = time.monotonic()
            try:
                state.model_attempts += 1
                response = await self._once(request, state, seconds)
                self._tell(response, state)
                return response
            except ModelError as error:
                wait = self._wait_before(error, attempt, waited)
                if wait is None:
                    raise
                if seconds <= time.monotonic() - started:
                    raise ModelTimeUp from error
                why = in_language(error.message, state.language)
            finally:
                spent = time.monotonic() - started
                seconds -= spent
                state.model_ms += spent * 1000
            attempt, waited = attempt + 1, waited + wait
            self._events.reset_text()
            await self._count_down(wait, why, state)

    async def _admit(self, request: ProviderRequest, state: RunnerState) -> None:
        """Wait for the rate limit of the model's role, before the clock of the model starts."""
        admit = getattr(self.client, "admit", None)
        if admit is not None:
            await admit(request, lambda wait: self._notice("info", "rate_wait", state, seconds=_whole(wait)))

    async def _once(self, request: ProviderRequest, state: RunnerState, seconds: float) -> LLMResponse:
        heard = asyncio.Event()

        def on_text(delta: str) -> None:
            heard.set()
            self._events.text(delta)

        task = asyncio.ensure_future(self.client.complete(request, on_text))
        try:
            quiet = min(QUIET_S, seconds)
            done, _ = await asyncio.wait({task}, timeout=quiet)
            if not done and seconds > quiet:
                if not heard.is_set():
                    self._notice("info", "quiet", state, seconds=_whole(quiet))
                done, _ = await asyncio.wait({task}, timeout=seconds - quiet)
        except asyncio.CancelledError:
            await _end(task)
            raise
        if not done:
            await _end(task)
            raise ModelTimeUp
        return task.result()

    def _wait_before(self, error: ModelError, attempt: int, waited: float) -> float | None:
        """Seconds to wait before the next attempt; None when there is none."""
        allowed = min(EMPTY_RETRIES, self._retries) if error.kind == "bad_answer" else self._retries
        if not error.retryable or error.kind in _NEVER or attempt >= allowed:
            return None
        jitter = JITTER_S * self._jitter()
        if error.retry_after_s is not None:
            if error.retry_after_s > MAX_WAIT_S:
                return None
            wait = error.retry_after_s + jitter
        else:
            wait = min(MAX_WAIT_S, FIRST_WAIT_S * 2.0**attempt + jitter)
        return wait if waited + wait <= TOTAL_WAIT_S else None

    async def _count_down(self, wait: float, why: str, state: RunnerState) -> None:
        self._notice("warning", "waiting", state, why=why, seconds=_whole(wait))
        left = wait
        for mark in COUNTDOWN_S:
            if left - mark >= 2.0:
                await self._sleep(left - mark)
                left = mark
                self._notice("info", "still_waiting", state, seconds=_whole(left))
        await self._sleep(left)

    def _tell(self, response: LLMResponse, state: RunnerState) -> None:
        for key in response.notices:
            self._notice("warning", key, state)

    def _notice(self, level: str, key: str, state: RunnerState, **values: object) -> None:
        self._events.emit("notice", level=level, text=notice(key, state.language, **values))


def _whole(seconds: float) -> int:
    return max(1, round(seconds))


async def _end(task: asyncio.Future[LLMResponse]) -> None:
    """Cancel a model call and give it a moment to close its connection."""
    task.cancel()
    await asyncio.wait({task}, timeout=0.3)
    if task.done() and not task.cancelled():
        task.exception()  # taken, so that asyncio does not report it
