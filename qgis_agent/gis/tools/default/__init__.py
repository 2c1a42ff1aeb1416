"""Handlers of the pack "default". Importing registers them."""

from . import label, layers, measure, places, query, render, selection, style, view  # noqa: F401
