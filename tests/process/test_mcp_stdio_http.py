"""``mcp --http`` with a real QGIS, reached as hosts reach it that only start a command: through mcp_forwarder.py. And ``--check``."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "resources" / "sample" / "city.qgz"
PYTHON = str(REPO / ".venv" / "bin" / "python")


def environment(profile: Path) -> dict[str, str]:
    """Of a process that has a profile of its own."""
    kept = {key: each for key, each in os.environ.items() if key not in ("QGIS_CUSTOM_CONFIG_PATH", "XDG_DATA_HOME")}
    return {**kept, "QGIS_AGENT_PROFILE": str(profile), "QT_QPA_PLATFORM": "offscreen", "HOME": str(profile)}


class Endpoint:
    """A server with its address and the file that its token is in."""

    def __init__(self, profile: Path, *arguments: str) -> None:
        self.profile = profile
        self.token_file = profile / "token.txt"
        command = [PYTHON, "-m", "qgis_agent", "mcp", "--http", "--json", "--project", str(SAMPLE)]
        self.errors = (profile / "stderr.txt").open("w+b")
        self.process = subprocess.Popen(
            [*command, "--token-file", str(self.token_file), *arguments],
            cwd=REPO,
            env=environment(profile),
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        watch = threading.Timer(60, self.process.kill)
        watch.start()
        text = b""
        for line in self.process.stdout or ():
            text += line
            if line == b"}\n":
                break
        watch.cancel()
        assert text, (profile / "stderr.txt").read_text()
        self.url = str(json.loads(text)["url"])

    def forwarded(self, *messages: dict[str, Any], token_file: Path | None = None) -> list[dict[str, Any]]:
        """What a host gets that sends these and closes."""
        done = subprocess.run(
            [sys.executable, str(REPO / "qgis_agent" / "mcp_forwarder.py"), "--url", self.url]
            + ["--token-file", str(token_file or self.token_file)],
            input=b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages),
            env=environment(self.profile),
            capture_output=True,
            timeout=60,
            check=True,
        )
        return sorted((json.loads(each) for each in done.stdout.splitlines()), key=lambda each: each["id"])

    def end(self) -> int:
        """End it as a person does; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.errors.close()


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """One on the sample, where whatever can be taken back is agreed to."""
    made = Endpoint(tmp_path_factory.mktemp("http"), "--approve", "reversible")
    yield made
    assert made.end() == 0


def call(ident: int, name: str, **arguments: Any) -> dict[str, Any]:
    """A request of a host of the newer era, which says all in each message."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return {"id": ident, "method": "tools/call", "params": params}


def envelope(answer: dict[str, Any]) -> dict[str, Any]:
    """What a tool answered."""
    return json.loads(answer["result"]["content"][0]["text"])


def test_a_token_is_made_that_only_its_owner_reads(endpoint: Endpoint) -> None:
    """And stands nowhere else."""
    assert stat.S_IMODE(endpoint.token_file.stat().st_mode) == 0o600
    token = endpoint.token_file.read_text().strip()
    assert len(token) > 40
    assert token not in (endpoint.profile / "stderr.txt").read_text()
    for each in endpoint.profile.rglob("*"):
        if each.is_file() and each != endpoint.token_file:
            assert token.encode() not in each.read_bytes(), each


def test_both_eras_through_the_forwarder(endpoint: Endpoint) -> None:
    """Each request by itself; the same tools."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    old = endpoint.forwarded({"id": 1, "method": "initialize", "params": hello})
    assert old[0]["result"]["protocolVersion"] == "2025-06-18"
    counts = endpoint.forwarded(*(call(each, "count_features", layer_id="schools") for each in range(1, 6)))
    assert len(counts) == 5 and {envelope(each)["data"]["count"] for each in counts} != {0}
    hidden, wrong = endpoint.forwarded(
        call(1, "toggle_layer", layer_id="schools", visible=False), call(2, "count_features", layer_id="schools", x=1)
    )
    assert envelope(hidden)["ok"] and envelope(wrong)["code"] == "INVALID_PARAM"
    log = [json.loads(line) for each in endpoint.profile.rglob("audit/*.jsonl") for line in each.open()]
    assert {each.get("client") for each in log if each.get("caller") == "mcp"} == {"command line"}


def test_a_wrong_token_is_said_so(endpoint: Endpoint, tmp_path: Path) -> None:
    """Nothing is done."""
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("x" * 43)
    answer = endpoint.forwarded(call(1, "count_features", layer_id="schools"), token_file=wrong)[0]
    assert "token" in answer["error"]["message"]


def check(endpoint: Endpoint, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and findings of ``--check --http``, by name; a later one of a name counts."""
    done = subprocess.run(
        [PYTHON, "-m", "qgis_agent", "mcp", "--check", "--http", "--json", *arguments],
        cwd=REPO,
        env=environment(endpoint.profile),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, {each["name"]: each for each in json.loads(done.stdout)["checks"]}


def test_check_says_what_is_wrong(endpoint: Endpoint, tmp_path: Path) -> None:
    """All well; a wrong token; one that others can read; nobody there; another program there."""
    port = endpoint.url.split(":")[2].split("/")[0]
    status, found = check(endpoint, "--port", port, "--token-file", str(endpoint.token_file))
    assert status == 0 and list(found) == ["environment", "endpoint", "key", "access", "protocol", "tools"]
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("x" * 43)
    wrong.chmod(0o600)
    status, found = check(endpoint, "--port", port, "--token-file", str(wrong))
    assert status == 1 and not found["access"]["ok"] and found["access"]["hint"]
    wrong.chmod(0o644)
    status, found = check(endpoint, "--port", port, "--token-file", str(wrong))
    assert status == 1 and "chmod 600" in found["key"]["hint"]
    status, found = check(endpoint, "--port", "9", "--token-file", str(endpoint.token_file))
    assert status == 1 and "nothing answers" in found["endpoint"]["text"]
    status, found = check(endpoint)
    assert status == 1 and "no QGIS of this user" in found["endpoint"]["text"]


def test_a_replica_only_reads_whatever_is_approved(tmp_path: Path) -> None:
    """And a port that is taken is said so."""
    (tmp_path / "one").mkdir()
    replica = Endpoint(tmp_path / "one", "--replica", "--approve", "all", "--allow-write", str(tmp_path))
    try:
        hidden, write, read = replica.forwarded(
            call(1, "toggle_layer", layer_id="schools", visible=False),
            call(2, "prepare_export_layer", layer_id="schools", path=str(tmp_path / "x.gpkg"), format="GPKG"),
            call(3, "count_features", layer_id="schools"),
        )
        assert envelope(read)["ok"]
        assert not envelope(write)["ok"] if "result" in write else write["error"]
        assert not envelope(hidden)["ok"] if "result" in hidden else hidden["error"]
        assert not (tmp_path / "x.gpkg").exists()
        port = replica.url.split(":")[2].split("/")[0]
        done = subprocess.run(
            [PYTHON, "-m", "qgis_agent", "mcp", "--http", "--port", port, "--project", str(SAMPLE)],
            cwd=REPO,
            env=environment(tmp_path / "one"),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1 and port in done.stderr.decode()
    finally:
        assert replica.end() == 0
