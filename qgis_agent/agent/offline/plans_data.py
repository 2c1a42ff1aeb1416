"""Plans that read or analyse data: counting, rows, counting by area, buffers, exports."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...bridge.messages import CatalogueLayer
from . import answers
from .answers import num, say, with_remark
from .choose import one_field, one_layer
from .conditions import reads_as_condition
from .grammar import Command
from .naming import match_fields, match_layers
from .plans_map import is_pointed, remember_density, resolve, where_of, where_of_place
from .steps import Ask, Plan, Run, Stop
from .text import number
from .words import METRES

DEFAULT_ROWS = 10
MAX_FIELDS = 6
_NAME_LIKE = re.compile(r"name|title|名", re.IGNORECASE)
_FORMATS = {"gpkg": "GPKG", "geojson": "GeoJSON", "json": "GeoJSON", "csv": "CSV", "shp": "ESRI Shapefile"}
_FORMAT_WORDS = {"geopackage": "gpkg", "shapefile": "shp"} | {each: each for each in _FORMATS}


def count(command: Command, run: Run) -> Plan[str]:
    """All features of a layer, or those that meet a condition."""
    layer = one_layer(run, command.words["layer"])
    where = where_of(command, run, layer)
    result = yield from run.do("count_features", layer_id=layer["layer_id"], **({"where": where} if where else {}))
    return with_remark(answers.counted(run.language, layer["name"], result.data), result.message)


def query(command: Command, run: Run) -> Plan[str]:
    """Rows of a layer: the first ones, or those that meet a condition."""
    layer = one_layer(run, command.words["layer"])
    where = where_of(command, run, layer)
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "limit": _rows_wanted(command)}
    if where:
        arguments["where"] = where
    order = command.words.get("order")
    if order is not None:
        field = one_field(run, order, layer)
        arguments["order_by"] = order if field is None else field["name"]
        arguments.update({"descending": True} if "top" in command.words else {})
    fields = _fields_to_show(layer, [each["field"] for each in where] + [arguments.get("order_by", "")])
    if fields:
        arguments["fields"] = fields
    result = yield from run.do("query_features", **arguments)
    return with_remark(answers.rows(run.language, layer["name"], result.data), result.message)


def _rows_wanted(command: Command) -> int:
    wanted = number(command.words.get("n", ""))
    return DEFAULT_ROWS if wanted is None else max(1, int(wanted))


def _fields_to_show(layer: CatalogueLayer, asked: list[str]) -> list[str]:
    """Few enough fields for a readable line: names, what was asked about, then the first ones. Empty means all."""
    names = [each["name"] for each in layer["fields"]]
    if len(names) <= MAX_FIELDS:
        return []
    first = [each for each in names if _NAME_LIKE.search(each)][:2] + [each for each in asked if each in names]
    return list(dict.fromkeys(first + names))[:MAX_FIELDS]


def count_in(command: Command, run: Run) -> Plan[str]:
    """How many points lie in a place. Nothing but stat_by_polygon counts by area, so a layer is added, and that is said."""
    points = one_layer(run, command.words["layer"], ("point",))
    place = command.words["place"]
    if reads_as_condition(place, points):  # 类型为小学的学校有多少
        return (yield from count(replace(command, where=place), run))
    where = where_of(command, run, points)
    areas = [] if is_pointed(place) else match_layers(place, run.layers, ("polygon",), loose=False)
    if areas:
        areas_id, polygon_where = one_layer(run, place, ("polygon",))["layer_id"], None
    else:
        found = yield from resolve(run, place)
        areas_id, polygon_where = str(found.get("layer_id")), where_of_place(found)
        _require_polygons(run, areas_id, place)
    return (yield from _statistics(run, areas_id, points, polygon_where, where))


def _require_polygons(run: Run, layer_id: str, place: str) -> None:
    kind = next((each["kind"] for each in run.layers if each["layer_id"] == layer_id), "polygon")
    if kind != "polygon":
        text = say(
            run.language,
            "“{place}” is in the layer {layer}, which has no areas, so nothing can lie inside it.",
            "“{place}”属于图层{layer}，它不是面图层，无法统计其内部的要素。",
            place=place,
            layer=layer_id,
        )
        raise Stop(text, "tool_failed")


def stat(command: Command, run: Run) -> Plan[str]:
    """Count by areas of a polygon layer, or by the values of a field when no layer is called so."""
    points = one_layer(run, command.words["layer"], ("point",))
    where = where_of(command, run, points)
    by = command.words["by"]
    areas = match_layers(by, run.layers, ("polygon",))
    if not any(each["kind"] == "polygon" for each in areas) and match_fields(by, points):
        field = one_field(run, by, points)
        arguments: dict[str, Any] = {"layer_id": points["layer_id"], "group_by": field["name"] if field else by}
        result = yield from run.do("count_features", **arguments, **({"where": where} if where else {}))
        return with_remark(answers.counted(run.language, points["name"], result.data), result.message)
    layer = one_layer(run, by, ("polygon",))
    return (yield from _statistics(run, layer["layer_id"], points, None, where))


def _statistics(
    run: Run,
    areas: str,
    points: CatalogueLayer,
    polygon_where: list[dict[str, Any]] | None,
    where: list[dict[str, Any]],
) -> Plan[str]:
    arguments: dict[str, Any] = {"polygon_layer_id": areas, "layer_id": points["layer_id"]}
    arguments.update({"polygon_where": polygon_where} if polygon_where else {})
    arguments.update({"where": where} if where else {})
    result = yield from run.do("stat_by_polygon", **arguments)
    remember_density(run, result.data)
    return with_remark(answers.polygons(run.language, points["name"], result.data), result.message)


def buffer(command: Command, run: Run) -> Plan[str]:
    """Buffers in metres. A distance without a unit is asked about, never guessed."""
    layer = one_layer(run, command.words["layer"])
    where = where_of(command, run, layer)
    said = command.words["n"]
    distance = number(said)
    if distance is None:
        raise Stop(say(run.language, "I cannot read the distance “{said}”.", "无法识别距离“{said}”。", said=said))
    if "unit" not in command.words:
        units = ("米", "公里", "英尺") if run.language == "zh" else ("m", "km", "ft")
        blank = "" if run.language == "zh" else " "
        question = say(run.language, "In which unit is {said}?", "{said}的单位是什么？", said=said)
        raise Ask(question, [run.sentence.replace(said, f"{said}{blank}{unit}", 1) for unit in units])
    metres = round(distance * METRES[command.words["unit"].casefold()], 6)
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "distance_m": metres}
    arguments.update({"where": where} if where else {})
    arguments.update({"dissolve": True} if "dissolve" in command.words else {})
    result = yield from run.do("buffer_layer", **arguments)
    text = say(
        run.language,
        "Buffers of {metres} m around {layer}: {n} features in the new layer “{name}”, computed in {crs}.",
        "已为{layer}生成 {metres} 米缓冲区：新图层“{name}”，{n} 个要素，计算所用坐标系 {crs}。",
        metres=num(result.data.get("distance_m", metres)),
        layer=layer["name"],
        n=num(result.data.get("feature_count", 0)),
        name=result.data.get("name") or result.data.get("layer_id"),
        crs=result.data.get("crs_used") or "?",
    )
    return with_remark(text, result.message)


def export(command: Command, run: Run) -> Plan[str]:
    """Write a layer to a new file. The person sees and clicks the preview; without that nothing is written."""
    layer = one_layer(run, command.words["layer"])
    path, format_name = _target(command.words.get("path", ""), layer["layer_id"])
    result = yield from run.do("prepare_export_layer", layer_id=layer["layer_id"], path=path, format=format_name)
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was written.", "没有写入任何文件。"), "tool_failed")
    text = say(
        run.language,
        "{layer} was written to {path} ({n} features).",
        "{layer}已导出到 {path}（{n} 个要素）。",
        layer=layer["name"],
        path=result.data.get("path", path),
        n=num(result.data.get("feature_count", 0)),
    )
    return text


def _target(said: str, layer_id: str) -> tuple[str, str]:
    """Path and format: "schools.geojson", "geojson" (the layer's own name then) or nothing (a GeoPackage)."""
    path = said.strip("\"'“”‘’ ")
    word = _FORMAT_WORDS.get(path.casefold().lstrip("."))
    if word is not None or not path:
        ending = word or "gpkg"
        return f"{layer_id}.{ending}", _FORMATS[ending]
    return path, _FORMATS.get(path.rpartition(".")[2].casefold(), "GPKG")


DATA_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "count": count,
    "query": query,
    "count_in": count_in,
    "stat": stat,
    "buffer": buffer,
    "export": export,
}
