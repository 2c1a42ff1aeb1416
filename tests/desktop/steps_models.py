"""Steps of the driver: the model's settings in QGIS's own options, with the Test button against a loopback server."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import traceback

from driver_kit import PLAN, RESULTS, agent, spin, type_of, wait
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDialog

KEY = "sk-desktop-55d0e1"


def step_models():
    """A person chooses a provider, tests a wrong name, then the right one, and presses OK."""
    page_class = type_of("SettingsPage")
    seen = {}
    QTimer.singleShot(1500, lambda: _in_options(page_class, seen))
    agent().window.show_settings()
    if "error" in seen:
        raise AssertionError(seen["error"])
    wait(lambda: "script" in agent().dock.status.text(), 30, "the model that was chosen answers")
    return {**seen, "status": agent().dock.status.text()}


def _in_options(page_class, seen):
    try:
        dialog, page = next(
            (each, found[0])
            for each in QApplication.topLevelWidgets()
            for found in [each.findChildren(page_class)]
            if found and isinstance(each, QDialog) and each.isVisible()
        )
    except StopIteration:
        seen["error"] = "the options did not open"
        return
    try:
        _use(dialog, page, seen)
    except Exception:
        seen["error"] = traceback.format_exc()
        dialog.grab().save(PLAN["shots"] + "failed_models.png")
        dialog.reject()


def _use(dialog, page, seen):
    dialog.resize(1280, 690)  # what is left of 1280 x 720 below a title bar
    QTest.mouseClick(
        page.model_radio, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, _left(page.model_radio)
    )
    spin(150)
    dialog.grab().save(PLAN["shots"] + "empty.png")
    box = page.provider_box
    box.setCurrentIndex(box.findData("vllm"))
    seen["filled"] = page.base_edit.text()
    _type(page.base_edit, PLAN["api_base"])
    _type(page.key_edit, KEY)
    seen["wrong"] = _test(page, "no-such-model")
    _down(page)
    dialog.grab().save(PLAN["shots"] + "wrong.png")
    seen["right"] = _test(page, "script")
    seen["fits"] = page.test_panel.width() <= page.width()
    _down(page)
    dialog.grab().save(PLAN["shots"] + "right.png")
    page.more_box.setCollapsed(False)
    spin(150)
    dialog.grab().save(PLAN["shots"] + "more.png")
    seen["before"] = agent().dock.status.text()
    dialog.accept()


def _test(page, model):
    """Type the name, press the button, wait for the end; what is then shown, as text."""
    _type(page.model_edit, model)
    button = page.test_panel.button
    words = button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() != words, "the test did not begin"
    wait(lambda: button.text() == words, 90, "the test ends")
    spin(200)
    return page.test_panel.text().splitlines()


def _type(edit, text):
    edit.setFocus()
    edit.clear()
    QTest.keyClicks(edit, text)


def _left(button):
    point = button.rect().center()
    point.setX(10)
    return point


def _down(page):
    """Scroll until the lines of the test are seen."""
    from qgis.PyQt.QtWidgets import QScrollArea

    page.findChild(QScrollArea).ensureWidgetVisible(page.test_panel)
    spin(100)
