"""The page "Permissions": what a person sees and does there, and that it holds at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsSettings
from qgis.gui import QgsOptionsDialogBase
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QDialogButtonBox, QPushButton

from qgis_agent.gis.approvals import CallFacts
from qgis_agent.gis.grants import ALWAYS, GrantStore, Target, host_target
from qgis_agent.gis.rules import ASK, DENY, Rule, Rules, added_folders, chosen_level, set_added_folders
from qgis_agent.gui.settings.page import SettingsFactory
from qgis_agent.gui.settings.permissions_page import PERMISSIONS_KEY, PermissionsFactory, PermissionsPage
from qgis_agent.gui.settings.store import KeyRing


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


@pytest.fixture
def store(tmp_path: Path) -> GrantStore:
    made = GrantStore(lambda: "/data/Land use.qgz", tmp_path / "permissions.json")
    who = {"session": "s", "project_id": "p"}
    host = host_target("https://tiles.example.com/wms")
    made.add(caller="chat", tool="add_service_layer", effect="network", target=host, lifetime=ALWAYS, **who)
    layer = Target("layer", "<b>schools</b>", "digest", "id1")
    made.add(caller="mcp", tool="set_render_rule", effect="view", target=layer, **who)
    made.add(caller="chat", tool="run_algorithm", effect="create", target=Target(), **who)
    return made


def make(qtbot: Any, store: GrantStore, **more: Any) -> Any:
    applied: list[bool] = []
    page = PermissionsPage(store, Rules(), lambda: applied.append(True), **more)
    page.applied = applied
    page.resize(760, 900)
    qtbot.addWidget(page)
    page.show()
    return page


@pytest.fixture
def page(qtbot: Any, store: GrantStore) -> Any:
    return make(qtbot, store)


def test_each_grant_says_what_for_what_where_how_long_when_and_by_whom(page: Any, store: GrantStore) -> None:
    rows = {row[1]: row for row in page.grants_box.list.texts()}
    grant = next(each for each in store.listed() if each.target_kind == "host")
    words, target, project, holds, since, by = rows["tiles.example.com:443"]
    assert words == grant.tool and target == "tiles.example.com:443"
    assert project == "Land use.qgz" and holds == "always" and by == grant.by
    assert since[:4] == grant.created[:4] and len(since) == len("2026-11-30")
    assert rows["<b>schools</b>"][3] == "this session"
    assert len(rows) == 3


def test_names_of_others_are_shown_as_they_are_written(page: Any) -> None:
    view = page.grants_box.list
    items = [view.topLevelItem(row) for row in range(view.topLevelItemCount())]
    tips = [each.toolTip(1) for each in items if "schools" in each.text(1)]
    assert len(tips) == 1 and "&lt;b&gt;schools" in tips[0] and "<b>" not in tips[0]


def test_search_and_revoke_through_the_widgets(page: Any, store: GrantStore, qtbot: Any) -> None:
    box = page.grants_box
    assert not box.revoke_button.isEnabled()
    qtbot.keyClicks(box.search, "tiles")
    assert [row[1] for row in box.list.texts()] == ["tiles.example.com:443"]
    box.list.topLevelItem(0).setSelected(True)
    qtbot.mouseClick(box.revoke_button, Qt.MouseButton.LeftButton)
    assert "tiles.example.com:443" not in [each.target for each in store.listed()]
    assert box.list.topLevelItemCount() == 0 and "matches" in box.list.emptied
    box.search.clear()
    assert box.list.topLevelItemCount() == 2


def test_revoke_all_takes_what_the_search_shows(page: Any, store: GrantStore, qtbot: Any) -> None:
    box = page.grants_box
    box.search.setText("schools")
    assert box.revoke_all_button.text() == "Revoke the 1 shown"
    qtbot.mouseClick(box.revoke_all_button, Qt.MouseButton.LeftButton)
    assert len(store.listed()) == 2
    box.search.clear()
    assert box.revoke_all_button.text() == "Revoke all"
    qtbot.mouseClick(box.revoke_all_button, Qt.MouseButton.LeftButton)
    assert store.listed() == () and not box.revoke_all_button.isEnabled()


def test_the_keyboard_revokes_too(page: Any, store: GrantStore, qtbot: Any) -> None:
    view = page.grants_box.list
    view.setFocus()
    view.topLevelItem(0).setSelected(True)
    page.activateWindow()
    qtbot.waitUntil(view.hasFocus, timeout=3000)
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert len(store.listed()) == 2


def test_what_is_given_or_taken_elsewhere_appears(page: Any, store: GrantStore) -> None:
    store.revoke_all()
    assert page.grants_box.list.texts() == []
    host = host_target("https://new.example.com")
    store.add(caller="chat", tool="x", effect="network", target=host, session="s", project_id="p")
    assert [row[1] for row in page.grants_box.list.texts()] == ["new.example.com:443"]


def test_a_damaged_file_is_said_on_the_page(qtbot: Any, tmp_path: Path) -> None:
    file = tmp_path / "permissions.json"
    file.write_text("{")
    page = make(qtbot, GrantStore(lambda: "/data/a.qgz", file))
    assert page.grants_box.problem_label.isVisible()
    assert "permissions.json.bad" in page.grants_box.problem_label.text()


def test_an_empty_page_says_so(qtbot: Any, tmp_path: Path) -> None:
    page = make(qtbot, GrantStore(file=tmp_path / "none.json"))
    assert "no permission" in page.grants_box.list.emptied
    assert "No rules" in page.rules_box.list.emptied and "No other" in page.folders_box.list.emptied
    assert not page.grants_box.problem_label.isVisible() and not page.rules_box.problem_label.isVisible()
    assert page.grab().width() == 760


def test_the_level_is_kept_with_apply_only(page: Any) -> None:
    assert page.level_box.level() == "safe_write"
    page.level_box.buttons["read_only"].click()
    assert chosen_level() == "safe_write" and page.applied == []
    page.apply()
    assert chosen_level() == "read_only" and page.applied == [True]


def test_a_rule_is_chosen_typed_changed_and_removed(page: Any, qtbot: Any) -> None:
    box = page.rules_box
    assert not box.add_button.isEnabled()
    box.tool_box.setCurrentIndex(box.tool_box.findData("buffer_layer"))
    assert "Buffering" in box.tool_box.currentText()
    qtbot.mouseClick(box.add_button, Qt.MouseButton.LeftButton)
    box.tool_box.setEditText("run_algorithm:gdal:*")
    box.action_box.setCurrentIndex(box.action_box.findData(DENY))
    qtbot.keyClick(box.tool_box, Qt.Key.Key_Return)
    assert box.list.texts()[0] == ["buffer_layer", "Buffering …", "Ask every time"]
    assert Rules().listed() == ()
    page.apply()
    assert Rules().listed() == (Rule("buffer_layer", ASK), Rule("run_algorithm:gdal:*", DENY))
    box.tool_box.setEditText("buffer_layer")
    qtbot.mouseClick(box.add_button, Qt.MouseButton.LeftButton)
    box.list.topLevelItem(0).setSelected(True)
    qtbot.mouseClick(box.remove_button, Qt.MouseButton.LeftButton)
    page.apply()
    assert Rules().listed() == (Rule("buffer_layer", DENY),)


@pytest.mark.parametrize("text", ["", "Buffer Layer", "zoom_to:x", "<b>", "run_algorithm:"])
def test_what_is_no_rule_cannot_be_added(page: Any, qtbot: Any, text: str) -> None:
    page.rules_box.tool_box.setEditText(text)
    assert not page.rules_box.add_button.isEnabled()
    qtbot.keyClick(page.rules_box.tool_box, Qt.Key.Key_Return)
    assert page.rules_box.edited == []


def test_rules_that_cannot_be_read_stay_until_they_are_set_again(qtbot: Any, store: GrantStore) -> None:
    QgsSettings().setValue("qgis_agent/permissions/rules", "{")
    page = make(qtbot, store)
    assert page.rules_box.problem_label.isVisible()
    page.apply()
    assert Rules().of("zoom_to") == ASK
    page.rules_box.tool_box.setEditText("zoom_to")
    page.rules_box.add()
    page.apply()
    assert Rules().listed() == (Rule("zoom_to", ASK),) and Rules().of("search_layers") == "as_level"


def test_folders_are_added_and_removed(page: Any, tmp_path: Path, qtbot: Any) -> None:
    box = page.folders_box
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    second.mkdir()
    box.add("read", str(first))
    box.add("write", str(second))
    box.add("write", str(first))
    assert added_folders("write") == []
    page.apply()
    assert sorted(added_folders("write")) == sorted(os.path.realpath(str(each)) for each in (first, second))
    assert added_folders("read") == []
    box.add("read", os.sep)
    assert box.note.isVisible() and len(box.edited) == 2
    box.list.topLevelItem(0).setSelected(True)
    qtbot.mouseClick(box.remove_button, Qt.MouseButton.LeftButton)
    page.apply()
    assert len(added_folders("write")) == 1
    set_added_folders("write", [])


def test_enter_in_a_field_does_not_close_the_options(page: Any, qtbot: Any) -> None:
    dialog = QgsOptionsDialogBase("test", None)
    qtbot.addWidget(dialog)
    closed: list[bool] = []
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok, dialog)
    buttons.accepted.connect(lambda: closed.append(True))
    buttons.button(QDialogButtonBox.StandardButton.Ok).setDefault(True)
    page.setParent(dialog)
    dialog.show()
    for field in (page.grants_box.search, page.rules_box.tool_box.lineEdit()):
        field.setFocus()
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert closed == []
    page.setParent(None)


def test_every_control_has_a_name_and_is_reached_by_tab(page: Any) -> None:
    boxes = [page.grants_box, page.rules_box, page.folders_box]
    for box in boxes:
        assert box.list.accessibleName()
        for button in box.findChildren(QPushButton):
            assert button.text() and button.focusPolicy() & Qt.FocusPolicy.TabFocus
            assert not button.autoDefault()
    assert page.grants_box.search.accessibleName() and page.rules_box.action_box.accessibleName()
    assert not page.grants_box.list.tabKeyNavigation()


def test_the_audit_log_is_written_where_the_person_says(qtbot: Any, store: GrantStore, tmp_path: Path) -> None:
    paths: list[str] = []
    page = make(qtbot, store, export_audit=lambda path: paths.append(path) or 3)
    page.export_audit(str(tmp_path / "out.csv"))
    assert paths == [str(tmp_path / "out.csv")] and page.audit_note.text().startswith("3 entries")

    def refuse(_path: str) -> int:
        raise OSError(28, "No space left on device")

    broken = make(qtbot, store, export_audit=refuse)
    broken.export_audit("x")
    assert "No space left" in broken.audit_note.text()


def test_a_change_of_level_or_folders_goes_to_the_audit_log(qtbot: Any, store: GrantStore, tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, str]]] = []
    page = make(qtbot, store, record=lambda kind, **fields: told.append((kind, fields)))
    page.apply()
    assert told == []
    real = os.path.realpath(str(tmp_path))
    page.level_box.buttons["full_access"].click()
    page.folders_box.add("read", real)
    page.apply()
    page.folders_box.edited = []
    page.apply()
    assert told == [
        ("level_changed", {"level": "full_access", "before": "safe_write"}),
        ("folder_added", {"mode": "read", "path": real}),
        ("folder_removed", {"mode": "read", "path": real}),
    ]


def test_qgis_gets_the_page_from_a_factory(qtbot: Any, store: GrantStore) -> None:
    factory = PermissionsFactory(QIcon(), store, Rules(), lambda: None)
    assert factory.key() == PERMISSIONS_KEY and factory.title()
    own = SettingsFactory(QIcon(), KeyRing(storage=False), lambda: None, lambda: None)
    assert factory.path() == [own.title()]
    made = factory.createWidget()
    qtbot.addWidget(made)
    assert made is factory.page and made.objectName() == PERMISSIONS_KEY


def test_changes_hold_for_a_run_that_goes_on(bench: Bench, qtbot: Any) -> None:
    """A rule from the page counts at the next decision of a capability that was issued before."""
    capability = bench.issue(caller="chat")
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 2)", [])], "schools"))
    ledger = bench.host.ledger
    page = PermissionsPage(ledger.grants, ledger.rules, lambda: None)
    qtbot.addWidget(page)
    facts = CallFacts(tool="toggle_layer", effect="view")
    assert ledger.decide(capability, facts).outcome == "allow"
    page.rules_box.tool_box.setEditText("toggle_*")
    page.rules_box.action_box.setCurrentIndex(page.rules_box.action_box.findData(DENY))
    page.rules_box.add()
    page.apply()
    assert ledger.decide(capability, facts).outcome == "deny"
    assert bench.call("toggle_layer", layer_id="schools", visible=False)["code"] == "FORBIDDEN"


def test_a_rule_for_no_tool_says_so(page: Any) -> None:
    """A name that was mistyped protects nothing, and the person sees it."""
    box = page.rules_box
    for name in ("togle_layer", "toggle_layer"):
        box.tool_box.setEditText(name)
        box.add_button.click()
    shown = [box.list.topLevelItem(row).text(1) for row in range(2)]
    assert "no tool of this name" in shown[0] and "no tool" not in shown[1]
