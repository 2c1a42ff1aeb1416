"""Runs model calls in the agent's environment for the tests: jobs come as JSON lines on standard input.

The tests' own Python has no litellm. Each job names an ``op``; one line of JSON answers it on standard output.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qgis_agent.agent.llm.litellm_client import LiteLLMClient
from qgis_agent.agent.llm.probe import Probe, ProbeLimits
from qgis_agent.agent.llm.role_settings import settings_of
from qgis_agent.agent.llm.types import LLMResponse, ModelError, ProviderRequest
from qgis_agent.agent.loop.provider_turn import MODEL_RETRIES, ProviderTurnCaller
from qgis_agent.agent.loop.state import RunnerState

CLIENTS: dict[str, LiteLLMClient] = {}
OPTIONS = ("temperature", "max_output_tokens", "context_tokens")
REQUEST = ("user_text", "cache_key", "role", "stable_messages", "temperature", "max_output_tokens")


class Heard:
    """Keeps events, text as ("text", delta)."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    def emit(self, kind: str, **fields: Any) -> None:
        """See Events."""
        self.seen.append((kind, fields))

    def text(self, delta: str) -> None:
        """See Events."""
        self.seen.append(("text", delta))

    def reset_text(self) -> None:
        """See Events."""
        self.seen.append(("text_reset", {}))


def _client(job: dict[str, Any]) -> LiteLLMClient:
    """The client of a job; a job with the same ``client`` name gets the same one."""
    name = job.get("client", "")
    if name not in CLIENTS or not name:
        CLIENTS[name] = LiteLLMClient(
            job["model"],
            api_base=job.get("api_base", ""),
            api_key=job.get("api_key", ""),
            idle_timeout_s=job.get("idle_timeout_s", 5.0),
            connect_timeout_s=2.0,
            **{key: job["options"][key] for key in OPTIONS if key in job.get("options", {})},
        )
    return CLIENTS[name]


def _request(job: dict[str, Any]) -> ProviderRequest:
    messages = job.get("messages") or [{"role": "user", "content": "How many schools are there?"}]
    rest = {key: job["request"][key] for key in REQUEST if key in job.get("request", {})}
    return ProviderRequest(messages=messages, tools=job.get("tools") or [], **rest)


async def complete(job: dict[str, Any]) -> dict[str, Any]:
    """One turn: the answer with its pieces, or the error."""
    pieces: list[str] = []
    started = time.monotonic()
    try:
        answer = await _client(job).complete(_request(job), pieces.append)
    except ModelError as error:
        return {**_failed(error), "pieces": pieces, "seconds": time.monotonic() - started}
    return {**_answered(answer), "pieces": pieces}


def _failed(error: ModelError) -> dict[str, Any]:
    return {
        "kind": error.kind,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
        "retry_after_s": error.retry_after_s,
        "traceback": "".join(traceback.format_exception(error)),
    }


def _answered(answer: LLMResponse) -> dict[str, Any]:
    return {
        "content": answer.content,
        "calls": [[call.id, call.name, call.arguments] for call in answer.tool_calls],
        "origins": [call.origin for call in answer.tool_calls],
        "finish": answer.finish_reason,
        "reasoning": answer.reasoning,
        "usage": vars(answer.usage),
        "echo": dict(answer.echo),
        "unreadable": answer.unreadable_markup,
        "unknown": list(answer.unknown_tools),
        "notices": list(answer.notices),
    }


async def turn(job: dict[str, Any]) -> dict[str, Any]:
    """One turn with the retries of the loop, jitter off. With ``stop_after_s`` it is stopped; ``stopped_s`` is how long that took."""
    events, state = Heard(), RunnerState("r", "x")
    caller = ProviderTurnCaller(_client(job), events, jitter=lambda: 0.0, retries=job.get("retries", MODEL_RETRIES))
    task = asyncio.ensure_future(caller.call(_request(job), state, 60.0))
    answer: dict[str, Any] = {}
    if "stop_after_s" in job:
        await asyncio.sleep(job["stop_after_s"])
        started = time.monotonic()
        task.cancel()
        await asyncio.wait([task])
        answer = {"stopped_s": time.monotonic() - started, "cancelled": task.cancelled()}
    else:
        try:
            answer = _answered(await task)
        except ModelError as error:
            answer = _failed(error)
    return {**answer, "attempts": state.model_attempts, "model_ms": state.model_ms, "events": events.seen}


