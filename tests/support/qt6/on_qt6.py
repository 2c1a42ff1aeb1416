"""Runs in .qt6-env: shows the plugin's widgets on PyQt6, moves them as a person does, and prints what failed, as JSON.

Each function whose name begins with ``check_`` is one check; tests/unit/test_qt6_widgets.py asks for each of them.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
sys.path[:0] = [str(HERE), str(REPO), str(HERE.parent)]

from dock_fakes import GOLDEN_REQUEST, FakeController, golden_report  # noqa: E402
from PyQt6 import QtCore, QtGui, QtNetwork, QtTest, QtWidgets, QtXml  # noqa: E402
from PyQt6.QtCore import Qt  # noqa: E402
from PyQt6.QtTest import QTest  # noqa: E402
from qt_names import PACKAGE, parsed, qgis_side, uses  # noqa: E402

MODULES = {each.__name__.rpartition(".")[2]: each for each in (QtCore, QtGui, QtNetwork, QtTest, QtWidgets, QtXml)}
ASKED_FOR_ON_QT5 = {("markdown.py", "QTextDocument.MarkdownFeatures")}
"""Used only where Qt 5 is: check_dock_answer goes the other way."""


def check_names() -> None:
    """Every dotted name of the sources is there in PyQt6."""
    missing = []
    count = 0
    for path in qgis_side():
        if path.name == "qt.py" and path.parent.name == "gui":
            continue
        for use in uses(parsed(path.read_text(encoding="utf-8")), "qgis.PyQt"):
            module = MODULES.get(use.module.rpartition(".")[2])
            if use.module == "qgis.PyQt" or use.names[0] == "NULL":
                continue  # modules and sip; NULL is QGIS's own
            assert module is not None, f"{path}: {use.module} is not looked at"
            value: Any = module
            for name in use.names:
                if not hasattr(value, name):
                    if (path.name, ".".join(use.names)) in ASKED_FOR_ON_QT5:
                        break
                    missing.append(f"{path.relative_to(REPO)} {use}")
                    break
                value = getattr(value, name)
            count += 1
    assert count > 1000, count
    assert not missing, missing


def check_gone() -> None:
    """What qt6_gone.json says is so."""
    gone = json.loads((HERE.parent / "qt6_gone.json").read_text(encoding="utf-8"))
    for module, names in gone["classes"].items():
        if module in MODULES:
            assert not [each for each in names if hasattr(MODULES[module], each)], module
    kinds = [kind for module in MODULES.values() for kind in vars(module).values() if isinstance(kind, type)]
    there = {name for kind in kinds for name in dir(kind)}
    assert not there & set(gone["methods"]), there & set(gone["methods"])
    for name, methods in gone["of_class"].items():
        kind = getattr(QtGui, name)
        assert not [each for each in methods if hasattr(kind, each)], name


def check_modules() -> None:
    """Every module of gui/ is loaded."""
    for path in sorted((PACKAGE / "gui").rglob("*.py")):
        parts = path.relative_to(REPO).with_suffix("").parts
        importlib.import_module(".".join(each for each in parts if each != "__init__"))


def check_dock_answer() -> None:
    """A request typed and sent with Enter, steps, streamed text, the answer with its table and legend."""
    dock, controller = _dock()
    run = _send(dock, controller, GOLDEN_REQUEST)
    assert controller.started == [GOLDEN_REQUEST], controller.started
    controller.say("turn_started")
    controller.say("tool_started", call_id="c1", step=1, tool="stat_by_polygon", label="Counting")
    controller.say("tool_progress", call_id="c1", step=1, fraction=0.5, text="half")
    controller.say("tool_finished", call_id="c1", step=1, tool="stat_by_polygon", ok=True, summary="3 rows")
    controller.say("text_delta", text="three ")
    controller.end(**golden_report())
    _settle()
    assert "6.49" in run.text_view.toPlainText()
    assert not dock.grab().isNull()
    _drop(dock)


def check_dock_error_question_plan() -> None:
    """The cards, each with its buttons; an answer is clicked with Space, a plan applied with the mouse."""
    dock, controller = _dock()
    _send(dock, controller, "one")
    controller.end(ok=False, termination="failed", error={"code": "INTERNAL", "message": "It broke.", "hint": "Try."})
    run = _send(dock, controller, "two")
    options = [{"label": "the red one", "send": "red"}, {"label": "the blue one", "send": "blue"}]
    controller.end(question={"text": "Which?", "options": options})
    _settle()
    run.question.buttons[0].setFocus()
    QTest.keyClick(run.question.buttons[0], Qt.Key.Key_Space)
    assert controller.started[-1] == "red", controller.started
    controller.end(plan={"steps": [{"title": "Count", "tool": "stat_by_polygon"}], "hash": "h"})
    _settle()
    plan = dock.conversation.runs()[-1].plan
    QTest.mouseClick(plan.buttons[0], Qt.MouseButton.LeftButton)
    assert controller.plans[-1] is not None and controller.plans[-1]["hash"] == "h"
    assert not dock.grab().isNull()
    _drop(dock)


def check_dock_keys() -> None:
    """Shift+Enter is a line, Enter while it works waits, Esc stops."""
    dock, controller = _dock()
    edit = dock.composer.edit
    QTest.keyClicks(edit, "first")
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(edit, "second")
    assert controller.started == [] and dock.composer.text() == "first\nsecond"
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert controller.started == ["first\nsecond"], controller.started
    QTest.keyClicks(edit, "later")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert dock.queued.text() == "later"
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    _settle()
    assert controller.stops == 1, controller.stops
    _drop(dock)


def check_approval() -> None:
    """The window that asks: it opens, and its buttons answer."""
    from qgis_agent.gui.dialogs.approver import DialogApprover

    window = QtWidgets.QWidget()
    window.show()
    approver = DialogApprover(window)
    said: list[str] = []
    card = {
        "kind": "permission",
        "title": "Change the style of the layer?",
        "verb": "set_render_rule",
        "layer": "schools",
        "lines": [["Effect", "changes the look"], ["Layer", "schools"]],
        "arguments": '{"layer_id": "schools"}',
        "reversible": True,
        "caller": "chat",
        "timeout_s": 120,
    }
    approver.ask(card, lambda answer, reason="": said.append(answer))
    _settle()
    shown = approver.current()
    assert shown is not None and shown.isVisible() and not shown.grab().isNull()
    QTest.qWait(900)  # it takes no answer at once
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    _settle()
    assert said == ["deny"], said
    approver.close_all()
    window.deleteLater()


def check_theme() -> None:
    """Another palette of the application: labels, texts and signs of an open dock follow."""
    from qgis_agent.gui.theme import contrast, tones

    dock, controller = _dock()
    _send(dock, controller, "one")
    controller.end(answer="An answer.", steps=[{"step": 1}])
    _settle()
    application = QtWidgets.QApplication.instance()
    light = QtGui.QPalette(application.palette())
    dark = QtGui.QPalette(QtGui.QColor("#2b2b2b"), QtGui.QColor("#2b2b2b"))
    dark.setColor(QtGui.QPalette.ColorRole.Base, QtGui.QColor("#1f1f1f"))
    dark.setColor(QtGui.QPalette.ColorRole.Text, QtGui.QColor("#eeeeee"))
    dark.setColor(QtGui.QPalette.ColorRole.WindowText, QtGui.QColor("#eeeeee"))
    try:
        application.setPalette(dark)
        _settle()
        assert contrast(tones().surface, tones().text) > 10
        sheets = [each.styleSheet() for each in dock.findChildren(QtWidgets.QLabel) if "color:" in each.styleSheet()]
        known = (tones().text.name(), tones().muted.name())
        assert sheets and all(any(each in sheet for each in known) for sheet in sheets), (known, sheets)
    finally:
        application.setPalette(light)
        _drop(dock)


def check_permission_parts() -> None:
    """The boxes of the permissions page that need no store of QGIS."""
    from qgis_agent.gui.settings.parts import explanation

    label = explanation("What is allowed.")
    label.show()
    assert label.sizeHint().height() > 0
    label.deleteLater()


def _dock() -> tuple[Any, FakeController]:
    from qgis_agent.gui.dock.dock import AgentDock

    controller = FakeController()
    window = QtWidgets.QMainWindow()
    dock = AgentDock(controller, lambda: ["How many schools are there?"], parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.setCentralWidget(QtWidgets.QWidget())
    window.resize(800, 700)
    window.show()
    controller.status_changed.emit("idle", "offline commands")
    dock.focus_composer()
    dock.window_of_test = window
    _settle()
    return dock, controller


def _send(dock: Any, controller: FakeController, text: str) -> Any:
    dock.composer.set_text(text)
    QTest.keyClick(dock.composer.edit, Qt.Key.Key_Return)
    _settle()
    return dock.conversation.runs()[-1]


def _drop(dock: Any) -> None:
    dock.window_of_test.close()
    dock.window_of_test.deleteLater()
    _settle()


def _settle() -> None:
    for _ in range(4):
        QTest.qWait(5)


def main() -> int:
    """Run the checks; one line of JSON."""
    application = QtWidgets.QApplication([])
    failures: list[str] = []
    # PyQt ends the program at an exception in a slot or a handler unless there is a hook: here it fails the check.
    sys.excepthook = lambda *told: failures.append("".join(traceback.format_exception(*told)))
    found: dict[str, str] = {}
    checks: dict[str, Callable[[], None]] = {
        name: check for name, check in globals().items() if name.startswith("check_") and callable(check)
    }
    for name, check in checks.items():
        failures.clear()
        try:
            check()
        except Exception:  # noqa: BLE001  it is told, in full
            failures.append(traceback.format_exc())
        found[name] = "\n".join(failures)
    print(json.dumps({"qt": QtCore.QT_VERSION_STR, "checks": found}))
    application.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
