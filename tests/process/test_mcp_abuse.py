"""MCP over HTTP against the real agent process, used badly: nothing is written, nothing grows, nobody gets what is another's."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_http import ask, modern
from mcp_parent import McpParent, call, memory_kb

REPO = Path(__file__).resolve().parents[2]
TOKENS = {"client-a": "kanarie-a-5f1d9c", "client-b": "kanarie-b-77e2aa"}
A, B = TOKENS.values()
QUERY = ("query_features", {"layer_id": "schools"})
COUNT = {"layer_id": "schools"}


@pytest.fixture()
def parents(tmp_path: Path) -> Iterator[Callable[..., McpParent]]:
    made: list[McpParent] = []

    def make(folder: str = "records") -> McpParent:
        made.append(started(tmp_path / folder))
        return made[-1]

    yield make
    for each in made:
        each.kill()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpParent]:
    """One process that listens, for the tests that leave it as it was."""
    parent = started(tmp_path_factory.mktemp("mcp"))
    parent.port = parent.serve(TOKENS)
    yield parent
    parent.kill()


@pytest.fixture()
def parent(shared: McpParent) -> McpParent:
    shared.forget()
    return shared


def started(records: Path) -> McpParent:
    records.mkdir(exist_ok=True)
    parent = McpParent(records)
    parent.ready()
    return parent


def envelope(reply: Any) -> dict[str, Any]:
    assert reply.status == 200, reply
    return json.loads(reply.message["result"]["content"][0]["text"])


def files(folder: Path) -> dict[str, int]:
    return {str(each.relative_to(folder)): each.stat().st_size for each in folder.rglob("*") if each.is_file()}


def burst(plan: dict[str, Any]) -> dict[str, Any]:
    script = REPO / "tests" / "support" / "mcp_burst.py"
    done = subprocess.run(
        [sys.executable, str(script)], input=json.dumps(plan), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_strangers_leave_no_trace(parents: Any) -> None:
    """No token, a wrong one, another origin, another host, too much, another method: refused, and not even QGIS is asked."""
    parent = parents()
    port = parent.serve(TOKENS)
    before = files(parent.records)
    body, headers = modern("tools/call", {"name": "query_features", "arguments": COUNT})
    statuses = [
        ask(port, body=body, headers=headers, token=None).status,
        ask(port, body=body, headers=headers, token="guess").status,
        ask(port, body=body, headers={**headers, "Origin": "https://evil.example"}, token=A).status,
        ask(port, body=body, headers={**headers, "Host": "rebound.example"}, token=A).status,
        ask(port, body=b"x" * 2_000_000, headers=headers, token=A).status,
        ask(port, body=body, headers={**headers, "Content-Type": "text/plain"}, token=A).status,
        ask(port, method="GET", headers=headers, token=A).status,
        ask(port, method="DELETE", headers=headers, token=A).status,
        ask(port, body=body, headers={**headers, "MCP-Protocol-Version": "2099-01-01"}, token=A).status,
        ask(
            port,
            body={**body, "method": "tools/obliterate"},
            headers={**headers, "Mcp-Method": "tools/obliterate"},
            token=A,
        ).status,
    ]
    assert statuses == [401, 401, 403, 403, 413, 415, 405, 405, 400, 404]
    assert parent.asked_by_method == {}
    assert files(parent.records) == before
    assert parent.end() == 0
    said = (parent.process.stderr.read() if parent.process.stderr else b"").decode()
    assert not [token for token in TOKENS.values() if token in said or token in " ".join(parent.logs)]


def test_ten_thousand_requests_of_fifty_clients(parents: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Memory stays where it was, the rest of the process goes on, and only what the limits let through reaches QGIS."""
    parent = parents()
    port = parent.serve(TOKENS)
    assert envelope(call(port, A, *QUERY))["ok"]
    settled = memory_kb(parent.process.pid)
    asked = len(parent.calls)
    most, slowest, answered = [settled], [0.0], [0]
    over = threading.Event()

    def live_on() -> None:
        while not over.is_set():
            started = time.monotonic()
            assert "result" in parent.request("sessions/list", {})
            slowest[0] = max(slowest[0], time.monotonic() - started)
            answered[0] += 1
            most[0] = max(most[0], memory_kb(parent.process.pid))
            time.sleep(0.05)

    other = threading.Thread(target=live_on)
    other.start()
    plan = {"url": f"http://127.0.0.1:{port}/mcp", "tokens": [A, B], "requests": 10_000, "clients": 50, "wrong": 20}
    found = burst({**plan, "calls": [{"name": "count_features", "arguments": COUNT}]})
    over.set()
    other.join(60)
    statuses = Counter({int(key): value for key, value in found["statuses"].items()})
    assert sum(statuses.values()) == 10_000
    assert set(statuses) <= {200, 401, 429, 503}
    assert statuses[401] == 4_000
    assert statuses[429] > 0
    # 40 at once and 20 a second for each of two clients
    assert len(parent.calls) - asked == statuses[200] <= 2 * (40 + 20 * (found["seconds"] + 1))
    assert answered[0] > 3
    assert slowest[0] < 4.5, "the process did not answer QGIS"
    assert most[0] - settled < 40_000, "memory grew"
    time.sleep(2.1)  # 40 more are allowed by then
    assert envelope(call(port, A, *QUERY))["ok"]
    left = memory_kb(parent.process.pid) - settled
    with capsys.disabled():
        print(
            f"\n10,000 requests in {found['seconds']:.1f} s: {dict(statuses)}, closed {found['closed']}, memory +{left} kB (at most"
            f" +{most[0] - settled}), QGIS answered {answered[0]} times, slowest {slowest[0] * 1000:.0f} ms"
        )


