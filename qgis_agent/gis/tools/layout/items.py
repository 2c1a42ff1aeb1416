"""Handlers of the pack "layout": items."""

from __future__ import annotations
