"""T14: killed at any byte of a run, a session reloads, the next request is valid, and nothing is done a second time."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, answer, calls
from protocol_check import problem_of

from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.records.sessions import read_records
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge.envelope import success

REPO = Path(__file__).resolve().parents[2]
OFFSETS = 100
EXPORT = {"layer_id": "schools", "path": "学校.gpkg"}
START = {"run_id": "r2", "session_id": "s-1", "capability": "cap", "text": "and now?"}


class Qgis(FakeBridge):
    """Knows how the calls of the killed run ended."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(**answers)
        self.asked: list[str] = []

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        if method == "calls/outcome":
            self.asked.append(params["call_id"])
            return {"known": True, "outcome": {"envelope": success({"written": True})}}
        return await super().request(method, params)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a run that reads, changes the map, writes a file, and answers."""
    bench = Bench(tmp_path_factory.mktemp("whole"))
    bench.session.shown_packs.add("write")
    client = FakeClient(
        calls(("count_features", {"layer_id": "schools"}), ("toggle_layer", {"layer_id": "schools", "visible": True})),
        calls(("prepare_export_layer", EXPORT), text="导出学校"),
        answer("Exported 25 schools — 已导出 25 所。"),
    )
    bridge = FakeBridge(count_features=success({"count": 25}))
    bench.run("export the schools 导出", client, bridge, enabled=("write",))
    assert bridge.names() == ["count_features", "toggle_layer", "prepare_export_layer"]
    return bench.path.read_bytes()


def killed_at(data: bytes, cut: int, folder: Path) -> Path:
    path = folder / "sessions" / "s-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(data[:cut])
    return path


def offsets(size: int) -> list[int]:
    return sorted(random.Random(14).sample(range(1, size), OFFSETS))


def test_at14_killed_at_a_hundred_bytes_it_reloads_and_the_next_request_is_valid(
    recorded: bytes, tmp_path: Path
) -> None:
    unknown = 0
    for cut in offsets(len(recorded)):
        path = killed_at(recorded, cut, tmp_path / str(cut))
        bridge, client = Qgis(), FakeClient(answer("It is done."))
        runs = RunService(bridge, lambda _event: None, REGISTRY, path.parent.parent, "en")
        runs._roles = RoleClients({"planner": client})
        report = asyncio.run(runs.run(START))
        assert report["ok"], (cut, report)
        messages = client.requests[0].messages
        assert problem_of([each for each in messages if each["role"] != "system"]) is None, cut
        assert bridge.names() == [], cut  # nothing of the killed run is carried out again
        begun, ended = _calls(recorded[:cut])
        assert bridge.asked == [each for each in begun if each not in ended], cut
        unknown += bool(bridge.asked)
        assert read_records(path)[-1]["t"] == "run_end"
    assert unknown >= 5  # else no cut fell between a call and its result


def _calls(data: bytes) -> tuple[list[str], set[str]]:
    """Ids of calls with a whole line, and of those with a result, read independently of the code under test."""
    records = []
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            records.append(json.loads(line))
        except ValueError:
            break
    return (
        [each["call_id"] for each in records if each["t"] == "call"],
        {each["call_id"] for each in records if each["t"] == "result"},
    )


def test_at14_a_call_is_on_disk_before_it_runs_and_its_result_after(tmp_path: Path) -> None:
    bench, seen = Bench(tmp_path), []

    def look(_params: Any) -> Any:
        seen.append([each["t"] for each in read_records(bench.path) if each["t"] in ("call", "result")])
        return success({"visible": True})

    call = ("toggle_layer", {"layer_id": "schools", "visible": True})
    bench.run("show the schools", FakeClient(calls(call), answer("Shown.")), FakeBridge(toggle_layer=look))
    assert seen == [["call"]]
    assert [each["t"] for each in read_records(bench.path) if each["t"] in ("call", "result")] == ["call", "result"]


def test_at14_what_changes_something_is_on_the_disk_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut takes what the system has not written: a read may be lost, a change may not."""
    bench, order = Bench(tmp_path), []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (order.append("disk"), real(descriptor))[1])
    bridge = FakeBridge(
        count_features=lambda _params: (order.append("read"), success({"count": 25}))[1],
        toggle_layer=lambda _params: (order.append("change"), success({"visible": True}))[1],
    )
    shown = ("toggle_layer", {"layer_id": "schools", "visible": True})
    bench.run(
        "show and count",
        FakeClient(calls(("count_features", {"layer_id": "schools"})), calls(shown), answer("25.")),
        bridge,
    )
    assert order == ["read", "disk", "change", "disk"]


def test_at14_a_second_process_does_not_write_into_the_session(tmp_path: Path) -> None:
    """Its run is refused with words; when the first process is killed, the session is free."""
    code = """
        import sys, time
        from pathlib import Path
        from qgis_agent.agent.records.redact import Redactor
        from qgis_agent.agent.records.sessions import SessionStore
        session = SessionStore(Path(sys.argv[1]), Redactor()).get("s-1")
        session.own()
        session.write("user", content="first")
        print("ready", flush=True)
        time.sleep(60)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], cwd=REPO, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None and child.stdout.readline().strip() == "ready"
        before = (tmp_path / "sessions" / "s-1.jsonl").read_bytes()
        report = _run(tmp_path)
        assert (report["termination"], report["error"]["code"]) == ("failed", "FORBIDDEN")
        assert "another QGIS" in report["error"]["message"] and report["error"]["hint"]
        assert (tmp_path / "sessions" / "s-1.jsonl").read_bytes() == before
    finally:
        child.kill()
        child.wait(10)
    assert _run(tmp_path)["ok"]


def _run(folder: Path) -> dict[str, Any]:
    runs = RunService(FakeBridge(), lambda _event: None, REGISTRY, folder, "en")
    runs._roles = RoleClients({"planner": FakeClient(answer("Hello."))})
    return dict(asyncio.run(runs.run(START)))
