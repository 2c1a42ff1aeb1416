"""MCP over Streamable HTTP: the SDK's stateless sessions behind our guard, on one loopback port. Both eras on one endpoint.

Answers are streams, not JSON: with those alone the SDK does not see that a client has gone, and would work on for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.lowlevel.server import Server as SdkServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from .http_guard import Guard
from .http_server import LoopServer, bound_socket, server_of, take_logs
from .limits import Limits

STOP_S = 5.0
LOGS_KEPT = 20
"""Lines of one listening for the log: a stranger must not fill it."""


class HttpFront:
    """The HTTP endpoint. ``clients`` are the SHA-256 of the tokens, in hexadecimal, by client id. Lives on the agent's loop."""

    def __init__(
        self,
        server: SdkServer[Any],
        clients: Mapping[str, str],
        *,
        health: Mapping[str, Any],
        log: Callable[[str], None],
        limits: Limits | None = None,
    ) -> None:
        self._log = log
        self._logged = 0
        self._limits = limits or Limits()
        self._manager = StreamableHTTPSessionManager(
            app=server, stateless=True, json_response=False, max_request_body_size=self._limits.body_bytes
        )
        self._guard = Guard(
            self._manager.handle_request, clients, self._limits, health, self._say, lambda scope: self._abort(scope)
        )
        self._http: LoopServer | None = None
        self._task: asyncio.Task[None] | None = None

    async def start(self, port: int) -> int:
        """Listen on 127.0.0.1; returns the port (0: any free one). OSError where it is taken. Once only."""
        bound = bound_socket(port)
        self._http = server_of(self._guard, self._limits)
        self._task = asyncio.get_running_loop().create_task(self._run(self._http, bound))
        while not self._http.started:
            if self._task.done():
                bound.close()
                raise OSError("the endpoint ended as it began") from self._task.exception()
            await asyncio.sleep(0.005)
        return int(bound.getsockname()[1])

    async def _run(self, http: LoopServer, bound: Any) -> None:
        """The whole life of the endpoint. The SDK's sessions begin and end in one task."""
        give_back = take_logs(self._say)
        try:
            async with self._manager.run():
                await http.serve(sockets=[bound])
        finally:
            give_back()

    def set_clients(self, clients: Mapping[str, str]) -> None:
        """From now on these may call. What a client that is gone, or its former token, has open ends at once."""
        self._guard.set_clients(clients)

    async def stop(self) -> None:
        """Close the port; what is open ends."""
        if self._http is None or self._task is None:
            return
        self._http.should_exit = True
        self._guard.set_clients({})
        done, _waiting = await asyncio.wait([self._task], timeout=STOP_S)
        if not done:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=STOP_S)
        elif self._task.exception() is not None:
            self._say("the endpoint ended by a fault")

    def _abort(self, scope: Any) -> None:
        if self._http is not None:
            self._http.abort(scope)

    def _say(self, text: str) -> None:
        self._logged += 1
        if self._logged <= LOGS_KEPT:
            self._log(text)
        elif self._logged == LOGS_KEPT + 1:
            self._log("further reports of the MCP endpoint are left out")
