"""Tells the Processing algorithms of the settings and the panel, which they may not know themselves (they know no widgets)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from qgis.core import QgsProject

from .gis.host import Host
from .processing.desk import Desk


class PluginDesk(Desk):
    """The desk of the plugin. ``window`` gives the MainWindowParts, None in qgis_process."""

    def __init__(self, window: Callable[[], Any]) -> None:
        super().__init__()
        self._window = window

    def model_config(self) -> Dict[str, Any]:
        """See Desk. Without a window a key comes from QGIS's authentication database only."""
        window = self._window()
        if window is not None:
            config: Dict[str, Any] = window.model_config()
            return config
        from .gui.settings.store import KeyRing, controller_config, load_choice

        return controller_config(load_choice(), KeyRing())

    def host_of(self, project: QgsProject) -> Optional[Host]:
        """See Desk."""
        window = self._window()
        return window.host if window is not None and window.host.project is project else None

    def is_running(self) -> bool:
        """See Desk."""
        window = self._window()
        return window is not None and bool(window.controller.running)
