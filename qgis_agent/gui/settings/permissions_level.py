"""The level of the chat: what the agent may do without asking."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from qgis.PyQt.QtWidgets import QButtonGroup, QGroupBox, QRadioButton, QStyle, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.rules import chosen_level
from .parts import explanation


def level_words() -> List[Tuple[str, str, str]]:
    """(level, its name, what it means), from strict to lax."""
    return [
        (
            "read_only",
            translate("QgisAgent", "Read only"),
            translate(
                "QgisAgent",
                "Looks at the map and answers. Asks before it changes the look of the map or adds a layer; "
                "never writes files, changes data, runs code or uses the network.",
            ),
        ),
        (
            "safe_write",
            translate("QgisAgent", "Safe (recommended)"),
            translate(
                "QgisAgent",
                "Styles layers and adds results without asking; you can undo this. Asks for each host of the network, and "
                "every time before it writes files, changes data or runs code.",
            ),
        ),
        (
            "full_access",
            translate("QgisAgent", "Full access"),
            translate(
                "QgisAgent",
                "Asks for nothing that may be left unasked; at present the same as Safe. Network hosts are asked about, and "
                "writing files, changing data and running code are confirmed, at every level.",
            ),
        ),
    ]


class LevelBox(QGroupBox):
    """Three levels, one of them chosen. Holds until the next message; ``level`` is what is chosen here."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "What the agent may do without asking"), parent)
        column = QVBoxLayout(self)
        group = QButtonGroup(self)
        style = self.style()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_ExclusiveIndicatorWidth)
        indent += style.pixelMetric(QStyle.PixelMetric.PM_RadioButtonLabelSpacing)
        self.buttons: Dict[str, QRadioButton] = {}
        for level, name, meaning in level_words():
            button = QRadioButton(name)
            button.setAccessibleDescription(meaning)
            group.addButton(button)
            self.buttons[level] = button
            pair = QVBoxLayout()
            pair.setSpacing(1)
            pair.addWidget(button)
            pair.addWidget(explanation(meaning, indent))
            column.addLayout(pair)
        self.buttons[chosen_level()].setChecked(True)

    def level(self) -> str:
        """The level that is chosen here."""
        return next(level for level, button in self.buttons.items() if button.isChecked())
