"""The card that is shown while the agent's environment is built."""

from __future__ import annotations

from typing import Callable, Optional

from qgis.PyQt.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import ElidedLabel, Surface, ThemedLabel
from .card_button import ButtonRow, CardButton


class SetupCard(Surface):
    """Title, bar, and the line that the build said last. ``details`` opens the dialog with the whole log."""

    def __init__(self, stop: Callable[[], None], details: Callable[[], None], parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
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
        self.details_button = CardButton(translate("QgisAgent", "Details"))
        self.details_button.clicked.connect(lambda _checked=False: details())
        column.addWidget(ButtonRow([self.stop_button, self.details_button]))

    def line(self) -> str:
        """What is shown below the bar."""
        return self._line.text()

    def show_progress(self, line: str, fraction: float) -> None:
        """One line of the build; ``fraction`` is 0 to 1, or -1 when unknown."""
        self._line.set_text(line)
        if fraction >= 0:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(1000 * fraction))
