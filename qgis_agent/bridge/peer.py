"""A JSON-RPC 2.0 peer without a transport: bytes go in, calls come out, and the other way round.

Both ends of the bridge use it: the QGIS side on QProcess signals, the agent on an asyncio loop. It has no thread of its
own and must be used from one thread.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from . import messages
from .framing import BadLine, LineReader, Message, classify, encode_line

Params = Dict[str, Any]


class RpcError(Exception):
    """An error answer: JSON-RPC ``code``, ``message`` and optional ``data``."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Incoming:
    """A request of the other side. Answer it once, with ``result`` or ``error``; later answers are dropped."""

    def __init__(self, peer: Peer, ident: Any, method: str, params: Params) -> None:
        self.id = ident
        self.method = method
        self.params = params
        self.on_cancel: Optional[Callable[[], None]] = None
        self._peer = peer

    def result(self, value: Any) -> None:
        """Answer with ``value``. One that does not fit a line is answered with an error instead."""
        if self._peer.forget(self.id):
            try:
                self._peer.send({"jsonrpc": "2.0", "id": self.id, "result": value})
            except ValueError as error:
                self._peer.send(_error_message(self.id, messages.INTERNAL_ERROR, str(error)))

    def error(self, code: int, message: str, data: Any = None) -> None:
        """Answer with an error."""
        if self._peer.forget(self.id):
            self._peer.send(_error_message(self.id, code, message, data))


def _error_message(ident: Any, code: int, message: str, data: Any = None) -> Message:
    error: Dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": ident, "error": error}


OnAnswer = Callable[[Any, Optional[RpcError]], None]


class Peer:
    """One end of the line.

    ``write`` takes the bytes of one line. ``on_request`` gets an Incoming, ``on_notification`` a method and its
    parameters, ``on_log`` a line for the log (garbage, unknown methods, answers to nothing).
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        on_request: Callable[[Incoming], None],
        on_notification: Callable[[str, Params], None],
        on_log: Callable[[str], None],
        prefix: str,
    ) -> None:
        self._write = write
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_log = on_log
        self._prefix = prefix
        self._reader = LineReader()
        self._count = 0
        self._waiting: Dict[Any, OnAnswer] = {}
        self._open: Dict[Any, Incoming] = {}
        self._closed = False

    def feed(self, data: bytes) -> None:
        """Take bytes from the transport."""
        for item in self._reader.feed(data):
            if isinstance(item, BadLine):
                self._on_log("unreadable message ({}): {!r}".format(item.why, item.start))
                self.send(_error_message(None, messages.PARSE_ERROR, item.why))
            else:
                self._dispatch(item)

    def request(self, method: str, params: Params, on_answer: OnAnswer) -> str:
        """Ask the other side; ``on_answer(result, error)`` is called exactly once. Returns the id, for ``cancel``."""
        self._count += 1
        ident = "{}{}".format(self._prefix, self._count)
        if self._closed:
            on_answer(None, RpcError(messages.PEER_CLOSED, "the other side is closed"))
            return ident
        self._waiting[ident] = on_answer
        try:
            self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        except ValueError as error:
            self._settle(ident, None, RpcError(messages.INVALID_PARAMS, str(error)))
        return ident

    def notify(self, method: str, params: Params) -> None:
        """Tell the other side something. Raises ValueError when it does not fit a line."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, ident: str) -> None:
        """Ask the other side to end a request of ours; its answer still comes by the request's callback."""
        if ident in self._waiting:
            self.notify(messages.CANCEL, {"id": ident})

    def send(self, message: Message) -> None:
        """Write one message, unless the line is closed."""
        if not self._closed:
            self._write(encode_line(message))

    def close(self, why: str) -> None:
        """End of the line: every open request of ours fails, every open one of theirs is cancelled."""
        if self._closed:
            return
        self._closed = True
        for incoming in list(self._open.values()):
            if incoming.on_cancel is not None:
                incoming.on_cancel()
        self._open.clear()
        for ident in list(self._waiting):
            self._settle(ident, None, RpcError(messages.PEER_CLOSED, why))

    def forget(self, ident: Any) -> bool:
        """Take an incoming request off the books. False when it is answered already."""
        return self._open.pop(ident, None) is not None

    def _settle(self, ident: Any, result: Any, error: Optional[RpcError]) -> None:
        on_answer = self._waiting.pop(ident, None)
        if on_answer is not None:
            on_answer(result, error)

    def _dispatch(self, message: Message) -> None:
        kind, why = classify(message)
        if kind == "request":
            self._take_request(message)
        elif kind == "notification":
            self._take_notification(message["method"], message.get("params", {}))
        elif kind == "response":
            self._take_response(message)
        elif "error" in message and message.get("id") is None:
            self._on_log("the other side could not read a message: {!r}".format(message["error"]))
        else:
            self._on_log("invalid message: {}".format(why))
            self.send(_error_message(None, messages.INVALID_REQUEST, why))

    def _take_request(self, message: Message) -> None:
        ident = message["id"]
        if ident in self._open:
            self._on_log("request id used twice: {!r}".format(ident))
            self.send(_error_message(ident, messages.INVALID_REQUEST, "this id is in use"))
            return
        incoming = Incoming(self, ident, message["method"], message.get("params", {}))
        self._open[ident] = incoming
        self._on_request(incoming)

    def _take_notification(self, method: str, params: Params) -> None:
        if method != messages.CANCEL:
            self._on_notification(method, params)
            return
        ident = params.get("id")
        incoming = self._open.get(ident) if isinstance(ident, (int, str)) else None
        if incoming is not None and incoming.on_cancel is not None:
            incoming.on_cancel()

    def _take_response(self, message: Message) -> None:
        ident = message["id"]
        if ident not in self._waiting:
            self._on_log("answer to no open request: {!r}".format(ident))
            return
        error = message.get("error")
        if error is None:
            self._settle(ident, message.get("result"), None)
            return
        fields = error if isinstance(error, dict) else {"message": str(error)}
        code = fields.get("code")
        self._settle(
            ident,
            None,
            RpcError(code if isinstance(code, int) else messages.INTERNAL_ERROR, str(fields.get("message", ""))),
        )
