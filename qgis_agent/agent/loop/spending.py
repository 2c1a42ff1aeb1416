"""What the model calls of a run cost, from the shipped prices or the person's own; unknown stays unknown, never zero."""

from __future__ import annotations

from typing import Any

from ..llm.keyless import is_local
from ..llm.prices import Cost, PriceTable, shipped_prices
from ..llm.types import ModelClient, Usage
from .state import RunnerState


class Spending:
    """Adds up the cost of a run, whichever role's client made a call: planner, router or a sub-agent's.

    ``prices``: the table of the role clients (``RoleClients.prices``), which has the person's own prices in it. Budgets are
    checked before a request by the client of the role (llm/roles.py).
    """

    def __init__(self, prices: PriceTable | None = None) -> None:
        self._prices = prices or shipped_prices()

    def add(self, usage: Usage, client: ModelClient, state: RunnerState) -> None:
        """Count one model call. Scripts and the offline commands cost nothing and are not counted."""
        if client.kind == "model":
            state.costs.add(self._cost(usage, client))

    def text(self, usage: Usage, client: ModelClient) -> str:
        """What one call cost, for an event: "$0.0120", "~$0.0120" by an estimate, "unknown"; "" for what costs nothing."""
        if client.kind != "model":
            return ""
        cost = self._cost(usage, client)
        return "unknown" if cost is None else cost.text()

    def _cost(self, usage: Usage, client: ModelClient) -> Cost | None:
        """None where nobody knows: no settings, no price, no count, or a model of one's own machine."""
        settings: Any = getattr(client, "settings", None)
        priced = settings is not None and not is_local(settings.api_base)
        return self._prices.cost(usage, settings.model) if priced else None
