"""The loopback server itself: what other tests rely on, seen through the standard library's HTTP client."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from model_server import ModelServer

SUPPORT = Path(__file__).resolve().parents[1] / "support"

TURNS = [
    {"text": "先看一下", "tool_calls": [{"name": "zoom_to", "arguments": {"layer_id": "街道"}}]},
    {"scenario": "hang"},
    {"text": "Done."},
]


def ask(port: int, model: str, **body: Any) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    payload = json.dumps({"model": model, "stream": True, **body}).encode()
    connection.request(
        "POST", "/v1/chat/completions", payload, {"Authorization": "Bearer k", "Content-Type": "application/json"}
    )
    return connection.getresponse()


def events(response: http.client.HTTPResponse) -> list[dict[str, Any]]:
    lines = response.read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]


def test_a_script_is_played_in_order_and_ends() -> None:
    with ModelServer(TURNS[::2]) as server:
        deltas = [choice["delta"] for event in events(ask(server.port, "script")) for choice in event["choices"]]
        assert "".join(each.get("content") or "" for each in deltas) == "先看一下"
        pieces = [each["tool_calls"][0]["function"] for each in deltas if "tool_calls" in each]
        assert pieces[0]["name"] == "zoom_to" and len(pieces) == 3
        assert json.loads("".join(each["arguments"] for each in pieces)) == {"layer_id": "街道"}
        last = events(ask(server.port, "script", stream_options={"include_usage": True}))
        assert last[-2]["choices"][0]["finish_reason"] == "stop" and last[-1]["usage"]["prompt_tokens"] == 1200
        assert ask(server.port, "script").status == 400
        assert [each["model"] for each in server.requests] == ["script"] * 3 and server.authorizations[0] == "Bearer k"


def test_a_client_that_hangs_up_is_noted_at_once() -> None:
    with ModelServer() as server:
        response = ask(server.port, "hang")
        assert response.readline().startswith(b"data: ")
        assert not server.closed_early.is_set()
        hung_up = time.monotonic()
        response.close()
        assert server.closed_early.wait(1)
        assert server.closed_times[0] - hung_up < 0.5


def test_unknown_scenarios_are_errors() -> None:
    with ModelServer() as server:
        assert ask(server.port, "no such thing").status == 404


def test_as_a_script_for_another_process(tmp_path: Path) -> None:
    (tmp_path / "turns.json").write_text(json.dumps(TURNS), encoding="utf-8")
    options = ["--port-file", str(tmp_path / "port"), "--turns", str(tmp_path / "turns.json")]
    command = [sys.executable, str(SUPPORT / "model_server.py"), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 10
        while not (tmp_path / "port").exists() and time.monotonic() < until:
            time.sleep(0.02)
        port = int((tmp_path / "port").read_text())
        assert len(events(ask(port, "script"))) > 2
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5) as status:
            assert json.load(status) == {"requests": 1, "turns_played": 1, "closed_early": 0}
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(5) == 0
