"""Stands in for qgis.utils: without a window of QGIS."""

from __future__ import annotations

iface = None
