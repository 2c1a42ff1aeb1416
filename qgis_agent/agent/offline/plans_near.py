"""Plans on what lies near or inside something, on the biggest of a layer, and on saving the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...bridge.messages import CatalogueLayer
from .answers import num, say, with_remark
from .choose import no_raster, one_layer
from .grammar import Command
from .naming import is_key_field, match_layers, spelled
from .places import is_pointed, resolve_all, where_of, where_of_place
from .plans_make import MOST_METRES, asked_metres
from .prose import and_then
from .remarks import fitting
from .steps import Ask, Plan, Run, Stop


def near(command: Command, run: Run) -> Plan[str]:
    """Select or count what lies within a distance of another layer's features."""
    layer, other = one_layer(run, command.words["layer"]), one_layer(run, command.words["other"])
    for each in (layer, other):
        no_raster(run, each, "measure distances from", "按距离查找：")
    metres = asked_metres(command, run)
    if not 0 < metres <= MOST_METRES:
        text = say(
            run.language,
            "The distance must be more than 0 and at most 1000 km.",
            "距离须大于 0 且不超过 1000 公里。",
        )
        raise Stop(text, "tool_failed", "out_of_range")
    where = where_of(command, run, layer)
    if "how" in command.words:  # a question changes no selection
        return (yield from _counted(run, layer, other, metres, where))
    result = yield from run.do(
        "select_by_location",
        layer_id=layer["layer_id"],
        by_layer_id=other["layer_id"],
        predicate="within_distance",
        distance_m=metres,
        **({"options": {"where": where}} if where else {}),
    )
    text = say(
        run.language,
        "{layer} within {metres} m of {other}: {n}. They are selected on the map.",
        "{other} {metres} 米以内的{layer}有 {n} 个，已在地图上选中。",
        layer=layer["name"],
        other=other["name"],
        metres=num(metres),
        n=num(result.data.get("matched", 0)),
    )
    return with_remark(text, fitting(run.language, result.message))


def _counted(
    run: Run, layer: CatalogueLayer, other: CatalogueLayer, metres: float, where: list[dict[str, Any]]
) -> Plan[str]:
    """How many features have a neighbour so near. They are a layer of their own, and that is said."""
    result = yield from run.do(
        "nearest_features",
        layer_id=layer["layer_id"],
        to_layer_id=other["layer_id"],
        max_distance_m=metres,
        options={"keep_unmatched": False, **({"where": where} if where else {})},
    )
    text = say(
        run.language,
        "{layer} within {metres} m of {other}: {n}.",
        "{other} {metres} 米以内的{layer}有 {n} 个。",
        layer=layer["name"],
        other=other["name"],
        metres=num(metres),
        n=num(result.data.get("feature_count", 0)),
    )
    if result.data.get("layer_id"):
        name = result.data.get("name") or result.data["layer_id"]
        text = and_then(text, say(run.language, "The layer “{name}” was added.", "已添加图层“{name}”。", name=name))
    return text


def select_in(command: Command, run: Run) -> Plan[str]:
    """Select what lies inside a place or the areas of a layer."""
    layer, place = one_layer(run, command.words["layer"]), command.words["place"]
    no_raster(run, layer, "select features of", "选择其要素：")
    options: dict[str, Any] = {}
    if not is_pointed(place) and match_layers(place, run.layers, ("polygon",), loose=False):
        areas_id = one_layer(run, place, ("polygon",))["layer_id"]
    else:
        found = yield from resolve_all(run, place)
        areas_id, of_place = str(found.get("layer_id")), where_of_place(found)
        _require_areas(run, areas_id, place)
        options = {"by_where": of_place} if of_place else {}
    where = where_of(command, run, layer)
    options |= {"where": where} if where else {}
    result = yield from run.do(
        "select_by_location",
        layer_id=layer["layer_id"],
        by_layer_id=areas_id,
        predicate="within" if layer["kind"] == "point" else "intersects",
        **({"options": options} if options else {}),
    )
    text = say(
        run.language,
        "{n} features of {layer} in {place} are selected.",
        "已选中{place}内的{layer}，共 {n} 个。",
        n=num(result.data.get("matched", 0)),
        layer=layer["name"],
        place=place,
    )
    return with_remark(text, fitting(run.language, result.message))


def _require_areas(run: Run, layer_id: str, place: str) -> None:
    kind = next((each["kind"] for each in run.layers if each["layer_id"] == layer_id), "polygon")
    if kind != "polygon":
        text = say(
            run.language,
            "“{place}” is no area, so nothing can lie inside it.",
            "“{place}”不是面，无法选择其内部的要素。",
            place=place,
        )
        raise Stop(text, "tool_failed")


def biggest(command: Command, run: Run) -> Plan[str]:
    """The biggest by what? Sizes are compared by a field; which one is the person's choice."""
    layer = one_layer(run, command.words["layer"])
    most = command.words["most"]
    yield from ()  # a plan is a generator; this one asks without a call
    pattern = "{field}{most}的{layer}" if run.language == "zh" else "the {layer} with the {most} {field}"
    said = [pattern.format(field=each, most=most, layer=spelled(layer, run.layers)) for each in _amounts(layer)]
    if not said:
        text = say(
            run.language,
            "I compare by a field with numbers, and {layer} has none.",
            "只能按数值字段比较，而{layer}没有数值字段。",
            layer=layer["name"],
        )
        raise Stop(text, "tool_failed")
    raise Ask(say(run.language, "By which field?", "按哪个字段比较？"), said)


def _amounts(layer: CatalogueLayer) -> list[str]:
    """Fields with numbers that are no keys."""
    numeric = [each["name"] for each in layer["fields"] if each["type"] in ("integer", "number")]
    return [each for each in numeric if not is_key_field(each)]


def save_project(_command: Command, run: Run) -> Plan[str]:
    """Save the project to its own file. The person sees and clicks the preview; without that nothing is written."""
    result = yield from run.do("prepare_save_project")
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was saved.", "没有保存任何内容。"), "tool_failed")
    return with_remark(
        say(run.language, "The project is saved.", "工程已保存。"), fitting(run.language, result.message)
    )


NEAR_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "near": near,
    "select_in": select_in,
    "biggest": biggest,
    "save_project": save_project,
}
