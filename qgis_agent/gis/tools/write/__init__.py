"""Handlers of the pack "write". Importing registers them."""

from . import bookmark, commit, edit, export, project, remove, table  # noqa: F401
