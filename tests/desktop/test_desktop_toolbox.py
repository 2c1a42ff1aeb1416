"""Our algorithms in Processing's own dialog, in the real QGIS with the panel. What is seen lies in ``build/desktop/t_….png``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

STEPS = ["load", "toolbox", "toolbox_batch", "toolbox_cancel", "toolbox_busy"]
TURNS: list[dict[str, Any]] = [{"scenario": "hang"}, {"scenario": "hang"}]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_qgis(tmp_path_factory.mktemp("toolbox"), STEPS, prefix="t_", turns=TURNS)


def test_a_request_from_the_toolbox_can_be_undone_in_the_panel(seen: Outcome) -> None:
    step = seen.step("toolbox")
    assert "31 features" in step["results"]["ANSWER"] and len(step["results"]["LAYERS"]) == 1
    assert "Buffering schools" in step["log"]
    assert step["made"] == ["schools buffer 300 m"] and step["can_undo"]


def test_a_batch_goes_on_after_a_request_that_fails(seen: Outcome) -> None:
    log = seen.step("toolbox_batch")["log"]
    assert "schools: 31 features" in log and "hospitals: 9 features" in log
    assert "unicorns" in log and "Traceback" not in log


def test_cancel_in_the_dialog_ends_a_silent_model(seen: Outcome) -> None:
    step = seen.step("toolbox_cancel")
    assert step["enabled"] and step["seconds"] < 1.5, "the goal is half a second: a ceiling at three times"
    assert "Stopped." in step["log"] and step["again"]


def test_the_dialog_waits_for_the_panel(seen: Outcome) -> None:
    step = seen.step("toolbox_busy")
    assert "another request" in step["log"] and step["running"]


def test_qgis_ends_well_and_leaves_no_process(seen: Outcome) -> None:
    assert seen.exit_code == 0 and seen.leftover == [] and "Traceback" not in seen.errors, seen.log[-3000:]
