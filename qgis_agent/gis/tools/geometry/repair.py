"""Handlers of the pack "geometry": checks and repairs."""

from __future__ import annotations
