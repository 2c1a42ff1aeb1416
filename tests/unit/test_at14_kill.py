"""T14 with real deaths: a process is killed (SIGKILL) at 100 bytes of the record of a run with writes; each session goes on.

The children are in ``tests/support/kill_child.py``. What QGIS had carried out by then is known from its own log, not from the
record. The model that goes on is a stubborn one: it writes each file again that nothing in its request says is written.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import LAYERS, REGISTRY, FakeBridge, FakeClient, answer, calls
from kill_child import HOSPITALS, LOG, SCHOOLS, WRITE
from protocol_check import problem_of

from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.llm.types import ProviderRequest
from qgis_agent.agent.records.past_runs import RunFile
from qgis_agent.agent.records.sessions import read_records
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge.envelope import success

CHILD = Path(__file__).resolve().parents[1] / "support" / "kill_child.py"
OFFSETS = 100
FILES = (SCHOOLS, HOSPITALS)
START = {"run_id": "r2", "session_id": "s-1", "capability": "cap", "text": "go on", "enabled_packs": ["write"]}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are made by fork")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of the killed runs."""
    folder = tmp_path_factory.mktemp("killed")
    assert _children(folder, [0]) == ["0 ended"]
    size = len(_record(folder / "0").read_bytes())
    offsets = sorted(random.Random(1414).sample(range(1, size - 200), OFFSETS))  # times have digits of their own
    assert _children(folder, offsets) == [f"{each} killed" for each in offsets]
    return [folder / str(each) for each in offsets]


def _children(folder: Path, offsets: list[int]) -> list[str]:
    command = [sys.executable, str(CHILD), str(folder), *map(str, offsets)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split("\n")[:-1]


def _record(folder: Path) -> Path:
    return folder / "sessions" / "s-1.jsonl"


def carried_out(folder: Path) -> list[dict[str, Any]]:
    """What QGIS did, by its own log."""
    log = folder / LOG
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def _whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def begun(folder: Path) -> list[dict[str, Any]]:
    """The writes that the record says were begun, read independently of the code under test."""
    found = []
    *lines, last = _record(folder).read_bytes().split(b"\n")
    for line in [*lines, last] if last.endswith(b"}") and _whole(last) else lines:  # a line may lack only its end
        record = json.loads(line)
        if record["t"] == "call" and record["tool"] == WRITE:
            found.append(json.loads(record["raw"]))
    return found


class Qgis(FakeBridge):
    """The QGIS of the killed run, which still knows what it did; or, not ``lives``, another one that knows nothing."""

    def __init__(self, folder: Path, lives: bool) -> None:
        super().__init__(prepare_export_layer=success({"written": True}, "Written."))
        self._done = {each["call_id"] for each in carried_out(folder)} if lives else set()
        self.asked: list[str] = []

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        if method != "calls/outcome":
            return await super().request(method, params)
        self.asked.append(params["call_id"])
        known = params["call_id"] in self._done
        return {"known": True, "outcome": {"envelope": success({"written": True})}} if known else {"known": False}


def stubborn(request: ProviderRequest) -> Any:
    """Writes what nothing in the request says is written; a write whose outcome is unknown it leaves to the person."""
    named: dict[str, str] = {}
    done, unknown = set(), set()
    for message in request.messages:
        for call in message.get("tool_calls") or []:
            if call["function"]["name"] == WRITE:
                named[call["id"]] = str(json.loads(call["function"]["arguments"])["layer_id"])
        if message["role"] == "tool" and message["tool_call_id"] in named:
            content, layer = str(message["content"]), named[message["tool_call_id"]]
            (done if '"written": true' in content or '"written":true' in content else set()).add(layer)
            (unknown if "outcome unknown" in content else set()).add(layer)
    tail = str(request.messages[-1]["content"])
    done |= {each["layer_id"] for each in FILES if f"{WRITE} {each['layer_id']}: ok" in tail}
    left = [each for each in FILES if each["layer_id"] not in done | unknown]
    return calls((WRITE, left[0])) if left else answer("Both files are written.")


def go_on(folder: Path, lives: bool) -> tuple[Qgis, FakeClient, dict[str, Any]]:
    """The next request of the session, in this process."""
    bridge, client = Qgis(folder, lives), FakeClient(stubborn)
    runs = RunService(bridge, lambda _event: None, REGISTRY, folder, "en")
    runs.catalogue.replace(LAYERS, "p1")
    runs._roles = RoleClients({"planner": client})
    return bridge, client, dict(asyncio.run(runs.run(START)))


@pytest.mark.parametrize("lives", [True, False], ids=["qgis_lives", "qgis_died_too"])
def test_at14_killed_at_a_hundred_bytes_no_write_is_carried_out_twice(
    killed: list[Path], tmp_path: Path, lives: bool
) -> None:
    unknown = written_before = 0
    for folder in killed if lives else killed[::4]:
        own = tmp_path / folder.name
        _record(own).parent.mkdir(parents=True)
        _record(own).write_bytes(_record(folder).read_bytes())
        (own / LOG).write_text((folder / LOG).read_text() if (folder / LOG).exists() else "")
        before = [each["arguments"] for each in carried_out(folder) if each["name"] == WRITE]
        bridge, client, report = go_on(own, lives)
        assert report["ok"], (folder.name, report)
        for request in client.requests:
            messages = [each for each in request.messages if each["role"] != "system"]
            assert problem_of(messages) is None, folder.name
        again = [each["arguments"] for each in bridge.requests if each["name"] == WRITE]
        for each in FILES:
            times = (before + again).count(each)  # 0: it was begun, and whether it was done nobody could say
            assert times == 1 or (times == 0 and each in begun(folder)), (folder.name, before, again)
        unknown += bool(bridge.asked)
        written_before += bool(before)
        records = read_records(_record(own))
        assert records[-1]["t"] == "run_end", folder.name
        shown, _first = RunFile(_record(own)).page()
        assert shown[-1]["text"] == "go on" and shown[-1]["ended"]
        assert [each["ended"] for each in shown[:-1]] in ([], [False]), folder.name
    assert unknown >= 5 and written_before >= 10  # else the cuts fell beside what is tested
