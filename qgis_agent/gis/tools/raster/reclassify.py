"""Handlers of the pack "raster": reclassification."""

from __future__ import annotations
