"""The plugin's windows in each of their states, filled as a run fills them: for what is asked of all of them at once."""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dock_fakes import GOLDEN_REQUEST, FakeController, golden_report
from mcp_fakes import FakeAgent, FakeOwner
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QCoreApplication, QEvent, Qt
from qgis.PyQt.QtGui import QColor, QIcon, QImage
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QMainWindow, QWidget

from qgis_agent.environment_python import FoundPython
from qgis_agent.gis.cards import caller_text
from qgis_agent.gis.grants import ALWAYS, GrantStore, Target, host_target
from qgis_agent.gis.mcp.listening import Listening
from qgis_agent.gis.mcp.settings import Clients
from qgis_agent.gis.pictures import prepared
from qgis_agent.gis.project_files import AgentSettings
from qgis_agent.gis.rules import Rules
from qgis_agent.gui.cards.setup_card import SetupCard
from qgis_agent.gui.dialogs.approval import ApprovalDialog
from qgis_agent.gui.dialogs.setup import SetupDialog
from qgis_agent.gui.dialogs.setup_choices import SetupChoices
from qgis_agent.gui.dialogs.trust import TrustDialog
from qgis_agent.gui.dialogs.undo_conflicts import UndoConflicts
from qgis_agent.gui.dock import tool_line
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.project.scope_page import ScopePage
from qgis_agent.gui.sessions_list import Row
from qgis_agent.gui.settings.builder import EnvironmentBuilder
from qgis_agent.gui.settings.data_page import DataPage
from qgis_agent.gui.settings.mcp_client import ClientDialog
from qgis_agent.gui.settings.mcp_page import McpPage, McpParts
from qgis_agent.gui.settings.mcp_token import TokenDialog
from qgis_agent.gui.settings.page import SettingsFactory
from qgis_agent.gui.settings.permissions_page import PermissionsPage
from qgis_agent.gui.settings.store import KeyRing

DOCK_WIDTH = 380
DOCK_STATES = (
    "idle running cancel queued answer details error plan question setup sessions commands help pictures resend "
    "programs".split()
)
WINDOWS = (
    "permission write conflict trust settings more data permissions project first_run building build_failed "
    "programs program token program_asks".split()
)
STATES = [*(f"dock_{each}" for each in DOCK_STATES), *WINDOWS]

EXAMPLE = "白沙街道有多少所学校?"
"""What a person types, layers are called and the model says is in no language of the catalogue: Chinese, or figures."""


def settle() -> None:
    """Let layouts and deferred calls happen."""
    for _ in range(5):
        QTest.qWait(5)


def restyle(work: Callable[[], object]) -> None:
    """Change the looks of the whole application. The windows of earlier tests go first, and no garbage is collected meanwhile:
    Qt goes through all widgets, and crashes when Python deletes one of them under it."""
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.disable()
    try:
        work()
    finally:
        gc.enable()


def use_theme(name: str) -> None:
    """One of QGIS's own themes."""
    restyle(lambda: QgsApplication.instance().setUITheme(name))


def opened(state: str, folder: Path, scale: float = 1.0) -> QWidget:
    """A window of its own in this state, shown; ``scale`` makes it larger, for larger letters."""
    kind, _, detail = state.partition("_")
    made = _dock_window(detail, scale) if kind == "dock" else _MADE[state](folder)
    if kind != "dock":
        made.resize(round(760 * scale), round(700 * scale))
    made.show()
    settle()
    if isinstance(made, ApprovalDialog):
        made.answers.arm()  # it takes no answer at once: tests/qgis/test_approval_dialog.py
    return made


def closed(window: QWidget) -> None:
    """Close a window and take it away, so that no later change of the looks goes through it."""
    if not sip.isdeleted(window):
        window.close()
    if not sip.isdeleted(window):
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


# the dock


