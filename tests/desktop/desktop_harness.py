"""Starts the real QGIS on a virtual screen with an empty profile, the plugin and a driver script, and waits for its end.

The driver (``driver.py``) runs inside QGIS and does what a person would; it writes what it saw to ``results.json``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")
SERVER = REPO / "tests" / "support" / "model_server.py"
SHOTS = REPO / "build" / "desktop"
SCREEN = "1600x1000x24"
TIMEOUT_S = 180.0


@dataclass
class Outcome:
    """What one run of QGIS left behind."""

    exit_code: int | None
    seconds: float
    log: str
    errors: str = ""
    steps: dict[str, dict[str, Any]] = field(default_factory=dict)
    leftover: list[str] = field(default_factory=list)

    def step(self, name: str) -> dict[str, Any]:
        """What a step reported. A step that raised, or that was never reached, fails here with its reason."""
        assert name in self.steps, f"step {name!r} was not reached; QGIS said:\n{self.log[-6000:]}"
        problem = self.steps[name].get("error")
        assert problem is None, f"step {name!r} failed:\n{problem}\nQGIS said:\n{self.log[-3000:]}"
        return self.steps[name]


def why_not() -> str:
    """Why the desktop tests cannot run here, "" when they can."""
    for program in ("qgis", "xvfb-run"):
        if shutil.which(program) is None:
            return f"{program} is not installed (make setup)"
    if not (REPO / ".agent-env" / "bin" / "python").exists():
        return "the agent environment is not built (make setup)"
    return ""


def run_qgis(
    folder: Path,
    steps: Sequence[str],
    *,
    locale: str = "en",
    theme: str = "default",
    prefix: str = "",
    agent_env: Path = REPO / ".agent-env",
    turns: Sequence[dict[str, Any]] | None = None,
    more: dict[str, Any] | None = None,
    seconds: float = TIMEOUT_S,
) -> Outcome:
    """Run QGIS with the driver's ``steps`` in ``folder``, an empty one of the caller; or one where it ran before, whose profile
    and project are gone on with. ``prefix`` names the screenshots.

    ``turns``: what the scripted model says, absent: golden request 1 and what the other steps need; ``more`` goes to the plan.
    After ``seconds`` it is ended by force.
    """
    profile = _profile(folder, locale, theme)
    project = _project_copy(folder)
    SHOTS.mkdir(parents=True, exist_ok=True)
    results = folder / "results.json"
    for left in (results, folder / "errors.txt", folder / "port"):
        left.unlink(missing_ok=True)
    with model_server(folder, usual_turns() if turns is None else turns) as port:
        plan = {
            "steps": list(steps),
            "results": str(results),
            "shots": str(SHOTS / prefix) if prefix else str(SHOTS) + "/",
            "project": str(project),
            "api_base": f"http://127.0.0.1:{port}/v1",
            "folder": str(folder),
            "driver": str(DRIVER.parent),
            "support": str(REPO / "tests" / "support"),
            **(more or {}),
        }
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        began = time.monotonic()
        code, log = _qgis(folder, profile, project, agent_env, seconds)
    errors = folder / "errors.txt"
    outcome = Outcome(
        code, time.monotonic() - began, log, errors.read_text(encoding="utf-8") if errors.exists() else ""
    )
    if results.exists():
        outcome.steps = json.loads(results.read_text(encoding="utf-8"))
    outcome.leftover = agent_processes(profile)
    return outcome


def agent_processes(profile: Path) -> list[str]:
    """Command lines of processes that still work in the profile: none may outlive QGIS."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            place = os.readlink(process / "cwd")
        except OSError:
            continue
        if place.startswith(str(profile)):
            found.append(f"{process.name}: {line}")
    return found


