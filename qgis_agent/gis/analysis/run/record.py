"""The algorithms of an analysis as plain JSON, for the trace: from it a run becomes a Processing model or a script.

A record is ``{"inputs": [{"alias", "kind", "filtered"?, "temporary"?}], "steps": [{"key", "algorithm", "parameters", "output", "more",
"indexed"?}], "result": [key, parameter] | None, "fid"?: [field, free name], "settings": {"ellipsoid", "area_unit", "distance_unit",
"invalid"}}``.
A parameter is a JSON value, or ``{"$ref": key}`` (another step's output; ``input:<alias>`` is a layer of the project),
``{"$property": field}`` (the value of a field for each feature), ``{"$text": [parts]}`` (a text with the places of outputs
in it). Names of layers are not in it, and no field that a person excluded.
"""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapLayer,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsProperty,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsUnitTypes,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime

from ...filters import agent_filter
from ...layers import layer_kind
from ...scope import hidden_fields, seen_fields
from .catalog import ellipsoid_of
from .plan import INDEXED_FILE, Plan, PlanStep, Ref

INPUT = "input:"
"""Prefix of the keys of the project's layers; what follows is the alias."""
LONGEST = 60_000
"""Characters of a record: a report has to fit one line of the bridge."""
MAX_SELECTED = 1_000
"""Selected features that are written down by their ids; more are taken from the selection that there is then."""
_SELECTED = "native:saveselectedfeatures"
_EXTRACT = "native:extractbyexpression"
_KEEP = "native:retainfields"
_CHECKS = ("ignore", "ignore", "stop")
"""By QGIS's numbers. Features with an invalid geometry that were to be skipped are left out by a step of the record."""
_SKIPS = 1
_VALID = "@geometry IS NULL OR is_valid(@geometry)"


class Unwritable(Exception):
    """A value that has no form in a record."""


class Joined(NamedTuple):
    """As a parameter: a text with the places of outputs in it; ``parts`` are texts and Refs."""

    parts: Tuple[Any, ...]


class _Source(NamedTuple):
    """A layer of the project as a step reads it."""

    alias: str
    layer: QgsMapLayer
    selected: bool = False
    expression: str = ""


def record(
    call: Any,
    plan: Plan,
    inputs: Dict[str, str],
    output: str = "",
    context: Optional[QgsProcessingContext] = None,
    layer: Optional[QgsMapLayer] = None,
) -> Optional[Dict[str, Any]]:
    """The record of a plan that has run; None where it cannot be written down.

    ``inputs`` are aliases by the plan's names of its inputs, ``output`` the parameter that the result came from (the last step's
    first one by default), ``context`` what it ran in (where that is not ``analysis_context``), ``layer`` the result.
    """
    try:
        found = _Recorder(call, inputs, context is not None and _check(context) == _SKIPS).record(plan, output)
    except Unwritable:
        return None
    found["settings"] = _settings(call.host.project, context)
    if isinstance(layer, QgsVectorLayer):
        found.update(_fid(layer))
    fits = len(json.dumps(found, ensure_ascii=False)) <= LONGEST
    return found if fits else None


def _fid(layer: QgsVectorLayer) -> Dict[str, List[str]]:
    """The field that a GeoPackage would take for its own ids, and a name that it could have instead."""
    names = [each.name() for each in seen_fields(layer)]
    taken = {each.casefold() for each in names}
    free = ["source_fid", *("source_fid_{}".format(number) for number in range(2, len(names) + 3))]
    found = [each for each in names if each.casefold() == "fid"]
    return {"fid": [found[0], next(each for each in free if each not in taken)]} if found else {}


def _settings(project: QgsProject, context: Optional[QgsProcessingContext]) -> Dict[str, str]:
    """How sizes are measured, and what is done with invalid geometries."""
    if context is None:
        return {"ellipsoid": ellipsoid_of(project), "area_unit": "m2", "distance_unit": "meters", "invalid": "ignore"}
    return {
        "ellipsoid": str(context.ellipsoid()),
        "area_unit": QgsUnitTypes.encodeUnit(context.areaUnit()),
        "distance_unit": QgsUnitTypes.encodeUnit(context.distanceUnit()),
        "invalid": _CHECKS[_check(context)],
    }


