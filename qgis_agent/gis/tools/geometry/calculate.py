"""Handlers of the pack "geometry": calculations."""

from __future__ import annotations