@contextmanager
def model_server(folder: Path, script: Sequence[dict[str, Any]]) -> Iterator[int]:
    """The scripted model as a process of its own; it ends with its standard input. Yields its port."""
    turns = folder / "turns.json"
    turns.write_text(json.dumps(list(script), ensure_ascii=False), encoding="utf-8")
    port_file = folder / "port"
    command = [
        sys.executable,
        str(SERVER),
        "--port-file",
        str(port_file),
        "--turns",
        str(turns),
        "--chunk-delay",
        "0.02",
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 20
        while not port_file.exists():
            assert process.poll() is None and time.monotonic() < deadline, "the model server did not start"
            time.sleep(0.02)
        yield int(port_file.read_text(encoding="utf-8"))
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def scripted(name: str) -> list[dict[str, Any]]:
    """The turns of a file in tests/support."""
    found: list[dict[str, Any]] = json.loads((REPO / "tests" / "support" / name).read_text(encoding="utf-8"))
    return found


def usual_turns(names: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Golden request 1, then the turns of the other steps in their order. ``names``: layers that are called otherwise in another
    language, as a model would read it in the result."""
    text = json.dumps(scripted("golden_1.json"), ensure_ascii=False)
    for usual, name in (names or {}).items():
        text = text.replace(usual, name)
    golden: list[dict[str, Any]] = json.loads(text)
    return golden + MORE_TURNS


EXPORT_CALL = {"name": "prepare_export_layer", "arguments": {"layer_id": "schools", "path": "schools_copy.gpkg"}}
PLAN_STEP = {"title": "Hide the hospitals", "tool": "toggle_layer", "target": "hospitals"}
HIDE_CALL = {"name": "toggle_layer", "arguments": {"layer_id": "hospitals", "visible": False}}
ASK_CALL = {"name": "ask_user", "arguments": {"question": "Which places?", "options": ["Schools", "Hospitals"]}}
FAULT_TURNS: list[dict[str, Any]] = [
    # "stop": stalls until the person stops it; the next message is answered
    {"scenario": "hang"},
    {"text": "Here again."},
    # "cancel": a step that the person cancels, while another message waits
    {"text": "", "tool_calls": [{"name": "describe_layer", "arguments": {"layer_id": "schools"}}]},
    {"text": "I did without it."},
    {"text": "And that too."},
    # "kill": stalls until the agent process is killed; the next message is answered by the new one
    {"scenario": "hang"},
    {"text": "And here again."},
]
MORE_TURNS: list[dict[str, Any]] = [
    # "plan": made, then applied
    {"text": "", "tool_calls": [{"name": "update_plan", "arguments": {"steps": [PLAN_STEP]}}]},
    {"text": "I would hide the hospitals."},
    {"text": "", "tool_calls": [HIDE_CALL]},
    {"text": "The hospitals are hidden."},
    # "question": asked, then answered by a button
    {"text": "", "tool_calls": [ASK_CALL]},
    {"text": "Here are the schools."},
    # "export": asks for a write, then says what became of it
    {"text": "", "tool_calls": [EXPORT_CALL]},
    {"text": "The schools are in schools_copy.gpkg."},
    *FAULT_TURNS,
]


def _profile(folder: Path, locale: str, theme: str) -> Path:
    profile = folder / "profiles"
    home = profile / "profiles" / "default"
    if home.exists():
        return profile
    (home / "QGIS").mkdir(parents=True)
    plugins = home / "python" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "qgis_agent").symlink_to(REPO, target_is_directory=True)
    settings = [
        "[PythonPlugins]",
        "qgis_agent=true",
        "[locale]",
        "overrideFlag=true",
        f"userLocale={locale}",
        "[UI]",
        f"UITheme={theme}",
        "[qgis]",
        "checkVersion=false",
        "showTips340=false",
        "[plugins]",
        "automatically-check-for-updates=false",
    ]
    (home / "QGIS" / "QGIS3.ini").write_text("\n".join(settings) + "\n", encoding="utf-8")
    return profile


def _project_copy(folder: Path) -> Path:
    target = folder / "project"
    if target.exists():
        return target / "city.qgz"
    target.mkdir()
    for each in (REPO / "resources" / "sample").iterdir():
        if each.suffix in (".qgz", ".gpkg", ".tif"):
            shutil.copy2(each, target / each.name)
    return target / "city.qgz"


def _qgis(folder: Path, profile: Path, project: Path, agent_env: Path, seconds: float) -> tuple[int | None, str]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    # The system's own Python must come first, or QGIS takes the standard library of another one; and nothing of the
    # environment that the tests run in may reach it.
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "PYQGIS", "QGIS", "VIRTUAL_ENV", "QT_", "XDG_"))
    }
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    temporary = folder / "tmp"  # apart from the project, or QGIS takes the project's layers for temporary ones
    temporary.mkdir(exist_ok=True)
    environment = {
        **kept,
        "TMPDIR": str(temporary),
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "LC_ALL": "C.UTF-8",
        "QT_QPA_PLATFORM": "xcb",
        "QGIS_AGENT_ENV": str(agent_env),
        "QGIS_AGENT_TEST_PLAN": str(folder / "plan.json"),
        "QGIS_AGENT_TEST_ERRORS": str(folder / "errors.txt"),
        "PYQGIS_STARTUP": str(DRIVER.with_name("startup.py")),
    }
    qgis = [
        "qgis",
        "--profiles-path",
        str(profile),
        "--nologo",
        "--noversioncheck",
        "--project",
        str(project),
        "--code",
        str(DRIVER),
    ]
    command = ["xvfb-run", "-a", "-s", f"-screen 0 {SCREEN}", *qgis]
    log = folder / "qgis.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGKILL)  # our own session: xvfb-run, Xvfb and QGIS
            process.wait()
    return code, log.read_text(encoding="utf-8", errors="replace")
