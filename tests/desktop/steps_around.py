"""Steps of the driver: earlier conversations, plan mode, locator, layer menu, message bar, and all of it gone after unload."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import json
from pathlib import Path

import qgis.utils
from driver_kit import PLAN, REPORTS, agent, ask, brief, press_enter, shot, spin, type_of, type_text, use_model, wait
from qgis.core import QgsApplication, QgsProject
from qgis.PyQt.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QLineEdit, QMenu, QToolBar
from qgis.utils import iface


def panel():
    """The panel of earlier conversations."""
    return agent().dock.sessions


def titles():
    """What the panel lists."""
    return [panel().rows.item(row).text() for row in range(panel().rows.count())]


def listed(count):
    """Open the panel and wait for its rows."""
    QTest.mouseClick(agent().dock.header.sessions_button, Qt.MouseButton.LeftButton)
    wait(lambda: len(titles()) == count, 20, "{} conversations, but {}".format(count, titles()))
    return titles()


def records():
    """The files of the conversations."""
    return sorted((Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent" / "sessions").glob("*.jsonl"))


def step_sessions():
    """Two conversations; the first is found, gone on with, renamed; the second deleted after a question."""
    dock = agent().dock
    ask("How many schools are there?")
    first = agent().controller.session_id
    QTest.mouseClick(dock.header.new_button, Qt.MouseButton.LeftButton)
    ask("zoom to streets")
    second = agent().controller.session_id
    before = listed(2)
    shot("s_list")
    panel().search.setText("schools")
    wait(lambda: len(titles()) == 1, 10, "the search finds one")
    found = titles()
    panel().rows.setFocus()
    QTest.keyClick(panel().rows, Qt.Key.Key_Return)
    wait(lambda: panel().isHidden(), 20, "it is opened")
    wait(lambda: len(bubbles()) == 1, 20, "what was said is shown")
    shot("s_resumed")
    again = brief(ask("and hospitals?"))
    resumed = agent().controller.session_id
    panel().search.clear()
    listed(2)
    panel().rows.setCurrentRow(0)
    QTest.mouseClick(panel().rename_button, Qt.MouseButton.LeftButton)
    editor = panel().rows.findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "Public places")
    shot("s_rename")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait(lambda: "Public places" in titles(), 10, "the new title is shown")
    renamed = titles()
    panel().rows.setCurrentRow(1)
    QTest.mouseClick(panel().delete_button, Qt.MouseButton.LeftButton)
    box = agent().window.desk.question
    spin(200)
    box.grab().save(PLAN["shots"] + "s_delete.png")
    next(each for each in box.buttons() if box.buttonRole(each) == box.ButtonRole.RejectRole).click()
    spin(300)
    kept = len(records())
    QTest.mouseClick(panel().delete_button, Qt.MouseButton.LeftButton)
    box = agent().window.desk.question
    next(each for each in box.buttons() if box.buttonRole(each) == box.ButtonRole.DestructiveRole).click()
    wait(lambda: len(titles()) == 1, 10, "it is gone from the list")
    left = [path.stem for path in records()]
    QTest.keyClick(panel().search, Qt.Key.Key_Escape)
    said = [
        json.loads(line)["content"]
        for line in (records()[0]).read_text(encoding="utf-8").splitlines()
        if line.startswith('{"t":"user"')
    ]
    return {
        "first": first,
        "second": second,
        "resumed": resumed,
        "before": before,
        "found": found,
        "again": again,
        "renamed": renamed,
        "kept": kept,
        "left": left,
        "said": said,
        "hidden": panel().isHidden(),
    }


def bubbles():
    """What the person said, as it is shown."""
    kind = type_of("UserBubble")
    return [each.text for each in agent().dock.conversation.findChildren(kind) if not each.isHidden()]


def step_modes():
    """Plan mode on and off; the context meter after a model answered; the menu of models."""
    dock = agent().dock
    dock.status.mode.actions_by_profile["gis-plan"].trigger()
    shot("s_plan")
    planning = [dock.mode_strip.text(), agent().controller.profile, dock.status.level.isHidden()]
    QTest.mouseClick(dock.mode_strip.button, Qt.MouseButton.LeftButton)
    working = [dock.mode_strip.text(), agent().controller.profile, dock.status.level.isHidden()]
    unseen = dock.status.usage.isHidden()
    use_model()
    ask("Say something")
    usage = dock.status.usage.lines()
    iface.mainWindow().resizeDocks([dock], [320], Qt.Orientation.Horizontal)
    shot("s_narrow")
    menus = []
    for button, name in ((dock.status.model, "s_models"), (dock.status.usage, "s_usage")):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        spin(200)
        menu = QApplication.activePopupWidget()
        menus.append([each.text() for each in menu.actions() if not each.isSeparator()])
        menu.grab().save(PLAN["shots"] + name + ".png")
        menu.close()
    iface.mainWindow().resizeDocks([dock], [400], Qt.Orientation.Horizontal)
    return {"planning": planning, "working": working, "unseen": unseen, "usage": usage, "menus": menus}


def step_elsewhere():
    """The locator asks; a layer's menu puts it into the message; what ends while the panel is closed is told."""
    dock = agent().dock
    bar = iface.mainWindow().findChild(QLineEdit, "mSearchLineEdit") or iface.mainWindow().statusBar().findChild(
        QLineEdit
    )
    filters = [each.prefix() for each in agent_filters()]
    layer = QgsProject.instance().mapLayersByName("schools")[0]
    iface.layerTreeView().setCurrentLayer(layer)
    provider = iface.layerTreeView().menuProvider()
    menu = provider.createContextMenu()
    words = [each.text() for each in menu.actions()]
    action = next(each for each in menu.actions() if each.objectName().startswith("QgisAgentAskLayer"))
    menu.popup(iface.layerTreeView().mapToGlobal(iface.layerTreeView().rect().center()))
    spin(200)
    menu.grab().save(PLAN["shots"] + "s_layer_menu.png")
    menu.close()
    action.trigger()
    typed = dock.composer.text()
    shot("s_layer_asked")
    dock.composer.set_text("")
    agent().controller.configure_model({"kind": "offline"})
    spin(500)
    dock.setUserVisible(False)
    spin(200)
    REPORTS.after(lambda: agent().controller.start("How many schools are there?"), 40, "a run with the panel closed")
    spin(500)
    item = iface.messageBar().currentItem()
    told = item.text() if item is not None else ""
    iface.mainWindow().grab().save(PLAN["shots"] + "s_message_bar.png")
    button = next(each for each in item.findChildren(QObject) if getattr(each, "text", lambda: "")() not in ("", told))
    button.click()
    wait(dock.isUserVisible, 5, "the panel is open again")
    report = REPORTS.after(
        lambda: agent().window.locator.triggerResult(result("zoom to streets")), 40, "asked by the locator"
    )
    return {
        "filters": filters,
        "words": words,
        "typed": typed,
        "told": told,
        "asked": bubbles()[-1],
        "report": brief(report),
        "has_bar": bar is not None,
    }


