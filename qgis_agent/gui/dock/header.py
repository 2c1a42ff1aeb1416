"""The row above the conversation: new conversation, whether files may be written, settings."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import GlyphButton
from ..theme import MARGIN


class Header(QWidget):
    """Three things a person reaches for now and then."""

    new_asked = pyqtSignal()
    settings_asked = pyqtSignal()
    export_toggled = pyqtSignal(bool)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        new = translate("QgisAgent", "New conversation")
        self.new_button = GlyphButton("new", new, text=new)
        self.export_box = QCheckBox(translate("QgisAgent", "Allow file export"))
        tip = translate(
            "QgisAgent",
            "The agent may then offer to write a layer to a file. Each file is shown to you first and is written only "
            "when you click Write.",
        )
        self.export_box.setToolTip(tip)
        self.export_box.setAccessibleDescription(tip)
        self.settings_button = GlyphButton("settings", translate("QgisAgent", "Settings"))
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN - 6, 4, MARGIN - 6, 4)
        row.setSpacing(6)
        row.addWidget(self.new_button)
        row.addStretch(1)
        row.addWidget(self.export_box)
        row.addWidget(self.settings_button)
        self.new_button.clicked.connect(self.new_asked)
        self.settings_button.clicked.connect(self.settings_asked)
        self.export_box.toggled.connect(self.export_toggled)
