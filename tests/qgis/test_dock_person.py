"""What the dock says is meant for the person: no words for a model, nothing twice, and "undo" is the panel's own command."""

from __future__ import annotations

from typing import Any

import pytest

from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.composer.bars import NoteLine
from qgis_agent.gui.composer.commands import meant_command
from qgis_agent.gui.dock.conversation import Conversation
from qgis_agent.gui.dock.footer import LegendView
from qgis_agent.gui.dock.number_sources import number_sources
from qgis_agent.gui.dock.run_view import RunView
from qgis_agent.gui.dock.said import for_person
from qgis_agent.gui.surfaces import ElidedLabel
from qgis_agent.gui.text_view import TextView
from qgis_agent.gui.theme import tones


@pytest.fixture
def run(qtbot: Any) -> RunView:
    made = RunView()
    qtbot.addWidget(made)
    made.show()
    return made


def end(run: RunView, answer: str, error: dict[str, Any], question: dict[str, Any] | None = None) -> None:
    report = {"ok": False, "termination": "failed", "answer": answer, "error": error, "question": question}
    run.finish({"legend": [], "evidence": [], "numbers": [], "steps": [], **report}, [("Settings", lambda: None)])


@pytest.mark.parametrize(
    ("hint", "left"),
    [
        ("Try the full name, or see the names with list_values. schools is filtered.", "schools is filtered."),
        ("相近的名称：云溪区。请让用户从 data.options 中选择。 有过滤器。", "相近的名称：云溪区。有过滤器。"),
        ("Did you mean 'bus_stops'?", "Did you mean 'bus_stops'?"),
        ("Did you mean 'my_data.gpkg'? Write /a_b/c.csv.", "Did you mean 'my_data.gpkg'? Write /a_b/c.csv."),
        ("", ""),
    ],
)
def test_a_hint_for_a_model_is_not_for_a_person(hint: str, left: str) -> None:
    assert for_person(hint) == left


def test_a_refusal_of_the_offline_commands_is_said_once(run: RunView) -> None:
    error = {"message": "The commands do not understand this.", "hint": "Choose a model.", "reason": "not_understood"}
    end(run, "I did not understand “x”.", error)
    assert run.error is not None and run.error.message == "" and run.error.accessibleDescription() == "Choose a model."
    assert [each.text() for each in run.error.buttons] == ["Settings"]


def test_another_error_beside_an_answer_keeps_its_message(run: RunView) -> None:
    end(run, "Half of it", {"message": "The model broke off.", "hint": "", "reason": "stream"})
    assert run.error is not None and run.error.message == "The model broke off."


def test_no_hint_beside_what_can_be_chosen(run: RunView) -> None:
    error = {"message": "There is no field 'pupills'.", "hint": "Did you mean 'pupils'?", "reason": "field"}
    options = [{"label": "pupils", "send": "colour schools by pupils"}]
    end(run, "", error, {"text": "There is no field 'pupills'. Choose one:", "options": options})
    assert run.findChildren(NoticeLine) == [] and run.question is not None


def test_a_step_that_the_person_cancelled_says_so_to_that_person(run: RunView) -> None:
    call = {"call_id": "1", "tool": "count_features", "label": "x", "arguments": {"layer_id": "schools"}}
    run.handle({"type": "tool_started", **call})
    told = {"ok": False, "code": "CANCELLED", "message": "The person cancelled this step.", "ms": 3}
    run.handle({"type": "tool_finished", "call_id": "1", "tool": "count_features", **told})
    assert run.lines()[0].why() == "You cancelled this step."


