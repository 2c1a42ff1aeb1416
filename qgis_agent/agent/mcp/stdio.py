"""A host's stream: lines that crossed the bridge, into the SDK's memory streams and back.

The SDK serves one era of the protocol for each stream, the one that the first request is of. Real hosts ask ``server/discover``
first and then begin with ``initialize`` all the same; therefore a stream here has a lane for each era, both over the same line, and
each message goes to the lane that it belongs to. A message that is none is answered as JSON-RPC says.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared._context_streams import ContextReceiveStream, create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY
from pydantic import ValidationError

from ...bridge.envelope import encode, size_bytes
from ...bridge.messages import MAX_LINE_BYTES

MAX_FRAME_BYTES = MAX_LINE_BYTES - 1024
"""A frame crosses the bridge as one string in one line."""
MAX_QUEUED = 256
"""Lines of one lane that wait; a host that sends more without reading is told so."""
END_S = 0.5
MODERN, LEGACY = "modern", "legacy"


class HostStream:
    """The stream of one host. ``say`` writes a line to it; must be used on the agent's loop."""

    def __init__(self, server: Server[Any], say: Callable[[str], None], log: Callable[[str], None]) -> None:
        self._server = server
        self._say = say
        self._log = log
        self._lanes: dict[str, _Lane] = {}
        self._ended = False

    def feed(self, line: str) -> None:
        """A line of the host. Blank lines are nothing."""
        if self._ended or not line.strip():
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            self._refuse(line)
            return
        if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
            self._refuse(line)  # a request whose id is none; read as a notification it would never be answered
            return
        for era in self._eras(message):
            if not self._lane(era).put(message) and isinstance(message, types.JSONRPCRequest):
                self._answer(_id_of(message), types.INTERNAL_ERROR, "too many messages are waiting")

    def _eras(self, message: Any) -> tuple[str, ...]:
        """Which lanes a message is for: those that are open, where it does not say itself."""
        if isinstance(message, types.JSONRPCRequest):
            if message.method != "initialize" and _has_envelope(message.params):
                return (MODERN,)
            # A request of neither kind is of the era that the host has used; the SDK says there what is missing.
            return (MODERN,) if message.method != "initialize" and list(self._lanes) == [MODERN] else (LEGACY,)
        if isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            return tuple(self._lanes)  # an id is one lane's; the other does not know it
        if LEGACY in self._lanes or not self._lanes:
            return (LEGACY,)
        return (MODERN,)

    def _lane(self, era: str) -> _Lane:
        if era not in self._lanes or self._lanes[era].ended:
            self._lanes[era] = _Lane(self._server, self._write, self._log)
        return self._lanes[era]

    def _write(self, message: Any) -> None:
        if self._ended:
            return
        try:
            text = message.model_dump_json(by_alias=True, exclude_unset=True)
        except ValueError:  # half a character somewhere in it
            self._unwritten(message, "cannot be written as UTF-8")
            return
        if size_bytes(text) > MAX_FRAME_BYTES:
            self._unwritten(message, "is larger than a line of the bridge")
            return
        self._say(text)

    def _unwritten(self, message: Any, why: str) -> None:
        """An answer that cannot go out is an error, so that the host does not wait for it."""
        self._log(f"an answer to an MCP host {why}")
        if not isinstance(message, types.JSONRPCNotification):
            self._answer(_id_of(message), types.INTERNAL_ERROR, f"the answer {why}")

    def _answer(self, ident: Any, code: int, text: str) -> None:
        """An error that no lane writes."""
        self._say(encode({"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": text}}))

    def _refuse(self, line: str) -> None:
        """A line that is no message: not JSON, or JSON that is none (a batch, a bad id)."""
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            self._answer(None, types.PARSE_ERROR, "Parse error")
            return
        self._answer(None, types.INVALID_REQUEST, "Not one JSON-RPC message")

    def end(self) -> None:
        """The host is gone: what it asked for is cancelled, nothing more is written."""
        self._ended = True
        for lane in self._lanes.values():
            lane.end()
        self._lanes.clear()


class _Lane:
    """One era of a stream: a run of the SDK's server over memory streams."""

    def __init__(self, server: Server[Any], write: Callable[[Any], None], log: Callable[[str], None]) -> None:
        self._write = write
        self._log = log
        self._queue: asyncio.Queue[Any] = asyncio.Queue(MAX_QUEUED)
        self._task = asyncio.get_running_loop().create_task(self._run(server))

    @property
    def ended(self) -> bool:
        """Whether a fault has ended it: the next message begins a new one."""
        return self._task.done()

    def put(self, message: Any) -> bool:
        """Queue a message; False where too many wait."""
        try:
            self._queue.put_nowait(message)
        except asyncio.QueueFull:
            return False
        return True

    def end(self) -> None:
        """Cancel it, with every call in it."""
        self._task.cancel()

    async def _run(self, server: Server[Any]) -> None:
        to_server, server_reads = create_context_streams[SessionMessage | Exception](0)
        server_writes, from_server = create_context_streams[SessionMessage](0)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._pump_in, to_server)
                group.start_soon(self._pump_out, from_server)
                await server.run(server_reads, server_writes, server.create_initialization_options())
                group.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001  (the lane is the host's; the process goes on, and the log has it)
            self._log(f"an MCP stream ended by a fault of its own ({_kind_of(error)})")

    async def _pump_in(self, to_server: Any) -> None:
        while True:
            await to_server.send(SessionMessage(await self._queue.get()))

    async def _pump_out(self, from_server: ContextReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                self._write(item.message)


def _has_envelope(params: Any) -> bool:
    """Whether a request carries the envelope that every request of 2026-07-28 has."""
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta


def _id_of(message: Any) -> Any:
    return getattr(message, "id", None)


def _kind_of(error: BaseException) -> str:
    """The name of a fault; of the first in a group of them."""
    inner = getattr(error, "exceptions", ())
    return _kind_of(inner[0]) if inner else type(error).__name__
