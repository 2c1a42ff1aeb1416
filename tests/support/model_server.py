"""A loopback server of models, OpenAI-compatible and others, whose model name chooses how it behaves.

The scenarios are in model_scenarios.py (OpenAI's form) and model_wire.py (what other providers speak).

Tests use it as a context manager (``with ModelServer(turns=[...]) as server``); the desktop test runs it as a script
(``python model_server.py --port-file FILE --turns FILE``; it ends with its standard input). The model "script" plays
``turns`` in order, in the same form as ``--script`` of the command line; a turn may also be ``{"scenario": NAME}``, so that
one conversation can stall in the middle and go on. ``GET /status`` tells what was seen, ``GET /last`` the last request.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from model_scenarios import CALLS, USAGE, halves
from model_scenarios import SCENARIOS as OPENAI
from model_wire import SCENARIOS as OTHERS

__all__ = ["CALLS", "SCENARIOS", "USAGE", "ModelServer"]
SCENARIOS = {**OPENAI, **OTHERS}

STALL_LIMIT_S = 60.0


class PeerClosed(Exception):
    """The client hung up before the answer was complete."""


class Exchange:
    """One request being answered: what a scenario writes to."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: ModelServer, body: dict[str, Any]) -> None:
        self._handler = handler
        self.server = server
        self.body = body
        self.path = handler.path
        self.content_type = "text/event-stream"
        self._started = False

    def error(self, status: int, message: str, code: str = "", headers: dict[str, str] | None = None) -> None:
        """A failed status with an error object, as OpenAI writes it."""
        self.whole(status, json.dumps({"error": {"message": message, "type": "error", "code": code or None}}), headers)

    def whole(
        self, status: int, text: str | bytes, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        """A complete answer that is no stream."""
        payload = text.encode() if isinstance(text, str) else text
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
            self._handler.send_header("Content-Type", self.content_type)
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
        for part in halves(raw):
            say.call(part, index=index)
    say.finish(turn.get("finish_reason") or ("tool_calls" if calls else "stop"))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # small writes would wait 40 ms for each other
    owner: ModelServer

    def do_GET(self) -> None:
        say = Exchange(self, self.owner, {})
        if self.path == "/last":
            say.whole(200, json.dumps(self.owner.requests[-1] if self.owner.requests else {}))
            return
        say.whole(200, json.dumps(self.owner.status()))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        turn, number = self.owner.record(body, self.headers.get("Authorization", ""))
        say = Exchange(self, self.owner, body)
        name = str(body.get("model", "")) or self.path.rpartition("/")[2].partition(":")[0]  # Gemini's is in the path
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
