"""Grades what an agent wrote for a task of ../shared/data/tasks, by the checks, weights and tolerances of its task.json."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import task_checks
import task_checks_json
from task_data import Unreadable

REPO = Path(__file__).resolve().parents[2]
TASKS = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared")) / "data" / "tasks"
CHECKS = {**task_checks.CHECKS, **task_checks_json.CHECKS}


@dataclass(frozen=True)
class Grade:
    """Score 0 to 1, the checks that failed, and why the gate was not met ("" when it was)."""

    score: float
    failed: tuple[str, ...]
    gate: str = ""


def task_ids() -> list[str]:
    """The tasks that are there."""
    return sorted(each.parent.name for each in TASKS.glob("*/task.json"))


def load(task_id: str) -> dict[str, Any]:
    """A task.json."""
    task: dict[str, Any] = json.loads((TASKS / task_id / "task.json").read_text(encoding="utf-8"))
    return task


def expected_folder(task_id: str) -> Path:
    """Where a task's expected files lie."""
    return TASKS / task_id / "expected"


def grade(task_id: str, folder: Path) -> Grade:
    """The grade of the files in a folder. Raises KeyError when a check of the task is not known here."""
    task = load(task_id)
    weights = {each["name"]: float(each["weight"]) for each in task["checks"]}
    try:
        passed = CHECKS[task_id](task, TASKS / task_id, folder / task["expected_outputs"][0]["name"])
    except Unreadable as error:
        return Grade(0.0, tuple(weights), str(error))
    if set(passed) != set(weights):
        raise KeyError(f"{task_id}: other checks than its task.json: {sorted(set(passed) ^ set(weights))}")
    score = sum(weight for name, weight in weights.items() if passed[name]) / sum(weights.values())
    return Grade(score, tuple(name for name in weights if not passed[name]))
