"""The plugin in the real QGIS, as a person uses it. What is seen lies in ``build/desktop/``.

QGIS runs once for each language and theme; the tests look at what the driver wrote down. Expected numbers come from the
seed's own table (12, 8 and 5 schools on 1.85, 1.02 and 2.10 km²), not from the code.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, usual_turns, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]

STOP_GOAL_S = 0.5
STOP_CEILING_S = 3 * STOP_GOAL_S
DENSITIES = {"街道A": 12 / 1.85, "街道B": 8 / 1.02, "街道C": 5 / 2.10}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """All steps, in English and QGIS's own look."""
    steps = "load offline golden answer plan question export stop cancel kill examples look shortcut reload"
    return run_qgis(tmp_path_factory.mktemp("english"), steps.split())


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The main request in Chinese and QGIS's dark look."""
    return run_qgis(
        tmp_path_factory.mktemp("chinese"),
        ["load", "golden", "answer", "plan", "question", "export", "examples", "look"],
        turns=usual_turns({"schools_per_streets": "schools_按_streets_统计"}),
        locale="zh_CN",
        theme="Night Mapping",
        prefix="zh_",
    )


@pytest.fixture(scope="module")
def dark(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """In English and QGIS's dark look, what is else seen in its own look only: for the contact sheets."""
    steps = "load offline sessions composer_names composer_commands golden answer plan question export look"
    return run_qgis(tmp_path_factory.mktemp("dark"), steps.split(), theme="Night Mapping", prefix="dark_")


def test_the_plugin_loads_and_the_dock_opens(english: Outcome) -> None:
    seen = english.step("load")
    assert english.errors == ""
    assert seen["area"] == 2, "the right dock area"
    assert seen["action_checked"] is True and seen["provider"] is True
    assert seen["status"] == "Ready · offline commands"
    assert any("schools" in each for each in seen["examples"]), "the examples are made from the project's own layers"


def test_an_offline_command_in_chinese(english: Outcome) -> None:
    seen = english.step("offline")
    assert (seen["before"], seen["after"], seen["shown_again"]) == (True, False, True)
    assert seen["hidden"]["ok"] and seen["shown"]["ok"]
    assert [line[:2] for line in seen["lines"]] == [["toggle_layer", "done"]]


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_the_golden_request_changes_the_map(language: str, request: pytest.FixtureRequest) -> None:
    seen = request.getfixturevalue(language).step("golden")
    report = seen["report"]
    assert report["ok"] and report["termination"] == "completed"
    assert [line[:2] for line in seen["lines"]] == [
        ["resolve_place", "done"],
        ["stat_by_polygon", "done"],
        ["set_render_rule", "done"],
        ["toggle_layer", "done"],
        ["zoom_to", "done"],
    ]
    assert seen["hospitals_visible"] is True and seen["graduated_visible"] == [True]
    ((_name, field, classes),) = seen["graduated"]
    assert field == "density_per_km2" and len(classes) == 3
    lowest, highest = classes[0][0], classes[-1][1]
    assert lowest == pytest.approx(min(DENSITIES.values()), rel=0.005)
    assert highest == pytest.approx(max(DENSITIES.values()), rel=0.005)
    assert len({colour for _low, _high, colour in classes}) == 3


def test_the_answer_streams_and_has_legend_numbers_and_evidence(english: Outcome) -> None:
    seen = english.step("golden")
    assert "text_delta" in seen["events"] and seen["deltas"] >= 2
    assert seen["shown_text"] == seen["report"]["answer"]
    for density in DENSITIES.values():
        assert f"{density:.2f}" in seen["shown_text"]
    sourced = {each["text"]: each["source"] for each in seen["report"]["numbers"]}
    assert sourced and all(sourced.values()), sourced
    legend = [[each["label"], each["color"]] for each in seen["report"]["legend"]]
    assert legend and seen["legend_shown"] == legend
    assert [colour for _low, _high, colour in seen["graduated"][0][2]] == [colour for _label, colour in legend]
    assert any(each["tool"] == "stat_by_polygon" for each in seen["report"]["evidence"])


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_a_step_opens_and_a_number_leads_to_its_step(language: str, request: pytest.FixtureRequest) -> None:
    seen = request.getfixturevalue(language).step("answer")
    assert "stat_by_polygon" in seen["details"] and "streets" in seen["details"]
    assert "processing.run(" in seen["copied"] and seen["closed"]
    assert any("6.49" in each for each in seen["sources"]) and len(seen["opened"]) == 1


def test_a_plan_is_shown_and_applied(english: Outcome) -> None:
    seen = english.step("plan")
    assert "→ Switching hospitals" in seen["words"], "words, not the name of the tool"
    assert seen["planned"]["ok"] and seen["applied"]["ok"]
    assert (seen["before"], seen["after"]) == (True, False), "nothing changed before the click"


def test_a_question_is_answered_by_a_button(english: Outcome) -> None:
    seen = english.step("question")
    assert seen["asked"]["termination"] == "awaiting_user" and seen["options"] == ["Schools", "Hospitals"]
    assert seen["said"] == "Schools" and seen["again"]["answer"] == "Here are the schools." and seen["off"]


def test_one_step_is_cancelled_and_a_message_waits(english: Outcome) -> None:
    seen = english.step("cancel")
    assert seen["seconds"] < STOP_CEILING_S and seen["queued"] == "and then"
    assert seen["why"] == "You cancelled this step."
    assert '"CANCELLED"' in seen["told"] and '"person"' in seen["told"], "the model is told who it was"
    assert seen["first"]["termination"] == "completed" and seen["first"]["answer"] == "I did without it."
    assert seen["second"]["answer"] == "And that too."


def test_the_shortcut_is_one_of_qgis(english: Outcome) -> None:
    seen = english.step("shortcut")
    assert seen["default"] == "Ctrl+Alt+A" and (seen["shown"], seen["hidden"]) == (True, True)
    wanted = {"QgisAgentToggle", "QgisAgentUndo", "QgisAgentSessions", "QgisAgentSettings", "QgisAgentLog"}
    assert wanted <= set(seen["menu"])


def test_a_write_needs_a_click(english: Outcome) -> None:
    seen = english.step("export")
    assert seen["armed_at_once"] is False and seen["open_after_early_click"] is True
    assert seen["file_before_click"] is False and seen["file_after_click"] is True
    assert seen["features"] == 31, "the schools of the sample project"
    shown = dict(map(tuple, seen["card"]))
    assert shown["Features"] == "31" and any("schools_copy.gpkg" in each for each in shown.values())
    assert seen["report"]["ok"] and [line[:2] for line in seen["lines"]] == [["prepare_export_layer", "done"]]


def test_stop_makes_the_dock_idle(english: Outcome) -> None:
    seen = english.step("stop")
    print(f"idle {seen['seconds']:.3f} s after Esc; goal {STOP_GOAL_S} s")
    assert seen["seconds"] < STOP_CEILING_S
    assert seen["stopped"]["termination"] == "interrupted"
    assert seen["again"]["ok"] and seen["again"]["answer"] == "Here again."
    assert seen["connection_closed"] is True, "the server sees the connection close"


def test_a_killed_agent_is_replaced(english: Outcome) -> None:
    seen = english.step("kill")
    first, second = seen["pids"]
    assert first and second and first != second
    assert seen["title"] == "The agent process ended" and "code 9" in seen["message"]
    assert seen["bubbles_kept"] == 2, "what was said before stays, the two new messages come on top"
    assert seen["again"]["ok"] and seen["again"]["answer"] == "And here again."


def test_settings_and_a_narrow_dock(english: Outcome) -> None:
    seen = english.step("look")
    assert seen["options"] == {"shown": True, "offline": True}
    assert seen["width"] <= 390


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_every_example_works_offline(language: str, request: pytest.FixtureRequest) -> None:
    answers = request.getfixturevalue(language).step("examples")["answers"]
    assert len(answers) >= 3
    for text, (ok, answer, tools) in answers.items():
        assert ok and answer and tools, (text, answer)


def test_switching_the_plugin_off_and_on(english: Outcome) -> None:
    seen = english.step("reload")
    assert seen["pid_before"] > 0
    assert seen["left"] == {"dock": False, "action": False, "provider": False, "process": False, "modules": []}
    assert seen["again"]["ok"] is True


def test_without_the_environment_the_panel_offers_to_set_it_up(tmp_path: Path) -> None:
    outcome = run_qgis(tmp_path, ["no_environment"], agent_env=tmp_path / "not-there")
    seen = outcome.step("no_environment")
    assert seen["status"].startswith("Not available")
    assert seen["report"]["ok"] is False
    assert seen["cards"] == [["The agent environment has to be set up", ["Set up the agent environment"]]]
    assert (outcome.exit_code, outcome.errors, outcome.leftover) == (0, "", [])


def test_qgis_ends_without_a_crash_or_a_leftover(english: Outcome, chinese: Outcome, dark: Outcome) -> None:
    for each in (english, chinese, dark):
        assert not [name for name, step in each.steps.items() if step.get("error")], each.steps
        assert each.exit_code == 0, each.log[-4000:]
        assert each.leftover == []
        assert each.errors == ""
        assert "Traceback" not in each.log


def test_in_chinese_and_dark(chinese: Outcome) -> None:
    loaded, seen = chinese.step("load"), chinese.step("golden")
    assert "就绪" in loaded["status"], loaded["status"]
    assert has_chinese(loaded["examples"]) and seen["report"]["ok"]
    assert has_chinese([line[2] for line in seen["lines"]])
    export = chinese.step("export")
    assert has_chinese([label for label, _value in export["card"]]) and has_chinese([export["title"]])


def has_chinese(texts: list[Any]) -> bool:
    """Whether each text has a Chinese character in it."""
    return bool(texts) and all(any("\u4e00" <= each <= "\u9fff" for each in text) for text in texts)


def test_pictures_are_there(english: Outcome, chinese: Outcome) -> None:
    english.step("look")
    chinese.step("look")
    names = {each.name for each in SHOTS.glob("*.png")}
    wanted = {
        "1_open.png",
        "4_golden.png",
        "5_write_dialog.png",
        "8_stopped.png",
        "9_killed.png",
        "a_settings.png",
        "zh_4_golden.png",
    }
    assert wanted <= names, wanted - names
