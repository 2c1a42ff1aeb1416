"""The line under the composer: the agent's state, its model, the context used, how it works, and what it may do unasked."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QHBoxLayout, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..theme import MARGIN
from .level_button import LevelButton
from .mode_button import APPLY_PROFILE, SMALL_PROFILE, ModeButton
from .model_button import ModelButton
from .usage_meter import UsageMeter

_SIGNS = {"starting": "running", "idle": "idle", "running": "running", "stopping": "waiting", "broken": "warning"}
OFFLINE_LABEL = "offline commands"
"""What the agent process calls itself without a model; it speaks English here."""


class StatusLine(QWidget):
    """Sign, state and model; how full the context is; the mode and, where the agent may change something, the level."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.state = "starting"
        self._turn = 0.0
        self._glyph = Glyph("running")
        self.model = ModelButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 0, MARGIN - 6, 4)
        row.setSpacing(4)
        row.addWidget(self._glyph)
        row.addWidget(self.model, 1)
        self.usage = UsageMeter()
        row.addWidget(self.usage)
        self.mode = ModeButton()
        row.addWidget(self.mode)
        self.level = LevelButton()
        row.addWidget(self.level)
        self._timer = QTimer(self)
        self._timer.setInterval(80)
        self._timer.timeout.connect(self._tick)
        self.show_state("starting", "")

    def text(self) -> str:
        """The words that are shown."""
        return self.model.text()

    def show_profile(self, profile: str) -> None:
        """Say how the agent works; a level matters only where it may change something."""
        self.mode.show_profile(profile)
        self.level.setVisible(profile in (APPLY_PROFILE, SMALL_PROFILE))

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
        # In a narrow panel the sign says that it is idle, and the model's own name is worth more than its provider's.
        short = text.rpartition("/")[2] if state == "idle" else ""
        self.model.set_text(" · ".join(each for each in (words, text) if each), short)
        self.setAccessibleName(self.model.text())
        if _SIGNS.get(state) == "running":
            self._timer.start()
        else:
            self._timer.stop()

    def _tick(self) -> None:
        self._turn += 0.08
        self._glyph.turn_to(self._turn)
