"""The schema file and the contracts are one, and what the model is shown of them is small and true."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizer import o200k

from qgis_agent.agent.catalog.registry import CONTRACTS, PACKS, SCHEMA_PATH, schema_text
from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.execution.tool_materializer import build_tool_schemas, canonical
from qgis_agent.agent.governance.permissions import PLAN_ONLY_TOOLS
from qgis_agent.bridge.envelope import CODES, failure, hint_for_name, size_bytes
from qgis_agent.bridge.schema import check

TOOLS: dict[str, dict[str, Any]] = {
    each["name"]: each
    for each in json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))["tools"]
    if not each.get("internal")
}
SHOWN = {
    name: each["function"]["parameters"]
    for name, each in build_tool_schemas(ToolRegistry.load().list_registered()).items()
}
IN_SHORT = {"set_render_rule": ("palette",), "set_raster_style": ("palette",)}
"""Long lists of names that the model is told in part: any text is shown, the whole list is checked and named in the hint."""
WITH_WHERE = sorted(name for name, each in TOOLS.items() if "where" in each["parameters"]["properties"])


def valid(value: Any, schema: dict[str, Any]) -> bool:
    """By the reference implementation."""
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


def test_the_schema_file_is_fresh() -> None:
    """``make schema`` writes it; a change of a contract without it fails here."""
    assert SCHEMA_PATH.read_text(encoding="utf-8") == schema_text()


def test_names_and_packs() -> None:
    """Unique names, known packs."""
    names = [each.name for each in CONTRACTS]
    assert len(set(names)) == len(names)
    assert {each.pack for each in CONTRACTS} <= set(PACKS)


def test_the_tool_list_is_small() -> None:
    """The default pack as a chat is shown it: under 3,500 tokens by o200k, in compact JSON; no tool over 2 KB, 900 bytes on
    average. What only MCP clients or plan mode see is not in it."""
    wire = build_tool_schemas(ToolRegistry.load().list_registered())
    sizes = {name: size_bytes(each) for name, each in wire.items()}
    assert max(sizes.values()) <= 2000, sizes
    assert sum(sizes.values()) <= 900 * len(sizes), sizes
    default = [
        each
        for name, each in wire.items()
        if TOOLS[name]["pack"] == "default" and "chat" in TOOLS[name]["callers"] and name not in PLAN_ONLY_TOOLS
    ]
    assert o200k([canonical(default)])[0] < 3500


def test_write_effects_are_prepared() -> None:
    """Nothing writes at once: a write tool is prepare_… or the commit."""
    assert all(
        each.name.startswith("prepare_") or each.name == "commit_action" for each in CONTRACTS if each.effect == "write"
    )


def test_only_reads_run_side_by_side_are_kept_or_asked_again() -> None:
    """And nothing that speaks to the person, or that changes what the model sees, runs beside another call."""
    for each in CONTRACTS:
        if each.parallel or each.cacheable or each.polling:
            assert each.effect == "read", each.name
        if each.cacheable:
            assert each.where == "qgis", each.name
    side_by_side = {each.name for each in CONTRACTS if each.parallel}
    assert not side_by_side & {"ask_user", "request_tool_pack"}
    assert {"query_features", "count_features", "describe_layer"} <= side_by_side


def test_results_that_hang_on_more_than_the_data_are_not_kept() -> None:
    """Selection, visibility, style and handles change without the data revision."""
    data_only = {"query_features", "count_features", "summarize_field", "list_values", "query_in_bbox"}
    assert {each.name for each in CONTRACTS if each.cacheable} == data_only


def test_the_flags_reach_the_registry() -> None:
    """In the file and in ToolSpec, as in the contract."""
    registry = ToolRegistry.load()
    for each in CONTRACTS:
        spec = registry.get(each.name)
        if each.internal:
            assert spec is None
            continue
        assert spec is not None
        flags = (each.parallel, each.cacheable, each.polling)
        assert (spec.parallel, spec.cacheable, spec.polling) == flags
        assert tuple(TOOLS[each.name][key] for key in ("parallel", "cacheable", "polling")) == flags


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.name)
def test_a_description_says_what_when_when_not_and_what_comes_back(contract: Any) -> None:
    """In at most 420 characters, from a verb on."""
    text = contract.description
    assert re.match(r"(What|[A-Z][a-z]+),? ", text)
    assert re.search(r"\b([Uu]se it|when|[Bb]efore|for|as|by|where|so that)\b", text), "when to use it"
    assert re.search(r"\b([Nn]ot|[Nn]ever|[Nn]othing|without)\b", text), "when not"
    assert re.search(r"\b[Rr]eturns\b", text), "what it returns"
    assert len(text) <= 420


# what the model is shown, and what is checked


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_what_is_shown_is_a_closed_schema_of_the_same_parameters(name: str) -> None:
    """Valid 2020-12; the same names, required ones, types and enums; no stray keyword."""
    full, shown = TOOLS[name]["parameters"], SHOWN[name]
    jsonschema.Draft202012Validator.check_schema(shown)
    assert shown["additionalProperties"] is False
    assert list(shown["properties"]) == list(full["properties"])
    assert shown.get("required", []) == full.get("required", [])
    for key, parameter in full["properties"].items():
        assert shown["properties"][key]["type"] == parameter["type"], key
        if key not in IN_SHORT.get(name, ()):
            assert shown["properties"][key].get("enum") == parameter.get("enum"), key
    assert "x-advertised" not in json.dumps([full, shown])


def instances(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema of ours admits (those that it does not are filtered out)."""
    if "anyOf" in schema:
        return st.one_of([instances(each) for each in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "null")
    return st.one_of([_of_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def _of_kind(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind == "string":
        if "pattern" in schema:
            return st.sampled_from(["#a1B2c3", "EPSG:4326"])
        return st.text("aé街_ ", min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 8), 12))
    if kind == "integer":
        return st.integers(schema.get("minimum", -9), schema.get("maximum", 99))
    if kind == "number":
        low, high = schema.get("minimum", schema.get("exclusiveMinimum", -9)), schema.get("maximum", 99)
        return st.integers(low, high) | st.floats(low, high, exclude_min="exclusiveMinimum" in schema)
    if kind == "array":
        size = schema.get("minItems", 0)
        return st.lists(
            instances(schema["items"]), min_size=size, max_size=max(size, min(schema.get("maxItems", 3), 3))
        )
    if kind == "object":
        needed = schema.get("required", [])
        each = {key: instances(rule) for key, rule in schema["properties"].items()}
        return st.fixed_dictionaries(
            {key: each[key] for key in needed}, optional={key: each[key] for key in each if key not in needed}
        )
    return st.booleans() if kind == "boolean" else st.none()


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_all_that_is_valid_is_valid_for_what_is_shown(name: str) -> None:
    """A model that keeps to what it is shown can say all that the tool can do."""
    full, shown = TOOLS[name]["parameters"], SHOWN[name]
    accept, admit = jsonschema.Draft202012Validator(full), jsonschema.Draft202012Validator(shown)

    @settings(max_examples=40, deadline=None, database=None)
    @given(instances(full).filter(accept.is_valid))
    def holds(arguments: Any) -> None:
        assert admit.is_valid(arguments), arguments

    holds()


CONDITION = {"field": "name", "op": "eq", "value": "x"}


@pytest.mark.parametrize("name", WITH_WHERE)
@pytest.mark.parametrize(
    ("where", "shown", "checked"),
    [
        ([], True, True),
        ([CONDITION], True, True),
        ([{"field": "n", "op": "in", "value": [1, "a", True]}], True, True),
        ([{"field": "n", "op": "is_null"}], True, True),
        ([{"any_of": [CONDITION, {"field": "n", "op": "gt", "value": 2.5}]}], True, True),
        ([{"field": "n", "op": "like", "value": "x"}], None, False),
        ([{**CONDITION, "sql": "1=1"}], None, False),
        ([{**CONDITION, "value": {"x": 1}}], True, False),
        ("name = 'x'", False, False),
        ([{**CONDITION, "any_of": [CONDITION]}], True, False),
        ([{"any_of": [{"any_of": [CONDITION]}]}], True, False),
        ([{"op": "eq"}], True, False),
    ],
)
def test_conditions_are_shown_in_short_and_checked_in_full(
    name: str, where: Any, shown: bool | None, checked: bool
) -> None:
    """The last ones: what the short form lets through, the check does not. None: only the tool that explains conditions shows
    what is wrong, the others show their shape."""
    full = TOOLS[name]["parameters"]
    assert valid(where, SHOWN[name]["properties"]["where"]) == (name != "query_features" if shown is None else shown)
    assert valid(where, full["properties"]["where"]) == checked


def test_conditions_are_explained_in_one_tool_that_is_always_shown() -> None:
    """The system prompt points to it, and the others show a list only, as does every list of conditions of another name."""
    assert TOOLS["query_features"]["pack"] == "default"
    said = SHOWN["query_features"]["properties"]["where"]["description"]
    assert all(word in said for word in ("between", "is_null", "any_of", "case"))
    others = [SHOWN[name]["properties"]["where"] for name in WITH_WHERE if name != "query_features"]
    assert others and all(each == {"type": "array", "items": {"type": "object"}} for each in others)
    prompt = Path(__file__).resolve().parents[2] / "resources" / "prompts" / "system.md"
    assert "Each `where` is as query_features says." in prompt.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_true_and_text_are_no_numbers(name: str) -> None:
    """For both checkers, as JSON Schema has it; a whole number passes where the bounds let it."""
    for key, rule in TOOLS[name]["parameters"]["properties"].items():
        if rule["type"] in ("integer", "number"):
            within = max(5, math.ceil(rule.get("minimum", 5)))
            for value, good in ((True, False), ("5", False), (None, False), (within, True)):
                assert valid(value, rule) == good, key
                assert (check(value, rule) is None) == good, key


# envelopes


def test_every_code_makes_an_envelope() -> None:
    """The closed list of codes, each with its retryable."""
    assert {failure(code, "m")["retryable"] for code in CODES} == {True, False}


def test_hints_name_the_nearest() -> None:
    """The nearest valid names first; without any, the list."""
    assert "'schools'" in hint_for_name("shcools", ["streets", "schools", "dem"], "layers")
    assert "'公共设施'" in hint_for_name("设施", ["公共设施", "dem"], "layers")
    assert "Valid" in hint_for_name("zzz", ["streets", "dem"], "layers")
