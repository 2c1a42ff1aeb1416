"""Stands in for qgis.analysis, as core.py does for qgis.core."""

from __future__ import annotations

from typing import Any

from . import core


def __getattr__(name: str) -> Any:
    return getattr(core, name)
