"""The plugin's widgets on PyQt6, in an environment of their own (.qt6-env) without a QGIS: see tests/support/qt6."""

from __future__ import annotations

import functools
import json
import os
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
PYTHON = REPO / ".qt6-env" / "bin" / "python"
CHECKS = [
    "names",
    "gone",
    "modules",
    "dock_answer",
    "dock_error_question_plan",
    "dock_keys",
    "approval",
    "theme",
    "permission_parts",
]


@functools.lru_cache(maxsize=1)
def outcome() -> dict[str, str]:
    """What failed in each check; nothing where all was well. One run for all of them."""
    if not PYTHON.exists():
        pytest.skip("PyQt6 is not here: bash scripts/setup_qt6.sh makes .qt6-env")
    program = REPO / "tests" / "support" / "qt6" / "on_qt6.py"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([str(PYTHON), str(program)], capture_output=True, text=True, timeout=100, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["qt"].startswith("6.")
    return {name.replace("check_", "", 1): failure for name, failure in told["checks"].items()}


@pytest.mark.parametrize("name", CHECKS)
def test_on_qt6(name: str) -> None:
    failure = outcome()[name]
    assert failure == "", failure


def test_every_check_is_asked_for() -> None:
    assert sorted(outcome()) == sorted(CHECKS)
