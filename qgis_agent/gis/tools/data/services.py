"""Handlers of the pack "data": services."""

from __future__ import annotations
