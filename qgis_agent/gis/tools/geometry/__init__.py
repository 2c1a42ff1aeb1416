"""Handlers of the pack "geometry". Importing registers them."""

from . import calculate, derive, merge, repair, reproject  # noqa: F401
