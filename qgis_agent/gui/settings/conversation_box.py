"""What the conversation shows besides words."""

from __future__ import annotations

from typing import Optional

from qgis.core import QgsSettings
from qgis.PyQt.QtWidgets import QCheckBox, QGroupBox, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..dock.map_thumbnail import SETTING, wanted


class ConversationBox(QGroupBox):
    """A box of the settings page; ``apply`` keeps what was chosen."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Conversation"), parent)
        self.pictures = QCheckBox(translate("QgisAgent", "Small picture of the map under answers"))
        self.pictures.setChecked(wanted())
        column = QVBoxLayout(self)
        column.addWidget(self.pictures)

    def apply(self) -> None:
        """Keep it."""
        QgsSettings().setValue(SETTING, self.pictures.isChecked())
