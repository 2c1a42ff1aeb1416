"""What one run shows of its steps and its end: each message in one place, and no flood of lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtCore import QPoint
from qgis.PyQt.QtGui import QColor, QImage, QRegion
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QTextEdit, QWidget

from qgis_agent.gis.progress import action_texts, done_texts, pack_texts, progress_texts, step_label
from qgis_agent.gui.cards.error_card import ErrorCard, NoticeLine
from qgis_agent.gui.dock.run_view import RunView

ROOT = Path(__file__).resolve().parents[2]
NO_FIELD = "The layer 'schools' has no field 'headcount'."
VALID = "Valid field: 'fid', 'name'."
CEILING = "The ceiling of this run is reached; the call was not run."


@pytest.fixture
def run(qtbot: Any) -> RunView:
    made = RunView()
    qtbot.addWidget(made)
    made.resize(380, 600)
    made.show()
    return made


def say(run: RunView, kind: str, /, **parts: Any) -> None:
    run.handle(dict(parts, type=kind))


def call(run: RunView, ident: str, code: str = "", message: str = "", tool: str = "count_features", **args: Any) -> Any:
    """One call from its beginning to its end; returns its line."""
    say(run, "tool_started", call_id=ident, tool=tool, label=tool, arguments=args)
    say(run, "tool_finished", call_id=ident, tool=tool, ok=not code, code=code, message=message, ms=3)
    return run.lines()[-1]


def end(run: RunView, **parts: Any) -> None:
    report = {"ok": True, "termination": "completed", "answer": "", "legend": [], "evidence": [], "numbers": []}
    report.update({"steps": [], "question": None, "error": None}, **parts)
    run.finish(report, [("Retry", lambda: None), ("Settings", lambda: None)])
    QTest.qWait(5)


def words(run: RunView) -> list[str]:
    """All texts that a person sees, by paragraph widget."""
    QTest.qWait(5)
    return [each.toPlainText() for each in run.findChildren(QTextEdit) if each.isVisible() and each.toPlainText()]


def failed(message: str = NO_FIELD, hint: str = VALID, code: str = "INVALID_PARAM") -> dict[str, Any]:
    return {"ok": False, "termination": "failed", "error": {"code": code, "message": message, "hint": hint}}


# one place for each message


def test_a_failure_is_told_once(run: RunView) -> None:
    call(run, "1", "INVALID_PARAM", NO_FIELD, layer_id="schools")
    question = {
        "text": f"{NO_FIELD} Choose one, or say it in other words:",
        "options": [{"label": "pupils", "send": "colour schools by pupils"}],
    }
    end(run, **failed(), answer=f"That did not work. {NO_FIELD} {VALID}", question=question)
    shown = words(run)
    assert sum(NO_FIELD in each for each in shown) == 1, shown
    assert sum(VALID in each for each in shown) == 1, shown
    assert "Choose one, or say it in other words:" in shown
    assert run.error is None and [each.sentence() for each in run.question.buttons] == ["pupils"]


def test_the_question_alone_says_it_and_the_hint_is_kept(run: RunView) -> None:
    call(run, "1", "INVALID_PARAM", NO_FIELD)
    end(run, **failed(), question={"text": f"{NO_FIELD} Choose one:", "options": []})
    shown = words(run)
    assert sum(NO_FIELD in each for each in shown) == 1 and run.error is None
    assert [each.text() for each in run.findChildren(NoticeLine)] == [VALID]


def test_an_error_that_nobody_says_has_its_card_above_the_buttons(run: RunView) -> None:
    end(run, **failed("The model broke off."), answer="Half of it", question={"text": "Which?", "options": []})
    assert isinstance(run.error, ErrorCard) and len(run.error.buttons) == 2
    assert run.error.geometry().bottom() < run.question.geometry().top()


def test_an_error_card_is_shown_for_a_failed_step_and_the_step_need_not_say_it_too(run: RunView) -> None:
    line = call(run, "1", "NOT_FOUND", "There is no layer 'x'.")
    other = call(run, "2", "NOT_FOUND", "There is no layer 'y'.")
    assert line.why() == "There is no layer 'x'."
    end(run, **failed("There is no layer 'x'."))
    assert run.error.message == "There is no layer 'x'."
    assert (line.why(), other.why()) == ("", "There is no layer 'y'.")


# attempts that were taken back


def test_a_retry_leaves_only_its_notice(run: RunView) -> None:
    for seconds in (1, 2):
        say(run, "text_delta", text="I have hidden the")
        say(run, "text_reset")
        say(run, "notice", level="warning", text=f"Trying again in {seconds} s.")
    say(run, "text_delta", text="There are 31.")
    assert words(run) == ["Trying again in 1 s.", "Trying again in 2 s.", "There are 31."]
    say(run, "text_reset")
    end(run, answer="31 schools.")
    assert words(run) == ["Trying again in 1 s.", "Trying again in 2 s.", "31 schools."]


def test_text_before_calls_stays_as_a_remark_above_them(run: RunView) -> None:
    say(run, "turn_started", turn=1)
    say(run, "text_delta", text="Let me look.")
    say(run, "text_reset")
    line = call(run, "1", layer_id="schools")
    end(run, answer="Done.")
    assert words(run) == ["Let me look.", "Done."]
    remark = next(each for each in run.findChildren(QTextEdit) if each.toPlainText() == "Let me look.")
    assert remark.geometry().bottom() < line.geometry().top()


def test_text_of_the_same_turn_tried_again_is_gone(run: RunView) -> None:
    for turn in (1, 2):
        say(run, "turn_started", turn=turn)
        say(run, "text_delta", text="Let me look.")
        say(run, "text_reset")
    end(run, **failed("The calls could not be read."))
    assert "Let me look." not in words(run)


# many failures


def visible(lines: list[Any]) -> int:
    QTest.qWait(5)
    return sum(each.isVisible() for each in lines)


def test_calls_over_the_ceiling_become_one_line(run: RunView) -> None:
    for number in range(4):
        call(run, f"a{number}", tool="toggle_layer", layer_id="schools", visible=False)
    for number in range(17):
        call(run, f"b{number}", "FORBIDDEN", CEILING, "toggle_layer")
    assert [each.text() for each in run.steps.folds()] == ["16 more steps were not run"]
    assert visible(run.lines()) == 5 and words(run) == [CEILING]
    run.steps.folds()[0].button.click()
    assert visible(run.lines()) == 21, "a press shows them"
    run.steps.folds()[0].button.click()
    assert visible(run.lines()) == 5


def test_failures_of_one_kind_are_folded_from_the_fourth_on(run: RunView) -> None:
    for number in range(3):
        call(run, str(number), "NOT_FOUND", f"There is no layer {number}.")
    assert run.steps.folds() == [] and visible(run.lines()) == 3
    for number in range(3, 5):
        call(run, str(number), "NOT_FOUND", f"There is no layer {number}.")
    assert [each.text() for each in run.steps.folds()] == ["4 more steps failed"]
    assert visible(run.lines()) == 1


def test_other_lines_between_them_keep_failures_apart(run: RunView) -> None:
    for number in range(6):
        call(run, f"f{number}", "NOT_FOUND", "There is no such layer.")
        call(run, f"d{number}", layer_id="schools")
    for number, code in enumerate(("NOT_FOUND", "INVALID_PARAM") * 3):
        call(run, f"m{number}", code, "no")
    assert run.steps.folds() == [] and visible(run.lines()) == 18


def test_groups_that_meet_become_one(run: RunView) -> None:
    for number in range(9):
        say(run, "tool_started", call_id=str(number), tool="x", label="x", arguments={})
    for number in (0, 1, 2, 3, 5, 6, 7, 8, 4):
        say(run, "tool_finished", call_id=str(number), tool="x", ok=False, code="FORBIDDEN", message=CEILING, ms=0)
    assert [each.text() for each in run.steps.folds()] == ["8 more steps were not run"]
    assert visible(run.lines()) == 1


# words of steps


@pytest.mark.parametrize(("shown", "expected"), [(True, "schools: switched on"), (False, "schools: switched off")])
def test_a_finished_step_says_what_it_did(run: RunView, shown: bool, expected: str) -> None:
    say(
        run,
        "tool_started",
        call_id="1",
        tool="toggle_layer",
        label="x",
        arguments={"layer_id": "schools", "visible": shown},
    )
    assert run.lines()[0].label() == "Switching schools"
    say(run, "tool_finished", call_id="1", tool="toggle_layer", ok=True, code="", message="", ms=1)
    assert run.lines()[0].label() == expected
    assert run.lines()[0].accessibleName().startswith(expected + ", done")


def test_a_failed_step_does_not_say_that_it_was_done(run: RunView) -> None:
    line = call(run, "1", "NOT_FOUND", "no", "toggle_layer", layer_id="schools", visible=False)
    assert line.label() == "Switching schools"


def test_a_call_that_was_refused_unread_is_not_shown_by_its_technical_name(run: RunView) -> None:
    assert call(run, "1", "FORBIDDEN", CEILING, "toggle_layer").label() == "Switching …"
    assert call(run, "2", "FORBIDDEN", CEILING, "unknown_tool").label() == "unknown_tool"


def test_every_tool_has_words_for_its_end_and_every_effect_a_question() -> None:
    assert {each.split()[0] for each in done_texts()} == set(progress_texts())
    assert {each.split()[0] for each in action_texts()} <= set(progress_texts())


def test_a_pack_is_told_by_what_it_is_for() -> None:
    catalogue = json.loads((ROOT / "resources" / "tools.schema.json").read_text("utf-8"))
    assert set(pack_texts()) == set(catalogue["packs"])
    event = {"tool": "request_tool_pack", "label": "x", "arguments": {"pack": "write"}}
    assert step_label(event) == "Getting the tools for writing files and changing data"
    event["arguments"] = {"pack": "n\u202eew"}
    assert step_label(event) == "Getting the tools for new"


def test_progress_stands_under_the_running_line_only(run: RunView) -> None:
    say(run, "tool_started", call_id="1", tool="buffer_layer", label="x", arguments={"layer_id": "schools"})
    say(run, "tool_progress", call_id="1", tool="buffer_layer", text="12 of\n40 features")
    say(run, "tool_progress", call_id="unknown", tool="buffer_layer", text="nothing")
    assert words(run) == ["12 of 40 features"]
    say(run, "tool_finished", call_id="1", tool="buffer_layer", ok=True, code="", message="", ms=9)
    say(run, "tool_progress", call_id="1", tool="buffer_layer", text="late")
    assert words(run) == []


def test_events_that_are_not_for_the_dock_show_nothing(run: RunView) -> None:
    for kind, parts in (
        ("usage", {"turn": 1, "input_tokens": 5}),
        ("compaction", {"kind": "summary", "before": 9, "after": 3}),
        ("options", {"text": "Which?", "options": [{"label": "a", "send": "a"}]}),
        ("termination", {"kind": "completed", "reason": ""}),
    ):
        say(run, kind, **parts)
    assert words(run) == [] and run.question is None and run.lines() == []


# the buttons of an error card


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("width", [230, 330, 392])
def test_the_buttons_of_an_error_card_are_whole(qtbot: Any, width: int, scale: float) -> None:
    before = QApplication.font()
    font = QApplication.font()
    font.setPointSizeF(font.pointSizeF() * scale)
    QApplication.setFont(font)
    try:
        run = RunView()
        qtbot.addWidget(run)
        run.resize(width, 1000)
        run.show()
        end(run, **failed("The model's answer broke off before its end.", "Try again, or choose another model."))
        assert run.minimumSizeHint().width() <= width, "buttons must not make the panel wider"
        first, second = (each.geometry() for each in run.error.buttons)
        assert not first.intersects(second)
        for button in run.error.buttons:
            assert button.height() >= button.sizeHint().height()
            assert button.fontMetrics().height() + 8 <= button.height()
            assert button.fontMetrics().horizontalAdvance(button.text()) + 16 <= button.width()
            assert button.mapTo(run, QPoint(button.width(), 0)).x() <= width
            assert not drawn_edges(button), (
                "on a screen of scale 1.04 an edge that is drawn in the last row may be cut off"
            )
    finally:
        QApplication.setFont(before)


def drawn_edges(button: QWidget) -> list[str]:
    """Which of the outermost rows of pixels are drawn on, in a picture of the button alone."""
    ground = QColor("#ff00ff")
    image = QImage(button.size(), QImage.Format.Format_RGB32)
    image.fill(ground)
    button.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    rows = {"first": 0, "last": image.height() - 1}
    return [name for name, y in rows.items() if any(image.pixelColor(x, y) != ground for x in range(image.width()))]
