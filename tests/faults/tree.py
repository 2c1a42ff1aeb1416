"""Copies of the tree in which faults are tried, and the test runs in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from faults import Fault

REPO = Path(__file__).resolve().parents[2]
PARTS = (
    "qgis_agent",
    "resources",
    "tests/unit",
    "tests/support",
    "tests/conftest.py",
    "metadata.txt",
    "pyproject.toml",
)
RUN_S = 90.0
FAILED = 1
"""pytest's status when tests ran and some failed. Any other (nothing collected, a module that cannot be imported) is none."""


class Tree:
    """One copy of what the unit tests need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            source, target = REPO / part, folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                # With the compiled files: copytree keeps the times by which Python knows that they are fresh.
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target)

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """The fault is in the copy meanwhile. ValueError when its text does not stand there exactly once."""
        path = self.folder / fault.file
        sound = path.read_text(encoding="utf-8")
        times = path.stat()
        found = sound.count(fault.before)
        if found != 1:
            raise ValueError(f"{fault.name}: its text stands {found} times in {fault.file}, not once")
        path.write_text(sound.replace(fault.before, fault.after), encoding="utf-8")
        # Another time than the sound file's, also within the same second: or Python would take the compiled sound one.
        os.utime(path, (times.st_atime, times.st_mtime + 100))
        try:
            yield
        finally:
            path.write_text(sound, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def pytest(self, tests: Sequence[str]) -> tuple[int, str]:
        """Run tests (node ids) until the first failure: the status and the end of what pytest said."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
        environment["CI"] = "1"  # hypothesis draws the same each time
        environment.setdefault("QGIS_AGENT_SHARED", str(REPO.parent / "shared"))
        environment.setdefault("QGIS_AGENT_TEST_AGENT_PYTHON", str(REPO / ".agent-env" / "bin" / "python"))
        command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", *tests]
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=RUN_S, check=False
            )
        except subprocess.TimeoutExpired:
            return -1, f"no end within {RUN_S:.0f} s"
        return done.returncode, (done.stdout + done.stderr)[-3000:]
