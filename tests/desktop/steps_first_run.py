"""Steps of the driver: the dialog that sets the agent's environment up, opened from the panel as at a first run."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import traceback
from pathlib import Path

from driver_kit import PLAN, agent, place_window, shot, spin, type_of, wait
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDialog, QWidget


def step_first_run():
    """Card, dialog, a folder without wheels, what it says, and the dialog closed again."""
    dock = agent().dock
    place_window()
    wait(lambda: dock.status.state == "broken", 20, "the status says that it is not available")
    card = [each for each in dock.conversation.findChildren(type_of("ErrorCard")) if each.isVisible()][0]
    QTest.mouseClick(card.buttons[0], Qt.MouseButton.LeftButton)
    wait(lambda: bool(dialogs()), 10, "the dialog is there")
    dialog = dialogs()[0]
    wait(dialog.choices.ready, 30, "a Python is found")
    spin(300)
    picture(dialog, "s1_setup")
    pythons = [dialog.choices.python_list.itemText(row) for row in range(dialog.choices.python_list.count())]
    empty = Path(PLAN["folder"]) / "empty"
    empty.mkdir()
    QTest.mouseClick(
        dialog.choices.from_folder, Qt.MouseButton.LeftButton, pos=dialog.choices.from_folder.rect().center()
    )
    dialog.choices.from_folder.setChecked(True)
    dialog.choices.folder.setFilePath(str(empty))
    spin(300)
    picture(dialog, "s2_folder")
    QTest.mouseClick(dialog.build_button, Qt.MouseButton.LeftButton)
    wait(lambda: dialog.stop_button.isVisible(), 10, "it is being built")
    spin(700)
    picture(dialog, "s3_building")
    shot("s3_building_panel")
    wait(lambda: not dialog.stop_button.isVisible(), 120, "it ended")
    spin(300)
    picture(dialog, "s4_failed")
    shot("s4_failed_panel")
    said = [dialog.progress.sentence.text(), dialog.progress.hint.text(), dialog.build_button.text()]
    QTest.mouseClick(dialog.close_button, Qt.MouseButton.LeftButton)
    wait(lambda: not dialogs(), 10, "the dialog is gone")
    cards = [each for each in dock.conversation.findChildren(type_of("ErrorCard")) if each.isVisible()]
    return {
        "pythons": pythons,
        "said": said,
        "cards": [[each.title, [button.text() for button in each.buttons]] for each in cards],
        "options": from_options(),
    }


def from_options():
    """QGIS's options are modal: the dialog that is opened from them has to be usable all the same."""
    seen = {}

    def act():
        try:
            use()
        except Exception:
            seen["error"] = traceback.format_exc()
            for each in QApplication.topLevelWidgets():
                if isinstance(each, QDialog) and each.isVisible():
                    each.reject()

    def use():
        box = next((each for each in QApplication.allWidgets() if type(each).__name__ == "EnvironmentBox"), None)
        if box is None or not box.window().isVisible():
            QTimer.singleShot(300, act)
            return
        box.button.click()
        spin(600)
        opened = dialogs()
        seen["opened"] = bool(opened)
        seen["active"] = bool(opened) and QApplication.activeModalWidget() is opened[0]
        picture(opened[0], "s5_over_options")
        QTest.mouseClick(opened[0].close_button, Qt.MouseButton.LeftButton)
        spin(300)
        seen["closed"] = not dialogs()
        box.window().close()

    QTimer.singleShot(1500, act)
    agent().window.show_settings()
    return seen


def dialogs():
    """The dialogs that are shown."""
    return [each for each in QApplication.allWidgets() if each.objectName() == "QgisAgentSetup" and each.isVisible()]


def picture(widget: QWidget, name):
    """A picture of the dialog alone."""
    spin(100)
    widget.grab().save(PLAN["shots"] + name + ".png")
