"""The MCP service with its HTTP endpoint: who is let in, what ends when a person changes that, and what is loaded when."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, AsyncIterator

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_world import McpWorld, envelope, envelope_of, in_world

from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import success
from qgis_agent.bridge.peer import RpcError

ROOT = Path(__file__).resolve().parents[2]
TOKENS = {"ada": "token-of-ada-" + "x" * 30, "bob": "token-of-bob-" + "y" * 30}


def _allowed(*names: str, **changed: str) -> list[dict[str, str]]:
    return [
        {
            "client_id": each,
            "label": each.title(),
            "token_sha256": hashlib.sha256(changed.get(each, TOKENS[each]).encode()).hexdigest(),
        }
        for each in names
    ]


@asynccontextmanager
async def _http(url: str, name: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The SDK's client over HTTP with the token of a client."""
    headers = {"Authorization": f"Bearer {TOKENS[name]}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=10) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_same_tools_over_http_in_both_eras_each_client_with_its_own_capability(tmp_path: Path, mode: str) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.tools["count_features"] = lambda params: success({"capability": params["capability"]})
        served = await world.service.serve({"port": 0, "clients": _allowed("ada", "bob")})
        assert served["url"] == f"http://127.0.0.1:{served['port']}/mcp"
        seen = []
        for name in ("ada", "bob"):
            async with _http(served["url"], name, mode) as client:
                names = [each.name for each in (await client.list_tools()).tools]
                seen.append(envelope_of(await client.call_tool("count_features", {"layer_id": "schools"}))["data"])
        return names, seen, world.qgis.of(messages.MCP_CLIENT)

    names, seen, asked = in_world(tmp_path, script)
    assert names == sorted(names) and "count_features" in names
    assert [each["capability"] for each in seen] == ["cap-1", "cap-2"]
    assert [(each["client_id"], each["transport"]) for each in asked] == [("ada", "http"), ("bob", "http")]
    assert [each["name"] for each in asked] == ["mcp", "mcp"]  # what the SDK's client calls itself, in either era


async def _status(url: str, token: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": envelope()}}
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/list",
    }
    async with httpx2.AsyncClient(timeout=10) as http:
        return int((await http.post(url, json=body, headers=headers)).status_code)


def test_clients_are_replaced_without_closing_the_port_and_a_changed_token_ends_at_once(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        served = await world.service.serve({"port": 0, "clients": _allowed("ada", "bob")})
        before = [await _status(served["url"], TOKENS[each]) for each in ("ada", "bob")]
        ada = world.service.clients.of("ada", "http")
        again = {"port": served["port"], "clients": _allowed("ada", ada="another token")}
        assert await world.service.serve(again) == served
        after = [await _status(served["url"], each) for each in (TOKENS["ada"], TOKENS["bob"], "another token")]
        return before, after, world.service.clients.of("ada", "http") is ada

    before, after, same = in_world(tmp_path, script)
    assert before == [200, 200] and after == [401, 401, 200]
    assert not same  # nothing of what the old token was used for is left


def test_stop_closes_the_port_and_a_taken_port_is_said_plainly(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        served = await world.service.serve({"port": 0, "clients": _allowed("ada")})
        other = McpWorld(world.qgis, tmp_path / "other")
        with pytest.raises(RpcError) as caught:
            await other.service.serve({"port": served["port"], "clients": _allowed("ada")})
        await world.service.stop({})
        with pytest.raises(httpx2.ConnectError):
            await _status(served["url"], TOKENS["ada"])
        moved = await other.service.serve({"port": served["port"], "clients": _allowed("ada")})
        status = await _status(moved["url"], TOKENS["ada"])
        await other.service.close()
        return caught.value, served["port"], status

    error, port, status = in_world(tmp_path, script)
    assert error.code == messages.INVALID_REQUEST and str(port) in error.message
    assert status == 200


def test_a_client_that_goes_away_takes_its_call_with_it(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        started = asyncio.Event()

        async def endless(_params: dict[str, Any]) -> Any:
            started.set()
            await asyncio.Event().wait()

        world.qgis.tools["count_features"] = endless
        served = await world.service.serve({"port": 0, "clients": _allowed("ada")})

        async def call() -> None:
            async with _http(served["url"], "ada") as client:
                await client.call_tool("count_features", {"layer_id": "schools"})

        calling = asyncio.ensure_future(call())
        await asyncio.wait_for(started.wait(), 5)
        calling.cancel()
        for _ in range(200):
            if world.qgis.cancelled:
                break
            await asyncio.sleep(0.01)
        return list(world.qgis.cancelled)

    assert in_world(tmp_path, script) == ["count_features"]


@pytest.mark.parametrize("programs", [1, 2])
def test_an_older_host_over_http_cancels_by_another_post_unless_two_could_be_meant(
    tmp_path: Path, programs: int
) -> None:
    """The SDK's stateless sessions do not know of each other; an id that two programs with one token use is nobody's."""

    async def script(world: McpWorld) -> Any:
        began, let = [0], asyncio.Event()

        async def slow(_params: dict[str, Any]) -> Any:
            began[0] += 1
            await let.wait()
            return success({"count": 1})

        world.qgis.tools["count_features"] = slow
        served = await world.service.serve({"port": 0, "clients": _allowed("ada")})
        headers = {
            "Authorization": f"Bearer {TOKENS['ada']}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        call = {"name": "count_features", "arguments": {"layer_id": "schools"}}
        request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
        gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        async with httpx2.AsyncClient(headers=headers, timeout=10) as http:
            calls = [asyncio.ensure_future(http.post(served["url"], json=request)) for _ in range(programs)]
            while began[0] < programs:
                await asyncio.sleep(0.01)
            accepted = await http.post(served["url"], json=gone)
            await asyncio.sleep(0.1)
            let.set()
            texts = [(await each).text for each in calls]
        return accepted.status_code, texts, list(world.qgis.cancelled)

    status, texts, cancelled = in_world(tmp_path, script)
    assert status == 202
    assert cancelled == (["count_features"] if programs == 1 else [])
    assert all(("CANCELLED" in each) is (programs == 1) for each in texts)


def test_fixtures_of_the_conformance_suite_come_from_outside_of_the_package_and_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests_only = tmp_path / "modules"
    tests_only.mkdir()
    (tests_only / "mcp_fixtures.py").write_text("seen = []\n\ndef extend(server):\n    seen.append(server)\n")
    monkeypatch.syspath_prepend(str(tests_only))
    monkeypatch.delitem(sys.modules, "mcp_fixtures", raising=False)

    async def script(world: McpWorld) -> None:
        await world.service.serve({"port": 0, "clients": _allowed("ada")})
        assert "mcp_fixtures" not in sys.modules
        await world.service.stop({})
        await world.service.serve({"port": 0, "clients": _allowed("ada"), "fixtures": True})

    in_world(tmp_path / "records", script)
    assert len(sys.modules["mcp_fixtures"].seen) == 1
    monkeypatch.delitem(sys.modules, "mcp_fixtures")


def test_the_sdk_is_loaded_with_the_first_host_and_not_before() -> None:
    """It takes most of a second, and initialize is to be answered within 300 ms."""
    code = (
        "import sys; import qgis_agent.agent.server, qgis_agent.agent.run_service, qgis_agent.agent.mcp.service; "
        "print([each for each in sys.modules if each.split('.')[0] in ('mcp', 'mcp_types', 'starlette', 'uvicorn', 'redis', 'sqlite3')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
