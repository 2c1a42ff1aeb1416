"""The real agent process over its real pipes, with a parent that speaks as QGIS does."""

from __future__ import annotations

import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import LAYERS
from model_server import ModelServer

from qgis_agent.bridge.envelope import success
from qgis_agent.bridge.messages import MAX_LINE_BYTES

REPO = Path(__file__).resolve().parents[2]
SCRIPT = REPO / "qgis_agent" / "agent" / "__main__.py"
AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", REPO / ".agent-env" / "bin" / "python"))
WAIT_S = 60.0


class Parent:
    """Starts the process, answers its tool calls from ``answers``, collects events."""

    python: str | Path = sys.executable

    def __init__(self, records: Path, **answers: Any) -> None:
        self.records = records
        self.answers = answers
        self.events: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.logs: list[str] = []
        self.asked: list[str] = []
        self.cancelled: list[Any] = []
        self.errors: list[dict[str, Any]] = []
        self._answered: dict[Any, dict[str, Any]] = {}
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        self.process = subprocess.Popen(
            [str(self.python), "-X", "utf8", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=records,
        )
        assert self.process.stdout
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, pipe: Any) -> None:
        for line in pipe:
            self._lines.put(line)
        self._lines.put(b"")

    def raw(self, data: bytes) -> None:
        """Bytes as they stand."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        """One message."""
        self.raw(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")

    def ask(self, method: str, params: Any) -> str:
        """Send a request; ``wait`` gives its answer."""
        self._number += 1
        ident = f"q{self._number}"
        self.send({"id": ident, "method": method, "params": params})
        return ident

    def wait(self, ident: str) -> dict[str, Any]:
        """The answer to a request; serves the process meanwhile."""
        self.until(lambda: ident in self._answered)
        return self._answered[ident]

    def request(self, method: str, params: Any) -> dict[str, Any]:
        """Ask and wait."""
        return self.wait(self.ask(method, params))

    def until(self, done: Any) -> None:
        """Serve the process until ``done()``."""
        deadline = time.monotonic() + WAIT_S
        while not done():
            line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            assert line, f"the process ended: {self.process.stderr.read() if self.process.stderr else b''!r}"
            self._take(json.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "run/event":
            self.events.append(message["params"])
        elif method == "log":
            self.logs.append(message["params"]["text"])
        elif method == "$/cancel":
            self.cancelled.append(message["params"]["id"])
        elif method == "project/revision":
            self.send({"id": message["id"], "result": {"revision": None}})
        elif method == "calls/outcome":
            self.asked.append(message["params"]["call_id"])
            self.send({"id": message["id"], "result": {"known": False}})
        elif method == "tools/call":
            self.calls.append(message)
            given = self.answers.get(message["params"]["name"], success({}, "done"))
            if given is not None:
                self.send(
                    {
                        "id": message["id"],
                        "result": {"envelope": given, "actions": [], "legend": [], "evidence": [], "ms": 1},
                    }
                )
        elif message.get("id") is None:
            self.errors.append(message["error"])
        else:
            self._answered[message["id"]] = message

    def initialize(self, **more: Any) -> dict[str, Any]:
        """Say initialize as QGIS does."""
        schema = str(REPO / "resources" / "tools.schema.json")
        return self.request(
            "initialize",
            {
                "protocol": 1,
                "plugin_version": "x",
                "locale": "en",
                "records_dir": str(self.records),
                "tools_schema": schema,
                **more,
            },
        )

    def ready(self, turns: list[Any] | None = None) -> None:
        """Initialize, configure a script (or the offline commands), push a catalogue."""
        assert "result" in self.initialize()
        config = {"kind": "offline"} if turns is None else {"kind": "script", "turns": turns}
        assert "result" in self.request("model/configure", config)
        self.send({"method": "catalogue/changed", "params": {"layers": LAYERS, "project_id": "p"}})

    def start_run(self, text: str, **more: Any) -> str:
        """Begin a run."""
        params = {
            "run_id": "r1",
            "session_id": "s1",
            "capability": "cap",
            "text": text,
            "profile": "gis-build",
            "enabled_packs": [],
            "snapshot": {},
        }
        return self.ask("run/start", {**params, **more})

    def end(self) -> int:
        """End of stdin; the exit status."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(5)


@pytest.fixture()
def parents(tmp_path: Path) -> Iterator[Any]:
    made: list[Parent] = []

    def make(**answers: Any) -> Parent:
        made.append(Parent(tmp_path, **answers))
        return made[-1]

    yield make
    for each in made:
        each.process.kill()
        each.process.wait(5)
        for pipe in (each.process.stdin, each.process.stdout, each.process.stderr):
            if pipe is not None:
                pipe.close()


