"""Steps of the driver: permission asked, refused with a reason, given, taken back; writes; Undo of runs."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import json

from driver_kit import (
    PLAN,
    REPORTS,
    agent,
    brief,
    last_request,
    lines,
    press_enter,
    shot,
    spin,
    type_text,
    use_model,
    wait,
)
from qgis.core import QgsProject
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDialog, QGroupBox
from qgis.utils import iface


def layer(name):
    """A layer of the project by its name."""
    return QgsProject.instance().mapLayersByName(name)[0]


def is_visible(name):
    """Whether a layer is ticked in the layer panel."""
    return QgsProject.instance().layerTreeRoot().findLayer(layer(name).id()).isVisible()


def colour(name):
    """The colour of a layer that is drawn by one symbol."""
    return layer(name).renderer().symbol().color().name()


def set_level(level):
    """Choose a level in the panel, as a person does from the menu of the button."""
    agent().dock.status.level.actions_by_level[level].trigger()
    assert agent().controller.level == level


class Asked:
    """Sends a message; waits for the question, answers it and waits for the end of the run."""

    def __init__(self, text, picture=""):
        self._before = len(REPORTS.all)
        type_text(text)
        press_enter()
        approver = agent().window.approver
        wait(lambda: approver.current() is not None or len(REPORTS.all) > self._before, 40, "the window asks: " + text)
        self.window = approver.current()
        if self.window is None:
            return
        early = self.window.is_armed()
        wait(self.window.is_armed, 5, "the buttons can be pressed")
        spin(150)
        if picture:
            self.window.grab().save(PLAN["shots"] + picture + ".png")
        body = self.window._body
        self.seen = {
            "title": self.window.card["title"],
            "armed_at_once": early,
            "focus": self.window.focusWidget() is self.window.deny_button,
            "session": self.window.session_button.isVisible(),
            "always": self.window.always_button.isVisible(),
            "undo": self.window.undo_label.text().replace("\u200b", ""),
            "rows": body.changes.view.model().rowCount() if body.changes is not None else 0,
            "scrolled": body.is_cut(),
            "looks": sorted(self.window.card.get("looks") or {}),
        }

    def click(self, button):
        """Press a button of the window; returns what was seen and the report."""
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        return self.end()

    def end(self):
        """The run's report with what the window showed."""
        wait(lambda: len(REPORTS.all) > self._before, 60, "the run ends")
        spin(100)
        report = brief(REPORTS.all[-1])
        return dict(getattr(self, "seen", {}), asked=self.window is not None, report=report, lines=lines())


def step_deny():
    """Read only: hiding a layer is asked about; a person refuses, and types why."""
    use_model()
    set_level("read_only")
    asked = Asked("hide the bus stops, then report", "p_ask")
    QTest.keyClicks(asked.window.answers.reason, PLAN["reason"])
    asked.window.grab().save(PLAN["shots"] + "p_ask_reason.png")
    QTest.keyClick(asked.window.answers.reason, Qt.Key.Key_Return)
    seen = asked.end()
    shot("p_denied")
    told = [each for each in last_request()["messages"] if each.get("role") == "tool"]
    return dict(seen, visible=is_visible("bus_stops"), told=json.dumps(told[-1:], ensure_ascii=False))


def step_session():
    """Allowed for the session: not asked again; revoked in the settings: asked again."""
    asked = Asked("hide the schools, then report")
    first = asked.click(asked.window.session_button)
    hidden = is_visible("schools")
    second = Asked("show the schools, then report").end()
    shown = is_visible("schools")
    _revoke()
    asked = Asked("hide the schools again, then report")
    assert asked.window is not None, "revoked, and not asked again"
    QTest.keyClick(asked.window, Qt.Key.Key_Escape)
    third = asked.end()
    return {
        "first": first,
        "second": second,
        "third": third,
        "hidden": not hidden,
        "shown": shown,
        "visible_at_end": is_visible("schools"),
        "revoked": REVOKED,
    }


REVOKED = {}


def _revoke():
    """Open QGIS's options at the page of permissions and press Revoke, as a person does."""
    QTimer.singleShot(1500, _revoke_in_options)
    agent().window.show_permissions()


