"""Handlers of the pack "arrange": style."""

from __future__ import annotations
