"""What tokens cost: a dated table that a person can edit, and sums that never show a guess as a fact or an unknown as zero.

Amounts are decimals in units of the currency; prices are for a million tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from .types import Usage

PRICES_PATH = Path(__file__).resolve().parents[3] / "resources" / "prices.json"
_MILLION = Decimal(1_000_000)
_SHOWN = Decimal("0.0001")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MODEL_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")
_CURRENCY = re.compile(r"[A-Z]{3}")
_SIGNS = {"USD": "$", "EUR": "€", "CNY": "¥"}
_PARTS = frozenset({"provider", "currency", "input", "cached", "cache_write", "output", "reasoning"})


@dataclass(frozen=True)
class Price:
    """The price of one model for a million tokens. Thinking costs as much as output where nothing else is said."""

    currency: str
    input: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal
    reasoning: Decimal
    provider: str = ""


@dataclass(frozen=True)
class Cost:
    """What one call, run or session cost. ``estimated``: at least one of its token counts was an estimate."""

    amount: Decimal
    currency: str
    estimated: bool = False

    def text(self) -> str:
        """The amount to four places of a unit, with "~" where it is an estimate; less than that is said so."""
        sign, mark = _SIGNS.get(self.currency, f"{self.currency} "), "~" if self.estimated else ""
        if 0 < self.amount < _SHOWN:
            return f"{mark}<{sign}{_SHOWN}"
        return f"{mark}{sign}{self.amount.quantize(_SHOWN, ROUND_HALF_UP)}"


@dataclass
class CostTally:
    """The sum over several calls. Currencies are kept apart, and calls of unknown price are counted, not left out."""

    sums: dict[str, Cost] = field(default_factory=dict)
    unknown: int = 0

    def add(self, cost: Cost | None) -> None:
        """Count one call; None is a call whose price nobody knows."""
        if cost is None:
            self.unknown += 1
            return
        before = self.sums.get(cost.currency, Cost(Decimal(0), cost.currency))
        self.sums[cost.currency] = Cost(before.amount + cost.amount, cost.currency, before.estimated or cost.estimated)

    def merge(self, other: CostTally) -> None:
        """Count all that another sum holds: a sub-agent's run in its parent's, a run in its session's."""
        for cost in other.sums.values():
            self.add(cost)
        self.unknown += other.unknown

    def text(self, unknown: str = "unknown") -> str:
        """All of it: "$0.0120", "~$0.0120 + unknown", "unknown"; "" when nothing was called."""
        parts = [self.sums[each].text() for each in sorted(self.sums)]
        return " + ".join([*parts, *([unknown] if self.unknown else [])])


class PriceTable:
    """Prices by the model's own name, at a date."""

    def __init__(self, date: str, prices: Mapping[str, Price]) -> None:
        self.date = date
        self._prices = dict(prices)

    def price_of(self, model: str) -> Price | None:
        """The price of a model, with or without its provider before and its date behind the name; None when unknown.

        Another provider's price for the same model is not its price, except that ``openai/`` names the interface only.
        """
        provider, _, name = model.lower().rpartition("/")
        for each in (name, _MODEL_DATE.sub("", name)):
            price = self._prices.get(each)
            if price is not None and (provider in ("", "openai") or provider == price.provider):
                return price
        return None

    def cost(self, usage: Usage, model: str) -> Cost | None:
        """What a call cost; None when the price or the count of tokens is not known."""
        price = self.price_of(model)
        if price is None or usage.source == "none":
            return None
        plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        amount = (
            plain * price.input
            + usage.cached_tokens * price.cached
            + usage.cache_write_tokens * price.cache_write
            + (usage.output_tokens - usage.reasoning_tokens) * price.output
            + usage.reasoning_tokens * price.reasoning
        )
        return Cost(amount / _MILLION, price.currency, usage.source == "estimated")

    def worst_case(self, input_tokens: int, max_output_tokens: int, model: str) -> Cost | None:
        """The most that a call can cost: nothing cached, all of the output used, at the dearest rates."""
        price = self.price_of(model)
        if price is None:
            return None
        dear_in, dear_out = max(price.input, price.cache_write), max(price.output, price.reasoning)
        return Cost((input_tokens * dear_in + max_output_tokens * dear_out) / _MILLION, price.currency, True)

    def would_exceed(
        self, spent: Decimal, limit: Decimal, input_tokens: int, max_output_tokens: int, model: str
    ) -> bool | None:
        """Whether a call could bring ``spent`` over ``limit`` (both in the currency of its price); None when unknown."""
        worst = self.worst_case(input_tokens, max_output_tokens, model)
        return None if worst is None else spent + worst.amount > limit


def load_prices(path: Path = PRICES_PATH, override: Path | None = None) -> PriceTable:
    """The table that ships, with the entries of a person's own file over it where there is one.

    Raises ValueError that names the file and the entry that cannot be read.
    """
    date, prices = _read(path)
    if override is not None and override.exists():
        own_date, own = _read(override)
        return PriceTable(own_date, {**prices, **own})
    return PriceTable(date, prices)


@lru_cache(maxsize=1)
def shipped_prices() -> PriceTable:
    """The table that ships with the plugin, read once."""
    return load_prices()


def cost(usage: Usage, model: str, table: PriceTable | None = None) -> Cost | None:
    """What a call cost by ``table``, else by the one that ships; None when it is not known."""
    return (table or shipped_prices()).cost(usage, model)


def total(costs: Iterable[Cost | None]) -> CostTally:
    """The sum of several calls."""
    tally = CostTally()
    for each in costs:
        tally.add(each)
    return tally


def _read(path: Path) -> tuple[str, dict[str, Price]]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path.name}: cannot be read ({type(error).__name__})") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("models"), dict):
        raise ValueError(f"{path.name}: must be an object with the key 'models'")
    date, currency = raw.get("date"), raw.get("currency", "USD")
    if not isinstance(date, str) or not _DATE.fullmatch(date):
        raise ValueError(f"{path.name}: 'date' must be a date, like 2026-11-30")
    return date, {
        str(name).lower(): _price(entry, currency, f"{path.name}: {name}") for name, entry in raw["models"].items()
    }


def _price(entry: Any, currency: Any, place: str) -> Price:
    if not isinstance(entry, dict):
        raise ValueError(f"{place}: must be an object")
    unknown = sorted(set(entry) - _PARTS)
    if unknown:
        raise ValueError(f"{place}: unknown key {unknown[0]!r}; allowed: {', '.join(sorted(_PARTS))}")
    own = entry.get("currency", currency)
    if not isinstance(own, str) or not _CURRENCY.fullmatch(own):
        raise ValueError(f"{place}: 'currency' must be three capital letters")
    given, answered = _amount(entry, "input", place), _amount(entry, "output", place)
    return Price(
        own,
        given,
        _amount(entry, "cached", place, given),
        _amount(entry, "cache_write", place, given),
        answered,
        _amount(entry, "reasoning", place, answered),
        str(entry.get("provider", "")),
    )


def _amount(entry: Mapping[str, Any], key: str, place: str, default: Decimal | None = None) -> Decimal:
    value = entry.get(key, default)
    if not isinstance(value, Decimal) or not value.is_finite() or value < 0:
        raise ValueError(f"{place}: {key!r} must be a price for a million tokens, 0 or more")
    return value
