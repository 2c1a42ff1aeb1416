"""Handlers of the pack "write": layers."""

from __future__ import annotations
