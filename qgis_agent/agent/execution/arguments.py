"""From the raw argument text of a model to checked arguments, or to an envelope that says what to correct."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping
from typing import Any

from ...bridge import schema as small_schema
from ...bridge.envelope import INVALID_PARAM, Envelope, failure

Arguments = dict[str, Any]
MAX_DEPTH = 20
"""No contract nests half as deep; what does would exhaust the stack of validators and writers."""


class ArgumentError(Exception):
    """Arguments that cannot be used; ``envelope`` is the call's answer."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(envelope["message"])
        self.envelope = envelope


def parse_arguments(raw: str) -> Arguments:
    """Strict JSON to a dict. Empty text is no arguments. Raises ArgumentError; nothing is repaired or guessed.

    A cut-off text is not closed for the model: ``{"limit": 10`` may have been meant as 1000.
    """
    text = raw.strip()
    if not text:
        return {}
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise _bad_json(f"the arguments are not JSON: {error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise _bad_json(f"the arguments are not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _bad_json(f"the arguments must be one JSON object, not {_kind(value)}")
    if _deeper_than(value, MAX_DEPTH):
        raise _bad_json(f"the arguments are nested more than {MAX_DEPTH} deep")
    return value


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            item
            for node in level
            if isinstance(node, (dict, list))
            for item in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return any(isinstance(node, (dict, list)) for node in level)


def _bad_json(message: str) -> ArgumentError:
    hint = "Send the complete arguments as one JSON object, with double quotes and no trailing comma."
    return ArgumentError(failure(INVALID_PARAM, message, hint=hint, reason="tool_arguments"))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of range")
    return value


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def drop_nulls(value: Any, schema: Mapping[str, Any]) -> Any:
    """A copy without explicit nulls of optional parameters: many models write null for "not given".

    A null is kept where the schema requires the key (and is then an error) or allows null.
    """
    if isinstance(value, list):
        items = schema.get("items", {})
        return [drop_nulls(each, items) for each in value]
    if not isinstance(value, dict):
        return value
    branch = _object_branch(value, schema)
    properties: Mapping[str, Any] = branch.get("properties", {})
    required = branch.get("required", [])
    kept = {}
    for key, item in value.items():
        rule = properties.get(key)
        if item is None and rule is not None and key not in required and not _allows_null(rule):
            continue
        kept[key] = item if rule is None else drop_nulls(item, rule)
    return kept


def _object_branch(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    branches = schema.get("anyOf")
    if not branches:
        return schema
    best: Mapping[str, Any] = max(branches, key=lambda each: sum(key in each.get("properties", {}) for key in value))
    return best


def _allows_null(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type", [])
    return "null" in ([kinds] if isinstance(kinds, str) else kinds)


class ArgumentValidator:
    """Checks arguments against the contracts with jsonschema (2020-12), which is loaded by the first check."""

    def __init__(self) -> None:
        self._validators: dict[str, Any] = {}

    def check(self, name: str, parameters: Mapping[str, Any], arguments: Arguments) -> Envelope | None:
        """None, or INVALID_PARAM that names the parameter, with the nearest valid keys or the allowed values as hint."""
        error = next(iter(self._validator(name, parameters).iter_errors(arguments)), None)
        # The QGIS side checks with the small checker: what either refuses is refused here, in the small one's clear words.
        problem = small_schema.check(arguments, dict(parameters))
        if problem is not None:
            return small_schema.problem_envelope(problem)
        if error is None:
            return None
        where = error.json_path.removeprefix("$").removeprefix(".") or "arguments"
        return failure(INVALID_PARAM, f"{where}: {error.message[:300]}", reason="tool_arguments")

    def _validator(self, name: str, parameters: Mapping[str, Any]) -> Any:
        if name not in self._validators:
            jsonschema = importlib.import_module("jsonschema")
            self._validators[name] = jsonschema.Draft202012Validator(dict(parameters))
        return self._validators[name]


def warm_up() -> None:
    """Import jsonschema now; takes about 0.2 s. For a background thread."""
    importlib.import_module("jsonschema")
