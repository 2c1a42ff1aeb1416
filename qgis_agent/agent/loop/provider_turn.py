"""ProviderTurnCaller: the boundary between a request and a model. The one owner of retries and of the model's time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from ..events import Events
from ..llm.types import LLMResponse, ModelClient, ModelError, ProviderRequest
from ..texts import say
from .state import RunnerState

MODEL_RETRIES = 2
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 30.0


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
    ) -> None:
        self.client = client
        self._events = events
        self._sleep = sleep
        self._jitter = jitter

    async def call(self, request: ProviderRequest, state: RunnerState, seconds: float) -> LLMResponse:
        """One model turn in at most ``seconds`` of model time.

        Retried at most twice, only errors that say so and only before the first piece of text. Raises ModelError, ModelTimeUp.
        """
        attempt = 0
        while True:
            started = time.monotonic()
            pieces: list[int] = []
            try:
                state.model_attempts += 1
                return await self._once(request, pieces, seconds)
            except ModelError as error:
                wait = self._wait_before(error, attempt, bool(pieces))
                if wait is None:
                    raise
                attempt += 1
                self._events.emit(
                    "notice",
                    level="warning",
                    text=say("retrying", state.language, why=error.message, seconds=round(wait)),
                )
            finally:
                spent = time.monotonic() - started
                seconds -= spent
                state.model_ms += spent * 1000
            await self._sleep(wait)
            if seconds <= 0:
                raise ModelTimeUp

    async def _once(self, request: ProviderRequest, pieces: list[int], seconds: float) -> LLMResponse:
        def on_text(delta: str) -> None:
            if delta:
                pieces.append(len(delta))
                self._events.text(delta)

        task = asyncio.ensure_future(self.client.complete(request, on_text))
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            await _end(task)
            raise
        if not done:
            await _end(task)
            raise ModelTimeUp
        return task.result()

    def _wait_before(self, error: ModelError, attempt: int, streamed: bool) -> float | None:
        """Seconds to wait before the next attempt; None when there is none."""
        if streamed or not error.retryable or attempt >= MODEL_RETRIES:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= MAX_WAIT_S else None
        return float(min(MAX_WAIT_S, FIRST_WAIT_S * 2**attempt) + 0.5 * self._jitter())


async def _end(task: asyncio.Future[LLMResponse]) -> None:
    """Cancel a model call and give it a moment to close its connection."""
    task.cancel()
    await asyncio.wait({task}, timeout=0.3)
    if task.done() and not task.cancelled():
        task.exception()  # taken, so that asyncio does not report it
