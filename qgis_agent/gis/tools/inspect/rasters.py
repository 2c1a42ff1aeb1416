"""Handlers of the pack "inspect": rasters."""

from __future__ import annotations
