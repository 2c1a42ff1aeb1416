"""What the model is shown of a parameter schema: a smaller one that admits all that the full one admits.

Every request carries the schemas of all tools that are shown, so each token counts. Left out is what a model does not need
to write a correct call and the check repeats anyway: lengths, descriptions that one tool gives for all, defaults that mean
"nothing". Kept are names, types, enums, patterns, ranges of numbers and ``additionalProperties: false``.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
ADVERTISED = "x-advertised"
"""In ``json_schema_extra`` of a field: the schema that stands for it in what the model is shown."""

_LENGTHS = ("minLength", "maxLength")
_COUNTS = ("minItems", "maxItems")


def plain(kind: str, said: str = "") -> Schema:
    """A mark for a parameter that its name, or another tool, explains: its type is shown, and at most a shorter ``said``."""
    return {ADVERTISED: {"type": kind, "description": said} if said else {"type": kind}}


def unmarked(node: Any) -> Any:
    """A schema without the marks: what is checked."""
    if isinstance(node, list):
        return [unmarked(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {key: unmarked(value) for key, value in node.items() if key != ADVERTISED}


def advertised(node: Any) -> Any:
    """A marked schema in the form that the model is shown. Valid 2020-12, and never narrower than the unmarked one."""
    if isinstance(node, list):
        return [advertised(each) for each in node]
    if not isinstance(node, dict):
        return node
    if ADVERTISED in node:
        default = {"default": node["default"]} if node.get("default") else {}
        return {**node[ADVERTISED], **default}
    fixed_length = node.get("minItems") == node.get("maxItems")
    shown: Schema = {}
    for key, value in node.items():
        if key in _LENGTHS or (key in _COUNTS and not fixed_length) or (key == "default" and not value):
            continue
        if key == "properties":
            shown[key] = {name: advertised(item) for name, item in value.items()}
        else:
            shown[key] = value if key in ("enum", "default") else advertised(value)
    return shown
