"""What a person sets for one model role, and how it is read from a configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .litellm_client import MAX_OUTPUT_TOKENS

_NUMBERS = ("temperature", "max_output_tokens", "requests_per_minute", "budget_tokens", "context_tokens")


@dataclass(frozen=True)
class RoleSettings:
    """One role as a person set it up. None means: no limit, or the default of the role.

    ``budget_tokens`` and ``budget_cost`` (in the currency of the model's price) hold for the life of the client: until the
    settings change or the agent process ends.
    """

    model: str
    api_base: str = ""
    api_key: str = field(default="", repr=False)
    temperature: float | None = None
    max_output_tokens: int = MAX_OUTPUT_TOKENS
    requests_per_minute: int | None = None
    budget_tokens: int | None = None
    budget_cost: Decimal | None = None
    context_tokens: int | None = None
    label: str = ""
    vision: bool = False
    """Whether the model sees pictures, as far as the person's settings know."""


def settings_of(raw: Mapping[str, Any], place: str) -> RoleSettings:
    """Read one role of a configuration. Raises ValueError that names the place, never a value (it may be a key)."""
    model = _text(raw, "model", place)
    if not model:
        raise ValueError(f"{place}model: the name of a model is missing")
    numbers = {key: _number(raw, key, place) for key in _NUMBERS}
    output = numbers.pop("max_output_tokens")
    cost = _number(raw, "budget_cost", place)
    temperature = numbers.pop("temperature")
    if temperature is not None and temperature > 2:
        raise ValueError(f"{place}temperature: must be from 0 to 2")
    whole = {key: None if value is None else int(value) for key, value in numbers.items()}
    if any(value == 0 for key, value in whole.items() if key != "budget_tokens"):
        raise ValueError(f"{place}requests_per_minute and context_tokens must be 1 or more")
    return RoleSettings(
        model=model,
        api_base=_text(raw, "api_base", place),
        api_key=_text(raw, "api_key", place),
        temperature=temperature,
        max_output_tokens=MAX_OUTPUT_TOKENS if output is None else max(1, int(output)),
        budget_cost=None if cost is None else Decimal(str(cost)),
        label=_text(raw, "label", place),
        vision=raw.get("vision") is True,
        **whole,
    )


def _text(raw: Mapping[str, Any], key: str, place: str) -> str:
    value = raw.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{place}{key}: must be a string")  # the value may be a key: it is not repeated
    return (value or "").strip()


def _number(raw: Mapping[str, Any], key: str, place: str) -> float | None:
    value = raw.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{place}{key}: must be a number, 0 or more")
    return float(value)
