"""Handlers of the pack "inspect": query."""

from __future__ import annotations
