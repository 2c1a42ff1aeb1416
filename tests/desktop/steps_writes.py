"""Steps of the driver: the windows that ask before a write."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

from pathlib import Path

from driver_kit import PLAN, REPORTS, agent, brief, lines, press_enter, shot, spin, type_text, use_model, wait
from qgis.core import QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest


def step_cards():
    """Each write that the plan names is asked for; its window is photographed, and answered as the plan says."""
    use_model()
    agent().dock.header.export_box.click()
    seen = {}
    for name, agrees in PLAN["cards"]:
        type_text(name)
        before = len(REPORTS.all)
        press_enter()
        approver = agent().window.approver
        wait(lambda: approver.current() is not None, 40, "the window asks for " + name)
        window = approver.current()
        wait(window.is_armed, 5, "the button can be pressed")
        spin(100)
        window.grab().save(PLAN["shots"] + "e_card_" + name + ".png")
        button = window.agree_button if agrees else window.deny_button
        words = [each.text().replace("&", "") for each in (window.agree_button, window.deny_button)]
        rows = window.card["lines"]
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        wait(lambda: len(REPORTS.all) > before, 60, name + " ends")
        seen[name] = {"words": words, "card": rows, "lines": lines(), "report": brief(REPORTS.all[-1])}
    shot("e_cards")
    project = QgsProject.instance()
    edited = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer) and each.isModified()]
    names = [each.name() for each in edited]
    for each in edited:
        each.rollBack()  # or QGIS asks about them when it is closed
    return {
        "asked": seen,
        "layers": sorted(each.name() for each in project.mapLayers().values()),
        "bookmarks": [each.name() for each in project.bookmarkManager().bookmarks()],
        "edited": names,
        "files": sorted(each.name for each in Path(PLAN["project"]).parent.iterdir()),
    }


def step_export():
    """A write is asked for by a window; nothing is there before the click, the file is there after it."""
    target = Path(PLAN["project"]).parent / "schools_copy.gpkg"
    agent().dock.header.export_box.click()
    type_text("save the schools to a file")
    before = len(REPORTS.all)
    press_enter()
    approver = agent().window.approver
    wait(lambda: approver.current() is not None, 40, "the window asks")
    window = approver.current()
    early = window.is_armed()
    window.agree_button.click()  # too early: nothing may happen
    spin(50)
    still_open = approver.current() is window
    there_before = target.exists()
    wait(window.is_armed, 5, "the button can be pressed")
    spin(100)
    window.grab().save(PLAN["shots"] + "5_write_dialog.png")
    shot("5_write")
    rows = window.card["lines"]
    title = window.windowTitle()
    QTest.mouseClick(window.agree_button, Qt.MouseButton.LeftButton)
    wait(lambda: len(REPORTS.all) > before, 60, "the export ends")
    shot("6_written")
    written = QgsVectorLayer(str(target), "copy", "ogr")
    return {
        "armed_at_once": early,
        "open_after_early_click": still_open,
        "file_before_click": there_before,
        "file_after_click": target.exists(),
        "features": written.featureCount() if written.isValid() else -1,
        "card": rows,
        "title": title,
        "report": brief(REPORTS.all[-1]),
        "lines": lines(),
    }
