"""Session files of older schemas are read as they are, and go on; one of a newer schema is refused and left alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, FakeBridge, FakeClient, answer
from protocol_check import problem_of

from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.records.migrate import SCHEMA_VERSION, migrated, newest_schema
from qgis_agent.agent.records.past_runs import RunFile
from qgis_agent.agent.records.redact import Redactor
from qgis_agent.agent.records.sessions import SessionError, SessionStore, read_records
from qgis_agent.agent.run_service import RunService
from qgis_agent.agent.session_service import SessionService

CALL = {"run_id": "r1", "call_id": "c0", "tool": "count_features"}
OLD_RUN: list[dict[str, Any]] = [
    {"t": "run_start", "at": 1.0, "run_id": "r1", "trace_id": "tr_1"},
    {"t": "user", "at": 1.0, "run_id": "r1", "content": "How many schools?"},
    {
        "t": "assistant",
        "at": 1.5,
        "run_id": "r1",
        "content": "",
        "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "count_features", "arguments": "{}"}}],
    },
    {"t": "call", "at": 1.6, **CALL, "raw": "{}", "origin": "native"},
    {"t": "result", "at": 1.7, **CALL, "envelope": {"ok": True, "data": {"count": 25}, "message": ""}, "ms": 3},
    {"t": "assistant", "at": 1.9, "run_id": "r1", "content": "There are 25."},
    {"t": "run_end", "at": 2.0, "run_id": "r1", "final": "There are 25.", "ok": True, "termination": "completed"},
]
"""A run as the first versions of the recorder wrote it: no project, no evidence of a step, no request at its end."""


def write(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "sessions" / "s-1.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records), encoding="utf-8")
    return path


def meta(schema: Any) -> dict[str, Any]:
    return {"t": "meta", "at": 0.5, "schema": schema, "session_id": "s-1"}


def run(folder: Path, text: str = "and now?") -> tuple[dict[str, Any], FakeClient]:
    client = FakeClient(answer("It is done."))
    runs = RunService(FakeBridge(), lambda _event: None, REGISTRY, folder, "en")
    runs._roles = RoleClients({"planner": client})
    start = {"run_id": "r2", "session_id": "s-1", "capability": "cap", "text": text}
    return dict(asyncio.run(runs.run(start))), client


@pytest.mark.parametrize("first", [[], [meta(1)], [{"t": "meta", "at": 0.5, "session_id": "s-1"}]])
def test_an_older_session_goes_on_and_says_its_new_schema_once(tmp_path: Path, first: list[dict[str, Any]]) -> None:
    path = write(tmp_path, *first, *OLD_RUN)
    before = path.read_bytes()
    report, client = run(tmp_path)
    assert report["ok"]
    messages = [each for each in client.requests[0].messages if each["role"] != "system"]
    assert problem_of(messages) is None and messages[0]["content"] == "How many schools?"
    after = path.read_bytes()
    assert after.startswith(before), "what is written is never rewritten"
    added = [json.loads(line) for line in after[len(before) :].splitlines()]
    assert [each["schema"] for each in added if each["t"] == "meta"] == [SCHEMA_VERSION] and added[0]["t"] == "meta"
    assert run(tmp_path)[0]["ok"]
    assert [each.get("schema") for each in read_records(path) if each["t"] == "meta"][-1:] == [SCHEMA_VERSION]
    assert path.read_bytes().count(b'{"t":"meta"') == len(first) + 1


def test_lines_of_each_schema_have_the_fields_of_the_present_one(tmp_path: Path) -> None:
    by_kind = {each["t"]: each for each in migrated([dict(each) for each in OLD_RUN])}
    assert by_kind["run_start"]["project"] == {} and by_kind["run_end"]["request"] == ""
    assert by_kind["result"]["evidence"] == by_kind["result"]["recipes"] == []
    assert "arguments" not in by_kind["result"], "what ran is not guessed"
    mixed = migrated([meta(1), dict(OLD_RUN[4]), meta(2), dict(OLD_RUN[4])])
    assert "evidence" in mixed[1] and "evidence" not in mixed[3]
    shown = migrated([meta(1), dict(OLD_RUN[4]), dict(OLD_RUN[4])])
    shown[1]["evidence"].append("x")
    assert shown[2]["evidence"] == [], "no two lines share a list"
    (past,), _first = RunFile(write(tmp_path, *OLD_RUN)).page()
    assert past["report"]["answer"] == "There are 25." and past["events"][1]["evidence"] == []


def test_a_newer_session_is_refused_with_words_and_left_alone(tmp_path: Path) -> None:
    newer = [meta(SCHEMA_VERSION), *OLD_RUN, meta(SCHEMA_VERSION + 1), {"t": "thought", "at": 3.0, "deep": [1]}]
    path = write(tmp_path, *newer)
    with path.open("ab") as file:
        file.write(b'{"t":"user","at":4')  # torn: a version that knows the file would mend it
    before = path.read_bytes()
    report, client = run(tmp_path)
    error = report["error"]
    assert (report["termination"], error["code"], error["retryable"]) == ("failed", "UNSUPPORTED", False)
    assert "newer version" in error["message"] and "Update the plugin" in error["hint"] and client.requests == []
    assert "更新版本" in run(tmp_path, "现在呢？")[0]["error"]["message"]
    desk = SessionService(SessionStore(tmp_path, Redactor()), tmp_path, lambda: False)
    assert asyncio.run(desk.runs({"session_id": "s-1", "own": True}))["reason"] == "newer"
    assert desk.load({"session_id": "s-1", "own": True})["reason"] == "newer"
    assert desk.rename({"session_id": "s-1", "title": "Mine"}) == {"done": False, "reason": "newer"}
    assert path.read_bytes() == before and not path.with_suffix(".jsonl.bad").exists()
    with pytest.raises(SessionError) as caught:
        read_records(path)
    assert caught.value.reason == "newer"


def test_a_newer_session_is_still_found_and_read(tmp_path: Path) -> None:
    """Reading does no harm: what this version knows of it is shown, and a person may delete it."""
    write(tmp_path, meta(SCHEMA_VERSION + 1), *OLD_RUN)
    desk = SessionService(SessionStore(tmp_path, Redactor()), tmp_path, lambda: False)
    assert [each["title"] for each in desk.listed({})["sessions"]] == ["How many schools?"]
    assert [each["text"] for each in asyncio.run(desk.runs({"session_id": "s-1"}))["runs"]] == ["How many schools?"]
    assert desk.delete({"session_id": "s-1"})["done"]


@pytest.mark.parametrize("odd", ["2", None, -1, True, 1.5])
def test_a_schema_that_is_no_number_counts_as_the_oldest(odd: Any) -> None:
    assert newest_schema([json.dumps(meta(odd), separators=(",", ":")).encode()]) == 0
    assert newest_schema([b'{"t":"meta","schema":9']) == 0, "a torn line says nothing"
