"""Handlers of the pack "raster": surfaces from points."""

from __future__ import annotations
