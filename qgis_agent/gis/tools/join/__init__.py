"""Handlers of the pack "join". Importing registers them."""

from . import joins, near  # noqa: F401
