"""Handlers of the pack "geometry". Importing registers them."""

from . import calculate, derive, merge, refactor, repair, reproject  # noqa: F401
