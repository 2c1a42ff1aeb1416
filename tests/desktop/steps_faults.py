"""Steps of the driver: Stop, a killed agent process, a missing environment, switching off and on, and the settings."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import qgis.utils
from driver_kit import (
    PLAN,
    REPORTS,
    RESULTS,
    agent,
    ask,
    brief,
    has_code,
    place_window,
    press_enter,
    registry,
    server_status,
    shot,
    spin,
    type_of,
    type_text,
    wait,
)
from qgis.core import QgsProject
from qgis.PyQt.QtCore import QCoreApplication, QEvent, Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QAction, QApplication, QDialog, QWidget
from qgis.utils import iface


def step_stop():
    """A model that stalls: Esc makes the dock idle at once, and the next message is answered."""
    type_text("how are you")
    before = len(REPORTS.all)
    press_enter()
    wait(lambda: "One moment" in agent().dock.conversation.runs()[-1].streamed_text(), 30, "the stalled stream began")
    spin(300)
    shot("7_stalled")
    began = time.monotonic()
    QTest.keyClick(agent().dock.composer.edit, Qt.Key.Key_Escape)
    wait(lambda: len(REPORTS.all) > before and agent().dock.status.state == "idle", 10, "idle after Stop")
    seconds = time.monotonic() - began
    stopped = brief(REPORTS.all[-1])
    shot("8_stopped")
    wait(lambda: server_status()["closed_early"] == 1, 5, "the server sees the connection close")
    again = brief(ask("again"))
    return {"seconds": seconds, "stopped": stopped, "again": again, "connection_closed": True}


def step_kill():
    """The agent process is killed in mid-run: a card says so, the conversation is kept, the next message is answered."""
    bubbles = len(agent().dock.conversation.findChildren(type_of("UserBubble")))
    type_text("and now")
    before = len(REPORTS.all)
    press_enter()
    wait(lambda: "One moment" in agent().dock.conversation.runs()[-1].streamed_text(), 30, "the stalled stream began")
    first = agent().controller.agent_pid()
    os.kill(first, signal.SIGKILL)
    wait(lambda: len(REPORTS.all) > before, 10, "the run ends")
    card = agent().dock.conversation.runs()[-1].error
    wait(lambda: agent().dock.status.state == "idle", 30, "the agent process is there again")
    shot("9_killed")
    second = agent().controller.agent_pid()
    again = brief(ask("once more"))
    return {
        "title": card.title,
        "message": card.message,
        "pids": [first, second],
        "bubbles_kept": len(agent().dock.conversation.findChildren(type_of("UserBubble"))) - bubbles,
        "again": again,
        "ended": brief(REPORTS.all[before]),
    }


def step_no_environment():
    """Without the agent's environment QGIS works, and the panel says what to do."""
    dock = agent().dock
    place_window()
    wait(lambda: dock.status.state == "broken", 20, "the status says that it is not available")
    type_text("zoom to streets")
    press_enter()
    wait(lambda: bool(REPORTS.all), 10, "the run ends")
    shot("c_no_environment")
    cards = [each for each in dock.conversation.findChildren(type_of("ErrorCard")) if each.isVisible()]
    return {
        "status": dock.status.text(),
        "cards": [[each.title, [button.text() for button in each.buttons]] for each in cards],
        "report": brief(REPORTS.all[-1]),
    }


def step_examples():
    """Each example that the empty panel offers works without a model."""
    dock = agent().dock
    agent().controller.configure_model({"kind": "offline"})
    QgsProject.instance().layerTreeRoot().findLayer(
        QgsProject.instance().mapLayersByName("hospitals")[0]
    ).setItemVisibilityChecked(False)
    dock.header.new_button.click()
    wait(dock.conversation.is_empty, 5, "a new conversation")
    spin(200)
    texts = [each.sentence() for each in dock.conversation.findChildren(type_of("ChoiceButton")) if each.isVisible()]
    answers = {}
    for text in texts:
        report = REPORTS.after(lambda text=text: dock.send(text), 60, text)
        answers[text] = [report["ok"], report["answer"], [each["tool"] for each in report["steps"]]]
    shot("b_examples")
    return {"answers": answers}


def step_reload():
    """The plugin is switched off and on again in QGIS: nothing of it stays, and it works anew."""
    window = iface.mainWindow()
    pid = agent().controller.agent_pid()
    assert qgis.utils.unloadPlugin("qgis_agent")
    spin(300)
    # deleteLater waits for the outermost event loop, which does not come back before the driver ends.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = {
        "dock": window.findChild(QWidget, "QgisAgentDock") is not None,
        "action": window.findChild(QAction, "QgisAgentToggle") is not None,
        "provider": any(each.id() == "qgisagent" for each in registry().providers()),
        "process": Path("/proc/{}".format(pid)).exists() if pid else False,
        "modules": [key for key, each in sys.modules.items() if key.startswith("qgis_agent.") and has_code(each)],
    }
    assert qgis.utils.loadPlugin("qgis_agent") and qgis.utils.startPlugin("qgis_agent")
    REPORTS.attach()
    agent().dock.setUserVisible(True)
    wait(lambda: agent().dock.status.state == "idle", 30, "ready again, but: " + agent().dock.status.text())
    again = brief(ask("zoom to streets"))
    return {"left": left, "pid_before": pid, "again": again}


def step_look():
    """Pictures of states that need no agent: settings page, evidence, narrow dock."""
    page_class = type_of("SettingsPage")
    QTimer.singleShot(1500, lambda: _grab_options(page_class))
    agent().window.show_settings()
    iface.mainWindow().resizeDocks([agent().dock], [380], Qt.Orientation.Horizontal)
    shot("a_narrow")
    return {"width": agent().dock.width(), "options": RESULTS.get("_options")}


def _grab_options(page_class):
    for widget in QApplication.topLevelWidgets():
        pages = widget.findChildren(page_class)
        if pages and isinstance(widget, QDialog) and widget.isVisible():
            widget.resize(1100, 700)
            spin(200)
            widget.grab().save(PLAN["shots"] + "a_settings.png")
            RESULTS["_options"] = {"shown": pages[0].isVisible(), "offline": pages[0].offline_radio.isChecked()}
            widget.reject()
            return
