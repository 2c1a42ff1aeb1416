"""Steps of the driver: "Ask the agent" from Processing's own dialog, with Undo after it, Cancel in it, and the panel at work."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import sys
import time

from driver_kit import PLAN, REPORTS, agent, press_enter, place_window, spin, type_text, use_model, wait
from qgis.core import QgsProject
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QPlainTextEdit, QTextEdit
from qgis.utils import iface


def dialog_of(name, parameters):
    """The dialog that a double click in the toolbox opens, filled in."""
    import processing

    dialog = processing.createAlgorithmDialog("qgisagent:" + name, parameters)
    dialog.show()
    spin(500)
    return dialog


def log_of(dialog):
    """What its log says."""
    edits = [*dialog.findChildren(QTextEdit), *dialog.findChildren(QPlainTextEdit)]
    return "\n".join(each.toPlainText() for each in edits)


def picture(dialog, name):
    """What a person sees."""
    spin(150)
    dialog.grab().save(PLAN["shots"] + name + ".png")


def layers():
    """Names of the layers that are made."""
    return sorted(each.name() for each in QgsProject.instance().mapLayers().values() if "buffer" in each.name())


def step_toolbox():
    """A request that makes a layer; the panel's Undo takes it back."""
    place_window()
    dialog = dialog_of("ask", {"PROMPT": "buffer schools by 300 m"})
    picture(dialog, "ask")
    dialog.runButton().click()  # comes back when it has ended: the algorithm runs on this thread
    wait(lambda: dialog.wasExecuted(), 60, "it has ended")
    picture(dialog, "ask_done")
    seen = {"results": {key: dialog.results().get(key) for key in ("ANSWER", "LAYERS")}, "log": log_of(dialog)}
    seen["made"] = layers()
    dialog.close()
    action = agent().window.undo_action
    seen["can_undo"] = action.isEnabled()
    action.trigger()
    wait(lambda: layers() == [], 30, "it is undone")
    return seen


def step_toolbox_batch():
    """Three requests in the dialog "Run as Batch Process…"; the second cannot be carried out."""
    from processing.gui.BatchAlgorithmDialog import BatchAlgorithmDialog
    from qgis.core import QgsApplication

    algorithm = QgsApplication.processingRegistry().createAlgorithmById("qgisagent:ask")
    dialog = BatchAlgorithmDialog(algorithm, iface.mainWindow())
    dialog.show()
    panel = dialog.mainWidget()
    words = ["how many schools are there?", "how many unicorns are there?", "how many hospitals are there?"]
    while panel.batchRowCount() < len(words):
        panel.addRow(1)
    for row, text in enumerate(words):
        panel.wrappers[row][0].setParameterValue(text, dialog.processingContext())
    spin(300)
    dialog.runButton().click()
    wait(lambda: "hospitals: 9" in log_of(dialog) and dialog.runButton().isEnabled(), 60, "all have ended")
    picture(dialog, "ask_batch")
    seen = {"log": log_of(dialog)}
    dialog.close()
    return seen


def step_toolbox_cancel():
    """The model of the settings is silent; Cancel in the dialog ends the request."""
    store = sys.modules["qgis_agent.qgis_agent.gui.settings.store"]
    store.save_choice(store.ModelChoice(kind="model", model="openai/script", api_base=PLAN["api_base"]))
    dialog = dialog_of("ask", {"PROMPT": "Wait for me.", "MODEL": 1})
    pressed = []

    def cancel():
        picture(dialog, "ask_waits")
        pressed.append((time.monotonic(), dialog.cancelButton().isEnabled()))
        dialog.cancelButton().click()

    QTimer.singleShot(9000, cancel)
    dialog.runButton().click()
    took = time.monotonic() - pressed[0][0]
    spin(300)
    seen = {"seconds": took, "enabled": pressed[0][1], "log": log_of(dialog), "again": dialog.runButton().isEnabled()}
    dialog.close()
    return seen


def step_toolbox_busy():
    """While the panel carries out a request the dialog refuses, and the panel goes on."""
    use_model()
    type_text("Wait for me, too.")
    press_enter()
    wait(lambda: agent().controller.running, 20, "the panel's run has begun")
    dialog = dialog_of("ask", {"PROMPT": "how many schools are there?"})
    dialog.runButton().click()
    spin(300)
    seen = {"log": log_of(dialog), "running": agent().controller.running}
    dialog.close()
    REPORTS.after(agent().controller.stop, 20, "the panel's run is stopped")
    return seen
