"""Stands in for qgis.gui: its widgets that ours are built on, as the plain ones that they are made of."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QDockWidget, QLineEdit, QWidget


class QgsDockWidget(QDockWidget):
    """A dock."""

    opened = pyqtSignal()
    closed = pyqtSignal()


class QgsFilterLineEdit(QLineEdit):
    """A line with a button that empties it."""

    def setShowSearchIcon(self, shown: bool) -> None:  # noqa: N802
        """A picture only."""


class QgsPasswordLineEdit(QLineEdit):
    """A line of dots."""


class QgsOptionsPageWidget(QWidget):
    """A page of the options."""


class QgsOptionsWidgetFactory:
    """Makes pages."""

    def __init__(self, *_words: Any) -> None:
        pass


def __getattr__(name: str) -> Any:
    from . import core

    return getattr(core, name)
