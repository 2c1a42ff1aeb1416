"""Handlers of the pack "arrange": selection."""

from __future__ import annotations
