"""Handlers of the pack "geometry": merging layers."""

from __future__ import annotations
