"""Handlers of the pack "data": files."""

from __future__ import annotations
