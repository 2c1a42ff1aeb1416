"""AT1, the part that a schema directs: values in strings, other names of keys (C-14), and where both are left alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge

from qgis_agent.agent.execution.aliases import OTHER_NAMES, kinds, true_name
from qgis_agent.agent.execution.repair import ArgumentError, ReadArguments, read_arguments
from qgis_agent.agent.execution.tool_runtime import ToolExecution
from qgis_agent.agent.governance.factory import build_single_call_runtime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall


def call(bench: Bench, name: str, raw: str, bridge: FakeBridge) -> ToolExecution:
    runtime = build_single_call_runtime(REGISTRY, bench.context(bridge, caller="cli"), PROFILES["gis-build"])
    return asyncio.run(runtime.execute(ToolCall("c1", name, raw), "c1"))


def read(raw: str, schema: Any, lenient: bool = True) -> ReadArguments | None:
    try:
        return read_arguments(raw, schema, lenient=lenient)
    except ArgumentError:
        return None


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


PROPERTIES = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "words": {"type": "array", "items": {"type": "string"}},
    "numbers": {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "null"}]},
    "options": {"type": "object", "properties": {"size": {"type": "number"}}, "additionalProperties": False},
    "any": {"type": ["string", "number", "boolean", "array"]},
    "free": {},
}
SCHEMA = {"type": "object", "properties": PROPERTIES, "additionalProperties": False}


@pytest.mark.parametrize(
    ("key", "given_value", "expected"),
    [
        ("number", "5", 5),
        ("number", "-2.5", -2.5),
        ("number", "1e3", 1000.0),
        ("number", " 5 ", 5),
        ("whole", "5", 5),
        ("flag", "true", True),
        ("flag", "False", False),
        ("flag", "是", True),
        ("flag", "否", False),
        ("words", '["name", "level"]', ["name", "level"]),
        ("words", "['name', 'level']", ["name", "level"]),
        ("words", "name", ["name"]),
        ("words", "name, level", ["name", "level"]),
        ("words", "名称、级别,人口", ["名称", "级别", "人口"]),
        ("numbers", "[1, 2]", [1, 2]),
        ("numbers", '["1", "2"]', [1, 2]),
        ("options", '{"size": "3"}', {"size": 3}),
        ("text", ["schools"], "schools"),
        # left as they are: the schema takes them, or nobody can say what was meant
        ("text", "5", "5"),
        ("text", "true", "true"),
        ("text", "[1]", "[1]"),
        ("text", ["a", "b"], ["a", "b"]),
        ("text", 5, 5),
        ("any", "5", "5"),
        ("any", ["a"], ["a"]),
        ("free", "5", "5"),
        ("free", ["a"], ["a"]),
        ("number", "500 m", "500 m"),
        ("number", "1,000", "1,000"),
        ("number", "0x10", "0x10"),
        ("number", "１０", "１０"),
        ("number", "", ""),
        ("number", "NaN", "NaN"),
        ("number", "1e999", "1e999"),
        ("number", True, True),
        ("whole", "5.0", "5.0"),
        ("whole", "05", "05"),
        ("flag", "yes", "yes"),
        ("flag", "1", "1"),
        ("flag", 1, 1),
        ("words", '["name", "lev', '["name", "lev'),
        ("words", '["a"]["b"]', '["a"]["b"]'),
        ("words", '{"a": 1}', '{"a": 1}'),
        ("words", "name,,level", "name,,level"),
        ("words", "round(a, 2)", "round(a, 2)"),
        ("numbers", "1, 2", "1, 2"),
        ("options", '{"size": 3', '{"size": 3'),
        ("options", "[1]", "[1]"),
    ],
)
def test_at01_values_follow_the_schema_only(key: str, given_value: Any, expected: Any) -> None:
    """Converted only where the schema takes no string, and never in strict reading."""
    raw = json.dumps({key: given_value})
    found = read(raw, SCHEMA)
    assert found is not None
    assert (found.arguments, type(found.arguments[key])) == ({key: expected}, type(expected))
    assert bool(found.repairs) is (given_value != expected)
    assert read(raw, SCHEMA, lenient=False) == ReadArguments({key: given_value})


def test_at01_what_is_inside_a_string_is_looked_at_too() -> None:
    """A path with a break, half a character, and nesting that is too deep only when both are put together."""
    assert read(json.dumps({"words": '["C:\\\\new"]'}), SCHEMA).arguments == {"words": ["C:\\new"]}  # type: ignore[union-attr]
    deep = "[" * 19 + "]" * 19
    for inside in ('["C:\\new"]', '["\\ud83d"]'):
        assert read(json.dumps({"words": inside}), SCHEMA) is None
    assert read(json.dumps({"words": deep}), SCHEMA) is not None
    assert read(json.dumps({"words": f"[{deep}]"}), SCHEMA) is None


def test_at01_a_number_in_any_branch() -> None:
    """A string is kept wherever a branch takes one; text in the branch of an object is converted there."""
    condition = {"type": "object", "properties": {"at_least": {"type": "number"}}, "additionalProperties": False}
    group = {"type": "object", "properties": {"all_of": {"type": "array", "items": condition}}}
    schema = {"type": "object", "properties": {"x": {"anyOf": [condition, group]}, "y": {"anyOf": [condition]}}}
    raw = '{"x": {"all_of": [{"atLeast": "3"}]}, "y": "{\\"at_least\\": 4}"}'
    assert read(raw, schema).arguments == {"x": {"all_of": [{"at_least": 3}]}, "y": {"at_least": 4}}  # type: ignore[union-attr]
    assert kinds({"anyOf": [{"type": "string"}, {"type": ["null", "number"]}]}) == {"string", "null", "number"}


@pytest.mark.parametrize(
    ("tool", "written", "expected"),
    [
        ("count_features", {"layerId": "a"}, {"layer_id": "a"}),
        ("count_features", {"LayerID": "a"}, {"layer_id": "a"}),
        ("count_features", {"layer": "a"}, {"layer_id": "a"}),
        ("count_features", {"layer_name": "a"}, {"layer_id": "a"}),
        ("count_features", {"layerName": "a", "groupBy": "b"}, {"layer_id": "a", "group_by": "b"}),
        ("buffer_layer", {"layer": "a", "distance": "500"}, {"layer_id": "a", "distance_m": 500}),
        ("buffer_layer", {"layer_id": "a", "distanceM": 5}, {"layer_id": "a", "distance_m": 5}),
        ("query_features", {"layer": "a", "columns": "name", "desc": "是"}, {
            "layer_id": "a", "fields": ["name"], "descending": True,
        }),
        ("count_features", {"layer_id": "a", "filter": [{"column": "b", "operator": "eq", "value": 1}]}, {
            "layer_id": "a", "where": [{"field": "b", "op": "eq", "value": 1}],
        }),
        ("count_features", {"layer_id": "a", "where": [{"anyOf": [{"column": "b", "op": "is_null"}]}]}, {
            "layer_id": "a", "where": [{"any_of": [{"field": "b", "op": "is_null"}]}],
        }),
        ("set_render_rule", {"layer": "a", "method": "single", "options": {"legendTitle": "x", "colour": "#112233"}}, {
            "layer_id": "a", "method": "single", "options": {"legend_title": "x", "color": "#112233"},
        }),
        ("zoom_to", {"extent": [1, 2, 3, 4]}, {"bbox": [1, 2, 3, 4]}),
        ("stat_by_polygon", {"layerId": "a", "polygonLayerId": "b"}, {"layer_id": "a", "polygon_layer_id": "b"}),
    ],
)  # fmt: skip
def test_at01_other_names_of_a_key(bench: Bench, tool: str, written: Any, expected: Any) -> None:
    """camelCase and the closed table, at every level; each is noted."""
    bridge = FakeBridge()
    execution = call(bench, tool, json.dumps(written), bridge)
    assert execution.envelope["ok"], execution.envelope
    assert bridge.requests[0]["arguments"] == expected
    assert any("taken as" in each for each in execution.repairs)


@pytest.mark.parametrize(
    ("tool", "written", "message"),
    [
        ("count_features", {"layerId": "a", "layer_id": "b"}, "layerId: means layer_id, which is given as well"),
        ("count_features", {"layer_id": "a", "layer": "a"}, "layer: means layer_id, which is given as well"),
        ("count_features", {"layer": "a", "layerName": "b"}, "layerName: means layer_id, which is given as well"),
        ("stat_by_polygon", {"layer": "a", "polygon_layer_id": "b"}, "layer: unknown parameter"),
        ("stat_by_polygon", {"layer_id": "a", "polygon_layer_id": "b", "filter": []}, "filter: unknown parameter"),
        ("buffer_layer", {"layer_id": "a", "distance_km": 1}, "distance_km: unknown parameter"),
        ("buffer_layer", {"layer_id": "a", "distance": 1, "unit": "km"}, "unit: unknown parameter"),
        ("search_layers", {"query": "x", "layer": "a"}, "layer: unknown parameter"),
        ("query_features", {"layer_id": "a", "layers": ["b"]}, "layers: unknown parameter"),
    ],
)
def test_at01_conflicts_and_unclear_names_are_errors(bench: Bench, tool: str, written: Any, message: str) -> None:
    """Two names for one parameter, a name that fits two parameters, a name with another unit."""
    bridge = FakeBridge()
    envelope = call(bench, tool, json.dumps(written), bridge).envelope
    assert (envelope["code"], envelope["message"], bridge.requests) == ("INVALID_PARAM", message, [])
    assert envelope["hint"]


def test_at01_the_table_of_names_hides_no_parameter() -> None:
    """A parameter that a tool has is never taken as another, and no name in the table leads to a name in the table."""
    for spec in REGISTRY.list_registered():
        properties = spec.parameters["properties"]
        for key in properties:
            assert read_arguments(json.dumps({key: 1}), spec.parameters, lenient=True).arguments == {key: 1}
            assert true_name(key, properties) == key
    assert not set(OTHER_NAMES) & set(OTHER_NAMES.values())
    assert read_arguments('{"layer": "a"}', {"properties": {"layer_id": {}}}, lenient=True).repairs == ()
