"""The forwarder between a host's stdio and the endpoint of a running QGIS: a real process against a server that misbehaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "qgis_agent" / "mcp_forwarder.py"
TOKEN = "t" * 30


class Endpoint(BaseHTTPRequestHandler):
    """Answers by the method of the message: as JSON, as events, not at all, with a status."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[dict[str, str], Any]]] = []
    gone = threading.Event()
    started = threading.Event()

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((dict(self.headers.items()), body))
        method, ident = body.get("method"), body.get("id")
        if self.headers.get("Authorization") != "Bearer " + TOKEN:
            self.plain(401)
        elif ident is None:
            self.plain(202)
        elif method == "busy":
            self.plain(429, {"Retry-After": "7"})
        elif method == "wrong":
            self.json({"jsonrpc": "2.0", "id": None, "error": {"code": -32022, "message": "no"}}, 400)
        elif method == "stream":
            self.begin_stream()
            for each in ({"method": "notifications/progress"}, {"id": ident, "result": {"text": "é\n"}}):
                self.event({"jsonrpc": "2.0", **each})
            self.chunk(b"")
        elif method == "hang":
            self.begin_stream()
            self.started.set()
            try:
                while not self.gone.is_set():
                    self.chunk(b": still here\n\n")
                    time.sleep(0.02)
            except OSError:
                self.gone.set()
        elif method == "break":
            self.close_connection = True
        elif method == "slow":
            time.sleep(0.4)
            self.json({"jsonrpc": "2.0", "id": ident, "result": {}})
        else:
            self.json({"jsonrpc": "2.0", "id": ident, "result": {"protocolVersion": "2025-06-18", "serverInfo": {}}})

    def plain(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def json(self, message: Any, status: int = 200) -> None:
        body = json.dumps(message).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, message: Any) -> None:
        self.chunk(b"event: message\r\ndata: " + json.dumps(message).encode() + b"\r\n\r\n")


