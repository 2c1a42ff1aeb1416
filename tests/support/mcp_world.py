"""A scripted QGIS for the MCP server of the agent process, and the SDK's own client over the real way of a stdio host's lines."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.shared.message import SessionMessage

from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.mcp.service import McpService
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.peer import RpcError

LAYERS = [
    {
        "layer_id": layer_id,
        "name": name,
        "kind": kind,
        "group": "",
        "abstract": "",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [{"name": each, "alias": "", "type": "text"} for each in fields],
    }
    for layer_id, name, kind, fields in (
        ("schools", "Schools", "point", ("name", "pupils")),
        ("districts", "Districts", "polygon", ("name", "area")),
        ("街道", "街道", "polygon", ("名称",)),
    )
]
REGISTRY = ToolRegistry.load()
Reply = dict[str, Any] | Callable[[dict[str, Any]], Any] | Exception


class ScriptedQgis:
    """Answers requests of the agent process by method, and tool calls by name; keeps what it was asked."""

    def __init__(self, **client: Any) -> None:
        self.client = {"level": "read_only", "enabled_packs": [], "language": "", **client}
        self.tools: dict[str, Reply] = {}
        self.replies: dict[str, Reply] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.cancelled: list[str] = []
        self.capabilities = 0

    def of(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all requests with this method."""
        return [params for asked, params in self.asked if asked == method]

    def calls(self) -> list[str]:
        """The tools that were called, in order."""
        return [each["name"] for each in self.of(messages.TOOLS_CALL)]

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        self.asked.append((method, json.loads(json.dumps(params))))
        try:
            return await self._answer(method, params)
        except asyncio.CancelledError:
            self.cancelled.append(params.get("name", method))
            raise

    async def _answer(self, method: str, params: dict[str, Any]) -> Any:
        if method in self.replies:
            return await _replied(self.replies[method], params)
        if method == messages.MCP_CLIENT:
            self.capabilities += 1
            ident = params["client_id"]
            names = {"capability": f"cap-{self.capabilities}", "session_id": f"mcp-{ident}", "run_id": f"mcp-{ident}/1"}
            return {**names, "project": {"key": "p", "name": "sample"}, **self.client}
        if method == messages.TOOLS_CALL:
            reply = self.tools.get(params["name"], success({"tool": params["name"]}))
            return {"envelope": await _replied(reply, params), "decision": {"effect": "read", "decision": "allow"}}
        if method == messages.MCP_ACCESS and "chart" in params["origin"]:
            return {"allowed": params["origin"]["chart"] == params["capability"], "envelope": envelope()}
        raise RpcError(messages.METHOD_NOT_FOUND, f"no {method} here")


async def _replied(reply: Reply, params: dict[str, Any]) -> Any:
    if isinstance(reply, Exception):
        raise reply
    if not callable(reply):
        return reply
    value = reply(params)
    return await value if asyncio.iscoroutine(value) else value


class NothingKept:
    """A keeper that keeps nothing: QGIS's own table of handles is asked."""

    async def keep(self, *_anything: Any) -> None:
        """See ResultKeeper."""

    async def fetch(self, *_anything: Any) -> None:
        """See ResultKeeper."""


class McpWorld:
    """The MCP service of one agent process in this one. Make it inside a running loop."""

    def __init__(self, qgis: ScriptedQgis, folder: Path, *, locale: str = "en", keeper: Any = None) -> None:
        self.qgis = qgis
        self.log: list[str] = []
        self.runs = RunService(qgis, lambda _event: None, REGISTRY, folder, locale)
        self.runs.catalogue.replace(LAYERS, "p")
        self.service = McpService(self.runs, qgis, self._told, folder, locale, "9.9", self.log.append)
        self.service.keeper = keeper or NothingKept()
        self._hosts: dict[str, Callable[[str], None]] = {}

    def _told(self, method: str, params: dict[str, Any]) -> None:
        assert method == messages.MCP_FRAME
        self._hosts[params["client_id"]](params["text"])

    async def host(self, ident: str = "stdio") -> RawHost:
        """A host that writes and reads lines itself."""
        host = RawHost(self, ident)
        self._hosts[ident] = host.lines.put_nowait
        await self.service.open({"client_id": ident, "transport": "stdio"})
        return host

    @asynccontextmanager
    async def transport(self, ident: str = "stdio") -> AsyncIterator[Any]:
        """The streams that the SDK's client wants, over a stdio host's lines."""
        to_client, client_reads = anyio.create_memory_object_stream[Any](1000)
        client_writes, from_client = anyio.create_memory_object_stream[SessionMessage](1000)

        def heard(text: str) -> None:
            to_client.send_nowait(SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False)))

        async def relay() -> None:
            async for item in from_client:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                self.service.told(messages.MCP_FRAME, {"client_id": ident, "text": text})

        self._hosts[ident] = heard
        await self.service.open({"client_id": ident, "transport": "stdio"})
        async with anyio.create_task_group() as group:
            group.start_soon(relay)
            yield client_reads, client_writes
            self.service.told(messages.MCP_END, {"client_id": ident})
            group.cancel_scope.cancel()

    def client(self, mode: str = "auto", **options: Any) -> Client:
        """The SDK's client over the stdio way."""
        return Client(self.transport(), mode=mode, **options)


class RawHost:
    """A host as lines; ``lines`` are those that it was sent."""

    def __init__(self, world: McpWorld, ident: str) -> None:
        self._world = world
        self._ident = ident
        self.lines: asyncio.Queue[str] = asyncio.Queue()

    def say(self, line: Any) -> None:
        """Send a line: a text as it is, anything else as JSON."""
        text = line if isinstance(line, str) else json.dumps(line)
        assert self._world.service.told(messages.MCP_FRAME, {"client_id": self._ident, "text": text}) == ""

    async def next(self) -> dict[str, Any]:
        """The next message that it is sent."""
        return json.loads(await asyncio.wait_for(self.lines.get(), 5))

    async def ask(self, method: str, params: dict[str, Any] | None = None, ident: Any = 1) -> dict[str, Any]:
        """A request, and the next message (its answer)."""
        self.say({"jsonrpc": "2.0", "id": ident, "method": method, **({} if params is None else {"params": params})})
        return await self.next()

    async def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """The handshake of the older era."""
        about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        answer = await self.ask("initialize", about, "init")
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def modern(self, method: str, params: dict[str, Any] | None = None, ident: Any = 1) -> dict[str, Any]:
        """A request of 2026-07-28, with its envelope."""
        return await self.ask(method, {**(params or {}), "_meta": envelope()}, ident)


def envelope(**more: Any) -> dict[str, Any]:
    """The ``_meta`` that every request of 2026-07-28 carries."""
    return {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        **more,
    }


def in_world(folder: Path, script: Callable[[McpWorld], Any], qgis: ScriptedQgis | None = None, **options: Any) -> Any:
    """Run ``script(world)`` on a loop of its own."""

    async def whole() -> Any:
        world = McpWorld(qgis or ScriptedQgis(), folder, **options)
        try:
            return await script(world)
        finally:
            await world.service.close()

    try:
        return asyncio.run(whole())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def envelope_of(result: Any) -> dict[str, Any]:
    """Our envelope out of the result of a call."""
    assert len(result.content) == 1 and result.structured_content is None
    return json.loads(result.content[0].text)


__all__ = [
    "LAYERS",
    "McpWorld",
    "NothingKept",
    "RawHost",
    "ScriptedQgis",
    "envelope",
    "envelope_of",
    "failure",
    "in_world",
]
