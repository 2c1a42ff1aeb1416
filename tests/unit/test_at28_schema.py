"""AT28: the schemas of the tools are strict, valid, closed, small in their names, and the same bytes in every process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge

from qgis_agent.agent.execution.arguments import ArgumentValidator
from qgis_agent.agent.execution.registry import ToolSpec
from qgis_agent.agent.execution.tool_materializer import build_tool_schemas
from qgis_agent.agent.governance.factory import build_single_call_runtime
from qgis_agent.agent.governance.permissions import PLAN_ONLY_TOOLS
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import ToolCall
from qgis_agent.bridge.schema import check

ROOT = Path(__file__).parents[2]
SPECS = REGISTRY.list_registered()
SHOWN = {name: each["function"]["parameters"] for name, each in build_tool_schemas(SPECS).items()}
REFERRING = {"$ref", "$dynamicRef", "$id", "$schema", "$defs", "allOf", "oneOf", "not", "if"}
each_tool = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)


def nodes(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, with where it is."""
    yield path, schema
    for key, inner in schema.get("properties", {}).items():
        yield from nodes(inner, f"{path}.{key}" if path else key)
    if "items" in schema:
        yield from nodes(schema["items"], path + "[]")
    for branch in schema.get("anyOf", []):
        yield from nodes(branch, path)


def kinds(schema: dict[str, Any]) -> set[str]:
    named = schema.get("type", [])
    return {named} if isinstance(named, str) else set(named)


