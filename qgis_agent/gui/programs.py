"""Other programs in QGIS's window: what keeps MCP going, its page in the options, and the sign in the panel."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from qgis.PyQt.QtCore import QObject, QTimer
from qgis.PyQt.QtGui import QIcon

from ..gis.mcp.desk import McpDesk
from ..gis.mcp.listening import Listening
from ..gis.mcp.settings import Clients
from ..gis.runs import RunController
from .dock.header import Header
from .settings.mcp_page import MCP_KEY, McpFactory, McpParts

BEGIN_MS = 2_000
"""After QGIS's window is there: the start of QGIS, and of its project, comes first."""


class Programs(QObject):
    """Made with the plugin, ``close``d with it; ``remove`` also takes the page out of QGIS."""

    def __init__(
        self,
        iface: Any,
        controller: RunController,
        header: Header,
        icon: QIcon,
        parent: QObject,
        building: Callable[[], bool],
    ) -> None:
        """``building``: whether the agent's environment is being built or removed now."""
        super().__init__(parent)
        self._iface = iface
        self._header = header
        self.clients = Clients(parent=self)
        self.desk = McpDesk(controller, self.clients, self)
        self.listening = Listening(controller, self.clients, self.desk.revoke_all, self, building)
        record = controller.host.audit.event
        parts = McpParts(self.clients, self.listening, self.desk.now, record, self.desk.connected)
        self._factory: Optional[McpFactory] = McpFactory(icon, parts)
        iface.registerOptionsWidgetFactory(self._factory)
        self.desk.connected.connect(self._show)
        header.programs_asked.connect(self.show_settings)
        self._begin = QTimer(self)
        self._begin.setSingleShot(True)
        self._begin.timeout.connect(self.listening.follow)
        self._begin.start(BEGIN_MS)

    def names(self) -> List[str]:
        """What the person calls the programs that are connected."""
        return [label for _ident, label, _said in self.desk.now()]

    def show_settings(self) -> None:
        """Open QGIS's options at the page of other programs."""
        self._iface.showOptionsDialog(self._iface.mainWindow(), MCP_KEY)

    def close(self) -> None:
        """QGIS or the plugin ends: nothing is opened any more; the endpoint ends with the agent process."""
        self._begin.stop()
        self.listening.close()
        self.desk.revoke_all()

    def remove(self) -> None:
        """Take the page out of QGIS."""
        if self._factory is not None:
            self._iface.unregisterOptionsWidgetFactory(self._factory)
            self._factory = None

    def _show(self) -> None:
        self._header.show_programs(self.names())
