"""Stands in for numpy: the widgets that are shown on PyQt6 compute nothing, but modules beside them import it."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})
