"""MCP over HTTP: how often, how much, how long; and the end of what a client has open when it goes or is no longer allowed."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_http import TOKENS, WAIT_S, HttpWorld, Reply, hashes, modern
from mcp_world import ScriptedQgis, envelope_of

from qgis_agent.agent.mcp.limits import Bucket, Busy, Limits, Turnstile
from qgis_agent.bridge.envelope import success

COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}
ERAS = ("modern", "legacy")


class Waiting:
    """A tool that ends when the test says so."""

    def __init__(self) -> None:
        self.qgis = ScriptedQgis()
        self.qgis.tools["count_features"] = self._wait
        self.open = 0
        self.most = 0
        self.go = False

    async def _wait(self, _params: dict[str, Any]) -> dict[str, Any]:
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            while not self.go:
                await asyncio.sleep(0.005)
        finally:
            self.open -= 1
        return success({"count": 1})


@pytest.fixture()
def make(tmp_path: Path) -> Iterator[Callable[..., HttpWorld]]:
    made: list[HttpWorld] = []

    def one(qgis: ScriptedQgis | None = None, **limits: Any) -> HttpWorld:
        free = {"rate_per_s": 1e6, "burst": 10**6, **limits}
        made.append(HttpWorld(tmp_path / f"w{len(made)}", qgis=qgis, limits=Limits(**free)))
        return made[-1]

    yield one
    for each in made:
        each.close()


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Results of ``work`` in as many threads, as they come; exceptions too."""
    found: list[Any] = []

    def run(number: int) -> None:
        try:
            found.append(work(number))
        except (OSError, http.client.HTTPException) as error:
            found.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(WAIT_S)
    return found


# the counters


def test_a_bucket_refills_with_time() -> None:
    now = [0.0]
    bucket = Bucket(20.0, 40, lambda: now[0])
    assert [bucket.take() for _ in range(40)] == [0.0] * 40
    assert bucket.take() == pytest.approx(1 / 20)
    now[0] += 0.5
    assert sum(bucket.take() == 0.0 for _ in range(20)) == 10
    now[0] += 3600
    assert sum(bucket.take() == 0.0 for _ in range(100)) == 40


def test_each_client_has_a_bucket_of_its_own_and_the_wait_is_whole_seconds() -> None:
    turnstile = Turnstile(Limits(rate_per_s=0.1, burst=2), lambda: 0.0)
    for client in ("a", "b"):
        turnstile.count(client)
        turnstile.count(client)
        with pytest.raises(Busy) as caught:
            turnstile.count(client)
        assert caught.value.retry_after_s == 10
    assert Busy("x", 0.01).retry_after_s == 1


def test_the_numbers_of_the_design() -> None:
    limits = Limits()
    assert (limits.rate_per_s, limits.burst, limits.at_once, limits.connections) == (20, 40, 8, 64)
    assert (limits.body_bytes, limits.header_s, limits.body_s) == (1024 * 1024, 10, 10)


# how often


@pytest.mark.parametrize("era", ERAS)
def test_too_many_requests_are_told_when_to_come_again(make: Any, era: str) -> None:
    world = make(rate_per_s=0.001, burst=5)
    statuses = [getattr(world, era)("tools/list").status for _ in range(8)]
    assert statuses == [200] * 5 + [429] * 3
    reply: Reply = getattr(world, era)("tools/list")
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.message["error"]["data"]["code"] == "RATE_LIMITED"
    other = getattr(world, era)("tools/list", token=TOKENS["client-b"])
    assert other.status == 200  # nobody is kept out by somebody else
    assert world.ask(method="GET", path="/health").status == 429
    assert world.ask(method="GET", path="/health", token=None).status == 200


