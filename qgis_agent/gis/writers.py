"""One writer at a time: calls that change something wait for each other, whoever makes them.

A call reads the project before and after it for Undo, so two that overlap would take each other's changes for their own. Chat
runs make theirs one after the other anyway; this is for MCP clients beside them and beside each other. Calls of an MCP client
also wait while a run of the panel goes on (``keep_out``), and are told to come again when that takes long.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple

from qgis.PyQt.QtCore import QObject, QTimer

from .errors import RATE_LIMITED, ToolError
from .i18n import translate

PATIENCE_S = 20.0
"""Seconds that an MCP client's call waits for its turn: its host waits for a minute or so in all."""


class _Entry(NamedTuple):
    """A call that wants to change something. ``owner`` is the RunningCall."""

    owner: Any
    begin: Callable[[], None]


class Writers(QObject):
    """The line of changing calls of one QGIS. ``keep_out`` says of a call whether it may not begin now."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.keep_out: Callable[[Any], bool] = lambda _owner: False
        self._line: List[_Entry] = []
        self._writing: Any = None

    def put(self, owner: Any, begin: Callable[[], None]) -> None:
        """Call ``begin`` now, or when it is the turn of ``owner``. It is over with ``done``."""
        self._line.append(_Entry(owner, begin))
        self.look()
        if owner.ruled.caller == "mcp" and any(each.owner is owner for each in self._line):
            owner.start_clock(PATIENCE_S, lambda: owner.fail(_busy()))

    def done(self, owner: Any) -> None:
        """The call has ended, or changes nothing for a while (a person is asked): the next one begins, from the event loop."""
        self._line = [each for each in self._line if each.owner is not owner]
        if self._writing is owner:
            self._writing = None
        if self._line:
            QTimer.singleShot(0, self.look)

    def look(self) -> None:
        """Begin the first call that may, unless one is under way."""
        if self._writing is not None:
            return
        for entry in self._line:
            if not self.keep_out(entry.owner):
                self._line.remove(entry)
                self._writing = entry.owner
                entry.begin()
                return


def _busy() -> ToolError:
    return ToolError(
        RATE_LIMITED,
        translate(
            "QgisAgent",
            "QGIS is being changed by somebody else just now: by the person's own request, or by another program.",
        ),
        hint=translate("QgisAgent", "Reading goes on. Call this again in a minute."),
        reason="busy",
    )
