"""From the raw argument text of a model to checked arguments, or to an envelope that says what to correct."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

from ...bridge import schema as small_schema
from ...bridge.envelope import INVALID_PARAM, Envelope, failure
from .aliases import object_branch
from .repair import ArgumentError, Arguments, ReadArguments, read_arguments

__all__ = ["ArgumentError", "ArgumentValidator", "Arguments", "ReadArguments", "arguments_of", "drop_nulls", "warm_up"]

LENIENT_EFFECTS = frozenset({"read", "view", "create"})
"""What can be undone, or changes nothing. For all else nothing but strict JSON is carried out."""


def arguments_of(raw: str, schema: Mapping[str, Any], *, effect: str, origin: str) -> ReadArguments:
    """The arguments of a call, without nulls of optional parameters. Raises ArgumentError.

    Slips of JSON are forgiven only to native calls: a text that only looks like a call must not become one. Names and values
    are fitted for calls out of a text too, whose markup has no other values than strings. Both only for tools whose least
    effect is in ``LENIENT_EFFECTS``.
    """
    undoable = effect in LENIENT_EFFECTS
    read = read_arguments(raw, schema, lenient=undoable and origin == "native", fitted=undoable)
    return ReadArguments(drop_nulls(read.arguments, schema), read.repairs)


def drop_nulls(value: Any, schema: Mapping[str, Any]) -> Any:
    """A copy without explicit nulls of optional parameters: many models write null for "not given".

    A null is kept where the schema requires the key (and is then an error) or allows null.
    """
    if isinstance(value, list):
        items = schema.get("items", {})
        return [drop_nulls(each, items) for each in value]
    if not isinstance(value, dict):
        return value
    branch = object_branch(value, schema)
    properties: Mapping[str, Any] = branch.get("properties", {})
    required = branch.get("required", [])
    kept = {}
    for key, item in value.items():
        rule = properties.get(key)
        if item is None and rule is not None and key not in required and not _allows_null(rule):
            continue
        kept[key] = item if rule is None else drop_nulls(item, rule)
    return kept


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
            right = allowed_in_other_case(arguments, parameters, problem.path)
            problem.hint = f"Did you mean {right!r}? {problem.hint}" if right else problem.hint
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


def allowed_in_other_case(arguments: Arguments, parameters: Mapping[str, Any], path: str) -> str:
    """The one allowed value that differs from the value at ``path`` ("where[0].op") by case only, or ""."""
    value: Any = arguments
    schema: Mapping[str, Any] = parameters
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, list) and step.isdigit():
            value, schema = value[int(step)], schema.get("items", {})
        elif isinstance(value, dict) and step in value:
            schema = object_branch(value, schema).get("properties", {}).get(step, {})
            value = value[step]
        else:
            return ""
    if not isinstance(value, str):
        return ""
    same = [str(each) for each in schema.get("enum", []) if str(each).casefold() == value.casefold()]
    return same[0] if len(same) == 1 else ""


def warm_up() -> None:
    """Import jsonschema now; takes about 0.2 s. For a background thread."""
    importlib.import_module("jsonschema")