def test_refusals_cost_qgis_nothing(make: Any) -> None:
    """What is not allowed does not use up the requests of those who are."""
    world = make(rate_per_s=0.001, burst=3)
    for _ in range(20):
        assert world.modern("tools/list", token="wrong").status == 401
        assert world.modern("tools/list", headers={"Origin": "https://evil.example"}).status == 403
        assert world.ask(method="GET").status == 405
    assert world.qgis.asked == []
    assert world.modern("tools/list").status == 200


def test_calls_at_once_wait_in_line_and_the_line_is_short(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis, at_once=3, in_line=4)
    replies: list[Any] = []
    asking = threading.Thread(
        target=lambda: replies.extend(in_threads(12, lambda _n: world.modern("tools/call", COUNT)))
    )
    asking.start()
    world.until(lambda: tool.open == 3)
    world.until(lambda: world.front._guard._turnstile._waiting.get("client-a") == 4)
    tool.go = True
    asking.join(WAIT_S)
    assert tool.most == 3
    statuses = Counter(each.status for each in replies)
    assert set(statuses) <= {200, 429}
    assert statuses[200] >= 7
    assert all("retry-after" in each.headers for each in replies if each.status == 429)


def test_the_line_is_not_endless(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis, at_once=1, in_line=4, line_s=0.1)
    first = threading.Thread(target=lambda: world.modern("tools/call", COUNT))
    first.start()
    world.until(lambda: tool.open == 1)
    assert world.modern("tools/list").status == 429
    tool.go = True
    first.join(WAIT_S)
    assert world.modern("tools/list").status == 200


# how long


def head(world: HttpWorld, *lines: str, token: str = TOKENS["client-a"]) -> bytes:
    given = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{world.port}",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        *lines,
    ]
    return ("\r\n".join(given) + "\r\n\r\n").encode()


