"""Handlers of the pack "arrange": assume."""

from __future__ import annotations
