"""A loopback OpenAI-compatible server whose model name chooses how it behaves.

Tests use it as a context manager (``with ModelServer(turns=[...]) as server``); the desktop test runs it as a script
(``python model_server.py --port-file FILE --turns FILE``; it ends with its standard input). The model "script" plays
``turns`` in order, in the same form as ``--script`` of the command line; a turn may also be ``{"scenario": NAME}``, so that
one conversation can stall in the middle and go on. ``GET /status`` tells what was seen.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CALLS = (("count_features", '{"layer_id":"schools"}'), ("zoom_to", '{"layer_id":"街道","where":[]}'))
"""What every assembly scenario means: these two calls, however they are cut up."""
USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 34,
    "total_tokens": 1234,
    "prompt_tokens_details": {"cached_tokens": 1024},
}
STALL_LIMIT_S = 60.0


class PeerClosed(Exception):
    """The client hung up before the answer was complete."""


class Exchange:
    """One request being answered: what a scenario writes to."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: ModelServer, body: dict[str, Any]) -> None:
        self._handler = handler
        self.server = server
        self.body = body
        self._started = False

    def error(self, status: int, message: str, code: str = "", headers: dict[str, str] | None = None) -> None:
        """A failed status with an error object, as OpenAI writes it."""
        self.whole(status, json.dumps({"error": {"message": message, "type": "error", "code": code or None}}), headers)

    def whole(
        self, status: int, text: str, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        """A complete answer that is no stream."""
        payload = text.encode()
        self._handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(payload)), **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(payload)
        self._started = True

    def delta(self, delta: dict[str, Any], finish: str | None = None, **extra: Any) -> None:
        """One chunk of the stream."""
        self.event(
            json.dumps(self.chunk([{"index": 0, "delta": delta, "finish_reason": finish}], **extra), ensure_ascii=False)
        )

    def call(self, arguments: Any = None, **rest: Any) -> None:
        """One chunk with a piece of a tool call: index, id and name as given, absent when not."""
        function = {"name": rest.pop("name")} if "name" in rest else {}
        if rest.pop("null", False) or arguments is not None:
            function["arguments"] = arguments
        self.delta({"tool_calls": [{**rest, "function": function}]})

    def chunk(self, choices: list[dict[str, Any]], **extra: Any) -> dict[str, Any]:
        """The frame around choices."""
        model = self.body.get("model", "")
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": choices,
            **extra,
        }

    def event(self, data: str) -> None:
        """One server-sent event."""
        self.raw(f"data: {data}\n\n".encode())

    def raw(self, payload: bytes) -> None:
        """Bytes of the stream, in one HTTP chunk or (with ``one_byte``) in as many as there are bytes."""
        if not self._started:
            self._handler.send_response(200)
            self._handler.send_header("Content-Type", "text/event-stream")
            self._handler.send_header("Transfer-Encoding", "chunked")
            self._handler.end_headers()
            self._started = True
        if self.server.chunk_delay_s:
            self.wait(self.server.chunk_delay_s)
        for piece in [payload[at : at + 1] for at in range(len(payload))] if self.server.one_byte else [payload]:
            self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self._handler.wfile.flush()

    def finish(self, reason: str, *, usage: bool = True) -> None:
        """The end of a good stream: the reason, the usage when it was asked for, and [DONE]."""
        self.delta({}, reason)
        if usage and (self.body.get("stream_options") or {}).get("include_usage"):
            self.event(json.dumps(self.chunk([], usage=USAGE)))
        self.done()

    def done(self) -> None:
        """[DONE] and the clean end of the body."""
        self.event("[DONE]")
        self.close_body()

    def close_body(self) -> None:
        """The clean end of the body."""
        self._handler.wfile.write(b"0\r\n\r\n")
        self._handler.wfile.flush()

    def cut(self) -> None:
        """The connection ends in the middle."""
        self._handler.close_connection = True
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def stall(self) -> None:
        """Silence until the client hangs up. The server's end of ``STALL_LIMIT_S`` keeps a broken test from hanging."""
        self.wait(STALL_LIMIT_S)

    def wait(self, seconds: float) -> None:
        """Silence; raises PeerClosed as soon as the client hangs up."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.server.closing:
            readable, _, _ = select.select([self._handler.connection], [], [], min(0.02, seconds))
            if readable and not self._handler.connection.recv(1, socket.MSG_PEEK):
                raise PeerClosed


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _normal(say: Exchange) -> None:
    say.delta({"role": "assistant", "content": "Let me "})
    say.delta({"content": "look."})
    for index, (name, arguments) in enumerate(CALLS):
        say.call("", index=index, id=f"call_{name}", type="function", name=name)
        for part in _halves(arguments):
            say.call(part, index=index)
    say.finish("tool_calls")


def _idx0(say: Exchange) -> None:
    for name, arguments in CALLS:
        for part, rest in zip(
            _halves(arguments), ({"id": f"call_{name}", "name": name}, {"id": f"call_{name}"}), strict=True
        ):
            say.call(part, index=0, type="function", **rest)
    say.finish("tool_calls")


def _noidx(say: Exchange) -> None:
    for name, arguments in CALLS:
        first, second = _halves(arguments)
        say.call(first, id=f"call_{name}", type="function", name=name)
        say.call(second)
    say.finish("tool_calls")


def _idlate(say: Exchange) -> None:
    for index, (name, arguments) in enumerate(CALLS):
        first, second = _halves(arguments)
        say.call(first, index=index, type="function", name=name)
        say.call(second, index=index, id=f"call_{name}")
    say.finish("tool_calls")


def _interleaved(say: Exchange) -> None:
    for index, (name, _) in enumerate(CALLS):
        say.call("", index=index, id=f"call_{name}", type="function", name=name)
    for half in (0, 1):
        for index, (_, arguments) in enumerate(CALLS):
            say.call(_halves(arguments)[half], index=index)
    say.finish("tool_calls")


def _without_arguments(value: Any) -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        say.call(value, index=0, id="call_list", type="function", name="search_layers", null=True)
        say.finish("tool_calls")

    return play


def _dict(say: Exchange) -> None:
    for index, (name, arguments) in enumerate(CALLS):
        say.call(json.loads(arguments), index=index, id=f"call_{name}", type="function", name=name)
    say.finish("tool_calls")


def _one_call(arguments: str, reason: str) -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        say.call(arguments, index=0, id="call_bad", type="function", name="buffer_layer")
        say.finish(reason)

    return play


def _hang(say: Exchange) -> None:
    say.delta({"content": "One moment"})
    say.stall()


def _slow(say: Exchange) -> None:
    for word in "This answer comes one word at a time".split(" "):
        say.delta({"content": word + " "})
        say.wait(0.1)
    say.finish("stop")


def _trunc(say: Exchange) -> None:
    say.call('{"layer_id":"scho', index=0, id="call_cut", type="function", name="buffer_layer")
    say.cut()


def _cleancut(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.close_body()


def _errmid(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.event(json.dumps({"error": {"message": "overloaded, key sk-secret-canary", "code": 503}}))
    say.done()


def _badsse(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.raw(b"data: {not json at all\n\n")
    say.finish("stop")


def _empty(say: Exchange) -> None:
    say.delta({"role": "assistant", "content": ""})
    say.finish("stop")


def _text(text: str, *, usage: bool = True, field: str = "content") -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        for at in range(0, len(text), 6):
            say.delta({field: text[at : at + 6]})
        say.finish("stop", usage=usage)

    return play


def _reason(say: Exchange) -> None:
    say.delta({"reasoning_content": "25 schools "})
    say.delta({"reasoning": "in all."})
    say.delta({"content": "There are 25 schools."})
    say.finish("stop")


def _usagemid(say: Exchange) -> None:
    say.delta({"content": "Twelve "}, usage={**USAGE, "completion_tokens": 1})
    say.delta({"content": "schools."}, usage=USAGE)
    say.finish("stop", usage=False)


def _rep(say: Exchange) -> None:
    for _ in range(130):
        say.delta({"content": "0, 0"})
    say.finish("stop")


def _crlf(say: Exchange) -> None:
    payload = json.dumps(
        say.chunk([{"index": 0, "delta": {"content": "街道B有8所学校"}, "finish_reason": None}]), ensure_ascii=False
    )
    say.raw(b": keep-alive\r\n\r\n")
    whole = f"data: {payload}\r\n\r\n".encode()
    middle = whole.index("街".encode()) + 1  # inside a character
    say.raw(whole[:middle])
    say.raw(whole[middle:])
    say.finish("stop")


def _nousageoption(say: Exchange) -> None:
    if "stream_options" in say.body:
        say.error(400, "Unrecognized request argument supplied: stream_options")
    else:
        _text("Fine without.")(say)


def _status429(say: Exchange) -> None:
    say.error(429, "Rate limit reached for key sk-secret-canary", headers={"Retry-After": "2"})


def _status401(say: Exchange) -> None:
    key = say.server.authorizations[-1].removeprefix("Bearer ")
    say.error(401, f"Incorrect API key provided: {key}. Find your key at /account.", "invalid_api_key")


def _overflow(say: Exchange) -> None:
    say.error(
        400, "This model's maximum context length is 8192 tokens, your messages have 9001.", "context_length_exceeded"
    )


SCENARIOS: dict[str, Callable[[Exchange], None]] = {
    "normal": _normal,
    "idx0": _idx0,
    "noidx": _noidx,
    "idlate": _idlate,
    "emptyargs": _without_arguments(""),
    "nullargs": _without_arguments(None),
    "dict": _dict,
    "badargs": _one_call("{'layer_id': 'schools', 'dissolve': True,}", "tool_calls"),
    "interleaved": _interleaved,
    "hang": _hang,
    "silent": lambda say: say.stall(),
    "slow": _slow,
    "trunc": _trunc,
    "cleancut": _cleancut,
    "errmid": _errmid,
    "badsse": _badsse,
    "empty": _empty,
    "nothing": lambda say: say.done(),
    "text": _text("There are 25 schools."),
    "nousage": _text("There are 25 schools.", usage=False),
    "reason": _reason,
    "reasononly": _text("I wonder what to do.", field="reasoning_content"),
    "usagemid": _usagemid,
    "nousageoption": _nousageoption,
    "rep": _rep,
    "crlf": _crlf,
    "lenfr": _one_call('{"layer_id":"schools","distance_m":10', "length"),
    "stopfr": _one_call('{"layer_id":"schools","distance_m":500}', "stop"),
    "overflow": _overflow,
    "status400": lambda say: say.error(400, "Bad request: unknown field"),
    "status401": _status401,
    "status403": lambda say: say.error(403, "Forbidden"),
    "status404": lambda say: say.error(404, "The model does not exist", "model_not_found"),
    "status429": _status429,
    "quota": lambda say: say.error(429, "You exceeded your current quota", "insufficient_quota"),
    "status500": lambda say: say.error(500, "Internal error"),
    "status502": lambda say: say.whole(502, "<html><body>Bad gateway</body></html>", kind="text/html"),
}


def play_turn(say: Exchange, turn: dict[str, Any], number: int) -> None:
    """One turn of a script as a stream: text in pieces, then the calls, each in two pieces."""
    if "scenario" in turn:
        SCENARIOS[turn["scenario"]](say)
        return
    text = turn.get("text", "")
    say.delta({"role": "assistant", "content": ""})
    for at in range(0, len(text), 8):
        say.delta({"content": text[at : at + 8]})
    calls = turn.get("tool_calls", [])
    for index, call in enumerate(calls):
        arguments = call.get("arguments", {})
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        say.call("", index=index, id=f"call_{number}_{index + 1}", type="function", name=call["name"])
        for part in _halves(raw):
            say.call(part, index=index)
    say.finish(turn.get("finish_reason") or ("tool_calls" if calls else "stop"))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner: ModelServer

    def do_GET(self) -> None:
        say = Exchange(self, self.owner, {})
        say.whole(200, json.dumps(self.owner.status()))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        turn, number = self.owner.record(body, self.headers.get("Authorization", ""))
        say = Exchange(self, self.owner, body)
        name = str(body.get("model", ""))
        try:
            if name == "script":
                if turn is None:
                    say.error(400, f"The script has no turn {number}.", "script_exhausted")
                else:
                    play_turn(say, turn, number)
            elif name in SCENARIOS:
                SCENARIOS[name](say)
            else:
                say.error(404, f"There is no scenario {name!r}.", "model_not_found")
        except (PeerClosed, BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.owner.note_closed()

    def log_message(self, format: str, *args: Any) -> None:
        return  # tests read ``requests``; nothing belongs on their standard error


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(
            sys.exc_info()[1], (ConnectionError, OSError)
        ):  # a client that is gone is what tests are about
            super().handle_error(request, client_address)


class ModelServer:
    """The server. ``requests`` are the bodies, ``authorizations`` the headers, in the order they came in."""

    def __init__(
        self, turns: Sequence[dict[str, Any]] = (), *, chunk_delay_s: float = 0.0, one_byte: bool = False, port: int = 0
    ) -> None:
        self._turns: Iterator[dict[str, Any]] = iter(turns)
        self._played = 0
        self._lock = threading.Lock()
        self.chunk_delay_s = chunk_delay_s
        self.one_byte = one_byte
        self.closing = False
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.request_times: list[float] = []
        self.closed_early = threading.Event()
        self.closed_times: list[float] = []
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = _Server(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """The port that was taken."""
        return int(self._http.server_address[1])

    @property
    def base_url(self) -> str:
        """What a client gets as ``api_base``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def record(self, body: dict[str, Any], authorization: str) -> tuple[dict[str, Any] | None, int]:
        """Note a request; for the model "script" also take its turn (None when there is none left) and its number."""
        with self._lock:
            self.requests.append(body)
            self.authorizations.append(authorization)
            self.request_times.append(time.monotonic())
            if body.get("model") != "script":
                return None, 0
            self._played += 1
            return next(self._turns, None), self._played

    def note_closed(self) -> None:
        """Note that a client hung up early (``time.monotonic``)."""
        with self._lock:
            self.closed_times.append(time.monotonic())
        self.closed_early.set()

    def status(self) -> dict[str, Any]:
        """What another process may ask by ``GET /status``."""
        with self._lock:
            return {
                "requests": len(self.requests),
                "turns_played": self._played,
                "closed_early": len(self.closed_times),
            }

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.closing = True
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)


def main() -> None:
    """Serve until standard input ends. The port is written to ``--port-file`` when the server is ready."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--turns", type=Path, help="a JSON list of turns for the model 'script'")
    parser.add_argument("--chunk-delay", type=float, default=0.0, help="seconds between chunks")
    options = parser.parse_args()
    turns = json.loads(options.turns.read_text(encoding="utf-8")) if options.turns else []
    with ModelServer(turns, chunk_delay_s=options.chunk_delay) as server:
        draft = options.port_file.with_suffix(".part")
        draft.write_text(str(server.port), encoding="utf-8")
        draft.replace(options.port_file)  # a reader never sees half a number
        sys.stdin.read()


if __name__ == "__main__":
    main()
