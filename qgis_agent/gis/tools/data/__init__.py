"""Handlers of the pack "data". Importing registers them."""

from . import files, look, services, temporary  # noqa: F401
