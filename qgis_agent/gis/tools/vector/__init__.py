"""Handlers of the pack "vector". Importing registers them."""

from . import buffer, dissolve, joins, near, overlay, statistics, zonal  # noqa: F401
