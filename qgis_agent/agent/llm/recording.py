"""What crosses the boundary to a model, written down and played back: the same run again, without a model or a network.

One record is one call of ``ModelClient.complete``: the canonical request with its hash, the whole answer (or how it failed,
or that it was stopped), and the pieces of text with their times. Records are plain JSON data. They hold the words of the
conversation unredacted, because a redacted request would not be the one that is made again: keep them where tests are.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from .types import LLMResponse, ModelClient, ModelError, OnText, ProviderRequest, ToolCall, Usage

RECORD_VERSION = 1
VOLATILE = (
    ("messages", "*", "tool_calls", "*", "id"),
    ("messages", "*", "tool_call_id"),
)
"""What the hash leaves out: ids of calls, which a provider makes up anew each time. Nothing else is."""
EXCERPT = 60
"""Characters shown on either side of the first difference of two texts."""
Record = dict[str, Any]
_ABSENT = object()


def canonical_request(request: ProviderRequest, model: str) -> dict[str, Any]:
    """The request as a model sees it, without volatile ids: model, role, messages, tools, sampling."""
    whole: dict[str, Any] = {
        "model": model,
        "role": request.role,
        "messages": request.messages,
        "tools": request.tools,
        "sampling": {"temperature": request.temperature, "max_output_tokens": request.max_output_tokens},
    }
    for path in VOLATILE:
        whole = _without(whole, path)
    return whole


def _without(value: Any, path: tuple[str, ...]) -> Any:
    """A copy of ``value`` without what ``path`` names; "*" is every item of a list."""
    head, rest = path[0], path[1:]
    if head == "*":
        return [_without(each, rest) for each in value] if isinstance(value, list) else value
    if not isinstance(value, Mapping) or head not in value:
        return value
    if not rest:
        return {key: each for key, each in value.items() if key != head}
    return {key: _without(each, rest) if key == head else each for key, each in value.items()}


def canonical_bytes(canonical: Mapping[str, Any]) -> bytes:
    """The one spelling of a canonical request: keys sorted, ASCII, no space. Raises ValueError for NaN and infinity."""
    return json.dumps(canonical, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def request_hash(canonical: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical_bytes(canonical)).hexdigest()


class RecordingClient:
    """Passes everything on to ``inner`` and gives ``sink`` one record a call, also of those that fail or are stopped.

    ``clock`` gives seconds and is used for the times of the records only; no time enters a hash.
    """

    def __init__(
        self, inner: ModelClient, sink: Callable[[Record], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner = inner
        self._sink = sink
        self._clock = clock
        self._number = 0

    @property
    def kind(self) -> str:
        """The kind of the client that is recorded."""
        return self._inner.kind

    @property
    def label(self) -> str:
        """Its label."""
        return self._inner.label

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """See ModelClient. Errors that are no ModelError are faults of a client; they pass through unrecorded."""
        self._number += 1
        started = self._clock()
        pieces: list[list[Any]] = []
        # Now, and as a copy: the lists of a request are the conversation's own and grow.
        canonical = json.loads(canonical_bytes(canonical_request(request, self.label)))

        def heard(delta: str) -> None:
            pieces.append([self._ms(started), delta])
            on_text(delta)

        def write(**outcome: Any) -> None:
            self._sink(
                {
                    "version": RECORD_VERSION,
                    "number": self._number,
                    "kind": self.kind,
                    "label": self.label,
                    "hash": request_hash(canonical),
                    "request": canonical,
                    "pieces": pieces,
                    "ms": self._ms(started),
                    **outcome,
                }
            )

        try:
            answer = await self._inner.complete(request, heard)
        except ModelError as error:
            write(error=_error_data(error))
            raise
        except asyncio.CancelledError:
            write(stopped=True)
            raise
        write(answer=_answer_data(answer))
        return answer

    def _ms(self, started: float) -> float:
        return round((self._clock() - started) * 1000, 3)


class ReplayMiss(Exception):
    """The run that is replayed asked for something else than the recorded one."""


class ReplayClient:
    """Plays records back, strictly first in, first out. A request that is not the recorded one raises ReplayMiss.

    ``sleep`` is awaited with the seconds between the pieces as they were recorded; without it a replay takes no time.
    ``seen`` are the canonical bytes of the requests that came, in order.
    """

    def __init__(self, records: Iterable[Record], sleep: Callable[[float], Awaitable[object]] | None = None) -> None:
        self._records = deque(records)
        first: Mapping[str, Any] = self._records[0] if self._records else {}
        self.kind = str(first.get("kind", "model"))
        self.label = str(first.get("label", "replay"))
        self._sleep = sleep
        self._miss = ""
        self.seen: list[bytes] = []

    @property
    def remaining(self) -> int:
        """Records that have not been asked for yet."""
        return len(self._records)

    def assert_complete(self) -> None:
        """Raises ReplayMiss when a request did not fit, or when records are left over."""
        if self._miss:
            raise ReplayMiss(self._miss)
        if self._records:
            raise ReplayMiss(
                f"The replay ended early: {self.remaining} of {self.remaining + len(self.seen)} recorded requests were "
                f"not made; the next is request {len(self.seen) + 1}."
            )

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """See ModelClient. Raises ReplayMiss, and the ModelError that was recorded; a stopped call waits to be stopped."""
        record = self._next(canonical_request(request, self.label))
        at = 0.0
        for ms, piece in record["pieces"]:
            await self._pass(ms - at)
            at = ms
            on_text(piece)
        await self._pass(record["ms"] - at)
        if record.get("stopped"):
            await asyncio.get_running_loop().create_future()
        if "error" in record:
            raise _error_of(record["error"])
        return _answer_of(record["answer"])

    def _next(self, canonical: dict[str, Any]) -> Record:
        present = canonical_bytes(canonical)
        self.seen.append(present)
        number = len(self.seen)
        if not self._miss and not self._records:
            self._miss = f"Request {number} was made, but only {number - 1} were recorded."
        if not self._miss and hashlib.sha256(present).hexdigest() != self._records[0]["hash"]:
            difference = first_difference(self._records[0]["request"], json.loads(present))
            self._miss = (
                f"Request {number} is not the recorded one. {difference or 'The record does not fit its hash.'}"
            )
        if self._miss:
            raise ReplayMiss(self._miss)
        return self._records.popleft()

    async def _pass(self, ms: float) -> None:
        """Let the time of a record pass, or at least let a stop get through."""
        await (asyncio.sleep(0) if self._sleep is None else self._sleep(max(0.0, ms / 1000)))


def first_difference(recorded: Any, present: Any, path: str = "") -> str:
    """Where two JSON values differ first, with both values; "" when they do not. Lists are compared in order."""
    if isinstance(recorded, dict) and isinstance(present, dict):
        steps = [(f"{path}.{key}" if path else str(key), key) for key in [*recorded, *_new_keys(recorded, present)]]
        pairs = [(step, recorded.get(key, _ABSENT), present.get(key, _ABSENT)) for step, key in steps]
    elif isinstance(recorded, list) and isinstance(present, list):
        length = max(len(recorded), len(present))
        pairs = [(f"{path}[{at}]", _item(recorded, at), _item(present, at)) for at in range(length)]
    elif type(recorded) is type(present) and recorded == present:
        return ""
    else:
        was, now = _excerpts(recorded, present)
        return f"{path or 'value'}: recorded {was}, now {now}"
    return next((found for step, was, now in pairs if (found := first_difference(was, now, step))), "")


def _new_keys(recorded: Mapping[str, Any], present: Mapping[str, Any]) -> list[str]:
    return sorted(key for key in present if key not in recorded)


def _item(values: list[Any], at: int) -> Any:
    return values[at] if at < len(values) else _ABSENT


def _excerpts(recorded: Any, present: Any) -> tuple[str, str]:
    was, now = (_spelled(each) for each in (recorded, present))
    at = next((at for at, (a, b) in enumerate(zip(was, now)) if a != b), min(len(was), len(now)))
    start = max(0, at - EXCERPT)
    return _cut(was, start), _cut(now, start)


def _spelled(value: Any) -> str:
    return "(nothing)" if value is _ABSENT else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _cut(text: str, start: int) -> str:
    end = start + 2 * EXCERPT
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _error_data(error: ModelError) -> dict[str, Any]:
    return {
        "kind": error.kind,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
        "retry_after_s": error.retry_after_s,
    }


def _error_of(data: Mapping[str, Any]) -> ModelError:
    fields = dict(data)
    return ModelError(fields.pop("kind"), fields.pop("message"), **fields)


def _answer_data(answer: LLMResponse) -> dict[str, Any]:
    return {**asdict(replace(answer, echo={})), "echo": dict(answer.echo)}


def _answer_of(data: Mapping[str, Any]) -> LLMResponse:
    fields: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in data.items()}
    fields["tool_calls"] = tuple(ToolCall(**each) for each in data["tool_calls"])
    fields["usage"] = Usage(**data["usage"])
    return LLMResponse(**fields)
