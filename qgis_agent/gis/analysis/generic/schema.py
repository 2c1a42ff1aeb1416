"""An algorithm in few words: what it does, its parameters as run_algorithm takes them, and what comes of it."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

from qgis.core import Qgis, QgsProcessingAlgorithm, QgsProcessingParameterDefinition

from ....bridge.envelope import size_bytes
from ....bridge.messages import MAX_RESULT_BYTES
from ...errors import success
from ...features import json_value
from ...layers import clean_text
from ..run.outputs import (
    LAYER_KINDS,
    PATH_KINDS,
)
from .effects import (
    known,
    reason_text,
)
from .index import task_words
from .parameter_kinds import range_words
from .parameter_layers import kinds_of
from .parameters import (
    is_advanced,
    is_hidden,
    is_optional,
)

Definition = QgsProcessingParameterDefinition
ROOM = MAX_RESULT_BYTES - 200
_FIXED = {
    "boolean": "true or false",
    "string": "text",
    "crs": "CRS, e.g. EPSG:3857",
    "extent": "[west, south, east, north] in degrees, {bbox, crs}, or a layer alias",
    "point": "[lon, lat], or {point, crs}",
    "geometry": "WKT",
    "file": "path of an existing file",
    "color": "#rrggbb",
    "datetime": "ISO 8601 date and time",
    "matrix": "rows of values",
    "layout": "name of a layout",
    "maptheme": "name of a map theme",
    "aggregates": "[{name, input: formula, aggregate, type: integer/long/number/text/date …, delimiter}]",
    "fields_mapping": "[{name, expression: formula, type: integer/long/number/text/date …, length, precision}]",
    "idw_interpolation_data": "[{layer_id, field or use_z, kind: points|structure_lines|break_lines}]",
    "tininputlayers": "[{layer_id, field or use_z, kind: points|structure_lines|break_lines}]",
    "relief_colors": "rows of lowest, highest, red, green, blue",
    "dxflayers": "[{layer_id, field}]",
    "vectortilewriterlayers": "[{layer_id, name, min_zoom, max_zoom}]",
}
_NUMBERS = {"distance": "distance", "area": "area", "duration": "duration", "scale": "scale denominator"}
_CHOICES = (60, 20, 10, 6)
"""Choices that are listed at each level of brevity."""
_WHAT = (80, 60, 40, 0)


def described(algorithm: QgsProcessingAlgorithm) -> Dict[str, Any]:
    """The description at the first level of brevity that fits a result's 4,096 bytes."""
    data: Dict[str, Any] = {}
    for level in range(len(_CHOICES)):
        data = _described(algorithm, level)
        if size_bytes(success(data, "")) <= ROOM:
            return data
    for each in data["parameters"]:
        if "choices" in each and len(each["choices"]) > 3:
            each["choices"] = each["choices"][:3] + ["…"]
    while size_bytes(success(data, "")) > ROOM and data["parameters"]:
        left = data["parameters"].pop()
        data.setdefault("also", []).insert(0, left["name"])
    return data


def _described(algorithm: QgsProcessingAlgorithm, level: int) -> Dict[str, Any]:
    about = known(algorithm)
    data: Dict[str, Any] = {
        "algorithm": algorithm.id(),
        "name": clean_text(algorithm.displayName(), 80),
        "does": summary(algorithm, 300 if level < 2 else 160),
        "effect": about.effect,
    }
    if about.effect not in ("create", "read"):
        data["effect_reason"] = reason_text(about)
    better = about.instead or task_words()["tools"].get(algorithm.id(), "")
    if better:
        data["rather"] = better
    flags = _flags(algorithm)
    if flags:
        data["flags"] = flags
    definitions = [each for each in algorithm.parameterDefinitions() if not is_hidden(each)]
    inputs = sorted((each for each in definitions if not each.isDestination()), key=is_optional)
    data["parameters"] = [_parameter(each, level) for each in inputs]
    data["made_by_qgis"] = [_destination(each) for each in definitions if each.isDestination()]
    data["also_returns"] = _values(algorithm)
    return {key: value for key, value in data.items() if value not in ([], "")}


def summary(algorithm: QgsProcessingAlgorithm, length: int) -> str:
    """What it does, in a sentence or two: its short description, or the first sentences of its help."""
    text = algorithm.shortDescription() or re.sub(r"<[^>]*>", " ", algorithm.shortHelpString() or "")
    return clean_text(text, length)


