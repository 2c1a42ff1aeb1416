"""The window that asks: its answers, the reason of a no, what it shows of the effect, and that it works by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsProject, QgsRectangle
from qgis.gui import QgsMapCanvas
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QLabel, QTextEdit, QWidget

from qgis_agent.gis.card_changes import ChangeTable
from qgis_agent.gui.dialogs.approval import ApprovalDialog
from qgis_agent.gui.dialogs.approver import DialogApprover
from qgis_agent.gui.dialogs.look_view import LookView
from qgis_agent.gui.dialogs.show_on_map import ShowOnMap
from qgis_agent.gui.tips import breakable, plain_tip, with_mnemonic

EVIL = "<img src='file:///etc/passwd'>schools"
RED = "#d62728"
Said = tuple[str, str]


@pytest.fixture
def approver(qtbot: Any) -> Iterator[DialogApprover]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    made = DialogApprover(window)
    yield made
    made.close_all()
    QTest.qWait(10)


def card(kind: str = "permission", **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "title": "Change the style of the layer?",
        "verb": "set_render_rule",
        "layer": "schools",
        "lines": [["Effect", "changes the look"], ["Layer", "schools"]],
        "arguments": '{"layer_id": "schools"}',
        "reversible": True,
        "caller": "chat",
        "timeout_s": 120,
        **more,
    }


def ask(approver: DialogApprover, asked: dict[str, Any], answers: list[Said]) -> ApprovalDialog:
    approver.ask(asked, lambda said, reason="": answers.append((said, reason)))
    QTest.qWait(20)
    window = approver.current()
    assert window is not None and window.isVisible()
    return window


def armed(window: ApprovalDialog) -> ApprovalDialog:
    QTest.qWait(900)
    assert window.is_armed()
    return window


def click(button: Any) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


# answers


@pytest.mark.parametrize("by_key", [True, False])
def test_a_no_takes_the_reason_with_it(approver: DialogApprover, by_key: bool) -> None:
    answers: list[Said] = []
    window = ask(approver, card(), answers)
    QTest.keyClicks(window.answers.reason, "  use the 2024 layer ")
    if by_key:
        QTest.keyClick(window.answers.reason, Qt.Key.Key_Return)
    else:
        click(window.deny_button)
    assert answers == [("deny", "use the 2024 layer")]


def test_a_yes_takes_no_reason_with_it_and_a_reason_is_bounded(approver: DialogApprover) -> None:
    answers: list[Said] = []
    window = armed(ask(approver, card(), answers))
    window.answers.reason.setText("x" * 500)
    assert len(window.answers.reason.text()) == 300
    click(window.agree_button)
    assert answers == [("once", "")]


@pytest.mark.parametrize(
    ("more", "session", "always"),
    [
        ({"always": True}, True, True),
        ({}, True, False),
        ({"always": True, "each_time": True}, False, False),
        ({"always": True, "kind": "write"}, False, False),
    ],
)
def test_answers_that_are_kept_are_offered_only_where_they_count(
    approver: DialogApprover, more: dict[str, Any], session: bool, always: bool
) -> None:
    answers: list[Said] = []
    window = armed(ask(approver, card(**more), answers))
    assert (window.session_button.isVisible(), window.session_button.isEnabled()) == (session, session)
    assert (window.always_button.isVisible(), window.always_button.isEnabled()) == (always, always)
    window.always_button.click()
    assert answers == ([("always", "")] if always else [])


def test_it_can_be_answered_by_keyboard_alone(approver: DialogApprover) -> None:
    answers: list[Said] = []
    window = armed(ask(approver, card(always=True), answers))
    assert window.focusWidget() is window.deny_button
    names = []
    for _ in range(8):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        names.append(window.focusWidget())
    wanted = [window.answers.reason, window.agree_button, window.session_button, window.always_button]
    assert [each for each in names if each in wanted][:4] == wanted
    letters = [
        each.text()[each.text().index("&") + 1].upper() for each in (*wanted[1:], window.deny_button, window.map_button)
    ]
    assert len(set(letters)) == 5, "each button has a letter of its own"
    assert all(each.accessibleName() for each in (*wanted, window.deny_button))
    assert "Effect: changes the look" in window.accessibleDescription()


def test_closing_the_plugin_or_qgis_is_a_no_for_all(approver: DialogApprover) -> None:
    answers: list[Said] = []
    ask(approver, card(), answers)
    approver.ask(card(), lambda said, reason="": answers.append((said, reason)))
    approver.close_all()
    assert answers == [("no_answer", "")] * 2 and approver.current() is None and approver.waiting() == 0


def test_the_time_runs_from_when_it_was_asked(approver: DialogApprover, qtbot: Any) -> None:
    answers: list[Said] = []
    first = ask(approver, card(), [])
    approver.ask(card(timeout_s=0.3), lambda said, reason="": answers.append((said, reason)))
    QTest.qWait(400)
    first.reject()
    qtbot.waitUntil(lambda: answers == [("no_answer", "")], timeout=1000)
    assert approver.current() is None, "a question whose time is over is not shown any more"


def test_the_time_that_is_left_is_told_at_the_end(approver: DialogApprover) -> None:
    assert ask(approver, card(timeout_s=60), []).countdown.text() == ""
    approver.close_all()
    assert "20 s" in ask(approver, card(timeout_s=20), []).countdown.text()


def test_similar_questions_can_be_refused_together(approver: DialogApprover) -> None:
    answers: list[Said] = []
    other: list[Said] = []
    window = ask(approver, card(), answers)
    for _ in range(2):
        approver.ask(card(), lambda said, reason="": answers.append((said, reason)))
    approver.ask(card(verb="zoom_to"), lambda said, reason="": other.append((said, reason)))
    QTest.qWait(20)
    assert window.refuse_button.isVisible() and "3" in window.refuse_button.text()
    window.answers.reason.setText("not now")
    click(window.refuse_button)
    QTest.qWait(20)
    assert answers == [("deny", "not now")] * 3 and other == []
    assert approver.current().card["verb"] == "zoom_to" and not approver.current().refuse_button.isVisible()


# what it shows


def test_changed_values_are_a_table_of_all_rows(approver: DialogApprover) -> None:
    rows = [(f"#{number}", "name", f"'{EVIL}'", f"'{number}'") for number in range(2000)]
    table = ChangeTable(("Feature", "Field", "Now", "After"), rows, "2000 of 3000", (2, 4), {1: "2000"})
    lines = [
        ["Layer", "schools"],
        ["Features", "2000 (the first 2 are shown)"],
        ["#0", "a"],
        ["#1", "b"],
        ["Saved", "no"],
    ]
    window = ask(approver, card("write", lines=lines, changes=table), [])
    model = window._body.changes.view.model()
    assert model.rowCount() == 2000 and model.data(model.index(1999, 3)) == "'1999'"
    assert model.data(model.index(0, 2)) == f"'{EVIL}'"
    assert plain_tip("plain") == "plain" and "<img" not in model.data(model.index(0, 2), Qt.ItemDataRole.ToolTipRole)
    described = window.accessibleDescription()
    assert "Features: 2000\n" in described and "#0: a" not in described and "Saved: no" in described


def test_each_feature_that_goes_is_listed_and_shown_on_the_map(bench: Bench) -> None:
    points = [(f"POINT({number} 2)", [f"n{number}"]) for number in range(25)]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string", points, "stops"))
    bench.issue(caller="chat")
    bench.approver.answer = "deny"
    bench.call("prepare_edit_features", layer_id="stops", action="delete", options={"all_features": True})
    asked = bench.approver.cards[-1]
    ids = sorted(layer.allFeatureIds())
    assert [int(row[0][1:].split()[0]) for row in asked["changes"].rows] == ids and len(ids) == 25
    assert "n0" in asked["changes"].rows[0][1]
    assert asked["place"] == {"layers": [layer.id()], "features": ids}


def test_arguments_that_are_very_long_are_shown_to_their_end(approver: DialogApprover) -> None:
    arguments = "{\n" + "".join(f'  "key_{number}": "{number}",\n' for number in range(8000)) + '  "end": "here"\n}'
    assert len(arguments) > 120_000
    window = ask(approver, card(arguments=arguments), [])
    shown = "".join(each.toPlainText() for each in window._body.findChildren(QTextEdit))
    assert arguments in shown


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"undo_words": "Undo removes the new file."}, "Undo removes the new file."),
        ({"reversible": False}, "This cannot be taken back by the agent."),
        ({}, "This can be taken back (“Undo this run”)."),
    ],
)
def test_it_says_whether_it_can_be_taken_back(approver: DialogApprover, more: dict[str, Any], words: str) -> None:
    window = ask(approver, card(**more), [])
    assert window.undo_label.text().replace("\u200b", "") == words


def test_a_change_of_style_has_pictures_before_and_after(bench: Bench, qtbot: Any) -> None:
    layer = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 2)", [])], "schools"))
    layer.renderer().symbol().setColor(QColor("#0000ff"))
    bench.issue(level="read_only", caller="chat")
    bench.approver.answer = None
    bench.begin("set_render_rule", {"layer_id": "schools", "method": "single", "options": {"color": RED}}, [])
    asked = bench.approver.cards[-1]
    before, after = (asked["looks"][each].signs[0].image for each in ("before", "after"))
    assert middle(before) == "#0000ff" and middle(after) == RED
    assert layer.renderer().symbol().color().name() == "#0000ff", "nothing is changed for the picture"
    window = ApprovalDialog(asked)
    qtbot.addWidget(window)
    pictures = [each for each in window.findChild(LookView).findChildren(QLabel) if each.pixmap() is not None]
    assert len([each for each in pictures if not each.pixmap().isNull()]) == 2
    window.withdraw()


def test_classes_that_are_not_known_yet_are_the_colours_of_the_palette(bench: Bench) -> None:
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(1 2)", [1])], "schools"))
    bench.issue(level="read_only", caller="chat")
    bench.approver.answer = None
    given = {"layer_id": "schools", "method": "graduated", "field": "n", "classes": 4, "palette": "Blues"}
    bench.begin("set_render_rule", given, [])
    after = bench.approver.cards[-1]["looks"]["after"]
    # ColorBrewer's own four blues.
    assert [middle(each.image) for each in after.signs] == ["#eff3ff", "#bdd7e7", "#6baed6", "#2171b5"]
    assert "4 classes by n" in after.words


def middle(image: Any) -> str:
    return str(image.pixelColor(image.width() // 2, image.height() // 2).name())


def test_show_on_map_goes_there_and_flashes(bench: Bench, qtbot: Any) -> None:
    layer = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 2)", []), ("POINT(3 5)", [])], "schools"))
    canvas = QgsMapCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(200, 200)
    canvas.setDestinationCrs(layer.crs())
    canvas.setExtent(QgsRectangle(100, 50, 101, 51))
    shown = ShowOnMap(QgsProject.instance(), canvas)
    flashed: list[Any] = []
    canvas.flashGeometries = lambda shapes, *_more: flashed.extend(each.asWkt() for each in shapes)
    assert shown({"layers": [layer.id()], "features": [2]}) == ""
    assert flashed == ["Point (3 5)"]
    assert canvas.extent().xMinimum() <= 3 <= canvas.extent().xMaximum()
    flashed.clear()
    assert shown({"layers": [layer.id()], "features": []}) == ""
    assert flashed == ["Polygon ((1 2, 3 2, 3 5, 1 5, 1 2))"]
    assert shown({"layers": ["gone"], "features": []}) != ""


# words that are no markup


def test_a_tip_is_never_markup() -> None:
    assert plain_tip("a & b") == "a & b"
    tip = plain_tip(EVIL + "\nnext")
    assert "<img" not in tip and "&lt;img" in tip and "<br>next" in tip


def test_letters_for_the_keyboard_and_places_to_break() -> None:
    taken: set[str] = set()
    assert [with_mnemonic(each, "Z", taken) for each in ("Allow once", "Allow all", "AO")] == [
        "&Allow once",
        "A&llow all",
        "A&O",
    ]
    assert with_mnemonic("写入", "Y", taken) == "写入(&Y)"
    assert with_mnemonic("A & B", "Z", {"A"}) == "A && &B"
    assert breakable("x" * 60).replace("\u200b", "") == "x" * 60 and breakable("short words") == "short words"
