"""What /help shows: commands and keys, a line each."""

from __future__ import annotations

from typing import List, Optional, Tuple

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface, ThemedLabel
from .commands import commands


class HelpCard(Surface):
    """A table of commands, and one of keys. It can be reached by Tab, and is read as one text."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        spoken: List[str] = []
        for title, rows in (
            (translate("QgisAgent", "Commands"), [("/" + each.name, each.help) for each in commands()]),
            (translate("QgisAgent", "Names"), _names()),
            (translate("QgisAgent", "Keys"), _keys()),
        ):
            column.addWidget(ThemedLabel(title, bold=True))
            column.addLayout(_table(rows))
            spoken += [title, *("{}: {}".format(*each) for each in rows)]
        self.text = "\n".join(spoken)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(translate("QgisAgent", "Help"))
        self.setAccessibleDescription(self.text)

    def focusInEvent(self, event: object) -> None:  # noqa: N802
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.set_focused(True)

    def focusOutEvent(self, event: object) -> None:  # noqa: N802
        """Show that it has gone."""
        super().focusOutEvent(event)
        self.set_focused(False)


def _names() -> List[Tuple[str, str]]:
    return [
        ("@", translate("QgisAgent", "A layer, a field, a layout")),
        ("@selection", translate("QgisAgent", "The selected features")),
        ("@extent", translate("QgisAgent", "What the map shows now")),
    ]


def _keys() -> List[Tuple[str, str]]:
    return [
        (translate("QgisAgent", "Enter"), translate("QgisAgent", "Send; a message waits while a run goes on")),
        (translate("QgisAgent", "Shift+Enter"), translate("QgisAgent", "New line")),
        (translate("QgisAgent", "Up, Down"), translate("QgisAgent", "What was sent before")),
        (translate("QgisAgent", "Esc"), translate("QgisAgent", "Stop; close a list")),
    ]


def _table(rows: List[Tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(1, 1)
    top = Qt.AlignmentFlag.AlignTop
    for number, (name, words) in enumerate(rows):
        label = ThemedLabel(name)
        label.setWordWrap(False)
        grid.addWidget(label, number, 0, top)
        grid.addWidget(ThemedLabel(words, muted=True), number, 1, top)
    return grid
