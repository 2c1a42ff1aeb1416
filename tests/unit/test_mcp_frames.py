"""MCP over a host's lines: both eras on one stream, what real hosts send, and what is no message at all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp_world import McpWorld, ScriptedQgis, envelope, in_world

from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import success

COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}
OLDER = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.mark.parametrize("version", OLDER)
def test_initialize_answers_in_the_clients_own_version(tmp_path: Path, version: str) -> None:
    """Hosts of 2026 still open sessions of any older era, and hard-coding one breaks them (reference 4.3)."""

    async def script(world: McpWorld) -> Any:
        host = await world.host()
        opened = await host.initialize(version)
        listed = await host.ask("tools/list")
        return opened["result"], listed["result"]

    opened, listed = in_world(tmp_path, script)
    assert opened["protocolVersion"] == version
    assert opened["serverInfo"]["name"] == "qgis-agent" and opened["serverInfo"]["version"] == "9.9"
    assert "search_layers" in opened["instructions"]
    assert "count_features" in [each["name"] for each in listed["tools"]]
    assert "ttlMs" not in listed and "resultType" not in listed  # words of the newer era only


def test_an_unknown_version_is_answered_with_one_that_there_is(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        return await (await world.host()).initialize("1999-01-01")

    assert in_world(tmp_path, script)["result"]["protocolVersion"] == OLDER[-1]


def test_discover_names_every_version_that_is_served(tmp_path: Path) -> None:
    """The SDK itself names only 2026-07-28 (reference 4.2)."""

    async def script(world: McpWorld) -> Any:
        return await (await world.host()).modern("server/discover")

    found = in_world(tmp_path, script)["result"]
    assert found["supportedVersions"] == ["2026-07-28", *reversed(OLDER)]
    assert found["ttlMs"] > 0 and found["cacheScope"] == "private" and found["resultType"] == "complete"
    assert set(found["capabilities"]) == {"tools", "resources", "prompts", "completions"}


def test_initialize_after_discover_on_one_stream(tmp_path: Path) -> None:
    """Claude Code 2.1.280 and Copilot ask server/discover, and then begin with initialize; the SDK alone refuses that."""

    async def script(world: McpWorld) -> Any:
        host = await world.host()
        await host.modern("server/discover")
        opened = await host.initialize("2025-06-18")
        older = await host.ask("tools/call", COUNT, 7)
        newer = await host.modern("tools/call", COUNT, 8)
        return opened, older, newer

    opened, older, newer = in_world(tmp_path, script)
    assert opened["result"]["protocolVersion"] == "2025-06-18"
    assert older["id"] == 7 and older["result"]["isError"] is False
    assert newer["id"] == 8 and newer["result"]["resultType"] == "complete"


def test_modern_requests_need_no_handshake_and_older_ones_do(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        early = await host.ask("tools/list")
        ping = await host.ask("ping", None, 2)
        return early, ping, await host.modern("tools/list", None, 3)

    early, ping, newer = in_world(tmp_path, script)
    assert early["error"]["code"] == -32602
    assert ping["result"] == {}
    assert newer["result"]["tools"]


def test_a_modern_stream_names_what_its_envelope_lacks(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        await host.modern("server/discover")
        bare = await host.ask("tools/list", {}, 2)
        half = await host.ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}, 3)
        unknown = {"_meta": envelope(**{"io.modelcontextprotocol/protocolVersion": "2031-01-01"})}
        return bare, half, await host.ask("tools/list", unknown, 4)

    bare, half, unsupported = in_world(tmp_path, script)
    assert bare["error"]["code"] == -32602 and half["error"]["code"] == -32602
    assert unsupported["error"]["code"] == -32022
    assert unsupported["error"]["data"]["requested"] == "2031-01-01"
    assert "2026-07-28" in unsupported["error"]["data"]["supported"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nothing like JSON", -32700),
        ('{"jsonrpc": "2.0", "id": 1, "method"', -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        ('{"id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', -32600),
        ("null", -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_stream_goes_on(tmp_path: Path, line: str, code: int) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        host.say(line)
        refused = await host.next()
        return refused, await host.initialize()

    refused, opened = in_world(tmp_path, script)
    assert refused["error"]["code"] == code and refused["id"] is None
    assert "result" in opened


def test_unknown_methods_in_both_eras(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        newer = await host.modern("tools/destroy")
        sampling = await host.modern("logging/setLevel", {"level": "info"}, 2)
        await host.initialize()
        return newer, sampling, await host.ask("resources/subscribe", {"uri": "qgis://map"}, 3)

    assert [each["error"]["code"] for each in in_world(tmp_path, script)] == [-32601] * 3


def _until_cancelled(started: asyncio.Event) -> Any:
    async def call(_params: dict[str, Any]) -> Any:
        started.set()
        await asyncio.Event().wait()

    return call


@pytest.mark.parametrize("era", ["older", "newer"])
def test_notifications_cancelled_ends_the_call_in_qgis_and_is_not_answered(tmp_path: Path, era: str) -> None:
    async def script(world: McpWorld) -> Any:
        host, started = await world.host(), asyncio.Event()
        world.qgis.tools["count_features"] = _until_cancelled(started)
        params: dict[str, Any] = dict(COUNT)
        if era == "older":
            await host.initialize()
        else:
            params["_meta"] = envelope()
        host.say({"jsonrpc": "2.0", "id": 41, "method": "tools/call", "params": params})
        await asyncio.wait_for(started.wait(), 5)
        gone = {"requestId": 41, "reason": "no longer wanted"}
        host.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone})
        for _ in range(100):
            if world.qgis.cancelled:
                break
            await asyncio.sleep(0.01)
        cancelled = list(world.qgis.cancelled)
        after = await (host.ask("ping", None, 42) if era == "older" else host.modern("tools/list", None, 42))
        return cancelled, after

    cancelled, after = in_world(tmp_path, script)
    assert cancelled == ["count_features"]
    assert after["id"] == 42  # nothing was written for 41


def test_the_end_of_the_stream_cancels_what_runs(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host, started = await world.host(), asyncio.Event()
        world.qgis.tools["count_features"] = _until_cancelled(started)
        host.say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**COUNT, "_meta": envelope()}})
        await asyncio.wait_for(started.wait(), 5)
        world.service.told(messages.MCP_END, {"client_id": "stdio"})
        for _ in range(100):
            if world.qgis.cancelled:
                break
            await asyncio.sleep(0.01)
        late = world.service.told(messages.MCP_FRAME, {"client_id": "stdio", "text": "{}"})
        return list(world.qgis.cancelled), host.lines.qsize(), late

    cancelled, written, late = in_world(tmp_path, script)
    assert cancelled == ["count_features"] and written == 0
    assert "no such stream" in late


def test_progress_is_told_to_a_host_that_asked_for_it_and_to_no_other(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()

        async def slow(_params: dict[str, Any]) -> Any:
            await asyncio.sleep(0.05)
            return success({"count": 7})

        world.qgis.tools["count_features"] = slow
        heard = [await host.modern("tools/call", COUNT, 1)]
        asked = {**COUNT, "_meta": envelope(progressToken="p1")}
        heard.append(await host.ask("tools/call", asked, 2))
        heard.append(await host.next())
        return heard

    silent, progress, answer = in_world(tmp_path, script)
    assert silent["id"] == 1
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["progressToken"] == "p1" and "schools" in progress["params"]["message"]
    assert answer["id"] == 2


def test_lines_that_come_while_the_stream_is_opened_are_kept(tmp_path: Path) -> None:
    """The host writes as soon as the process runs; the SDK takes most of a second to load."""

    async def script(world: McpWorld) -> Any:
        heard: asyncio.Queue[str] = asyncio.Queue()
        world._hosts["stdio"] = heard.put_nowait
        opening = asyncio.ensure_future(world.service.open({"client_id": "stdio", "transport": "stdio"}))
        await asyncio.sleep(0)
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "early", "version": "1"}}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
        problem = world.service.told(messages.MCP_FRAME, {"client_id": "stdio", "text": line})
        await opening
        return problem, json.loads(await asyncio.wait_for(heard.get(), 5))

    problem, answer = in_world(tmp_path, script)
    assert problem == "" and answer["id"] == 1 and "result" in answer


def test_a_host_that_opens_again_begins_anew(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        await (await world.host()).initialize()
        return await (await world.host()).ask("tools/list")

    assert in_world(tmp_path, script)["error"]["code"] == -32602  # not initialised: nothing of the first stream is left


def test_a_fault_of_ours_reaches_the_log_and_not_the_host(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK would write the words of any exception to the wire."""

    async def script(world: McpWorld) -> Any:
        def broken(*_anything: Any) -> Any:
            raise RuntimeError("/home/person/secret")

        host = await world.host()
        await host.initialize()
        monkeypatch.setattr(world.runs.catalogue, "layers", broken)
        return await host.ask("resources/list"), await host.ask("ping")

    failed, ping = in_world(tmp_path, script, ScriptedQgis())
    assert failed["error"]["code"] == -32603 and "secret" not in json.dumps(failed)
    assert "RuntimeError" in capsys.readouterr().err
    assert ping["result"] == {}


