"""The model's settings in the real QGIS, at 1280 x 720: provider, Test button, OK. What is seen lies in ``build/desktop/m_….png``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

TURNS: list[dict[str, Any]] = [
    {"text": "one, two, three, four"},
    {"tool_calls": [{"name": "report_number", "arguments": {"number": 42}}]},
    {"text": "maple-4172"},
    {"text": "Orange."},
    {"text": "It is blue."},
]


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_qgis(tmp_path_factory.mktemp("models"), ["load", "models", "picture"], prefix="m_", turns=TURNS)


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """In Chinese and QGIS's dark look."""
    folder = tmp_path_factory.mktemp("models_zh")
    return run_qgis(
        folder, ["load", "models", "picture"], locale="zh_CN", theme="Night Mapping", prefix="m_zh_", turns=TURNS
    )


def test_a_model_is_chosen_tested_and_used(light: Outcome) -> None:
    seen = light.step("models")
    assert seen["filled"] == "http://localhost:8000/v1"
    assert seen["wrong"][0] == "The agent cannot work with these settings yet."
    assert seen["wrong"][3].startswith("Model (does not work): The server does not know a model of this name.")
    assert seen["right"][0] == "All that the agent needs works."
    assert [each.split(":")[0] for each in seen["right"][1:]] == [
        "Address (works)",
        "API key (works)",
        "Model (works)",
        "Streaming (works)",
        "Tool calls (works)",
        "Context size (works)",
        "Pictures (works)",
    ]
    assert seen["fits"] and "script" not in seen["before"] and "script" in seen["status"]
    assert light.exit_code == 0 and light.leftover == []
    for name in ("empty", "wrong", "right", "more"):
        assert (SHOTS / f"m_{name}.png").stat().st_size > 20_000


def test_a_picture_is_pasted_and_seen(light: Outcome) -> None:
    seen = light.step("picture")
    assert len(seen["chips"]) == 1 and "640 × 400" in seen["chips"][0] and seen["left"] == 0
    assert seen["report"]["answer"] == "It is blue." and seen["kinds"] == ["text", "image_url"]
    assert (SHOTS / "m_picture_chip_dock.png").stat().st_size > 5_000


def test_the_same_in_chinese_and_dark(chinese: Outcome) -> None:
    seen = chinese.step("models")
    assert chinese.step("picture")["kinds"] == ["text", "image_url"]
    assert len(seen["right"]) == 8 and seen["fits"] and "script" in seen["status"]
    assert (SHOTS / "m_zh_right.png").stat().st_size > 20_000
