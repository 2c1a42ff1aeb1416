"""The small schema checker against jsonschema, on every contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qgis_agent.bridge.schema import check

TOOLS = json.loads((Path(__file__).parents[2] / "resources" / "tools.schema.json").read_text(encoding="utf-8"))["tools"]
SCHEMAS = {tool["name"]: tool["parameters"] for tool in TOOLS}

scalars = st.sampled_from(
    [None, True, False, 0, 1, -1, 5.0, 2.5, 10**7, "", "a", "eq", "in", "single", "#ff0000", "x" * 500]
)
names = sorted({key for schema in SCHEMAS.values() for key in schema["properties"]} | {"bogus"})
conditions = st.fixed_dictionaries(
    {},
    optional={
        "field": scalars,
        "op": scalars,
        "value": scalars | st.lists(scalars, max_size=3),
        "any_of": st.lists(scalars),
    },
)
values = (
    scalars
    | st.lists(scalars, max_size=4)
    | st.lists(conditions, max_size=3)
    | st.dictionaries(st.text(max_size=3), scalars)
)


@settings(max_examples=400)
@given(st.sampled_from(sorted(SCHEMAS)), st.dictionaries(st.sampled_from(names), values, max_size=5))
def test_it_agrees_with_jsonschema(tool: str, arguments: dict[str, Any]) -> None:
    """Same verdict as the reference implementation for the keywords that our contracts use."""
    schema = SCHEMAS[tool]
    expected = jsonschema.Draft202012Validator(schema).is_valid(arguments)
    assert (check(arguments, schema) is None) == expected


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_tool_refuses_a_bogus_key_and_a_non_object(name: str) -> None:
    """additionalProperties is false everywhere, and arguments are an object."""
    problem = check({"bogus_key": 1}, SCHEMAS[name])
    assert problem is not None
    assert problem.path == "bogus_key"
    assert check([], SCHEMAS[name]) is not None


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_contract_limits(name: str) -> None:
    """Design section 4: at most 6 parameters at the top, 12 in all, 3 required, valid 2020-12, nobody's scope in it.

    Of one object alone the keys are not known here: an algorithm's parameters, which its own definition checks.
    """
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    top = schema["properties"]
    closed = [each for each in top.values() if each.get("type") == "object"]
    assert len(top) <= 6
    assert len(closed) <= 1
    if name != "run_algorithm":
        assert all(len(each["properties"]) <= 8 and each["additionalProperties"] is False for each in closed)
    assert len(top) + sum(len(each["properties"]) for each in closed) <= 12
    assert len(schema.get("required", [])) <= 3
    assert schema["additionalProperties"] is False
    assert not {"session", "user", "scope", "session_id", "user_id"} & set(top)
    assert len(name) <= 32


@pytest.mark.parametrize(
    ("arguments", "path", "hint"),
    [
        ({"layer_id": "a", "were": []}, "were", "where"),
        ({}, "layer_id", "layer_id"),
        ({"layer_id": "a", "where": [{"field": "f", "op": "eqq", "value": 1}]}, "where[0].op", "eq"),
        ({"layer_id": 5}, "layer_id", "string"),
    ],
)
def test_problems_name_the_place_and_the_way_out(arguments: dict[str, Any], path: str, hint: str) -> None:
    """The path of the first violation, and a hint with valid names."""
    problem = check(arguments, SCHEMAS["count_features"])
    assert problem is not None
    assert problem.path == path
    assert hint in problem.hint


def test_an_unknown_keyword_is_an_error_of_the_schema() -> None:
    """A contract that uses more than the checker knows is noticed, not passed."""
    with pytest.raises(ValueError, match="not supported"):
        check({}, {"dependentRequired": {}})


@pytest.mark.parametrize(
    ("value", "schema", "hint"),
    [
        (
            "red",
            {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
            "Write the colour as #rrggbb, for example #ff0000.",
        ),
        ("x y", {"type": "string", "pattern": "^EPSG:[0-9]+$", "description": "EPSG:n."}, "EPSG:n."),
        ("x y", {"type": "string", "pattern": "^[a-z]+$"}, "It must match ^[a-z]+$."),
        ("50%", {"type": ["number", "null"], "minimum": 0, "maximum": 1}, "Write 0.5."),
        (50, {"type": "number", "minimum": 0, "maximum": 1}, "Write 0.5."),
        ("3", {"type": "number"}, "Write 3."),
        (500, {"type": "number", "minimum": 0, "maximum": 1}, "Give a number at most 1."),
        (True, {"type": "number", "maximum": 1}, "Give a value of type number."),
        ("many", {"type": "number"}, "Give a value of type number."),
    ],
)
def test_hints_in_words(value: object, schema: dict[str, object], hint: str) -> None:
    """What to write, where that can be told, rather than a pattern or a type."""
    problem = check(value, schema)
    assert problem is not None and problem.hint == hint
