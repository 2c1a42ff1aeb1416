"""Handlers of the pack "vector": zonal statistics."""

from __future__ import annotations
