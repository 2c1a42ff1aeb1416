"""Handlers of the pack "overlay". Importing registers them."""

from . import dissolve, overlay  # noqa: F401
