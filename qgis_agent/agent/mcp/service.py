"""McpService: what the agent process does for MCP hosts. Loads the SDK with the first of them, never before."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...bridge import messages
from ...bridge.peer import RpcError
from ..execution.context import QgisBridge
from ..parameters import ParamsError, text_of
from .clients import Client, Clients, ResultKeeper

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server as SdkServer

    from ..run_service import RunService
    from .http_app import HttpFront
    from .stdio import HostStream

STDIO = "stdio"
MAX_STREAMS = 4
"""Streams over the bridge at a time; the command line opens one."""
MAX_EARLY = 64
"""Lines that wait while the SDK loads."""


@dataclass(frozen=True)
class AllowedClient:
    """A client that a person allowed. ``token_sha256`` is in hexadecimal; the token itself is nowhere."""

    client_id: str
    label: str
    token_sha256: str


class McpService:
    """The MCP side of one agent process.

    For ``agent/server.py``: ``open``, ``serve``, ``stop`` answer requests (ParamsError; RpcError INVALID_REQUEST with a plain message),
    ``told`` takes notifications, ``close`` ends everything.

    HTTP is ``http_app.HttpFront``: one SDK server for all its clients, which are told apart by ``scope["state"]["mcp_client_id"]``,
    the id of the allowed client whose token the request carried. ``allowed`` are those clients as they are now.

    Results behind handles are kept by ``keeper`` (``kept.py``), in the store that mcp/serve names.

    For the fixtures of the conformance suite: ``extend`` (None) is called with each SDK server that is built, and may add handlers.
    ``fixtures: true`` in mcp/serve sets it to ``mcp_fixtures.extend``, of a module that only a test has on its path.
    """

    def __init__(
        self,
        runs: RunService,
        bridge: QgisBridge,
        notify: Callable[[str, dict[str, Any]], None],
        records_dir: Path,
        locale: str,
        version: str,
        log: Callable[[str], None],
    ) -> None:
        self.runs = runs
        self.bridge = bridge
        self.records_dir = records_dir
        self.locale = locale
        self.version = version
        self.log = log
        self.redactor = runs.redactor
        self.allowed: dict[str, AllowedClient] = {}
        self.replica = False
        """A replica of a server: it only reads, whatever QGIS allows."""
        self.extend: Callable[[SdkServer[Any]], None] | None = None
        self.keeper: ResultKeeper | None = None
        self.clients = Clients(bridge, runs.call_tool, lambda: self.keeper)
        self._notify = notify
        self._streams: dict[str, HostStream] = {}
        self._early: dict[str, list[str]] = {}
        """Lines of hosts whose stream is being opened."""
        self._front: HttpFront | None = None
        self._port = 0
        self._changing = asyncio.Lock()

    # streams over the bridge

    def expect(self, ident: str) -> None:
        """A stream is about to be opened: its lines are kept from now on, and an earlier one of the same id has ended."""
        if ident in self._early:
            return
        self._end(ident)
        self._early[ident] = []

    async def open(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """mcp/open: the stream of a host begins; an earlier one of the same id ends."""
        ident = text_of(params, "client_id")
        self.expect(ident)
        early = self._early[ident]
        try:
            if text_of(params, "transport", STDIO) != STDIO:
                raise ParamsError("transport: only stdio is opened so")
            if len(self._streams) >= MAX_STREAMS:
                raise RpcError(messages.INVALID_REQUEST, "too many MCP streams are open")
            async with self._changing:
                await self._load(text_of(params, "store", "sqlite") or "sqlite")
            from .stdio import HostStream

            self.clients.forget(ident)
            server = self.build_server(lambda _context: self.clients.of(ident, STDIO))
            stream = HostStream(server, lambda text: self._say(ident, text), self.log)
            if self._early.get(ident) is early:  # else the host is gone again
                self._streams[ident] = stream
                for text in early:
                    stream.feed(text)
        finally:
            if self._early.get(ident) is early:
                del self._early[ident]
        return {}

    def told(self, method: str, params: Mapping[str, Any]) -> str:
        """A notification of QGIS: a line of a host, the end of its stream, a capability that ended. Returns a line for the log."""
        ident = str(params.get("client_id", ""))
        if method == messages.MCP_REVOKED:
            self.clients.forget(ident)
        elif method == messages.MCP_END:
            self._end(ident)
        else:
            stream, early, text = self._streams.get(ident), self._early.get(ident), params.get("text")
            if not isinstance(text, str) or (stream is None and early is None):
                return "mcp/frame: there is no such stream, or no text"
            if stream is not None:
                stream.feed(text)
            elif early is not None and len(early) < MAX_EARLY:
                early.append(text)
        return ""

    def _end(self, ident: str) -> None:
        self._early.pop(ident, None)
        stream = self._streams.pop(ident, None)
        if stream is not None:
            stream.end()

    def _say(self, ident: str, text: str) -> None:
        self._notify(messages.MCP_FRAME, {"client_id": ident, "text": text})

    # HTTP

    async def serve(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """mcp/serve: listen, or replace the clients of the endpoint that there is."""
        allowed, port, store = _allowed(params), _port(params), text_of(params, "store", "sqlite") or "sqlite"
        async with self._changing:
            if self._front is not None and port not in (0, self._port):
                await self._close_front()
            if self._front is None:
                await self._load(store)
                self.replica = params.get("replica") is True
                if params.get("fixtures") is True:
                    self.extend = importlib.import_module("mcp_fixtures").extend
                await self._listen(port, allowed)
            self._allow(allowed)
            return {"port": self._port, "url": f"http://127.0.0.1:{self._port}/mcp"}

    async def _listen(self, port: int, allowed: Mapping[str, AllowedClient]) -> None:
        from .http_app import HttpFront

        front = HttpFront(
            self.build_server(self._of_request),
            _tokens(allowed),
            health={"name": "qgis-agent", "qgis_agent": self.version},
            log=self.log,
        )
        try:
            self._port = await front.start(port)
        except OSError as error:
            why = error.strerror or str(error)
            raise RpcError(messages.INVALID_REQUEST, f"port {port} cannot be used: {why}") from error
        self._front = front

    async def stop(self, _params: Mapping[str, Any]) -> dict[str, Any]:
        """mcp/stop: the endpoint ends; nobody is allowed any more."""
        async with self._changing:
            await self._close_front()
        return {}

    async def _close_front(self) -> None:
        front, self._front = self._front, None
        self._allow({})
        if front is not None:
            await front.stop()

    def _allow(self, allowed: dict[str, AllowedClient]) -> None:
        """From now on these; what others have open ends, and what a changed token was used for too."""
        before, self.allowed = self.allowed, allowed
        if self._front is not None:
            self._front.set_clients(_tokens(allowed))
        for ident, client in before.items():
            now = allowed.get(ident)
            if now is None or now.token_sha256 != client.token_sha256:
                self.clients.drop(ident)

    def _of_request(self, context: Any) -> Client:
        ident = context.request.scope["state"]["mcp_client_id"] if context.request is not None else ""
        if ident not in self.allowed:
            raise KeyError("this client is not allowed")
        return self.clients.of(ident, "http")

    # both

    def build_server(self, client_of: Callable[[Any], Client]) -> SdkServer[Any]:
        """An SDK server over this process's tools; ``client_of`` gives the Client of a request's context. KeyError: none."""
        from .server import build_server

        server = build_server(self, client_of)
        if self.extend is not None:
            self.extend(server)
        return server

    async def close(self) -> None:
        """The process ends."""
        for ident in list(self._streams):
            self._end(ident)
        async with self._changing:
            await self._close_front()

    async def _load(self, store: str) -> None:
        """Import the SDK on a thread (0.8 s), so that runs go on meanwhile, and open the store that is named first."""
        await asyncio.to_thread(importlib.import_module, f"{__package__}.server")
        if self.keeper is None:
            self.keeper = await self._open_store(store)

    async def _open_store(self, store: str) -> ResultKeeper | None:
        """The keeper over a store. Without the usual one, results can be read from this QGIS only; one that was asked for is needed."""
        from .kept import open_keeper

        try:
            return await asyncio.to_thread(open_keeper, store, self.records_dir)
        except OSError as error:
            why = f"results of MCP clients cannot be kept in {store.partition(':')[0]}: {type(error).__name__}"
            if store != "sqlite":
                raise RpcError(messages.INVALID_REQUEST, why) from error
            self.log(why)
            return None


def _tokens(allowed: Mapping[str, AllowedClient]) -> dict[str, str]:
    return {each.client_id: each.token_sha256 for each in allowed.values()}


def _port(params: Mapping[str, Any]) -> int:
    port = params.get("port", 0)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ParamsError("port: a number from 0 to 65535")
    return port


def _allowed(params: Mapping[str, Any]) -> dict[str, AllowedClient]:
    """The clients by id. ParamsError for entries that are none, and for an id that comes twice."""
    entries = params.get("clients")
    if not isinstance(entries, list):
        raise ParamsError("clients: a list")
    found: dict[str, AllowedClient] = {}
    for each in entries:
        given = each if isinstance(each, dict) else {}
        ident, digest = given.get("client_id"), given.get("token_sha256")
        if not (isinstance(ident, str) and ident and ident != STDIO and ident not in found):
            raise ParamsError("clients: each needs a client_id of its own")
        if not (isinstance(digest, str) and len(digest) == 64 and set(digest.lower()) <= set("0123456789abcdef")):
            raise ParamsError("clients: each needs token_sha256, 64 hexadecimal digits")
        found[ident] = AllowedClient(ident, str(given.get("label", "")), digest.lower())
    return found
