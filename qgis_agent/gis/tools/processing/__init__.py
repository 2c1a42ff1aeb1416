"""Handlers of the pack "processing". Importing registers them."""

from . import find, run  # noqa: F401
