"""Handlers of the pack "layout": create."""

from __future__ import annotations
