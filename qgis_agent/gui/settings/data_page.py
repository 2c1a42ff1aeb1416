"""The page "Data and limits" in QGIS's options: what is sent to the model, in which language it answers, and what a request may take."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from .data_box import DataBox
from .language_box import LanguageBox
from .limits_box import LimitsBox
from .parts import scrolled

DATA_KEY = "QgisAgentData"

Record = Callable[..., None]
"""``Audit.event``: takes a kind (values_at_home) and its fields."""


class DataPage(QgsOptionsPageWidget):
    """All of it is kept with OK or Apply. A changed switch for values is recorded."""

    def __init__(self, record: Optional[Record] = None, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setObjectName(DATA_KEY)
        self._record = record
        self.data_box = DataBox()
        self.language_box = LanguageBox()
        self.limits_box = LimitsBox()
        scrolled(self, [self.data_box, self.language_box, self.limits_box])

    def apply(self) -> None:
        """OK or Apply: the switch holds from the next step on, the rest from the next message on."""
        if self.data_box.apply() and self._record is not None:
            self._record("values_at_home", enabled=self.data_box.at_home_box.isChecked())
        self.language_box.apply()
        self.limits_box.apply()


class DataFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page."""

    def __init__(self, icon: QIcon, record: Optional[Record] = None) -> None:
        super().__init__(translate("QgisAgent", "Data and limits"), icon, DATA_KEY)
        self._icon = icon
        self._record: Any = record
        self.page: Optional[DataPage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def path(self) -> List[str]:
        """Below the plugin's own page, which QGIS knows by its title."""
        return [translate("QgisAgent", "QGIS Agent")]

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page; a reference is kept, or Python would delete it."""
        self.page = DataPage(self._record, parent)
        return self.page
