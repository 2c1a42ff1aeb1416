"""Handlers of the pack "layout". Importing registers them."""

from . import create, export, items  # noqa: F401
