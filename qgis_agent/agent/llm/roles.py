"""Model roles: a planner that plans and acts, a router that sorts requests, a vision model that looks at pictures.

Each has its own model, key, temperature, rate and budget. The planner is never exchanged within a run; a role that is not set
has no client, and the program does without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal, get_args

from .keyless import is_local
from .limiter import RateLimiter
from .litellm_client import LiteLLMClient
from .prices import CostTally, PriceTable, shipped_prices
from .role_settings import RoleSettings
from .tokens import request_tokens
from .types import LLMResponse, ModelClient, ModelError, OnText, OverBudget, ProviderRequest, Role, Usage

ROLES: tuple[Role, ...] = get_args(Role)


class RoleClient:
    """The client of one role: keeps to its rate and budget, counts what it spends. See ModelClient."""

    kind = "model"

    def __init__(
        self,
        settings: RoleSettings,
        inner: ModelClient,
        *,
        limiter: RateLimiter | None = None,
        prices: PriceTable | None = None,
    ) -> None:
        self.settings = settings
        self.inner = inner
        self.label = inner.label
        self.limiter = limiter or RateLimiter(settings.requests_per_minute)
        self.spent_tokens = 0
        self.costs = CostTally()
        self._prices = prices or shipped_prices()
        self._admitted = 0

    def warm_up(self) -> None:
        """Slow imports of the model behind it."""
        warm = getattr(self.inner, "warm_up", None)
        if warm is not None:
            warm()

    async def admit(self, request: ProviderRequest, on_wait: Callable[[float], None] | None = None) -> None:
        """Wait until the rate allows one more request, and refuse one that could break a budget.

        Whoever times the model calls this first, so that the wait does not count as the model's; ``complete`` does it where
        nobody did. Raises ModelError; OverBudget where a budget is in the way.
        """
        self._check_budgets(request)
        await self.limiter.wait(on_wait)
        self._admitted += 1

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """Run one model turn. Raises ModelError."""
        if not self._admitted:
            await self.admit(request)
        self._admitted -= 1
        response = await self.inner.complete(request, on_text)
        self._count(response.usage)
        return response

    def _check_budgets(self, request: ProviderRequest) -> None:
        read = request_tokens(request.messages, request.tools)
        calibration = getattr(self.inner, "calibration", None)
        if calibration is not None:
            read = calibration.corrected(read)
        sampling = getattr(self.inner, "sampling", None)
        written = request.max_output_tokens if sampling is None else sampling(request).max_output_tokens
        limit = self.settings.budget_tokens
        if limit is not None and self.spent_tokens + read + written > limit:
            raise _over_budget("tokens", "The token budget that is set for this model is used up.")
        self._check_cost(read, written)

    def _check_cost(self, read: int, written: int) -> None:
        limit = self.settings.budget_cost
        if limit is None:
            return
        spent = sum((each.amount for each in self.costs.sums.values()), Decimal(0))
        over = None if self._is_local() else self._prices.would_exceed(spent, limit, read, written, self.settings.model)
        if over is None:
            raise ModelError(
                "config",
                "A cost limit is set for this model, but its price is not known.",
                hint="Enter the price in your price file, or remove the limit.",
            )
        if over:
            raise _over_budget("cost", "The cost limit that is set for this model is reached.")

    def _count(self, usage: Usage) -> None:
        self.spent_tokens += usage.input_tokens + usage.output_tokens
        # A price list is not about a model of the same name on one's own machine.
        self.costs.add(None if self._is_local() else self._prices.cost(usage, self.settings.model))

    def _is_local(self) -> bool:
        return is_local(self.settings.api_base)


def _over_budget(what: Literal["tokens", "cost"], message: str) -> OverBudget:
    return OverBudget(what, message, hint="Raise it in the settings, or use another model.")


class RoleClients:
    """The clients of all roles that are set up. ``prices`` is the table that they are all counted by."""

    def __init__(
        self, clients: Mapping[Role, ModelClient], secrets: tuple[str, ...] = (), prices: PriceTable | None = None
    ) -> None:
        self._clients = dict(clients)
        self._secrets = secrets
        self.prices = prices or shipped_prices()

    @property
    def planner(self) -> ModelClient:
        """The client that plans and acts; it is always there."""
        return self._clients["planner"]

    def for_role(self, role: Role) -> ModelClient | None:
        """The client of a role; None when none is set up."""
        return self._clients.get(role)

    def secrets(self) -> tuple[str, ...]:
        """Every key in use: what the redactor must know before anything is written."""
        return self._secrets

    def warm_up(self) -> None:
        """Slow imports of the models behind them; the first that has any loads them for all."""
        for client in self._clients.values():
            warm = getattr(client, "warm_up", None)
            if warm is not None:
                warm()


def language_model(settings: RoleSettings) -> LiteLLMClient:
    """The language model of a role, without its limits. Nothing slow happens here."""
    return LiteLLMClient(
        settings.model,
        api_base=settings.api_base,
        api_key=settings.api_key,
        label=settings.label,
        temperature=settings.temperature,
        max_output_tokens=settings.max_output_tokens,
        context_tokens=settings.context_tokens,
    )


def model_client(settings: RoleSettings, prices: PriceTable | None = None) -> RoleClient:
    """The client of a role on a language model, with its limits."""
    return RoleClient(settings, language_model(settings), prices=prices)
