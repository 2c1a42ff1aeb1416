"""Handlers of the pack "inspect". Importing registers them."""

from . import chart, query, rasters  # noqa: F401
