"""Around the panel in the real QGIS: earlier conversations, plan mode, locator, layer menu, message bar, unload. What is seen
lies in ``build/desktop/a_s_….png``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

STEPS = ["load", "sessions", "modes", "compact", "elsewhere", "unload_twice"]
TURNS: list[dict[str, Any]] = [{"text": "Something."}]


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_qgis(tmp_path_factory.mktemp("around"), STEPS, prefix="a_", turns=TURNS)


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """In Chinese and QGIS's dark look."""
    folder = tmp_path_factory.mktemp("around_zh")
    return run_qgis(folder, STEPS[:-1], locale="zh_CN", theme="Night Mapping", prefix="a_zh_", turns=TURNS)


def test_conversations_are_found_gone_on_with_renamed_and_deleted(light: Outcome) -> None:
    seen = light.step("sessions")
    assert seen["before"] == ["zoom to streets", "How many schools are there?"]
    assert seen["found"] == ["How many schools are there?"]
    assert seen["resumed"] == seen["first"] != seen["second"]
    assert seen["said"] == ["How many schools are there?", "and hospitals?"], "the message is in the first one's file"
    assert seen["renamed"] == ["Public places", "zoom to streets"]
    assert seen["kept"] == 2 and seen["left"] == [seen["first"]]
    assert seen["hidden"]


def test_modes_models_and_what_was_used(light: Outcome) -> None:
    seen = light.step("modes")
    assert seen["planning"] == ["Plan only. Nothing changes until you apply the plan.", "gis-plan", True]
    assert seen["working"] == ["", "gis-build", False]
    assert seen["unseen"], "nothing has been counted before a model answered"
    assert seen["usage"][0].startswith("Context used: ") and "unknown" not in seen["usage"][0]
    assert seen["usage"][-1] == "Cost: unknown", "a model of one's own machine has no price, which is not nothing"
    assert seen["menus"][0][-1] == "Model settings…" and seen["menus"][1] == seen["usage"]


def test_a_conversation_is_made_smaller(light: Outcome) -> None:
    seen = light.step("compact")
    assert seen["more"] and seen["words"].startswith("There is nothing worth summarising"), "it has some sentences only"


def test_locator_layer_menu_and_message_bar(light: Outcome) -> None:
    seen = light.step("elsewhere")
    assert seen["filters"] == ["ask"]
    assert "Ask about this layer…" in seen["words"] and "schools" in seen["typed"]
    assert seen["told"].startswith("The agent has finished.") and "31" in seen["told"]
    assert seen["asked"] == "zoom to streets" and seen["report"]["ok"]


def test_unloading_twice_leaves_nothing(light: Outcome) -> None:
    seen = light.step("unload_twice")
    for left in seen["left"]:
        assert left == {"named": [], "layer_menu": [], "plugins": [], "tool_bars": [], "filters": 0}
    assert seen["there"]["filters"] == 1 and len(seen["there"]["layer_menu"]) == 1 and seen["there"]["tool_bars"]
    assert seen["again"]["ok"]
    assert light.errors == "" and light.leftover == []


def test_the_same_in_zh_and_dark(chinese: Outcome) -> None:
    for name in STEPS[:-1]:
        chinese.step(name)
    assert chinese.errors == ""
    assert (SHOTS / "a_zh_s_list.png").exists()
