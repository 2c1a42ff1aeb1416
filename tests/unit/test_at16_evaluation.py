"""AT16: calls judged strictly, compared with the answers of the Berkeley Function Calling Leaderboard and its own checker.

Its data and checker are in the wheel ``bfcl-eval`` (Apache-2.0; taken without its dependencies), looked for where
QGIS_AGENT_BFCL points (a wheel, or the folder that holds ``bfcl_eval``) and in .oracle-env. Nothing of it lies in this repository.
"""

from __future__ import annotations

import copy
import importlib
import json
import os
import random
import re
import sys
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_eval_scoring import COUNT, FACTS, WHERE, judged, step

from qgis_agent.agent.evals.allowed_calls import calls_fault
from qgis_agent.agent.evals.cases import CaseError, parse_case

REPO = Path(__file__).resolve().parents[2]
CATEGORIES = ("simple_python", "multiple", "parallel", "parallel_multiple")
Allowed = list[dict[str, dict[str, list[Any]]]]
Calls = list[tuple[str, dict[str, Any]]]


def places() -> list[Path]:
    named = os.environ.get("QGIS_AGENT_BFCL")
    found = [Path(named)] if named else []
    return [*found, *(REPO / ".oracle-env").glob("lib/python3*/site-packages")]


def bfcl() -> Path:
    """The wheel, or the folder with the package in it."""
    for place in places():
        if place.suffix == ".whl" and place.is_file():
            return place
        if (place / "bfcl_eval").is_dir():
            return place
    pytest.skip("bfcl-eval is not here: set QGIS_AGENT_BFCL to its wheel (pip download --no-deps bfcl-eval==2026.3.23)")


