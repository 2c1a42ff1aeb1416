"""What fetch_result makes of numbers that no store takes, and of nulls: as QGIS's own table does, never a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_world import McpWorld, ScriptedQgis, in_world

from qgis_agent.agent.mcp.kept import DEFAULT_PAGE, open_keeper
from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import success

REF, COUNT = "query_features:1", 30


def _page(folder: Path, **arguments: Any) -> dict[str, Any]:
    qgis = ScriptedQgis()
    qgis.tools["query_features"] = success({"result_ref": REF, "total": COUNT})
    rows = [{"n": each} for each in range(COUNT)]
    qgis.replies[messages.MCP_SEAL] = {"origin": {}, "rows": rows, "total": COUNT, "next": None}
    qgis.replies[messages.MCP_ACCESS] = {"allowed": True}

    async def script(world: McpWorld) -> Any:
        world.service.keeper = open_keeper("sqlite", folder)
        try:
            async with world.client() as client:
                await client.call_tool("query_features", {"layer_id": "schools"})
                result = await client.call_tool("fetch_result", {"result_ref": REF, **arguments})
                return json.loads(result.content[0].text)
        finally:
            world.service.keeper._pages.close()

    told = in_world(folder / "records", script, qgis)
    assert qgis.calls() == ["query_features"]  # the store has answered
    assert told["ok"], told
    return told["data"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("arguments", "numbers", "following"),
    [
        ({"cursor": None, "page_size": None}, range(DEFAULT_PAGE), DEFAULT_PAGE),
        ({"cursor": 25}, range(25, COUNT), None),
        ({"cursor": COUNT}, range(0), None),
        ({"cursor": 10**30}, range(0), None),
        ({"page_size": 10**30}, range(COUNT), None),
    ],
)
def test_any_number_and_null_is_a_page(
    tmp_path: Path, arguments: dict[str, Any], numbers: range, following: int | None
) -> None:
    page = _page(tmp_path, **arguments)
    assert [each["n"] for each in page["rows"]] == list(numbers)
    assert (page["next"], page["total"]) == (following, COUNT)
