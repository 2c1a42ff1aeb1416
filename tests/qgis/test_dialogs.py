"""The question before an effect: shows all of it, and only a deliberate click agrees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QScrollArea, QTextEdit, QWidget

from qgis_agent.gui.dialogs import approval
from qgis_agent.gui.dialogs.approval import ApprovalDialog
from qgis_agent.gui.dialogs.approver import DialogApprover

INERT_S = 0.7
AS_NEEDED = Qt.ScrollBarPolicy.ScrollBarAsNeeded


@pytest.fixture
def approver(qtbot: Any) -> Iterator[DialogApprover]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    made = DialogApprover(window)
    yield made
    made.close_all()
    QTest.qWait(10)


def card(kind: str = "write", **more: Any) -> dict[str, Any]:
    lines = [["Layer", "schools"], ["Features", "25"], ["File", "/data/out/schools.gpkg"], ["CRS", "EPSG:4326"]]
    return {
        "kind": kind,
        "title": "Write a new file?",
        "verb": "prepare_export_layer",
        "layer": "schools",
        "lines": lines,
        "arguments": '{"layer_id": "schools"}',
        "reversible": True,
        "caller": "chat",
        "timeout_s": 120,
        **({"agree": "Remove", "decline": "Don't remove"} if kind == "write" else {}),
        **more,
    }


def ask(approver: DialogApprover, asked: dict[str, Any], answers: list[str]) -> ApprovalDialog:
    approver.ask(asked, answers.append)
    assert answers == [], "ask must not answer, or wait, at once"
    QTest.qWait(20)
    window = approver.current()
    assert window is not None and window.isVisible()
    return window


def arm(window: ApprovalDialog) -> None:
    QTest.qWait(int(1000 * INERT_S) + 200)
    assert window.is_armed()


def click(button: Any) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_nothing_agrees_before_its_time(approver: DialogApprover, qtbot: Any) -> None:
    answers: list[str] = []
    window = ask(approver, card(), answers)
    click(window.agree_button)
    window.agree_button.click()
    QTest.qWait(int(1000 * INERT_S) - 300)
    click(window.agree_button)
    assert answers == [] and window.isVisible()
    qtbot.waitUntil(window.is_armed, timeout=2000)
    click(window.agree_button)
    assert answers == ["once"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Space])
def test_keys_mean_no(approver: DialogApprover, key: Qt.Key) -> None:
    answers: list[str] = []
    window = ask(approver, card(), answers)
    arm(window)
    QTest.keyClick(window.focusWidget() or window, key)
    assert answers == ["deny"]


def test_no_can_be_said_at_once(approver: DialogApprover) -> None:
    answers: list[str] = []
    window = ask(approver, card("permission"), answers)
    click(window.deny_button)
    assert answers == ["deny"]


def test_closing_the_window_means_no(approver: DialogApprover) -> None:
    answers: list[str] = []
    window = ask(approver, card(), answers)
    window.close()
    QTest.qWait(10)
    assert answers == ["deny"] and approver.current() is None


def test_no_answer_in_time(approver: DialogApprover, qtbot: Any) -> None:
    answers: list[str] = []
    ask(approver, card(timeout_s=0.2), answers)
    qtbot.waitUntil(lambda: answers == ["no_answer"], timeout=2000)
    assert approver.current() is None


def test_a_permission_can_be_given_for_the_session_and_a_write_cannot(approver: DialogApprover) -> None:
    answers: list[str] = []
    window = ask(approver, card("permission"), answers)
    arm(window)
    click(window.session_button)
    assert answers == ["session"]
    window = ask(approver, card("write"), [])
    arm(window)
    assert not window.session_button.isVisible() and not window.session_button.isEnabled()
    assert not window.always_button.isVisible() and not window.always_button.isEnabled()
    words = [each.text().replace("&", "") for each in (window.agree_button, window.deny_button)]
    assert words == ["Remove", "Don't remove"]


def test_all_of_the_effect_is_shown(approver: DialogApprover) -> None:
    path = "/data/" + "/".join(f"folder_{number:03d}" for number in range(60)) + "/schools.gpkg"
    arguments = "{\n" + ",\n".join(f'  "key_{number:04d}": "{number}"' for number in range(900)) + "\n}"
    asked = card(lines=[["File", path], ["Overwrites", "no"]], arguments=arguments)
    window = ask(approver, asked, [])
    shown = [each.toPlainText() for each in window.findChildren(QTextEdit)]
    # A path without an end is broken into lines, and gets no blank that would make it another one.
    assert (
        path in [each.replace("\n", "") for each in shown]
        and len(path) > 500
        and arguments in shown
        and "schools" in shown
        and "prepare_export_layer" in shown
    )
    for each in window.findChildren(QTextEdit):
        # What a view cannot scroll to would be cut off; the views are as tall as their text and the window scrolls.
        assert each.height() >= each.document().size().height() - 1
    assert window.height() < QApplication.primaryScreen().availableGeometry().height()


def test_words_of_data_are_not_rendered(approver: DialogApprover) -> None:
    evil = "<b>schools</b><img src='file:///etc/passwd'>"
    window = ask(approver, card(layer=evil, lines=[["Layer", evil]], title=evil), [])
    assert evil in [each.toPlainText() for each in window.findChildren(QTextEdit)]
    labels = [each for each in window.findChildren(QWidget) if callable(getattr(each, "textFormat", None))]
    assert labels and all(each.textFormat() == Qt.TextFormat.PlainText for each in labels)


def test_a_withdrawn_question_is_not_answered(approver: DialogApprover) -> None:
    answers: list[str] = []
    withdraw = approver.ask(card(), answers.append)
    QTest.qWait(20)
    window = approver.current()
    assert window is not None
    withdraw()
    QTest.qWait(20)
    assert answers == [] and approver.current() is None
    withdraw()
    assert answers == []


def test_one_window_at_a_time(approver: DialogApprover) -> None:
    first: list[str] = []
    second: list[str] = []
    third: list[str] = []
    approver.ask(card(title="one"), first.append)
    approver.ask(card(title="two"), second.append)
    withdraw = approver.ask(card(title="three"), third.append)
    QTest.qWait(20)
    open_now = [
        each for each in QApplication.topLevelWidgets() if isinstance(each, ApprovalDialog) and each.isVisible()
    ]
    assert [each.card["title"] for each in open_now] == ["one"] and approver.waiting() == 2
    withdraw()
    click(approver.current().deny_button)
    QTest.qWait(20)
    assert first == ["deny"] and second == []
    assert approver.current().card["title"] == "two" and not approver.current().is_armed()
    click(approver.current().deny_button)
    QTest.qWait(20)
    assert (first, second, third) == (["deny"], ["deny"], []) and approver.current() is None


def test_it_does_not_block_the_map(approver: DialogApprover) -> None:
    window = ask(approver, card(), [])
    assert window.windowModality() == Qt.WindowModality.NonModal
    assert approval.INERT_MS == 700


def test_no_scroll_bar_comes_and_goes_by_itself(approver: DialogApprover) -> None:
    """With a bar that shows as needed, a text that fits only without it made Qt resize in a circle: QGIS crashed."""
    for length in range(1, 120, 7):
        path = "/data/" + "g" * length
        lines = [["File", path], ["Kept as a copy", path * 2], ["Lost", "schools buffer 500 m " * 5]]
        window = ask(approver, card(lines=lines), [])
        for height in range(200, 500, 11):
            window.resize(window.width(), height)
            QTest.qWait(1)
        areas = window.findChildren(QScrollArea)
        assert areas and not any(each.verticalScrollBarPolicy() == AS_NEEDED for each in areas)
        QTest.qWait(1)
        area = areas[0]
        assert area.widget().height() <= area.viewport().height() or area.verticalScrollBar().isVisible()
        window.withdraw()
        approver.close_all()
