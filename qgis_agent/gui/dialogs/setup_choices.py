"""What a person may choose before the agent's environment is built: the Python, and where the packages come from."""

from __future__ import annotations

import os
from typing import List, Optional

from qgis.gui import QgsFileWidget
from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QGroupBox,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ...environment_python import FoundPython
from ...gis.i18n import translate
from ...gis.network_variables import network_variables, network_words
from ..settings.builder_jobs import PythonFinder
from ..settings.parts import explanation

FINDER_WAIT_MS = 3_000


class SetupChoices(QWidget):
    """``changed`` comes when ``ready`` may be another: there is a Python, or a folder was named."""

    changed = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._finders: List[PythonFinder] = []
        self._uv = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._python_box())
        column.addWidget(self._packages_box())

    # what the dialog uses

    def look(self, chosen: str = "") -> None:
        """Look for Pythons, or at the one that was chosen; the list is filled when they have been run."""
        finder = PythonFinder(network_variables(os.environ), chosen, self)
        self._finders.append(finder)
        finder.found.connect(lambda seen, uv: self._show_found(seen, uv, chosen))
        finder.finished.connect(lambda: self._finders.remove(finder))
        self.python_note.setText(translate("QgisAgent", "Looking for a Python…"))
        finder.start()

    def python(self) -> Optional[str]:
        """The program that was chosen, None to let uv bring one."""
        return str(self.python_list.currentData() or "") or None

    def wheels(self) -> Optional[str]:
        """The folder of wheels, None for the package index."""
        return self.folder.filePath().strip() or None if self.from_folder.isChecked() else None

    def ready(self) -> bool:
        """Whether a build may begin."""
        return self.python_list.count() > 0 and (not self.from_folder.isChecked() or bool(self.wheels()))

    def end(self) -> None:
        """The dialog goes: nobody waits for the Pythons any more."""
        for finder in list(self._finders):
            finder.requestInterruption()
            finder.wait(FINDER_WAIT_MS)

    # building

    def _python_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Python"))
        column = QVBoxLayout(box)
        row = QHBoxLayout()
        self.python_list = QComboBox()
        self.python_list.setAccessibleName(translate("QgisAgent", "Python"))
        self.python_list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.python_list.setMinimumContentsLength(30)
        self.choose_button = QPushButton(translate("QgisAgent", "Choose…"))
        self.choose_button.setAccessibleName(translate("QgisAgent", "Choose another Python"))
        self.choose_button.setAutoDefault(False)
        self.choose_button.clicked.connect(lambda _checked=False: self._choose())
        row.addWidget(self.python_list, 1)
        row.addWidget(self.choose_button)
        column.addLayout(row)
        self.python_note = explanation("")
        column.addWidget(self.python_note)
        return box

    def _packages_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Packages"))
        column = QVBoxLayout(box)
        self.from_index = QRadioButton(translate("QgisAgent", "From the internet"))
        self.from_folder = QRadioButton(translate("QgisAgent", "From a folder of wheels, without the internet"))
        group = QButtonGroup(self)
        for each in (self.from_index, self.from_folder):
            group.addButton(each)
        self.from_index.setChecked(True)
        column.addWidget(self.from_index)
        self.network_note = explanation(" ".join(network_words()), above=20)
        self.network_note.setVisible(bool(self.network_note.text()))
        column.addWidget(self.network_note)
        column.addWidget(self.from_folder)
        self.folder = QgsFileWidget()
        self.folder.setStorageMode(QgsFileWidget.StorageMode.GetDirectory)
        self.folder.setDialogTitle(translate("QgisAgent", "Folder of wheels"))
        self.folder.lineEdit().setAccessibleName(translate("QgisAgent", "Folder of wheels"))
        self.folder.setVisible(False)
        column.addWidget(self.folder)
        self.from_folder.toggled.connect(self.folder.setVisible)
        self.from_folder.toggled.connect(lambda _on: self.changed.emit())
        self.folder.fileChanged.connect(lambda _path: self.changed.emit())
        return box

    # the Pythons

    def _choose(self) -> None:
        path, _kind = QFileDialog.getOpenFileName(self, translate("QgisAgent", "Choose a Python"))
        if path:
            self.look(path)

    def _show_found(self, seen: List[FoundPython], uv: str, chosen: str) -> None:
        self._uv = uv
        good = [each for each in seen if not each.why]
        for each in good:
            if self.python_list.findData(each.program) < 0:
                self.python_list.addItem("Python {}: {}".format(each.version, each.program), each.program)
        if not self.python_list.count() and uv:
            self.python_list.addItem(translate("QgisAgent", "A Python that the program uv fetches"), "")
        if chosen and good:
            self.python_list.setCurrentIndex(self.python_list.findData(chosen))
        self.python_list.setEnabled(self.python_list.count() > 0)
        self.python_note.setText(self._note(seen, chosen))
        self.python_note.setVisible(bool(self.python_note.text()))
        self.changed.emit()

    def _note(self, seen: List[FoundPython], chosen: str) -> str:
        refused = ["{}: {}".format(each.program, each.why) for each in seen if each.why]
        if chosen:
            return "\n".join(refused)
        if self.python_list.count():
            return ""
        none = translate("QgisAgent", "No Python that can be used was found. Install Python 3.12, or choose one.")
        return "\n".join([none, *refused])
