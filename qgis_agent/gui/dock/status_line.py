"""The line under the composer: what state the agent is in, which model answers, and what it may do without asking."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QHBoxLayout, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..surfaces import ElidedLabel
from ..theme import MARGIN
from .level_button import LevelButton

_SIGNS = {"starting": "running", "idle": "idle", "running": "running", "stopping": "waiting", "broken": "warning"}
OFFLINE_LABEL = "offline commands"
"""What the agent process calls itself without a model; it speaks English here."""


class StatusLine(QWidget):
    """Sign, state and model; the level at the end."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.state = "starting"
        self._turn = 0.0
        self._glyph = Glyph("running")
        self._label = ElidedLabel(muted=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 0, MARGIN - 6, 4)
        row.setSpacing(4)
        row.addWidget(self._glyph)
        row.addWidget(self._label, 1)
        self.level = LevelButton()
        row.addWidget(self.level)
        self._timer = QTimer(self)
        self._timer.setInterval(80)
        self._timer.timeout.connect(self._tick)
        self.show_state("starting", "")

    def text(self) -> str:
        """The words that are shown."""
        return self._label.text()

    def show_state(self, state: str, text: str) -> None:
        """``state`` is starting, idle, running, stopping or broken; ``text`` names the model or says what is wrong."""
        self.state = state
        words = {
            "starting": translate("QgisAgent", "Starting…"),
            "idle": translate("QgisAgent", "Ready"),
            "running": translate("QgisAgent", "Working…"),
            "stopping": translate("QgisAgent", "Stopping…"),
            "broken": translate("QgisAgent", "Not available"),
        }.get(state, state)
        self._glyph.show_sign(_SIGNS.get(state, "info"), strong=state in ("idle", "running", "broken"))
        if text == OFFLINE_LABEL:
            text = translate("QgisAgent", "offline commands")
        self._label.set_text(" · ".join(each for each in (words, text) if each))
        self.setAccessibleName(self._label.text())
        if _SIGNS.get(state) == "running":
            self._timer.start()
        else:
            self._timer.stop()

    def _tick(self) -> None:
        self._turn += 0.08
        self._glyph.turn_to(self._turn)
