"""The part of the settings that says whether the agent's environment is there, and opens the dialog that makes it so."""

from __future__ import annotations

from typing import Callable, Optional

from qgis.PyQt.QtCore import QEvent, Qt
from qgis.PyQt.QtWidgets import QGroupBox, QPushButton, QVBoxLayout, QWidget

from ... import environment
from ...gis.i18n import translate
from .parts import explanation


class EnvironmentBox(QGroupBox):
    """``set_up`` opens the dialog. What is said here is looked at anew when the window comes to the front again."""

    def __init__(self, set_up: Callable[[], None], parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Agent environment"), parent)
        column = QVBoxLayout(self)
        self.label = explanation("")
        column.addWidget(self.label)
        self.button = QPushButton()
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda _checked=False: set_up())
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.refresh()

    def refresh(self) -> None:
        """Say how it is now."""
        folder = environment.locate()
        report = environment.check(folder)
        ready = translate("QgisAgent", "Ready: {folder}")
        self.label.setText(ready.format(folder=folder) if report.ok else report.message)
        self.button.setText(
            translate("QgisAgent", "Build again or remove…")
            if report.ok
            else translate("QgisAgent", "Set up the agent environment…")
        )

    def event(self, event: QEvent) -> bool:
        """The dialog may have changed it meanwhile."""
        if event.type() == QEvent.Type.WindowActivate:
            self.refresh()
        return bool(super().event(event))
