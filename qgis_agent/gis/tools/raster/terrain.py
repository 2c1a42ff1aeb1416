"""Handlers of the pack "raster": terrain."""

from __future__ import annotations
