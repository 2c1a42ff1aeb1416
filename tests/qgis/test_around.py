"""What stands around the panel: locator, layer menu, message bar, plugin menu; and that nothing of it is left after unload."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import pytest
from qgis.core import Qgis, QgsFeedback, QgsLocatorContext, QgsProject, QgsVectorLayer
from qgis.gui import QgsMessageBar
from qgis.PyQt.QtCore import QObject
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QMainWindow, QPushButton

from qgis_agent.gui import main_window
from qgis_agent.gui.layer_menu import LayerMenu
from qgis_agent.gui.locator import AskFilter
from qgis_agent.gui.notices import Notices


class Tree:
    def __init__(self) -> None:
        self.layer: Any = None

    def currentLayer(self) -> Any:  # noqa: N802
        return self.layer


class Iface:
    """Counts what comes and goes; what QGIS offers beyond that is the real thing where it is easily had."""

    PAIRS: ClassVar[dict[str, str]] = {
        "addDockWidget": "removeDockWidget",
        "registerMainWindowAction": "unregisterMainWindowAction",
        "addToolBarIcon": "removeToolBarIcon",
        "addPluginToMenu": "removePluginMenu",
        "registerOptionsWidgetFactory": "unregisterOptionsWidgetFactory",
        "registerProjectPropertiesWidgetFactory": "unregisterProjectPropertiesWidgetFactory",
        "registerLocatorFilter": "deregisterLocatorFilter",
        "addCustomActionForLayerType": "removeCustomActionForLayerType",
    }

    def __init__(self, canvas: Any) -> None:
        self.window = QMainWindow()
        self.bar = QgsMessageBar(self.window)
        self.canvas = canvas
        self.tree = Tree()
        self.there: Counter[tuple[str, int]] = Counter()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def mainWindow(self) -> QMainWindow:  # noqa: N802
        return self.window

    def mapCanvas(self) -> Any:  # noqa: N802
        return self.canvas

    def messageBar(self) -> QgsMessageBar:  # noqa: N802
        return self.bar

    def layerTreeView(self) -> Tree:  # noqa: N802
        return self.tree

    def __getattr__(self, name: str) -> Any:
        ends = {end: begin for begin, end in self.PAIRS.items()}

        def called(*given: Any) -> None:
            self.calls.append((name, given))
            last = name in ("addPluginToMenu", "removePluginMenu", "addDockWidget")
            thing = given[-1 if last else 0] if given else None
            if name in self.PAIRS:
                self.there[(name, id(thing))] += 1
            elif name in ends:
                self.there[(ends[name], id(thing))] -= 1

        return called


@pytest.fixture
def iface(qgis_iface: Any) -> Any:
    made = Iface(qgis_iface.mapCanvas())
    yield made
    made.window.close()


def named(window: QMainWindow) -> list[str]:
    return sorted(
        each.objectName() for each in window.findChildren(QObject) if each.objectName().startswith("QgisAgent")
    )


def test_loading_and_unloading_twice_leaves_nothing(iface: Any, qtbot: Any) -> None:
    for _time in range(2):
        parts = main_window.MainWindowParts(iface)
        begun = {name for (name, _thing), count in iface.there.items() if count > 0}
        assert begun == set(Iface.PAIRS), "each kind of thing is put into QGIS"
        parts.remove()
        assert not [key for key, count in iface.there.items() if count], "and each is taken out once"
        iface.there.clear()
        del parts
        qtbot.waitUntil(lambda: not named(iface.window), timeout=2000)


def test_the_menu_has_what_is_in_the_panel(iface: Any) -> None:
    parts = main_window.MainWindowParts(iface)
    actions = {each.objectName(): each for each in parts.menu_actions}
    for action in actions.values():
        assert ("addPluginToMenu", ("QGIS Agent", action)) in iface.calls
    actions["QgisAgentLog"].trigger()
    assert iface.calls[-1] == ("openMessageLog", ())
    assert ("registerMainWindowAction", (parts.action, main_window.DEFAULT_SHORTCUT)) in iface.calls
    parts.remove()


# locator


def results(found: AskFilter, text: str) -> list[Any]:
    got: list[Any] = []
    found.resultFetched.connect(got.append)
    found.fetchResults(text, QgsLocatorContext(), QgsFeedback())
    return got


def test_the_locator_asks_what_was_typed(qgis_app: Any) -> None:
    asked: list[str] = []
    original = AskFilter(asked.append, QIcon())
    clone = original.clone()
    assert (clone.prefix(), clone.name(), clone.useWithoutPrefix()) == ("ask", original.name(), False)
    assert results(clone, "   ") == []
    (found,) = results(original, " 学校 有多少? ")
    assert found.displayString == "Ask: 学校 有多少?"
    original.triggerResult(found)
    assert asked == ["学校 有多少?"]


# layer menu


def test_ask_about_a_layer(iface: Any) -> None:
    asked: list[Any] = []
    menu = LayerMenu(iface, QIcon(), asked.append)
    kinds = [given[2] for name, given in iface.calls if name == "addCustomActionForLayerType"]
    assert kinds == [Qgis.LayerType.Vector, Qgis.LayerType.Raster]
    menu.actions[0].trigger()
    assert asked == [], "there is no current layer"
    iface.tree.layer = QgsVectorLayer("Point", "schools", "memory")
    menu.actions[0].trigger()
    assert asked == [iface.tree.layer]
    menu.remove()
    assert not any(iface.there.values())


def test_a_layer_goes_into_the_message(iface: Any) -> None:
    parts = main_window.MainWindowParts(iface)
    layer = QgsVectorLayer("Point", "schools", "memory")
    QgsProject.instance().addMapLayer(layer)
    parts.ask_about(layer)
    assert "schools" in parts.dock.composer.text()
    parts.remove()
    QgsProject.instance().clear()


# message bar


class Heard:
    def __init__(self, window: QMainWindow, shown: bool = False) -> None:
        self.bar = QgsMessageBar(window)
        self.opened = 0
        self.notices = Notices(self.bar, lambda: shown, self._open)

    def _open(self) -> None:
        self.opened += 1

    def texts(self) -> list[str]:
        return [each.text() for each in self.bar.items()]


@pytest.mark.parametrize(
    ("report", "text", "level"),
    [
        ({"termination": "completed", "answer": "31 schools"}, "The agent has finished. 31 schools", "Success"),
        (
            {"termination": "awaiting_user", "question": {"text": "Which layer?"}},
            "The agent has a question. Which layer?",
            "Warning",
        ),
        (
            {"termination": "failed", "error": {"message": "No <img src=x> network"}},
            "The request did not succeed. No ‹img src=x› network",
            "Warning",
        ),
    ],
)
def test_what_ends_while_the_panel_is_closed_is_told(iface: Any, report: dict[str, Any], text: str, level: str) -> None:
    heard = Heard(iface.window)
    heard.notices.finished(report)
    assert heard.texts() == [text]
    assert heard.bar.currentItem().level() == getattr(Qgis.MessageLevel, level)
    heard.bar.currentItem().findChild(QPushButton).click()
    assert heard.opened == 1 and heard.texts() == []


def test_nothing_is_told_to_who_sees_the_panel_or_stopped_it(iface: Any) -> None:
    seeing, away = Heard(iface.window, shown=True), Heard(iface.window)
    seeing.notices.finished({"termination": "completed", "answer": "31"})
    seeing.notices.died({"type": "agent_died", "text": "code 1"})
    away.notices.finished({"termination": "interrupted"})
    away.notices.died({"type": "text_delta"})
    assert seeing.texts() == [] and away.texts() == []
    away.notices.died({"type": "agent_died", "text": "code 1"})
    assert away.texts() == ["The agent process ended. code 1"]


def test_the_choice_of_a_model_in_the_panel_is_the_setting(iface: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[Any] = []
    choice = main_window.load_choice()
    choice.model = "openai/gpt-x"
    monkeypatch.setattr(main_window, "load_choice", lambda: choice)
    monkeypatch.setattr(main_window, "save_choice", saved.append)
    parts = main_window.MainWindowParts(iface)
    configured: list[Any] = []
    monkeypatch.setattr(parts.controller, "configure_model", configured.append)
    words = [each.text() for each in parts.dock.status.model.fill_menu().actions()]
    assert words[:2] == ["openai/gpt-x", "Offline commands"]
    parts.dock.status.model.chosen.emit("model")
    assert saved[0].kind == "model" and saved[0].model == "openai/gpt-x" and configured
    parts.remove()
