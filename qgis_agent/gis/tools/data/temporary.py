"""Handlers of the pack "data": temporary layers."""

from __future__ import annotations

import math
from typing import Any, Dict, Generator, List, Optional, Tuple

from qgis.core import Qgis, QgsFeature, QgsGeometry, QgsVectorLayer, QgsWkbTypes

from ...call import Call
from ...errors import INVALID_PARAM, UPSTREAM_ERROR, ToolError
from ...extents import bbox_degrees
from ...features import FeatureReader
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...sources.adding import look, next_color
from ...work import Answer, Step, Work
from ..registry import tool

MAX_COLUMNS_SEEN = 200
MAX_ROWS = 20_000
MAX_VERTICES = 20_000
_WGS84 = "EPSG:4326"
_NUMBER_TYPES = {"integer": "int8", "number": "double", "text": "string"}


Steps = Generator[Step, Any, Answer]


@tool("add_temp_layer", effect="create", runs="task")
def add_temp_layer(
    call: Call, name: str, features: Optional[List[Dict[str, Any]]] = None, result_ref: Optional[str] = None
) -> Steps:
    """A memory layer under "Agent results": from a few geometries in lon/lat, or a table from an earlier result."""
    if bool(features) == bool(result_ref):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A temporary layer is made from features or from result_ref."),
            hint=translate("QgisAgent", "Give one of them."),
            reason="features",
        )
    layer, wanted = _of_features(features) if features else _of_result(call, str(result_ref))
    reader = FeatureReader(layer, ())
    count = yield Work(translate("QgisAgent", "Counting"), reader.count)
    if count != wanted:
        raise _not_taken(layer)
    color = next_color(call.host.project) if layer.isSpatial() else ""
    look(layer, color)
    title = clean_text(name, 40)
    alias = call.host.add_result_layer(layer, title)
    call.acted("add_temp_layer", layer_id=alias, name=title, features=count)
    if color:
        call.add_legend(alias, [{"label": title, "color": color}])
    call.add_evidence(alias, translate("QgisAgent", "{} features that the agent drew").format(count))
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": title,
        "kind": layer_kind(layer),
        "feature_count": count,
        "count_kind": "exact",
    }
    if layer.isSpatial():
        data.update({"crs": _WGS84, "bbox": bbox_degrees(layer.extent(), layer.crs(), call.host.project)})
    return Answer(data, translate("QgisAgent", "It is temporary: it ends with the session unless it is kept."))


def _of_features(features: List[Dict[str, Any]]) -> Tuple[QgsVectorLayer, int]:
    parsed = [
        (_geometry(each["wkt"], index), clean_text(str(each.get("label") or ""), 200))
        for index, each in enumerate(features)
    ]
    kinds = {geometry.type() for geometry, _ in parsed}
    if len(kinds) > 1:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A layer holds one kind of geometry, not points, lines and areas together."),
            hint=translate("QgisAgent", "Make one layer of each kind."),
            reason="mixed_geometry",
        )
    several = any(geometry.isMultipart() for geometry, _ in parsed)
    word = QgsWkbTypes.displayString(_flat(parsed[0][0].wkbType(), several))
    layer = QgsVectorLayer("{}?crs={}&field=label:string(200)&index=yes".format(word, _WGS84), "", "memory")
    made = []
    for geometry, label in parsed:
        feature = QgsFeature(layer.fields())
        if several and not geometry.isMultipart():
            geometry.convertToMultiType()
        feature.setGeometry(geometry)
        feature.setAttributes([label])
        made.append(feature)
    return _filled(layer, made), len(made)


def _flat(kind: Qgis.WkbType, several: bool) -> Qgis.WkbType:
    flat = QgsWkbTypes.flatType(kind)
    return QgsWkbTypes.multiType(flat) if several else flat


def _filled(layer: QgsVectorLayer, made: List[QgsFeature]) -> QgsVectorLayer:
    """The layer with its features; it is dropped when any was not taken."""
    ok, _ = layer.dataProvider().addFeatures(made)
    if not layer.isValid() or not ok:
        raise _not_taken(layer)
    layer.updateExtents()
    return layer


def _not_taken(layer: QgsVectorLayer) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "QGIS did not take all features: {}").format(
            clean_text("; ".join(layer.dataProvider().errors()), 200)
        ),
        hint=translate("QgisAgent", "Check the geometries, and try with fewer of them."),
        reason="features",
    )


