"""Keys and values as models write them, made into what a schema asks for where the meaning is beyond doubt.

Not for tools that write. What is not listed here is left as it is, and the validator says what is wrong with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
OTHER_NAMES: Mapping[str, str] = {
    "layer": "layer_id",
    "layer_name": "layer_id",
    "layer_alias": "layer_id",
    "distance": "distance_m",
    "distance_meters": "distance_m",
    "distance_metres": "distance_m",
    "buffer_distance": "distance_m",
    "radius": "distance_m",
    "file": "path",
    "filepath": "path",
    "file_path": "path",
    "output_path": "path",
    "filter": "where",
    "filters": "where",
    "condition": "where",
    "conditions": "where",
    "column": "field",
    "attribute": "field",
    "field_name": "field",
    "columns": "fields",
    "attributes": "fields",
    "operator": "op",
    "groupby": "group_by",
    "sort_by": "order_by",
    "orderby": "order_by",
    "desc": "descending",
    "max_results": "limit",
    "max_rows": "limit",
    "keyword": "query",
    "keywords": "query",
    "search_query": "query",
    "place": "text",
    "place_name": "text",
    "bounds": "bbox",
    "extent": "bbox",
    "bounding_box": "bbox",
    "offset": "cursor",
    "num_classes": "classes",
    "n_classes": "classes",
    "color_ramp": "palette",
    "colour": "color",
    "tool_pack": "pack",
    "pack_name": "pack",
}
"""Closed. A name with another unit or meaning (distance_km, layers) is not in it: such a call must be corrected."""

_TRUTH = {"true": True, "是": True, "false": False, "否": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_LIST_OF_WORDS = re.compile(r"""[^\[\](){}"'\\]+""")
_COMMAS = re.compile("[,，、]")


class KeyConflict(Exception):
    """One parameter given under two names."""

    def __init__(self, path: str, target: str) -> None:
        super().__init__(f"{path}: means {target}, which is given as well")
        self.hint = f"Give {target} once."


def fit(value: Any, schema: Schema, read: Callable[[str], Any]) -> tuple[Any, list[str]]:
    """A copy of ``value`` that is nearer to ``schema``, and a note of each change: "path: what".

    ``read`` reads JSON text inside a string and raises ValueError. Raises KeyConflict.
    """
    fitter = _Fitter(read)
    return fitter.value(value, schema, ""), fitter.notes


def snake(key: str) -> str:
    """layerId and LayerID to layer_id; everything else but case stays."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()


def object_branch(value: Mapping[str, Any], schema: Schema) -> Schema:
    """The branch of ``anyOf`` that an object's keys fit best, the first of equals; or the schema itself."""
    branches = schema.get("anyOf")
    if not branches:
        return schema
    keys = [snake(key) for key in value]
    best: Schema = max(branches, key=lambda each: sum(key in each.get("properties", {}) for key in keys))
    return best


def true_name(key: str, properties: Mapping[str, Any]) -> str | None:
    """The property that an unknown key means, or None where none or more than one could be meant."""
    plain = snake(key)
    if plain in properties:
        return plain
    meant = OTHER_NAMES.get(plain)
    if meant is None:
        return None
    # With layer_id and polygon_layer_id in one schema, "layer" could be either.
    fitting = [each for each in properties if each == meant or each.endswith("_" + meant)]
    return fitting[0] if len(fitting) == 1 else None


def kinds(schema: Schema) -> frozenset[str]:
    """Names of the JSON types that a schema admits by its ``type`` and the ``type`` of its branches."""
    named = schema.get("type", [])
    found = {named} if isinstance(named, str) else set(named)
    for branch in schema.get("anyOf", []):
        found |= kinds(branch)
    return frozenset(found)


class _Fitter:
    """Walks a value beside its schema. ``notes`` are what it changed."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.notes: list[str] = []
        self._read = read

    def value(self, value: Any, schema: Schema, path: str) -> Any:
        value = self._converted(value, schema, path)
        if isinstance(value, list):
            items = _items(schema)
            return [self.value(each, items, f"{path}[{at}]") for at, each in enumerate(value)]
        if isinstance(value, dict):
            return self._object(value, object_branch(value, schema), path)
        return value

    def _object(self, value: Mapping[str, Any], schema: Schema, path: str) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        made: dict[str, Any] = {}
        for key, item in value.items():
            where = f"{path}.{key}" if path else key
            if key in properties:
                made[key] = self.value(item, properties[key], where)
                continue
            target = true_name(key, properties) if closed else None
            if target is None:
                made[key] = item
                continue
            if target in value or target in made:
                raise KeyConflict(where, target)
            self.notes.append(f"{where}: taken as {target}")
            made[target] = self.value(item, properties[target], f"{path}.{target}" if path else target)
        return made

    def _converted(self, value: Any, schema: Schema, path: str) -> Any:
        wanted = kinds(schema)
        if isinstance(value, str) and wanted and "string" not in wanted:
            made = self._from_text(value.strip(), schema, wanted)
            if made is not None:
                self.notes.append(f"{path or 'arguments'}: {_KIND_WORDS[type(made)]} in a string")
                return made
        lone = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
        if lone and "string" in wanted and "array" not in wanted:
            self.notes.append(f"{path}: a string in a list of one")
            return value[0]
        return value

    def _from_text(self, text: str, schema: Schema, wanted: frozenset[str]) -> Any:
        if "boolean" in wanted and text.casefold() in _TRUTH:
            return _TRUTH[text.casefold()]
        if {"integer", "number"} & wanted and _INTEGER.fullmatch(text):
            return int(text)
        if "number" in wanted and _NUMBER.fullmatch(text):
            return float(text) if math.isfinite(float(text)) else None
        if text[:1] in ("[", "{"):
            return self._structure(text, wanted)
        if "array" in wanted and kinds(_items(schema)) == {"string"} and _LIST_OF_WORDS.fullmatch(text):
            words = [each.strip() for each in _COMMAS.split(text)]
            return words if all(words) else None
        return None

    def _structure(self, text: str, wanted: frozenset[str]) -> Any:
        try:
            made = self._read(text)
        except ValueError:
            return None  # it stays a string, and the validator says that a list or object is wanted
        return made if ("array" if isinstance(made, list) else "object") in wanted else None


_KIND_WORDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def _items(schema: Schema) -> Schema:
    for each in (schema, *schema.get("anyOf", [])):
        if "items" in each:
            found: Schema = each["items"]
            return found
    return {}
