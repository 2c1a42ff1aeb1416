"""Handlers of the pack "geometry": reprojection."""

from __future__ import annotations