def lines(name: str) -> list[dict[str, Any]]:
    """The lines of one of its files."""
    place = bfcl()
    if place.suffix == ".whl":
        with zipfile.ZipFile(place) as wheel:
            text = wheel.read(f"bfcl_eval/data/{name}").decode("utf-8")
    else:
        text = (place / "bfcl_eval" / "data" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def loose_text(one: str, other: str) -> bool:
    """Texts as BFCL compares them: without spaces and some punctuation, one kind of quotes."""

    def bare(text: str) -> str:
        return re.sub(r"[ ,./\-_*^]", "", text).lower().replace("'", '"')

    return bare(one) == bare(other)


def plain(allowed: Any) -> Any:
    """A value out of an allowed one: inside objects the first that is no mark for "may be left out"."""
    if isinstance(allowed, dict):
        return {key: plain(first(values)) for key, values in allowed.items() if first(values) is not None}
    return [plain(each) for each in allowed] if isinstance(allowed, list) else allowed


def first(values: list[Any]) -> Any:
    return next((each for each in values if each != ""), None)


def answered(allowed: Allowed) -> Calls:
    """The calls of a model that is right."""
    calls = []
    for entry in allowed:
        tool, params = next(iter(entry.items()))
        given = {name: plain(first(values)) for name, values in params.items() if first(values) is not None}
        calls.append((tool, given))
    return calls


def other(value: Any) -> Any:
    """A value that is another one, whatever BFCL forgives in texts."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 7919
    if isinstance(value, str):
        return value + "qxz"
    if isinstance(value, list):
        return [*value, *value, "qxz"]
    return {**value, "qxz": 1} if isinstance(value, dict) else "qxz"


def mutated(allowed: Allowed, seed: int) -> Iterator[tuple[str, Calls]]:
    """The right calls, each time with one thing wrong."""
    chance = random.Random(seed)
    right = answered(allowed)
    at = chance.randrange(len(right))
    tool, given = right[at]

    def with_call(call: tuple[str, dict[str, Any]]) -> Calls:
        calls = copy.deepcopy(right)
        calls[at] = call
        return calls

    yield "another tool", with_call((tool + "_qxz", given))
    yield "one call too few", right[:-1]
    yield "one call too many", [*right, (tool + "_qxz", {})]
    yield "an unknown parameter", with_call((tool, {**given, "qxz": 1}))
    if given:
        name = chance.choice(sorted(given))
        every = isinstance(given[name], bool) and {True, False} <= set(next(iter(allowed[at].values()))[name])
        yield "another value", with_call((tool, {**given, name: "qxz" if every else other(given[name])}))
    needed = [name for name in given if "" not in next(iter(allowed[at].values()))[name]]
    if needed:
        name = chance.choice(needed)
        yield "a parameter missing", with_call((tool, {key: value for key, value in given.items() if key != name}))


@pytest.fixture(scope="module")
def checker() -> Iterator[Any]:
    """BFCL's own checker, without the list of all models that it imports for the spelling of names."""
    place = bfcl()
    stub = types.ModuleType("bfcl_eval.constants.model_config")
    model = types.SimpleNamespace(underscore_to_dot=False)
    stub.MODEL_CONFIG_MAPPING = {"ours": model}  # type: ignore[attr-defined]
    before = set(sys.modules)
    sys.path.insert(0, str(place))
    try:
        importlib.import_module("bfcl_eval.constants")
        sys.modules[stub.__name__] = stub
        module = importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker")
        language = importlib.import_module("bfcl_eval.constants.enums").Language
        yield lambda functions, calls, allowed, category: module.ast_checker(
            functions, [{tool: given} for tool, given in calls], allowed, language.PYTHON, category, "ours"
        )["valid"]
    finally:
        sys.path.remove(str(place))
        for name in set(sys.modules) - before:
            if name.startswith("bfcl_eval"):
                del sys.modules[name]


@pytest.mark.parametrize("category", CATEGORIES)
def test_at16_the_verdict_is_bfcls_on_its_answers_and_on_mutated_ones(category: str, checker: Any) -> None:
    functions = {each["id"]: each["function"] for each in lines(f"BFCL_v4_{category}.json")}
    answers = lines(f"possible_answer/BFCL_v4_{category}.json")
    right = wrong = 0
    for number, answer in enumerate(answers):
        allowed = answer["ground_truth"]
        calls = answered(allowed)
        assert calls_fault(allowed, calls, only=True, same=loose_text) == "", answer["id"]
        assert calls_fault(allowed, calls[::-1], only=True, same=loose_text) == "", answer["id"]
        right += 1
        for what, bad in mutated(allowed, number):
            assert calls_fault(allowed, bad, only=True, same=loose_text) != "", (answer["id"], what)
            assert not checker(functions[answer["id"]], copy.deepcopy(bad), allowed, category), (answer["id"], what)
            wrong += 1
        # Its checker wants a float where the description says so; JSON knows one kind of number.
        typed = typed_as(functions[answer["id"]], calls)  # and without what the description does not have
        assert checker(functions[answer["id"]], typed, allowed, category), answer["id"]
    assert right == len(answers) >= 200
    assert wrong > 4 * right


def typed_as(functions: list[dict[str, Any]], calls: Calls) -> Calls:
    """The same calls with numbers of the kinds that the descriptions name."""
    described = {each["name"]: each["parameters"]["properties"] for each in functions}
    typed = []
    for tool, given in calls:
        kinds = described[tool]
        typed.append((tool, {name: _typed(kinds[name], value) for name, value in given.items() if name in kinds}))
    return typed


def _typed(kind: dict[str, Any], value: Any) -> Any:
    if kind.get("type") == "float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind.get("type") in ("array", "tuple") and isinstance(value, list):
        return [_typed(kind.get("items", {}), each) for each in value]
    return value


# what needs no data


def test_each_entry_needs_a_call_of_its_own() -> None:
    allowed: Allowed = [{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}]
    assert (
        calls_fault(allowed, [("f", {"a": 1}), ("f", {"a": 2})]) == ""
    )  # the first call fits both, and is the second's
    assert calls_fault(allowed, [("f", {"a": 2}), ("f", {"a": 2})]) == "f: no call has the allowed values"
    assert calls_fault(allowed, [("f", {"a": 1})]) == "2 calls expected, 1 made"


def test_a_case_may_be_judged_strictly() -> None:
    case = {**COUNT, "expect_params": {}}
    case["expect_calls"] = [{"count_features": {"layer_id": ["schools", "school"], "where": [WHERE, ""]}}]
    search = step("search_layers")
    assert judged(case, [search, step("count_features", layer_id="school")]).params is True
    assert judged(case, [search, step("count_features", layer_id="schools", selected_only=True)]).params is False
    twice = [search, *[step("count_features", layer_id="schools")] * 2]
    assert judged(case, twice).blame == "params"
    with pytest.raises(CaseError, match="list of allowed values"):
        parse_case({**COUNT, "expect_calls": [{"count_features": {"layer_id": "schools"}}]}, FACTS.effects)
