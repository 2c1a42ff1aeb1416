"""MCP over HTTP: who is answered and who is not, both eras on one endpoint, versions, methods, sizes, health."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_http import TOKENS, HttpWorld, hashes, modern
from mcp_world import ScriptedQgis

from qgis_agent.agent.mcp.http_server import bound_socket
from qgis_agent.agent.mcp.limits import Limits
from qgis_agent.bridge.envelope import success

ALL_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
FREE = Limits(rate_per_s=1e6, burst=10**6)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpWorld]:
    qgis = ScriptedQgis()
    qgis.tools["count_features"] = success({"count": 25})
    made = HttpWorld(tmp_path_factory.mktemp("mcp") / "w", qgis=qgis, limits=FREE)
    yield made
    said = " ".join(made.world.log)
    made.close()
    assert not any(token in said for token in TOKENS.values())
    assert said == ""


COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}


# who


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic dXNlcjpwYXNz",
        TOKENS["client-a"],
        f"Bearer {TOKENS['client-a']}x",
        f"Bearer {TOKENS['client-a'][:-1]}",
        f"Bearer {hashes()['client-a']}",
        "Bearer " + "x" * 5000,
        "Bearer \xff\xfe",
    ],
)
def test_without_a_valid_token_nothing_is_answered(world: HttpWorld, authorization: str | None) -> None:
    before = len(world.qgis.asked)
    reply = world.modern("tools/list", token=None, headers={"Authorization": authorization})
    assert reply.status == 401
    assert "id" not in reply.message  # MCP's errors have an id that is one, or none at all
    assert reply.headers["www-authenticate"].startswith('Bearer realm="qgis-agent"')
    assert len(world.qgis.asked) == before
    assert "token-of" not in reply.body.decode()


def test_the_scheme_is_read_in_any_case_and_the_token_is_not(world: HttpWorld) -> None:
    token = TOKENS["client-a"]
    assert world.modern("tools/list", headers={"Authorization": f"bearer {token}"}, token=None).status == 200
    assert world.modern("tools/list", headers={"Authorization": f"Bearer {token.upper()}"}, token=None).status == 401


def test_two_authorizations_are_none(world: HttpWorld) -> None:
    body, _headers = modern("tools/list")
    data = json.dumps(body)
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{world.port}",
        f"Authorization: Bearer {TOKENS['client-a']}",
        f"Authorization: Bearer {TOKENS['client-b']}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
        "Connection: close",
        "",
        data,
    ]
    assert raw(world, "\r\n".join(lines).encode()).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:3000", 200),
        ("http://[::1]:3000", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://127.0.0.1.evil.example", 403),
        ("http://evil.example/localhost", 403),
        ("http://localhost@evil.example", 403),
        ("null", 403),
        ("", 403),
        ("file://localhost", 403),
        ("http://[::1", 403),
        ("http://localhost:99999", 403),
    ],
)
def test_pages_from_elsewhere_are_refused(world: HttpWorld, origin: str | None, status: int) -> None:
    assert world.modern("tools/list", headers={"Origin": origin}).status == status


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:1", 200),
        ("LOCALHOST", 200),
        ("rebound.example", 403),
        ("127.0.0.1.rebound.example", 403),
        ("localhost.", 403),
        ("169.254.169.254", 403),
        ("192.0.2.7:8766", 403),
        ("127.0.0.1:port", 403),
        ("user@127.0.0.1@evil.example", 403),
        ("", 403),
    ],
)
def test_only_this_machines_names_are_answered(world: HttpWorld, host: str, status: int) -> None:
    assert world.modern("tools/list", headers={"Host": host}).status == status


def test_a_refused_page_learns_nothing_of_tokens(world: HttpWorld) -> None:
    """Origin and Host are looked at first: the same answer with a good token, a bad one and none."""
    answers = [
        world.modern("tools/list", headers={"Origin": "https://evil.example"}, token=each)
        for each in (TOKENS["client-a"], "wrong", None)
    ]
    assert {(each.status, each.body) for each in answers} == {(403, answers[0].body)}


def test_the_token_goes_no_further_than_the_guard(world: HttpWorld) -> None:
    seen: list[Any] = []
    guard, inner = world.front._guard, world.front._guard._app

    async def look(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)
        await inner(scope, receive, send)

    guard._app = look
    try:
        assert world.modern("tools/list", token=TOKENS["client-b"]).status == 200
    finally:
        guard._app = inner
    assert seen[0]["state"]["mcp_client_id"] == "client-b"
    assert "token-of" not in repr(seen[0])


# both eras


def test_a_call_in_each_era(world: HttpWorld) -> None:
    for reply in (world.modern("tools/call", COUNT), world.legacy("tools/call", COUNT)):
        assert reply.status == 200
        assert json.loads(reply.message["result"]["content"][0]["text"])["data"] == {"count": 25}
    asked = [each["client_id"] for each in world.qgis.of("mcp/client")]
    assert set(asked) <= {"client-a", "client-b"}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_older_clients_begin_with_initialize(world: HttpWorld, version: str) -> None:
    """The version is the client's own; there is no session id; ``initialized`` is accepted; GET afterwards is 405."""
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    first = world.ask(body={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
    assert (first.status, first.message["result"]["protocolVersion"]) == (200, version)
    assert "mcp-session-id" not in first.headers
    header = {"MCP-Protocol-Version": version}
    told = world.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=header)
    assert told.status == 202
    listed = world.ask(body={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=header)
    assert "count_features" in [each["name"] for each in listed.message["result"]["tools"]]
    assert world.ask(method="GET", headers=header).status == 405


def test_discover_then_initialize_as_hosts_do(world: HttpWorld) -> None:
    found = world.modern("server/discover")
    assert found.message["result"]["supportedVersions"] == ALL_VERSIONS
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "both", "version": "1"}}
    assert world.ask(body={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}).status == 200


