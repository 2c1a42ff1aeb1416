"""MCP clients: what QGIS is asked and when, capabilities that end, many calls at once, handles and where they are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp_world import McpWorld, ScriptedQgis, failure, in_world

from qgis_agent.agent.mcp.clients import MAX_AT_ONCE, MAX_IN_LINE, PACE_S
from qgis_agent.agent.mcp.kept import About, Keeper, Kept
from qgis_agent.agent.parameters import ParamsError
from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import size_bytes, success
from qgis_agent.bridge.peer import RpcError

ENDED = failure("FORBIDDEN", "This capability has ended.", reason="capability")
REF = "query_features:00000000-0000-4000-8000-000000000001"
SHA = "ab" * 32


def test_qgis_is_asked_once_who_the_client_is_with_its_own_words_cleaned(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        client = world.service.clients.of("stdio", "stdio")
        client.said("Evil\u202e\nhost " + "x" * 300, "1.0")
        client.said("Another", "2")
        await asyncio.gather(*(client.call("count_features", {"layer_id": "schools"}) for _ in range(5)))
        return world.qgis.of(messages.MCP_CLIENT)

    (asked,) = in_world(tmp_path, script)
    assert asked["client_id"] == "stdio" and asked["transport"] == "stdio" and asked["version"] == "1.0"
    assert asked["name"].startswith("Evil") and len(asked["name"]) <= 80
    assert "\u202e" not in asked["name"] and "\n" not in asked["name"]


def test_a_capability_that_ended_is_asked_for_once_more(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.tools["count_features"] = lambda params: (
            ENDED if params["capability"] == "cap-1" else success({"count": 3})
        )
        client = world.service.clients.of("stdio", "stdio")
        first = await client.call("count_features", {"layer_id": "schools"})
        world.qgis.tools["count_features"] = ENDED
        return first, await client.call("count_features", {"layer_id": "schools"}), world.qgis.capabilities

    first, second, capabilities = in_world(tmp_path, script)
    assert first["data"] == {"count": 3}
    assert second["code"] == "FORBIDDEN" and capabilities == 3  # no endless asking


def test_another_no_of_qgis_is_not_asked_again(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.tools["count_features"] = failure("FORBIDDEN", "Outside the scope.", reason="scope")
        await world.service.clients.of("stdio", "stdio").call("count_features", {"layer_id": "schools"})
        return world.qgis.capabilities, world.qgis.calls()

    assert in_world(tmp_path, script) == (1, ["count_features"])


def test_revoked_means_asking_anew_at_the_next_call(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        client = world.service.clients.of("stdio", "stdio")
        await client.call("get_map_state", {})
        world.service.told(messages.MCP_REVOKED, {"client_id": "stdio"})
        await client.call("get_map_state", {})
        return [each["capability"] for each in world.qgis.of(messages.TOOLS_CALL)]

    assert in_world(tmp_path, script) == ["cap-1", "cap-2"]


def test_qgis_that_does_not_answer_is_an_envelope(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.replies[messages.MCP_CLIENT] = RpcError(messages.PEER_CLOSED, "the other side is closed")
        client = world.service.clients.of("stdio", "stdio")
        silent = await client.call("get_map_state", {})
        world.qgis.replies[messages.MCP_CLIENT] = {"capability": 5}
        return silent, await client.call("get_map_state", {})

    silent, nonsense = in_world(tmp_path, script)
    assert (silent["code"], silent["reason"]) == ("UPSTREAM_ERROR", "bridge")
    assert nonsense["code"] == "UPSTREAM_ERROR"


def test_a_caller_who_gives_up_does_not_take_the_question_from_the_others(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        asked, let = asyncio.Event(), asyncio.Event()

        async def slow(_params: dict[str, Any]) -> Any:
            asked.set()
            await let.wait()
            return {"capability": "c", "session_id": "mcp-stdio", "run_id": "r"}

        world.qgis.replies[messages.MCP_CLIENT] = slow
        client = world.service.clients.of("stdio", "stdio")
        first = asyncio.ensure_future(client.call("get_map_state", {}))
        second = asyncio.ensure_future(client.call("get_map_state", {}))
        await asked.wait()
        first.cancel()
        await asyncio.sleep(0)
        let.set()
        return await second, len(world.qgis.of(messages.MCP_CLIENT))

    answer, asked = in_world(tmp_path, script)
    assert answer["ok"] and asked == 1


def test_eight_calls_at_a_time_the_others_in_line_and_no_more_than_that(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        let, most, now = asyncio.Event(), [0], [0]

        async def slow(_params: dict[str, Any]) -> Any:
            now[0] += 1
            most[0] = max(most[0], now[0])
            await let.wait()
            now[0] -= 1
            return success({})

        world.qgis.tools["get_map_state"] = slow
        client = world.service.clients.of("stdio", "stdio")
        calls = [asyncio.ensure_future(client.call("get_map_state", {})) for _ in range(MAX_IN_LINE)]
        while now[0] < MAX_AT_ONCE:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        over = await client.call("get_map_state", {})
        let.set()
        done = await asyncio.gather(*calls)
        return most[0], over, done, await client.call("get_map_state", {})

    most, over, done, after = in_world(tmp_path, script)
    assert most == MAX_AT_ONCE
    assert (over["code"], over["retryable"]) == ("RATE_LIMITED", True)
    assert all(each["ok"] for each in done) and after["ok"]


def test_calls_of_all_clients_reach_qgis_one_after_the_other(tmp_path: Path) -> None:
    """Fifty clients at once must not hold QGIS's main thread for as long as fifty calls take."""

    async def script(world: McpWorld) -> Any:
        came: list[float] = []

        def count(_params: dict[str, Any]) -> Any:
            came.append(asyncio.get_running_loop().time())
            return success({})

        world.qgis.tools["get_map_state"] = count
        clients = [world.service.clients.of(f"client-{n}", "http") for n in range(20)]
        await asyncio.gather(*(each.call("get_map_state", {}) for each in clients))
        return came

    came = in_world(tmp_path, script)
    assert len(came) == 20
    assert came[-1] - came[0] >= 19 * PACE_S * 0.9  # timers may be a little early; a busy machine only makes it longer


