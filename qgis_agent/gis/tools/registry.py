"""The handlers by name."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Tuple

EFFECTS = ("read", "view", "create", "network", "write", "execute")
"""From harmless to grave: a call's effect may be raised to a later one, never lowered."""


class Tool:
    """A registered handler.

    ``effect`` is the least effect of a call. ``raise_effect(call, arguments)``, where given, returns the effect of one
    call; the graver of the two counts. ``runs`` is "main" or "task" (a generator that yields steps).
    """

    def __init__(self, name: str, effect: str, runs: str, handler: Callable[..., Any]) -> None:
        self.name = name
        self.effect = effect
        self.runs = runs
        self.handler = handler

    def parameters(self) -> Tuple[str, ...]:
        """Names of the handler's parameters after ``call``."""
        return tuple(inspect.signature(self.handler).parameters)[1:]


REGISTRY: Dict[str, Tool] = {}


def tool(name: str, *, effect: str, runs: str = "main") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a handler under the name of its contract."""
    if effect not in EFFECTS or runs not in ("main", "task"):
        raise ValueError("tool {!r}: effect {!r}, runs {!r}".format(name, effect, runs))

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        REGISTRY[name] = Tool(name, effect, runs, handler)
        return handler

    return register


def load_all() -> Dict[str, Tool]:
    """Import every pack once and give back the registry."""
    from . import (  # noqa: F401  importing registers
        arrange,
        data,
        default,
        geometry,
        inspect,
        layout,
        notes,
        processing,
        raster,
        state,
        vector,
        write,
    )

    return REGISTRY
