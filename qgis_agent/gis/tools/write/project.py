"""Handlers of the pack "write": the project file."""

from __future__ import annotations
