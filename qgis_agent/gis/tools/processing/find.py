"""Handlers of the pack "processing": finding and describing algorithms."""

from __future__ import annotations
