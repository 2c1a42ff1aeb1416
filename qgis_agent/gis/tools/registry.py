"""The handlers by name."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

if TYPE_CHECKING:
    from ..call import Call

EffectOf = Callable[["Call", Dict[str, Any]], str]
"""The effect of one call, from its arguments."""
EFFECTS = ("read", "view", "create", "network", "write", "execute")
"""From harmless to grave: a call's effect may be raised to a later one, never lowered."""


class Tool:
    """A registered handler.

    ``effect`` is the least effect of a call. ``effect_of(call, arguments)``, where given, returns the effect of one
    call; the graver of the two counts, and what raises it to write or execute is asked about each time. It may raise
    ToolError: the call is refused then. ``runs`` is "main" or "task" (a generator that yields steps).
    """

    def __init__(
        self, name: str, effect: str, runs: str, handler: Callable[..., Any], effect_of: Optional[EffectOf] = None
    ) -> None:
        self.name = name
        self.effect = effect
        self.runs = runs
        self.handler = handler
        self.effect_of = effect_of

    def parameters(self) -> Tuple[str, ...]:
        """Names of the handler's parameters after ``call``."""
        return tuple(inspect.signature(self.handler).parameters)[1:]


REGISTRY: Dict[str, Tool] = {}


def tool(
    name: str, *, effect: str, runs: str = "main", effect_of: Optional[EffectOf] = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a handler under the name of its contract. ``effect_of``: see Tool."""
    if effect not in EFFECTS or runs not in ("main", "task"):
        raise ValueError("tool {!r}: effect {!r}, runs {!r}".format(name, effect, runs))

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        REGISTRY[name] = Tool(name, effect, runs, handler, effect_of)
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
        join,
        layout,
        notes,
        overlay,
        processing,
        raster,
        state,
        vector,
        write,
    )

    return REGISTRY
