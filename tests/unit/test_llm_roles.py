"""Model roles: what a person can set, which clients come of it, rates and budgets, and the words of errors."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.llm import words
from qgis_agent.agent.llm.connection import Connection, Sampling
from qgis_agent.agent.llm.factory import build_roles
from qgis_agent.agent.llm.keyless import is_local
from qgis_agent.agent.llm.limiter import RateLimiter
from qgis_agent.agent.llm.quirks import quirks_for
from qgis_agent.agent.llm.roles import RoleClient, RoleSettings
from qgis_agent.agent.llm.scripted import ScriptedClient
from qgis_agent.agent.llm.types import LLMResponse, ProviderRequest, Usage

PLANNER = {"kind": "model", "model": "deepseek/deepseek-v4-pro", "api_key": "sk-plan"}
ROUTER = {
    "model": "deepseek/deepseek-v4-flash",
    "api_key": "sk-route",
    "requests_per_minute": 30,
    "budget_tokens": 5000,
}


def roles(**config: Any) -> Any:
    return build_roles({**PLANNER, **config}, list)


def test_each_role_has_a_client_of_its_own_or_none() -> None:
    made = roles(roles={"router": ROUTER})
    planner, router = made.for_role("planner"), made.for_role("router")
    assert made.planner is planner and isinstance(planner, RoleClient) and isinstance(router, RoleClient)
    assert (planner.label, router.label) == (PLANNER["model"], ROUTER["model"])
    assert (router.settings.requests_per_minute, router.settings.budget_tokens) == (30, 5000)
    assert planner.settings.requests_per_minute is None
    assert made.for_role("vision") is None
    assert made.secrets() == ("sk-plan", "sk-route")
    assert roles(roles={"router": {**ROUTER, "api_key": "sk-plan"}}).secrets() == ("sk-plan",)


def test_limits_of_the_planner_may_stand_beside_the_others() -> None:
    made = roles(roles={"planner": {"requests_per_minute": 3, "temperature": 0.2, "budget_cost": 1.5}})
    settings = made.planner.settings
    assert (settings.requests_per_minute, settings.temperature, settings.budget_cost) == (3, 0.2, Decimal("1.5"))
    assert settings.model == PLANNER["model"]


def test_other_kinds_of_planner_have_no_limits() -> None:
    made = build_roles({"kind": "script", "turns": [{"text": "x"}]}, list)
    assert isinstance(made.planner, ScriptedClient) and made.secrets() == ()
    assert build_roles({"kind": "offline"}, list).planner.kind == "offline"
    both = build_roles({"kind": "offline", "roles": {"router": {"kind": "script", "turns": [{"text": "map"}]}}}, list)
    assert isinstance(both.for_role("router"), ScriptedClient)


def test_a_key_is_in_no_text_of_the_settings() -> None:
    assert "sk-plan" not in repr(roles().planner.settings)


WRONG = [
    ({"roles": []}, "roles: must be an object"),
    ({"roles": {"router": "x"}}, "roles: must be an object"),
    ({"roles": {"cook": {}}}, "roles: unknown role 'cook'; allowed: planner, router, vision"),
    ({"roles": {"router": {}}}, "roles.router.model: the name of a model is missing"),
    ({"roles": {"router": {"model": "m", "api_key": ["sk-x"]}}}, "roles.router.api_key: must be a string"),
    ({"roles": {"vision": {"model": "m", "temperature": 3}}}, "roles.vision.temperature: must be from 0 to 2"),
    ({"temperature": "hot"}, "temperature: must be a number"),
    ({"requests_per_minute": 0}, "requests_per_minute and context_tokens must be 1 or more"),
    ({"budget_tokens": -1}, "budget_tokens: must be a number, 0 or more"),
    ({"budget_cost": float("nan")}, "budget_cost: must be a number"),
    ({"max_output_tokens": True}, "max_output_tokens: must be a number"),
    ({"local_only": True}, "api_base: only addresses on this machine"),
    (
        {"local_only": True, "api_base": "http://localhost:1/v1", "roles": {"router": ROUTER}},
        "roles.router.api_base: only addresses on this machine",
    ),
]


@pytest.mark.parametrize(("config", "why"), WRONG)
def test_what_is_wrong_is_said_without_repeating_values(config: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError) as caught:
        roles(**config)
    assert str(caught.value).startswith(why) and "sk-" not in str(caught.value)


def test_local_only_takes_local_addresses() -> None:
    made = roles(api_base="http://127.0.0.1:11434", local_only=True)
    assert made.planner.settings.api_base == "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://192.168.0.9:1234", True),
        ("http://gpu.local/v1", True),
        ("https://api.deepseek.com", False),
        ("http://8.8.8.8/v1", False),
        ("http://127.0.0.1.evil.example/v1", False),
        ("http://localhost@evil.example/v1", False),
        ("", False),
        ("http://[bad", False),
    ],
)
def test_which_addresses_are_local(address: str, local: bool) -> None:
    assert is_local(address) is local


def test_a_persons_price_file_is_used_and_a_broken_one_reported(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    own.write_text('{"date": "2026-01-01", "models": {"m": {"input": 1, "output": 1}}}', encoding="utf-8")
    assert roles(prices_file=str(own)).planner._prices.price_of("m").input == 1
    own.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read"):
        roles(prices_file=str(own))


class Echo:
    """A model that answers at once."""

    kind, label = "model", "m"

    def __init__(self) -> None:
        self.calls = 0
        self.warm = 0

    def warm_up(self) -> None:
        self.warm += 1

    async def complete(self, _request: ProviderRequest, _on_text: Callable[[str], None]) -> LLMResponse:
        self.calls += 1
        return LLMResponse("Fine.", usage=Usage(10, 5, 0, "provider"))


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, [0.0][:0]

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_rate_holds_over_any_minute() -> None:
    clock = Clock()
    limiter = RateLimiter(3, clock=clock, sleep=clock.sleep)

    async def run() -> list[float]:
        starts = []
        for pause in (0, 10, 10, 0, 0, 0, 45, 0):
            clock.now += pause
            await limiter.wait()
            starts.append(clock.now)
        return starts

    starts = asyncio.run(run())
    assert starts[:3] == [0, 10, 20] and starts[3:5] == [60, 70]
    assert all(later - earlier >= 60 for earlier, later in zip(starts, starts[3:]))


def test_no_rate_is_no_wait_and_a_stopped_wait_counts_nothing() -> None:
    async def run() -> float:
        free = RateLimiter(None)
        for _ in range(1000):
            await free.wait()
        limiter = RateLimiter(1)
        await limiter.wait()
        task = asyncio.ensure_future(limiter.wait())
        await asyncio.sleep(0.01)
        started = asyncio.get_running_loop().time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(limiter._starts) == 1
        return asyncio.get_running_loop().time() - started

    assert asyncio.run(run()) < 0.2


def test_a_role_client_keeps_its_rate_by_itself_and_counts_once_when_admitted_before() -> None:
    clock, inner = Clock(), Echo()
    client = RoleClient(RoleSettings("m"), inner, limiter=RateLimiter(2, clock=clock, sleep=clock.sleep))

    async def run() -> None:
        await client.admit(ProviderRequest([], []))
        for _ in range(3):
            await client.complete(ProviderRequest([], []), lambda _text: None)

    asyncio.run(run())
    assert (inner.calls, clock.slept, client.spent_tokens) == (3, [60.0], 45)
    client.warm_up()
    assert inner.warm == 1
    RoleClient(RoleSettings("m"), ScriptedClient(())).warm_up()  # nothing to warm


def test_all_roles_are_counted_by_one_table(tmp_path: Path) -> None:
    """The person's own, where there is one: who adds up a run takes the same."""
    own = tmp_path / "prices.json"
    own.write_text('{"date": "2026-01-01", "models": {"m": {"input": 7, "output": 1}}}', encoding="utf-8")
    made = roles(prices_file=str(own), roles={"router": ROUTER})
    price = made.prices.price_of("m")
    assert price is not None and price.input == 7
    assert made.planner._prices is made.for_role("router")._prices is made.prices
    assert roles().prices.price_of("m") is None


