"""Handlers of the pack "raster": calculations."""

from __future__ import annotations
