"""What other tests of the real QGIS show in its own look only, in English and its dark look: questions before a step, Undo, the
model's settings, Stop, a step cancelled, a killed agent, the page "Data and limits". What is seen lies in
``build/desktop/dark_….png`` and in the contact sheets."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import FAULT_TURNS, SHOTS, Outcome, run_qgis, why_not
from test_desktop_models import TURNS as MODELS
from test_desktop_permissions import REASON
from test_desktop_permissions import STEPS as PERMISSIONS
from test_desktop_permissions import TURNS as ASKED

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

STEPS = [*PERMISSIONS, "models", "picture", "stop", "cancel", "kill", "data_page"]
PICTURES = [
    *"p_ask p_style p_edit p_conflict p_undone p_permissions empty wrong right more picture_chip".split(),
    *"7_stalled 8_step_running 9_killed at_home limits".split(),
]


@pytest.fixture(scope="module")
def dark(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All steps, one after another."""
    folder = tmp_path_factory.mktemp("dark_more")
    turns = [*ASKED, *MODELS, *FAULT_TURNS]
    return run_qgis(folder, STEPS, theme="Night Mapping", prefix="dark_", turns=turns, more={"reason": REASON})


@pytest.mark.parametrize("step", STEPS)
def test_a_step_in_the_dark_look(dark: Outcome, step: str) -> None:
    assert dark.step(step) is not None


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_in_the_dark_look(dark: Outcome, name: str) -> None:
    assert dark.steps and (SHOTS / f"dark_{name}.png").stat().st_size > 3_000
