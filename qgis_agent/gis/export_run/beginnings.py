"""Layers that a run itself put into the project, or read otherwise than the project has them, before an algorithm used them.

What it drew becomes an algorithm (a query over nothing, ``qgis:executesql``); a file is opened by its path; a CRS that was
assumed is assigned on a copy.
"""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Mapping, NamedTuple

_READS_FILES = ("add_vector_layer", "add_raster_layer", "add_table_layer")
_DRAWS = "add_temp_layer"
_ASSUMES_CRS = "set_layer_crs"
_WKT = re.compile(r"^[A-Za-z]+[ (][-+0-9A-Za-z.,() ]*$")
_WORD = re.compile("^[A-Za-z]+")
_CRS = re.compile(r"^[A-Za-z]{2,12}:[0-9A-Za-z_]{2,20}$")
_IN_ARCHIVE = re.compile(r"\.zip[/\\]", re.IGNORECASE)
_TYPES = ["point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"]
_FIRST_TYPE = 2
"""The number of the first of them among the choices of ``qgis:executesql``."""


class Beginning(NamedTuple):
    """One algorithm before the run's own, with the parameters of ``analysis/run/record.py``."""

    algorithm: str
    parameters: Dict[str, Any]


def layers_of(step: Mapping[str, Any]) -> List[str]:
    """The layers that a step added or told of, by alias."""
    told = [_object(_object(each).get("args")).get("layer_id") for each in step.get("actions") or []]
    data = _object(_object(step.get("result")).get("data"))
    return [str(each) for each in [*told, data.get("layer_id")] if each]


def file_of_layer(steps: List[Dict[str, Any]], alias: str, project: str) -> str:
    """The path (as QGIS opens it) of a layer that a step added from a file, "" for any other. ``project`` is the project's file."""
    for step in steps:
        if step.get("tool") in _READS_FILES and alias in layers_of(step):
            arguments = _object(step.get("args"))
            path = str(arguments.get("path") or "")
            if project and not os.path.isabs(path):
                path = os.path.join(os.path.dirname(project), path)
            if _IN_ARCHIVE.search(path):
                path = "/vsizip/" + path
            sublayer = str(arguments.get("sublayer") or "")
            return "{}|layername={}".format(path, sublayer) if sublayer else path
    return ""


def drawn(steps: List[Dict[str, Any]], alias: str) -> List[Beginning]:
    """What makes the layer of an alias anew, where a step drew it from geometries; nothing for any other layer."""
    for step in steps:
        features = _object(step.get("args")).get("features")
        if step.get("tool") == _DRAWS and alias in layers_of(step) and isinstance(features, list):
            return _query([_object(each) for each in features])
    return []


def _query(features: List[Dict[str, Any]]) -> List[Beginning]:
    """Features of one kind; several parts in one of them make all of them so, as the tool does it."""
    kinds = {_kind(str(each.get("wkt") or "")) for each in features}
    plain = {each.replace("multi", "") for each in kinds}
    if len(plain) != 1 or not kinds <= set(_TYPES):
        return []
    kind = max(kinds, key=len)
    parameters = {
        "INPUT_DATASOURCES": [],
        "INPUT_QUERY": " UNION ALL ".join(_row(each, kind) for each in features),
        "INPUT_GEOMETRY_FIELD": "geometry",
        "INPUT_GEOMETRY_TYPE": _TYPES.index(kind) + _FIRST_TYPE,
        "INPUT_GEOMETRY_CRS": "EPSG:4326",
    }
    return [Beginning("qgis:executesql", parameters)]


def _kind(wkt: str) -> str:
    """The kind of a geometry without Z and M, in small letters; "" for what is none."""
    return _WORD.match(wkt).group(0).lower() if _WKT.match(wkt) else ""


def _row(feature: Dict[str, Any], kind: str) -> str:
    label, wkt = str(feature.get("label") or "").replace("'", "''"), str(feature.get("wkt"))
    shape = "geom_from_wkt('{}')".format(wkt)
    if _kind(wkt) != kind:
        shape = "collect_geometries({})".format(shape)
    return "SELECT '{}' AS label, {} AS geometry".format(label, shape)


def assumed(steps: List[Dict[str, Any]], alias: str, before: int) -> List[Beginning]:
    """The CRS that an earlier step than ``before`` (counted from 1) stated for a layer."""
    for step in reversed(steps[: before - 1]):
        arguments = _object(step.get("args"))
        if step.get("tool") == _ASSUMES_CRS and arguments.get("layer_id") == alias:
            crs = str(arguments.get("crs") or "")
            return [Beginning("native:assignprojection", {"CRS": crs})] if _CRS.match(crs) else []
    return []


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}