def test_an_answer_that_cannot_be_written_is_an_error_and_not_the_end_of_the_stream(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.tools["count_features"] = success({"name": "half a character: \ud800"})
        host = await world.host()
        return await host.modern("tools/call", COUNT, 1), await host.modern("tools/list", None, 2)

    call, after = in_world(tmp_path, script)
    assert (call["id"], call["error"]["code"]) == (1, -32603)
    assert after["result"]["tools"]


def test_an_answer_larger_than_a_line_of_the_bridge_is_an_error(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        picture = {"media_type": "image/png", "data": "A" * messages.MAX_LINE_BYTES, "width": 1, "height": 1}
        world.qgis.replies[messages.MAP_PICTURE] = picture
        host = await world.host()
        refused = await host.modern("resources/read", {"uri": "qgis://map.png"}, 5)
        return refused, await host.modern("tools/list", None, 6), world.log

    refused, after, log = in_world(tmp_path, script)
    assert refused["id"] == 5 and refused["error"]["code"] == -32603
    assert after["result"]["tools"] and any("larger" in each for each in log)


def test_a_host_that_floods_is_told_so_and_goes_on(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        world.qgis.tools["count_features"] = success({"count": 1})
        for number in range(1000):
            params = {**COUNT, "_meta": envelope()}
            host.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        heard = [await host.next() for _ in range(1000)]
        return heard, await host.modern("tools/call", COUNT, "after")

    heard, after = in_world(tmp_path, script)
    assert sorted(each["id"] for each in heard) == list(range(1000))  # each is answered once
    refused = [each for each in heard if "error" in each or each["result"]["isError"]]
    assert 0 < len(refused) < 1000
    assert after["id"] == "after" and after["result"]["isError"] is False


def test_a_lane_that_a_fault_has_ended_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        stream = world.service._streams["stdio"]
        run, broken = stream._server.run, [True]

        async def fails_once(*streams: Any) -> None:
            if broken.pop() if broken else False:
                raise OSError("broken")
            await run(*streams)

        monkeypatch.setattr(stream._server, "run", fails_once)
        host.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": envelope()}})
        while not world.log:
            await asyncio.sleep(0.01)
        return world.log, await host.modern("tools/list", None, 2)

    log, after = in_world(tmp_path, script)
    assert "OSError" in log[0] and after["id"] == 2 and after["result"]["tools"]
