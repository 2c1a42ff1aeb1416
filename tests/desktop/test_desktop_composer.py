"""The composer in the real QGIS: names by "@", a dropped layer, commands, the last message changed and sent again with the
map put back. What is seen lies in ``build/desktop/composer_….png``, also in Chinese and QGIS's dark look."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

STEPS = ["load", "composer_names", "composer_resend", "composer_commands", "picture_refused"]


@pytest.fixture(scope="module", params=["en", "zh_CN"])
def seen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All steps, in English and QGIS's own look, and in Chinese and the dark one."""
    folder = tmp_path_factory.mktemp("composer_" + request.param)
    if request.param == "en":
        return run_qgis(folder, STEPS)
    return run_qgis(folder, STEPS, locale="zh_CN", theme="Night Mapping", prefix="zh_")


def test_names_become_chips(seen: Outcome) -> None:
    step = seen.step("composer_names")
    assert "schools" in step["first"] and step["narrowed"][0] == "schools"
    assert step["chosen"] == "Buffer @schools "
    assert step["chips"][0] == "schools" and "hospitals" in step["chips"]
    assert any("streets (2)" in each for each in step["chips"])
    assert step["copied"] is True and "@hospitals" in step["text"] and "@selection" in step["text"]


def test_the_last_message_is_sent_again_and_the_map_goes_back(seen: Outcome) -> None:
    step = seen.step("composer_resend")
    assert step["first"]["ok"] and step["second"]["ok"]
    assert step["made"] == 1 and step["editing"] is True and step["text"] == "Buffer @schools 500 m"
    made = [each for each in step["names"] if "500" in each or "300" in each]
    assert len(made) == 1 and "300" in made[0], "the first buffer was put back before the second was made"


def test_commands(seen: Outcome) -> None:
    step = seen.step("composer_commands")
    assert step["listed"][0] == "/new" and step["listed"][-1] == "/help" and "/compact" in step["listed"]
    assert (step["plan"], step["back"]) == ("gis-plan", "gis-build")
    assert "/redo" in step["note"] and step["left"] == ""


def test_a_picture_that_nobody_sees_is_not_attached(seen: Outcome) -> None:
    step = seen.step("picture_refused")
    assert step["chips"] == [] and step["note"]
