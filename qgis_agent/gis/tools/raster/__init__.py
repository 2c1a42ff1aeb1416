"""Handlers of the pack "raster". Importing registers them."""

from . import calculate, clip, contour, convert, reclassify, surface, terrain, zonal  # noqa: F401