def _check(context: QgsProcessingContext) -> int:
    check = context.invalidGeometryCheck()
    return int(getattr(check, "value", check))


class _Recorder:
    """Writes one plan down. ``skips``: features with an invalid geometry were left out."""

    def __init__(self, call: Any, inputs: Dict[str, str], skips: bool = False) -> None:
        self._host = call.host
        self._skips = skips
        self._aliases = inputs
        self._inputs: Dict[str, Dict[str, Any]] = {}
        self._steps: List[Dict[str, Any]] = []
        self._known: Dict[str, str] = {}
        self._prepared: Dict[Tuple[str, bool, str], str] = {}

    def record(self, plan: Plan, output: str) -> Dict[str, Any]:
        """All of it but the settings."""
        for number, step in enumerate(plan, 1):
            key = step.key or "step_{}".format(number)
            if not self._is_selection(step, key):
                self._add(step, key)
        last = plan[-1]
        wanted = output or last.output
        result = [last.key or "step_{}".format(len(plan)), wanted] if wanted else None
        return {"inputs": list(self._inputs.values()), "steps": self._steps, "result": result}

    def _add(self, step: PlanStep, key: str) -> None:
        parameters = {name: self._value(each) for name, each in step.parameters.items()}
        more = [name for name, _ in step.more]
        self._known[key] = key
        self._known.update({"{}.{}".format(key, name): "{}.{}".format(key, name) for name in more})
        entry = {"key": key, "algorithm": step.algorithm, "parameters": parameters, "output": step.output, "more": more}
        self._steps.append(dict(entry, indexed=True) if step.destination == INDEXED_FILE else entry)

    def _is_selection(self, step: PlanStep, key: str) -> bool:
        """Whether the step takes what is selected: that becomes a condition on ids, which holds without the selection too."""
        given = step.parameters.get("INPUT")
        if step.algorithm != _SELECTED or not isinstance(given, Ref) or given.key not in self._aliases:
            return False
        alias = self._aliases[given.key]
        layer = self._host.layers.by_alias(alias)
        if not isinstance(layer, QgsVectorLayer):
            return False
        self._known[key] = self._place(_Source(alias, layer, True))
        return True

    # values

    def _value(self, value: Any) -> Any:
        """A value in JSON. Raises Unwritable."""
        if isinstance(value, Ref):
            return {"$ref": self._of_ref(value)}
        if isinstance(value, Joined):
            return {"$text": [self._value(each) for each in value.parts]}
        if isinstance(value, float) and not math.isfinite(value):
            raise Unwritable(repr(value))
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple)):
            return [self._value(each) for each in value]
        if isinstance(value, dict):
            return self._table(value)
        return self._of_qgis(value)

    def _table(self, value: Dict[Any, Any]) -> Dict[str, Any]:
        if any(str(key).startswith("$") for key in value):
            raise Unwritable("$")
        return {str(key): self._value(each) for key, each in value.items()}

    def _of_ref(self, ref: Ref) -> str:
        if ref.key in self._known:
            return self._known[ref.key]
        alias = self._aliases.get(ref.key)
        layer = self._host.layers.by_alias(alias) if alias else None
        if layer is None:
            raise Unwritable(ref.key)
        return self._place(_Source(str(alias), layer))

    def _of_qgis(self, value: Any) -> Any:
        if isinstance(value, QgsMapLayer):
            return {"$ref": self._place(_Source(self._host.layers.alias(value), value))}
        if isinstance(value, QgsProcessingFeatureSourceDefinition):
            return {"$ref": self._of_definition(value)}
        if isinstance(value, QgsCoordinateReferenceSystem):
            return crs_text(value)
        if isinstance(value, QgsRectangle):
            return _box(value)
        if isinstance(value, QgsProperty) and value.propertyType() == QgsProperty.Type.FieldBasedProperty:
            return {"$property": value.field()}
        if isinstance(value, (QDate, QDateTime, QTime)):
            return value.toString(Qt.DateFormat.ISODate)
        raise Unwritable(type(value).__name__)

    def _of_definition(self, value: QgsProcessingFeatureSourceDefinition) -> str:
        layer = self._host.project.mapLayer(str(value.source.staticValue()))
        if not isinstance(layer, QgsVectorLayer) or value.featureLimit != -1:
            raise Unwritable("source")
        alias = self._host.layers.alias(layer)
        return self._place(_Source(alias, layer, value.selectedFeaturesOnly, value.filterExpression))

    # layers of the project

    def _place(self, source: _Source) -> str:
        """The key of a layer of the project, after what has to be done to it first."""
        known = (source.alias, source.selected, source.expression)
        if known not in self._prepared:
            key = INPUT + source.alias
            self._inputs.setdefault(key, self._input(source))
            if isinstance(source.layer, QgsVectorLayer):
                key = self._prepare(source, source.layer, key)
            self._prepared[known] = key
        return self._prepared[known]

    def _input(self, source: _Source) -> Dict[str, Any]:
        """What is told of a layer of the project."""
        layer = source.layer
        found: Dict[str, Any] = {"alias": source.alias, "kind": layer_kind(layer)}
        if isinstance(layer, QgsVectorLayer) and layer.subsetString() and not agent_filter(self._host, layer):
            found["filtered"] = True
        if layer.providerType() == "memory" or layer.id() in self._host.created_layers:
            found["temporary"] = True
        return found

    def _prepare(self, source: _Source, layer: QgsVectorLayer, key: str) -> str:
        """The agent's filter, the selection and the conditions as one step (ids are those of the layer only there), then
        without the fields that a person excluded."""
        number = len(self._prepared)
        ids = sorted(layer.selectedFeatureIds()) if source.selected else []
        if source.selected and len(ids) > MAX_SELECTED:
            key = self._own("{}/selected_{}".format(source.alias, number), _SELECTED, {"INPUT": {"$ref": key}})
        conditions = [agent_filter(self._host, layer), source.expression]
        if self._skips and layer.isSpatial():
            conditions.append(_VALID)
        if 0 < len(ids) <= MAX_SELECTED:
            conditions.append("$id IN ({})".format(", ".join(map(str, ids))))
        kept = [each for each in conditions if each]
        if kept:
            text = kept[0] if len(kept) == 1 else " AND ".join("({})".format(each) for each in kept)
            name = "{}/chosen_{}".format(source.alias, number)
            key = self._own(name, _EXTRACT, {"INPUT": {"$ref": key}, "EXPRESSION": text})
        if hidden_fields(layer):
            fields = [each.name() for each in seen_fields(layer)]
            name = "{}/seen_{}".format(source.alias, number)
            key = self._own(name, _KEEP, {"INPUT": {"$ref": key}, "FIELDS": fields})
        return key

    def _own(self, key: str, algorithm: str, parameters: Dict[str, Any]) -> str:
        """A step of the record's own."""
        self._steps.append(
            {"key": key, "algorithm": algorithm, "parameters": parameters, "output": "OUTPUT", "more": []}
        )
        return key


def crs_text(crs: QgsCoordinateReferenceSystem) -> str:
    """A CRS as Processing reads it from a text: its authority's code, else "WKT:…"; "" for none."""
    if not crs.isValid():
        return ""
    return str(crs.authid() or "WKT:" + crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED))


def _box(box: QgsRectangle) -> str:
    corners = (box.xMinimum(), box.xMaximum(), box.yMinimum(), box.yMaximum())
    text = ",".join(repr(each) for each in corners)
    crs = crs_text(box.crs()) if isinstance(box, QgsReferencedRectangle) else ""
    return "{} [{}]".format(text, crs) if crs else text