def test_session_and_event_ids_of_clients_are_ignored(world: HttpWorld) -> None:
    for ask in (world.modern, world.legacy):
        assert ask("tools/list", headers={"Mcp-Session-Id": "made-up", "Last-Event-ID": "7"}).status == 200


# versions


@pytest.mark.parametrize("header", ["2099-01-01", "1999-12-31", "2026-07-27", "latest", "1.0", "\xff"])
def test_a_version_that_is_not_served_is_said(world: HttpWorld, header: str) -> None:
    """Never a silent step down: 400, -32022, with what is served and what was asked."""
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
    reply = world.ask(body=body, headers={"MCP-Protocol-Version": header})
    assert (reply.status, reply.message["id"], reply.message["error"]["code"]) == (400, 7, -32022)
    data = reply.message["error"]["data"]
    assert (data["supported"], data["requested"]) == (ALL_VERSIONS, header if header.isascii() else data["requested"])
    assert "MCP-Protocol-Version" in data["hint"]


def test_header_and_body_must_name_the_same_version(world: HttpWorld) -> None:
    body, headers = modern("tools/list")
    for header in (None, "2025-11-25", "2099-01-01"):
        reply = world.ask(body=body, headers={**headers, "MCP-Protocol-Version": header})
        assert (reply.status, reply.message["error"]["code"]) == (400, -32020), header
    named = {
        **body,
        "params": {"_meta": {**body["params"]["_meta"], "io.modelcontextprotocol/protocolVersion": "2099-01-01"}},
    }
    reply = world.ask(body=named, headers={**headers, "MCP-Protocol-Version": "2099-01-01"})
    assert (reply.status, reply.message["error"]["code"]) == (400, -32022)
    assert reply.message["error"]["data"]["requested"] == "2099-01-01"


@pytest.mark.parametrize("header", ["Mcp-Method", "Mcp-Name"])
def test_routing_headers_must_equal_the_body(world: HttpWorld, header: str) -> None:
    reply = world.modern("tools/call", COUNT, headers={header: "something_else"})
    assert (reply.status, reply.message["error"]["code"]) == (400, -32020)


def test_a_request_without_its_envelope_is_refused(world: HttpWorld) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    reply = world.ask(body=body, headers={"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"})
    assert (reply.status, reply.message["error"]["code"]) == (400, -32602)


# methods and forms


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "BREW"])
def test_messages_come_by_post_only(world: HttpWorld, method: str) -> None:
    for token in (TOKENS["client-a"], None):
        reply = world.ask(method=method, token=token, headers={"Accept": "text/event-stream"})
        assert (reply.status, reply.headers["allow"]) == (405, "POST")
    assert not [each for each in reply.headers if each.startswith("access-control-")]


@pytest.mark.parametrize(
    "path", ["/", "/mcp/", "/MCP", "/sse", "/messages", "/.well-known/oauth-protected-resource", "/mcp/../mcp", "//mcp"]
)
def test_there_is_one_endpoint(world: HttpWorld, path: str) -> None:
    for method in ("GET", "POST"):
        assert world.ask(method=method, path=path).status == 404


def test_an_unknown_method(world: HttpWorld) -> None:
    reply = world.modern("tools/obliterate")
    assert (reply.status, reply.message["error"]["code"], reply.message["id"]) == (404, -32601, 1)
    assert world.legacy("tools/obliterate").message["error"]["code"] == -32601


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_body_that_is_not_json_by_its_type(world: HttpWorld, kind: str | None) -> None:
    """What a page can send without asking first (a form) is none of it."""
    assert world.modern("tools/list", headers={"Content-Type": kind}).status == 415


