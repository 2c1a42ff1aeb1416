"""Handlers of the pack "raster". Importing registers them."""

from . import calculate, clip, contour, convert, reclassify, surface, terrain  # noqa: F401
