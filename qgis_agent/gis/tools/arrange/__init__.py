"""Handlers of the pack "arrange". Importing registers them."""

from . import assume, selection, style, tree, view  # noqa: F401
