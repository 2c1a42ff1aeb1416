"""Earlier conversations in the dock: found, opened, renamed, exported, deleted; and how the agent works and what it used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from qgis.core import QgsProject
from qgis.PyQt.QtCore import QLocale, Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QMainWindow, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.bridge.messages import EVENT_FIELDS
from qgis_agent.gis import runs, sessions
from qgis_agent.gui.dock import mode_button
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.dock.usage_meter import SessionUsage
from qgis_agent.gui.dock.user_bubble import UserBubble
from qgis_agent.gui.sessions_desk import SessionsDesk, suggested_path

SAID = [{"role": "user", "text": "How many schools?"}, {"role": "assistant", "text": "There are **31**."}]


def past(run_id: str, text: str, answer: str, *events: dict[str, Any], **report: Any) -> dict[str, Any]:
    """A run as the agent process tells it."""
    told = {"ok": True, "termination": "completed", "answer": answer, "steps": [], **report}
    run = {"run_id": run_id, "at": 1_760_000_000.0, "ms": 1500, "text": text, "ended": True}
    return {**run, "events": list(events), "report": told}


class Talking(FakeController):
    """A controller whose agent process has two conversations."""

    def __init__(self, project: QgsProject) -> None:
        super().__init__()
        self.host = SimpleNamespace(project=project, checkpoints=None)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.gone_on: list[str] = []
        self.said: dict[str, list[dict[str, str]]] = {"s-1": SAID, "s-2": [{"role": "user", "text": "Roads"}]}
        self.titles = {"s-1": "How many schools?", "s-2": "Roads"}
        self.refusal = ""
        self.runs = {"s-1": [past("r1", "How many schools?", "There are **31**."), past("r2", "And roads?", "9.")]}
        self.usage: dict[str, Any] = {}
        self.project = {"key": "", "name": ""}

    def ask_agent(self, method: str, params: dict[str, Any], done: Callable[[Any, str], None]) -> None:
        self.asked.append((method, params))
        ident = str(params.get("session_id"))
        if method == "sessions/list":
            done(self._list(params["query"]), "")
        elif self.refusal:
            done({"done": False, "messages": [], "runs": [], "reason": self.refusal}, "")
        elif method == "session/runs":
            done(self._runs(ident, params.get("before")), "")
        elif method == "session/load":
            end = params.get("before", len(self.said[ident]))
            page = {"messages": self.said[ident][end - 1 : end], "first": end - 1, "total": len(self.said[ident])}
            done({"session_id": ident, "reason": "", **page}, "")
        elif method == "sessions/rename":
            self.titles[ident] = params["title"]
            done({"done": True, "reason": ""}, "")
        else:
            del self.titles[ident]
            done({"done": True, "reason": ""}, "")

    def _runs(self, ident: str, before: int | None) -> dict[str, Any]:
        """One run a page; of the last one comes what all of them used."""
        runs = self.runs[ident]
        end = len(runs) if before is None else before
        page = {"session_id": ident, "runs": runs[end - 1 : end], "first": end - 1, "total": len(runs), "reason": ""}
        return page if before is not None else {**page, "usage": self.usage, "project": self.project}

    def _list(self, query: str) -> dict[str, Any]:
        found = [
            {"session_id": key, "title": title, "at": 1_760_000_000.0, "size": 2048, "requests": 2, "project": "city"}
            for key, title in self.titles.items()
            if query.casefold() in title.casefold()
        ]
        return {"sessions": found, "total": len(found)}

    def go_on_with(self, session_id: str) -> bool:
        if self.running:
            return False
        self.gone_on.append(session_id)
        self.session_id = session_id
        return True


class Here:
    """Dock, desk and controller."""

    def __init__(self, qtbot: Any) -> None:
        self.controller = Talking(QgsProject.instance())
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.dock = AgentDock(self.controller, lambda: ["How many schools are there?"], parent=self.window)
        dock = self.dock
        self.desk = SessionsDesk(
            self.controller, dock.sessions, dock.show_history, dock.new_conversation, dock.leave_sessions
        )
        self.window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        self.window.setCentralWidget(QWidget())
        self.window.resize(760, 640)
        self.window.show()
        self.window.resizeDocks([dock], [320], Qt.Orientation.Horizontal)
        self.controller.status_changed.emit("idle", "openai/gpt-4.1-mini")
        QTest.qWait(20)

    @property
    def panel(self) -> Any:
        return self.dock.sessions

    def titles(self) -> list[str]:
        return [self.panel.rows.item(row).text() for row in range(self.panel.rows.count())]

    def methods(self) -> list[str]:
        return [method for method, _params in self.controller.asked]


@pytest.fixture
def here(qtbot: Any) -> Iterator[Here]:
    made = Here(qtbot)
    yield made
    made.window.close()


def click(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_header_opens_the_list_of_this_project(here: Here) -> None:
    click(here.dock.header.sessions_button)
    assert here.titles() == ["How many schools?", "Roads"]
    method, params = here.controller.asked[0]
    assert (method, params["project_key"]) == ("sessions/list", sessions.project_key(QgsProject.instance()))
    assert here.dock.conversation.isHidden() and here.panel.isVisible()
    QTest.keyClick(here.panel.search, Qt.Key.Key_Escape)
    assert here.panel.isHidden() and here.dock.conversation.isVisible()


def test_all_projects_are_looked_through_when_asked_for(here: Here) -> None:
    here.dock.show_sessions()
    here.panel.all_projects.click()
    assert "project_key" not in here.controller.asked[-1][1]
    assert "city" in here.panel.rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_search_waits_for_the_last_key(here: Here) -> None:
    here.dock.show_sessions()
    QTest.keyClicks(here.panel.search, "road")
    assert here.methods() == ["sessions/list"]
    QTest.qWait(300)
    assert here.titles() == ["Roads"] and here.methods() == ["sessions/list"] * 2
    QTest.keyClicks(here.panel.search, "xyz")
    QTest.keyClick(here.panel.search, Qt.Key.Key_Return)
    assert here.titles() == [] and here.panel.note.text() and not here.panel.open_button.isEnabled()


def test_enter_opens_a_conversation_and_the_next_message_belongs_to_it(here: Here, qtbot: Any) -> None:
    here.dock.show_sessions()
    here.panel.rows.setCurrentRow(0)
    here.panel.rows.setFocus()
    QTest.keyClick(here.panel.rows, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not here.dock.conversation.earlier.busy, timeout=20_000)
    assert here.controller.gone_on == ["s-1"] and here.panel.isHidden()
    loads = [params for method, params in here.controller.asked if method == "session/runs"]
    assert loads == [{"session_id": "s-1", "own": True}, {"session_id": "s-1", "before": 1}], (
        "the older ones are asked for"
    )
    shown = [each.text for each in here.dock.conversation.findChildren(UserBubble) if not each.isHidden()]
    assert sorted(shown) == ["And roads?", "How many schools?"]
    assert not here.dock.conversation.is_empty()


def test_a_conversation_of_another_qgis_stays_there(here: Here) -> None:
    here.controller.refusal = "in_use"
    here.dock.show_sessions()
    here.desk.open("s-1")
    assert here.controller.gone_on == [] and "Another QGIS" in here.panel.note.text() and here.panel.isVisible()


def test_nothing_is_opened_while_a_request_runs(here: Here) -> None:
    here.controller.running = True
    here.dock.show_sessions()
    here.desk.open("s-1")
    assert here.controller.gone_on == [] and here.panel.note.text() == sessions.why("running")


def test_rename_in_place(here: Here) -> None:
    here.dock.show_sessions()
    here.panel.rows.setCurrentRow(1)
    click(here.panel.rename_button)
    editor = here.panel.rows.findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "Main roads")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.qWait(20)
    assert here.controller.titles["s-2"] == "Main roads" and here.titles()[1] == "Main roads"
    here.controller.refusal = "in_use"
    here.panel.rows.renamed.emit("s-2", "Other")
    assert here.titles()[1] == "Main roads" and "Another QGIS" in here.panel.note.text()


def answer(here: Here, yes: bool) -> None:
    box = here.desk.question
    role = box.ButtonRole.DestructiveRole if yes else box.ButtonRole.RejectRole
    click(next(each for each in box.buttons() if box.buttonRole(each) == role))
    QTest.qWait(20)


def test_delete_asks_first(here: Here) -> None:
    here.dock.show_sessions()
    here.panel.rows.setCurrentRow(0)
    click(here.panel.delete_button)
    assert "How many schools?" in here.desk.question.text()
    assert here.desk.question.textFormat() == Qt.TextFormat.PlainText
    answer(here, False)
    assert "sessions/delete" not in here.methods()
    here.panel.rows.setFocus()
    QTest.keyClick(here.panel.rows, Qt.Key.Key_Delete)
    answer(here, True)
    assert here.methods().count("sessions/delete") == 1 and here.titles() == ["Roads"]


def test_the_conversation_that_is_shown_is_left_before_it_is_deleted(here: Here) -> None:
    here.controller.session_id = "s-1"
    here.dock.show_sessions()
    here.panel.delete_asked.emit("s-1")
    answer(here, True)
    assert here.controller.conversations == 1 and "s-1" not in here.controller.titles


def test_export_writes_markdown(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "中文 notes"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_all: (str(target), "")))
    here.dock.show_sessions()
    here.panel.export_asked.emit("s-1")
    text = (tmp_path / "中文 notes.md").read_text(encoding="utf-8")
    assert text == "# How many schools?\n\n> How many schools?\n\nThere are **31**.\n"
    assert str(target) in here.panel.note.text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_all: (str(tmp_path / "no" / "x.md"), "")))
    here.panel.export_asked.emit("s-1")
    assert "could not be written" in here.panel.note.text()


def test_a_title_becomes_a_name_that_any_system_takes() -> None:
    name = suggested_path('a/b\\c:"d"?* <e>|' + "x" * 200).rpartition("/")[2]
    assert not set('\\:"?*<>|') & set(name) and len(name) <= 64 and name.endswith(".md")


def test_projects_have_keys_of_their_own(tmp_path: Path) -> None:
    project = QgsProject()
    assert sessions.project_key(project) == ""
    keys = []
    for name in ("a.qgz", "b.qgz"):
        assert project.write(str(tmp_path / name))
        keys.append(sessions.project_key(project))
    assert len(set(keys)) == 2 and all(len(each) == 16 for each in keys)
    assert str(tmp_path) not in str(sessions.project_fields(project))


# how the agent works


def test_plan_mode_is_chosen_seen_and_left(here: Here) -> None:
    dock = here.dock
    dock.status.mode.actions_by_profile[runs.PLAN_PROFILE].trigger()
    assert here.controller.profile == runs.PLAN_PROFILE
    assert dock.mode_strip.isVisible() and "Nothing changes" in dock.mode_strip.text()
    assert dock.status.level.isHidden(), "a level means nothing where nothing is changed"
    click(dock.mode_strip.button)
    assert here.controller.profile == runs.APPLY_PROFILE
    assert not dock.mode_strip.isVisible() and dock.status.level.isVisible()
    assert mode_button.APPLY_PROFILE == runs.APPLY_PROFILE and mode_button.PLAN_PROFILE == runs.PLAN_PROFILE


def test_the_model_menu_names_models_and_settings(here: Here) -> None:
    button, chosen, asked = here.dock.status.model, [], []
    button.chosen.connect(chosen.append)
    button.settings_asked.connect(lambda: asked.append(True))
    button.show_models([("model", "a&b", True), ("offline", "Offline commands", False)])
    actions = [each for each in button.fill_menu().actions() if not each.isSeparator()]
    assert [each.text() for each in actions][:2] == ["a&&b", "Offline commands"]
    assert [each.isChecked() for each in actions[:2]] == [True, False]
    actions[1].trigger()
    actions[2].trigger()
    assert chosen == ["offline"] and asked == [True]


# what it used


def usage(**parts: Any) -> dict[str, Any]:
    plain = {
        "turn": 1,
        "input_tokens": 1000,
        "output_tokens": 200,
        "cached_tokens": 300,
        "source": "provider",
        "context_tokens": 30_000,
        "context_limit": 60_000,
        "pressure": "ok",
        "cost": "$0.0120",
    }
    assert set(plain) == set(EVENT_FIELDS["usage"])
    return {"type": "usage", **plain, **parts}


def test_the_meter_is_there_once_something_was_counted(here: Here) -> None:
    meter = here.dock.status.usage
    assert meter.isHidden()
    here.controller.run_event.emit(usage())
    here.controller.run_event.emit(usage(cost="$0.0005"))
    assert meter.isVisible() and meter.usage.share == 0.5
    total = QLocale().toString(2400)
    assert any(total in line for line in meter.lines()) and "Cost: $0.0125" in meter.lines()
    assert "50" in meter.accessibleName()
    here.dock.new_conversation()
    assert meter.isHidden()


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        (["unknown"], "unknown"),
        (["$0.0120", "unknown"], "$0.0120 + unknown"),
        (["$0.0120", "~$0.0100"], "~$0.0220"),
        (["¥0.5000", "$0.1000"], "$0.1000 + ¥0.5000"),
        (["<$0.0001", "$0.0100"], "~$0.0101"),
        (["", ""], ""),
    ],
)
def test_costs_are_added_and_what_is_unknown_stays_so(costs: list[str], shown: str) -> None:
    session = SessionUsage()
    for cost in costs:
        session.take(usage(cost=cost))
    assert session.cost_text() == shown


def test_estimates_are_marked(qtbot: Any) -> None:
    session = SessionUsage()
    session.take(usage(source="estimated", context_limit=None))
    assert session.tokens_text().startswith("~") and session.share is None


@pytest.mark.parametrize("width", [260, 320])
def test_the_status_line_fits_narrow_panels(here: Here, width: int) -> None:
    here.controller.run_event.emit(usage())
    here.window.resizeDocks([here.dock], [width], Qt.Orientation.Horizontal)
    QTest.qWait(20)
    status = here.dock.status
    for part in (status.mode, status.level, status.usage):
        assert part.width() >= part.sizeHint().width() or part is status.usage, part.accessibleName()
        assert part.geometry().right() <= status.width()


@pytest.fixture(autouse=True)
def nothing_open() -> Iterator[None]:
    yield
    QgsProject.instance().clear()
