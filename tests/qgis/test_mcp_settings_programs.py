"""Other programs come with the plugin: begun after QGIS when a person has it on, gone with the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Answering, Bench
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QObject
from qgis.PyQt.QtGui import QIcon

from qgis_agent.gis.mcp import settings
from qgis_agent.gis.mcp.listening import FAILED, OFF
from qgis_agent.gis.runs import RunController
from qgis_agent.gui import programs as module
from qgis_agent.gui.dock.header import Header
from qgis_agent.gui.programs import Programs
from qgis_agent.gui.settings.mcp_page import MCP_KEY


class Iface:
    """The part of QGIS's interface that is used."""

    def __init__(self) -> None:
        self.factories: list[Any] = []
        self.shown: list[str] = []

    def registerOptionsWidgetFactory(self, factory: Any) -> None:  # noqa: N802
        self.factories.append(factory)

    def unregisterOptionsWidgetFactory(self, factory: Any) -> None:  # noqa: N802
        self.factories.remove(factory)

    def showOptionsDialog(self, _window: Any, page: str) -> None:  # noqa: N802
        self.shown.append(page)

    def mainWindow(self) -> None:  # noqa: N802
        return None


@pytest.fixture
def made(bench: Bench, qtbot: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Any]:
    """Makes Programs over a RunController that cannot start an agent process."""
    QgsSettings().remove("qgis_agent")
    monkeypatch.setenv("QGIS_AGENT_ENV", str(tmp_path / "none"))
    monkeypatch.setattr(module, "BEGIN_MS", 10)
    controller = RunController(bench.host, Answering())
    header = Header()
    qtbot.addWidget(header)
    kept: list[Any] = []

    def make() -> Programs:
        iface, owner = Iface(), QObject()
        found = Programs(iface, controller, header, QIcon(), owner, lambda: False)
        kept.extend((iface, owner, found))
        found.iface, found.header = iface, header
        return found

    yield make
    for each in kept:
        if isinstance(each, Programs):
            each.close()
    controller.close()
    QgsSettings().remove("qgis_agent")


def test_it_is_begun_after_qgis_where_a_person_has_it_on(made: Any, qtbot: Any) -> None:
    settings.choose_enabled(True)
    programs = made()
    assert programs.listening.state == OFF, "QGIS comes first"
    qtbot.waitUntil(lambda: programs.listening.state == FAILED, timeout=5000)  # there is no environment here
    programs.close()
    programs.remove()
    assert programs.iface.factories == []


def test_it_is_not_begun_where_it_is_off_and_not_after_the_plugin_has_gone(made: Any, qtbot: Any) -> None:
    off = made()
    settings.choose_enabled(True)
    gone = made()
    gone.close()
    settings.choose_enabled(False)
    qtbot.wait(60)
    assert (off.listening.state, gone.listening.state) == (OFF, OFF)


def test_the_sign_leads_to_the_page_and_follows_who_is_connected(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = made()
    programs.header.programs_button.click()
    assert programs.iface.shown == [MCP_KEY]
    monkeypatch.setattr(programs.desk, "now", lambda: [("1", "Claude Code", "claude 2")])
    programs.desk.connected.emit()
    assert not programs.header.programs_button.isHidden()
    assert programs.header.programs_button.accessibleName() == "Connected over MCP: “Claude Code”"
    monkeypatch.setattr(programs.desk, "now", list)
    programs.desk.connected.emit()
    assert programs.header.programs_button.isHidden()
