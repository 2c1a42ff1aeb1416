"""Undo in the dock: the button below a run that changed something, what it says afterwards, and what it asks before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from qgis.PyQt.QtCore import QObject, Qt, pyqtSignal
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QMainWindow, QTextEdit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gis.errors import UNSUPPORTED, ToolError
from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.dialogs.undo_conflicts import UndoConflicts
from qgis_agent.gui.dock.dock import AgentDock

CONFLICT = {"key": "style/x", "what": "Style of schools & <b>others</b>", "words": "you changed it since"}


@dataclass
class Report:
    """An UndoReport of gis/undo/items.py."""

    undone: list[str] = field(default_factory=list)
    conflicts: list[dict[str, str]] = field(default_factory=list)
    not_restorable: list[str] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return not self.conflicts and not self.failed


class FakeCheckpoints(QObject):
    """Stands in for gis/undo/checkpoints.py; ``answers`` are the reports to come."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Any] = {}
        self.answers: list[Any] = []
        self.asked: list[tuple[str, frozenset[str]]] = []

    def did(self, run_id: str, *changes: str, lost: tuple[str, ...] = ()) -> None:
        self.kept[run_id] = SimpleNamespace(run_id=run_id, changes=list(changes), not_restorable=list(lost))
        self.changed.emit()

    def runs(self) -> list[Any]:
        return list(self.kept.values())

    def undo(self, run_id: str, agreed: frozenset[str] = frozenset()) -> Any:
        self.asked.append((run_id, agreed))
        report = self.answers.pop(0)
        if isinstance(report, ToolError):
            raise report
        if report.complete:
            self.kept.pop(run_id, None)
        self.changed.emit()
        return report


@pytest.fixture
def checkpoints() -> FakeCheckpoints:
    return FakeCheckpoints()


@pytest.fixture
def controller(checkpoints: FakeCheckpoints) -> FakeController:
    made = FakeController()
    made.host = SimpleNamespace(checkpoints=checkpoints)
    return made


@pytest.fixture
def dock(controller: FakeController, qtbot: Any) -> Iterator[AgentDock]:
    window = QMainWindow()
    qtbot.addWidget(window)
    made = AgentDock(controller, list, parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, made)
    window.resize(700, 600)
    window.show()
    QTest.qWait(10)
    yield made
    window.close()


def run(dock: AgentDock, controller: FakeController, run_id: str, *changes: str, lost: tuple[str, ...] = ()) -> Any:
    """A run that changed something; returns its view."""
    dock.send("do " + run_id)
    controller.say("turn_started", run_id=run_id)
    if changes:
        controller.host.checkpoints.did(run_id, *changes, lost=lost)
    controller.end(answer="Done.")
    QTest.qWait(5)
    return dock.conversation.runs()[-1]


def click(button: Any) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QTest.qWait(5)


def test_only_a_run_that_changed_something_has_the_button(dock: AgentDock, controller: FakeController) -> None:
    assert run(dock, controller, "r1").undo is None
    line = run(dock, controller, "r2", "Style of schools", lost=("File x.gpkg",)).undo
    assert line.button.text() == "Undo this run" and line.button.isVisible() and line.button.isEnabled()
    assert "Style of schools" in line.button.toolTip() and "File x.gpkg" in line.button.accessibleDescription()


