"""The composer on a real project: "@" and "/", chips, what is dropped, input methods, changing the last message."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsGeometry,
    QgsLayerTreeModel,
    QgsPointXY,
    QgsPrintLayout,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
from qgis.PyQt.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QMainWindow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gui.composer.completion import trigger_in
from qgis_agent.gui.composer.help_card import HelpCard
from qgis_agent.gui.composer.references import References
from qgis_agent.gui.composer.sent import SentMessages
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.dock.user_bubble import UserBubble

Key = Qt.Key


def layer(name: str, fields: str, count: int = 4) -> QgsVectorLayer:
    """Points in degrees, at (1, 1), (2, 2) …"""
    made = QgsVectorLayer(f"Point?crs=EPSG:4326&{fields}", name, "memory")
    features = []
    for number in range(1, count + 1):
        feature = QgsFeature(made.fields())
        feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(number, number)))
        features.append(feature)
    made.dataProvider().addFeatures(features)
    return made


@pytest.fixture
def world(bench: Any) -> Any:
    """schools (pupils, full name), 学校, bus stops; a layout; a view of 1–3 degrees."""
    bench.schools = bench.add(layer("schools", "field=pupils:integer&field=full name:string"))
    bench.chinese = bench.add(layer("学校", "field=人数:integer"))
    bench.stops = bench.add(layer("bus stops", "field=line:string"))
    sheet = QgsPrintLayout(bench.host.project)
    sheet.setName("A4 plan")
    bench.host.project.layoutManager().addLayout(sheet)
    bench.host.view.show(QgsRectangle(1.25, 2, 3, 4), QgsCoordinateReferenceSystem("EPSG:4326"))
    return bench


@pytest.fixture
def controller(world: Any) -> FakeController:
    made = FakeController()
    made.host = world.host
    made.profile = "gis-build"
    return made


@pytest.fixture
def dock(controller: FakeController, qtbot: Any) -> Iterator[AgentDock]:
    window = QMainWindow()
    qtbot.addWidget(window)
    made = AgentDock(controller, list, parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, made)
    window.resize(420, 640)
    window.show()
    window.activateWindow()
    made.focus_composer()
    settle()
    assert made.composer.edit.hasFocus()
    yield made
    window.close()


def settle() -> None:
    for _ in range(3):
        QTest.qWait(5)


def write(dock: AgentDock, text: str) -> None:
    QTest.keyClicks(dock.composer.edit, text)


def commit(dock: AgentDock, text: str) -> None:
    """What an input method gives in the end."""
    event = QInputMethodEvent()
    event.setCommitString(text)
    QCoreApplication.sendEvent(dock.composer.edit, event)


def compose(dock: AgentDock, text: str) -> None:
    """What an input method shows while it composes."""
    QCoreApplication.sendEvent(dock.composer.edit, QInputMethodEvent(text, []))


def press(dock: AgentDock, key: Any, *modifiers: Any) -> None:
    QTest.keyClick(dock.composer.edit, key, *modifiers)


def titles(dock: AgentDock) -> list[str]:
    """The suggestions, [] while none are shown."""
    if not dock.composer.completion.is_open():
        return []
    shown = dock.composer.completion.suggestions()
    return [shown.item(row).text() for row in range(shown.count())]


def chips(dock: AgentDock) -> list[str]:
    return [each.text() for each in dock.composer.chips.chips()]


def bubbles(dock: AgentDock) -> list[UserBubble]:
    settle()
    return [each for each in dock.conversation.findChildren(UserBubble) if not each.isHidden()]


# @


@pytest.mark.parametrize(
    ("before", "trigger"),
    [
        ("@", ("@", 0, "")),
        ("zoom to @sch", ("@", 8, "sch")),
        ("把@学", ("@", 1, "学")),
        ("把\uff20学", ("@", 1, "学")),
        ("mail me at a.b@sch", None),
        ("@schools and", None),
        ("/", ("/", 0, "")),
        ("\uff0fun", ("/", 0, "un")),
        ("km/", None),
        ("/data/x", None),
        ("", None),
    ],
)
def test_what_is_typed_opens_a_list_only_at_the_start_of_a_word(before: str, trigger: Any) -> None:
    found = trigger_in(before)
    assert (tuple(found) if found else None) == trigger


def test_at_offers_layers_and_enter_puts_one_in(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "zoom to @sch")
    assert titles(dock)[0] == "schools"
    press(dock, Key.Key_Return)
    assert controller.started == [] and dock.composer.text() == "zoom to @schools " and titles(dock) == []
    assert chips(dock) == ["schools"]
    press(dock, Key.Key_Return)
    assert controller.started == ['zoom to "schools"'] == [each.text for each in bubbles(dock)]
    assert chips(dock) == [], "the chips go with the message"


def test_a_name_that_is_typed_out_needs_no_second_enter(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "zoom to @schools")
    press(dock, Key.Key_Return)
    assert controller.started == ['zoom to "schools"']


def test_arrows_choose_and_escape_closes_without_stopping(dock: AgentDock, controller: FakeController) -> None:
    dock.send("first")
    write(dock, "@")
    offered = titles(dock)
    assert {"schools", "学校", "bus_stops", "A4 plan"} <= set(offered) and "Selection" not in offered
    press(dock, Key.Key_Down)
    assert dock.composer.completion.suggestions().currentRow() == 1
    assert dock.composer.edit.accessibleDescription().startswith("Suggestion 2 of ")
    press(dock, Key.Key_Escape)
    assert titles(dock) == [] and controller.stops == 0 and dock.composer.text() == "@"
    press(dock, Key.Key_Escape)
    assert controller.stops == 1


def test_tab_completes_and_keeps_the_keyboard(dock: AgentDock) -> None:
    write(dock, "@bus")
    press(dock, Key.Key_Tab)
    assert dock.composer.text() == "@bus_stops " and dock.composer.edit.hasFocus()


def test_a_click_chooses(dock: AgentDock) -> None:
    write(dock, "@bus")
    shown = dock.composer.completion.suggestions()
    settle()
    assert shown.isVisible() and shown.geometry().bottom() < dock.composer.geometry().top() + 2
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=shown.visualItemRect(shown.item(0)).center())
    assert dock.composer.text() == "@bus_stops "


def test_fields_after_a_point_and_precise_words(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "mean of @schools.full")
    assert titles(dock) == ["full name"]
    press(dock, Key.Key_Return)
    assert dock.composer.text() == "mean of @schools.full_name "
    write(dock, "in @schools")
    press(dock, Key.Key_Return)
    assert controller.started == ['mean of "full name" in "schools"'], "the layer is named anyhow"
    controller.end()
    write(dock, "mean of @schools.pupils ")
    press(dock, Key.Key_Return)
    assert controller.started[-1] == 'mean of "pupils" of "schools"'


def test_selection_extent_and_layout(dock: AgentDock, world: Any, controller: FakeController) -> None:
    write(dock, "buffer @selection")
    press(dock, Key.Key_Return)
    assert controller.started == [] and "No features are selected" in dock.composer.note.text()
    ids = sorted(world.schools.allFeatureIds())
    world.schools.selectByIds(ids[:3])
    press(dock, Key.Key_Return)
    assert controller.started == ['buffer the selected features of "schools"']
    controller.end()
    write(dock, "@select")
    assert titles(dock)[0] == "Selection"
    press(dock, Key.Key_Return)
    assert chips(dock) == ["Selection: schools (3)"]
    write(dock, "on @layout:A4")
    press(dock, Key.Key_Return)
    press(dock, Key.Key_Return)
    assert controller.started[-1] == 'the selected features of "schools" on the layout "A4 plan"'


def test_the_extent_is_sent_in_degrees(world: Any) -> None:
    found = References(world.host)
    found.refresh()
    text = found.expand("what is in @extent?")
    numbers = [float(each) for each in re.findall(r"-?[0-9]+(?:[.][0-9]+)?", text)]
    assert len(numbers) == 4, text
    west, south, east, north = numbers
    assert west <= 1.25 < 3 <= east and south <= 2 < 4 <= north and east - west < 6, "what was asked for is shown"


def test_kinds_can_be_named(dock: AgentDock) -> None:
    write(dock, "@field")
    assert {"pupils", "full name", "line", "人数"} <= set(titles(dock))
    press(dock, Key.Key_Escape)
    dock.composer.set_text("")
    write(dock, "@layout")
    assert titles(dock) == ["A4 plan"]


def test_what_is_excluded_is_not_offered_nor_sent(dock: AgentDock, world: Any, controller: FakeController) -> None:
    write(dock, "count @schools ")
    assert chips(dock) == ["schools"]
    world.host.scope.set([world.schools.id()], {world.stops.id(): ["line"]}, [])
    press(dock, Key.Key_Return)
    assert controller.started == [] and "schools" in dock.composer.note.text()
    dock.composer.set_text("")
    write(dock, "@")
    assert "schools" not in titles(dock) and "bus_stops" in titles(dock)
    press(dock, Key.Key_Escape)
    dock.composer.set_text("")
    write(dock, "@bus_stops.")
    assert titles(dock) == []
    assert not dock.composer.insert_reference(world.schools)


def test_a_layer_that_goes_is_told(dock: AgentDock, world: Any, controller: FakeController) -> None:
    write(dock, "count @schools ")
    world.host.project.removeMapLayer(world.schools.id())
    press(dock, Key.Key_Return)
    assert controller.started == [] and "schools" in dock.composer.note.text() and dock.composer.text()


def test_mail_addresses_are_text(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "write to me@schools.org")
    press(dock, Key.Key_Return)
    assert controller.started == ["write to me@schools.org"]


def test_chips_are_taken_out_by_key_and_by_click(dock: AgentDock) -> None:
    write(dock, "compare @schools with @bus_stops and @schools ")
    assert chips(dock) == ["schools", "bus_stops"]
    first = dock.composer.chips.chips()[0]
    assert first.accessibleName() == "Layer: schools" and 'Sent as: "schools"' in first.accessibleDescription()
    assert first.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(first, Key.Key_Delete)
    settle()
    assert dock.composer.text() == "compare with @bus_stops and " and chips(dock) == ["bus_stops"]
    QTest.mouseClick(dock.composer.chips.chips()[0], Qt.MouseButton.LeftButton)
    assert dock.composer.text() == "compare with and "
    dock.composer.edit.undo()
    assert dock.composer.text() == "compare with @bus_stops and "


def test_backspace_deletes_a_token_whole(dock: AgentDock) -> None:
    write(dock, "zoom to @schools")
    press(dock, Key.Key_Escape)
    press(dock, Key.Key_Backspace)
    assert dock.composer.text() == "zoom to "


def test_tokens_are_found_behind_characters_of_two_units(dock: AgentDock) -> None:
    commit(dock, "🗺🗺 @schools")
    press(dock, Key.Key_Escape)
    assert chips(dock) == ["schools"]
    marked = dock.composer.edit.extraSelections()[0].cursor
    assert marked.selectedText() == "@schools"
    press(dock, Key.Key_Backspace)
    assert dock.composer.text() == "🗺🗺 "


# input methods


def test_a_name_in_chinese_is_completed_after_the_input_method(dock: AgentDock, controller: FakeController) -> None:
    commit(dock, "缩放到")
    write(dock, "@")
    assert "学校" in titles(dock)
    compose(dock, "xue'xiao")
    row = dock.composer.completion.suggestions().currentRow()
    for key in (Key.Key_Down, Key.Key_Return, Key.Key_Escape):
        press(dock, key)
    assert controller.started == [] and dock.composer.text() == "缩放到@", "the keys are the input method's"
    assert dock.composer.completion.suggestions().currentRow() == row
    commit(dock, "学")
    assert titles(dock)[0] == "学校"
    press(dock, Key.Key_Return)
    assert dock.composer.text() == "缩放到@学校 "
    press(dock, Key.Key_Return)
    assert controller.started == ['缩放到"学校"']


def test_text_may_follow_a_chinese_name_at_once(world: Any) -> None:
    found = References(world.host)
    assert found.expand("把@学校缓冲500米") == '把"学校"缓冲500米'
    assert found.expand("把@学校.人数相加") == '把"人数" of "学校"相加'
    assert found.expand("@schoolsx") == "@schoolsx"


# commands


def test_slash_lists_the_commands_with_help(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "/")
    assert titles(dock) == [
        "/new", "/undo", "/plan", "/model", "/picture", "/compact", "/sessions", "/permissions", "/export", "/help",
    ]  # fmt: skip
    shown = dock.composer.completion.suggestions()
    assert all(shown.item(row).data(Qt.ItemDataRole.UserRole + 1) for row in range(shown.count()))
    write(dock, "pl")
    assert titles(dock) == ["/plan"]
    press(dock, Key.Key_Return)
    assert controller.profile == "gis-plan" and dock.mode_strip.isVisible() and dock.composer.text() == ""
    write(dock, "/plan")
    press(dock, Key.Key_Return)
    assert controller.profile == "gis-build" and controller.started == []


def test_every_command_does_something(dock: AgentDock, controller: FakeController, qtbot: Any) -> None:
    for name, signal in (("model", dock.settings_asked), ("permissions", dock.permissions_asked)):
        with qtbot.waitSignal(signal, timeout=500):
            write(dock, "/" + name)
            press(dock, Key.Key_Return)
    write(dock, "/help")
    press(dock, Key.Key_Return)
    card = dock.conversation.findChild(HelpCard)
    assert card is not None and "/undo" in card.text and "Shift+Enter" in card.accessibleDescription()
    write(dock, "/sessions")
    press(dock, Key.Key_Return)
    assert dock.sessions.isVisible()
    dock.focus_composer()
    write(dock, "/new")
    press(dock, Key.Key_Return)
    assert controller.conversations == 1 and dock.conversation.findChildren(UserBubble) == []
    write(dock, "/export")
    press(dock, Key.Key_Return)
    assert dock.composer.note.text() == "Nothing has been said yet."
    write(dock, "/undo")
    press(dock, Key.Key_Return)
    assert dock.composer.note.text() == "There is nothing to undo."
    dock.send("x")
    controller.end(answer="y")
    with qtbot.waitSignal(dock.export_asked, timeout=500):
        write(dock, "/export")
        press(dock, Key.Key_Return)
    assert controller.started == ["x"]


def test_an_unknown_command_is_told_and_nothing_is_sent(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "/redo everything")
    press(dock, Key.Key_Return)
    assert controller.started == [] and dock.composer.text() == "/redo everything"
    assert "/redo" in dock.composer.note.text() and "/undo" in dock.composer.note.text()
    assert dock.composer.note.isVisible()
    write(dock, "!")
    assert not dock.composer.note.isVisible()


def test_a_path_is_a_message(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "/data/x.gpkg please")
    press(dock, Key.Key_Return)
    assert controller.started == ["/data/x.gpkg please"]


# dropping


def drop(dock: AgentDock, mime: QMimeData, at: QPointF) -> QDropEvent:
    """As the layer panel gives it: a move is proposed."""
    edit, move = dock.composer.edit, Qt.DropAction.MoveAction
    both, left, none = move | Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), both, mime, left, none)
    QCoreApplication.sendEvent(edit.viewport(), enter)
    assert enter.isAccepted()
    event = QDropEvent(at, both, mime, left, none)
    event.setDropAction(move)
    QCoreApplication.sendEvent(edit.viewport(), event)
    return event


def test_layers_of_the_layer_panel_are_dropped(dock: AgentDock, world: Any) -> None:
    model = QgsLayerTreeModel(world.host.project.layerTreeRoot())
    nodes = [
        model.node2index(world.host.project.layerTreeRoot().findLayer(each)) for each in (world.stops, world.chinese)
    ]
    event = drop(dock, model.mimeData(nodes), QPointF(5, 5))
    assert event.dropAction() == Qt.DropAction.CopyAction, "the layer panel removes what was moved away"
    assert set(chips(dock)) == {"bus_stops", "学校"}
    assert dock.composer.references.expand(dock.composer.text()).split() == [
        each.replace("@", '"') + '"' for each in dock.composer.text().split()
    ]


def test_a_file_becomes_its_path(dock: AgentDock, world: Any, controller: FakeController) -> None:
    names = ("a b.shp", "a b.shx", "a b.dbf")
    for name in names:
        (world.folder / name).write_bytes(b"x")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(world.folder / each)) for each in names])
    write(dock, "add")
    dock.composer.edit.insertFromMimeData(mime)
    assert chips(dock) == ["a b.shp"], "one chip for all parts of a shapefile"
    press(dock, Key.Key_Return)
    said = controller.started[0]
    assert said.startswith('add "') and said.endswith('a b.shp"')
    path = said[len('add "') : -1]
    assert world.host.paths.readable(path) == (world.folder / "a b.shp").resolve()


def test_a_file_outside_of_the_allowed_folders_is_told(
    dock: AgentDock, world: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("elsewhere") / "secret.gpkg"
    other.write_bytes(b"x")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(other))])
    dock.composer.edit.insertFromMimeData(mime)
    assert dock.composer.text() == "" and chips(dock) == [] and dock.composer.note.text()


def test_text_is_pasted_plain(dock: AgentDock) -> None:
    mime = QMimeData()
    mime.setHtml("<b>bold</b>")
    mime.setText("bold")
    dock.composer.edit.insertFromMimeData(mime)
    assert dock.composer.text() == "bold"


# history


def test_history_is_kept_by_project(tmp_path: Path) -> None:
    path, name = tmp_path / "sent.json", str(tmp_path / "a.qgz")
    first = SentMessages(lambda: path, lambda: name)
    for text in ("one", "two", "two", "key sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"):
        first.add(text)
    assert path.stat().st_mode & 0o077 == 0
    other = SentMessages(lambda: path, lambda: str(tmp_path / "b.qgz"))
    assert other.messages() == []
    other.add("three")
    again = SentMessages(lambda: path, lambda: name)
    assert again.messages()[:2] == ["one", "two"] and len(again.messages()) == 3
    raw = path.read_text(encoding="utf-8")
    assert "abcdefghijklmnopqrstuvwxyz0123456789ABCD" not in raw and str(tmp_path) not in raw
    path.write_text("{broken", encoding="utf-8")
    assert SentMessages(lambda: path, lambda: name).messages() == []
    path.write_text(json.dumps({"x": 5}), encoding="utf-8")
    assert SentMessages(lambda: path, lambda: name).messages() == []


def test_up_brings_back_what_was_typed(dock: AgentDock, controller: FakeController) -> None:
    write(dock, "zoom to @schools ")
    press(dock, Key.Key_Return)
    controller.end()
    press(dock, Key.Key_Up)
    assert dock.composer.text() == "zoom to @schools" and chips(dock) == ["schools"] and titles(dock) == []


# changing the last message


def test_the_last_message_is_changed_and_sent_again(dock: AgentDock, controller: FakeController) -> None:
    dock.send("first")
    assert bubbles(dock)[-1].edit_button is None or bubbles(dock)[-1].edit_button.isHidden(), "not while it works"
    controller.end(answer="ok")
    write(dock, "draft")
    button = bubbles(dock)[-1].edit_button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert dock.composer.text() == "first" and dock.composer.editing.isVisible()
    press(dock, Key.Key_Escape)
    assert dock.composer.text() == "draft" and not dock.composer.editing.isVisible() and controller.stops == 0
    QTest.keyClick(button, Key.Key_Space)
    dock.composer.set_text("second")
    press(dock, Key.Key_Return)
    assert controller.started == ["first", "second"] and not dock.composer.editing.isVisible()
    shown = bubbles(dock)
    controller.end(answer="ok")
    settle()
    assert [each.edit_button.isVisible() for each in shown] == [False, True], "only the last one"


class Checkpoints:
    """Records what is undone; what it is asked for it takes back, unless ``keeps``."""

    def __init__(self) -> None:
        self.kept = {"r1": ["Style of schools"], "r2": ["Layer x"]}
        self.undone: list[str] = []
        self.keeps = False

    def runs(self) -> list[Any]:
        return [SimpleNamespace(run_id=key, changes=each, not_restorable=[]) for key, each in self.kept.items()]

    def undo(self, run_id: str, _agreed: Any = frozenset()) -> Any:
        self.undone.append(run_id)
        if not self.keeps:
            del self.kept[run_id]
        return SimpleNamespace(undone=["Style"], conflicts=[], failed=[], not_restorable=[], complete=not self.keeps)


@pytest.mark.parametrize("answer", ["undo", "keep", "leave", "undo_fails"])
def test_whether_the_map_goes_back_is_asked(dock: AgentDock, controller: FakeController, answer: str) -> None:
    checkpoints = Checkpoints()
    dock.undoing._checkpoints = checkpoints
    checkpoints.keeps = answer == "undo_fails"
    dock.send("colour the schools")
    controller.say("turn_started", run_id="r1")
    controller.end(answer="ok")
    settle()
    bubbles(dock)[-1].edit_button.click()
    dock.composer.set_text("colour them red")
    press(dock, Key.Key_Return)
    asking = dock.composer.asking
    assert asking.isVisible() and len(controller.started) == 1, "nothing is sent before the answer"
    assert "Style of schools" in asking.undo_button.accessibleDescription() and asking.undo_button.hasFocus()
    button = {"keep": asking.keep_button, "leave": asking.leave_button}.get(answer, asking.undo_button)
    QTest.keyClick(button, Key.Key_Space)
    settle()
    assert checkpoints.undone == (["r1"] if answer in ("undo", "undo_fails") else [])
    assert len(controller.started) == (2 if answer in ("undo", "keep") else 1)
    assert dock.composer.text() == ("colour them red" if answer == "undo_fails" else "")
    if answer == "undo_fails":
        assert "Not everything" in dock.composer.note.text()


def test_the_list_stays_above_the_field_when_chips_go(dock: AgentDock) -> None:
    write(dock, "see @schools ")
    settle()
    dock.composer.set_text("")
    write(dock, "@")
    settle()
    shown = dock.composer.completion.suggestions()
    assert 0 <= dock.composer.geometry().top() - shown.geometry().bottom() <= 4


def test_the_list_stays_inside_a_narrow_panel(dock: AgentDock) -> None:
    dock.window().resize(270, 300)
    settle()
    write(dock, "@")
    settle()
    shown = dock.composer.completion.suggestions()
    panel = shown.parentWidget().rect()
    assert panel.contains(shown.geometry()) and shown.height() >= shown.sizeHintForRow(0)
    assert shown.mapTo(shown.parentWidget(), QPoint(0, 0)).y() >= 0
