"""AT18: what providers report becomes exact amounts; a guess is marked, an unknown price is unknown, a budget holds before the call.

The expected amounts are worked out by hand from the prices in PRICES (for a million tokens), shown beside each case.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.llm.prices import PRICES_PATH, Cost, CostTally, cost, load_prices, shipped_prices, total
from qgis_agent.agent.llm.roles import RoleClient, RoleSettings
from qgis_agent.agent.llm.scripted import ScriptedClient
from qgis_agent.agent.llm.types import LLMResponse, ModelError, OverBudget, ProviderRequest, Usage
from qgis_agent.agent.llm.usage import usage_of
from qgis_agent.agent.loop.spending import Spending
from qgis_agent.agent.loop.state import RunnerState

PRICES = {
    "date": "2026-01-02",
    "currency": "USD",
    "models": {
        "small": {"provider": "openai", "input": 0.15, "cached": 0.075, "output": 0.6},
        "big": {"provider": "anthropic", "input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15},
        "thinker": {"provider": "gemini", "input": 0.3, "output": 2.5, "reasoning": 3.5},
        "deep": {"provider": "deepseek", "input": 2, "cached": 0.2, "output": 3, "currency": "CNY"},
    },
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(PRICES), encoding="utf-8")
    return file


def openai(prompt: int, completion: int, cached: int = 0, reasoning: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
        **more,
    }


PAYLOADS = [
    # 10,000 × 0.15 + 1,000 × 0.6 = 1,500 + 600 = 2,100 millionths
    ("openai/small", openai(10_000, 1_000), "0.0021"),
    # 2,000 × 0.15 + 8,000 × 0.075 + 600 = 300 + 600 + 600
    ("openai/small", openai(10_000, 1_000, cached=8_000), "0.0015"),
    # thinking is part of the output and costs the same here: 1,500 + 600
    ("small", openai(10_000, 1_000, reasoning=400), "0.0021"),
    # thinking beside the output, told by the total: 100 × 0.15 + (50 + 150) × 0.6 = 15 + 120
    ("small", openai(100, 50, reasoning=150, total_tokens=300), "0.000135"),
    # nothing in detail: 1 × 0.15 + 1 × 0.6
    ("small", {"prompt_tokens": 1, "completion_tokens": 1}, "0.00000075"),
    # more cached than read cannot be: at most all of it. 100 × 0.075
    ("small", openai(100, 0, cached=500), "0.0000075"),
    # litellm's form of Anthropic: 40 × 3 + 1,000 × 0.3 + 160 × 3.75 + 34 × 15 = 120 + 300 + 600 + 510
    (
        "anthropic/big",
        openai(1_200, 34, cached=1_000, cache_creation_input_tokens=160, cache_read_input_tokens=1_000),
        "0.00153",
    ),
    # Anthropic's own form, cached tokens beside the others: the same 1,530
    (
        "big-20260101",
        {
            "input_tokens": 40,
            "cache_read_input_tokens": 1_000,
            "cache_creation_input_tokens": 160,
            "output_tokens": 34,
        },
        "0.00153",
    ),
    # thinking at its own price: 1,000 × 0.3 + (300 - 200) × 2.5 + 200 × 3.5 = 300 + 250 + 700
    ("gemini/thinker", openai(1_000, 300, reasoning=200), "0.00125"),
    # no price for cached tokens: they cost as much as others. 1,000 × 0.3 + 0
    ("gemini/thinker", openai(1_000, 0, cached=900), "0.0003"),
    # DeepSeek's names: 20 × 2 + 980 × 0.2 + 10 × 3 = 40 + 196 + 30
    (
        "deepseek/deep",
        {
            "prompt_tokens": 1_000,
            "completion_tokens": 10,
            "prompt_cache_hit_tokens": 980,
            "prompt_cache_miss_tokens": 20,
        },
        "0.000266",
    ),
    # a model of which the provider counted nothing: free, which is something else than unknown
    ("deepseek/deep", {"prompt_tokens": 0, "completion_tokens": 0}, "0"),
]


@pytest.mark.parametrize(("model", "payload", "amount"), PAYLOADS)
def test_at18_payloads_cost_exactly(path: Path, model: str, payload: dict[str, Any], amount: str) -> None:
    assert len(PAYLOADS) == 12
    found = load_prices(path).cost(usage_of(payload), model)
    assert found is not None
    assert found.amount == Decimal(amount)
    assert found.currency == ("CNY" if "deep" in model else "USD")
    assert found.estimated is False


def test_at18_a_missing_count_is_an_estimate_and_marked(path: Path) -> None:
    found = load_prices(path).cost(Usage(10_000, 1_000, 0, "estimated"), "small")
    assert found == Cost(Decimal("0.0021"), "USD", True)
    assert found is not None and found.text() == "~$0.0021"
    assert load_prices(path).cost(Usage(), "small") is None  # nobody counted


def test_at18_an_unknown_price_is_unknown_and_never_zero(path: Path) -> None:
    table = load_prices(path)
    for model in ("huge", "openrouter/deepseek/deep", "azure/small", "ollama_chat/small", ""):
        assert table.cost(Usage(1, 1, 0, "provider"), model) is None
        assert table.would_exceed(Decimal(0), Decimal(1), 1, 1, model) is None
    assert total([None]).text() == "unknown" and total([None]).text("未知") == "未知"


def test_at18_sums_keep_currencies_marks_and_unknowns_apart() -> None:
    tally = total(
        [
            Cost(Decimal("0.0021"), "USD"),
            Cost(Decimal("0.00004"), "USD", True),
            Cost(Decimal("0.01"), "CNY"),
            Cost(Decimal("0.00003"), "XAU"),
            None,
        ]
    )
    assert tally.text() == "¥0.0100 + ~$0.0021 + <XAU 0.0001 + unknown"
    assert tally.sums["USD"].amount == Decimal("0.00214")
    assert CostTally().text() == ""
    session = total([Cost(Decimal("0.001"), "USD"), None])
    session.merge(tally)
    assert session.text() == "¥0.0100 + ~$0.0031 + <XAU 0.0001 + unknown"
    assert (session.unknown, session.sums["USD"].amount, tally.unknown) == (2, Decimal("0.00314"), 1)


def test_at18_the_worst_case_has_nothing_cached_and_all_output_used(path: Path) -> None:
    table = load_prices(path)
    worst = table.worst_case(1_000, 4_000, "anthropic/big")
    assert worst == Cost(Decimal("0.06375"), "USD", True)  # 1,000 × 3.75 + 4,000 × 15
    thinking = table.worst_case(0, 1_000, "gemini/thinker")
    assert thinking is not None and thinking.amount == Decimal("0.0035")  # the dearer of output and thinking
    assert table.would_exceed(Decimal("0.93625"), Decimal(1), 1_000, 4_000, "big") is False  # exactly the limit
    assert table.would_exceed(Decimal("0.93626"), Decimal(1), 1_000, 4_000, "big") is True


class Counting:
    """A model that reports the same usage every time."""

    kind, label = "model", "m"

    def __init__(self, usage: Usage) -> None:
        self.usage, self.calls = usage, 0

    async def complete(self, _request: ProviderRequest, _on_text: Callable[[str], None]) -> LLMResponse:
        self.calls += 1
        return LLMResponse("Fine.", usage=self.usage)


def spend(client: RoleClient, inner: Counting) -> ModelError:
    """Ask until the client refuses."""
    request = ProviderRequest([{"role": "user", "content": "x"}], [], max_output_tokens=1000)

    async def ask() -> ModelError:
        while inner.calls < 100:
            try:
                await client.complete(request, lambda _text: None)
            except ModelError as error:
                return error
        raise AssertionError("no budget stopped it")

    return asyncio.run(ask())


def test_at18_a_cost_limit_stops_before_the_request_that_could_break_it(path: Path) -> None:
    """Each call costs 0.0021; a further one could cost 0.0006 and the few tokens of the request more."""
    inner = Counting(Usage(10_000, 1_000, 0, "provider"))
    settings = RoleSettings("openai/small", budget_cost=Decimal("0.0050"))
    client = RoleClient(settings, inner, prices=load_prices(path))
    error = spend(client, inner)
    assert (error.kind, error.retryable) == ("quota", False)
    assert inner.calls == 3  # spent 0, 0.0021 and 0.0042 before them; 0.0063 would not have fitted a fourth
    assert client.costs.text() == "$0.0063"
    tight = RoleClient(RoleSettings("openai/small", budget_cost=Decimal("0.0005")), inner, prices=load_prices(path))
    assert spend(tight, Counting(Usage())).kind == "quota"
    assert tight.spent_tokens == 0


def test_at18_a_token_budget_stops_before_the_request_that_could_break_it() -> None:
    inner = Counting(Usage(500, 100, 0, "provider"))
    client = RoleClient(RoleSettings("m", budget_tokens=2_300), inner)
    assert spend(client, inner).kind == "quota"
    assert (inner.calls, client.spent_tokens) == (3, 1_800)  # 1,200 + 1,000 fit, 1,800 + 1,000 do not


def test_at18_a_cost_limit_without_a_price_is_refused_and_not_ignored(path: Path) -> None:
    inner = Counting(Usage(1, 1, 0, "provider"))
    for settings in (
        RoleSettings("huge", budget_cost=Decimal(1)),
        RoleSettings("small", api_base="http://localhost:8000/v1", budget_cost=Decimal(1)),
    ):
        assert spend(RoleClient(settings, inner, prices=load_prices(path)), inner).kind == "config"
    assert inner.calls == 0


def test_at18_a_model_of_the_same_name_on_ones_own_machine_has_no_list_price(path: Path) -> None:
    inner = Counting(Usage(1, 1, 0, "provider"))
    client = RoleClient(RoleSettings("small", api_base="http://127.0.0.1:8000/v1"), inner, prices=load_prices(path))
    asyncio.run(client.complete(ProviderRequest([], []), lambda _text: None))
    assert client.costs.text() == "unknown"


def test_at18_a_persons_own_file_goes_over_the_one_that_ships(path: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    assert load_prices(path, own).date == "2026-01-02"
    own.write_text(json.dumps({"date": "2026-03-04", "models": {"Small": {"input": 1, "output": 2}}}), encoding="utf-8")
    table = load_prices(path, own)
    assert table.date == "2026-03-04"
    changed, kept = table.price_of("small"), table.price_of("big")
    assert changed is not None and (changed.input, changed.cached, changed.reasoning) == (1, 1, 2)
    assert kept is not None and kept.input == 3


BROKEN = [
    ("no json", "cannot be read"),
    ([], "must be an object with the key 'models'"),
    ({"models": {}}, "'date' must be a date"),
    ({"date": "yesterday", "models": {}}, "'date' must be a date"),
    ({"date": "2026-01-01", "models": {"m": 3}}, "m: must be an object"),
    ({"date": "2026-01-01", "models": {"m": {"input": 1}}}, "'output' must be a price"),
    ({"date": "2026-01-01", "models": {"m": {"input": -1, "output": 1}}}, "'input' must be a price"),
    ({"date": "2026-01-01", "models": {"m": {"input": "1", "output": 1}}}, "'input' must be a price"),
    ({"date": "2026-01-01", "models": {"m": {"input": 1, "output": 1, "ouput": 1}}}, "unknown key 'ouput'"),
    ({"date": "2026-01-01", "models": {"m": {"input": 1, "output": 1, "currency": "$"}}}, "'currency' must be"),
]


@pytest.mark.parametrize(("content", "why"), BROKEN)
def test_at18_a_broken_file_says_what_is_wrong(tmp_path: Path, content: Any, why: str) -> None:
    file = tmp_path / "own.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=r"own\.json") as caught:
        load_prices(PRICES_PATH, file)
    assert why in str(caught.value)


def test_at18_the_table_that_ships_is_whole_and_dated() -> None:
    raw = json.loads(PRICES_PATH.read_text(encoding="utf-8"))
    assert shipped_prices().date == raw["date"] and raw["note"]
    for name, entry in raw["models"].items():
        price = shipped_prices().price_of(f"{entry['provider']}/{name}")
        assert price is not None and 0 < price.cached <= price.input < price.output, name
    assert cost(Usage(1_000_000, 0, 0, "provider"), "gpt-4o-mini-2024-07-18") == Cost(Decimal("0.15"), "USD")


TOLD = Usage(10_000, 1_000, 0, "provider")


def client_of(model: str, api_base: str = "") -> RoleClient:
    return RoleClient(RoleSettings(model, api_base=api_base), Answers())


class Answers:
    """A model that is never asked."""

    kind, label = "model", "m"

    async def complete(self, _request: ProviderRequest, _on_text: Callable[[str], None]) -> LLMResponse:
        raise AssertionError


def test_at18_a_run_is_priced_by_the_persons_table_whatever_the_role(path: Path) -> None:
    """Planner and router in one sum, each by its own model: 2,100 millionths of a dollar, 23,000 of a yuan."""
    spending, state = Spending(load_prices(path)), RunnerState("r", "x")
    spending.add(TOLD, client_of("openai/small"), state)
    spending.add(TOLD, client_of("deepseek/deep"), state)  # 10,000 × 2 + 1,000 × 3
    assert state.usage()["cost"] == "¥0.0230 + $0.0021"
    spending.add(TOLD, client_of("huge"), state)
    assert state.usage()["cost"] == "¥0.0230 + $0.0021 + unknown"


def test_at18_one_call_is_told_in_words(path: Path) -> None:
    """For the event of a turn: never zero for what nobody knows, nothing for what costs nothing."""
    spending = Spending(load_prices(path))
    assert spending.text(TOLD, client_of("openai/small")) == "$0.0021"
    assert spending.text(Usage(10_000, 1_000, 0, "estimated"), client_of("small")) == "~$0.0021"
    for client in (client_of("huge"), client_of("small", "http://127.0.0.1:8000/v1"), Answers()):
        assert spending.text(TOLD, client) == "unknown"
    assert spending.text(TOLD, ScriptedClient(())) == ""
    assert Spending().text(TOLD, client_of("small")) == "unknown"  # the table that ships does not know it


@pytest.mark.parametrize(
    ("limits", "what"), [({"budget_tokens": 10}, "tokens"), ({"budget_cost": Decimal("0.0001")}, "cost")]
)
def test_at18_a_call_over_the_budget_says_which_one(path: Path, limits: dict[str, Any], what: str) -> None:
    """So that a run ends at its ceiling and not as a failure of the provider."""
    client = RoleClient(RoleSettings("small", **limits), Answers(), prices=load_prices(path))
    with pytest.raises(OverBudget) as caught:
        asyncio.run(client.admit(ProviderRequest([], [])))
    assert (caught.value.what, caught.value.kind, caught.value.retryable) == (what, "quota", False)
    assert caught.value.message and caught.value.hint


def test_at18_a_limit_without_a_price_is_no_budget_that_is_used_up(path: Path) -> None:
    client = RoleClient(RoleSettings("huge", budget_cost=Decimal(1)), Answers(), prices=load_prices(path))
    with pytest.raises(ModelError) as caught:
        asyncio.run(client.admit(ProviderRequest([], [])))
    assert not isinstance(caught.value, OverBudget)