def test_dropped_streams_cost_nothing(parent: McpParent) -> None:
    """Streams that break off at every place: the calls in them are cancelled in QGIS, and the next client is served."""
    parent.answers["count_features"] = None
    port = parent.port
    body, headers = modern("tools/call", {"name": "count_features", "arguments": COUNT})
    data = json.dumps(body).encode()
    lines = ["POST /mcp HTTP/1.1", "Host: localhost", f"Authorization: Bearer {A}", "Content-Type: application/json"]
    lines += ["Accept: application/json, text/event-stream", *(f"{key}: {value}" for key, value in headers.items())]
    whole = ("\r\n".join([*lines, f"Content-Length: {len(data)}"]) + "\r\n\r\n").encode() + data
    for cut in (0, 1, 40, len(whole) - len(data), len(whole) - 1):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(whole[:cut])
    assert parent.calls == []
    open_calls = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
    for each in open_calls:
        each.sendall(whole)
    parent.until(lambda: len(parent.calls) == 6)
    for each in open_calls:
        each.close()
    parent.until(lambda: len(parent.cancelled) == 6)
    assert set(parent.cancelled) == {each["id"] for each in parent.calls}
    assert envelope(call(port, A, *QUERY))["ok"]


def test_a_confirm_token_is_redeemed_by_qgis_alone(parent: McpParent) -> None:
    """A token that is sent again reaches QGIS again, which says no; nothing here remembers a success."""
    port = parent.port
    commit = ("commit_action", {"confirm_token": "tok-" + "x" * 40})
    assert envelope(call(port, A, *commit))["data"] == {"written": True}
    assert (envelope(call(port, A, *commit))["code"], envelope(call(port, A, *commit))["reason"]) == (
        "CONFIRM_REQUIRED",
        "used",
    )
    sent = [each["params"] for each in parent.calls if each["params"]["name"] == "commit_action"]
    assert len({each["call_id"] for each in sent}) == len(sent) == 3


def test_a_handle_is_its_clients_only(parent: McpParent) -> None:
    port = parent.port
    ref = envelope(call(port, A, *QUERY))["data"]["result_ref"]
    mine = envelope(call(port, A, "fetch_result", {"result_ref": ref, "cursor": 990, "page_size": 50}))
    assert [each[0] for each in mine["data"]["rows"]] == list(range(990, 1000))
    assert (mine["data"]["total"], mine["data"]["next"]) == (1000, None)
    theirs = envelope(call(port, B, "fetch_result", {"result_ref": ref}))
    unknown = envelope(call(port, B, "fetch_result", {"result_ref": "query_features:never"}))
    assert theirs == unknown
    assert theirs["code"] == "NOT_FOUND"
    parent.allowed = False  # the person excluded the layer since
    refused = envelope(call(port, A, "fetch_result", {"result_ref": ref}))
    assert (refused["code"], "rows" in refused.get("data", {})) == ("FORBIDDEN", False)


@pytest.fixture()
def redis_url(tmp_path: Path) -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed (scripts/setup_system.sh)")
    path = tmp_path / "s"
    options = ["--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no", "--dir", str(tmp_path)]
    process = subprocess.Popen([server, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        yield f"unix://{path}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_a_handle_is_read_through_another_replica(parents: Any, kind: str, request: pytest.FixtureRequest) -> None:
    """Two services, two QGIS, one store: the second QGIS never had the rows, is asked for access, and may say no."""
    store = "sqlite" if kind == "sqlite" else request.getfixturevalue("redis_url")
    first, second = parents("records"), parents("records" if kind == "sqlite" else "other")
    ports = [first.serve(TOKENS, store=store), second.serve(TOKENS, store=store, replica=True)]
    ref = envelope(call(ports[0], A, *QUERY))["data"]["result_ref"]
    assert first.end() == 0
    rows: list[Any] = []
    cursor: int | None = 0
    while cursor is not None:
        page = envelope(call(ports[1], A, "fetch_result", {"result_ref": ref, "cursor": cursor, "page_size": 200}))[
            "data"
        ]
        rows += page["rows"]
        cursor = page["next"]
        time.sleep(0.06)  # as fast as a client may for ever
    assert rows == first.rows[ref][1]
    committed = envelope(call(ports[1], A, "commit_action", {"confirm_token": "tok-" + "x" * 40}))
    assert (committed["code"], committed["reason"]) == ("FORBIDDEN", "replica")  # tokens never leave their QGIS
    assert second.calls == []
    assert second.asked_for("mcp/access")[0]["origin"] == {"project": "p"}
    assert envelope(call(ports[1], B, "fetch_result", {"result_ref": ref}))["code"] == "NOT_FOUND"
    second.allowed = False
    assert envelope(call(ports[1], A, "fetch_result", {"result_ref": ref}))["code"] == "FORBIDDEN"


def test_a_client_that_is_taken_back_is_out_at_once(parents: Any) -> None:
    """Also: a port that is taken is said plainly, and one that was given up can be had again."""
    parent = parents()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        answer = parent.request("mcp/serve", {"port": taken, "clients": [], "store": "sqlite"})
    assert (answer["error"]["code"], str(taken) in answer["error"]["message"]) == (-32600, True)
    parent.answers["count_features"] = None
    port = parent.serve(TOKENS)
    asking = threading.Thread(target=lambda: _quietly(lambda: call(port, A, "count_features", COUNT)))
    asking.start()
    parent.until(lambda: parent.calls)
    assert parent.serve({"client-b": B}) == port
    asking.join(30)
    parent.until(lambda: parent.cancelled)
    assert call(port, A, *QUERY).status == 401
    assert envelope(call(port, B, *QUERY))["ok"]
    assert parent.request("mcp/stop", {})["result"] == {}
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def _quietly(work: Callable[[], Any]) -> None:
    try:
        work()
    except OSError:
        return