def test_what_was_undone_is_said_and_the_button_goes(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    line = run(dock, controller, "r1", "Style of schools").undo
    checkpoints.answers = [Report(undone=["Style of schools"], not_restorable=["File x.gpkg"])]
    line.button.setFocus()
    QTest.keyClick(line.button, Qt.Key.Key_Space)
    QTest.qWait(5)
    assert checkpoints.asked == [("r1", frozenset())]
    assert line.text() == "Undone: Style of schools\nCannot be taken back: File x.gpkg"
    assert not line.button.isVisible()


def test_what_the_person_changed_is_asked_about_and_kept_by_default(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    line = run(dock, controller, "r1", "Style of schools", "Layer hidden").undo
    checkpoints.answers = [
        Report(undone=["Layer hidden"], conflicts=[CONFLICT]),
        Report(conflicts=[CONFLICT]),
        Report(undone=["Style of schools"]),
    ]
    click(line.button)
    window = dock.undoing.conflicts_window()
    assert window is not None and [each.isChecked() for each in window.boxes.values()] == [False]
    assert not window.put_back.isEnabled() and window.focusWidget() is window.keep
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert len(checkpoints.asked) == 1, "kept: nothing more is done"
    assert "Layer hidden" in line.text() and "you changed it since" in line.text()
    assert line.button.isVisible() and line.button.text() == "Undo the rest…"
    click(line.button)
    window = dock.undoing.conflicts_window()
    window.boxes["style/x"].setChecked(True)
    click(window.put_back)
    assert checkpoints.asked[1:] == [("r1", frozenset()), ("r1", frozenset(["style/x"]))]
    assert line.text() == "Undone: Layer hidden; Style of schools" and not line.button.isVisible()


def test_stepping_back_through_runs_from_the_menu(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    told: list[bool] = []
    dock.undoing.available.connect(told.append)
    first = run(dock, controller, "r1", "one").undo
    second = run(dock, controller, "r2", "two").undo
    checkpoints.answers = [Report(undone=["two"]), Report(undone=["one"])]
    assert told[-1] is True
    dock.undoing.undo_last()
    assert (first.text(), second.text()) == ("", "Undone: two")
    dock.undoing.undo_last()
    assert first.text() == "Undone: one" and told[-1] is False
    dock.undoing.undo_last()
    assert [each for each, _agreed in checkpoints.asked] == ["r2", "r1"]


def test_another_project_takes_the_button_away_and_says_why(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    line = run(dock, controller, "r1", "one").undo
    checkpoints.kept.clear()
    checkpoints.changed.emit()
    assert not line.button.isVisible() and "another project is open" in line.text()


def test_nothing_is_undone_while_a_run_goes_on(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    line = run(dock, controller, "r1", "one").undo
    dock.send("more")
    assert not line.button.isEnabled()
    click(line.button)
    dock.undoing.undo_last()
    assert checkpoints.asked == []
    controller.end()
    assert line.button.isEnabled()


def test_why_it_cannot_be_undone_now_is_said(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    line = run(dock, controller, "r1", "one").undo
    checkpoints.answers = [ToolError(UNSUPPORTED, "A call still runs.", hint="Wait.", reason="busy")]
    click(line.button)
    notices = [each.text() for each in dock.conversation.findChildren(NoticeLine)]
    assert "A call still runs." in notices and line.button.isVisible()


def test_words_of_data_are_shown_as_they_are(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    evil = "<img src='file:///etc/passwd'> & more"
    line = run(dock, controller, "r1", evil).undo
    assert "<img" not in line.button.toolTip() and "&lt;img" in line.button.toolTip()
    checkpoints.answers = [Report(undone=[evil])]
    click(line.button)
    assert evil in line.findChild(QTextEdit).toPlainText()


def test_the_conflicts_show_the_words_of_data_plainly(qtbot: Any) -> None:
    window = UndoConflicts([CONFLICT, dict(CONFLICT, key="b")])
    qtbot.addWidget(window)
    window.show()
    labels = [each for each in window.findChildren(object) if callable(getattr(each, "textFormat", None))]
    assert labels and all(each.textFormat() == Qt.TextFormat.PlainText for each in labels)
    shown = " ".join(each.text().replace("\u200b", "") for each in labels)
    assert CONFLICT["what"] in shown and CONFLICT["words"] in shown
    keys: list[Any] = []
    window.agreed.connect(keys.append)
    window.boxes["b"].setChecked(True)
    window.put_back.click()
    assert keys == [frozenset(["b"])]


def test_undo_from_the_keyboard_shows_what_became_of_it(
    dock: AgentDock, controller: FakeController, checkpoints: FakeCheckpoints
) -> None:
    view = run(dock, controller, "r1", "Visibility: schools")
    for number in range(12):  # the run is far above
        run(dock, controller, "x{}".format(number))
    checkpoints.answers = [Report(undone=["Visibility: schools"])]
    dock.composer.set_text("undo")
    dock.composer.submit()
    QTest.qWait(400)
    assert checkpoints.asked == [("r1", frozenset())] and controller.started[-1] == "do x11"
    assert not view.undo.visibleRegion().isEmpty()
