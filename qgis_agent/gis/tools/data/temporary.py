"""Handlers of the pack "data": temporary."""

from __future__ import annotations
