"""Folders besides the project's own that the agent may read from, or write to as well."""

from __future__ import annotations

from typing import List, Optional, Tuple

from qgis.PyQt.QtWidgets import QFileDialog, QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.rules import added_folders, is_addable, set_added_folders
from .parts import ListView, explanation

LIST_HEIGHT = 100


def mode_words(mode: str) -> str:
    """What may be done in a folder, for people."""
    return translate("QgisAgent", "read and write") if mode == "write" else translate("QgisAgent", "read only")


class FoldersBox(QGroupBox):
    """A list of folders that is edited here; ``save`` keeps it."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "More folders"), parent)
        self.edited: List[Tuple[str, str]] = _stored()
        column = QVBoxLayout(self)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "The agent reads files in the project's folder and in the folders of its layers, and writes (after your "
                    "click) in the project's folder. Add others here.",
                )
            )
        )
        self.list = ListView(
            [translate("QgisAgent", "Folder"), translate("QgisAgent", "Allowed")],
            translate("QgisAgent", "More folders"),
            translate("QgisAgent", "No other folders."),
            self.remove_chosen,
            LIST_HEIGHT,
        )
        self.list.stretch(0)
        self.list.itemSelectionChanged.connect(self._enable)
        column.addWidget(self.list)
        self.note = explanation("")
        self.note.setVisible(False)
        column.addWidget(self.note)
        self.read_button = QPushButton(translate("QgisAgent", "Add a folder to read…"))
        self.read_button.clicked.connect(lambda _checked=False: self._choose("read"))
        self.write_button = QPushButton(translate("QgisAgent", "Add a folder to write…"))
        self.write_button.clicked.connect(lambda _checked=False: self._choose("write"))
        self.remove_button = QPushButton(translate("QgisAgent", "Remove"))
        self.remove_button.clicked.connect(lambda _checked=False: self.remove_chosen())
        row = QHBoxLayout()
        row.addWidget(self.read_button)
        row.addWidget(self.write_button)
        row.addStretch(1)
        row.addWidget(self.remove_button)
        for each in (self.read_button, self.write_button, self.remove_button):
            each.setAutoDefault(False)
        column.addLayout(row)
        self._show()

    def save(self) -> List[Tuple[str, str, str]]:
        """OK or Apply. What has changed: ("folder_added" or "folder_removed", mode, path)."""
        before = _stored()
        if self.edited == before:
            return []
        for mode in ("read", "write"):
            set_added_folders(mode, [path for each, path in self.edited if each == mode])
        self.edited = _stored()
        added = [("folder_added", *each) for each in self.edited if each not in before]
        return added + [("folder_removed", *each) for each in before if each not in self.edited]

    def add(self, mode: str, path: str) -> None:
        """Put a folder on the list, in place of the same one with the other mode."""
        addable = is_addable(path)
        self.note.setVisible(not addable)
        if not addable:
            refused = translate(
                "QgisAgent", "{} is not added: a whole disk and the QGIS profile are never open to the agent."
            )
            self.note.setText(refused.format(clean_text(path, 200)))
            return
        self.edited = [each for each in self.edited if each[1] != path] + [(mode, path)]
        self._show()

    def remove_chosen(self) -> None:
        """Take the chosen folders off the list."""
        gone = self.list.chosen()
        self.edited = [each for each in self.edited if each[1] not in gone]
        self._show()

    def _choose(self, mode: str) -> None:
        path = QFileDialog.getExistingDirectory(self, translate("QgisAgent", "Choose a folder for the agent"))
        if path:
            self.add(mode, path)

    def _show(self) -> None:
        self.list.show_rows(
            [[clean_text(path, 1000), mode_words(mode)] for mode, path in self.edited],
            [path for _mode, path in self.edited],
        )
        self._enable()

    def _enable(self) -> None:
        self.remove_button.setEnabled(bool(self.list.chosen()))


def _stored() -> List[Tuple[str, str]]:
    return [(mode, path) for mode in ("read", "write") for path in added_folders(mode)]
