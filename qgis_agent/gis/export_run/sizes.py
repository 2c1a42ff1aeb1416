"""$area, $length and $perimeter in a model: QGIS gives them in the units of the open project, the run in its own.

A model begins with a polygon of known size, which it measures as QGIS measures there; each of its expressions is multiplied
by the ratio. A model without such expressions gets nothing of this.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, NamedTuple, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsDistanceArea,
    QgsGeometry,
    QgsRectangle,
    QgsUnitTypes,
)

from .steps import Settings

KINDS = ("expression", "fields_mapping", "aggregates")
"""The kinds of parameters with expressions in them."""
_TOKEN = re.compile(r"'(?:[^'\\]|''|\\.)*'|\"(?:[^\"]|\"\")*\"|\$(?:area|length|perimeter)\b", re.IGNORECASE)
_EXTENT = "0,1,0,1 [EPSG:4326]"
_WHAT = {"$area": "$area", "$length": "$perimeter", "$perimeter": "$perimeter"}


def sizes_in(value: Any) -> List[str]:
    """The sizes ("$area", "$perimeter") that have to be known for a parameter."""
    if isinstance(value, str):
        found = [each.group(0).lower() for each in _TOKEN.finditer(value) if each.group(0).startswith("$")]
    elif isinstance(value, dict):
        found = [each for inner in value.values() for each in sizes_in(inner)]
    elif isinstance(value, list):
        found = [each for inner in value for each in sizes_in(inner)]
    else:
        found = []
    return list(dict.fromkeys(_WHAT.get(each, each) for each in found))


def known_size(what: str, settings: Settings) -> float:
    """The size of the polygon as the run measured: in its units, on its ellipsoid (planar in degrees for NONE)."""
    measure = QgsDistanceArea()
    measure.setSourceCrs(QgsCoordinateReferenceSystem("EPSG:4326"), QgsCoordinateTransformContext())
    measure.setEllipsoid(settings.ellipsoid)
    shape = QgsGeometry.fromRect(QgsRectangle(0.0, 0.0, 1.0, 1.0))
    if what == "$area":
        unit, good = QgsUnitTypes.decodeAreaUnit(settings.area_unit)
        size = measure.measureArea(shape)
        return float(measure.convertAreaMeasurement(size, unit) if good else size)
    distance, good = QgsUnitTypes.decodeDistanceUnit(settings.distance_unit)
    size = measure.measurePerimeter(shape)
    return float(measure.convertLengthMeasurement(size, distance) if good else size)


def measuring_steps(what: str) -> List[Tuple[str, str, Dict[str, Any]]]:
    """(algorithm, parameter for the step before, other parameters) of the steps that measure; the last one's MAX is the size."""
    field = {"FIELD_NAME": "size", "FIELD_TYPE": 0, "FORMULA": what}
    return [
        ("native:extenttolayer", "", {"INPUT": _EXTENT}),
        ("native:fieldcalculator", "INPUT", field),
        ("native:basicstatisticsforfields", "INPUT_LAYER", {"FIELD_NAME": "size"}),
    ]


def scaled(value: Any, factors: Dict[str, str]) -> str:
    """A parameter as an expression that gives it, with every size multiplied. ``factors``: expressions by size."""
    if isinstance(value, str):
        return " || ".join(each.text if each.is_factor else quoted(each.text) for each in _pieces(value, factors))
    parts = [each.text if each.is_factor else quoted(each.text) for each in _json(value, factors)]
    return "from_json({})".format(" || ".join(parts))


def quoted(text: str) -> str:
    """A literal of an expression."""
    return "'{}'".format(text.replace("\\", "\\\\").replace("'", "''"))


class _Piece(NamedTuple):
    """A part of a text: as it is, or an expression that gives a number."""

    text: str
    is_factor: bool = False


def _pieces(text: str, factors: Dict[str, str]) -> List[_Piece]:
    """A formula in parts; only sizes are taken apart, not texts and names of fields that look like them."""
    pieces, at, closing = [], 0, ""
    for found in _TOKEN.finditer(text):
        if not found.group(0).startswith("$"):
            continue
        pieces.append(_Piece(closing + text[at : found.start()] + "(" + found.group(0) + " * "))
        pieces.append(_Piece(factors[_WHAT[found.group(0).lower()]], True))
        at, closing = found.end(), ")"
    return [*pieces, _Piece(closing + text[at:])]


def _json(value: Any, factors: Dict[str, str]) -> List[_Piece]:
    """A table or list as the parts of its JSON."""
    if isinstance(value, str):
        inner = [each if each.is_factor else _Piece(_inside(each.text)) for each in _pieces(value, factors)]
        return [_Piece('"'), *inner, _Piece('"')]
    if isinstance(value, dict):
        pairs = [[_Piece(json.dumps(str(key)) + ":"), *_json(each, factors)] for key, each in value.items()]
        return [_Piece("{"), *_listed(pairs), _Piece("}")]
    if isinstance(value, list):
        return [_Piece("["), *_listed([_json(each, factors) for each in value]), _Piece("]")]
    return [_Piece(json.dumps(value))]


def _listed(parts: List[List[_Piece]]) -> List[_Piece]:
    return [piece for number, each in enumerate(parts) for piece in ([_Piece(",")] if number else []) + each]


def _inside(text: str) -> str:
    """A text as it stands between the quotes of JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
