"""What a person sets for every request: limits within bounds, what it may cost, and the language of answers."""

from __future__ import annotations

import math
from dataclasses import fields
from decimal import Decimal

import pytest

from qgis_agent.agent.governance.factory import _language_lines
from qgis_agent.agent.governance.overrides import load_overrides
from qgis_agent.agent.governance.person_limits import BOUNDS, ceiling_of, cost_limit_of, profiles_under
from qgis_agent.agent.governance.profile import CEILING, PROFILES, Budget
from qgis_agent.agent.llm.prices import Cost
from qgis_agent.agent.loop.policy import LoopPolicy
from qgis_agent.agent.loop.state import RunnerState
from qgis_agent.agent.texts import language_of


def test_nothing_set_is_the_global_ceiling() -> None:
    assert ceiling_of({}) == CEILING == Budget()
    assert dict(profiles_under(ceiling_of({}))) == dict(PROFILES)


def test_what_is_set_is_taken_within_the_bounds_and_nonsense_is_not() -> None:
    assert ceiling_of({"model_calls": 30, "tokens": 500_000.0}) == Budget(model_calls=30, tokens=500_000)
    assert ceiling_of({"model_calls": 10**9, "tool_s": 0}) == Budget(model_calls=60, tool_s=10.0)
    for wrong in ("12", None, True, math.nan, math.inf, [3]):
        assert ceiling_of({"model_calls": wrong, "tokens": wrong}) == CEILING


def test_each_bound_is_reached_and_not_passed() -> None:
    for name, (least, most) in BOUNDS.items():
        assert getattr(ceiling_of({name: most + 1}), name) == most
        assert getattr(ceiling_of({name: least - 1}), name) == least
    known = {each.name for each in fields(Budget)}
    assert set(BOUNDS) == known - {"code_calls", "plain_calls"}


def test_a_higher_ceiling_raises_profiles_without_a_budget_of_their_own_only() -> None:
    profiles = profiles_under(ceiling_of({"model_calls": 40, "tokens": 1_000_000}))
    assert profiles["gis-build"].budget == Budget(model_calls=40, tokens=1_000_000)
    assert profiles["gis-plan"].budget == Budget(model_calls=3, code_calls=1, tokens=1_000_000)


def test_a_lower_ceiling_holds_for_all() -> None:
    profiles = profiles_under(ceiling_of({"model_calls": 2, "tool_calls": 5}))
    assert {each.budget.model_calls for each in profiles.values()} == {2}
    assert {each.budget.tool_calls for each in profiles.values()} == {5}


def test_a_project_cannot_raise_what_the_person_set(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path)) / ".qgis_agent"
    folder.mkdir()
    (folder / "agents.json").write_text(
        '{"profiles": {"gis-build": {"budget": {"model_calls": 50}}}}', encoding="utf-8"
    )
    ceiling = ceiling_of({"model_calls": 20})
    found = load_overrides(folder.parent, (), ceiling=ceiling, built_in=profiles_under(ceiling))
    assert found.profiles["gis-build"].budget.model_calls == 20


@pytest.mark.parametrize(("given", "limit"), [(0.25, "0.25"), (0, None), (-1, None), ("1", None), (5000, "1000")])
def test_the_cost_limit(given: object, limit: str | None) -> None:
    assert cost_limit_of({"cost": given}) == (None if limit is None else Decimal(limit))


def test_a_run_ends_at_its_cost() -> None:
    policy, state = LoopPolicy(CEILING), RunnerState("r", "count", cost_limit=Decimal("0.10"))
    state.costs.add(Cost(Decimal("0.06"), "USD"))
    assert policy.before_turn(state) is None and policy.after_model(state) is None
    state.costs.add(None)  # a call of unknown price counts nothing
    assert policy.before_turn(state) is None
    state.costs.add(Cost(Decimal("0.04"), "USD"))
    assert policy.before_turn(state) == "cost" and policy.after_model(state) == "cost"
    assert LoopPolicy(CEILING).before_turn(RunnerState("r", "count", costs=state.costs)) is None


def test_the_chosen_language_goes_before_the_words() -> None:
    assert language_of("how many schools are there", "en", "zh") == "zh"
    assert language_of("有多少学校", "zh_CN", "en") == "en"
    assert language_of("有多少学校", "en", "") == "zh"
    assert language_of("有多少学校", "en", "fr") == "zh"
    assert _language_lines("") == () and "Chinese" in _language_lines("zh")[0] and "English" in _language_lines("en")[0]
