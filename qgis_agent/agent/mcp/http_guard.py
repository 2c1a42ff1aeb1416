"""The guard before the SDK's HTTP application: who asks, how often, how much; and the end of what nobody may have open any more."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import anyio

from .health import health
from .http_checks import (
    HEALTH_PATH,
    MCP_PATH,
    RATE_CODE,
    Refused,
    check_content,
    check_host,
    check_message,
    check_origin,
    check_size,
    client_of,
    not_allowed,
    too_large,
)
from .limits import ANONYMOUS, Busy, Limits, Turnstile

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COMMON = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


class ClientGone(Exception):
    """The connection ended before the request was whole, or its answer is not read."""


class Guard:
    """An ASGI application. ``app`` gets only what passed, with ``scope["state"]["mcp_client_id"]`` and without the token.

    ``abort`` ends the connection of a request at once, whatever of its answer is still unsent.
    """

    def __init__(
        self,
        app: App,
        tokens: Mapping[str, str],
        limits: Limits,
        details: Mapping[str, Any],
        log: Callable[[str], None],
        abort: Callable[[Scope], None],
    ) -> None:
        self._app = app
        self._abort = abort
        self._tokens = dict(tokens)
        self._limits = limits
        self._details = details
        self._log = log
        self._turnstile = Turnstile(limits)
        self._open: dict[str, set[anyio.CancelScope]] = {}

    def set_clients(self, tokens: Mapping[str, str]) -> None:
        """From now on these tokens. What was asked with another one ends at once."""
        before, self._tokens = self._tokens, dict(tokens)
        for client_id, token in before.items():
            if self._tokens.get(client_id) != token:
                self._end(client_id)
                if client_id not in self._tokens:
                    self._turnstile.forget(client_id)

    def _end(self, client_id: str) -> None:
        for scope in list(self._open.get(client_id, ())):
            scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        answer = Answer(send, self._limits.send_s)
        try:
            await self._answered(scope, receive, answer)
        except ClientGone:
            self._abort(scope)

    async def _answered(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        """Answer, with a refusal if need be. ClientGone where the connection is to end."""
        try:
            await self._serve(scope, receive, answer)
        except Refused as refused:
            await answer.json(refused.status, refused.body, refused.headers)
        except Busy as busy:
            await answer.json(429, _busy(busy), {"Retry-After": str(busy.retry_after_s)})
        except ClientGone:
            raise
        except Exception as error:  # noqa: BLE001  (a fault of ours or of the SDK: logged by its name; it may hold anything)
            self._log(f"a request over HTTP failed: {type(error).__name__}")
            if answer.started:
                raise ClientGone from None
            await answer.json(500, Refused(500, "The request failed by a fault of the server.").body)

    async def _serve(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        headers = scope["headers"]
        check_size(headers, self._limits.header_bytes)
        check_host(headers)
        check_origin(headers)
        if scope["path"] == HEALTH_PATH:
            await self._health(scope, answer)
            return
        if scope["path"] != MCP_PATH:
            raise Refused(404, f"The endpoint is {MCP_PATH}.")
        if scope["method"] != "POST":
            raise Refused(405, "Messages are sent by POST.", headers={"Allow": "POST"})
        client_id = client_of(headers, self._tokens)
        self._turnstile.count(client_id)
        check_content(headers, self._limits.body_bytes)
        async with self._turnstile.place(client_id):
            await self._work(client_id, scope, receive, answer)

    async def _health(self, scope: Scope, answer: Answer) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, "Health is asked by GET.", headers={"Allow": "GET, HEAD"})
        client_id = ANONYMOUS
        if any(key.lower() == b"authorization" for key, _value in scope["headers"]):
            client_id = client_of(scope["headers"], self._tokens)
        self._turnstile.count(client_id)
        await answer.json(200, health(self._details if client_id else None))

    async def _work(self, client_id: str, scope: Scope, receive: Receive, answer: Answer) -> None:
        """Read the body and let the SDK answer, until the client goes, is no longer allowed, or the longest time is over."""
        if client_id not in self._tokens:  # taken back while it stood in line
            raise not_allowed()
        with anyio.CancelScope(deadline=anyio.current_time() + self._limits.request_s) as open_request:
            self._open.setdefault(client_id, set()).add(open_request)
            try:
                body = await self._body(receive)
                check_message(scope["headers"], body)
                await self._app(_passed(scope, client_id), _replayed(body, receive), answer)
            finally:
                left = self._open[client_id]
                left.discard(open_request)
                if not left:
                    del self._open[client_id]
        if open_request.cancelled_caught:
            if answer.started:
                raise ClientGone
            if client_id not in self._tokens:
                raise not_allowed()
            raise Refused(503, "The request was ended by the server.", headers={"Retry-After": "1"})

    async def _body(self, receive: Receive) -> bytes:
        """The whole body. Refused 413 and 408; ClientGone."""
        body = bytearray()
        with anyio.move_on_after(self._limits.body_s):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ClientGone
                body += message.get("body", b"")
                if len(body) > self._limits.body_bytes:
                    raise too_large(self._limits.body_bytes)
                if not message.get("more_body", False):
                    return bytes(body)
        raise Refused(408, "The body did not come in time.", headers={"Connection": "close"})


class Answer:
    """The ASGI ``send`` of one request, which knows how far it is and does not wait for ever for a client that does not read."""

    def __init__(self, send: Send, send_s: float) -> None:
        self._send = send
        self._send_s = send_s
        self.started = False

    async def __call__(self, message: Message) -> None:
        """Send a part. ClientGone."""
        if message["type"] == "http.response.start":
            self.started = True
            present = {key.lower() for key, _value in message.get("headers", [])}
            extra = [each for each in COMMON if each[0] not in present]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        with anyio.move_on_after(self._send_s) as waited:
            await self._send(message)
        if waited.cancelled_caught:
            raise ClientGone

    async def json(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        """A whole answer."""
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        given = [(key.lower().encode("latin-1"), value.encode("latin-1")) for key, value in (headers or {}).items()]
        known = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": known + given})
        await self({"type": "http.response.body", "body": data})


def _busy(busy: Busy) -> dict[str, Any]:
    data = {"code": "RATE_LIMITED", "retryable": True, "retry_after_s": busy.retry_after_s}
    return Refused(429, f"Too many {busy.what}. Wait, then send again.", code=RATE_CODE, data=data).body


def _passed(scope: Scope, client_id: str) -> Scope:
    headers = [(key, value) for key, value in scope["headers"] if key.lower() != b"authorization"]
    return {**scope, "headers": headers, "state": {**scope.get("state", {}), "mcp_client_id": client_id}}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """``receive`` that gives the body that was read, then waits for the end of the connection."""
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay
