"""``python -m qgis_agent mcp`` as a host starts it: a real QGIS without a window, over stdin and stdout."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "resources" / "sample" / "city.qgz"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Host:
    """An MCP host that speaks by lines."""

    def __init__(self, profile: Path, *arguments: str) -> None:
        environment = {**os.environ, "QGIS_AGENT_PROFILE": str(profile), "QT_QPA_PLATFORM": "offscreen"}
        environment.pop("QGIS_CUSTOM_CONFIG_PATH", None)
        self.profile = profile
        (profile / "tmp").mkdir(exist_ok=True)
        environment["TMPDIR"] = str(profile / "tmp")
        self.errors = (profile / f"stderr-{id(self)}.txt").open("w+b")
        self.process = subprocess.Popen(
            [str(REPO / ".venv" / "bin" / "python"), "-m", "qgis_agent", "mcp", *arguments],
            cwd=REPO,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        self.lines: Queue[Any] = Queue()
        self.raw: list[bytes] = []
        self._number = 0
        self._came: dict[Any, Any] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.raw.append(line)
            self.lines.put(json.loads(line))

    def say(self, method: str, ident: Any = None, **params: Any) -> None:
        """A message without waiting."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if ident is not None:
            message["id"] = ident
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, ident: Any, seconds: float = 60) -> Any:
        """The answer to a request, whatever comes before it."""
        while ident not in self._came:
            try:
                message = self.lines.get(timeout=seconds)
            except Empty:
                self.errors.seek(0)
                raise AssertionError(f"no answer; stderr: {self.errors.read()[-2000:]!r}") from None
            if "method" not in message:
                self._came[message["id"]] = message
        return self._came.pop(ident)

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a new request."""
        self._number += 1
        self.say(method, self._number, **params)
        return self.answer(self._number)

    def call(self, name: str, /, **arguments: Any) -> Any:
        """The envelope of a tool call."""
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        envelope = json.loads(result["content"][0]["text"])
        assert bool(result.get("isError")) is not envelope["ok"]
        return envelope

    def end(self) -> int:
        """Close stdin; the exit status."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        return self.process.wait(30)

    def said(self) -> str:
        """What stood on stderr."""
        self.errors.flush()
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Host]]:
    """Start a server."""
    profile = tmp_path_factory.mktemp("profile")
    made: list[Host] = []

    def start(*arguments: str) -> Host:
        made.append(Host(profile, *arguments))
        return made[-1]

    yield start
    for each in made:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()
        each.errors.close()


@pytest.fixture(scope="module")
def server(begin: Callable[..., Host]) -> Host:
    """One on the sample, which only reads; its client has said initialize."""
    host = begin("--project", str(SAMPLE))
    assert host.ask("initialize", **HELLO)["result"]["protocolVersion"] == "2025-06-18"
    host.say("notifications/initialized")
    return host


def test_it_lists_and_calls_tools_on_the_project(server: Host) -> None:
    """What the sample holds; each tool closed to unknown arguments."""
    tools = {each["name"]: each for each in server.ask("tools/list")["result"]["tools"]}
    assert {"search_layers", "count_features", "get_map_state"} <= set(tools)
    assert all(each["inputSchema"]["additionalProperties"] is False for each in tools.values())
    assert server.call("count_features", layer_id="schools")["data"]["count"] > 0
    assert server.call("count_features", layer_id="schools", nonsense=1)["code"] == "INVALID_PARAM"


def test_what_changes_is_refused_where_nobody_can_be_asked(server: Host) -> None:
    """A write by its level; a change of the map because nobody is there."""
    assert server.call("prepare_bookmark", name="x")["code"] == "FORBIDDEN"
    hidden = server.call("toggle_layer", layer_id="schools", visible=False)
    assert (hidden["code"], hidden["reason"]) == ("PERMISSION_DENIED", "headless")


