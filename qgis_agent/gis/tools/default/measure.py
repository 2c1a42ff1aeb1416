"""Handlers of the pack "default": measuring on the ellipsoid."""

from __future__ import annotations
