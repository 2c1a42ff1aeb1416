"""The grader of the tasks: full score for what is expected, and for each wrong variant the score that its task states."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from task_grader import CHECKS, TASKS, expected_folder, grade, load, task_ids
from task_variants import VARIANTS

pytestmark = pytest.mark.skipif(not TASKS.is_dir(), reason=f"no tasks in {TASKS}")
STATED = [(task_id, each["name"], each["score"]) for task_id in task_ids() for each in load(task_id)["wrong_variants"]]


def test_every_task_has_its_checks() -> None:
    """Ten tasks, and a function of checks for each."""
    assert set(task_ids()) == set(CHECKS) == set(VARIANTS)
    assert len(CHECKS) == 10


@pytest.mark.parametrize("task_id", task_ids())
def test_what_is_expected_scores_one(task_id: str) -> None:
    """The expected file itself."""
    found = grade(task_id, expected_folder(task_id))
    assert (found.score, found.failed, found.gate) == (1.0, (), "")


@pytest.mark.parametrize("task_id", task_ids())
def test_nothing_written_scores_nothing(task_id: str, tmp_path: Path) -> None:
    """An empty folder, and a file that is no such file, do not meet the gate."""
    assert grade(task_id, tmp_path).score == 0
    name = load(task_id)["expected_outputs"][0]["name"]
    (tmp_path / name).write_text("no such file", encoding="utf-8")
    found = grade(task_id, tmp_path)
    assert found.score == 0
    assert found.gate


@pytest.mark.parametrize(("task_id", "name", "score"), STATED, ids=[f"{task}-{name}" for task, name, _ in STATED])
def test_wrong_variant_scores_as_stated(task_id: str, name: str, score: float, tmp_path: Path) -> None:
    """Three typical wrong answers of each task."""
    VARIANTS[task_id][name](TASKS / task_id, tmp_path)
    found = grade(task_id, tmp_path)
    assert found.score == pytest.approx(score, abs=6e-4), (found.failed, found.gate)


@pytest.mark.parametrize("task_id", task_ids())
def test_another_name_is_no_answer(task_id: str, tmp_path: Path) -> None:
    """An expected file under a wrong name is not taken for the answer."""
    for each in expected_folder(task_id).iterdir():
        shutil.copyfile(each, tmp_path / f"other_{each.name}")
    assert grade(task_id, tmp_path).score == 0