class ListedPages:
    """A store in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[About, list[Any]]] = {}
        self.expired: set[str] = set()
        self.broken = False

    def put(self, ref: str, about: About, rows: list[Any]) -> None:
        """See Pages."""
        self._fail()
        self.kept[ref] = (about, rows)

    def look(self, ref: str) -> Kept | None:
        """See Pages."""
        self._fail()
        found = self.kept.get(ref)
        return None if found is None else Kept(found[0], len(found[1]), ref in self.expired)

    def rows(self, ref: str, start: int, count: int) -> list[Any]:
        """See Pages."""
        self._fail()
        return self.kept[ref][1][start : start + count]

    def _fail(self) -> None:
        if self.broken:
            raise OSError("the disk is gone")


ORIGIN = {"project": "p", "layers": [{"id": "schools_1", "source": "d"}]}


def _sealed(rows: list[Any], page: int = 40) -> Any:
    def seal(params: dict[str, Any]) -> dict[str, Any]:
        start = params["cursor"]
        end = start + page
        following = end if end < len(rows) else None
        return {"origin": ORIGIN, "rows": rows[start:end], "total": len(rows), "next": following}

    return seal


def _with_handle(world: McpWorld, rows: list[Any]) -> None:
    data = {"rows": rows[:5], "total": len(rows), "result_ref": REF}
    world.qgis.tools["query_features"] = success(data, "")
    world.qgis.replies[messages.MCP_SEAL] = _sealed(rows)
    world.qgis.replies[messages.MCP_ACCESS] = {"allowed": True}


def test_a_handle_is_kept_and_fetched_from_the_store_after_qgis_said_yes(tmp_path: Path) -> None:
    rows = [{"name": f"school {n}", "pupils": n} for n in range(100)]
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, rows)
        client = world.service.clients.of("stdio", "stdio")
        await client.call("query_features", {"layer_id": "schools"})
        read: list[Any] = []
        cursor: int | None = 0
        while cursor is not None:
            page = await client.call("fetch_result", {"result_ref": REF, "cursor": cursor, "page_size": 30})
            assert size_bytes(page) <= 4096
            read += page["data"]["rows"]
            cursor = page["data"]["next"]
        return read, world.qgis

    read, qgis = in_world(tmp_path, script, keeper=Keeper(pages))
    assert read == rows
    assert qgis.calls() == ["query_features"]  # no fetch reached QGIS's own table
    asked = qgis.of(messages.MCP_ACCESS)
    assert len(asked) == 4 and asked[0] == {"origin": ORIGIN, "capability": "cap-1"}
    about = pages.kept[REF][0]
    assert (about.owner, about.tool, about.trace_id) == ("stdio", "query_features", "mcp-stdio/1")


def test_another_replica_with_the_same_store_serves_the_handle(tmp_path: Path) -> None:
    rows = [{"n": n} for n in range(60)]
    pages = ListedPages()

    async def first(world: McpWorld) -> None:
        _with_handle(world, rows)
        await world.service.clients.of("ada", "http").call("query_features", {"layer_id": "schools"})

    async def second(world: McpWorld) -> Any:
        world.qgis.replies[messages.MCP_ACCESS] = {"allowed": True}
        return await world.service.clients.of("ada", "http").call("fetch_result", {"result_ref": REF, "cursor": 40})

    in_world(tmp_path / "a", first, keeper=Keeper(pages))
    page = in_world(tmp_path / "b", second, keeper=Keeper(pages))
    assert page["data"]["rows"] == rows[40:60] and page["data"]["total"] == 60 and page["data"]["next"] is None


def test_a_handle_of_somebody_else_is_not_found(tmp_path: Path) -> None:
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, [{"n": 1}] * 30)
        await world.service.clients.of("ada", "http").call("query_features", {"layer_id": "schools"})
        world.qgis.tools["fetch_result"] = failure("NOT_FOUND", "This result is no longer kept.", reason="result_ref")
        return await world.service.clients.of("bob", "http").call("fetch_result", {"result_ref": REF}), world.qgis

    answer, qgis = in_world(tmp_path, script, keeper=Keeper(pages))
    assert answer["code"] == "NOT_FOUND"
    assert qgis.of(messages.MCP_ACCESS) == []  # nothing of it was even looked at


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"allowed": False, "envelope": failure("FORBIDDEN", "Outside the scope now.", reason="scope")}, "FORBIDDEN"),
        ({"allowed": False}, "FORBIDDEN"),
        ({}, "FORBIDDEN"),
        (RpcError(-32603, "broken"), "UPSTREAM_ERROR"),
    ],
)
def test_access_is_checked_again_at_fetch(tmp_path: Path, answer: Any, code: str) -> None:
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, [{"secret": 1}] * 30)
        client = world.service.clients.of("stdio", "stdio")
        await client.call("query_features", {"layer_id": "schools"})
        world.qgis.replies[messages.MCP_ACCESS] = answer
        return await client.call("fetch_result", {"result_ref": REF})

    refused = in_world(tmp_path, script, keeper=Keeper(pages))
    assert refused["code"] == code and "secret" not in str(refused)


def test_an_expired_handle_says_which_tool_to_call_again(tmp_path: Path) -> None:
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, [{"n": 1}] * 30)
        client = world.service.clients.of("stdio", "stdio")
        await client.call("query_features", {"layer_id": "schools"})
        pages.expired.add(REF)
        return await client.call("fetch_result", {"result_ref": REF})

    gone = in_world(tmp_path, script, keeper=Keeper(pages))
    assert gone["code"] == "NOT_FOUND" and "query_features" in gone["hint"]


@pytest.mark.parametrize("why", ["rows stay in QGIS", "too many rows", "the store is broken"])
def test_what_is_not_kept_is_fetched_from_this_qgis(tmp_path: Path, why: str) -> None:
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, [{"n": 1}] * (20_001 if why == "too many rows" else 30))
        if why == "too many rows":
            world.qgis.replies[messages.MCP_SEAL] = _sealed([{"n": 1}] * 20_001, 5000)
        if why == "rows stay in QGIS":
            world.qgis.replies[messages.MCP_SEAL] = {"origin": ORIGIN, "rows": None, "total": 30, "next": None}
        pages.broken = why == "the store is broken"
        world.qgis.tools["fetch_result"] = success({"rows": [{"n": 1}], "total": 30})
        client = world.service.clients.of("stdio", "stdio")
        first = await client.call("query_features", {"layer_id": "schools"})
        return first, await client.call("fetch_result", {"result_ref": REF})

    first, fetched = in_world(tmp_path, script, keeper=Keeper(pages))
    assert first["data"]["result_ref"] == REF and fetched["data"]["total"] == 30
    assert pages.kept == {}


def test_a_large_page_size_is_clamped_and_said(tmp_path: Path) -> None:
    pages = ListedPages()

    async def script(world: McpWorld) -> Any:
        _with_handle(world, list(range(500)))
        client = world.service.clients.of("stdio", "stdio")
        await client.call("query_features", {"layer_id": "schools"})
        return await client.call("fetch_result", {"result_ref": REF, "page_size": 9999})

    page = in_world(tmp_path, script, keeper=Keeper(pages))
    assert page["data"]["returned"] == 200 and "200" in page["message"]


@pytest.mark.parametrize(
    "clients",
    [
        None,
        [{}],
        [{"client_id": "stdio", "token_sha256": SHA}],
        [{"client_id": "a", "token_sha256": "ab"}],
        [{"client_id": "a", "token_sha256": SHA}, {"client_id": "a", "token_sha256": SHA}],
    ],
)
def test_clients_that_are_none_are_not_served(tmp_path: Path, clients: Any) -> None:
    async def script(world: McpWorld) -> None:
        with pytest.raises(ParamsError):
            await world.service.serve({"port": 0, "clients": clients})

    in_world(tmp_path, script, ScriptedQgis())


def test_a_call_that_was_meant_for_another_project_is_not_done(tmp_path: Path) -> None:
    """It is said once; what is called after that is meant for the project that is open."""

    async def script(world: McpWorld) -> Any:
        client = world.service.clients.of("stdio", "stdio")
        await client.call("count_features", {"layer_id": "schools"})
        world.qgis.client = {**world.qgis.client, "project": {"key": "q", "name": "other"}}
        world.service.told(messages.MCP_REVOKED, {"client_id": "stdio"})
        second = await client.call("rename_layer", {"layer_id": "schools", "name": "x"})
        third = await client.call("count_features", {"layer_id": "schools"})
        return second, third, world.qgis.calls()

    second, third, calls = in_world(tmp_path, script)
    assert (second["code"], second["reason"]) == ("INVALID_PARAM", "project_changed") and second["hint"]
    assert third["ok"] and calls == ["count_features", "count_features"]
