"""The line above the status that says what is still stopping: QGIS cannot interrupt every algorithm."""

from __future__ import annotations

from typing import List, Optional

from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QHBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.progress import step_label
from ..glyphs import Glyph
from ..surfaces import ElidedLabel
from ..theme import MARGIN

PATIENCE_MS = 500
"""Most algorithms return within some milliseconds of Stop: of those nothing is said."""


class StoppingLine(QWidget):
    """Hidden while nothing is stopping, and for the first half second after."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._label = ElidedLabel(muted=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 2, MARGIN, 0)
        row.setSpacing(4)
        row.addWidget(Glyph("waiting"))
        row.addWidget(self._label, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PATIENCE_MS)
        self._timer.timeout.connect(self.show)
        why = translate("QgisAgent", "QGIS cannot interrupt this. Its result will not be used.")
        self.setToolTip(why)
        self.setAccessibleDescription(why)
        self.hide()

    def text(self) -> str:
        """The words."""
        return self._label.text()

    def show_tools(self, tools: List[str]) -> None:
        """The tools whose work runs on although its call has been answered; none takes the line away."""
        if not tools:
            self._timer.stop()
            self.hide()
            return
        steps = ", ".join(step_label({"tool": each}) for each in tools)
        self._label.set_text(translate("QgisAgent", "Still stopping: {steps}").format(steps=steps))
        self.setAccessibleName(self._label.text())
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()
