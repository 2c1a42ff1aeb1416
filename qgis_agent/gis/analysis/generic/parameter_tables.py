"""Parameters that are tables: matrices, fields and how they are made, several layers with something to each."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from qgis.core import QgsProcessingParameterDefinition, QgsVectorLayer

from ...errors import hint_for_name
from ...i18n import translate
from ...scope import seen_field, seen_fields
from .parameter_errors import (
    bad,
    shown,
)
from .parameters import (
    Reader,
    Source,
)

Definition = QgsProcessingParameterDefinition
MAX_ROWS = 2000
_AGGREGATE_KEYS = ("input", "aggregate", "delimiter", "name", "type", "type_name", "sub_type", "length", "precision")
_MAPPING_KEYS = ("expression", "name", "type", "type_name", "sub_type", "length", "precision", "alias", "comment")
_TYPES = {
    "boolean": 1, "bool": 1, "integer": 2, "int": 2, "long": 4, "longlong": 4, "integer64": 4, "number": 6, "double": 6,
    "real": 6, "float": 6, "text": 10, "string": 10, "date": 14, "time": 15, "datetime": 16,
}  # fmt: skip
"""Words for Qt's numbers of types, which are what QGIS takes: of any other text it makes a text field without a word."""
_TYPE_NUMBERS = (1, 2, 4, 6, 9, 10, 11, 12, 14, 15, 16)
_INTERPOLATION_KEYS = ("layer_id", "field", "use_z", "kind")
_INTERPOLATION_KINDS = ("points", "structure_lines", "break_lines")
_TIN_KINDS = {"points": 0, "structure_lines": 1, "break_lines": 2}


def _rows(definition: Definition, value: Any, keys: Sequence[str], example: str) -> List[Dict[str, Any]]:
    """A list of objects with these keys only."""
    if not isinstance(value, list) or len(value) > MAX_ROWS or not all(isinstance(each, dict) for each in value):
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be a list of objects."),
            translate("QgisAgent", "For example {}.").format(example),
        )
    for row in value:
        for key in row:
            if key not in keys:
                raise bad(
                    definition.name(),
                    translate("QgisAgent", "unknown key '{}'.").format(shown(key)),
                    hint_for_name(key, keys, "keys"),
                )
            if isinstance(row[key], (dict, list)):
                raise bad(
                    definition.name(),
                    translate("QgisAgent", "'{}' must be a plain value.").format(key),
                    translate("QgisAgent", "For example {}.").format(example),
                )
    return [dict(each) for each in value]


def _read_mapping(definition: Definition, value: Any) -> List[Dict[str, Any]]:
    """Fields to make: name, type, and the formula of the values (``admission.py`` has checked it)."""
    aggregates = definition.type() == "aggregates"
    key = "input" if aggregates else "expression"
    example = '[{{"name": "total", "{}": "\\"population\\"", "type": 6{}}}]'.format(
        key, ', "aggregate": "sum", "delimiter": ","' if aggregates else ""
    )
    rows = _rows(definition, value, _AGGREGATE_KEYS if aggregates else _MAPPING_KEYS, example)
    for row in rows:
        if not isinstance(row.get("name"), str) or not isinstance(row.get(key, ""), str) or "type" not in row:
            raise bad(
                definition.name(),
                translate("QgisAgent", "each row needs a name, a type and {}.").format(key),
                translate("QgisAgent", "For example {}.").format(example),
            )
        row["type"] = _type_number(definition, row["type"])
        row.setdefault("length", 0)
        row.setdefault("precision", 0)
    return rows


def _type_number(definition: Definition, value: Any) -> int:
    """Qt's number of a field type that is given by number or word."""
    word = value.strip().lower() if isinstance(value, str) else value
    number = _TYPES.get(word, int(word) if word.isdigit() else 0) if isinstance(word, str) else word
    if isinstance(number, int) and not isinstance(number, bool) and number in _TYPE_NUMBERS:
        return number
    raise bad(
        definition.name(),
        translate("QgisAgent", "{} is no type of field.").format(shown(value)),
        translate("QgisAgent", "Types: integer, long, number, text, boolean, date, time, datetime."),
    )


def _read_matrix(definition: Definition, value: Any) -> List[Any]:
    """Rows of plain values, or all of them in one list."""
    flat: List[Any] = []
    for each in value if isinstance(value, list) else [value]:
        flat.extend(each if isinstance(each, list) else [each])
    columns = max(1, len(definition.headers()))
    plain = all(each is None or isinstance(each, (str, int, float)) for each in flat)
    if not flat or len(flat) > MAX_ROWS or not plain or len(flat) % columns:
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be rows of {} values.").format(columns),
            translate("QgisAgent", "The columns are: {}.").format(", ".join(definition.headers()) or "1"),
        )
    return ["" if each is None else each for each in flat]


def _vector(reader: Reader, definition: Definition, alias: Any) -> QgsVectorLayer:
    layer = reader.call.vector_layer(str(alias))
    reader.add_source(Source(definition.name(), str(alias), layer))
    return layer