def sample(schema: dict[str, Any]) -> Any:
    """A value that a schema admits; made here from its keywords, checked with jsonschema where it is used."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = "object" if "properties" in schema else next(iter(sorted(kinds(schema))), "string")
    if kind == "object":
        return {key: sample(schema["properties"][key]) for key in schema.get("required", [])}
    if kind == "array":
        return [sample(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    if "pattern" in schema:
        return next(each for each in ("EPSG:4326", "#1b9e77", "c1") if re.search(schema["pattern"], each))
    if kind in ("integer", "number"):
        return max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    return {"boolean": True, "null": None}.get(kind, "x" * schema.get("minLength", 1))


def slips(key: str) -> list[str]:
    """A key with a letter too many, one too few, two changed over, and (from four letters on) another ending."""
    if len(key) < 3:
        return [key + "x"]
    return [key + "x", key[:-1], key[1] + key[0] + key[2:], key[:-1] + "z"]


def refusal(bench: Bench, spec: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    bridge = FakeBridge()
    profile = PROFILES["gis-plan" if spec.name in PLAN_ONLY_TOOLS else "gis-build"]
    runtime = build_single_call_runtime(REGISTRY, bench.context(bridge, caller=spec.callers[-1]), profile)
    envelope = asyncio.run(runtime.execute(ToolCall("c1", spec.name, json.dumps(arguments)), "c1")).envelope
    assert bridge.requests == []
    return envelope


@each_tool
def test_at28_a_bogus_key_is_refused_with_the_nearest_valid_one(tmp_path: Path, spec: ToolSpec) -> None:
    """Beside arguments that are right otherwise; the key is named, and the hint names the parameter that was meant."""
    bench, properties = Bench(tmp_path), spec.parameters["properties"]
    good = sample(dict(spec.parameters))
    assert jsonschema.Draft202012Validator(spec.parameters).is_valid(good), good
    for key in properties:
        bogus = key + "_x"
        envelope = refusal(bench, spec, {**good, bogus: "v"})
        assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "tool_arguments")
        assert envelope["message"] == f"{bogus}: unknown parameter"
        assert re.match(rf"Did you mean .*'{key}'", envelope["hint"]), envelope["hint"]
    unlike = refusal(bench, spec, {**good, "zzqq": 1})
    assert unlike["message"] == "zzqq: unknown parameter"
    assert unlike["hint"]


@each_tool
def test_at28_a_slip_in_any_key_names_that_key_first(spec: ToolSpec) -> None:
    """At every level where keys are. Where the slip is a key of its own, there is nothing to refuse."""
    for path, node in nodes(spec.parameters):
        properties = node.get("properties", {})
        for key in properties:
            for slip in slips(key):
                if slip in properties:
                    continue
                problem = check({**sample(node), slip: 1}, node)
                assert problem is not None, (path, slip)
                assert (problem.path, problem.message) == (slip, "unknown parameter")
                # of two keys that are as near (field, fields) either may be first
                assert f"'{key}'" in problem.hint, (path, slip, problem.hint)


@each_tool
def test_at28_full_and_shown_schemas_are_valid_and_closed(spec: ToolSpec) -> None:
    """Under the 2020-12 meta-schema; every object says that it takes no other keys; nothing refers anywhere.

    What is shown writes conditions in short in all tools but the one that explains them, and the settings of a tool that
    another explains as any object; calls are checked by the full schema.
    """
    for schema in (dict(spec.parameters), SHOWN[spec.name]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        for path, node in nodes(schema):
            assert not set(node) & REFERRING, path
            in_short = schema is SHOWN[spec.name] and (
                path.endswith(("where[].any_of[]", "where[]", "aggregates[]"))
                or (path in ("patch", "options") and "properties" not in node)
            )
            in_parts = spec.name == "patch_style" and path.startswith(
                "patch."
            )  # a document: checked whole by its handler
            # Named by another: describe_algorithm tells an algorithm's parameters, and a table has columns of its own. Both
            # are checked by their handlers, key by key.
            free = (spec.name, path) in {("run_algorithm", "parameters"), ("prepare_export_table", "rows[]")}
            if ("object" in kinds(node) or "properties" in node) and not (in_short or in_parts or free):
                assert node.get("additionalProperties") is False, path
            for key in node.get("properties", {}):
                assert re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", key), path
        assert re.search(r"https?:|file:", json.dumps(schema)) is None
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", spec.name)
    assert len(spec.name) <= 32


@each_tool
def test_at28_a_default_is_valid_and_never_required(spec: ToolSpec) -> None:
    """A parameter that may be left out must not be asked for, and what is required must exist; few are."""
    for path, node in nodes(spec.parameters):
        properties, required = node.get("properties", {}), node.get("required", [])
        assert set(required) <= set(properties), path
        for key, rule in properties.items():
            if "default" in rule:
                assert key not in required, (path, key)
                assert jsonschema.Draft202012Validator(rule).is_valid(rule["default"]), (path, key)
    top = spec.parameters["properties"]
    inside = [key for rule in top.values() if "properties" in rule for key in rule["properties"]]
    assert len(top) <= 6
    assert len(spec.parameters.get("required", [])) <= 3
    assert len(top) + len(inside) <= 12
    assert len(inside) <= 8


@each_tool
def test_at28_every_value_has_bounds_and_the_checks_hold_to_them(spec: ToolSpec) -> None:
    """A string has a length, a form or a list; a list has a length; a number has a least value, or is a coordinate, a limit
    of classes or a value of a condition; and a value outside is refused by both checkers."""
    unbounded = {"value", "value[]", "bbox[]", "breaks[]", "points[][]", "center[]", "limits[]"}
    for path, node in nodes(spec.parameters):
        last = path.rsplit(".", 1)[-1]
        if last in unbounded:
            continue
        assert kinds(node) or "anyOf" in node, path
        if kinds(node) == {"string"}:
            assert {"maxLength", "pattern", "enum"} & set(node), path
            wrong: list[Any] = [5, None, *(["x" * (node["maxLength"] + 1)] if "maxLength" in node else ["\x00"])]
        elif kinds(node) == {"array"}:
            assert "maxItems" in node, path
            wrong = ["a", [sample(node["items"])] * (node["maxItems"] + 1)]
        elif kinds(node) & {"integer", "number"}:
            assert {"minimum", "exclusiveMinimum"} & set(node), path
            wrong = ["5", True, node.get("minimum", node.get("exclusiveMinimum")) - 1]
        else:
            continue
        for value in wrong:
            assert check(value, node) is not None, (path, value)
            assert not jsonschema.Draft202012Validator(node).is_valid(value), (path, value)


def test_at28_what_only_the_large_checker_knows_is_refused_too() -> None:
    """Both must agree: a keyword that the small one does not look at is checked all the same; so is a whole value."""
    schema = {"type": "object", "properties": {}, "additionalProperties": {"type": "object", "required": ["a"]}}
    envelope = ArgumentValidator().check("t", schema, {"k": {}})
    assert envelope is not None
    assert (envelope["code"], envelope["message"]) == ("INVALID_PARAM", "k: 'a' is a required property")
    assert ArgumentValidator().check("t", schema, {"k": {"a": 1}}) is None
    assert ArgumentValidator().check("t", {"type": "object", "additionalProperties": False}, {}) is None


def test_at28_the_list_of_tools_is_the_same_bytes_in_every_process() -> None:
    """Sorted and compact, whatever the seed of hashes."""
    program = (
        "from qgis_agent.agent.execution.registry import ToolRegistry as R\n"
        "from qgis_agent.agent.execution.tool_materializer import build_tool_schemas as b, canonical as c\n"
        "print(c(list(b(R.load().list_registered()).values())).encode().hex())"
    )
    seen = set()
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        seen.add(
            subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True).stdout
        )
    assert len(seen) == 1
    tools = json.loads(bytes.fromhex(seen.pop().decode()))
    assert [each["function"]["name"] for each in tools] == sorted(spec.name for spec in SPECS)
