"""Handlers of the pack "processing": running an algorithm."""

from __future__ import annotations
