"""Steps of the driver: QGIS is left with a question open, started again, and the conversation goes on."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

from pathlib import Path

from driver_kit import (
    PLAN,
    REPORTS,
    agent,
    brief,
    place_window,
    press_enter,
    shot,
    spin,
    type_of,
    type_text,
    use_model,
    wait,
)
from qgis.core import QgsProject
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest
from steps_around import bubbles, listed, panel

REQUEST = "save the schools to a file"


def target():
    """The file that is asked about."""
    return Path(PLAN["project"]).parent / "schools_copy.gpkg"


def step_place():
    """The window as a person has it."""
    place_window()
    return {}


def said():
    """What the person said, oldest first."""
    kind = type_of("UserBubble")
    page = agent().dock.conversation.widget()
    shown = [each for each in page.findChildren(kind) if not each.isHidden()]
    return [each.text for each in sorted(shown, key=lambda each: each.mapTo(page, each.rect().topLeft()).y())]


def told(run):
    """What a run shows."""
    return {
        "lines": [[each.tool, each.state(), each.label()] for each in run.lines()],
        "legend": [list(each) for view in run.findChildren(type_of("LegendView")) for each in view.entries],
        "answer": run.text_view.toPlainText() if run.text_view is not None else "",
        "sources": run.sources is not None,
        "question": [each.text() for each in run.question.buttons] if run.question is not None else [],
        "armed": [each.isEnabled() for each in run.question.buttons] if run.question is not None else [],
    }


def window_that_asks():
    """The window of the write, when it is open and its button can be pressed."""
    approver = agent().window.approver
    wait(lambda: approver.current() is not None, 60, "the window asks")
    wait(approver.current().is_armed, 5, "the button can be pressed")
    return approver.current()


def step_resume_leave():
    """A write is asked about, and QGIS is closed before anybody answers."""
    seen = told(agent().dock.conversation.runs()[-1])
    agent().dock.header.export_box.click()
    type_text(REQUEST)
    press_enter()
    window_that_asks()
    shot("r_asked")
    return {
        "session": agent().controller.session_id,
        "run": seen,
        "usage": agent().dock.status.usage.lines(),
        "exists": target().exists(),
    }


def step_resume_open():
    """In another QGIS: the conversation is found and opened, it looks as it did, and a "yes" asks anew."""
    dock = agent().dock
    place_window()
    use_model()
    before = [agent().controller.session_id, len(bubbles())]
    titles = listed(1)
    panel().rows.setFocus()
    panel().rows.setCurrentRow(0)
    QTest.keyClick(panel().rows, Qt.Key.Key_Return)
    wait(lambda: panel().isHidden(), 20, "it is opened")
    wait(lambda: len(bubbles()) == 2 and not dock.conversation.earlier.busy, 20, "what it was is shown")
    shot("r_end")
    opened = [told(each) for each in dock.conversation.runs()]
    usage = dock.status.usage.lines()
    dock.conversation.verticalScrollBar().setValue(0)
    spin(400)
    shot("r_top")
    golden = dock.conversation.runs()[0]
    golden.lines()[1].toggle()
    spin(200)
    details = golden.lines()[1].details.text()
    shot("r_details")
    golden.lines()[1].toggle()
    agent().dock.header.export_box.click()
    exists = target().exists()
    type_text("yes")
    count = len(REPORTS.all)
    press_enter()
    window = window_that_asks()
    card = window.card["lines"]
    shot("r_again")
    QTest.mouseClick(window.agree_button, Qt.MouseButton.LeftButton)
    wait(lambda: len(REPORTS.all) > count, 60, "the export ends")
    spin(300)
    shot("r_written")
    return {
        "before": before,
        "titles": titles,
        "session": agent().controller.session_id,
        "said": said(),
        "runs": opened,
        "usage": usage,
        "details": details,
        "card": card,
        "exists_before": exists,
        "exists": target().exists(),
        "report": brief(REPORTS.all[-1]),
        "layers": sorted(each.name() for each in QgsProject.instance().mapLayers().values()),
    }
