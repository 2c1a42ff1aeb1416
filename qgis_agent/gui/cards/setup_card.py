"""The card that is shown while the agent's environment is built."""

from __future__ import annotations

from typing import Callable, List, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import ElidedLabel, Surface, ThemedLabel
from .card_button import CardButton

LOG_LINES = 400


class SetupCard(Surface):
    """Title, bar, and the line that the build said last."""

    def __init__(self, stop: Callable[[], None], parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        self.log: List[str] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(6)
        column.addWidget(ThemedLabel(translate("QgisAgent", "Setting up the agent environment"), bold=True))
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(translate("QgisAgent", "Progress"))
        column.addWidget(self._bar)
        self._line = ElidedLabel(translate("QgisAgent", "This takes about a minute."), muted=True)
        column.addWidget(self._line)
        self.stop_button = CardButton(translate("QgisAgent", "Stop"))
        self.stop_button.clicked.connect(lambda _checked=False: stop())
        column.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_progress(self, line: str, fraction: float) -> None:
        """One line of the build; ``fraction`` is 0 to 1, or -1 when unknown."""
        self.log = (self.log + [line])[-LOG_LINES:]
        self._line.set_text(line)
        if fraction >= 0:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(1000 * fraction))
