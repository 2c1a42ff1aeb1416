"""Handlers of the pack "arrange": tree."""

from __future__ import annotations
