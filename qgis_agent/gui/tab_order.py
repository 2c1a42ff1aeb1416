"""Tab goes through a panel as it is seen: from top to bottom, and in a row from left to right.

Qt goes in the order in which widgets were made. In a conversation that is the field for typing first and the newest answer
last, although the answer stands above the field.
"""

from __future__ import annotations

from typing import List, Tuple

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QWidget

_ROW = 12
"""Widgets whose middles differ by less, in device-independent pixels, stand in one row."""


def chain_as_seen(panel: QWidget) -> None:
    """Put the widgets of ``panel`` that Tab stops at into the order in which they are seen."""
    stops = _stops(panel)
    for one, other in zip(stops, stops[1:]):
        QWidget.setTabOrder(one, other)


def _stops(parent: QWidget) -> List[QWidget]:
    """Each part after the part above it, whole: how far something is scrolled does not matter."""
    found = []
    for each in _as_seen(parent):
        # A widget that hands the focus on to another stands where that one stands, and that one is found by itself.
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.focusProxy() is None:
            found.append(each)
        found.extend(_stops(each))
    return found


def _as_seen(parent: QWidget) -> List[QWidget]:
    parts = [each for each in parent.children() if isinstance(each, QWidget) and each.isVisibleTo(parent)]
    rows: List[Tuple[int, List[QWidget]]] = []
    for each in sorted((each for each in parts if not each.isWindow()), key=_first_line):
        if not rows or _first_line(each) - rows[-1][0] >= _ROW:
            rows.append((_first_line(each), []))
        rows[-1][1].append(each)
    return [each for _, row in rows for each in sorted(row, key=lambda widget: widget.x())]


def _first_line(widget: QWidget) -> int:
    """The middle of a low widget, of the first line of a high one."""
    return widget.y() + min(widget.height(), 2 * _ROW) // 2