def _flags(algorithm: QgsProcessingAlgorithm) -> List[str]:
    flags = algorithm.flags()
    named = (
        (Qgis.ProcessingAlgorithmFlag.Deprecated, "deprecated"),
        (Qgis.ProcessingAlgorithmFlag.NoThreading, "holds QGIS while it runs"),
        (Qgis.ProcessingAlgorithmFlag.KnownIssues, "known issues"),
        (Qgis.ProcessingAlgorithmFlag.NotAvailableInStandaloneTool, "models only"),
    )
    return [text for flag, text in named if flags & flag]


def _parameter(definition: Definition, level: int) -> Dict[str, Any]:
    entry: Dict[str, Any] = {"name": definition.name()}
    terse = level >= 2 and is_advanced(definition)
    what = clean_text(definition.description(), _WHAT[level]) if _WHAT[level] and not terse else ""
    if what and what.casefold() != definition.name().replace("_", " ").casefold():
        entry["what"] = what
    entry["value"] = value_words(definition)
    if definition.type() == "enum" and not (terse and level >= 3):
        entry["choices"] = _choices(definition, _CHOICES[level])
    if not is_optional(definition) and definition.defaultValue() is None:
        entry["required"] = True
    default = definition.defaultValue()
    if default not in (None, "", []) and isinstance(default, (bool, int, float, str, list)):
        entry["default"] = (
            json_value(default) if not isinstance(default, list) else [json_value(each) for each in default]
        )
    return entry


def _choices(definition: Definition, count: int) -> List[str]:
    options = [clean_text(str(each), 40) for each in definition.options()]
    static = definition.usesStaticStrings()
    listed = options if static else ["{}: {}".format(number, each) for number, each in enumerate(options)]
    return listed if len(listed) <= count else listed[:count] + ["… {} more".format(len(listed) - count)]


def value_words(definition: Definition) -> str:
    """What a value may be, in words for a model."""
    kind = definition.type()
    if kind in ("source", "vector", "raster", "mesh", "layer"):
        kinds = kinds_of(definition)
        return "layer alias: {}".format(" or ".join(kinds) if kinds else "any kind")
    if kind == "multilayer":
        kinds = kinds_of(definition)
        return "list of layer aliases: {}".format(" or ".join(kinds) if kinds else "any kind")
    if kind == "field":
        words = "list of fields" if definition.allowMultiple() else "field"
        return "{} of {}".format(words, definition.parentLayerParameterName())
    if kind == "band":
        words = "list of bands" if definition.allowMultiple() else "band number"
        return "{} of {}".format(words, definition.parentLayerParameterName())
    if kind == "enum":
        return "list of choices" if definition.allowMultiple() else "choice, by number or text"
    if kind == "expression":
        parent = definition.parentLayerParameterName()
        return "formula over the fields of {}".format(parent) if parent else "formula"
    if kind == "file" and definition.behavior() == Qgis.ProcessingFileParameterBehavior.Folder:
        return "path of an existing folder"
    return _FIXED.get(kind) or _number_words(definition)


def _number_words(definition: Definition) -> str:
    kind = definition.type()
    if kind != "number" and kind not in _NUMBERS:
        return kind
    integer = kind == "number" and definition.dataType() == Qgis.ProcessingNumberParameterType.Integer
    words = ["whole number" if integer else _NUMBERS.get(kind, "number"), range_words(definition)]
    if kind == "distance" and definition.parentParameterName():
        words.append("in the units of the CRS of {}".format(definition.parentParameterName()))
    if definition.isDynamic():
        words.append("or {field}")
    return " ".join(each for each in words if each)


def _destination(definition: Definition) -> Dict[str, Any]:
    kinds = {"sink": "vector layer", "vectorDestination": "vector layer", "rasterDestination": "raster layer"}
    entry: Dict[str, Any] = {"output": definition.name(), "is": kinds.get(definition.type(), "file")}
    if is_optional(definition):
        entry["made"] = definition.createByDefault() or "only with true"
    return entry


def _values(algorithm: QgsProcessingAlgorithm) -> List[str]:
    """Outputs that are told: numbers, texts."""
    made = [each.name() for each in algorithm.destinationParameterDefinitions()]
    shown: List[Tuple[str, str]] = [
        (each.name(), clean_text(each.description(), 40))
        for each in algorithm.outputDefinitions()
        if each.name() not in made and each.type() not in LAYER_KINDS and each.type() not in PATH_KINDS
    ]
    return ["{} ({})".format(name, text) if text and text != name else name for name, text in shown][:30]
