"""Handlers of the pack "vector". Importing registers them."""

from . import buffer, statistics  # noqa: F401
