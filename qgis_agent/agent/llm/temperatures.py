"""Temperatures by role: low where arguments are written, never 0 in rounds that repeat, higher where a person is told something."""

from __future__ import annotations

from .types import ProviderRequest

TOOL_TEMPERATURE = 0.1
"""Also the least in rounds with tools: at 0 a model that is stuck says the same again and again (requirement M-129)."""
ROUTER_TEMPERATURE = 0.0
VISION_TEMPERATURE = 0.0
EXPLANATION_TEMPERATURE = 0.3


def temperature_of(request: ProviderRequest, configured: float | None = None) -> float:
    """The temperature of one call. ``configured`` is a person's own for the role; the request's comes first."""
    if request.tools:
        wanted = request.temperature if request.temperature is not None else configured
        return TOOL_TEMPERATURE if wanted is None else max(wanted, TOOL_TEMPERATURE)
    if request.temperature is not None:
        return request.temperature
    if request.role != "planner":
        default = ROUTER_TEMPERATURE if request.role == "router" else VISION_TEMPERATURE
        return default if configured is None else configured
    return EXPLANATION_TEMPERATURE if configured is None else max(configured, EXPLANATION_TEMPERATURE)
