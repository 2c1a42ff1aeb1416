"""Runs the scripted answers of the tasks through the whole program, two at a time, and keeps what each came to."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer
from task_grader import REPO, TASKS, load

SCRIPTS = REPO / "tests" / "support" / "task_scripts"
EMPTY_PROJECT = '<qgis projectname="" version="3.40.6"></qgis>'
AT_ONCE = 2
RUN_S = 110


@dataclass(frozen=True)
class Play:
    """What a run came to: its folder, the report of ``ask --json``, and what the tools told the model (if a server played)."""

    folder: Path
    report: dict[str, Any]
    told: list[dict[str, Any]]


def play(task_id: str, words: str, folder: Path) -> Play:
    """Ask for a task in a project without layers, beside copies of its inputs, and play the task's script.

    A task whose answer is JSON is played by a server of models, which sees what a model sees: the results of the tools.
    """
    for each in (TASKS / task_id / "inputs").iterdir():
        shutil.copyfile(each, folder / each.name)
    (folder / "project.qgs").write_text(EMPTY_PROJECT, encoding="utf-8")
    script = SCRIPTS / f"{task_id}.json"
    command = ["ask", words, "--project", str(folder / "project.qgs"), "--json", "--approve", "all"]
    command += ["--allow-write", str(folder)]
    if load(task_id)["expected_outputs"][0]["format"] != "json":
        return Play(folder, _ask([*command, "--script", str(script)], {}), [])
    with ModelServer(turns=json.loads(script.read_text(encoding="utf-8"))) as server:
        endpoint = {"QGIS_AGENT_API_BASE": server.base_url, "QGIS_AGENT_API_KEY": "none"}
        report = _ask([*command, "--model", "openai/script"], endpoint)
    messages = server.requests[-1]["messages"] if server.requests else []
    return Play(folder, report, [json.loads(each["content"]) for each in messages if each["role"] == "tool"])


def _ask(command: list[str], endpoint: dict[str, str]) -> dict[str, Any]:
    """The report of a run. Fails when stdout is anything else."""
    done = subprocess.run(
        [str(REPO / ".venv" / "bin" / "python"), "-m", "qgis_agent", *command],
        cwd=REPO,
        env={**os.environ, **endpoint},
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(f"status {done.returncode}, stdout is no JSON: {done.stdout!r}\n{done.stderr}") from None
    return report


@pytest.fixture(scope="module")
def plays(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Play]]]:
    """The runs of the tests that were asked for, by the instruction's name: two are at work while a test looks at a third."""
    wanted: dict[str, tuple[str, str]] = {}
    for item in request.session.items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        if "words" in given:
            wanted[given["name"]] = (given["task_id"], given["words"])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            name: pool.submit(play, task_id, words, tmp_path_factory.mktemp(name))
            for name, (task_id, words) in wanted.items()
        }
