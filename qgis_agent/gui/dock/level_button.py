"""What the agent may do without asking: seen at a glance in the panel, and changed there."""

from __future__ import annotations

from typing import Dict, Optional

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QMenu, QWidget

from ...gis.i18n import translate
from ..qt import QAction, QActionGroup
from ..settings.permissions_level import level_words
from .menu_button import MenuButton

DEFAULT = "safe_write"


class LevelButton(MenuButton):
    """``chosen`` carries the level that a person chose; ``permissions_asked`` that they want all settings."""

    chosen = pyqtSignal(str)
    permissions_asked = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.level = ""
        self._names = {level: name for level, name, _meaning in level_words()}
        self._meanings = {level: meaning for level, _name, meaning in level_words()}
        self.actions_by_level: Dict[str, QAction] = {}
        self.setMenu(self._menu())
        self.show_level(DEFAULT)

    def show_level(self, level: str) -> None:
        """Say which level is in force."""
        if level not in self._names:
            level = DEFAULT
        self.level = level
        # Without what is said of it in brackets: there is little room.
        self.setText(self._names[level].partition("(")[0].partition("（")[0].strip())
        words = translate("QgisAgent", "What the agent may do without asking: {}").format(self._names[level])
        self.setToolTip("{}\n{}".format(words, self._meanings[level]))
        self.setAccessibleName(words)
        self.setAccessibleDescription(self._meanings[level])
        self.actions_by_level[level].setChecked(True)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        group.setExclusive(True)
        for level, name, meaning in level_words():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setToolTip(meaning)
            action.setStatusTip(meaning)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, level=level: self._choose(level))
            self.actions_by_level[level] = action
        menu.addSeparator()
        menu.addAction(translate("QgisAgent", "Rules and permissions given…")).triggered.connect(self.permissions_asked)
        return menu

    def _choose(self, level: str) -> None:
        if level != self.level:
            self.show_level(level)
            self.chosen.emit(level)
