"""Runs inside the real QGIS (``qgis --code driver.py``): does what a person would do, and writes down what it saw.

Each step is a function ``step_…`` in one of the modules ``steps_….py``; ``plan.json`` says which ones run. A step that raises is
written down with its traceback and the next one runs all the same. At the end QGIS is closed through its own "Exit".
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import qgis.utils
from qgis.core import QgsProject, QgsSettings
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QApplication, QMessageBox
from qgis.utils import iface

# QGIS runs this text without telling it where it lies.
sys.path.insert(0, json.loads(Path(os.environ["QGIS_AGENT_TEST_PLAN"]).read_text(encoding="utf-8"))["driver"])
import steps_answers
import steps_around
import steps_composer
import steps_data
import steps_faults
import steps_first_run
import steps_mcp
import steps_models
import steps_permissions
import steps_requests
import steps_resume
import steps_toolbox
import steps_traces
import steps_writes
from driver_kit import PLAN, REPORTS, RESULTS, shot, spin, write_results


def step_of(name):
    """The function of a step."""
    modules = (
        steps_answers,
        steps_around,
        steps_composer,
        steps_data,
        steps_mcp,
        steps_models,
        steps_requests,
        steps_resume,
        steps_toolbox,
        steps_traces,
        steps_writes,
        steps_faults,
        steps_first_run,
        steps_permissions,
    )
    return next(getattr(module, "step_" + name) for module in modules if hasattr(module, "step_" + name))


def run_all():
    """Run the steps of the plan, then leave QGIS by its own menu."""
    spin(1500)
    try:
        if "qgis_agent" not in qgis.utils.plugins:
            import qgis_agent

            qgis_agent.classFactory(iface).initGui()  # again, to see what it raises
            raise AssertionError("the plugin is not loaded, although it can be: {}".format(qgis_agent.__file__))
        REPORTS.attach()
    except Exception:
        RESULTS["load"] = {"error": traceback.format_exc()}
        write_results()
        leave()
        return
    for name in PLAN["steps"]:
        try:
            RESULTS[name] = step_of(name)()
        except Exception:
            RESULTS[name] = {"error": traceback.format_exc()}
            shot("failed_" + name)
        write_results()
    leave()


def leave():
    """Close QGIS as a person does, and say yes to losing the temporary layers."""
    QgsSettings().sync()
    QgsProject.instance().setDirty(False)
    answering = QTimer(iface.mainWindow())
    answering.timeout.connect(answer_box)
    answering.start(100)
    iface.actionExit().trigger()


def answer_box():
    """Press Yes on a question of QGIS."""
    for box in QApplication.topLevelWidgets():
        if isinstance(box, QMessageBox) and box.isVisible() and box.button(QMessageBox.StandardButton.Yes):
            RESULTS.setdefault("questions", {}).setdefault("texts", []).append(box.text())
            write_results()
            box.button(QMessageBox.StandardButton.Yes).click()


QTimer.singleShot(0, run_all)