@pytest.mark.parametrize(
    ("label", "title", "headings"),
    [
        ("schools buffer 500 m", "", []),
        ("schools buffer 500 m", "Reach", ["Reach · schools_buffer_500_m"]),
        ("0 – 5", "", ["schools_buffer_500_m"]),
    ],
)
def test_a_legend_says_the_name_of_a_layer_once(qtbot: Any, label: str, title: str, headings: list[str]) -> None:
    view = LegendView([{"label": label, "color": "#ff0000", "title": title, "layer_id": "schools_buffer_500_m"}])
    qtbot.addWidget(view)
    bold = [each.accessibleName() or each.text() for each in view.findChildren(ElidedLabel) if each.font().bold()]
    assert bold == headings


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("data.rows[0].density_per_km2", "density_per_km2, row 1"),
        ("data.rows[2].面积_平方米", "面积_平方米, row 3"),
        ("data.total_count", "total_count"),
        ("data.a[0].b[1]", "a[0].b[1]"),
    ],
)
def test_a_source_is_told_without_the_syntax_of_a_program(path: str, words: str) -> None:
    numbers = [{"text": "7", "value": 7.0, "source": {"step": 2, "tool": "stat_by_polygon", "path": path}}]
    (found,) = number_sources({"numbers": numbers}, lambda _step, _tool: "Counted")
    assert found.words == f"7: step 2, Counted ({words})"


@pytest.mark.parametrize("text", ["undo", "Undo!", "please undo that", "撤销", "撤销。", "撤回上一步"])
def test_undo_in_plain_words_is_the_command(text: str) -> None:
    assert meant_command(text) == "undo"


@pytest.mark.parametrize(
    "text", ["undo the filter of schools", "show undo", "撤销学校的筛选", "", "/undo", "hide schools"]
)
def test_other_words_are_messages(text: str) -> None:
    assert meant_command(text) is None


def test_a_command_is_not_parted_from_its_slash(qtbot: Any) -> None:
    line = NoteLine()
    qtbot.addWidget(line)
    line.say("There are /new, /undo.")
    assert line.text() == "There are /new, /undo." and "/\u2060new, /\u2060undo" in line._label.text()


def test_what_a_notice_says_whole_the_card_need_not_repeat(run: RunView) -> None:
    fallback = "The server refused it. The offline commands answer instead. Check the model's name."
    run.handle({"type": "notice", "level": "warning", "text": "The server is busy. Trying again in 1 s."})
    run.handle({"type": "notice", "level": "warning", "text": fallback})
    end(run, "", {"message": "The server refused it.", "hint": "Check the model's name.", "reason": "config"})
    assert run.error is not None and (run.error.message, run.error.accessibleDescription()) == ("", "")
    assert len(run.error.buttons) == 1


def test_a_notice_of_an_attempt_does_not_take_the_cards_words(run: RunView) -> None:
    run.handle({"type": "notice", "level": "warning", "text": "The server is busy. Trying again in 1 s."})
    end(run, "", {"message": "The server is busy.", "hint": "Wait a moment.", "reason": "transient"})
    assert run.error is not None and run.error.message == "The server is busy."


@pytest.mark.parametrize(("text", "found"), [("About 42 % of all.", 1), ("About 42% of all.", 1), ("142 % or 42 x", 0)])
def test_a_percentage_is_marked_with_and_without_a_blank(qtbot: Any, text: str, found: int) -> None:
    view = TextView()
    qtbot.addWidget(view)
    view.set_markdown(text)
    assert view.mark(["42%"], "not from a tool result") == found


def test_the_place_of_the_scroll_bar_looks_like_the_page(qtbot: Any) -> None:
    made = Conversation()
    qtbot.addWidget(made)
    made.resize(380, 300)
    made.show_examples(["How many schools are there?"])
    made.show()
    qtbot.waitExposed(made)
    picture = made.grab().toImage()
    assert not made.verticalScrollBar().isVisible()
    assert picture.pixelColor(376, 290) == picture.pixelColor(100, 290) == tones().surface


def test_a_question_about_an_error_stands_for_its_card_in_whatever_language(run: RunView) -> None:
    options = [{"label": "pupils", "send": "colour schools by pupils"}]
    error = {"message": "图层“schools”没有字段“pupills”。", "hint": "", "reason": "field", "data": {"options": options}}
    end(
        run,
        "There is no field “pupills”.",
        error,
        {"text": "Choose one, or say it in other words:", "options": options},
    )
    assert run.error is None and [each.sentence() for each in run.question.buttons] == ["pupils"]
