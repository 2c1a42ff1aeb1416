"""The page "QGIS Agent" in the project's properties: which layers, fields and folders the agent does not see."""

from __future__ import annotations

import os
from typing import List, Optional

from qgis.core import QgsProject
from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QFileDialog, QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.scope import Scope, scope_of
from ..settings.parts import ListView, SearchEdit, explanation, scrolled
from .scope_tree import ScopeTree, counts_text

PAGE_KEY = "QgisAgentScope"
LIST_HEIGHT = 100


class ScopePage(QgsOptionsPageWidget):
    """Edits the scope of a project; OK or Apply keeps it in the project, which is saved with it."""

    def __init__(self, project: QgsProject, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setObjectName(PAGE_KEY)
        self._scope: Scope = scope_of(project)
        self._renewed = False
        self._edited = False
        self.folders: List[str] = self._scope.folders()
        self.damage = self._damage_box()
        self.tree = ScopeTree(project, self._scope)
        self.counts = explanation("")
        scrolled(self, [self.damage, self.counts, self._layers_box(), self._folders_box()])
        self.damage.setVisible(self._scope.damaged)
        self.tree.edited.connect(self._changed)
        self._show()

    # building

    def _damage_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "The choice that was kept cannot be read"))
        column = QVBoxLayout(box)
        text = translate(
            "QgisAgent", "So that nothing is shown by mistake, the agent sees no layer and no file of this project."
        )
        column.addWidget(explanation(text))
        self.renew_button = QPushButton(translate("QgisAgent", "Choose anew"))
        self.renew_button.clicked.connect(lambda _checked=False: self._renew())
        column.addLayout(_row([self.renew_button]))
        return box

    def _layers_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Layers and fields"))
        column = QVBoxLayout(box)
        text = translate(
            "QgisAgent",
            "What you tick does not exist for the agent: no tool names it, reads it, or puts it into a result. This holds for "
            "copies of a layer too, and only you can change it.",
        )
        column.addWidget(explanation(text))
        self.search = SearchEdit()
        self.search.setPlaceholderText(translate("QgisAgent", "Search layers and fields"))
        self.search.setAccessibleName(translate("QgisAgent", "Search layers and fields"))
        self.search.setShowSearchIcon(True)
        self.search.textChanged.connect(self.tree.search)
        column.addWidget(self.search)
        column.addWidget(self.tree)
        return box

    def _folders_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Folders"))
        column = QVBoxLayout(box)
        text = translate(
            "QgisAgent", "Files in these folders are not listed, opened or written, nor are layers read from them."
        )
        column.addWidget(explanation(text))
        self.list = ListView(
            [translate("QgisAgent", "Hidden folder")],
            translate("QgisAgent", "Folders that the agent does not see"),
            translate("QgisAgent", "No folder is hidden."),
            self._remove,
            LIST_HEIGHT,
        )
        self.list.stretch(0)
        self.list.itemSelectionChanged.connect(self._enable)
        column.addWidget(self.list)
        self.add_button = QPushButton(translate("QgisAgent", "Add a folder…"))
        self.remove_button = QPushButton(translate("QgisAgent", "Remove"))
        self.add_button.clicked.connect(lambda _checked=False: self._add())
        self.remove_button.clicked.connect(lambda _checked=False: self._remove())
        column.addLayout(_row([self.add_button, self.remove_button]))
        return box

    # what a person does

    def add_folder(self, path: str) -> None:
        """Hide a folder."""
        real = os.path.realpath(path)
        if real not in self.folders:
            self.folders.append(real)
            self._changed()

    def _add(self) -> None:
        start = self.folders[-1] if self.folders else QgsProject.instance().absolutePath()
        path = QFileDialog.getExistingDirectory(self, translate("QgisAgent", "Hide a folder from the agent"), start)
        if path:
            self.add_folder(path)

    def _remove(self) -> None:
        chosen = set(self.list.chosen())
        if chosen:
            self.folders = [each for each in self.folders if each not in chosen]
            self._changed()

    def _renew(self) -> None:
        """The person starts anew: from now on OK keeps what is ticked."""
        self._renewed = True
        self.folders = []
        self.damage.setVisible(False)
        self.tree.start_anew()

    def apply(self) -> None:
        """OK or Apply. What could not be read is replaced only when the person has chosen to start anew."""
        if self._scope.damaged and not self._renewed:
            return
        if self._edited or self._renewed:
            self._scope.set(self.tree.chosen_layers(), self.tree.chosen_fields(), self.folders)
            self._edited = self._renewed = False

    # state

    def _changed(self) -> None:
        self._edited = True
        self._show()

    def _show(self) -> None:
        fields = self.tree.chosen_fields()
        number = sum(len(each) for each in fields.values())
        locked = self._scope.damaged and not self._renewed
        self.counts.setText(
            translate("QgisAgent", "Everything of this project is hidden from the agent.")
            if locked
            else counts_text(len(self.tree.chosen_layers()), number, len(self.folders))
        )
        for each in (self.tree, self.search, self.list, self.add_button):
            each.setEnabled(not locked)
        self.list.show_rows([[clean_text(each, 400)] for each in self.folders], list(self.folders))
        self._enable()

    def _enable(self) -> None:
        self.remove_button.setEnabled(bool(self.list.chosen()))


class ScopeFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page for the project's properties."""

    def __init__(self, icon: QIcon) -> None:
        super().__init__(translate("QgisAgent", "QGIS Agent"), icon, PAGE_KEY)
        self._icon = icon
        self.page: Optional[ScopePage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page of the open project; a reference is kept, or Python would delete it."""
        self.page = ScopePage(QgsProject.instance(), parent)
        return self.page


def _row(buttons: List[QPushButton]) -> QHBoxLayout:
    """Buttons from the left; the last of several stands at the right. Enter does not press them: it means OK."""
    row = QHBoxLayout()
    for number, each in enumerate(buttons, 1):
        each.setAutoDefault(False)
        if number == max(2, len(buttons)):
            row.addStretch(1)
        row.addWidget(each)
    if len(buttons) == 1:
        row.addStretch(1)
    return row
