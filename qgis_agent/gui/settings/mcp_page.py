"""The page "Other programs" in QGIS's options: whether programs may use this QGIS over MCP, which, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ...gis.mcp.listening import Listening
from ...gis.mcp.settings import Clients
from .mcp_clients import ClientsBox, Now, Record
from .mcp_switch import SwitchBox
from .parts import scrolled

MCP_KEY = "QgisAgentMcp"


@dataclass
class McpParts:
    """What the page shows and changes. ``now`` gives those that are connected, ``record`` is ``Audit.event``."""

    clients: Clients
    listening: Listening
    now: Now = list
    record: Optional[Record] = None
    connected: Any = None
    """A signal: who is connected has changed."""


class McpPage(QgsOptionsPageWidget):
    """The switch and the port are kept with OK or Apply; the list of programs changes at once."""

    def __init__(self, parts: McpParts, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setObjectName(MCP_KEY)
        self._record = parts.record
        self.switch_box = SwitchBox(parts.listening)
        self.clients_box = ClientsBox(parts.clients, parts.now, self._reached, parts.record)
        if parts.connected is not None:
            parts.connected.connect(self.clients_box.refresh)
        scrolled(self, [self.switch_box, self.clients_box])

    def _reached(self) -> Tuple[str, str]:
        return self.switch_box.url(), self.switch_box.note()

    def apply(self) -> None:
        """OK or Apply: the endpoint opens, moves or closes now."""
        if self.switch_box.apply() and self._record is not None:
            self._record("mcp_switch", enabled=self.switch_box.on_box.isChecked())


class McpFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page."""

    def __init__(self, icon: QIcon, parts: McpParts) -> None:
        super().__init__(translate("QgisAgent", "Other programs (MCP)"), icon, MCP_KEY)
        self._icon = icon
        self._parts = parts
        self.page: Optional[McpPage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def path(self) -> List[str]:
        """Below the plugin's own page, which QGIS knows by its title."""
        return [translate("QgisAgent", "QGIS Agent")]

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page; a reference is kept, or Python would delete it."""
        self.page = McpPage(self._parts, parent)
        return self.page
