"""Work that runs on although its call has been answered: algorithms in C++ that cannot be interrupted."""

from __future__ import annotations

from typing import Any, List, Optional

from qgis.core import QgsApplication
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, QThreadPool, pyqtSignal

from .errors import RATE_LIMITED, ToolError
from .i18n import translate

MAX_DETACHED = 2
"""More of them would leave the machine to work that nobody wants any more."""


def _pool() -> QThreadPool:
    """The threads of QGIS's task manager: its own pool, in older versions everybody's."""
    own = QgsApplication.taskManager().findChildren(QThreadPool)
    return own[0] if own else QThreadPool.globalInstance()


class Detached(QObject):
    """What is still stopping. ``changed(count)`` tells when something was detached, and when it has returned.

    Many algorithms return within some milliseconds of Stop: show nothing before it has lasted.
    """

    changed = pyqtSignal(int)

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._work: List[Any] = []

    @property
    def count(self) -> int:
        """How many run on."""
        return len(self._work)

    def tools(self) -> List[str]:
        """The tools whose work runs on, the oldest first."""
        return [str(each.tool) for each in self._work]

    def add(self, work: Any) -> None:
        """The call of ``work`` (it has a ``tool``) was answered before the work returned."""
        self._work.append(work)
        _pool().releaseThread()  # a machine with two processors has two: other calls would wait for what is not wanted
        self._tell()

    def remove(self, work: Any) -> None:
        """It has returned. What was not detached is none of this."""
        if any(each is work for each in self._work):
            self._work = [each for each in self._work if each is not work]
            _pool().reserveThread()
            self._tell()

    def require_room(self) -> None:
        """RATE_LIMITED while as many as may be are still stopping."""
        if self.count < MAX_DETACHED:
            return
        raise ToolError(
            RATE_LIMITED,
            translate("QgisAgent", "{} earlier analyses are still stopping; QGIS cannot interrupt them.").format(
                self.count
            ),
            hint=translate(
                "QgisAgent", "Wait until they have ended, then ask again; other questions can be asked now."
            ),
            reason="still_stopping",
        )

    def _tell(self) -> None:
        if not sip.isdeleted(self):  # the plugin may have been unloaded meanwhile
            self.changed.emit(self.count)