def test_initialize_is_quick(parents: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The goal is 300 ms at the median of warm starts; three times that is the limit here. No slow import comes before it."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        parent = parents()
        answer = parent.initialize()["result"]
        times.append(time.perf_counter() - started)
        assert (answer["protocol"], answer["pid"]) == (1, parent.process.pid)
        assert parent.end() == 0
    with capsys.disabled():
        print(f"\ninitialize: median {statistics.median(times) * 1000:.0f} ms, worst {max(times) * 1000:.0f} ms")
    assert statistics.median(times) < 0.9


def test_nothing_slow_is_imported_before_initialize() -> None:
    """The module of the server brings neither pydantic nor jsonschema nor litellm."""
    code = "import sys; import qgis_agent.agent.server; print([m for m in ('pydantic','jsonschema','litellm','mcp') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_over_the_pipe(parents: Any) -> None:
    """Configured, catalogue pushed, a tool of the agent and one of QGIS, events, report with sources, session on disk."""
    parent = parents(count_features=success({"count": 25}, ""))
    turns = [
        {"text": "Looking.", "tool_calls": [{"name": "search_layers", "arguments": {"query": "学校"}}]},
        {"tool_calls": [{"name": "count_features", "arguments": {"layer_id": "schools"}}]},
        {"text": "共有 25 所学校，其中 31 所在外。"},
    ]
    parent.ready(turns)
    report = parent.wait(parent.start_run("有多少学校？"))["result"]
    assert (report["ok"], report["termination"]) == (True, "completed")
    assert [(each["tool"], each["code"]) for each in report["steps"]] == [("search_layers", ""), ("count_features", "")]
    assert [(each["text"], each["source"] and each["source"]["path"]) for each in report["numbers"]] == [
        ("25", "data.count"),
        ("31", None),
    ]
    assert [each["params"]["capability"] for each in parent.calls] == ["cap"]
    kinds = [each["type"] for each in parent.events]
    assert kinds.count("tool_started") == kinds.count("tool_finished") == 2
    assert kinds.index("text_reset") < kinds.index("tool_started")
    after_reset = [each["text"] for each in parent.events[kinds.index("text_reset") :] if each["type"] == "text_delta"]
    assert "".join(after_reset) == report["answer"]
    said = parent.request("session/load", {"session_id": "s1"})["result"]["messages"]
    assert [each["role"] for each in said] == ["user", "assistant"]
    usage = report["usage"]
    assert (usage["model_calls"], usage["tool_calls"]) == (3, 2)
    assert report["trace_id"].startswith("tr_20")
    assert parent.end() == 0


def test_a_single_call_and_its_cancelling(parents: Any) -> None:
    """``tool/run`` answers an outcome; cancelled it answers CANCELLED and QGIS's call is cancelled too."""
    parent = parents(zoom_to=None)
    parent.ready()
    params = {"run_id": "r", "session_id": "s", "capability": "cap", "caller": "cli", "name": "count_features"}
    wrong = parent.request("tool/run", {**params, "arguments": {"lyr": "x"}})["result"]["envelope"]
    assert (wrong["code"], "layer_id" in wrong["hint"]) == ("INVALID_PARAM", True)
    ident = parent.ask("tool/run", {**params, "name": "zoom_to", "arguments": {"layer_id": "streets"}})
    parent.until(lambda: parent.calls)
    parent.send({"method": "$/cancel", "params": {"id": ident}})
    assert parent.wait(ident)["result"]["envelope"]["code"] == "CANCELLED"
    parent.until(lambda: parent.cancelled)
    assert parent.cancelled == [parent.calls[0]["id"]]


def test_stop_is_quick_and_the_next_request_works(parents: Any) -> None:
    """A run that waits for a tool: the report within half a second; a second run meanwhile is refused."""
    parent = parents(zoom_to=None)
    parent.ready([{"tool_calls": [{"name": "zoom_to", "arguments": {"layer_id": "streets"}}]}, {"text": "Here."}])
    ident = parent.start_run("zoom")
    parent.until(lambda: parent.calls)
    assert parent.wait(parent.start_run("again", run_id="r2"))["error"]["message"] == "another run is going on"
    started = time.monotonic()
    parent.send({"method": "$/cancel", "params": {"id": ident}})
    report = parent.wait(ident)["result"]
    assert time.monotonic() - started < 1.5  # three times the goal
    assert (report["termination"], report["error"]["code"]) == ("interrupted", "CANCELLED")
    assert parent.wait(parent.start_run("again", run_id="r3"))["result"]["answer"] == "Here."


def test_a_stop_right_after_the_start_is_answered(parents: Any) -> None:
    """Start and cancel in one write: the run has not begun, and the answer is a report all the same."""
    parent = parents()
    parent.ready([{"text": "x"}])
    run = {
        "jsonrpc": "2.0",
        "id": "now",
        "method": "run/start",
        "params": {"run_id": "r", "session_id": "s", "capability": "c", "text": "t"},
    }
    stop = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": "now"}}
    parent.raw(json.dumps(run).encode() + b"\n" + json.dumps(stop).encode() + b"\n")
    assert parent.wait("now")["result"]["termination"] == "interrupted"


def test_garbage_and_wrong_requests_are_answered(parents: Any) -> None:
    """Nothing on the line ends the process."""
    parent = parents()
    assert parent.request("run/start", {})["error"]["code"] == -32600
    parent.ready()
    before = len(parent.errors)
    parent.raw(
        b"\xff\xfe garbage\n{\n[1]\n"
        + b"x" * (MAX_LINE_BYTES + 10)
        + b"\n"
        + b'{"jsonrpc":"2.0","id":"z","method":"y","params":[]}\n'
    )
    parent.until(lambda: len(parent.errors) >= before + 5)
    assert parent.request("no/such", {})["error"]["code"] == -32601
    parent.send({"method": "no/such", "params": {}})
    parent.send({"method": "catalogue/changed", "params": {"layers": "none"}})
    good = {"run_id": "r", "session_id": "s", "capability": "c", "text": "t"}
    for wrong in (
        {},
        {**good, "text": 5},
        {**good, "text": "  "},
        {**good, "session_id": "../x"},
        {**good, "enabled_packs": "write"},
        {**good, "snapshot": []},
        {**good, "run_id": None},
    ):
        assert parent.request("run/start", wrong)["error"]["code"] == -32602, wrong
    for config in ({}, {"kind": "x"}, {"kind": "script", "turns": 5}, {"kind": "model"}, {"kind": 7}):
        assert parent.request("model/configure", config)["error"]["code"] == -32602, config
    assert parent.request("session/load", {"session_id": "../../etc"})["error"]["code"] == -32602
    assert parent.request("session/load", {"session_id": "new"})["result"]["messages"] == []
    assert parent.request("tool/run", {**good, "name": 5})["error"]["code"] == -32602
    assert any("unknown notification" in each for each in parent.logs)
    assert parent.process.poll() is None


def test_another_version_is_refused_in_words(parents: Any) -> None:
    """And nothing else is answered then."""
    parent = parents()
    error = parent.initialize(protocol=99)["error"]
    assert error["code"] == -32001
    assert "99" in error["message"]
    assert "Build the agent's environment again" in error["message"]
    assert parent.request("model/configure", {"kind": "offline"})["error"]["code"] == -32600
    assert "result" in parent.initialize()


@pytest.mark.parametrize("how", ["eof", "request", "notification"])
def test_it_ends_when_it_is_told(parents: Any, how: str) -> None:
    """End of stdin, or shutdown as a request or notification, also in the middle of a run; exit status 0."""
    parent = parents(zoom_to=None)
    parent.ready([{"tool_calls": [{"name": "zoom_to", "arguments": {"layer_id": "streets"}}]}])
    parent.start_run("zoom")
    parent.until(lambda: parent.calls)
    started = time.monotonic()
    if how == "eof":
        assert parent.end() == 0
    elif how == "request":
        assert parent.request("shutdown", {})["result"] == {}
        assert parent.process.wait(5) == 0
    else:
        parent.send({"method": "shutdown", "params": {}})
        assert parent.process.wait(5) == 0
    assert time.monotonic() - started < 4.5  # three times the 1.5 s that closing may take


def test_a_killed_process_leaves_a_session_that_goes_on(parents: Any, tmp_path: Path) -> None:
    """kill -9 while a change is under way: the new process has the conversation, and the model is told to verify first."""
    parent = parents(toggle_layer=None)
    parent.ready([{"tool_calls": [{"name": "toggle_layer", "arguments": {"layer_id": "schools", "visible": True}}]}])
    parent.start_run("show the schools")
    parent.until(lambda: parent.calls)
    parent.process.kill()
    parent.process.wait(5)
    second = parents()
    second.ready([{"text": "The schools are visible."}])
    said = second.request("session/load", {"session_id": "s1"})["result"]["messages"]
    assert said == [{"role": "user", "text": "show the schools"}]
    assert second.wait(second.start_run("and now?", run_id="r2"))["result"]["ok"]
    assert second.calls == []
    records = (tmp_path / "sessions" / "s1.jsonl").read_text(encoding="utf-8")
    assert records.count('"t":"run_start"') == 2
    assert records.count('"t":"result"') == 0


def test_a_key_is_in_no_file(parents: Any, tmp_path: Path) -> None:
    """It crosses stdin and stays in memory, also when the person types it."""
    parent = parents()
    parent.ready()
    key = "canary-key-0123456789"
    config = {"kind": "model", "model": "m", "api_base": "http://127.0.0.1:9/v1", "api_key": key}
    assert parent.request("model/configure", config)["result"]["kind"] == "model"
    parent.request("model/configure", {"kind": "offline"})
    parent.wait(parent.start_run(f"is {key} right"))
    parent.end()
    written = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    assert b"run_end" in written
    assert key.encode() not in written
    assert parent.process.stderr
    assert key.encode() not in parent.process.stderr.read()


def test_what_libraries_print_goes_to_stderr() -> None:
    """Python's print and bytes written to descriptor 1 do not reach the protocol."""
    code = (
        "import os, sys\n"
        "from qgis_agent.agent.stdio import LineWriter, take_stdout\n"
        "writer = LineWriter(take_stdout(), lambda: None)\n"
        "print('noise', flush=True); os.write(1, b'more noise\\n'); writer.write(b'{}\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, check=True)
    assert done.stdout == b"{}\n"
    assert b"noise" in done.stderr
    assert b"more noise" in done.stderr


@pytest.fixture()
def agent_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parents: Any) -> Any:
    """A parent of a process in the agent's own environment, which has litellm."""
    if not AGENT_PYTHON.exists():
        pytest.fail(f"{AGENT_PYTHON} is missing: run make setup")
    monkeypatch.setattr(Parent, "python", AGENT_PYTHON)
    return parents


def configure(parent: Parent, server: ModelServer, model: str) -> None:
    config = {"kind": "model", "model": model, "api_base": server.base_url, "api_key": "sk-test-0123456789abcdef"}
    assert "result" in parent.request("model/configure", config)


def test_a_run_through_litellm_and_a_stop_in_its_stalled_stream(agent_parent: Any) -> None:
    """The real HTTP path: a call and an answer with usage; then a stall, where Stop takes under 0.5 s and closes the connection."""
    turns = [
        {"tool_calls": [{"name": "count_features", "arguments": {"layer_id": "schools"}}]},
        {"text": "There are 25 schools."},
        {"scenario": "hang"},
        {"text": "Here again."},
    ]
    parent = agent_parent(count_features=success({"count": 25}))
    with ModelServer(turns=turns) as server:
        parent.ready()
        configure(parent, server, "script")
        report = parent.wait(parent.start_run("how many schools"))["result"]
        assert (report["termination"], report["answer"]) == ("completed", "There are 25 schools.")
        assert report["numbers"][0]["source"]["tool"] == "count_features"
        assert report["usage"]["source"] == "provider"
        before = len(parent.events)
        ident = parent.start_run("stall", run_id="r2")
        parent.until(lambda: any(each["type"] == "text_delta" for each in parent.events[before:]))
        started = time.monotonic()
        parent.send({"method": "$/cancel", "params": {"id": ident}})
        assert parent.wait(ident)["result"]["termination"] == "interrupted"
        assert time.monotonic() - started < 1.5
        assert server.closed_early.wait(1.0)
        assert parent.wait(parent.start_run("again", run_id="r3"))["result"]["answer"] == "Here again."


def test_a_server_that_is_not_there_leaves_the_offline_commands(agent_parent: Any) -> None:
    """A notice, then the same request through the offline commands."""
    parent = agent_parent()
    parent.ready()
    config = {"kind": "model", "model": "m", "api_base": "http://127.0.0.1:9/v1", "api_key": "sk-test-0123456789abcdef"}
    assert "result" in parent.request("model/configure", config)
    report = parent.wait(parent.start_run("把学校关掉"))["result"]
    assert report["termination"] == "completed"
    assert parent.calls[0]["params"]["arguments"] == {"layer_id": "schools", "visible": False}
    assert any(each["type"] == "notice" and "改由离线命令" in each["text"] for each in parent.events)
