"""Handlers of the pack "data": look."""

from __future__ import annotations
