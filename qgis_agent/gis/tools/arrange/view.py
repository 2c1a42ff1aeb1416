"""Handlers of the pack "arrange": view."""

from __future__ import annotations
