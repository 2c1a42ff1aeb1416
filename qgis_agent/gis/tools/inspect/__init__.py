"""Handlers of the pack "inspect". Importing registers them."""

from . import query, rasters  # noqa: F401
