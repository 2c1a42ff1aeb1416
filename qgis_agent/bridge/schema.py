"""A small JSON Schema checker for the keywords that our tool contracts use.

The QGIS side trusts nothing that comes over the bridge, and has no third-party package to check it with. Keywords: type,
enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern, items, minItems, maxItems,
properties, required, additionalProperties (false), anyOf. A keyword that it does not know is an error of the schema.
"""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Optional

from .envelope import INVALID_PARAM, Envelope, failure, hint_for_name

Schema = Dict[str, Any]
_ANNOTATIONS = {"description", "default", "title", "examples"}
_TYPES: Dict[str, Any] = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}

_NUMBER = re.compile(r"^([+-]?\d+(?:\.\d+)?)(\s*%)?$")


class Problem:
    """One violation: where (a path such as "where[0].op"), what, and how to put it right."""

    def __init__(self, path: str, message: str, hint: str = "") -> None:
        self.path = path
        self.message = message
        self.hint = hint


def check(value: Any, schema: Schema, path: str = "") -> Optional[Problem]:
    """The first violation of ``schema`` by ``value``, or None."""
    if "anyOf" in schema:
        problem = _check_any_of(value, schema["anyOf"], path)
        if problem is not None:
            return problem
    for keyword, rule in schema.items():
        if keyword in _ANNOTATIONS or keyword in ("anyOf", "properties", "required", "additionalProperties", "items"):
            continue
        handler = _KEYWORDS.get(keyword)
        if handler is None:
            raise ValueError("schema keyword {!r} is not supported".format(keyword))
        broken: Optional[Problem] = handler(value, rule, path)
        if broken is not None:
            broken.hint = _hint_in_words(keyword, value, schema) or broken.hint
            return broken
    if isinstance(value, dict):
        return _check_object(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            problem = check(item, schema["items"], "{}[{}]".format(path, number))
            if problem is not None:
                return problem
    return None


def problem_envelope(problem: Problem) -> Envelope:
    """The INVALID_PARAM envelope of a violation."""
    where = problem.path or "arguments"
    return failure(INVALID_PARAM, "{}: {}".format(where, problem.message), hint=problem.hint, reason="tool_arguments")


def is_type(value: Any, name: str) -> bool:
    """Whether ``value`` is of a JSON Schema type. true is no number; 5.0 is an integer, as the standard has it."""
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if name == "integer":
        if isinstance(value, float):
            return value.is_integer()
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, _TYPES[name])


def _check_type(value: Any, rule: Any, path: str) -> Optional[Problem]:
    names = rule if isinstance(rule, list) else [rule]
    if any(is_type(value, name) for name in names):
        return None
    return Problem(path, "must be {}".format(" or ".join(names)), "Give a value of type {}.".format(" or ".join(names)))


def _check_enum(value: Any, rule: List[Any], path: str) -> Optional[Problem]:
    if any(value == each and type(value) is type(each) for each in rule):
        return None
    return Problem(
        path, "{!r} is not allowed".format(value), "Allowed: {}.".format(", ".join(str(each) for each in rule))
    )


def _check_const(value: Any, rule: Any, path: str) -> Optional[Problem]:
    same = value == rule and type(value) is type(rule)
    return None if same else Problem(path, "must be {!r}".format(rule), "Give {!r}.".format(rule))


def _bound(test: Any, words: str) -> Any:
    def handler(value: Any, rule: Any, path: str) -> Optional[Problem]:
        if not is_type(value, "number") or test(value, rule):
            return None
        return Problem(path, "must be {} {}".format(words, rule), "Give a number {} {}.".format(words, rule))

    return handler


def _length(kind: type, test: Any, words: str) -> Any:
    def handler(value: Any, rule: Any, path: str) -> Optional[Problem]:
        if not isinstance(value, kind) or test(len(value), rule):  # type: ignore[arg-type]
            return None
        size = "{} {} {}".format(words, rule, "characters" if kind is str else "items")
        return Problem(path, "must have {}".format(size), "Give {}.".format(size))

    return handler


