"""What the buttons have in common that the dock draws itself."""

from __future__ import annotations

from typing import Any

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QAbstractButton


class PaintedButton(QAbstractButton):
    """A button without a style: its paintEvent draws it."""

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802
        """Enter presses it, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)
