"""Handlers of the pack "vector": dissolve and aggregate."""

from __future__ import annotations