def test_requests_side_by_side_and_one_that_is_cancelled(server: Host) -> None:
    """The cancelled one may be answered or not; the others are, and the server goes on."""
    names = [f"r{each}" for each in range(6)]
    for each in names:
        server.say("tools/call", each, name="count_features", arguments={"layer_id": "schools"})
    server.say("notifications/cancelled", requestId="r0")
    counts = {json.loads(server.answer(each)["result"]["content"][0]["text"])["data"]["count"] for each in names[1:]}
    assert len(counts) == 1
    assert server.call("count_features", layer_id="schools")["ok"]


def test_lines_that_are_no_messages_are_answered_and_nothing_else_is_on_stdout(server: Host) -> None:
    """Also one of more than half a megabyte; QGIS's own words are on stderr."""
    assert server.process.stdin is not None
    for line in (b"{\n", b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"' + b"x" * 600_000 + b'"}}\n'):
        server.process.stdin.write(line)
        server.process.stdin.flush()
        assert server.answer(None)["error"]["code"] in (-32700, -32600)
    assert server.call("count_features", layer_id="schools")["ok"]
    assert all(each.startswith(b'{"jsonrpc":"2.0"') for each in server.raw)


def test_at_the_end_of_stdin_what_is_open_is_answered_and_it_ends(server: Host) -> None:
    """A host that writes its requests and closes gets its answers; the status is 0, and the agent process has gone."""
    server.say("tools/call", "last", name="count_features", arguments={"layer_id": "schools"})
    assert server.end() == 0
    assert json.loads(server.answer("last")["result"]["content"][0]["text"])["ok"]


def test_with_approve_and_a_folder_a_write_is_prepared_and_committed(
    begin: Callable[..., Host], tmp_path: Path
) -> None:
    """Nothing is written by the preview; what leaves the folder is refused; the file is there after the commit."""
    host = begin("--project", str(SAMPLE), "--approve", "all", "--allow-write", str(tmp_path))
    host.ask("initialize", **HELLO)
    target = tmp_path / "out.gpkg"
    data = host.call("prepare_export_layer", layer_id="schools", path=str(target), format="GPKG")["data"]
    assert (data["armed"], data["written"]) == (True, False) and not target.exists()
    assert host.call("commit_action", confirm_token=data["confirm_token"])["ok"] and target.exists()
    assert host.call("commit_action", confirm_token=data["confirm_token"])["reason"] == "used"
    outside = host.call("prepare_export_layer", layer_id="schools", path=str(tmp_path.parent / "o.gpkg"), format="GPKG")
    assert not outside["ok"] and not (tmp_path.parent / "o.gpkg").exists()
    host.process.send_signal(signal.SIGTERM)
    assert host.process.wait(30) == 0
    assert not list((host.profile / "tmp").glob("qgis-agent-*"))


def test_a_project_that_cannot_be_opened_is_told_to_the_host(begin: Callable[..., Host], tmp_path: Path) -> None:
    """As the error of its first request, and on stderr."""
    host = begin("--project", str(tmp_path / "nothing.qgz"))
    error = host.ask("initialize", **HELLO)["error"]
    assert "nothing.qgz" in error["message"]
    assert host.process.wait(30) == 1 and "nothing.qgz" in host.said()


def test_an_agent_process_that_dies_ends_the_server_with_its_requests_answered(begin: Callable[..., Host]) -> None:
    """A host starts it again then; it must not wait for ever."""
    host = begin("--project", str(SAMPLE))
    host.ask("initialize", **HELLO)
    children = Path(f"/proc/{host.process.pid}/task/{host.process.pid}/children")
    if not children.exists():
        pytest.skip("this system does not list the children of a process")
    host.say("tools/call", "open", name="describe_layer", arguments={"layer_id": "schools"})
    for each in children.read_text().split():
        os.kill(int(each), signal.SIGKILL)
    host.answer("open")  # an error, unless the answer was quicker
    assert host.process.wait(30) == 1 and "agent process" in host.said()