async def together(job: dict[str, Any]) -> dict[str, Any]:
    """Several jobs side by side; ``answers`` in their order."""
    return {"answers": await asyncio.gather(*(OPS[each["op"]](each) for each in job["jobs"]))}


async def cancel(job: dict[str, Any]) -> dict[str, Any]:
    """Cancel a turn when its first piece has come (or after ``after_s``), ``times`` over: how long each took to end."""
    client, request = _client(job), _request(job)
    seconds: list[float] = []
    outcomes: list[str] = []
    threads: list[int] = []
    tasks: list[int] = []
    files: list[int] = []
    for _ in range(job["times"]):
        begun = asyncio.Event()
        task = asyncio.ensure_future(client.complete(request, lambda _text, begun=begun: begun.set()))
        if "after_s" in job:
            await asyncio.sleep(job["after_s"])
        else:
            await asyncio.wait_for(begun.wait(), 5)
        started = time.monotonic()
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=5)
        seconds.append(time.monotonic() - started)
        outcomes.append("cancelled" if done and task.cancelled() else "not cancelled")
        threads.append(threading.active_count())
        tasks.append(len(asyncio.all_tasks()))
        files.append(len(os.listdir("/proc/self/fd")))
    return {"seconds": seconds, "outcomes": outcomes, "threads": threads, "tasks": tasks, "files": files}


async def cancel_import(job: dict[str, Any]) -> dict[str, Any]:
    """Cancel the first turn of all while litellm is being imported."""
    task = asyncio.ensure_future(_client(job).complete(_request(job), lambda _text: None))
    await asyncio.sleep(0.3)
    importing = "litellm" in sys.modules
    started = time.monotonic()
    task.cancel()
    await asyncio.wait([task], timeout=10)
    return {"importing": importing, "cancelled": task.cancelled(), "seconds": time.monotonic() - started}


async def probe(job: dict[str, Any]) -> dict[str, Any]:
    """The test of a model: its lines, the order in which they were told, and with ``stop_after_s`` how long a stop took."""
    told: list[str] = []
    settings = settings_of(job["settings"], "")
    limits = ProbeLimits(
        **{"connect_s": 5.0, "answer_s": 20.0, "long_s": 20.0, "slow_s": 15.0, **job.get("limits", {})}
    )
    task = asyncio.ensure_future(Probe(settings, lambda line: told.append(line["check"]), limits).run())
    if "stop_after_s" not in job:
        return {"lines": await task, "told": told}
    await asyncio.sleep(job["stop_after_s"])
    started = time.monotonic()
    task.cancel()
    await asyncio.wait([task])
    return {"stopped_s": time.monotonic() - started, "cancelled": task.cancelled(), "told": told}


async def state(_job: dict[str, Any]) -> dict[str, Any]:
    """What is imported and how the environment stands."""
    names = ("LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_MODE", "REPEATED_STREAMING_CHUNK_LIMIT")
    return {
        "litellm": "litellm" in sys.modules,
        "httpx": "httpx" in sys.modules,
        "env": {name: os.environ.get(name) for name in names},
        "fixture_key": os.environ.get("FROM_DOTENV"),
        "sockets": SOCKETS,
    }


async def tokens(job: dict[str, Any]) -> dict[str, Any]:
    """Counts of a real tokenizer (o200k, from the file that litellm ships)."""
    import tiktoken

    encoding = tiktoken.get_encoding(job["encoding"])
    return {"counts": [len(encoding.encode(text)) for text in job["texts"]]}


SOCKETS: list[str] = []


def _watch_sockets() -> None:
    """Note every connection that is tried anywhere but to this machine."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            host = str(arguments[1][0]) if isinstance(arguments[1], tuple) else str(arguments[1])
            if host not in ("127.0.0.1", "::1"):
                SOCKETS.append(host)
        elif event == "socket.getaddrinfo" and str(arguments[0]) not in ("127.0.0.1", "localhost"):
            SOCKETS.append(str(arguments[0]))

    sys.addaudithook(hook)


OPS = {each.__name__: each for each in (complete, turn, together, cancel, cancel_import, probe, state, tokens)}


async def main() -> None:
    """Serve jobs until standard input ends."""
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            return
        job = json.loads(line)
        print(json.dumps(await OPS[job["op"]](job), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    _watch_sockets()
    asyncio.run(main())
