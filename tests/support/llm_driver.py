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
from qgis_agent.agent.llm.types import ModelError, ProviderRequest

CLIENTS: dict[str, LiteLLMClient] = {}


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
        )
    return CLIENTS[name]


def _request(job: dict[str, Any]) -> ProviderRequest:
    messages = job.get("messages") or [{"role": "user", "content": "How many schools are there?"}]
    return ProviderRequest(messages=messages, tools=job.get("tools") or [])


async def complete(job: dict[str, Any]) -> dict[str, Any]:
    """One turn: the answer with its pieces, or the error."""
    pieces: list[str] = []
    started = time.monotonic()
    try:
        answer = await _client(job).complete(_request(job), pieces.append)
    except ModelError as error:
        return {
            "kind": error.kind,
            "message": error.message,
            "hint": error.hint,
            "retryable": error.retryable,
            "retry_after_s": error.retry_after_s,
            "traceback": "".join(traceback.format_exception(error)),
            "pieces": pieces,
            "seconds": time.monotonic() - started,
        }
    return {
        "content": answer.content,
        "calls": [[call.id, call.name, call.arguments] for call in answer.tool_calls],
        "finish": answer.finish_reason,
        "reasoning": answer.reasoning,
        "usage": vars(answer.usage),
        "pieces": pieces,
    }


async def cancel(job: dict[str, Any]) -> dict[str, Any]:
    """Cancel a turn when its first piece has come (or after ``after_s``), ``times`` over: how long each took to end."""
    client, request = _client(job), _request(job)
    seconds: list[float] = []
    outcomes: list[str] = []
    threads: list[int] = []
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
    return {"seconds": seconds, "outcomes": outcomes, "threads": threads}


async def cancel_import(job: dict[str, Any]) -> dict[str, Any]:
    """Cancel the first turn of all while litellm is being imported."""
    task = asyncio.ensure_future(_client(job).complete(_request(job), lambda _text: None))
    await asyncio.sleep(0.3)
    importing = "litellm" in sys.modules
    started = time.monotonic()
    task.cancel()
    await asyncio.wait([task], timeout=10)
    return {"importing": importing, "cancelled": task.cancelled(), "seconds": time.monotonic() - started}


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


async def main() -> None:
    """Serve jobs until standard input ends."""
    ops = {each.__name__: each for each in (complete, cancel, cancel_import, state, tokens)}
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            return
        job = json.loads(line)
        print(json.dumps(await ops[job["op"]](job), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    _watch_sockets()
    asyncio.run(main())