def _field_index(definition: Definition, layer: QgsVectorLayer, name: Any) -> int:
    known = name is not None and seen_field(layer, str(name))
    index = layer.fields().indexOf(str(name)) if known else -1
    if index < 0 and name is not None:
        raise bad(
            definition.name(),
            translate("QgisAgent", "there is no field '{}'.").format(shown(name)),
            hint_for_name(str(name), [each.name() for each in seen_fields(layer)], "fields"),
        )
    return index


def _interpolation_rows(definition: Definition, value: Any) -> List[Dict[str, Any]]:
    example = '[{"layer_id": "points", "field": "elevation", "kind": "points"}]'
    rows = _rows(definition, value, _INTERPOLATION_KEYS, example)
    for row in rows:
        row.setdefault("kind", "points")
        row.setdefault("use_z", False)
        if row["kind"] not in _INTERPOLATION_KINDS or not isinstance(row["use_z"], bool) or not row.get("layer_id"):
            raise bad(
                definition.name(),
                translate("QgisAgent", "each row needs layer_id, a field or use_z, and a kind."),
                translate("QgisAgent", "For example {}.").format(example),
            )
    return rows


def _read_interpolation(reader: Reader, definition: Definition, value: Any) -> str:
    """Layers with the field (or Z) to interpolate, as points, structure lines or break lines."""
    parts = []
    for row in _interpolation_rows(definition, value):
        layer = _vector(reader, definition, row["layer_id"])
        index = _field_index(definition, layer, row.get("field"))
        if index < 0 and not row["use_z"]:
            raise bad(
                definition.name(),
                translate("QgisAgent", "each layer needs a field, or use_z."),
                hint_for_name("", [each.name() for each in seen_fields(layer)], "fields"),
            )
        parts.append("{}::~::{:d}::~::{}::~::{}".format(layer.id(), row["use_z"], index, _TIN_KINDS[row["kind"]]))
    return "::|::".join(parts)


def _read_tin(reader: Reader, definition: Definition, value: Any) -> List[Dict[str, Any]]:
    """Layers of a mesh: as for an interpolation."""
    found = []
    for row in _interpolation_rows(definition, value):
        layer = _vector(reader, definition, row["layer_id"])
        index = _field_index(definition, layer, row.get("field"))
        found.append({"source": layer.id(), "type": _TIN_KINDS[row["kind"]], "attributeIndex": index})
    return found


def _read_layer_rows(keys: Dict[str, str]) -> Callable[[Reader, Definition, Any], List[Dict[str, Any]]]:
    """A reader of layers with something to each; ``keys`` are ours and QGIS's names of it."""

    def read(reader: Reader, definition: Definition, value: Any) -> List[Dict[str, Any]]:
        given = (
            [{"layer_id": each} if isinstance(each, str) else each for each in value]
            if isinstance(value, list)
            else value
        )
        found = []
        for row in _rows(definition, given, ("layer_id", *keys), '[{"layer_id": "roads"}]'):
            layer = _vector(reader, definition, row.pop("layer_id", ""))
            entry: Dict[str, Any] = {"layer": layer.id()}
            for key, item in row.items():
                entry[keys[key]] = _field_index(definition, layer, item) if key == "field" else item
            found.append(entry)
        return found

    return read


def _read_relief(definition: Definition, value: Any) -> str:
    """ "min,max,r,g,b;…", or rows of these five numbers."""
    rows = value
    if isinstance(value, str):
        rows = [part.split(",") for part in value.split(";") if part.strip()]
    found = [_relief_row(each) for each in rows] if isinstance(rows, list) else []
    if not found or any(each is None for each in found):
        raise bad(
            definition.name(),
            translate("QgisAgent", "must be rows of five numbers."),
            translate("QgisAgent", "Each row: lowest and highest elevation, red, green, blue (0 to 255)."),
        )
    return ";".join(each for each in found if each is not None)


def _relief_row(row: Any) -> Optional[str]:
    try:
        low, high = float(row[0]), float(row[1])
        colors = [int(each) for each in row[2:]]
    except (TypeError, ValueError, IndexError):
        return None
    if len(colors) != 3 or not all(0 <= each <= 255 for each in colors) or low > high:
        return None
    return "{:.6f}, {:.6f}, {}, {}, {}".format(low, high, *colors)


def _read_never(definition: Definition, value: Any) -> Any:
    raise bad(
        definition.name(),
        translate("QgisAgent", "{} cannot be given here.").format(shown(value)),
        translate("QgisAgent", "Leave it out, or run the algorithm by hand in the Processing toolbox."),
    )


TABLES: Dict[str, Callable[[Reader, Definition, Any], Any]] = {
    "idw_interpolation_data": _read_interpolation,
    "tininputlayers": _read_tin,
    "dxflayers": _read_layer_rows({"field": "attributeIndex"}),
    "vectortilewriterlayers": _read_layer_rows({"min_zoom": "minZoom", "max_zoom": "maxZoom", "name": "layerName"}),
}
PLAIN_TABLES: Dict[str, Callable[[Definition, Any], Any]] = {
    "aggregates": _read_mapping,
    "fields_mapping": _read_mapping,
    "matrix": _read_matrix,
    "relief_colors": _read_relief,
    "authcfg": _read_never,
    "providerconnection": _read_never,
    "alignrasterlayers": _read_never,
}
