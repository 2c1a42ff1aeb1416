"""Handlers of the pack "default": selection, highlight and filter."""

from __future__ import annotations
