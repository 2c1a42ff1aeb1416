"""Handlers of the pack "default": labels."""

from __future__ import annotations
