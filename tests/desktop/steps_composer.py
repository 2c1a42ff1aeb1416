"""Steps of the driver: the composer, as a person uses it with the keyboard. Runs inside the real QGIS."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

from driver_kit import PLAN, REPORTS, agent, brief, press_enter, shot, spin, type_text, wait
from qgis.core import QgsProject
from qgis.PyQt.QtCore import QCoreApplication, QPoint, QPointF, Qt
from qgis.PyQt.QtGui import QDragEnterEvent, QDropEvent
from qgis.PyQt.QtTest import QTest
from qgis.utils import iface


def composer():
    """The composer of the panel."""
    return agent().dock.composer


def key(which, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key in the field."""
    QTest.keyClick(composer().edit, which, modifier)
    spin(30)


def suggested():
    """The suggestions that are shown."""
    completion = composer().completion
    if not completion.is_open():
        return []
    shown = completion.suggestions()
    return [shown.item(row).text() for row in range(shown.count())]


def chips():
    """The words of the chips."""
    return [each.text() for each in composer().chips.chips()]


def buffers():
    """How many layers of buffers the project has."""
    return sum("500" in each.name() or "300" in each.name() for each in QgsProject.instance().mapLayers().values())


def step_composer_names():
    """A layer by "@" and a layer that is dropped from the layer panel become chips; the message says both precisely."""
    composer().set_text("")
    type_text("@")
    first = suggested()
    shot("composer_at")
    key(Qt.Key.Key_Backspace)
    type_text("Buffer @sch")
    narrowed = suggested()
    key(Qt.Key.Key_Return)
    chosen = composer().text()
    QgsProject.instance().mapLayersByName("streets")[0].selectByIds([1, 2])
    QTest.keyClicks(composer().edit, "@selection")
    key(Qt.Key.Key_Tab)
    tree = iface.layerTreeView()
    model = tree.layerTreeModel()
    node = QgsProject.instance().layerTreeRoot().findLayer(QgsProject.instance().mapLayersByName("hospitals")[0].id())
    mime = model.mimeData([model.node2index(node)])
    edit = composer().edit
    both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(2, 6), both, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QCoreApplication.sendEvent(edit.viewport(), enter)
    event = QDropEvent(
        QPointF(edit.width() - 4, 6), both, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QCoreApplication.sendEvent(edit.viewport(), event)
    spin(50)
    shot("composer_chips")
    seen = {"first": first, "narrowed": narrowed, "chosen": chosen, "chips": chips(), "text": composer().text()}
    seen["copied"] = event.dropAction() == Qt.DropAction.CopyAction
    composer().set_text("")
    return seen


def step_composer_resend():
    """A request is sent, changed and sent again; the question whether the map goes back is answered with yes."""
    QTest.keyClicks(composer().edit, "Buffer @schools 500 m")
    first = REPORTS.after(press_enter, 60, "the first buffer")
    spin(100)
    made = buffers()
    bubble = agent().dock.resend._last()
    shot("composer_sent")
    bubble.edit_button.setFocus()
    QTest.keyClick(bubble.edit_button, Qt.Key.Key_Space)
    spin(50)
    editing = composer().editing.isVisible()
    text = composer().text()
    shot("composer_editing")
    composer().set_text("Buffer @schools 300 m")
    press_enter()
    wait(lambda: composer().asking.isVisible(), 5, "the question")
    shot("composer_asking")
    button = composer().asking.undo_button
    second = REPORTS.after(lambda: QTest.keyClick(button, Qt.Key.Key_Space), 60, "the second buffer")
    spin(200)
    names = sorted(each.name() for each in QgsProject.instance().mapLayers().values())
    shot("composer_resent")
    return {
        "first": brief(first),
        "second": brief(second),
        "made": made,
        "editing": editing,
        "text": text,
        "names": names,
    }


def step_composer_commands():
    """The list of commands, help, an unknown one, and plan mode on and off."""
    composer().set_text("")
    type_text("/")
    listed = suggested()
    shot("composer_slash")
    type_more = "plan"
    QTest.keyClicks(composer().edit, type_more)
    key(Qt.Key.Key_Return)
    plan = agent().controller.profile
    shot("composer_plan")
    QTest.keyClicks(composer().edit, "/plan")
    key(Qt.Key.Key_Return)
    back = agent().controller.profile
    QTest.keyClicks(composer().edit, "/redo all")
    key(Qt.Key.Key_Return)
    note = composer().note.text()
    shot("composer_unknown")
    composer().set_text("")
    QTest.keyClicks(composer().edit, "/help")
    key(Qt.Key.Key_Return)
    spin(100)
    shot("composer_help")
    return {"listed": listed, "plan": plan, "back": back, "note": note, "left": composer().text()}
