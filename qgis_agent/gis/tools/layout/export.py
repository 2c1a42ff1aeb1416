"""Handlers of the pack "layout": export."""

from __future__ import annotations
