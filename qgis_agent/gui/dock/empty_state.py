"""What the dock shows before the first message: what it is for, and requests that fit the open project."""

from __future__ import annotations

from typing import List, Optional

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..cards.choice_button import ChoiceButton
from ..surfaces import ThemedLabel
from ..theme import GAP


class EmptyState(QWidget):
    """``chosen`` carries the example that was clicked."""

    chosen = pyqtSignal(str)

    def __init__(self, examples: List[str], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.buttons: List[ChoiceButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(GAP)
        title = ThemedLabel(translate("QgisAgent", "What should the map show?"), bold=True)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.3)
        title.setFont(font)
        column.addWidget(title)
        lead = translate(
            "QgisAgent",
            "Ask about the layers of this project, or say what to do with them. Every step is shown here, "
            "and nothing is written to a file unless you click Write.",
        )
        column.addWidget(ThemedLabel(lead, muted=True))
        if examples:
            column.addSpacing(6)
            column.addWidget(
                ThemedLabel(translate("QgisAgent", "For example, in this project:"), muted=True, small=True)
            )
        for example in examples:
            button = ChoiceButton(example)
            button.clicked.connect(lambda _checked=False, text=example: self.chosen.emit(text))
            column.addWidget(button)
            self.buttons.append(button)
        column.addStretch(1)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
