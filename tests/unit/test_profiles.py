"""The profiles: immutable data, the rows of the requirements, budgets under the ceiling, strict reading."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from agent_fakes import REGISTRY
from hypothesis import given
from hypothesis import strategies as st

from qgis_agent.agent.governance.profile import (
    CEILING,
    PROFILES,
    AgentProfile,
    Budget,
    strictest,
    within_ceiling,
)
from qgis_agent.agent.governance.profile_check import (
    BUDGET_RANGES,
    KNOWN_PACKS,
    NAME,
    Problem,
    ProfileError,
    is_number_of,
    problems_of,
)

ROWS = {  # O-61 to O-65 and M-99: mode, level, model calls, code calls (1000: no ceiling but that of all calls)
    "gis-build": ("build", "safe_write", 12, 1000),
    "gis-plan": ("plan", "read_only", 3, 1),
    "gis-explore": ("explore", "read_only", 4, 2),
    "workflow-runner": ("workflow", "safe_write", 8, 1000),
    "gis-subagent": ("subagent", "safe_write", 4, 1000),
    "gis-small": ("build", "safe_write", 12, 1000),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_built_in_profiles_are_those_of_the_requirements(name: str) -> None:
    """One row each; no profile has more than the global ceiling."""
    profile = PROFILES[name]
    assert (profile.mode, profile.level, profile.budget.model_calls, profile.budget.code_calls) == ROWS[name]
    assert profile.name == name
    assert profile.budget.within(CEILING) == profile.budget
    assert NAME.fullmatch(name)
    assert profile.description


def test_no_profile_more_and_none_less() -> None:
    assert set(PROFILES) == set(ROWS)


def test_the_ceiling_is_that_of_x1() -> None:
    """12 model calls, 24 tool calls, 200k tokens, 180 s of model time, 60 s of tool time."""
    said = (CEILING.model_calls, CEILING.tool_calls, CEILING.tokens, CEILING.model_s, CEILING.tool_s)
    assert said == (12, 24, 200_000, 180.0, 60.0)


def test_the_packs_of_the_profiles_are_those_of_the_catalog() -> None:
    """A new pack in the catalog is put into profiles on purpose."""
    assert set(KNOWN_PACKS) == set(REGISTRY.packs)
    assert set(PROFILES["gis-build"].packs) == set(PROFILES["workflow-runner"].packs) == set(REGISTRY.packs)
    assert "write" not in PROFILES["gis-small"].packs


def test_the_small_profile_shows_eight_tools_that_exist() -> None:
    """M-99: at most eight in all; each is a registered tool of one of its packs."""
    small = PROFILES["gis-small"]
    assert small.tools is not None
    assert 5 <= len(small.tools) <= 8
    for name in small.tools:
        spec = REGISTRY.get(name)
        assert spec is not None and spec.pack in small.packs, name
    assert all(each.tools is None for name, each in PROFILES.items() if name != "gis-small")


def test_profiles_are_immutable_all_the_way_down() -> None:
    """Fields, budget, the mapping of profiles, metadata and what is in it."""
    profile: Any = replace(PROFILES["gis-small"], metadata={"permissions": {"zoom_to": "deny"}, "tools": ["zoom_to"]})
    table: Any = PROFILES
    with pytest.raises(FrozenInstanceError):
        profile.level = "full_access"
    with pytest.raises(FrozenInstanceError):
        profile.budget.tokens = 1
    with pytest.raises(TypeError):
        table["gis-build"] = profile
    with pytest.raises(TypeError):
        profile.metadata["tools"] = ()
    with pytest.raises(TypeError):
        profile.permissions["zoom_to"] = "allow"
    assert profile.tools == ("zoom_to",)


def test_metadata_does_not_follow_the_mapping_it_was_made_from() -> None:
    rules = {"zoom_to": "deny"}
    profile = replace(PROFILES["gis-build"], metadata={"permissions": rules})
    rules["zoom_to"] = "allow"
    assert profile.permissions == {"zoom_to": "deny"}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=str)
def test_to_dict_and_back(profile: AgentProfile) -> None:
    ruled = replace(profile, metadata={**profile.metadata, "permissions": {"set_*": "ask"}})
    for each in (profile, ruled):
        assert AgentProfile.from_dict(each.to_dict()) == each


def test_what_is_absent_is_the_strictest_default() -> None:
    """A name alone makes a profile that reads with the default pack."""
    made = AgentProfile.from_dict({"name": "mine"})
    assert (made.level, made.packs, made.mode, made.budget, made.tools) == (
        "read_only",
        ("default",),
        "build",
        CEILING,
        None,
    )


def test_a_budget_over_the_ceiling_is_the_ceiling() -> None:
    """Ours, or a lower one that a person set."""
    data = {"name": "mine", "budget": {"model_calls": 500, "tokens": 5_000, "tool_s": 1.5}}
    assert AgentProfile.from_dict(data).budget == Budget(model_calls=12, tokens=5_000, tool_s=1.5)
    lower = replace(CEILING, model_calls=2, tokens=4_000)
    assert AgentProfile.from_dict(data, lower).budget == Budget(model_calls=2, tokens=4_000, tool_s=1.5)
    assert within_ceiling(PROFILES["gis-explore"], lower).budget.model_calls == 2


WRONG: list[tuple[Any, list[str]]] = [
    (None, ["profile"]),
    ([], ["profile"]),
    ({}, ["name"]),
    ({"name": 3}, ["name"]),
    ({"name": "Has Blank"}, ["name"]),
    ({"name": "x" * 41}, ["name"]),
    ({"name": "a", "levle": "read_only"}, ["levle"]),
    ({"name": "a", "level": "root"}, ["level"]),
    ({"name": "a", "level": ["read_only"]}, ["level"]),
    ({"name": "a", "mode": None}, ["mode"]),
    ({"name": "a", "packs": "default"}, ["packs"]),
    ({"name": "a", "packs": ["default", "sudo", 3]}, ["packs[1]", "packs[2]"]),
    ({"name": "a", "description": "x" * 301}, ["description"]),
    ({"name": "a", "prompt_suffix": 1}, ["prompt_suffix"]),
    ({"name": "a", "budget": []}, ["budget"]),
    ({"name": "a", "budget": {"model_calls": 0}}, ["budget.model_calls"]),
    ({"name": "a", "budget": {"model_calls": True}}, ["budget.model_calls"]),
    ({"name": "a", "budget": {"model_calls": 2.0}}, ["budget.model_calls"]),
    ({"name": "a", "budget": {"model_calls": "3"}}, ["budget.model_calls"]),
    ({"name": "a", "budget": {"tokens": 999, "model_s": 0, "tool_s": -1}}, ["budget.tokens", "budget.model_s", "budget.tool_s"]),
    ({"name": "a", "budget": {"tool_s": float("nan")}}, ["budget.tool_s"]),
    ({"name": "a", "budget": {"tool_s": float("inf")}}, ["budget.tool_s"]),
    ({"name": "a", "budget": {"tool_s": 10**400}}, ["budget.tool_s"]),
    ({"name": "a", "budget": {"steps": 1}}, ["budget.steps"]),
    ({"name": "a", "metadata": 1}, ["metadata"]),
    ({"name": "a", "metadata": {"budget": {}}}, ["metadata.budget"]),
    ({"name": "a", "metadata": {"permissions": []}}, ["metadata.permissions"]),
    ({"name": "a", "metadata": {"permissions": {"zoom_to": "yes"}}}, ["metadata.permissions.zoom_to"]),
    ({"name": "a", "metadata": {"permissions": {"rm -rf": "deny"}}}, ["metadata.permissions.rm?-rf"]),
    ({"name": "a", "metadata": {"permissions": {3: "deny"}}}, ["metadata.permissions.3"]),
    ({"name": "a", "metadata": {"tools": "zoom_to"}}, ["metadata.tools"]),
    ({"name": "a", "metadata": {"tools": ["zoom_to", "set_*", None]}}, ["metadata.tools[1]", "metadata.tools[2]"]),
    ({"name": "", "level": 1, "x\n\u202e": 2}, ["name", "level", "x??"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "places"), WRONG, ids=str)
def test_every_problem_is_named_with_its_place(data: Any, places: list[str]) -> None:
    """Unknown keys, types and ranges; all at once; in both languages, without anything that could break the line."""
    assert [each.where for each in problems_of(data)] == places
    with pytest.raises(ProfileError) as raised:
        AgentProfile.from_dict(data)
    assert [each.where for each in raised.value.problems] == places
    for each in raised.value.problems:
        english, chinese = each.text("en"), each.text("zh")
        assert english.startswith(each.where + ": ")
        assert chinese != english
        assert english.isprintable() and "{" not in english + chinese


def test_a_problem_says_what_would_be_right() -> None:
    """The choices, the range, the known keys."""
    problems = problems_of({"name": "a", "level": "x", "budget": {"model_calls": 0}, "pack": []})
    said = [each.text() for each in problems]
    assert said == [
        "level: must be one of read_only, safe_write, full_access",
        "budget.model_calls: must be a whole number from 1 – 1000",
        "pack: is not known here; known are name, mode, description, packs, level, budget, prompt_suffix, metadata",
    ]
    assert Problem("x", "whole", "1 – 2").text("zh") == "x: 必须是整数，范围 1 – 2"


def test_every_number_of_a_budget_has_a_range() -> None:
    assert [each.name for each in fields(Budget)] != []
    assert {each.name for each in fields(Budget)} == set(BUDGET_RANGES)
    assert all(is_number_of(each.name, getattr(CEILING, each.name)) for each in fields(Budget))


BUDGETS = st.builds(Budget, *(st.integers(0, 50) for _ in fields(Budget)))


@given(BUDGETS, BUDGETS)
def test_within_is_the_smaller_of_each(one: Budget, other: Budget) -> None:
    both = one.within(other)
    for each in fields(Budget):
        assert getattr(both, each.name) == min(getattr(one, each.name), getattr(other, each.name))


def test_deny_before_ask_before_allow() -> None:
    assert strictest("allow") == "allow"
    assert strictest("allow", "ask") == "ask"
    assert strictest("ask", "deny", "allow") == "deny"
