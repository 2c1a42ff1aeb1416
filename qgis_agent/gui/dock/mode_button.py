"""Whether the agent works on the map or only makes a plan: seen at a glance in the panel, and changed there."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QMenu, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..qt import QAction, QActionGroup
from ..surfaces import GlyphButton, Surface, ThemedLabel
from ..theme import GAP
from .menu_button import MenuButton

APPLY_PROFILE = "gis-build"
PLAN_PROFILE = "gis-plan"
SMALL_PROFILE = "gis-small"
EXPLORE_PROFILE = "gis-explore"


def profile_words() -> List[Tuple[str, str, str]]:
    """(profile, its name, what it means), in the order of the menu."""
    return [
        (
            APPLY_PROFILE,
            translate("QgisAgent", "Work"),
            translate("QgisAgent", "Answers, styles and analyses; what it may do without asking is set beside this."),
        ),
        (
            PLAN_PROFILE,
            translate("QgisAgent", "Plan only"),
            translate("QgisAgent", "Reads and makes a plan; changes nothing until you apply the plan."),
        ),
        (
            EXPLORE_PROFILE,
            translate("QgisAgent", "Look only"),
            translate("QgisAgent", "Reads layers, fields and values; changes nothing."),
        ),
        (
            SMALL_PROFILE,
            translate("QgisAgent", "Few tools"),
            translate("QgisAgent", "For small models: finds, counts, shows and colours."),
        ),
    ]


class ModeButton(MenuButton):
    """``chosen`` carries the profile that a person chose for the next messages."""

    chosen = pyqtSignal(str)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.profile = ""
        self._names = {profile: name for profile, name, _meaning in profile_words()}
        self._meanings = {profile: meaning for profile, _name, meaning in profile_words()}
        self.actions_by_profile: Dict[str, QAction] = {}
        self.setMenu(self._menu())
        self.show_profile(APPLY_PROFILE)

    def show_profile(self, profile: str) -> None:
        """Say which profile answers the next message."""
        self.profile = profile
        name = self._names.get(profile, profile)
        self.setText(name)
        words = translate("QgisAgent", "How the agent works: {}").format(name)
        meaning = self._meanings.get(profile, "")
        self.setToolTip("\n".join(each for each in (words, meaning) if each))
        self.setAccessibleName(words)
        self.setAccessibleDescription(meaning)
        if profile in self.actions_by_profile:
            self.actions_by_profile[profile].setChecked(True)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        group.setExclusive(True)
        for profile, name, meaning in profile_words():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setToolTip(meaning)
            action.setStatusTip(meaning)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, profile=profile: self._choose(profile))
            self.actions_by_profile[profile] = action
        return menu

    def _choose(self, profile: str) -> None:
        if profile != self.profile:
            self.show_profile(profile)
            self.chosen.emit(profile)


class ModeStrip(Surface):
    """Above the composer while the agent changes nothing: says so, and how to leave it. Hidden otherwise."""

    left = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        self._texts = {
            PLAN_PROFILE: translate("QgisAgent", "Plan only. Nothing changes until you apply the plan."),
            EXPLORE_PROFILE: translate("QgisAgent", "Look only. Nothing changes."),
        }
        self._label = ThemedLabel()
        self.button = GlyphButton("failed", translate("QgisAgent", "Back to work"))
        self.button.clicked.connect(self.left)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 4, 6)
        row.setSpacing(GAP)
        row.addWidget(Glyph("info", strong=True), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._label, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def text(self) -> str:
        """The words, "" while hidden."""
        return self._label.text() if not self.isHidden() else ""

    def show_profile(self, profile: str) -> None:
        """Show it for profiles that change nothing."""
        text = self._texts.get(profile, "")
        self._label.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
