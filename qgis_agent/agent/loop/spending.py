"""What the model calls of a run cost, from the shipped prices or the person's own; unknown stays unknown, never zero."""

from __future__ import annotations

from typing import Any

from ..llm.prices import PriceTable, shipped_prices
from ..llm.role_settings import is_local
from ..llm.types import ModelClient, Usage
from .state import RunnerState


class Spending:
    """Adds up the cost of a run. Budgets are checked before a request by the client of the role (llm/roles.py)."""

    def __init__(self, prices: PriceTable | None = None) -> None:
        self._prices = prices or shipped_prices()

    def add(self, usage: Usage, client: ModelClient, state: RunnerState) -> None:
        """Count one model call. Scripts and the offline commands cost nothing and are not counted."""
        if client.kind != "model":
            return
        settings: Any = getattr(client, "settings", None)
        priced = settings is not None and not is_local(settings.api_base)
        state.costs.add(self._prices.cost(usage, settings.model) if priced else None)
