"""What is called differently in Qt 5 and Qt 6."""

from __future__ import annotations

from typing import Any

try:
    from qgis.PyQt.QtGui import QAction, QActionGroup, QShortcut
except ImportError:  # Qt 5
    from qgis.PyQt.QtWidgets import QAction, QActionGroup, QShortcut


def flag_bits(*flags: Any) -> int:
    """Flags of different kinds as the one number that QPainter.drawText takes; Qt 6 does not add them up by itself."""
    bits = 0
    for each in flags:
        bits |= int(getattr(each, "value", each))
    return bits


__all__ = ["QAction", "QActionGroup", "QShortcut", "flag_bits"]