def status_of(connection: socket.socket) -> int:
    """Read one whole answer; its status."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    response.read()
    return response.status


def drained(connection: socket.socket) -> bytes:
    """All that comes until the other side ends it."""
    found = b""
    try:
        while data := connection.recv(65536):
            found += data
    except ConnectionResetError:
        return found
    return found


@pytest.mark.parametrize("first", [b"", b"P", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "])
def test_slow_headers_end_the_connection(make: Any, first: bytes) -> None:
    """Also those that trickle: each byte is in time, the whole is not."""
    world = make(header_s=0.3)
    with world.connect() as connection:
        started = time.monotonic()
        connection.sendall(first)
        ended = False
        while not ended and time.monotonic() - started < WAIT_S:
            try:
                if first:
                    connection.sendall(b"x")
                connection.settimeout(0.05)
                ended = connection.recv(100) == b""
            except TimeoutError:
                continue
            except (ConnectionResetError, BrokenPipeError):
                ended = True
        assert ended
    assert world.modern("tools/list").status == 200


def test_a_kept_connection_may_rest_but_not_trickle(make: Any) -> None:
    world = make(header_s=0.2, keep_alive_s=30)
    body, headers = modern("tools/list")
    data = json.dumps(body).encode()
    whole = head(world, *(f"{key}: {value}" for key, value in headers.items()), f"Content-Length: {len(data)}") + data
    with world.connect() as connection:
        for _ in range(2):
            connection.sendall(whole)
            assert status_of(connection) == 200
            time.sleep(0.5)  # longer than headers may take
        connection.sendall(b"POST /mcp HT")
        assert drained(connection) == b""


def test_a_resting_connection_ends_some_day(make: Any) -> None:
    world = make(keep_alive_s=1)
    body, headers = modern("tools/list")
    data = json.dumps(body).encode()
    whole = head(world, *(f"{key}: {value}" for key, value in headers.items()), f"Content-Length: {len(data)}") + data
    with world.connect() as connection:
        connection.sendall(whole)
        assert drained(connection).startswith(b"HTTP/1.1 200 ")


def test_a_slow_body_is_answered_408_and_frees_its_place(make: Any) -> None:
    world = make(body_s=0.2, at_once=1, in_line=0)
    with world.connect() as connection:
        connection.sendall(head(world, "Content-Length: 100") + b"{")
        assert drained(connection).startswith(b"HTTP/1.1 408 ")
    assert world.modern("tools/list").status == 200
    assert world.qgis.of("tools/call") == []


def test_a_body_that_nobody_reads_is_dropped_only_for_a_while(make: Any) -> None:
    """Refused before its body: the answer comes at once, and the connection is not held open by sending on."""
    world = make(linger_s=0.3)
    with world.connect() as connection:
        connection.sendall(head(world, "Content-Length: 900000", token="wrong"))
        assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")
        ended = False
        for _ in range(400):
            try:
                connection.sendall(b"x" * 100)
            except (ConnectionResetError, BrokenPipeError):
                ended = True
                break
            time.sleep(0.02)
        assert ended


def test_a_connection_goes_on_after_a_dropped_body(make: Any) -> None:
    world = make(linger_s=20)
    with world.connect() as connection:
        for _ in range(3):
            connection.sendall(head(world, "Content-Length: 300000", token="wrong"))
            assert status_of(connection) == 401
            connection.sendall(b"x" * 300_000)


def test_a_client_that_does_not_read_is_let_go(make: Any) -> None:
    qgis = ScriptedQgis()
    big = "x" * 500_000
    qgis.replies["map/picture"] = {
        "media_type": "image/png",
        "data": big,
        "width": 1,
        "height": 1,
        "bbox": [],
        "crs": "",
    }
    world = make(qgis, send_s=0.3, at_once=8)
    body, headers = modern("resources/read", {"uri": "qgis://map.png"})
    data = json.dumps(body).encode()
    whole = head(world, *(f"{key}: {value}" for key, value in headers.items()), f"Content-Length: {len(data)}") + data
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", world.port))
    try:
        for _ in range(40):  # its buffers and ours are full long before
            try:
                connection.sendall(whole)
            except (ConnectionResetError, BrokenPipeError):
                break
        world.until(lambda: not world.front._http.server_state.connections)
        world.until(lambda: world.front._guard._open == {})
    finally:
        connection.close()
    assert world.modern("tools/list").status == 200


def test_a_request_ends_with_its_longest_time(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis, request_s=0.3)
    assert world.modern("tools/call", COUNT).status == 503
    world.until(lambda: tool.open == 0)
    assert tool.qgis.cancelled == ["count_features"]


# how many


def test_connections_are_capped_and_the_idle_ones_make_room(make: Any) -> None:
    world = make(connections=5)
    kept = [world.connect() for _ in range(12)]
    try:
        world.until(lambda: len(world.front._http.server_state.connections) <= 5)
        time.sleep(0.6)  # those that have just come are not sent away
        assert world.modern("tools/list").status == 200  # whoever has something to say is heard
        assert len(world.front._http.server_state.connections) <= 5
    finally:
        for each in kept:
            each.close()


def test_when_all_work_a_further_connection_is_told_so(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis, connections=2, at_once=2)
    asking = threading.Thread(target=lambda: in_threads(2, lambda _n: world.modern("tools/call", COUNT)))
    asking.start()
    world.until(lambda: tool.open == 2)
    with world.connect() as connection:
        assert drained(connection).startswith(b"HTTP/1.1 503 ")
    tool.go = True
    asking.join(WAIT_S)
    world.until(lambda: not world.front._http.server_state.connections)
    assert world.modern("tools/list").status == 200


# the end of a client


@pytest.mark.parametrize("era", ERAS)
def test_a_dropped_stream_cancels_its_call(make: Any, era: str) -> None:
    tool = Waiting()
    world = make(tool.qgis)
    body, headers = modern("tools/call", COUNT)
    if era == "legacy":
        body, headers = {**body, "params": COUNT}, {"MCP-Protocol-Version": "2025-11-25"}
    data = json.dumps(body).encode()
    connection = world.connect()
    connection.sendall(head(world, *(f"{k}: {v}" for k, v in headers.items()), f"Content-Length: {len(data)}") + data)
    world.until(lambda: tool.open == 1)
    connection.close()
    world.until(lambda: tool.open == 0)
    assert tool.qgis.cancelled == ["count_features"]
    world.until(lambda: world.front._guard._open == {})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("how", ["revoked", "rotated"])
def test_what_a_client_that_is_gone_has_open_ends(make: Any, era: str, how: str) -> None:
    tool = Waiting()
    world = make(tool.qgis)
    replies: list[Any] = []

    def call() -> None:
        try:
            replies.append(getattr(world, era)("tools/call", COUNT).status)
        except (OSError, http.client.HTTPException) as error:  # the stream had begun: it breaks off
            replies.append(type(error).__name__)

    asking = threading.Thread(target=call)
    asking.start()
    world.until(lambda: tool.open == 1)
    left = hashes("client-b") if how == "revoked" else {**hashes(), "client-a": hashes()["client-a"][::-1]}
    world.call(lambda: world.front.set_clients(left))
    asking.join(WAIT_S)
    world.until(lambda: tool.open == 0)
    assert tool.qgis.cancelled == ["count_features"]
    assert len(replies) == 1
    assert replies[0] != 200
    assert getattr(world, era)("tools/list").status == 401
    assert getattr(world, era)("tools/list", token=TOKENS["client-b"]).status == 200


def test_others_go_on_when_one_is_revoked(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis)
    replies: list[Reply] = []
    asking = threading.Thread(
        target=lambda: replies.append(world.modern("tools/call", COUNT, token=TOKENS["client-b"]))
    )
    asking.start()
    world.until(lambda: tool.open == 1)
    world.call(lambda: world.front.set_clients(hashes("client-b")))
    tool.go = True
    asking.join(WAIT_S)
    assert [each.status for each in replies] == [200]


def test_stopping_ends_what_is_open(make: Any) -> None:
    tool = Waiting()
    world = make(tool.qgis)
    asking = threading.Thread(target=lambda: in_threads(3, lambda _n: world.legacy("tools/call", COUNT)))
    asking.start()
    world.until(lambda: tool.open == 3)
    started = time.monotonic()
    world.run(world.front.stop())
    assert time.monotonic() - started < 6  # three times the goal
    asking.join(WAIT_S)
    assert tool.open == 0
    assert tool.qgis.cancelled == ["count_features"] * 3


# whole clients


@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
def test_the_sdks_own_client(make: Any, mode: str) -> None:
    qgis = ScriptedQgis()
    qgis.tools["count_features"] = success({"count": 25})
    world = make(qgis)

    async def whole() -> Any:
        headers = {"Authorization": f"Bearer {TOKENS['client-a']}"}
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{world.port}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                tools = await client.list_tools()
                return tools, await client.call_tool("count_features", {"layer_id": "schools"})

    tools, result = asyncio.run(whole())
    assert "count_features" in [each.name for each in tools.tools]
    assert envelope_of(result)["data"] == {"count": 25}


def test_fifty_clients_and_a_burst_at_once(make: Any) -> None:
    """The default limits: whoever comes too often is told so; nothing else happens, and nothing is left."""
    qgis = ScriptedQgis()
    world = make(qgis, rate_per_s=20, burst=40)

    def work(number: int) -> Counter[int]:
        token = list(TOKENS.values())[number % 2] if number % 5 else "wrong"
        return Counter(world.modern("tools/call", COUNT, token=token).status for _ in range(6))

    found: Counter[int] = Counter()
    others = []
    for each in in_threads(50, work):
        others += [] if isinstance(each, Counter) else [repr(each)]
        if isinstance(each, Counter):
            found += each
    assert others == []
    assert set(found) <= {200, 401, 429, 503}
    assert found[401] > 0
    assert found[429] > 0
    assert len(qgis.of("tools/call")) == found[200]
    world.until(lambda: world.front._guard._open == {})
    assert world.world.log == []
