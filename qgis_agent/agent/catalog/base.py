"""The contract of a tool: what the model, the validators and the documentation know about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from .advertise import ADVERTISED, advertised, plain, unmarked

Effect = Literal["read", "view", "create", "write", "network", "execute"]
Where = Literal["qgis", "agent"]


class Arguments(BaseModel):
    """Base of every argument model: unknown keys are errors, and "5" is not 5."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NoArguments(Arguments):
    """A tool without parameters."""


@dataclass(frozen=True)
class Contract:
    """One tool. ``effect`` is the least effect a call has; the QGIS side computes each call's and may only raise it."""

    name: str
    pack: str
    where: Where
    effect: Effect
    description: str
    arguments: type[Arguments]
    progress: str
    """What the person reads while it runs, e.g. "Counting {layer_id}"; names of parameters in braces."""
    timeout_s: int = 30
    callers: tuple[str, ...] = ("chat", "cli", "subagent", "mcp")
    parallel: bool = False
    """May run beside other calls of one turn: it only reads, and asks the person nothing."""
    cacheable: bool = False
    """The same arguments at the same data revision give the same result, so that it may be kept."""
    polling: bool = False
    """Asking again with the same arguments is meant (waiting for something), and is no loop."""
    internal: bool = False
    """No model, person or client calls it: another tool of ours does, under the same capability and checks."""


LayerId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=80,
        description="Alias of a layer, as search_layers gives it.",
        json_schema_extra=plain("string"),
    ),
]
FieldName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        description="Exact name of a field of the layer.",
        json_schema_extra=plain("string"),
    ),
]
Limit = Annotated[
    int,
    Field(
        ge=1,
        description="At most so many rows; more than 200 are never returned.",
        json_schema_extra=plain("integer"),
    ),
]
Bbox = Annotated[
    list[float],
    Field(min_length=4, max_length=4, description="[west, south, east, north], degrees."),
]
ResultRef = Annotated[
    str,
    Field(
        min_length=8,
        max_length=80,
        description="A result_ref that a tool returned.",
        json_schema_extra=plain("string"),
    ),
]
Scalar = str | int | float | bool | None
Op = Literal[
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "not_in",
    "between",
    "contains",
    "starts_with",
    "is_null",
    "not_null",
]


class Condition(Arguments):
    """One condition on one field."""

    field: FieldName
    op: Op
    value: Annotated[
        Scalar | list[Scalar],
        WithJsonSchema(
            {"type": ["string", "number", "boolean", "array"], "items": {"type": ["string", "number", "boolean"]}}
        ),
    ] = None


class AnyOf(Arguments):
    """Conditions of which one must hold."""

    any_of: Annotated[list[Condition], Field(min_length=1, max_length=20)]


def conditions(said: str) -> dict[str, Any]:
    """What the model is shown for ``where`` in the one tool that explains it: a form that also admits mixtures of a condition
    and any_of, at a quarter of the tokens. The checks on both sides use the full schema."""
    condition: dict[str, Any] = {
        "field": {"type": "string"},
        "op": {"type": "string", "enum": list(get_args(Op))},
        "value": {},
        "any_of": {"type": "array", "items": {"type": "object"}},
    }
    items = {"type": "object", "properties": condition, "additionalProperties": False}
    return {ADVERTISED: {"type": "array", "items": items, "description": said}}


def conditions_elsewhere() -> dict[str, Any]:
    """What the model is shown for ``where`` in every other tool: a list. The system prompt says where it is explained: every
    tool that is shown costs tokens in each request, and many of them take conditions."""
    return {ADVERTISED: {"type": "array", "items": {"type": "object"}}}


_CONDITIONS = (
    "Conditions that must all hold. in, not_in take a list, between [low, high], is_null and not_null no value. eq, ne, "
    "in are case-sensitive; contains, starts_with are not; ne, not_in are true for NULL."
)
Where_ = Annotated[
    list[Condition | AnyOf],
    Field(
        max_length=20,
        description=_CONDITIONS,
        json_schema_extra=conditions_elsewhere(),
    ),
]
WhereExplained = Annotated[
    list[Condition | AnyOf],
    Field(
        max_length=20,
        description=_CONDITIONS,
        json_schema_extra=conditions(
            "All must hold; any_of: conditions of which one must. in, not_in take a list, between [low, high], is_null, "
            "not_null nothing. Only contains, starts_with ignore case; ne, not_in are true for NULL."
        ),
    ),
]
"""The same, explained to the model: in one tool that is always shown."""


def json_schema(model: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema (2020-12) that the arguments of a call are checked against, on both sides."""
    checked: dict[str, Any] = unmarked(_marked_schema(model))
    return checked


def advertised_schema(model: type[Arguments]) -> dict[str, Any]:
    """The smaller schema that the model is shown."""
    shown: dict[str, Any] = advertised(_marked_schema(model))
    return shown


def _marked_schema(model: type[Arguments]) -> dict[str, Any]:
    """References are written out, titles dropped, and "X or null" of an optional parameter becomes X: absent says null."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    inlined = _inline(schema, definitions)
    inlined.setdefault("properties", {})
    return dict(inlined)


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = dict(definitions[node["$ref"].rsplit("/", 1)[-1]])
        target.update({key: value for key, value in node.items() if key != "$ref"})
        return _inline(target, definitions)
    branches = [each for each in node.get("anyOf", []) if each != {"type": "null"}]
    if len(branches) == 1:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return _inline({**branches[0], **rest}, definitions)
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            result[key] = {name: _inline(item, definitions) for name, item in value.items()}
        elif key == "title" or (key == "default" and (value is None or isinstance(value, (dict, list)))):
            continue
        elif key == "description" and node.get("type") == "object":
            continue  # the docstring of an argument model is for readers of the code
        else:
            result[key] = _inline(value, definitions)
    return result
