"""Layers under one another: one schema for all, each layer brought to it, then merged."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Sequence

from qgis.core import QgsCoordinateReferenceSystem, QgsExpression, QgsField, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType

from ...layers import field_type
from ...scope import seen_fields
from ..run.plan import (
    Plan,
    PlanStep,
    Ref,
)
from .calculate import field_entry
from .refactor import text_of

_TEXT, _LONG, _DOUBLE = QMetaType.Type.QString, QMetaType.Type.LongLong, QMetaType.Type.Double
SOURCE = "qgis_agent_source"
"""The field of the layer's name on the way: nobody's data has it."""


class Column(NamedTuple):
    """A field of the result: name, type, length, precision, and the types that it has in the layers ("integer", "text" …)."""

    name: str
    type: Any
    length: int
    precision: int
    sub_type: Any
    kinds: List[str]

    @property
    def clashes(self) -> bool:
        """Whether the layers have it in several types."""
        return len(self.kinds) > 1


def columns_of(layers: Sequence[QgsVectorLayer]) -> List[Column]:
    """The fields of all layers by name, whatever its case: whole numbers and others become numbers, all other mixtures text.

    QGIS itself makes text of whole numbers and decimal numbers, and sums are lost.
    """
    met: Dict[str, List[QgsField]] = {}
    for layer in layers:
        for each in seen_fields(layer):
            met.setdefault(each.name().casefold(), []).append(each)
    return [_column(fields) for fields in met.values()]


def _column(fields: List[QgsField]) -> Column:
    kinds = list(dict.fromkeys(field_type(each) for each in fields))
    first, types = fields[0], {each.type() for each in fields}
    length = 0 if any(each.length() <= 0 for each in fields) else max(each.length() for each in fields)
    precision = max(each.precision() for each in fields)
    if len(types) == 1:
        return Column(first.name(), first.type(), length, precision, first.subType(), kinds)
    if set(kinds) == {"integer"}:
        kind: Any = _LONG
    else:
        kind = _DOUBLE if set(kinds) == {"integer", "number"} else _TEXT
    return Column(first.name(), kind, 0, 0, 0, kinds if set(kinds) != {"integer"} else ["integer"])


def merge_plan(
    layers: Dict[str, QgsVectorLayer],
    columns: Sequence[Column],
    source_field: str,
    names: Dict[str, str],
    crs: QgsCoordinateReferenceSystem,
) -> Plan:
    """Bring each layer to the schema and give it its name, then merge. ``layers`` by the keys of the plan's inputs."""
    steps: List[PlanStep] = []
    for key, layer in layers.items():
        mapping = [_entry(layer, each) for each in columns]
        name = {"name": SOURCE, "type": int(_TEXT), "sub_type": 0, "length": 0, "precision": 0}
        mapping.append({**name, "expression": QgsExpression.quotedString(names[key])})
        parameters = {"INPUT": Ref(key), "FIELDS_MAPPING": mapping}
        steps.append(PlanStep("{}_fields".format(key), "native:refactorfields", parameters))
    parts = [Ref(each.key) for each in steps]
    merged: Dict[str, Any] = {"LAYERS": parts}
    if crs.isValid():
        merged["CRS"] = crs
    steps.append(PlanStep("merged", "native:mergevectorlayers", merged))
    last = [_plain(each) for each in columns]
    last.append(
        {**_plain(Column(source_field, _TEXT, 0, 0, 0, [])), "expression": QgsExpression.quotedColumnRef(SOURCE)}
    )
    steps.append(PlanStep("result", "native:refactorfields", {"INPUT": Ref("merged"), "FIELDS_MAPPING": last}))
    return steps


def _plain(column: Column) -> Dict[str, Any]:
    return {
        "name": column.name,
        "type": int(column.type),
        "sub_type": int(column.sub_type),
        "length": column.length,
        "precision": column.precision,
        "expression": QgsExpression.quotedColumnRef(column.name),
    }


def _entry(layer: QgsVectorLayer, column: Column) -> Dict[str, Any]:
    """A column of the schema out of one layer; NULL where the layer has no such field."""
    position = seen_fields(layer).lookupField(column.name)
    if position < 0:
        return {**_plain(column), "expression": "NULL"}
    field = seen_fields(layer)[position]
    expression = field_entry(field)["expression"]
    if column.type == _TEXT and field_type(field) != "text":
        expression = text_of(field)
    return {**_plain(column), "expression": expression}