def test_json_with_a_charset_is_json_and_a_compressed_body_is_refused(world: HttpWorld) -> None:
    assert world.modern("tools/list", headers={"Content-Type": "Application/JSON; charset=utf-8"}).status == 200
    assert world.modern("tools/list", headers={"Content-Encoding": "gzip"}).status == 415


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"jsonrpc":"2.0","id":' + b"9" * 100_000 + b',"method":"tools/list"}',
        b"\xff\xfe",
        b"null",
        b'"x"',
        b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
        b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":[1]}}}',
    ],
)
@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25", None])
def test_what_is_no_request_is_said_to_be_none(world: HttpWorld, body: bytes, version: str | None) -> None:
    reply = world.ask(body=body, headers={"MCP-Protocol-Version": version})
    assert reply.status == 400
    assert reply.message["error"]["code"] in (-32700, -32600, -32602, -32020)


def test_arguments_as_a_text_are_a_protocol_error(world: HttpWorld) -> None:
    call = {"name": "count_features", "arguments": '{"layer_id": "schools"}'}
    for reply in (world.modern("tools/call", call), world.legacy("tools/call", call)):
        assert reply.message["error"]["code"] == -32602


def test_the_largest_body_and_one_byte_more(world: HttpWorld) -> None:
    def padded(size: int) -> bytes:
        body, _headers = modern("tools/list")
        body["params"]["pad"] = ""
        body["params"]["pad"] = "x" * (size - len(json.dumps(body)))
        return json.dumps(body).encode()

    headers = modern("tools/list")[1]
    limit = 1024 * 1024
    assert world.ask(body=padded(limit), headers=headers).status == 200
    assert world.ask(body=padded(limit + 1), headers=headers).status == 413
    assert world.ask(body=padded(4 * limit), headers=headers).status == 413
    for length in ("-1", "1e9", "99999999999999999999999"):
        assert raw(world, head(world, f"Content-Length: {length}"))[:13] in (b"HTTP/1.1 400 ", b"HTTP/1.1 413 ")


def test_a_body_in_chunks_is_measured_too(world: HttpWorld) -> None:
    """No length is said: what comes is counted, and the answer is there before all of it has come."""
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert raw(world, head(world, "Transfer-Encoding: chunked") + chunk * 17).startswith(b"HTTP/1.1 413 ")


def test_large_headers_are_refused(world: HttpWorld) -> None:
    assert raw(world, head(world, "X-Pad: " + "x" * 17_000))[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\x00" * 100, b"POST /mcp HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_http_is_answered_once(world: HttpWorld, data: bytes) -> None:
    assert raw(world, data).startswith(b"HTTP/1.1 400 ")


def test_every_answer_is_for_nobody_else(world: HttpWorld) -> None:
    for reply in (world.modern("tools/list"), world.modern("tools/list", token=None), world.ask(method="GET")):
        assert "no-" in reply.headers["cache-control"]
        assert (reply.headers["x-content-type-options"], reply.headers.get("server")) == ("nosniff", None)


# health


def test_health_says_little_to_strangers(world: HttpWorld) -> None:
    stranger = world.ask(method="GET", path="/health", token=None)
    assert (stranger.status, stranger.message) == (200, {"status": "ok"})
    known = world.ask(method="GET", path="/health").message
    assert known == {
        "status": "ok",
        "name": "qgis-agent",
        "qgis_agent": "9.9",
        "protocol_versions": ALL_VERSIONS,
        "mcp_sdk": "2.3.0",
    }
    assert world.ask(method="GET", path="/health", token="wrong").status == 401
    assert world.ask(method="POST", path="/health").status == 405
    assert world.ask(method="GET", path="/health", token=None, headers={"Host": "rebound.example"}).status == 403


# the port


def test_it_listens_on_the_loopback_only_and_a_taken_port_is_an_error(world: HttpWorld) -> None:
    bound = bound_socket(0)
    try:
        assert bound.getsockname()[0] == "127.0.0.1"
    finally:
        bound.close()
    with pytest.raises(OSError):
        bound_socket(world.port)


def head(world: HttpWorld, *lines: str) -> bytes:
    """The head of an allowed request."""
    given = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{world.port}",
        f"Authorization: Bearer {TOKENS['client-a']}",
        "Content-Type: application/json",
        *lines,
    ]
    return ("\r\n".join(given) + "\r\n\r\n").encode()


def raw(world: HttpWorld, data: bytes) -> bytes:
    """Bytes to the endpoint; what it answers first."""
    with world.connect() as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return connection.recv(65536)


def test_stopping_closes_the_port(tmp_path: Path) -> None:
    world = HttpWorld(tmp_path / "w")
    port = world.port
    assert world.modern("tools/list").status == 200
    world.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)
