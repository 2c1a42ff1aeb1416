"""QGIS's locator bar: "ask how many schools are there" sends a request to the agent."""

from __future__ import annotations

from typing import Any, Callable, Optional

from qgis.core import QgsLocatorFilter, QgsLocatorResult
from qgis.PyQt.QtCore import QObject
from qgis.PyQt.QtGui import QIcon

from ..gis.i18n import translate

PREFIX = "ask"


class AskFilter(QgsLocatorFilter):
    """Offers one result: to ask just that. Only behind its prefix, so that no other search is cluttered by it.

    QGIS works with clones of a filter; ``ask`` is called on the main thread, with the text.
    """

    def __init__(self, ask: Callable[[str], None], icon: QIcon, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self._icon = icon
        self.setUseWithoutPrefix(False)

    def clone(self) -> AskFilter:
        """One more of the same."""
        return AskFilter(self._ask, self._icon)

    def name(self) -> str:
        """The same in all languages."""
        return "qgis_agent_ask"

    def displayName(self) -> str:  # noqa: N802
        """What the locator's settings call it."""
        return translate("QgisAgent", "Ask the QGIS Agent")

    def prefix(self) -> str:
        """What is typed before the request."""
        return PREFIX

    def priority(self) -> Any:
        """After what QGIS itself finds."""
        return QgsLocatorFilter.Priority.Low

    def flags(self) -> Any:
        """Fast: nothing is looked for, so no thread is needed."""
        return QgsLocatorFilter.Flag.FlagFast

    def fetchResults(self, text: str, _context: Any, _feedback: Any) -> None:  # noqa: N802
        """The one result."""
        asked = text.strip()
        if not asked:
            return
        result = QgsLocatorResult(self, translate("QgisAgent", "Ask: {}").format(asked), asked)
        result.description = translate("QgisAgent", "Sends the request to the QGIS Agent panel")
        result.icon = self._icon
        self.resultFetched.emit(result)

    def triggerResult(self, result: Any) -> None:  # noqa: N802
        """A person chose it."""
        # userData is a method from QGIS 3.34 on; before it was a plain attribute.
        data = result.userData() if callable(result.userData) else result.userData
        self._ask(str(data))