def _dock_window(detail: str, scale: float) -> QMainWindow:
    window = QMainWindow()
    controller = FakeController()
    dock = AgentDock(controller, lambda: [EXAMPLE, "各街道的人口?"], parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.resize(round(DOCK_WIDTH * scale), round(900 * scale))
    window.show()
    controller.status_changed.emit("idle", "")
    dock.focus_composer()
    window.dock, window.controller = dock, controller
    settle()
    if detail != "idle":
        _DETAILS[detail](dock, controller)
    settle()
    return window


def _said(dock: AgentDock, controller: FakeController) -> Any:
    dock.send(GOLDEN_REQUEST)
    controller.say("turn_started", run_id="r1")
    _call(controller, "1", "stat_by_polygon", True)
    return dock.conversation.runs()[-1]


def _call(controller: FakeController, ident: str, tool: str, ok: bool) -> None:
    controller.say("tool_started", call_id=ident, tool=tool, label=tool, arguments={"layer_id": "学校"})
    code = "" if ok else "NOT_FOUND"
    controller.say("tool_finished", call_id=ident, tool=tool, ok=ok, code=code, message="" if ok else "没有", ms=1200)


def _running(dock: AgentDock, controller: FakeController) -> None:
    _said(dock, controller)
    _call(controller, "2", "query_features", False)
    controller.say("tool_started", call_id="3", tool="buffer_layer", label="x", arguments={"layer_id": "学校"})
    controller.say("tool_progress", call_id="3", tool="buffer_layer", text="12 / 40")


def _queued(dock: AgentDock, controller: FakeController) -> None:
    _said(dock, controller)
    controller.say("text_delta", text="三个街道的学校密度")
    dock.send("然后导出")
    dock.composer.set_text("还有一个")


def _answer(dock: AgentDock, controller: FakeController) -> None:
    run = _said(dock, controller)
    report = golden_report()
    for each in report["legend"]:
        each["layer_id"] = "学校"
    for number, each in enumerate(report["evidence"]):
        each.update(ref=f"{number}", text="25, 3")
    controller.end(**report)
    run.show_undo(["学校"], ["医院"])


def _details(dock: AgentDock, controller: FakeController) -> None:
    """A step that a person looks into."""
    run = _said(dock, controller)
    envelope = {"ok": True, "data": {"layer_id": "学校", "warnings": ["学校: 2"]}, "message": "25"}
    told = {"envelope": envelope, "evidence": [{"text": "25, 3"}], "recipes": ["1"]}
    controller.say("step_outcome", call_id="1", tool="stat_by_polygon", **told)
    run.lines()[0].open()


def _cancel(dock: AgentDock, controller: FakeController) -> None:
    """A step that takes long enough to be cancelled."""
    run = _said(dock, controller)
    controller.say("tool_started", call_id="2", tool="buffer_layer", label="x", arguments={"layer_id": "学校"})
    controller.say("step_began", call_id="2", tool="buffer_layer")
    with patch.object(tool_line, "CANCEL_AFTER_MS", 0):
        run.lines()[-1].tick()


def _sessions(dock: AgentDock, _controller: FakeController) -> None:
    """Earlier conversations."""
    dock.show_sessions()
    rows = [Row("1", "学校在哪里?", "10:42 · 3", True), Row("2", "各街道的人口?", "2026-11-02 · 1")]
    dock.sessions.show_rows(rows, 12)
    dock.sessions.rows.setCurrentRow(0)


def _commands(dock: AgentDock, _controller: FakeController) -> None:
    """The list above the composer."""
    dock.focus_composer()
    QTest.keyClicks(dock.composer.edit, "/")


def _help(dock: AgentDock, _controller: FakeController) -> None:
    dock.composer.command.emit("help")


def _pictures(dock: AgentDock, controller: FakeController) -> None:
    """A message with a picture, and the next one being written with two."""
    made = []
    for colour in ("#808080", "#707070"):
        image = QImage(64, 48, QImage.Format.Format_RGB32)
        image.fill(QColor(colour))
        made.append(prepared(image))
    dock.send("图片上是什么?", made[:1])
    controller.end(answer="25")
    dock.composer.pictures.put(made)
    dock.composer.set_text("还有一个")


def _resend(dock: AgentDock, controller: FakeController) -> None:
    """The last message is being changed, and the map would go back."""
    _said(dock, controller)
    controller.end(answer="25")
    dock.resend.begin()
    dock.composer.asking.ask(["学校"])


def _programs(dock: AgentDock, _controller: FakeController) -> None:
    """Programs are connected over MCP."""
    dock.header.show_programs(["助手", "编辑器"])


def _error(dock: AgentDock, controller: FakeController) -> None:
    _said(dock, controller)
    controller.end(
        ok=False, termination="failed", error={"code": "INTERNAL", "message": "出错了。", "hint": "请重试。"}
    )


def _plan(dock: AgentDock, controller: FakeController) -> None:
    _said(dock, controller)
    steps = [
        {"title": "缓冲", "tool": "42", "target": "学校", "features": 25},
        {"title": "写入", "tool": "43", "inputs": ["$1"], "path": "/a/b"},
    ]
    controller.end(plan={"steps": steps, "hash": "h"})


def _question(dock: AgentDock, controller: FakeController) -> None:
    _said(dock, controller)
    options = [{"label": "学校（点图层，25 个要素）", "send": "1"}, {"label": "学校_2", "send": "2"}]
    controller.end(question={"text": "指的是哪个图层?", "options": options}, termination="awaiting_user")


def _setup(dock: AgentDock, _controller: FakeController) -> None:
    card = SetupCard(lambda: None, lambda: None)
    dock.show_card(card)
    card.show_progress("42 / 100", 0.42)


_DETAILS: dict[str, Callable[[AgentDock, FakeController], None]] = {
    "running": _running,
    "cancel": _cancel,
    "details": _details,
    "sessions": _sessions,
    "commands": _commands,
    "help": _help,
    "pictures": _pictures,
    "resend": _resend,
    "programs": _programs,
    "queued": _queued,
    "answer": _answer,
    "error": _error,
    "plan": _plan,
    "question": _question,
    "setup": _setup,
}


# windows and pages


def card(kind: str, **more: Any) -> dict[str, Any]:
    """What a window that asks is given; its words were made where the card was made."""
    lines = [["1", "学校"], ["2", "25"], ["3", "/数据/学校.gpkg"]]
    return {
        "kind": kind,
        "title": "是否写入?",
        "verb": "42",
        "layer": "学校",
        "lines": lines,
        "arguments": '{"1": "学校"}',
        "reversible": kind == "permission",
        "caller": "chat",
        "asked_by": "对话",
        "timeout_s": 120,
        **({"agree": "写入", "decline": "不写入"} if kind == "write" else {}),
        **more,
    }


def _asking(kind: str, **more: Any) -> ApprovalDialog:
    window = ApprovalDialog(card(kind, **more))
    window.present(120)
    return window


def _conflict(_folder: Path) -> QWidget:
    conflicts = [{"key": f"style:{each}", "what": each, "words": "样式"} for each in ("学校", "医院")]
    return UndoConflicts(conflicts)


def _trust(folder: Path) -> QWidget:
    return TrustDialog(AgentSettings("d", ["42", "43"]), False)


def _settings(_folder: Path) -> QWidget:
    return SettingsFactory(QIcon(), KeyRing(storage=False), lambda: None, lambda: None).createWidget()


def _more(_folder: Path) -> QWidget:
    """The settings with what few people set unfolded."""
    page = SettingsFactory(QIcon(), KeyRing(storage=False), lambda: None, lambda: None).createWidget()
    page.model_radio.setChecked(True)
    page.more_box.setCollapsed(False)
    return page


def _first_run(folder: Path) -> SetupDialog:
    """The dialog that builds the agent's environment, with a Python that it found."""
    found = [FoundPython(str(folder / "python"), "3.12.4", "")]
    with patch.object(SetupChoices, "look", lambda self, _chosen="": self._show_found(found, "", "")):
        return SetupDialog(EnvironmentBuilder(), lambda: True)


def _building(folder: Path) -> QWidget:
    window = _first_run(folder)
    window._builder._job = object()  # something goes on
    window._began()
    window.progress.begin(["1 / 90"])
    window.progress.heard("42 / 90", 0.47)
    window.progress.log_button.setChecked(True)
    return window


def _build_failed(folder: Path) -> QWidget:
    window = _first_run(folder)
    window.progress.end("没有网络。", "请检查代理。", False, "1 / 90")
    return window


def _permissions(folder: Path) -> QWidget:
    store = GrantStore(lambda: "/数据/用地.qgz", folder / "permissions.json")
    who = {"session": "s", "project_id": "p"}
    host = host_target("https://127.0.0.1/wms")
    store.add(caller="chat", tool="add_service_layer", effect="network", target=host, lifetime=ALWAYS, **who)
    store.add(caller="mcp", tool="set_render_rule", effect="view", target=Target("layer", "学校", "d", "1"), **who)
    return PermissionsPage(store, Rules(), lambda: None)


def _mcp_page(folder: Path) -> QWidget:
    """Other programs: the endpoint is open, one program is connected and one has not been seen yet."""
    clients = Clients(Path(tempfile.mkdtemp(dir=folder)))  # a page is made more than once in a folder
    clients.add("助手", "safe_write", ("write",))
    clients.add("编辑器")
    listening = Listening(FakeOwner(FakeAgent()), clients)
    listening.state, listening.url = "on", "http://127.0.0.1:8766/mcp"
    ident = clients.listed()[0].id
    page = McpPage(McpParts(clients, listening, lambda: [(ident, "助手", "1")]))
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.kept = (clients, listening)
    return page


def _token() -> QWidget:
    """A token, and settings to paste, which are in no language."""
    window = TokenDialog("助手", "4" * 40, "http://127.0.0.1:8766/mcp", "42")
    window.text_view.setPlainText('{"42": "' + "4" * 40 + '"}')
    return window


def _project(_folder: Path) -> QWidget:
    project = QgsProject.instance()
    project.clear()
    group = project.layerTreeRoot().addGroup("人口")
    for name in ("家庭", "学校"):
        layer = QgsVectorLayer("Point?crs=EPSG:4326&field=编号:integer&field=名称:string", name, "memory")
        project.addMapLayer(layer, False)
        group.addLayer(layer)
    return ScopePage(project)


_MADE: dict[str, Callable[[Path], QWidget]] = {
    "permission": lambda _folder: _asking("permission"),
    "write": lambda _folder: _asking("write"),
    "conflict": _conflict,
    "trust": _trust,
    "settings": _settings,
    "more": _more,
    "data": lambda _folder: DataPage(),
    "first_run": _first_run,
    "building": _building,
    "build_failed": _build_failed,
    "permissions": _permissions,
    "programs": _mcp_page,
    "program": lambda _folder: ClientDialog(lambda _label, _level, _packs: None),
    "token": lambda _folder: _token(),
    "program_asks": lambda _folder: _asking("permission", client="助手", caller="mcp", asked_by=caller_text("mcp")),
    "project": _project,
}
