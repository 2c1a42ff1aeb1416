"""The time that is left for an answer: said when there is not much of it."""

from __future__ import annotations

import math
from typing import Optional

from qgis.PyQt.QtCore import Qt, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ..surfaces import ThemedLabel

SHOWN_S = 30
"""So many seconds before the end it is shown."""
_TICK_MS = 250


class Countdown(ThemedLabel):
    """``expired`` when the time is over. Nothing is shown until the last 30 seconds; it keeps its place, so that no button
    moves under the mouse."""

    expired = pyqtSignal()

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__("", muted=True, small=True, parent=parent)
        self.setWordWrap(False)
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse one may tell a second more than there is
        self._end.timeout.connect(self.expired)
        self._tick = QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._tick.timeout.connect(self._show)

    def start(self, seconds: float) -> None:
        """Begin: ``seconds`` are left."""
        self._end.start(max(1, round(1000 * seconds)))
        self._tick.start()
        self._show()

    def stop(self) -> None:
        """An answer has come."""
        self._end.stop()
        self._tick.stop()

    def _show(self) -> None:
        left = math.ceil(self._end.remainingTime() / 1000.0)
        words = translate("QgisAgent", "No answer means no: {} s left").format(left) if 0 <= left <= SHOWN_S else ""
        if words != self.text():
            self.setText(words)