def result(text):
    """A result as the locator hands it back."""
    from qgis.core import QgsLocatorResult

    found = QgsLocatorResult()
    found.setUserData(text)
    return found


def agent_filters():
    """The plugin's filters in QGIS's locator, which owns them."""
    from qgis.core import QgsLocatorFilter

    return [each for each in iface.mainWindow().findChildren(QgsLocatorFilter) if each.name() == "qgis_agent_ask"]


def left_behind():
    """Everything of ours that is still in QGIS's window."""
    window = iface.mainWindow()
    spin(300)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    named = [each.objectName() for each in window.findChildren(QObject) if each.objectName().startswith("QgisAgent")]
    layer = QgsProject.instance().mapLayersByName("schools")[0]
    iface.layerTreeView().setCurrentLayer(layer)
    menu = iface.layerTreeView().menuProvider().createContextMenu()
    entries = [each.objectName() for each in menu.actions()]
    plugins = [each.title() for each in iface.pluginMenu().findChildren(QMenu) if "Agent" in each.title()]
    bars = [
        each.objectName()
        for bar in window.findChildren(QToolBar)
        for each in bar.actions()
        if each.objectName().startswith("QgisAgent")
    ]
    mine = [each for each in entries if each.startswith("QgisAgent")]
    return {"named": named, "layer_menu": mine, "plugins": plugins, "tool_bars": bars, "filters": len(agent_filters())}


def step_unload_twice():
    """Off and on again, twice."""
    seen = []
    for _time in range(2):
        assert qgis.utils.unloadPlugin("qgis_agent")
        seen.append(left_behind())
        assert qgis.utils.loadPlugin("qgis_agent") and qgis.utils.startPlugin("qgis_agent")
        spin(300)
    REPORTS.attach()
    agent().dock.setUserVisible(True)
    wait(lambda: agent().dock.status.state == "idle", 30, "ready again")
    return {"left": seen, "there": left_behind(), "again": brief(ask("zoom to streets"))}
