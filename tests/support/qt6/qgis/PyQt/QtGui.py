"""What QGIS on Qt 6 has here."""

from __future__ import annotations

from PyQt6.QtGui import *  # noqa: F403
