"""The evaluation set in tests/evals: what it must hold, and that its solutions are calls that the tools accept.

That every solution scores 100 % and every spoiled one is blamed rightly is shown by tests/evals/test_eval_runs.py.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from qgis_agent.agent.evals.cases import parse_case
from qgis_agent.agent.evals.scoring import BLAME
from qgis_agent.agent.llm.scripted import parse_turns

EVALS = Path(__file__).resolve().parents[1] / "evals"
REPO = EVALS.parents[1]
TOOLS: dict[str, dict[str, Any]] = {
    each["name"]: each
    for each in json.loads((REPO / "resources" / "tools.schema.json").read_text(encoding="utf-8"))["tools"]
}
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (EVALS / "all.jsonl").read_text(encoding="utf-8").splitlines()
]
BY_ID = {each["id"]: each for each in CASES}
SOLUTIONS: dict[str, list[dict[str, Any]]] = json.loads((EVALS / "solutions.json").read_text(encoding="utf-8"))
SPOILED: dict[str, dict[str, Any]] = json.loads((EVALS / "spoiled.json").read_text(encoding="utf-8"))
SEEDS = {
    "seed 4.7.1-1", "seed 4.7.1-2", "seed 4.7.1-3", "seed 4.7.1-4", "seed 4.7.1-5", "seed 4.7.2", "seed 4.7.3",
    "seed 4.7.4-1", "seed 4.7.4-2", "seed 4.7.4-3", "seed 4.7.4-4", "seed 4.6.1", "seed 4.8.1",
}  # fmt: skip
"""The five templates, the four scenarios, the request of the sample trace and the sample case of seed 003."""
LEFT_OUT = {"subagent"}
"""Packs without a case: a sub-agent has a conversation of its own, which a script of turns cannot play."""


def calls_of(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [call for turn in turns for call in turn.get("tool_calls", [])]


def test_size_shares_and_languages() -> None:
    negatives = Counter(each["negative"] for each in CASES)
    languages = Counter(each["lang"] for each in CASES)
    projects = Counter(each["project"] for each in CASES)
    assert len(CASES) >= 120
    assert (len(CASES) - negatives[None]) / len(CASES) >= 0.30
    assert min(negatives[each] for each in ("impossible", "unclear", "forbidden")) >= 12
    assert set(languages) == {"en", "zh"} and min(languages.values()) >= 0.4 * len(CASES)
    assert set(projects) == {"sample", "world"} and projects["world"] >= 20
    assert sum(each.get("offline", False) for each in CASES) >= 40


def test_ids_and_requests_are_unique() -> None:
    assert len(BY_ID) == len(CASES)
    asked = Counter((each["text"].casefold(), each["project"], bool(each.get("approve"))) for each in CASES)
    assert [each for each, times in asked.items() if times > 1] == []


def test_language_is_what_the_text_is_written_in() -> None:
    for each in CASES:
        chinese = sum("\u4e00" <= letter <= "\u9fff" for letter in each["text"])
        latin = sum(letter.isascii() and letter.isalpha() for letter in each["text"])
        english = each["text"][0].isascii() and latin > chinese  # names of places stand in both
        assert (each["lang"] == "en") == english, each["id"]


def test_seed_and_all_packs_are_covered() -> None:
    assert {tag for each in CASES for tag in each["tags"]} >= SEEDS
    used = {TOOLS[call["name"]]["pack"] for turns in SOLUTIONS.values() for call in calls_of(turns)}
    assert used == {each["pack"] for each in TOOLS.values()} - LEFT_OUT
    kinds = Counter("multi_step" in each["tags"] for each in CASES)
    assert kinds[True] >= 25


@pytest.mark.parametrize("case", CASES, ids=[each["id"] for each in CASES])
def test_case_is_read_and_its_solution_is_what_it_expects(case: dict[str, Any]) -> None:
    parse_case(case, {name: each["effect"] for name, each in TOOLS.items()})
    for tool, expected in case["expect_params"].items():
        known = TOOLS[tool]["parameters"]["properties"]
        assert {each.split("/")[1] if each.startswith("/") else each for each in expected} <= set(known)
    turns = SOLUTIONS[case["id"]]
    assert parse_turns(turns)
    names = [call["name"] for call in calls_of(turns)]
    rest = iter(names)
    assert all(any(tool == each for each in rest) for tool in case["expect_tools"]), names
    assert len(names) <= 6, "a case is one to five calls, and perhaps another pack"


def test_solutions_belong_to_the_set_and_are_valid_calls() -> None:
    assert set(SOLUTIONS) == set(BY_ID)
    for ident, turns in {**SOLUTIONS, **{key: each["turns"] for key, each in SPOILED.items()}}.items():
        for call in calls_of(turns):
            schema = TOOLS[call["name"]]["parameters"]
            problems = list(jsonschema.Draft202012Validator(schema).iter_errors(call["arguments"]))
            assert not problems, f"{ident} {call['name']}: {problems[0].message}"


def test_positive_cases_are_judged_by_the_map_or_by_numbers() -> None:
    for each in CASES:
        if each["negative"] is None:
            result = each["expect_result"]
            assert result.get("numbers") or result.get("state") or result.get("layers"), each["id"]
            assert each["expect_tools"], each["id"]
        elif each["negative"] == "unclear":
            assert each["expect_result"].get("question") is True, each["id"]


def test_spoiled_solutions_cover_each_way_of_going_wrong() -> None:
    assert len(SPOILED) >= 10
    words = [each["spoiled"] for each in SPOILED.values()]
    for kind in ("wrong tool", "wrong parameter", "skipped step", "invented number", "unsafe action"):
        assert sum(each.startswith(kind) for each in words) >= 2, kind
    for ident, each in SPOILED.items():
        assert each["blame"] in BLAME
        assert each["turns"] != SOLUTIONS[ident]
