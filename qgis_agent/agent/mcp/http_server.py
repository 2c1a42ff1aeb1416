"""uvicorn for one loopback port in the agent's own loop: without signal handlers, without logs of requests, and not to be held open.

uvicorn has no time limit for headers, nor one for a body that nobody reads, and answers any number of connections; here are they.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, ClassVar

import h11
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from .limits import Limits

HOST = "127.0.0.1"
BACKLOG = 128
GRACE_S = 1
TURNED_AWAY_S = 1.0
FRESH_S = 0.5
"""A connection that has just come may have asked already what was not read yet: it is not the one that makes room."""
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Cache-Control: no-store\r\n\r\n"
)
QUIET = ("uvicorn", "sse_starlette")
"""Loggers that say nothing: every fault of a request is answered and logged by the guard, and a stranger must not fill a log."""


class BoundedProtocol(H11Protocol):
    """One connection. ``limits``, and the set of those ``turned_away``, are of the class that ``protocol_of`` makes."""

    limits = Limits()
    turned_away: ClassVar[set[BoundedProtocol]] = set()

    def connection_made(self, transport: Any) -> None:
        """Begin, if there is room; else the connection that has done nothing for longest makes some."""
        super().connection_made(transport)
        self.quiet_since = self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None
        self._in_headers = True
        if len(self.connections) > self.limits.connections and not self._made_room():
            self._turn_away()
        else:
            self._wait(self.limits.header_s)

    def _made_room(self) -> bool:
        others: list[Any] = [each for each in self.connections if isinstance(each, BoundedProtocol)]
        idle = [each for each in others if each is not self and each.is_idle and not each.transport.is_closing()]
        since = self.loop.time() - FRESH_S
        silent = [each for each in idle if each.cycle is None and each.quiet_since < since]
        going = silent or [each for each in idle if each.cycle is not None]
        if not going:
            return False
        oldest = min(going, key=lambda each: each.quiet_since)
        self.connections.discard(oldest)
        self.loop.call_later(TURNED_AWAY_S, oldest.transport.abort)
        oldest.transport.close()
        return True

    def _turn_away(self) -> None:
        """Say 503. What the client has sent is still taken for a moment: ended at once, the connection would swallow the answer."""
        self.connections.discard(self)
        if len(self.turned_away) >= self.limits.connections:
            self.transport.abort()
            return
        self.turned_away.add(self)
        self.transport.write(FULL)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._wait(TURNED_AWAY_S)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self, seconds: float) -> None:
        """End the connection in so long, unless something else is said first."""
        self._go_on()
        if not self.transport.is_closing():
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _go_on(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def data_received(self, data: bytes) -> None:
        """Bytes. What began as headers has to be whole in time, however it trickles."""
        if self in self.turned_away:
            return
        super().data_received(data)
        if self.transport.is_closing():
            self._go_on()
        elif self.conn.their_state is h11.IDLE:
            self._between_requests()
        elif not self.is_idle:
            self._in_headers = False
            self._go_on()  # its body has a limit of its own, in the guard

    def _between_requests(self) -> None:
        begun = bool(self.conn.trailing_data[0])
        if not begun:
            self._wait(self.limits.keep_alive_s)
        elif not self._in_headers:
            self._wait(self.limits.header_s)
        self._in_headers = begun

    def on_response_complete(self) -> None:
        """Answered. A body that is still coming is dropped, for a while: a client that sends reads nothing before it has sent."""
        self.quiet_since = self.loop.time()
        super().on_response_complete()
        if self.conn.their_state in (h11.SEND_BODY, h11.MUST_CLOSE):
            self._wait(self.limits.linger_s)

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        self.turned_away.discard(self)
        self._go_on()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """The answer to what is no HTTP; in the middle of another answer there is none."""
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.abort()


def protocol_of(limits: Limits) -> type[BoundedProtocol]:
    """The protocol with these limits."""
    return type("LimitedProtocol", (BoundedProtocol,), {"limits": limits, "turned_away": set()})


class LoopServer(Server):
    """uvicorn as a guest: SIGINT and SIGTERM are the agent process's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield

    def abort(self, scope: MutableMapping[str, Any]) -> None:
        """End the connection that a request came by, with what is unsent."""
        for each in list(self.server_state.connections):
            if getattr(each, "client", None) == scope.get("client"):
                each.transport.abort()


def server_of(app: Callable[..., Any], limits: Limits) -> LoopServer:
    """A server that is not listening yet."""
    return LoopServer(
        Config(
            app,
            http=protocol_of(limits),
            ws="none",
            lifespan="off",
            loop="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=int(limits.keep_alive_s),
            timeout_graceful_shutdown=GRACE_S,
            h11_max_incomplete_event_size=limits.header_bytes,
        )
    )


def bound_socket(port: int) -> socket.socket:
    """A socket on 127.0.0.1 only. OSError where the port is taken."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.setblocking(False)
    except BaseException:
        bound.close()
        raise
    return bound


class SdkLog(logging.Handler):
    """What the SDK reports as an error, as one line: which part of it, and the kind of the error. Its texts may hold anything."""

    def __init__(self, log: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        kind = record.exc_info[0] if record.exc_info else None
        self._log(f"{record.name} reports an error ({kind.__name__ if kind else record.levelname})")


def take_logs(log: Callable[[str], None]) -> Callable[[], None]:
    """Nothing of the libraries reaches stderr from now on; the function that is returned takes that back."""
    sdk = logging.getLogger("mcp")
    handler = SdkLog(log)
    before = [(each, each.propagate, each.level) for each in (sdk, *map(logging.getLogger, QUIET))]
    sdk.addHandler(handler)
    for each, _propagate, _level in before:
        each.propagate = False
        each.setLevel(logging.ERROR if each is sdk else logging.CRITICAL + 1)

    def give_back() -> None:
        sdk.removeHandler(handler)
        for each, propagate, level in before:
            each.propagate = propagate
            each.setLevel(level)

    return give_back