def test_parameters_that_no_loopback_server_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache key for OpenAI's own address; what is refused stays out."""
    monkeypatch.setattr("qgis_agent.agent.llm.library.httpx_timeout", lambda *_: None)
    request = ProviderRequest([], [{"type": "function", "function": {"name": "a"}}], cache_key="chat-1")

    def of(model: str, refused: set[Any]) -> dict[str, Any]:
        made = Connection(model, quirks_for(model), api_base="", api_key="", connect_timeout_s=1, idle_timeout_s=1)
        made.refused |= refused
        return made.parameters(request, Sampling(0.1, 100))

    plain = of("openai/gpt-4.1", set())
    assert plain["prompt_cache_key"] == "chat-1" and plain["max_retries"] == plain["num_retries"] == 0
    assert "prompt_cache_key" not in of("mistral/m", set())
    less = of("openai/gpt-4.1", {"usage", "stream", "temperature", "tools"})
    assert less["stream"] is False
    assert not {"stream_options", "temperature", "top_p", "tools"} & set(less)
    assert "top_p" not in of("openai/gpt-4.1", {"top_p"}) and of("openai/gpt-4.1", {"top_p"})["temperature"] == 0.1


def sentences() -> list[str]:
    """Every message and hint of a ModelError in the sources of the package, with {} where a value stands."""
    found = []
    for path in sorted(Path(words.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "ModelError",
                "OverBudget",
                "_over_budget",
            ):
                given = [*node.args, *[each.value for each in node.keywords if each.arg == "hint"]]
                found += [text for text in map(text_of, given) if " " in text]
    return found


def text_of(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_every_error_of_a_model_has_its_words_in_chinese() -> None:
    found = sentences()
    assert len(found) > 25
    ours = [each for each in found if "script" not in each]  # a script is a tool of developers
    for each in ours:
        said = words.in_language(each.replace("{}", "503"), "zh")
        assert any("\u4e00" <= character <= "\u9fff" for character in said), each
        assert said.count("503") == each.count("{}"), each
        assert words.in_language(each, "en") == each
    assert words.in_language("Something else.", "zh") == "Something else."


def test_notices_in_both_languages() -> None:
    assert "vLLM" in words.notice("vllm_flags", "en") and "--enable-auto-tool-choice" in words.notice(
        "vllm_flags", "zh"
    )
    assert words.notice("rate_wait", "zh", seconds=3).startswith("等待 3 秒")
