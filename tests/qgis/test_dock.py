"""The dock with a controller that the test moves: what a person types, sees and can press."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtCore import QCoreApplication, QPoint, Qt
from qgis.PyQt.QtGui import QInputMethodEvent, QTextCharFormat
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QAbstractButton, QMainWindow, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import GOLDEN_ANSWER, GOLDEN_REQUEST, FakeController, golden_report

from qgis_agent.gis.progress import progress_texts
from qgis_agent.gui.cards.choice_button import ChoiceButton
from qgis_agent.gui.cards.error_card import ErrorCard, NoticeLine
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.dock.user_bubble import UserBubble
from qgis_agent.gui.text_view import TextView

WIDTH = 380
REPO = Path(__file__).resolve().parents[2]


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def dock(controller: FakeController, qtbot: Any) -> Iterator[AgentDock]:
    window = QMainWindow()
    qtbot.addWidget(window)
    made = AgentDock(controller, lambda: ["How many schools are there?"], parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, made)
    window.setCentralWidget(QWidget())
    window.resize(800, 700)
    window.show()
    window.resizeDocks([made], [WIDTH], Qt.Orientation.Horizontal)
    controller.status_changed.emit("idle", "offline commands")
    made.focus_composer()
    settle()
    yield made
    window.close()


def settle() -> None:
    """Let layouts and deferred calls happen."""
    for _ in range(4):
        QTest.qWait(5)


def press(dock: AgentDock, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    QTest.keyClick(dock.composer.edit, key, *modifiers)


def said(dock: AgentDock) -> list[str]:
    settle()
    return [each.text for each in dock.conversation.findChildren(UserBubble) if not each.isHidden()]


def send(dock: AgentDock, text: str) -> Any:
    """Send a message; returns the view of its run."""
    dock.composer.set_text(text)
    press(dock, Qt.Key.Key_Return)
    return dock.conversation.runs()[-1]


# typing


def test_enter_sends_and_shift_enter_starts_a_line(dock: AgentDock, controller: FakeController) -> None:
    QTest.keyClicks(dock.composer.edit, "zoom to")
    press(dock, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(dock.composer.edit, "streets")
    assert controller.started == []
    press(dock, Qt.Key.Key_Return)
    assert controller.started == ["zoom to\nstreets"] == said(dock)
    assert dock.composer.text() == ""


def test_enter_of_an_input_method_does_not_send(dock: AgentDock, controller: FakeController) -> None:
    edit = dock.composer.edit
    QCoreApplication.sendEvent(edit, QInputMethodEvent("xuexiao", []))
    press(dock, Qt.Key.Key_Return)
    assert controller.started == []
    chosen = QInputMethodEvent()
    chosen.setCommitString("学校")
    QCoreApplication.sendEvent(edit, chosen)
    assert edit.toPlainText().strip() == "学校"
    press(dock, Qt.Key.Key_Return)
    assert controller.started == ["学校"]


def test_blank_messages_are_not_sent(dock: AgentDock, controller: FakeController) -> None:
    QTest.keyClicks(dock.composer.edit, "   ")
    press(dock, Qt.Key.Key_Return)
    assert controller.started == [] and said(dock) == []


def test_up_and_down_bring_back_what_was_sent(dock: AgentDock, controller: FakeController) -> None:
    for text in ("first", "second"):
        send(dock, text)
        controller.end()
    QTest.keyClicks(dock.composer.edit, "draft")
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        press(dock, key)
        seen.append(dock.composer.text())
    assert seen == ["second", "first", "first", "second", "draft"]


def test_up_moves_inside_a_message_of_several_lines(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "sent")
    controller.end()
    dock.composer.set_text("one\ntwo")
    press(dock, Qt.Key.Key_Up)
    assert dock.composer.text() == "one\ntwo"


def test_the_field_grows_and_then_scrolls(dock: AgentDock) -> None:
    edit = dock.composer.edit
    heights = []
    for lines in (1, 3, 7, 40):
        dock.composer.set_text("\n".join(["街道 x"] * lines))
        settle()
        heights.append(edit.height())
    assert heights[0] < heights[1] < heights[2] <= heights[3] < 2 * heights[2]
    assert edit.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded


# one run


def test_text_streams_as_markdown(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, GOLDEN_REQUEST)
    for letter in GOLDEN_ANSWER:
        controller.say("text_delta", text=letter)
    assert run.streamed_text() == GOLDEN_ANSWER
    QTest.qWait(400)
    assert "**" not in run.text_view.toPlainText(), "it is formatted while it streams"
    controller.end(**golden_report())
    shown = run.text_view.toPlainText()
    assert "|" not in shown and "**" not in shown
    assert "4.4~7.8" in shown, "the range must not become a strike-through"
    for word in ("街道A", "12", "6.49", "街道B", "8", "7.84", "街道C", "5", "2.38"):
        assert word in shown


def test_text_of_a_turn_with_tools_becomes_a_remark(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "x")
    controller.say("text_delta", text="Let me look.")
    controller.say("text_reset")
    assert run.streamed_text() == "" and run.text_view is None
    controller.say("text_delta", text="Done.")
    controller.end(answer="Done.")
    assert run.text_view.toPlainText() == "Done."


def test_a_line_for_each_call_with_its_state_in_words(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "x")
    for number, (ok, code) in enumerate(((True, ""), (False, "INVALID_PARAM"), (False, "CANCELLED"))):
        controller.say(
            "tool_started", call_id=str(number), tool="count_features", label=f"Counting {number}", arguments={}
        )
        controller.say(
            "tool_finished",
            call_id=str(number),
            tool="count_features",
            ok=ok,
            code=code,
            message="" if ok else "no such field",
            ms=1234,
        )
    controller.say("tool_started", call_id="9", tool="buffer_layer", label="Buffering", arguments={})
    first, second, third, last = run.lines()
    assert [each.state() for each in run.lines()] == ["done", "failed", "stopped", "running"]
    assert first.accessibleName() == "Counting 0, done, 1.2 s"
    assert "failed" in second.accessibleName() and second.why() == "no such field" and first.why() == ""
    assert "stopped" in third.accessibleName()
    controller.end(termination="interrupted", ok=False)
    assert last.state() == "stopped"


def test_steps_are_named_in_the_words_of_the_contracts(dock: AgentDock, controller: FakeController) -> None:
    contracts = json.loads((REPO / "resources" / "tools.schema.json").read_text(encoding="utf-8"))["tools"]
    assert progress_texts() == {each["name"]: each["progress"] for each in contracts}
    run = send(dock, "x")
    controller.say("tool_started", call_id="1", tool="zoom_to", label="?", arguments={"layer_id": "a"})
    controller.say(
        "tool_started", call_id="2", tool="count_features", label="Counting?", arguments={"layer_id": "街道\n\u202ex"}
    )
    controller.say("tool_started", call_id="3", tool="count_features", label="Counting something", arguments={})
    controller.say("tool_started", call_id="4", tool="unknown_tool", label="Doing it", arguments={"a": 1})
    assert [each.label() for each in run.lines()] == [
        "Moving the map",
        "Counting 街道 x",
        "Counting something",
        "Doing it",
    ]


def test_the_report_of_another_run_changes_nothing(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "x")
    controller.end(answer="first")
    controller.say("text_delta", text="late")
    assert run.text_view.toPlainText() == "first"


def test_legend_evidence_and_numbers_without_a_source(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "x")
    report = golden_report()
    report["answer"] = "4.4 and 14.4 and 4.45 and 6.49 and 4.4."
    controller.end(**report)
    texts = [each.text() for each in run.footer.findChildren(QWidget) if callable(getattr(each, "text", None))]
    texts += [each.toPlainText() for each in run.footer.findChildren(TextView)]
    assert any("4.4" in each and "6.49" not in each for each in texts)
    assert [each for each in texts if "Evidence (2)" in each]
    marked = underlined(run.text_view.views()[0])
    assert marked == ["4.4", "4.4"], marked
    for entry in report["legend"]:
        assert entry["label"] in texts


def underlined(view: Any) -> list[str]:
    """The pieces of text with a mark under them."""
    found = []
    block = view.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            if pieces.fragment().charFormat().underlineStyle() == QTextCharFormat.UnderlineStyle.DashUnderline:
                found.append(pieces.fragment().text())
            pieces += 1
        block = block.next()
    return found


def test_a_long_legend_is_folded_and_opens(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "x")
    legend = [{"label": f"class {number}", "color": "#336699", "layer_id": "a"} for number in range(30)]
    controller.end(answer="ok", legend=legend)

    def shown() -> int:
        rows = [each for each in run.footer.findChildren(QWidget) if each.accessibleName().startswith("class ")]
        return sum(each.isVisible() for each in rows)

    settle()
    assert shown() == 12
    more = next(each for each in run.footer.findChildren(QAbstractButton) if "30" in each.text())
    more.click()
    settle()
    assert shown() == 30


def test_an_answer_of_a_question_is_sent(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "zoom to 城关区")
    options = [
        {"label": "330102", "send": "zoom to 城关区 330102"},
        {"label": "330182", "send": "zoom to 城关区 330182"},
    ]
    controller.end(ok=False, termination="awaiting_user", question={"text": "Which one?", "options": options})
    second = run.question.buttons[1]
    QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    assert controller.started[-1] == "zoom to 城关区 330182"
    controller.end()
    QTest.mouseClick(run.question.buttons[0], Qt.MouseButton.LeftButton)
    assert len(controller.started) == 2, "an old question can no longer be answered"


def test_an_error_has_its_own_card_and_retry_sends_the_same_words(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "count trees")
    error = {
        "code": "NOT_FOUND",
        "message": "There is no layer 'trees'.",
        "hint": "Did you mean 'streets'?",
        "reason": "layer",
    }
    controller.end(ok=False, termination="failed", error=error)
    assert run.error.message == "There is no layer 'trees'." and run.text_view is None
    run.error.buttons[0].click()
    assert controller.started == ["count trees", "count trees"]
    assert not run.error.buttons[0].isEnabled()


def test_the_death_of_the_agent_is_told_once_and_the_conversation_stays(
    dock: AgentDock, controller: FakeController
) -> None:
    send(dock, "first")
    controller.end(answer="an answer")
    send(dock, "second")
    controller.say("agent_died", text="The agent process ended unexpectedly (code 9).")
    controller.end(
        ok=False, termination="failed", error={"code": "UPSTREAM_ERROR", "message": "gone", "reason": "agent_process"}
    )
    controller.say("agent_restarted")
    settle()
    cards = [each for each in dock.conversation.findChildren(ErrorCard) if each.isVisible()]
    assert len(cards) == 1 and "code 9" in cards[0].message
    assert said(dock) == ["first", "second"]
    assert any("again" in each.text() for each in dock.conversation.findChildren(NoticeLine))
    send(dock, "third")
    assert controller.started[-1] == "third"


# stopping and waiting


@pytest.mark.parametrize("how", ["escape", "button"])
def test_stop(dock: AgentDock, controller: FakeController, how: str) -> None:
    send(dock, "x")
    assert dock.composer.button.state == "stop" and dock.composer.button.accessibleName() == "Stop (Esc)"
    if how == "escape":
        press(dock, Qt.Key.Key_Escape)
    else:
        QTest.mouseClick(dock.composer.button, Qt.MouseButton.LeftButton)
    assert controller.stops == 1
    assert dock.status.text().startswith("Stopping")
    controller.end(ok=False, termination="interrupted", error={"code": "CANCELLED", "message": "Stopped."})
    assert dock.composer.button.state == "send"
    assert not [each for each in dock.conversation.findChildren(ErrorCard) if each.isVisible()], "a stop is no error"
    press(dock, Qt.Key.Key_Escape)
    assert controller.stops == 1, "there is nothing to stop"


def test_a_message_waits_for_the_end_of_the_run(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "first")
    dock.composer.set_text("second")
    press(dock, Qt.Key.Key_Return)
    assert controller.started == ["first"] and dock.queued.isVisible() and dock.queued.text() == "second"
    controller.end(answer="done")
    settle()
    assert controller.started == ["first", "second"] and not dock.queued.isVisible()


def test_up_takes_the_waiting_message_back(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "first")
    dock.composer.set_text("second")
    press(dock, Qt.Key.Key_Return)
    press(dock, Qt.Key.Key_Up)
    assert dock.composer.text() == "second" and not dock.queued.isVisible()
    controller.end()
    settle()
    assert controller.started == ["first"]


def test_after_stop_the_waiting_message_is_not_sent(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "first")
    dock.composer.set_text("second")
    press(dock, Qt.Key.Key_Return)
    press(dock, Qt.Key.Key_Escape)
    controller.end(ok=False, termination="interrupted")
    settle()
    assert controller.started == ["first"] and dock.composer.text() == "second"


def test_a_new_conversation_stops_the_run_first(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "first")
    dock.header.new_button.click()
    assert (controller.stops, controller.conversations) == (1, 0)
    controller.end(ok=False, termination="interrupted")
    settle()
    assert controller.conversations == 1 and said(dock) == []
    assert [each.sentence() for each in dock.conversation.findChildren(ChoiceButton) if each.isVisible()] == [
        "How many schools are there?"
    ]


# around it


def test_an_example_is_sent_by_the_keyboard(dock: AgentDock, controller: FakeController) -> None:
    example = dock.conversation.findChildren(ChoiceButton)[0]
    example.setFocus()
    QTest.keyClick(example, Qt.Key.Key_Return)
    assert controller.started == ["How many schools are there?"]


def test_file_export_is_off_until_a_person_allows_it(dock: AgentDock, controller: FakeController) -> None:
    assert controller.write_enabled is False
    QTest.mouseClick(dock.header.export_box, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(8, 8))
    assert controller.write_enabled is True


def test_the_status_line_says_state_and_model(dock: AgentDock, controller: FakeController) -> None:
    controller.status_changed.emit("idle", "gpt-x")
    assert dock.status.text() == "Ready · gpt-x" == dock.status.accessibleName()
    controller.status_changed.emit("broken", "no Python")
    assert dock.status.text() == "Not available · no Python"


def test_a_missing_environment_offers_to_set_it_up(controller: FakeController, qtbot: Any) -> None:
    made = AgentDock(controller, list, needs_setup=lambda: True)
    qtbot.addWidget(made)
    made.show()
    asked = []
    made.setup_asked.connect(lambda: asked.append(True))
    controller.status_changed.emit("broken", "The agent environment is not set up yet.")
    settle()
    card = next(each for each in made.conversation.findChildren(ErrorCard) if each.isVisible())
    card.buttons[0].click()
    assert asked == [True]
    controller.status_changed.emit("idle", "offline commands")
    settle()
    assert not [each for each in made.conversation.findChildren(ErrorCard) if each.isVisible()]


PLAN = {
    "steps": [
        {"title": "Look\n\u202eat it", "tool": "", "target": "", "status": "done"},
        {"title": "Count", "tool": "stat_by_polygon", "target": "schools", "inputs": ["streets"], "status": "pending"},
        {"title": "Save", "tool": "prepare_export_layer", "target": "$2", "path": "out/d.gpkg", "features": 3},
    ],
    "hash": "0" * 64,
}


def test_a_plan_is_shown_whole_and_applied_by_a_click(dock: AgentDock, controller: FakeController) -> None:
    """Tool, layers, file and features of every step; the plan that goes back is the one that came."""
    run = send(dock, "plan it")
    controller.end(answer="Three steps.", plan=PLAN)
    assert run.plan is not None
    assert run.plan.findChild(TextView).toPlainText().splitlines()[1:] == [
        "1. Look at it",
        "2. Count",
        "    → Counting schools by … · streets",
        "3. Save",
        "    → Preparing the export of the layer of step 2 · file out/d.gpkg · at most 3 features",
    ]
    settle()
    apply, discard = run.plan.buttons
    assert (apply.sentence(), discard.sentence()) == ("Apply plan", "Discard")
    QTest.mouseClick(apply, Qt.MouseButton.LeftButton)
    assert controller.started == ["plan it", "Apply the plan."] == said(dock)
    assert controller.plans == [None, PLAN]
    QTest.mouseClick(discard, Qt.MouseButton.LeftButton)
    assert run.plan.isVisible() and not apply.isEnabled(), "the conversation went on"


def test_retry_of_an_applied_plan_has_the_plan_again(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "plan it")
    controller.end(plan=PLAN)
    run.plan.buttons[0].click()
    failed = dock.conversation.runs()[-1]
    controller.end(ok=False, termination="failed", error={"message": "no", "hint": ""})
    failed.error.buttons[0].click()
    assert controller.plans == [None, PLAN, PLAN]
    controller.end()
    send(dock, "something else")
    assert controller.plans[-1] is None


def test_a_discarded_plan_goes_away(dock: AgentDock, controller: FakeController) -> None:
    run = send(dock, "plan it")
    controller.end(plan=PLAN)
    settle()
    assert run.plan.isVisible()
    QTest.mouseClick(run.plan.buttons[1], Qt.MouseButton.LeftButton)
    assert not run.plan.isVisible() and controller.started == ["plan it"]
    run.plan.buttons[0].click()
    assert controller.started == ["plan it"]


def test_an_old_plan_can_no_longer_be_applied(dock: AgentDock, controller: FakeController) -> None:
    """After another message, and while a run goes on; a plan without steps is not shown at all."""
    run = send(dock, "plan it")
    controller.end(plan=PLAN)
    other = send(dock, "no, something else")
    run.plan.buttons[0].click()
    dock.conversation.plan_applied.emit(PLAN)
    assert controller.started == ["plan it", "no, something else"]
    controller.end(plan={"steps": [], "hash": ""})
    assert other.plan is None


def test_it_follows_the_end_only_when_the_person_is_there(dock: AgentDock, controller: FakeController) -> None:
    for number in range(6):
        send(dock, f"message {number}")
        controller.end(answer="\n\n".join(f"line {each}" for each in range(20)))
        settle()
    bar = dock.conversation.verticalScrollBar()
    assert bar.maximum() > 500 and bar.value() == bar.maximum()
    bar.setValue(100)
    controller.say("agent_restarted")
    settle()
    assert bar.value() == 100 and not dock.conversation.follows()
    dock.conversation.to_end()
    controller.say("agent_restarted")
    settle()
    assert bar.value() == bar.maximum()


def test_nothing_is_wider_than_the_dock(dock: AgentDock, controller: FakeController) -> None:
    name = "a_very_long_layer_name_without_any_place_to_break_" * 4
    run = send(dock, name + " https://example.com/" + "x" * 300)
    controller.say("tool_started", call_id="1", tool="t", label=name, arguments={})
    controller.say("tool_finished", call_id="1", tool="t", ok=False, code="NOT_FOUND", message=name, ms=3)
    controller.say("notice", level="warning", text=name)
    report = golden_report()
    report["legend"][0]["label"] = name
    report["question"] = {"text": name, "options": [{"label": name, "send": "x"}]}
    report["plan"] = {"steps": [{"title": name, "tool": name, "target": name, "path": name}], "hash": ""}
    report["answer"] = name + "\n\n```\n" + name + "\n```\n"
    controller.end(**report)
    settle()
    assert dock.width() <= WIDTH + 4
    right = dock.conversation.viewport().mapToGlobal(QPoint(dock.conversation.viewport().width(), 0)).x()
    for each in run.findChildren(QWidget):
        if each.isVisible():
            assert each.mapToGlobal(QPoint(each.width(), 0)).x() <= right, type(each).__name__


def test_everything_that_takes_the_keyboard_has_a_name(dock: AgentDock, controller: FakeController) -> None:
    send(dock, "x")
    report = golden_report()
    report["question"] = {"text": "Which?", "options": [{"label": "this", "send": "this"}]}
    controller.end(**report)
    settle()
    ours = (dock.conversation, dock.composer, dock.header, dock.queued)
    checked = 0
    for part in ours:
        for each in part.findChildren(QWidget):
            if each.isVisible() and each.focusPolicy() & Qt.FocusPolicy.TabFocus:
                words = each.accessibleName() or (each.text() if isinstance(each, QAbstractButton) else "")
                assert words, type(each).__name__
                checked += 1
    assert checked >= 8
