"""Steps of the driver: what a person does with an answer and with a run: details, sources, a plan, a question, one step cancelled,
a message that waits, a picture, a conversation that is made smaller. Runs inside the real QGIS."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import sys
import time

from driver_kit import (
    REPORTS,
    agent,
    ask,
    brief,
    last_request,
    press_enter,
    shot,
    spin,
    type_of,
    type_text,
    use_model,
    wait,
)
from qgis.core import QgsProject
from qgis.PyQt.QtCore import QMimeData, Qt
from qgis.PyQt.QtGui import QColor, QGuiApplication, QImage
from qgis.PyQt.QtTest import QTest
from qgis.utils import iface

LEFT = Qt.MouseButton.LeftButton


def last_run():
    """What the last run shows."""
    return agent().dock.conversation.runs()[-1]


def step_answer():
    """A step is opened and its analysis copied as Python; a number leads to its step; the map has its small picture."""
    run = last_run()
    line = next(each for each in run.lines() if each.tool == "stat_by_polygon")
    QTest.mouseClick(line.opener, LEFT)
    spin(200)
    details = line.details.text()
    agent().dock.conversation.ensureWidgetVisible(line.details)
    shot("4_details")
    copied = ""
    for each in line.details.buttons[:-1]:
        QTest.mouseClick(each, LEFT)
        copied = QGuiApplication.clipboard().text()
    QTest.mouseClick(line.opener, LEFT)
    closed = line.details is None
    run.sources.fold.toggle()
    spin(200)
    words = [each.sentence() for each in run.sources.buttons]
    shot("4_sources")
    wait(lambda: run.thumbnail is not None, 20, "the small picture of the map")
    agent().dock.conversation.to_end()
    shot("4_thumbnail")
    next(each for each in run.sources.buttons if each.isEnabled()).click()
    spin(300)
    opened = [each.tool for each in run.lines() if each.is_open()]
    for each in run.lines():
        if each.is_open():
            each.toggle()
    return {"details": details, "copied": copied, "closed": closed, "sources": words, "opened": opened}


def hospitals_shown():
    """Whether the hospitals are switched on."""
    layer = QgsProject.instance().mapLayersByName("hospitals")[0]
    return QgsProject.instance().layerTreeRoot().findLayer(layer.id()).isVisible()


def step_plan():
    """Plan mode: the card says every step, nothing has changed; "Apply plan" carries it out."""
    use_model()
    dock = agent().dock
    dock.toggle_plan()
    planned = brief(ask("Hide the hospitals"))
    card = last_run().plan
    before = hospitals_shown()
    shot("4_plan")
    words = card.accessibleName()
    applied = brief(REPORTS.after(lambda: card.buttons[0].click(), 60, "the plan is applied"))
    spin(300)
    shot("4_applied")
    dock.toggle_plan()
    return {"planned": planned, "words": words, "before": before, "after": hospitals_shown(), "applied": applied}


def step_question():
    """The agent asks; the answer is a button."""
    asked = brief(ask("Show the places"))
    card = last_run().question
    options = [each.sentence() for each in card.buttons]
    shot("4_question")
    again = brief(REPORTS.after(lambda: card.buttons[0].click(), 60, "the answer is sent"))
    return {
        "asked": asked,
        "options": options,
        "again": again,
        "said": bubbles()[-1],
        "off": not card.buttons[0].isEnabled(),
    }


def bubbles():
    """What the person said, as it is shown."""
    return [each.text for each in agent().dock.conversation.findChildren(type_of("UserBubble")) if not each.isHidden()]


def step_cancel():
    """A step that takes long is cancelled from its line while a message waits; the run goes on, then the message is sent."""
    registry = next(module for name, module in sys.modules.items() if name.endswith("gis.tools.registry"))
    work = next(module for name, module in sys.modules.items() if name.endswith("qgis_agent.gis.work"))
    usual = registry.REGISTRY["describe_layer"]

    def slow(_call, layer_id):
        def wait_for_cancel(feedback):
            while not feedback.isCanceled():
                time.sleep(0.01)

        yield work.Work("waiting", wait_for_cancel)
        return work.Answer({"layer_id": layer_id})

    registry.REGISTRY["describe_layer"] = registry.Tool("describe_layer", "read", "task", slow)
    try:
        before = len(REPORTS.all)
        type_text("describe the schools")
        press_enter()
        wait(lambda: last_run().lines() and last_run().lines()[0].canceller.isVisible(), 30, "the button is there")
        type_text("and then")
        press_enter()
        queued = agent().dock.queued.text()
        shot("8_step_running")
        line = last_run().lines()[0]
        began = time.monotonic()
        QTest.mouseClick(line.canceller, LEFT)
        wait(lambda: line.state() == "stopped", 5, "the step has ended")
        seconds = time.monotonic() - began
        wait(lambda: len(REPORTS.all) > before + 1, 60, "both runs have ended")
    finally:
        registry.REGISTRY["describe_layer"] = usual
    spin(200)
    shot("8_step_cancelled")
    told = [each for each in last_request()["messages"] if each.get("role") == "tool"][-1]["content"]
    first, second = (brief(each) for each in REPORTS.all[before : before + 2])
    return {"seconds": seconds, "queued": queued, "why": line.why(), "told": told, "first": first, "second": second}


def paste():
    """Put a blue picture on the clipboard and paste it."""
    image = QImage(640, 400, QImage.Format.Format_RGB32)
    image.fill(QColor("#1f78b4"))
    mime = QMimeData()
    mime.setImageData(image)
    QGuiApplication.clipboard().setMimeData(mime)
    edit = agent().dock.composer.edit
    edit.setFocus()
    edit.paste()
    spin(150)
    return [each.accessibleName() for each in agent().dock.composer.pictures.chips()]


def step_picture_refused():
    """Where nobody sees, a pasted picture is not attached, and a line says what to do."""
    chips = paste()
    note = agent().dock.composer.note.text()
    shot("composer_no_sight")
    agent().dock.composer.note.forget()
    return {"chips": chips, "note": note}


def step_picture():
    """With a model whose test said that it sees: pasted, shown as a chip, sent, seen by the server."""
    chips = paste()
    type_text("Which colour is this?")
    shot("picture_chip")
    report = brief(REPORTS.after(press_enter, 60, "the answer about the picture"))
    parts = [each["content"] for each in last_request()["messages"] if isinstance(each.get("content"), list)]
    kinds = [part["type"] for each in parts for part in each]
    left = len(agent().dock.composer.pictures.chips())
    shot("picture_sent")
    return {"chips": chips, "report": report, "kinds": kinds, "left": left}


def step_compact():
    """/compact says what it did, or why there is nothing to do."""
    notice = type_of("NoticeLine")
    before = len(agent().dock.conversation.findChildren(notice))
    type_text("/compact")
    press_enter()
    spin(100)
    lines = agent().dock.conversation.findChildren(notice)
    wait(lambda: "…" not in lines_text(notice), 30, "it has ended")
    shot("s_compact")
    return {"more": len(lines) > before, "words": lines_text(notice)}


def lines_text(notice):
    """The words of the last notice."""
    shown = [each for each in agent().dock.conversation.findChildren(notice) if not each.isHidden()]
    return shown[-1].text() if shown else "…"


def step_shortcut():
    """The panel is opened and closed by an action that QGIS's shortcut manager knows; the log is a menu entry away."""
    from qgis.gui import QgsGui

    manager = QgsGui.shortcutsManager()
    action = next((each for each in manager.listActions() if each.objectName() == "QgisAgentToggle"), None)
    default = manager.defaultKeySequence(action) if action is not None else ""
    shown = agent().dock.isUserVisible()
    action.trigger()
    spin(150)
    hidden = not agent().dock.isUserVisible()
    action.trigger()
    wait(agent().dock.isUserVisible, 5, "the panel is there again")
    menu = next(
        each for each in iface.pluginMenu().actions() if each.menu() and "Agent" in each.text().replace("&", "")
    )
    return {
        "default": default,
        "shown": shown,
        "hidden": hidden,
        "menu": [each.objectName() for each in menu.menu().actions()],
    }