def _check_pattern(value: Any, rule: str, path: str) -> Optional[Problem]:
    if not isinstance(value, str) or re.search(rule, value) is not None:
        return None
    return Problem(path, "{!r} does not have the right form".format(value), "It must match {}.".format(rule))


def _hint_in_words(keyword: str, value: Any, schema: Schema) -> str:
    """What to write, where that can be told; "" where the checker's own hint is as good."""
    if keyword == "pattern":
        return _form_hint(schema["pattern"], schema)
    return _number_hint(value, schema) if keyword in ("type", "maximum") else ""


def _form_hint(rule: str, schema: Schema) -> str:
    """What a text is to look like, in words where there are any: few readers make anything of a pattern."""
    if rule.startswith("^#[0-9a-fA-F]{6}"):
        alpha = "; with opacity #rrggbbaa" if "{2}" in rule else ""
        return "Write the colour as #rrggbb{}, for example #ff0000.".format(alpha)
    return str(schema.get("description") or "It must match {}.".format(rule))


def _number_hint(value: Any, schema: Schema) -> str:
    """The number that a text means, such as "3", or "50%" (and 50) where a share of at most 1 is asked for; else ""."""
    kinds = schema.get("type", [])
    if "number" not in ([kinds] if isinstance(kinds, str) else kinds):
        return ""
    found = _NUMBER.match(value.strip()) if isinstance(value, str) else _NUMBER.match(str(value))
    if found is None or isinstance(value, bool):
        return ""
    meant = float(found.group(1))
    if schema.get("maximum") == 1 and (found.group(2) or meant > 1):
        meant /= 100
    fits = schema.get("minimum", meant) <= meant <= schema.get("maximum", meant)
    return "Write {:g}.".format(meant) if fits else ""


def _check_any_of(value: Any, branches: List[Schema], path: str) -> Optional[Problem]:
    problems = []
    for branch in branches:
        problem = check(value, branch, path)
        if problem is None:
            return None
        problems.append((_likeness(value, branch), len(problem.path), problem))
    # The branch that the value looks most like says best what is wrong with it.
    return max(problems, key=lambda each: each[:2])[2] if problems else None


def _likeness(value: Any, branch: Schema) -> int:
    properties = branch.get("properties", {})
    if isinstance(value, dict):
        return sum(1 if key in properties else -1 for key in value)
    return 0


def _check_object(value: Dict[str, Any], schema: Schema, path: str) -> Optional[Problem]:
    properties: Dict[str, Schema] = schema.get("properties", {})
    prefix = path + "." if path else ""
    if schema.get("additionalProperties") is False:
        for key in value:
            if key not in properties:
                return Problem(
                    prefix + str(key), "unknown parameter", hint_for_name(str(key), properties, "parameters")
                )
    for key in schema.get("required", []):
        if key not in value:
            return Problem(prefix + key, "is missing", _hint_for_missing(key, properties.get(key, {})))
    for key, item in value.items():
        if key in properties:
            problem = check(item, properties[key], prefix + key)
            if problem is not None:
                return problem
    return None


def _hint_for_missing(key: str, schema: Schema) -> str:
    if "enum" in schema:
        return "Give {}: {}.".format(key, ", ".join(str(each) for each in schema["enum"]))
    return "Give {}. {}".format(key, schema.get("description", "")).strip()


_KEYWORDS: Dict[str, Any] = {
    "type": _check_type,
    "enum": _check_enum,
    "const": _check_const,
    "pattern": _check_pattern,
    "minimum": _bound(lambda value, rule: value >= rule, "at least"),
    "maximum": _bound(lambda value, rule: value <= rule, "at most"),
    "exclusiveMinimum": _bound(lambda value, rule: value > rule, "over"),
    "exclusiveMaximum": _bound(lambda value, rule: value < rule, "under"),
    "minLength": _length(str, lambda length, rule: length >= rule, "at least"),
    "maxLength": _length(str, lambda length, rule: length <= rule, "at most"),
    "minItems": _length(list, lambda length, rule: length >= rule, "at least"),
    "maxItems": _length(list, lambda length, rule: length <= rule, "at most"),
}
