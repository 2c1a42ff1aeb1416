"""Handlers of the pack "write": bookmarks."""

from __future__ import annotations
