"""The HTTP endpoint of MCP in this process, over a scripted QGIS, and a client that sends what no library would."""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import json
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mcp_world import McpWorld, ScriptedQgis, envelope

from qgis_agent.agent.mcp.http_app import HttpFront
from qgis_agent.agent.mcp.limits import Limits
from qgis_agent.agent.mcp.service import AllowedClient

TOKENS = {"client-a": "token-of-a-7f3b", "client-b": "token-of-b-91c2"}
WAIT_S = 30.0


def hashes(*clients: str) -> dict[str, str]:
    """What the endpoint knows of the tokens of these clients (all: none named)."""
    return {each: hashlib.sha256(TOKENS[each].encode()).hexdigest() for each in clients or TOKENS}


class Reply(NamedTuple):
    """An answer: its status, headers in lower case, its bytes and the JSON-RPC messages in it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Of JSON, or of the events of a stream."""
        if "event-stream" in self.headers.get("content-type", ""):
            lines = self.body.decode().splitlines()
            return [json.loads(each[6:]) for each in lines if each.startswith("data: ")]
        return [json.loads(self.body)] if self.body else []

    @property
    def message(self) -> dict[str, Any]:
        """The last message: the answer itself."""
        return self.messages[-1]


class HttpWorld:
    """The endpoint on a loop in a thread of its own. ``run`` does something on that loop."""

    def __init__(self, folder: Path, *, qgis: ScriptedQgis | None = None, limits: Limits | None = None) -> None:
        self.qgis = qgis or ScriptedQgis()
        self.loop = asyncio.new_event_loop()
        self._folder = folder
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.port = self.run(self._start(limits))

    async def _start(self, limits: Limits | None) -> int:
        self.world = McpWorld(self.qgis, self._folder)
        service = self.world.service
        service.allowed = {key: AllowedClient(key, key, value) for key, value in hashes().items()}
        self.front = HttpFront(
            service.build_server(service._of_request),
            hashes(),
            health={"name": "qgis-agent", "qgis_agent": "9.9"},
            log=self.world.log.append,
            limits=limits,
        )
        return await self.front.start(0)

    def run(self, work: Any) -> Any:
        """Await something on the endpoint's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT_S)

    def call(self, work: Callable[[], Any]) -> Any:
        """Do something on the endpoint's loop."""

        async def done() -> Any:
            return work()

        return self.run(done())

    def until(self, true: Callable[[], Any]) -> None:
        """Wait until something is so."""

        async def wait() -> None:
            while not true():
                await asyncio.sleep(0.01)

        self.run(asyncio.wait_for(wait(), WAIT_S))

    def close(self) -> None:
        """End the endpoint and the loop; nothing of it may be left."""
        self.run(self.front.stop())
        self.run(self.world.service.close())
        tasks = [each for each in asyncio.all_tasks(self.loop) if not each.done()]
        # sse_starlette looks for the end of the process in a task of its own, one for each loop, for ever.
        watchers = [each for each in tasks if "_shutdown_watcher" in repr(each)]
        self.call(lambda: [each.cancel() for each in watchers])
        self.run(asyncio.sleep(0.02))
        left = [each for each in tasks if each not in watchers]
        self.loop.call_soon_threadsafe(self.loop.stop)
        shutil.rmtree(self._folder, ignore_errors=True)
        assert left == [], left

    def connect(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)

    def ask(self, *args: Any, **more: Any) -> Reply:
        """See ``ask``."""
        return ask(self.port, *args, **more)

    def modern(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> Reply:
        """A request of 2026-07-28."""
        body, headers = modern(method, params)
        return self.ask(body=body, headers={**headers, **more.pop("headers", {})}, **more)

    def legacy(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> Reply:
        """A request of 2025-11-25, as a client sends it after ``initialize``."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.ask(body=body, headers={"MCP-Protocol-Version": "2025-11-25", **more.pop("headers", {})}, **more)


def modern(method: str, params: dict[str, Any] | None = None, ident: Any = 1) -> tuple[dict[str, Any], dict[str, str]]:
    """Body and headers of a request of 2026-07-28."""
    given = dict(params or {})
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    name = given.get("name", given.get("uri"))
    if isinstance(name, str):
        headers["Mcp-Name"] = name
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": {**given, "_meta": envelope()}}, headers


def ask(
    port: int,
    *,
    method: str = "POST",
    path: str = "/mcp",
    body: Any = None,
    headers: dict[str, str | None] | None = None,
    token: str | None = TOKENS["client-a"],
) -> Reply:
    """One request on a connection of its own. A header None is left out."""
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    given: dict[str, str | None] = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}" if token is not None else None,
        **(headers or {}),
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        connection.putrequest(method, path, skip_host="Host" in given, skip_accept_encoding=True)
        if "Content-Length" not in given:
            connection.putheader("Content-Length", str(len(data)))
        for key, value in given.items():
            if value is not None:
                connection.putheader(key, value)
        connection.endheaders(data)
        response = connection.getresponse()
        found = {key.lower(): value for key, value in response.getheaders()}
        return Reply(response.status, found, response.read())
    finally:
        connection.close()
