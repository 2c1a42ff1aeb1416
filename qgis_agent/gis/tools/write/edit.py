"""Handlers of the pack "write": features."""

from __future__ import annotations
