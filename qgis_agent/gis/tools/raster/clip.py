"""Handlers of the pack "raster": clipping."""

from __future__ import annotations
