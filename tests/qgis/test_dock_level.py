"""The level in the panel: seen, explained, and changed there; and texts of others in tool tips."""

from __future__ import annotations

from typing import Any

import pytest
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest

from qgis_agent.gui.dock.level_button import LevelButton
from qgis_agent.gui.dock.status_line import StatusLine
from qgis_agent.gui.surfaces import ElidedLabel

LEVELS = ["read_only", "safe_write", "full_access"]


@pytest.fixture
def button(qtbot: Any) -> LevelButton:
    made = LevelButton()
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_level_is_said_and_explained(button: LevelButton) -> None:
    assert button.level == "safe_write" and button.text() == "Safe"
    button.show_level("read_only")
    assert button.text() == "Read only" and "Read only" in button.accessibleName()
    assert "never writes files" in button.toolTip() and "never writes files" in button.accessibleDescription()
    assert [level for level in LEVELS if button.actions_by_level[level].isChecked()] == ["read_only"]


def test_another_level_is_chosen_from_the_menu(button: LevelButton) -> None:
    chosen: list[str] = []
    button.chosen.connect(chosen.append)
    assert list(button.actions_by_level) == LEVELS
    button.actions_by_level["read_only"].trigger()
    button.actions_by_level["read_only"].trigger()
    assert chosen == ["read_only"] and button.level == "read_only"
    asked: list[bool] = []
    button.permissions_asked.connect(lambda: asked.append(True))
    button.menu().actions()[-1].trigger()
    assert asked == [True]


def test_an_unknown_level_is_shown_as_the_default_and_not_as_a_laxer_one(button: LevelButton) -> None:
    button.show_level("everything")
    assert button.level == "safe_write"


def test_it_has_its_place_in_the_narrowest_panel(qtbot: Any) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(260, 30)
    line.show_state("running", "a model with a name that is very long indeed")
    line.show()
    QTest.qWait(10)
    right = line.level.geometry().right()
    assert line.level.isVisible() and right <= 260 and line.level.width() >= line.level.minimumSizeHint().width()
    assert line.level.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_the_tip_of_a_cut_text_is_no_markup(qtbot: Any) -> None:
    label = ElidedLabel("<img src='file:///etc/passwd'> " + "x" * 100)
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    QTest.qWait(10)
    label.grab()
    assert "<img" not in label.toolTip() and "&lt;img src=&#x27;file:///etc/passwd&#x27;&gt;" in label.toolTip()
