"""The QGIS side runs on Qt 5 and Qt 6: what only one of them has is found in the sources, without running them.

What Qt 6 has no longer stands in tests/support/qt6_gone.json (PyQt5 compared with PyQt6). Which names are values of an enum
is asked of PyQt5 itself, which also knows them without the enum's name; PyQt6 does not.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from qt_names import PACKAGE, REPO, dotted, imports, parsed, qgis_side, uses

GONE = json.loads((REPO / "tests" / "support" / "qt6_gone.json").read_text(encoding="utf-8"))
ONE_BINDING = ("PyQt5", "PyQt6", "PySide2", "PySide6", "sip")
HANDLERS = {
    "QMouseEvent": ("mousePressEvent", "mouseReleaseEvent", "mouseMoveEvent", "mouseDoubleClickEvent"),
    "QDropEvent": ("dropEvent", "dragMoveEvent", "dragEnterEvent"),
    "QWheelEvent": ("wheelEvent",),
    "QEnterEvent": ("enterEvent",),
}
BOTH_WAYS = PACKAGE / "gui" / "qt.py"
"""The one file that imports what Qt 6 has moved, from where it is."""
ASKED_FOR = {"theme.py": {"paletteChanged"}}
"""Gone in Qt 6, and used only where it is there: test_qt6_widgets.py shows what happens where it is not."""

Finding = Callable[[ast.Module], list[str]]


def bindings_of_one_qt(tree: ast.Module) -> list[str]:
    """Imports of a binding by its own name."""
    return [
        f"line {line}: import of {module}" for line, module, _ in imports(tree) if module.split(".")[0] in ONE_BINDING
    ]


def classes_gone(tree: ast.Module) -> list[str]:
    """Imports of classes that are not in that module of Qt 6, or not at all."""
    found = []
    for line, module, name in imports(tree):
        if module.startswith("qgis.PyQt.") and name in GONE["classes"].get(module.rpartition(".")[2], ()):
            found.append(f"line {line}: {name} is not in {module} in Qt 6")
        if module.startswith(("qgis.PyQt.QtWebKit", "qgis.PyQt.QtWebEngine")):
            found.append(f"line {line}: {module} is not in every QGIS")
    return found


def methods_gone(tree: ast.Module) -> list[str]:
    """Calls of methods that no class of Qt 6 has."""
    gone = set(GONE["methods"])
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)]
    return [f"line {each.lineno}: {each.func.attr}()" for each in calls if each.func.attr in gone]


def names_asked_for_gone(tree: ast.Module) -> list[str]:
    """The same names as text, for getattr, and as signals."""
    gone = set(GONE["methods"]) - {"desktop"}
    texts = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each.value in gone]
    return [str(each.value) for each in texts]


def events_gone(tree: ast.Module) -> list[str]:
    """Positions of events as Qt 5 told them, in the handlers of these events."""
    kinds = {handler: kind for kind, handlers in HANDLERS.items() for handler in handlers}
    found = []
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in kinds and len(function.args.args) > 1:
            event, gone = function.args.args[1].arg, GONE["of_class"].get(kinds[function.name], ())
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and dotted(node.value) == (event,) and node.attr in gone:
                    found.append(f"line {node.lineno}: {event}.{node.attr}() in {function.name}")
    return found


def widths_of_text(tree: ast.Module) -> list[str]:
    """QFontMetrics.width(): horizontalAdvance() since Qt 5.11, and the only one in Qt 6."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "width":
            of = ast.unparse(node.func.value).lower()
            if node.args or of.endswith(("metrics", "metrics()", "fm")):
                found.append(f"line {node.lineno}: {ast.unparse(node.func)}()")
    return found


def enums_without_scope(tree: ast.Module) -> list[str]:
    """Values of an enum of Qt without the enum's name between."""
    found = []
    for use in uses(tree, "qgis.PyQt"):
        value: Any = importlib.import_module(use.module.replace("qgis.PyQt", "PyQt5", 1))
        for name in use.names:
            owner, value = value, getattr(value, name, None)
            kind = type(value)
            if isinstance(owner, type) and not _is_enum(owner) and _is_enum(kind) and _belongs(kind, owner):
                found.append(f"{use}: say {kind.__qualname__}.{name}")
    return found


def _is_enum(kind: type) -> bool:
    return type(kind).__name__ == "enumtype" or issubclass(kind, enum.Enum)


def _belongs(kind: type, owner: type) -> bool:
    return any(vars(each).get(kind.__name__) is kind for each in owner.__mro__)


_TYPES = (("QVariant",), ("QMetaType",))


