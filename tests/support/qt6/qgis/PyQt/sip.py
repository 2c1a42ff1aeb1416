"""What QGIS on Qt 6 has here."""

from __future__ import annotations

from PyQt6.sip import *  # noqa: F403
