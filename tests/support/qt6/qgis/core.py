"""Stands in for qgis.core: the widgets that are shown on PyQt6 use nothing of it, but modules beside them import from it.

Every name is there and is a class without a content. What is really called ends in an error, as it should.
"""

from __future__ import annotations

from typing import Any


class _Names(type):
    """A class whose attributes are classes of the same kind: enums are named when a module is loaded."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _made(name)

    def __or__(cls, other: Any) -> Any:
        return cls


def _made(name: str) -> Any:
    made = _Names(name, (), {})
    globals()[f"{name}_"] = made
    return made


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    made = globals()[name] = _Names(name, (), {})
    return made
