"""The test's end of llm_driver.py: one process with litellm in it for all test files, because its import takes seconds."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from model_server import CALLS, ModelServer

ROOT = Path(__file__).resolve().parents[2]
AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", ROOT / ".agent-env" / "bin" / "python"))
KEY = "sk-canary-5f1e77aa01"
TWO_CALLS = [(name, json.loads(arguments)) for name, arguments in CALLS]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"The tool {name}.",
            "parameters": {"type": "object", "properties": {"layer_id": {"type": "string"}}},
        },
    }
    for name in ("buffer_layer", "count_features", "search_layers", "zoom_to")
]


class Driver:
    """The process that holds litellm. ``ask`` sends one job and waits for its answer.

    ``before`` and ``first_stop`` are what its first two jobs said: the state before a model is used, and a stop while litellm
    is being imported.
    """

    def __init__(self) -> None:
        if not AGENT_PYTHON.exists():
            pytest.fail(f"{AGENT_PYTHON} is missing: run make setup")
        self._folder = tempfile.TemporaryDirectory(prefix="llm-driver-")
        folder = Path(self._folder.name)
        (folder / ".env").write_text("FROM_DOTENV=read\n", encoding="utf-8")
        self.stderr_path = folder / "stderr.txt"
        self.lines: list[str] = []
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("LITELLM", "OPENAI", "PYTHON", "COV"))
        }
        environment["OPENAI_API_KEY"] = "sk-of-somebody-else"
        with self.stderr_path.open("w", encoding="utf-8") as stderr:
            self.process = subprocess.Popen(
                [str(AGENT_PYTHON), str(ROOT / "tests" / "support" / "llm_driver.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=folder,
                env=environment,
                text=True,
                encoding="utf-8",
            )
        self.before = self.ask("state")
        self.first_stop = self.ask("cancel_import", model="openai/normal", api_base="http://127.0.0.1:9/v1")

    def ask(self, op: str, **job: Any) -> dict[str, Any]:
        """One job. Anything else than one line of JSON on standard output is a failure."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"op": op, **job}) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, self.stderr_path.read_text(encoding="utf-8")[-3000:]
        self.lines.append(line)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def written(self) -> str:
        """Everything that the process has written so far."""
        return self.stderr_path.read_text(encoding="utf-8") + "".join(self.lines)

    def close(self) -> None:
        """End the process. It is not waited for until it has tidied up: that takes it seconds."""
        self.process.kill()
        self.process.wait(15)
        self._folder.cleanup()


_shared: list[Driver] = []


def shared_driver() -> Driver:
    """The driver of this test process; it is started by the first test that needs it."""
    if not _shared or _shared[0].process.poll() is not None:
        _shared[:] = [Driver()]
        atexit.register(_shared[0].close)
    return _shared[0]


def job_of(server: ModelServer, scenario: str, **job: Any) -> dict[str, Any]:
    """A job that plays a scenario of ``server`` through OpenAI's form, with tools."""
    return {
        "model": f"openai/{scenario}",
        "api_base": server.base_url,
        "api_key": KEY,
        "tools": TOOLS,
        **job,
    }


def play(server: ModelServer, scenario: str, op: str = "complete", **job: Any) -> dict[str, Any]:
    """One turn of a scenario; ``requests`` in the answer counts what the server saw."""
    before = len(server.requests)
    answer = shared_driver().ask(op, **job_of(server, scenario, **job))
    answer["requests"] = len(server.requests) - before
    return answer


def calls_of(answer: dict[str, Any]) -> list[tuple[str, Any]]:
    """Calls as (name, arguments)."""
    return [(name, json.loads(arguments)) for _, name, arguments in answer["calls"]]