def _geometry(wkt: str, index: int) -> QgsGeometry:
    """A geometry in degrees that can be drawn: parsed, 2D, not empty, finite, in range, valid."""
    geometry = QgsGeometry.fromWkt(wkt)
    problem = ""
    if geometry.isNull() or geometry.isEmpty():
        problem = translate("QgisAgent", "it is no WKT or empty")
    elif geometry.type() == Qgis.GeometryType.Unknown:
        problem = translate("QgisAgent", "collections are not drawn")
    elif QgsWkbTypes.isCurvedType(geometry.wkbType()):
        problem = translate("QgisAgent", "curves are not drawn: use a line or polygon with points along them")
    elif geometry.constGet().nCoordinates() > MAX_VERTICES:
        problem = translate("QgisAgent", "it has more than {} vertices").format(MAX_VERTICES)
    else:
        box = geometry.boundingBox()
        numbers = [box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()]
        if not all(math.isfinite(each) for each in numbers):
            problem = translate("QgisAgent", "a coordinate is no number")
        elif abs(numbers[1]) > 90 or abs(numbers[3]) > 90:
            problem = translate("QgisAgent", "a latitude is beyond 90°: the order is longitude, latitude, in degrees")
        elif abs(numbers[0]) > 360 or abs(numbers[2]) > 360:
            problem = translate("QgisAgent", "a longitude is beyond 360°: coordinates are degrees (EPSG:4326)")
        elif not geometry.isGeosValid():
            problem = translate("QgisAgent", "it is not valid: {}").format(clean_text(geometry.lastError(), 120) or "-")
    if problem:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Geometry {} cannot be used: {}.").format(index + 1, problem),
            hint=translate("QgisAgent", "WKT in EPSG:4326, longitude first: POINT(114.3 30.6)."),
            reason="geometry",
        )
    geometry.get().dropZValue()
    geometry.get().dropMValue()
    return geometry


def _of_result(call: Call, result_ref: str) -> Tuple[QgsVectorLayer, int]:
    """A table of the rows of a result, all of them, with the columns of its first 200 rows."""
    rows = _all_rows(call, result_ref)
    columns = list(dict.fromkeys(str(key) for row in rows[:MAX_COLUMNS_SEEN] for key in row))[:60]
    kinds = [_kind([row.get(each) for row in rows]) for each in columns]
    definition = "&".join("field={}:{}".format(*each) for each in zip(_field_names(columns), kinds))
    layer = QgsVectorLayer("None?" + definition, "", "memory")
    made = []
    for row in rows:
        feature = QgsFeature(layer.fields())
        feature.setAttributes([_value(row.get(each), kind) for each, kind in zip(columns, kinds)])
        made.append(feature)
    return _filled(layer, made), len(made)


def _field_names(columns: List[str]) -> List[str]:
    """Names for a source text, in which & : ( , have a meaning; each once whatever its case, as fields are."""
    names: List[str] = []
    for index, column in enumerate(columns, 1):
        kept = clean_text("".join("_" if each in "&:(),?#%=+" else each for each in column), 60)
        name = free = kept or "field_{}".format(index)
        number = 1
        while free.casefold() in (each.casefold() for each in names):
            number += 1
            free = "{}_{}".format(name, number)
        names.append(free)
    return names


def _kind(values: List[Any]) -> str:
    filled = [each for each in values if each is not None]
    if any(isinstance(each, int) and abs(each) >= 2**63 for each in filled):
        return _NUMBER_TYPES["text"]  # no type of number holds its digits
    if filled and all(isinstance(each, int) and not isinstance(each, bool) for each in filled):
        return _NUMBER_TYPES["integer"]
    if filled and all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in filled):
        return _NUMBER_TYPES["number"]
    return _NUMBER_TYPES["text"]


def _value(value: Any, kind: str) -> Any:
    if value is None or kind != _NUMBER_TYPES["text"]:
        return value
    return value if isinstance(value, str) else str(value)


def _all_rows(call: Call, result_ref: str) -> List[Dict[str, Any]]:
    """Every row of a result that this caller may read. INVALID_PARAM when its rows are no table, or too many."""
    rows = call.host.results.rows(
        result_ref,
        project_id=call.host.project_id(),
        caller=call.capability.caller,
        session_id=call.capability.session_id,
    )
    if not rows or len(rows) > MAX_ROWS or not all(isinstance(each, dict) for each in rows):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The result has no rows to make a table of, or more than {}.").format(MAX_ROWS),
            hint=translate("QgisAgent", "Use the result_ref of query_features or of a statistic."),
            reason="result_ref",
        )
    return list(rows)
