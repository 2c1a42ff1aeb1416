"""Handlers of the pack "geometry": new geometries."""

from __future__ import annotations
