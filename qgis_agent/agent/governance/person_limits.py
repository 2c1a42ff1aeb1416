"""The limits of one request as a person set them in QGIS: the global ceiling of X-1 is a setting, within bounds.

Raised or lowered, it is the ceiling of every profile; a profile that has less of its own keeps it. A project's file can only
lower (overrides.py). What is not a number within the bounds is cut to them, or is the default: the file of settings is a text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from .profile import CEILING, PROFILES, AgentProfile, Budget

BOUNDS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "model_calls": (1, 60),
        "tool_calls": (1, 200),
        "tokens": (10_000, 2_000_000),
        "model_s": (20, 3_600),
        "tool_s": (10, 3_600),
    }
)
"""Least and most of each; the settings page offers the same (gis/run_choices.py; a test compares them)."""
MOST_COST = 1_000


def ceiling_of(limits: Mapping[str, Any]) -> Budget:
    """The ceiling that a person set; the default for what is absent or no number."""
    changes: dict[str, Any] = {}
    for name, (least, most) in BOUNDS.items():
        value = _number(limits.get(name))
        if value is not None:
            bounded = min(max(value, least), most)
            changes[name] = bounded if isinstance(getattr(CEILING, name), float) else int(bounded)
    return replace(CEILING, **changes)


def cost_limit_of(limits: Mapping[str, Any]) -> Decimal | None:
    """What one request may cost, in the currency of the model's price; None for no limit."""
    value = _number(limits.get("cost"))
    return Decimal(str(min(value, MOST_COST))) if value is not None and value > 0 else None


def profiles_under(ceiling: Budget, profiles: Mapping[str, AgentProfile] = PROFILES) -> Mapping[str, AgentProfile]:
    """The profiles with the person's ceiling in the place of the default one; budgets of their own are kept."""
    return MappingProxyType(
        {name: replace(each, budget=_raised(each.budget, ceiling)) for name, each in profiles.items()}
    )


def _raised(budget: Budget, ceiling: Budget) -> Budget:
    taken = {
        each.name: getattr(ceiling, each.name)
        for each in fields(Budget)
        if getattr(budget, each.name) == getattr(CEILING, each.name)
    }
    return replace(budget, **taken).within(ceiling)


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)
