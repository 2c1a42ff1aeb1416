"""Steps of the driver: the page "Data and limits" in QGIS's own options."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import traceback

from driver_kit import PLAN, agent, spin, type_of
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDialog, QScrollArea
from qgis.utils import iface


def step_data_page():
    """A person keeps attribute values at home, sets a limit and a language, and presses OK; then looks again."""
    seen = {}
    for name, work in (("first", _change), ("again", _look)):
        QTimer.singleShot(1500, lambda work=work: _in_options(work, seen))
        iface.showOptionsDialog(iface.mainWindow(), "QgisAgentData")
        if "error" in seen:
            raise AssertionError(seen["error"])
    return seen


def _in_options(work, seen):
    page_class = type_of("DataPage")
    dialog = None
    try:
        dialog, page = next(
            (each, found[0])
            for each in QApplication.topLevelWidgets()
            for found in [each.findChildren(page_class)]
            if found and isinstance(each, QDialog) and each.isVisible()
        )
        dialog.resize(1280, 690)  # what is left of 1280 x 720 below a title bar
        spin(150)
        work(dialog, page, seen)
    except Exception:
        seen["error"] = traceback.format_exc()
        for each in QApplication.topLevelWidgets():
            if isinstance(each, QDialog) and each.isVisible():
                each.reject()


def _change(dialog, page, seen):
    seen["shown"] = page.isVisible()
    box = page.data_box.at_home_box
    dialog.grab().save(PLAN["shots"] + "before.png")
    point = box.rect().center()
    point.setX(10)
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    spin(100)
    seen["kept"] = page.data_box.kept.text()
    dialog.grab().save(PLAN["shots"] + "at_home.png")
    steps = page.limits_box.boxes["tool_calls"]
    area = page.findChild(QScrollArea)
    area.ensureWidgetVisible(page.limits_box.default_button)
    spin(100)
    seen["width"] = [area.horizontalScrollBar().maximum(), page.limits_box.default_button.visibleRegion().isEmpty()]
    steps.setFocus()
    steps.selectAll()
    QTest.keyClicks(steps, "7")
    answers = page.language_box.answers_box
    answers.setFocus()
    QTest.keyClick(answers, Qt.Key.Key_End)
    dialog.grab().save(PLAN["shots"] + "limits.png")
    dialog.accept()


def _look(dialog, page, seen):
    seen["after"] = [
        page.data_box.at_home_box.isChecked(),
        page.limits_box.boxes["tool_calls"].value(),
        page.language_box.answers_box.currentData(),
    ]
    dialog.reject()
