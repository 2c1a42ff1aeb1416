"""Handlers of the pack "vector": overlays."""

from __future__ import annotations
