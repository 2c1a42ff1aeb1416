"""What the steps of the driver share: waiting, typing, pictures, and the reports of runs. Runs inside the real QGIS."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from pathlib import Path

import qgis.utils
from qgis.core import QgsGraduatedSymbolRenderer
from qgis.PyQt.QtCore import QCoreApplication, QEventLoop, Qt, QTimer
from qgis.PyQt.QtGui import QInputMethodEvent
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QAction
from qgis.utils import iface

PLAN = json.loads(Path(os.environ["QGIS_AGENT_TEST_PLAN"]).read_text(encoding="utf-8"))
RESULTS: dict = {}


def spin(ms):
    """Let QGIS work for ``ms`` milliseconds."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def wait(done, seconds, what):
    """Let QGIS work until ``done()``; an error when it takes longer than ``seconds``. Returns the seconds it took."""
    began = time.monotonic()
    while not done():
        if time.monotonic() - began > seconds:
            raise AssertionError("timed out after {} s: {}".format(seconds, what))
        spin(10)
    return time.monotonic() - began


def agent():
    """The plugin as QGIS loaded it."""
    return qgis.utils.plugins["qgis_agent"]


def shot(name):
    """Pictures of the window and of the dock."""
    spin(150)
    iface.mainWindow().grab().save(PLAN["shots"] + name + ".png")
    agent().dock.grab().save(PLAN["shots"] + name + "_dock.png")


def write_results():
    """Written after each step, so that a crash does not take everything with it."""
    Path(PLAN["results"]).write_text(json.dumps(RESULTS, ensure_ascii=False, indent=1), encoding="utf-8")


def type_text(text):
    """Type key by key; what a keyboard does not have comes through an input method, as it does for a person."""
    edit = agent().dock.composer.edit
    edit.setFocus()
    for each in text:
        if ord(each) < 128:
            QTest.keyClicks(edit, each)
            continue
        QCoreApplication.sendEvent(edit, QInputMethodEvent(each, []))
        commit = QInputMethodEvent()
        commit.setCommitString(each)
        QCoreApplication.sendEvent(edit, commit)
    spin(20)
    assert edit.toPlainText() == text, edit.toPlainText()


def press_enter():
    """Send what is typed."""
    QTest.keyClick(agent().dock.composer.edit, Qt.Key.Key_Return)


class Reports:
    """The reports of runs, as the controller gives them out. ``attach`` begins anew, with the plugin as it is loaded now."""

    def __init__(self):
        self.all = []

    def attach(self):
        """Listen to the plugin's controller."""
        self.all = []
        agent().controller.finished.connect(self.all.append)

    def after(self, act, seconds, what):
        """Do something that starts a run, and wait for its report."""
        before = len(self.all)
        act()
        wait(lambda: len(self.all) > before, seconds, what)
        return self.all[-1]


REPORTS = Reports()


def ask(text, seconds=60):
    """Type a message, send it, wait for the end of the run."""
    type_text(text)
    return REPORTS.after(press_enter, seconds, text)


def brief(report):
    """The part of a report that tests look at."""
    keys = ("ok", "termination", "answer", "legend", "evidence", "numbers", "error", "map_actions")
    return dict(
        {key: report.get(key) for key in keys}, steps=[[each["tool"], each["ok"]] for each in report.get("steps", [])]
    )


def lines():
    """The tool lines of the last run in the dock."""
    return [[each.tool, each.state(), each.label()] for each in agent().dock.conversation.runs()[-1].lines()]


def use_model(name="script"):
    """Answer by the loopback server."""
    base = {"kind": "model", "model": name, "api_base": PLAN["api_base"], "api_key": "desktop-test"}
    agent().controller.configure_model(base)
    wait(lambda: name in agent().dock.status.text(), 20, "the status line names the model")


def place_window():
    """The main window fills the screen; the dock is open on the right."""
    window = iface.mainWindow()
    window.showNormal()
    window.resize(1560, 940)
    window.move(10, 10)
    dock = agent().dock
    if not dock.isUserVisible():
        window.findChild(QAction, "QgisAgentToggle").trigger()
    wait(dock.isUserVisible, 10, "the dock is visible")
    window.resizeDocks([dock], [400], Qt.Orientation.Horizontal)


def has_code(module):
    """Whether a module is more than an empty package."""
    return bool(getattr(module, "__file__", "")) and not module.__file__.endswith("__init__.py")


def registry():
    """QGIS's Processing registry."""
    from qgis.core import QgsApplication

    return QgsApplication.processingRegistry()


def type_of(name):
    """A class of the plugin's dock by name."""
    modules = [module for key, module in sys.modules.items() if key.startswith("qgis_agent.qgis_agent.gui")]
    return next(getattr(module, name) for module in modules if hasattr(module, name))


def graduated(layer):
    """Whether a layer is coloured by classes."""
    return isinstance(layer.renderer(), QgsGraduatedSymbolRenderer)


def classes(layer):
    """Lower and upper limit and colour of each class."""
    return [[each.lowerValue(), each.upperValue(), each.symbol().color().name()] for each in layer.renderer().ranges()]


def server_status():
    """What the loopback server saw."""
    with urllib.request.urlopen(PLAN["api_base"].rsplit("/", 1)[0] + "/status", timeout=5) as answer:
        return json.loads(answer.read().decode("utf-8"))


def last_request():
    """The body of the last request that the loopback server got from the agent."""
    with urllib.request.urlopen(PLAN["api_base"].rsplit("/", 1)[0] + "/last", timeout=5) as answer:
        return json.loads(answer.read().decode("utf-8"))