class Host:
    """The forwarder as a host runs it."""

    def __init__(self, url: str, token: str = TOKEN, *more: str, **env: str) -> None:
        environment = {key: each for key, each in os.environ.items() if not key.startswith(("QGIS_", "XDG_"))}
        environment.update({"QGIS_AGENT_MCP_TOKEN": token, **env})
        given = ["--url", url] if url else []
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), *given, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )

    def say(self, method: str, ident: Any = None, **params: Any) -> None:
        """A message of the host."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if ident is not None:
            message["id"] = ident
        if params:
            message["params"] = params
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """The next line."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> list[Any]:
        """Close stdin; what else came."""
        out, _errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return [json.loads(each) for each in out.splitlines()]


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The address of a server."""
    Endpoint.seen, Endpoint.gone, Endpoint.started = [], threading.Event(), threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    Endpoint.gone.set()
    server.shutdown()
    server.server_close()


def test_json_and_events_come_back_as_lines(endpoint: str) -> None:
    """Also what comes before the answer; a notification gets none; the version that was agreed on is in each header."""
    host = Host(endpoint)
    host.say("initialize", 1, protocolVersion="2025-06-18")
    assert host.hear()["result"]["protocolVersion"] == "2025-06-18"
    host.say("notifications/initialized")
    host.say("stream", "a")
    assert host.hear()["method"] == "notifications/progress"
    assert host.hear() == {"jsonrpc": "2.0", "id": "a", "result": {"text": "é\n"}}
    assert host.end() == []
    first, *others = Endpoint.seen
    assert "MCP-Protocol-Version" not in first[0]
    assert {each[0]["MCP-Protocol-Version"] for each in others} == {"2025-06-18"}
    assert {each[0]["Accept"] for each in Endpoint.seen} == {"application/json, text/event-stream"}


def test_the_newer_era_says_method_and_name_in_headers(endpoint: str) -> None:
    """A name that is not ASCII goes in base64."""
    host = Host(endpoint)
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    host.say("tools/call", 1, name="count", arguments={}, _meta=meta)
    host.hear()
    host.say("resources/read", 2, uri="qgis://layers/学校", _meta=meta)
    host.hear()
    host.end()
    one, two = (each[0] for each in Endpoint.seen)
    assert (one["MCP-Protocol-Version"], one["Mcp-Method"], one["Mcp-Name"]) == ("2026-07-28", "tools/call", "count")
    assert two["Mcp-Name"] == "=?base64?cWdpczovL2xheWVycy/lrabmoKE=?="


def test_requests_do_not_wait_for_each_other(endpoint: str) -> None:
    """A quick one overtakes a slow one."""
    host = Host(endpoint)
    host.say("slow", 1)
    host.say("quick", 2)
    assert [host.hear()["id"], host.hear()["id"]] == [2, 1]
    host.end()


def test_a_cancelled_request_ends_its_stream_and_gets_no_answer(endpoint: str) -> None:
    """The server sees the connection go; other requests go on."""
    host = Host(endpoint)
    host.say("hang", 5)
    assert Endpoint.started.wait(10)
    host.say("notifications/cancelled", requestId=5)
    assert Endpoint.gone.wait(10)
    host.say("quick", 6)
    assert host.hear()["id"] == 6
    assert host.end() == []


@pytest.mark.parametrize(
    ("method", "words"), [("busy", "7 s"), ("break", "not known"), ("wrong", "no"), ("quick", "does not accept")]
)
def test_what_goes_wrong_is_an_error_of_the_request(endpoint: str, method: str, words: str) -> None:
    """With its id; nothing is sent twice."""
    host = Host(endpoint, "wrong" if method == "quick" else TOKEN)
    host.say(method, "x")
    answer = host.hear()
    assert answer["id"] == "x" and words in answer["error"]["message"]
    assert host.end() == [] and len(Endpoint.seen) == 1


def test_without_qgis_without_a_token_and_with_an_address_elsewhere(endpoint: str, tmp_path: Path) -> None:
    """Each says what to do; the token goes to this machine only."""
    for url, token, words in (
        ("http://127.0.0.1:9/mcp", TOKEN, "not running"),
        ("http://192.0.2.1:8766/mcp", TOKEN, "this machine"),
        ("https://127.0.0.1:8766/mcp", TOKEN, "this machine"),
        (endpoint, "", "QGIS_AGENT_MCP_TOKEN"),
    ):
        host = Host(url, token)
        host.say("tools/list", 1)
        assert words in host.hear()["error"]["message"]
        host.end()
    host = Host("", TOKEN, HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path))
    host.say("tools/list", 1)
    assert "not running" in host.hear()["error"]["message"]
    host.end()
    assert not Endpoint.seen


def test_it_finds_the_qgis_that_opened_its_endpoint_last(endpoint: str, tmp_path: Path) -> None:
    """In the profiles of this user; a profile can be named."""
    profiles = tmp_path / "QGIS" / "QGIS3" / "profiles"
    for number, (name, url) in enumerate((("old", "http://127.0.0.1:9/mcp"), ("default", endpoint))):
        file = profiles / name / "qgis_agent" / "mcp_endpoint.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"url": url, "port": 1, "pid": 1}), encoding="utf-8")
        os.utime(file, (number * 1000, number * 1000))
    if sys.platform.startswith("linux"):
        host = Host("", TOKEN, XDG_DATA_HOME=str(tmp_path))
        host.say("quick", 1)
        assert "result" in host.hear()
        host.end()
    host = Host("", TOKEN, "--profile-folder", str(profiles / "old"))
    host.say("quick", 1)
    assert "not running" in host.hear()["error"]["message"]
    host.end()


def test_what_is_no_message_is_said_so(endpoint: str) -> None:
    """And the next one is read."""
    host = Host(endpoint)
    assert host.process.stdin is not None
    host.process.stdin.write(b"{\n\n[1]\n")
    host.say("quick", 1)
    answers = [host.hear() for _ in range(3)]
    assert sorted(each.get("error", {}).get("code", 0) for each in answers) == [-32700, -32600, 0]
    host.end()


def test_the_token_can_be_in_a_file_and_is_not_left_in_the_environment(endpoint: str, tmp_path: Path) -> None:
    """A file that is not there is said."""
    file = tmp_path / "token.txt"
    file.write_text(TOKEN + "\n", encoding="utf-8")
    host = Host(endpoint, "", "--token-file", str(file))
    host.say("quick", 1)
    assert "result" in host.hear()
    host.end()
    host = Host(endpoint, "", "--token-file", str(tmp_path / "none"))
    host.say("quick", 1)
    assert "token" in host.hear()["error"]["message"]
    host.end()
