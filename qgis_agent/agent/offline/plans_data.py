"""Plans that read data: counting, rows, values, sums, counting by area."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...bridge.messages import CatalogueLayer
from . import answers
from .answers import say, with_remark
from .choose import no_raster, one_field, one_layer
from .conditions import reads_as_condition
from .filters import told
from .finding import is_no_layer
from .grammar import Command
from .naming import is_key_field, match_fields, match_layers, several_names, spelled, strip_phrase
from .places import is_pointed, resolve, resolve_all, where_of, where_of_place
from .plans_look import remember_density
from .plans_values import counted_by_value
from .remarks import counted_by_area
from .steps import Ask, Plan, Run, Stop
from .text import number

DEFAULT_ROWS = 10
MAX_FIELDS = 6
_SMALL = re.compile(r"few|least|low|small|short|少|小|低|短", re.IGNORECASE)
_NAME_LIKE = re.compile(r"name|title|名", re.IGNORECASE)


def count(command: Command, run: Run) -> Plan[str]:
    """All features of a layer, or those that meet a condition; words that name no layer may be a value."""
    if not command.where and is_no_layer(command.words["layer"], run.layers):
        answer = yield from counted_by_value(command, run)
        if answer is not None:
            return answer
    layer = one_layer(run, command.words["layer"])
    where = where_of(command, run, layer)
    result = yield from run.do("count_features", layer_id=layer["layer_id"], **({"where": where} if where else {}))
    return told(run, answers.counted(run.language, layer["name"], result.data), (layer["layer_id"],), result.message)


def query(command: Command, run: Run) -> Plan[str]:
    """Rows of a layer: the first ones, those that meet a condition, or the ends of an order."""
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "list rows of", "列出其记录：")
    where = where_of(command, run, layer)
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "limit": _rows_wanted(command)}
    if where:
        arguments["where"] = where
    order = command.words.get("order")
    if order is not None:
        field = one_field(run, order, layer)
        if field is None:
            _offer_count(run, layer, order)
        arguments["order_by"] = order if field is None else field["name"]
        arguments.update({"descending": True} if "top" in command.words or _most(command) else {})
    fields = _columns(command, run, layer)
    fields = fields or _fields_to_show(layer, [each["field"] for each in where] + [arguments.get("order_by", "")])
    if fields:
        arguments["fields"] = fields
    result = yield from run.do("query_features", **arguments)
    return told(run, answers.rows(run.language, layer["name"], result.data), (layer["layer_id"],), result.message)


def _offer_count(run: Run, areas: CatalogueLayer, order: str) -> None:
    """Raise Ask where the order of areas is no field of theirs but a layer of points: 哪个区学校最多 is a count by area."""
    points = [each for each in match_layers(order, run.layers, ("point",), loose=False) if each["kind"] == "point"]
    if areas["kind"] != "polygon" or not points or not run.has("stat_by_polygon"):
        return
    question = say(
        run.language,
        "{areas} has no field “{order}”. Count by area instead?",
        "{areas}没有字段“{order}”。要改为按区域统计数量吗？",
        areas=areas["name"],
        order=order,
    )
    pattern = "统计每个{areas}的{points}数量" if run.language == "zh" else "count {points} per {areas}"
    by = spelled(areas, run.layers)
    raise Ask(question, [pattern.format(areas=by, points=spelled(each, run.layers)) for each in points])


def _columns(command: Command, run: Run, layer: CatalogueLayer) -> list[str]:
    """The fields that were named as what to list (列出学校的名称); words that name none are passed on to the tool."""
    said = several_names(command.words.get("columns", ""))
    found = [(each, one_field(run, each, layer)) for each in said]
    return [strip_phrase(each) if field is None else field["name"] for each, field in found]


def _rows_wanted(command: Command) -> int:
    wanted = number(command.words.get("n", ""))
    usual = 1 if command.intent == "top" else DEFAULT_ROWS
    if wanted is not None and wanted < 1:
        raise Stop(say(command.language, "At least one row, please.", "行数至少为 1。"))
    return usual if wanted is None else int(wanted)


def _most(command: Command) -> bool:
    """Whether an order begins with the largest: 最多, "the most"; 最少 and "fewest" begin with the smallest."""
    return command.intent == "top" and not _SMALL.search(command.words.get("most", ""))


def _fields_to_show(layer: CatalogueLayer, asked: list[str]) -> list[str]:
    """Few enough fields for a readable line: names, what was asked about, then the first ones. Empty means all.

    Keys (fid, id) say nothing to a person and are left out.
    """
    every = [each["name"] for each in layer["fields"]]
    names = [each for each in every if not is_key_field(each) or each in asked] or every
    if len(every) <= MAX_FIELDS and names == every:
        return []
    first = [each for each in names if _NAME_LIKE.search(each)][:2] + [each for each in asked if each in names]
    return list(dict.fromkeys(first + names))[:MAX_FIELDS]


def count_in(command: Command, run: Run) -> Plan[str]:
    """How many points lie in a place. Nothing but stat_by_polygon counts by area, so a layer is added, and that is said."""
    place = command.words["place"]
    if is_no_layer(command.words["layer"], run.layers):
        home = match_layers(place, run.layers, loose=False)
        answer = (yield from counted_by_value(command, run, home)) if len(home) == 1 else None
        if answer is not None:
            return answer
    points = one_layer(run, command.words["layer"], ("point",))
    if reads_as_condition(place, points):  # 类型为小学的学校有多少
        return (yield from count(replace(command, where=place), run))
    _require_points(run, points)
    where = where_of(command, run, points)
    areas = [] if is_pointed(place) else match_layers(place, run.layers, ("polygon",), loose=False)
    if areas:
        areas_id, polygon_where = one_layer(run, place, ("polygon",))["layer_id"], None
    else:
        found = yield from resolve_all(run, place)
        areas_id, polygon_where = str(found.get("layer_id")), where_of_place(found)
        _require_polygons(run, areas_id, place)
    return (yield from _statistics(run, areas_id, points, polygon_where, where))


def _require_points(run: Run, layer: CatalogueLayer) -> None:
    if layer["kind"] != "point":
        text = say(
            run.language,
            "I can count points inside of areas, and “{layer}” is a layer of kind {kind}.",
            "只能统计面内的点，而“{layer}”的类型是{kind}。",
            layer=layer["name"],
            kind=answers.kind_name(run.language, layer["kind"]),
        )
        raise Stop(text, "tool_failed", "layer_kind")


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
        return told(
            run, answers.counted(run.language, points["name"], result.data), (points["layer_id"],), result.message
        )
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
    chosen = answers.area_names(run.language, result.data)[: answers.MAX_LINES] if polygon_where else []
    remark = counted_by_area(run.language, result.data, chosen, result.message)
    text = answers.polygons(run.language, points["name"], result.data)
    return told(run, text, (areas, points["layer_id"]), remark, result.message)


def describe(command: Command, run: Run) -> Plan[str]:
    """One layer in words."""
    layer = one_layer(run, command.words["layer"])
    result = yield from run.do("describe_layer", layer_id=layer["layer_id"])
    return with_remark(answers.description(run.language, result.data), result.message)


def list_values(command: Command, run: Run) -> Plan[str]:
    """The different values of a field; counted by value where there is no tool for the list alone."""
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "list values of", "列出其取值：")
    field = _field_name(command, run, layer)
    if run.has("list_values"):
        result = yield from run.do("list_values", layer_id=layer["layer_id"], field=field)
        return told(
            run, answers.values(run.language, layer["name"], field, result.data), (layer["layer_id"],), result.message
        )
    result = yield from run.do("count_features", layer_id=layer["layer_id"], group_by=field)
    return told(run, answers.counted(run.language, layer["name"], result.data), (layer["layer_id"],), result.message)


def summarize(command: Command, run: Run) -> Plan[str]:
    """Sum, mean, extremes of a field."""
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "summarise", "统计")
    if command.words.get("how", "").casefold() == "how many" and not match_fields(command.words["field"], layer):
        counting = replace(command, words={"layer": command.words["field"]})
        answer = yield from counted_by_value(counting, run, [layer])
        if answer is not None:
            return answer
    field = _field_name(command, run, layer)
    where = where_of(command, run, layer)
    result = yield from run.do(
        "summarize_field", layer_id=layer["layer_id"], field=field, **({"where": where} if where else {})
    )
    return told(
        run, answers.summary(run.language, layer["name"], field, result.data), (layer["layer_id"],), result.message
    )


def attribute(command: Command, run: Run) -> Plan[str]:
    """A field of a place; of a whole layer its sum, mean and extremes."""
    place = command.words["place"]
    if match_layers(place, run.layers, loose=False):
        return (yield from summarize(replace(command, words={**command.words, "layer": place}), run))
    found = yield from resolve(run, place)
    layer = next((each for each in run.layers if each["layer_id"] == found.get("layer_id")), None)
    field = one_field(run, command.words["field"], layer) if layer else None
    if layer is None or field is None:
        text = say(run.language, "There is no such field for “{place}”.", "“{place}”没有这个字段。", place=place)
        raise Stop(text, "tool_failed")
    where = where_of_place(found) or []
    fields = list(dict.fromkeys([str(found["field"]), field["name"]]))
    result = yield from run.do(
        "query_features", layer_id=layer["layer_id"], where=where, fields=fields, limit=DEFAULT_ROWS
    )
    return told(run, answers.rows(run.language, layer["name"], result.data), (layer["layer_id"],), result.message)


def _field_name(command: Command, run: Run, layer: CatalogueLayer) -> str:
    """The field that is meant; words that name none are passed on, the tool answers with the nearest names."""
    said = command.words["field"]
    field = one_field(run, said, layer)
    return strip_phrase(said) if field is None else field["name"]


DATA_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "count": count,
    "query": query,
    "top": query,
    "count_in": count_in,
    "stat": stat,
    "describe": describe,
    "fields": describe,
    "list_values": list_values,
    "summarize": summarize,
    "attribute": attribute,
}
