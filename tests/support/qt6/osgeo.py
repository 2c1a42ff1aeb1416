"""Stands in for GDAL's Python package: the widgets that are shown on PyQt6 use nothing of it."""

from __future__ import annotations

from types import SimpleNamespace

gdal = SimpleNamespace()
ogr = SimpleNamespace()
osr = SimpleNamespace()