def _revoke_in_options():
    for widget in QApplication.topLevelWidgets():
        boxes = [each for each in widget.findChildren(QGroupBox) if type(each).__name__ == "GrantsBox"]
        if boxes and isinstance(widget, QDialog) and widget.isVisible():
            widget.resize(1100, 760)
            spin(300)
            box = boxes[0]
            REVOKED["before"] = box.list.topLevelItemCount()
            widget.grab().save(PLAN["shots"] + "p_permissions.png")
            box.list.topLevelItem(0).setSelected(True)
            box.revoke_button.click()
            REVOKED["after"] = len(agent().window.host.ledger.grants.listed())
            widget.reject()
            return


def step_style_and_undo():
    """A change of style shows the look before and after; allowed, and taken back by the button below the run."""
    before = colour("schools")
    asked = Asked("draw the schools in red, then report", "p_style")
    QTest.mouseClick(asked.window.map_button, Qt.MouseButton.LeftButton)
    spin(200)
    flashed = asked.window.isVisible() and not asked.window.waiting_label.text()
    seen = asked.click(asked.window.agree_button)
    changed = colour("schools")
    run = agent().dock.conversation.runs()[-1]
    shot("p_undo_offered")
    offered = run.undo.button.text(), run.undo.button.toolTip()
    QTest.mouseClick(run.undo.button, Qt.MouseButton.LeftButton)
    spin(200)
    shot("p_undone")
    return dict(
        seen,
        before=before,
        changed=changed,
        back=colour("schools"),
        offered=offered,
        said=run.undo.text(),
        flashed=flashed,
    )


def step_writes():
    """A write that is refused and one that is agreed to; neither has an answer that is kept."""
    set_level("safe_write")
    agent().dock.header.export_box.setChecked(True)
    asked = Asked("set the pupils of all schools", "p_edit")
    refused = asked.click(asked.window.deny_button)
    edited = layer("schools").isModified()
    asked = Asked("give the schools these pupils", "p_edit_again")
    agreed = asked.click(asked.window.agree_button)
    done = layer("schools").isModified()
    run = agent().dock.conversation.runs()[-1]
    QTest.mouseClick(run.undo.button, Qt.MouseButton.LeftButton)
    spin(300)
    left = layer("schools").isModified()
    shot("p_edit_undone")
    if layer("schools").isEditable():
        layer("schools").rollBack()  # or QGIS asks about it when it is closed
    return {
        "refused": refused,
        "agreed": agreed,
        "edited_after_no": edited,
        "edited_after_yes": done,
        "edited_after_undo": left,
        "said": run.undo.text(),
    }


def step_undo_conflict():
    """What the person changed after the run stays, until they tick it."""
    start = {"schools": colour("schools"), "bus_stops": is_visible("bus_stops")}
    type_text("red schools without bus stops, then report")
    REPORTS.after(press_enter, 60, "two changes")
    renderer = layer("schools").renderer().clone()
    renderer.symbol().setColor(Qt.GlobalColor.blue)
    layer("schools").setRenderer(renderer)
    layer("streets").setName("my streets")
    run, undoing = agent().dock.conversation.runs()[-1], agent().dock.undoing
    QTest.mouseClick(run.undo.button, Qt.MouseButton.LeftButton)
    wait(lambda: undoing.conflicts_window() is not None, 5, "it asks about what was changed since")
    window = undoing.conflicts_window()
    spin(200)
    window.grab().save(PLAN["shots"] + "p_conflict.png")
    shot("p_conflict_window")
    asked = [box.accessibleName() for box in window.boxes.values()]
    ticked = [box.isChecked() for box in window.boxes.values()]
    QTest.mouseClick(window.keep, Qt.MouseButton.LeftButton)
    kept = {"schools": colour("schools"), "bus_stops": is_visible("bus_stops"), "said": run.undo.text()}
    QTest.mouseClick(run.undo.button, Qt.MouseButton.LeftButton)
    wait(lambda: undoing.conflicts_window() is not None, 5, "it asks again")
    window = undoing.conflicts_window()
    for box in window.boxes.values():
        box.setChecked(True)
    QTest.mouseClick(window.put_back, Qt.MouseButton.LeftButton)
    spin(200)
    shot("p_conflict_done")
    return {
        "start": start,
        "asked": asked,
        "ticked": ticked,
        "kept": kept,
        "end": {"schools": colour("schools"), "bus_stops": is_visible("bus_stops"), "said": run.undo.text()},
        "streets": bool(QgsProject.instance().mapLayersByName("my streets")),
        "menu": iface.mainWindow().findChild(type(agent().window.undo_action), "QgisAgentUndo").isEnabled(),
    }
