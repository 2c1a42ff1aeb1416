"""Stands in for qgis.PyQt of a QGIS on Qt 6."""

from __future__ import annotations

from PyQt6 import sip

__all__ = ["sip"]
