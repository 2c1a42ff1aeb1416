"""What is written down of the calls of MCP clients, where, and for how long."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mcp_world import McpWorld, in_world

from qgis_agent.agent.mcp.journal import DAY_S, KEPT_DAYS, Journal
from qgis_agent.agent.records.redact import Redactor

NOON = 1_796_126_400.0  # 2026-12-01 12:00 UTC (date -u -d @1796126400)


def _records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("**/*.jsonl")) for line in path.read_text().splitlines()]


def test_a_call_is_written_before_it_runs_and_its_result_after_apart_from_conversations(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        def look(_params: dict[str, Any]) -> Any:
            return {"ok": True, "data": [each["t"] for each in _records(tmp_path / "mcp_calls")], "message": ""}

        world.qgis.tools["count_features"] = look
        client = world.service.clients.of("stdio", "stdio")
        envelope = await client.call("count_features", {"layer_id": "schools"})
        return envelope, _records(tmp_path / "mcp_calls"), list((tmp_path / "sessions").glob("*"))

    envelope, records, conversations = in_world(tmp_path, script)
    assert envelope["data"] == ["call"]
    call, result = records
    assert (call["t"], call["tool"], call["origin"]) == ("call", "count_features", "mcp")
    assert json.loads(call["raw"]) == {"layer_id": "schools"}
    assert (result["t"], result["call_id"], result["envelope"]["ok"]) == ("result", call["call_id"], True)
    assert conversations == []


def test_a_file_for_each_client_and_day_and_old_ones_go(tmp_path: Path) -> None:
    now = [NOON]
    redactor = Redactor()
    redactor.know("a-secret-of-the-person")
    journal = Journal(tmp_path, redactor, lambda: now[0])
    journal.write("mcp-ada", "call", raw="a-secret-of-the-person")
    journal.write("mcp-bob", "call", raw="{}")
    files = sorted(tmp_path.glob("**/*.jsonl"))
    assert [each.name for each in files] == ["mcp-ada-20261201.jsonl", "mcp-bob-20261201.jsonl"]
    assert "a-secret" not in files[0].read_text()
    assert files[0].stat().st_mode & 0o077 == 0
    os.utime(files[0], (NOON, NOON))
    os.utime(files[1], (NOON + 2 * DAY_S, NOON + 2 * DAY_S))
    now[0] = NOON + (KEPT_DAYS + 1) * DAY_S
    journal.write("mcp-ada", "call", raw="{}")
    assert sorted(each.name for each in tmp_path.glob("**/*.jsonl")) == [
        "mcp-ada-20270101.jsonl",
        "mcp-bob-20261201.jsonl",
    ]


def test_two_processes_may_write_the_same_client_at_once(tmp_path: Path) -> None:
    """Each stdio host has a process of its own, with the client id "stdio" in all of them."""
    first, second = (Journal(tmp_path, Redactor(), lambda: NOON) for _ in range(2))
    for number in range(20):
        (first if number % 2 else second).write("mcp-stdio", "call", number=number)
    assert [each["number"] for each in _records(tmp_path)] == list(range(20))
