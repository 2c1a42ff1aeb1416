"""What can be done with a run that has ended: replay it, save its trace, export its algorithms.

A button with a menu, in the line under the answer.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QMenu, QWidget

from ...gis.i18n import translate
from ..qt import QAction
from .menu_button import MenuButton


def entries() -> List[Tuple[str, str, str]]:
    """(what ``chosen`` carries, words, what it means), in the order of the menu."""
    return [
        (
            "replay",
            translate("QgisAgent", "Replay on a copy"),
            translate(
                "QgisAgent",
                "Repeats the conversation up to this answer on a copy of the saved project, without a model, and says "
                "whether it comes out the same.",
            ),
        ),
        (
            "save_trace",
            translate("QgisAgent", "Save as trace…"),
            translate("QgisAgent", "A file with every step, to be replayed or examined. It holds names and values."),
        ),
        (
            "save_redacted",
            translate("QgisAgent", "Save as trace without names and values…"),
            translate("QgisAgent", "The same with pseudonyms, to be given away. It can be read, not replayed."),
        ),
    ]


def exports() -> List[Tuple[str, str, str]]:
    """The same for a run in which algorithms ran."""
    return [
        (
            "export_model",
            translate("QgisAgent", "Export as model…"),
            translate("QgisAgent", "The algorithms of this run as a Processing model (.model3), linked as they ran."),
        ),
        (
            "export_script",
            translate("QgisAgent", "Export as script…"),
            translate("QgisAgent", "The same as a Python script that runs by itself on a project."),
        ),
    ]


class RunMenu(MenuButton):
    """``chosen`` carries what a person wants to do with the run. ``algorithms``: whether algorithms ran in it."""

    chosen = pyqtSignal(str)

    def __init__(self, algorithms: bool = False, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        words = translate("QgisAgent", "More about this run")
        self.setText(translate("QgisAgent", "More"))
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.choices: Dict[str, QAction] = {}
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for what, name, meaning in [*entries(), *(exports() if algorithms else [])]:
            action = menu.addAction(name)
            action.setToolTip(meaning)
            action.setStatusTip(meaning)
            action.triggered.connect(lambda _checked=False, what=what: self.chosen.emit(what))
            self.choices[what] = action
        self.setMenu(menu)