def variants_of_a_type(tree: ast.Module) -> list[str]:
    """QVariant(…) without a value and QVariant.Type: PyQt6 has neither; QMetaType.Type and QGIS's NULL are in both."""
    found = []
    for use in uses(tree, "qgis.PyQt"):
        if use.names[:1] == ("QVariant",) and len(use.names) > 1:
            found.append(f"{use}: QMetaType.Type is in both")
    made = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and dotted(each.func) == ("QVariant",)]
    of_a_type = [each for each in made if any(dotted(value)[:1] in _TYPES for value in each.args)]
    return found + [f"line {each.lineno}: a QVariant of a type" for each in of_a_type]


CHECKS: dict[str, tuple[Finding, str]] = {
    "binding": (bindings_of_one_qt, "from PyQt5.QtWidgets import QWidget"),
    "regexp": (classes_gone, "from qgis.PyQt.QtCore import QRegExp"),
    "desktop": (classes_gone, "from qgis.PyQt.QtWidgets import QApplication, QDesktopWidget"),
    "action": (classes_gone, "from qgis.PyQt.QtWidgets import QAction"),
    "web": (classes_gone, "from qgis.PyQt.QtWebKitWidgets import QWebView"),
    "exec": (methods_gone, "dialog.exec_()"),
    "tab": (methods_gone, "edit.setTabStopWidth(20)"),
    "asked": (names_asked_for_gone, "getattr(app, 'paletteChanged', None)"),
    "event": (events_gone, "def mousePressEvent(self, event):\n    return event.globalPos()"),
    "event_x": (events_gone, "def mouseMoveEvent(self, moved):\n    return moved.x()"),
    "drop": (events_gone, "def dropEvent(self, event):\n    return event.pos()"),
    "metrics": (widths_of_text, "wide = self.fontMetrics().width('x')"),
    "align": (enums_without_scope, "from qgis.PyQt.QtCore import Qt\nwhere = Qt.AlignLeft"),
    "dialog": (enums_without_scope, "from qgis.PyQt.QtWidgets import QDialog\nok = dialog.exec() == QDialog.Accepted"),
    "inherited": (enums_without_scope, "from qgis.PyQt.QtWidgets import QLabel\nlabel.setFrameShape(QLabel.Box)"),
    "role": (enums_without_scope, "from qgis.PyQt import QtGui\nrole = QtGui.QPalette.Base"),
    "chained": (
        enums_without_scope,
        "from qgis.PyQt.QtCore import Qt\nwhere = (Qt.AlignLeft | Qt.AlignmentFlag.AlignTop)",
    ),
    "variant": (variants_of_a_type, "from qgis.PyQt.QtCore import QVariant\nkind = QVariant.Int"),
    "null": (variants_of_a_type, "from qgis.PyQt.QtCore import QVariant\nnothing = QVariant(QVariant.Int)"),
}
FINDINGS = list(dict.fromkeys(check for check, _ in CHECKS.values()))


@pytest.mark.parametrize("name", list(CHECKS))
def test_a_planted_fault_is_found(name: str) -> None:
    check, fault = CHECKS[name]
    assert check(parsed(fault)), fault


def test_what_is_right_is_not_found() -> None:
    right = (
        "from qgis.PyQt.QtCore import QMetaType, Qt\nfrom qgis.PyQt.QtGui import QPalette\n"
        "from qgis.PyQt.QtWidgets import QDialog, QLabel\n"
        "if dialog.exec() == QDialog.DialogCode.Accepted and Qt.AlignmentFlag.AlignLeft and QMetaType.Type.Int:\n"
        "    label.setFrameShape(QLabel.Shape.Box)\n    QPalette.ColorRole.Base\n    QDialog.accept(dialog)\n"
        "def mousePressEvent(self, event):\n    return event.pos(), self.width(), self.x()\n"
    )
    assert [found for check in FINDINGS for found in check(parsed(right))] == []


@functools.lru_cache(maxsize=1)
def _trees() -> dict[Path, ast.Module]:
    return {each: parsed(each.read_text(encoding="utf-8")) for each in qgis_side() if each != BOTH_WAYS}


@pytest.mark.parametrize("check", FINDINGS, ids=lambda each: each.__name__)
def test_no_source_of_the_qgis_side_has_it(check: Finding) -> None:
    assert len(_trees()) > 200
    found = {str(path.relative_to(REPO)): wrong for path, tree in _trees().items() if (wrong := check(tree))}
    if check is names_asked_for_gone:
        found = {path: wrong for path, wrong in found.items() if set(wrong) - ASKED_FOR.get(Path(path).name, set())}
    assert found == {}


def test_what_qt6_moved_is_imported_in_one_file_from_both_places() -> None:
    found = {module: name for _, module, name in imports(parsed(BOTH_WAYS.read_text("utf-8"))) if name == "QAction"}
    assert set(found) == {"qgis.PyQt.QtGui", "qgis.PyQt.QtWidgets"}
