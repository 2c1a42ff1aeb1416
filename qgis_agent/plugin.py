"""What QGIS loads: puts the dock, the settings page and the Processing provider into QGIS, and takes them out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

from qgis.core import QgsApplication, QgsSettings
from qgis.PyQt.QtCore import QCoreApplication, QLocale, QTranslator

from .gis.contracts import PLUGIN_ROOT
from .gis.threads import keep_threads

TRANSLATIONS = PLUGIN_ROOT / "i18n"


class AgentPlugin:
    """The plugin. ``iface`` is None in qgis_process, which only uses ``initProcessing``."""

    def __init__(self, iface: Any) -> None:
        self.iface = iface
        self.provider: Any = None
        self.window: Any = None
        self._translator = install_translator(TRANSLATIONS)

    @property
    def controller(self) -> Any:
        """The RunController of the dock; None without a window."""
        return self.window.controller if self.window is not None else None

    @property
    def dock(self) -> Any:
        """The dock; None without a window."""
        return self.window.dock if self.window is not None else None

    def initGui(self) -> None:  # noqa: N802
        """Put everything into QGIS's window."""
        self.initProcessing()
        if self.iface is None:
            return
        from .gui.main_window import MainWindowParts

        self.window = MainWindowParts(self.iface)

    def initProcessing(self) -> None:  # noqa: N802
        """Add the Processing provider; also called without a window, by qgis_process."""
        if self.provider is not None:
            return
        keep_threads()
        from .plugin_desk import PluginDesk
        from .processing.provider import QgisAgentProvider

        self.provider = QgisAgentProvider(PluginDesk(lambda: self.window))
        QgsApplication.processingRegistry().addProvider(self.provider)

    def unload(self) -> None:
        """Take everything out of QGIS again and end the agent process."""
        if self.window is not None:
            self.window.remove()
            self.window = None
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
        if self._translator is not None:
            QCoreApplication.removeTranslator(self._translator)
            self._translator = None


def user_locale() -> QLocale:
    """The language that QGIS shows: the person's choice, else the system's."""
    settings = QgsSettings()
    chosen = str(settings.value("locale/userLocale", "") or "")
    overridden = settings.value("locale/overrideFlag", False, type=bool)
    return QLocale(chosen) if overridden and chosen else QLocale()


def install_translator(folder: Path) -> Optional[QTranslator]:
    """Install the plugin's translation for QGIS's language, when there is one."""
    translator = QTranslator()
    if not translator.load(user_locale(), "qgis_agent", "_", str(folder)):
        return None
    QCoreApplication.installTranslator(translator)
    return translator
