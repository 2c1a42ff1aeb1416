"""Plans that change or read the map's look: zoom, show and hide, colours, styles, lists and descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...bridge.messages import CatalogueLayer
from . import answers
from .answers import say, with_remark
from .choose import one_field, one_layer
from .conditions import parse_where
from .grammar import Command
from .naming import match_layers, same_concept, strip_phrase
from .steps import Plan, Planned, Run, Stop, ToolFailed, succeeded
from .words import AREA_FIELD, AREA_WORDS, COLOURS

_EVERYTHING = re.compile(
    r"^(?:all|everything|every layer|all (?:the )?layers|(?:所有|全部)的?(?:图层)?)$", re.IGNORECASE
)
_SELECTION = re.compile(r"^(?:the )?(?:selection|selected\b.*)$|^(?:当前)?(?:选中|选择|所选)", re.IGNORECASE)
_SEVERAL = re.compile(r"\s*[,、&]\s*|\s+and\s+|[和与跟及]", re.IGNORECASE)
_DENSITY = re.compile(
    r"^(?:the )?density of (?P<a>.+?)(?: per .+)?$|^(?:the )?(?P<b>.+?) density(?: per .+)?$|"
    r"^(?P<c>.+?) per (?:square kilomet(?:re|er)|sq\.? ?km|km2)$|^(?:每平方公里|每平方千米)的?(?P<d>.+?)(?:的?(?:分布)?密度|数量|个数|数)?$|"
    r"^(?P<e>.+?)的?(?:分布)?密度$",
    re.IGNORECASE,
)
_PLAIN_DENSITY = re.compile(
    r"^(?:the )?density(?: per .+)?$|^(?:每平方公里|每平方千米)?的?(?:分布)?密度$", re.IGNORECASE
)
DENSITY_FIELD = "density_per_km2"
MAX_TOGGLES = 20


def help_(_command: Command, run: Run) -> Plan[str]:
    """What can be said."""
    yield from ()
    return answers.help_text(run.language)


def list_layers(_command: Command, run: Run) -> Plan[str]:
    """The layers of the project."""
    result = yield from run.do("search_layers", query="", limit=50)
    return answers.layer_list(run.language, result.data)


def describe(command: Command, run: Run) -> Plan[str]:
    """One layer in words."""
    layer = one_layer(run, command.words["layer"])
    result = yield from run.do("describe_layer", layer_id=layer["layer_id"])
    return with_remark(answers.description(run.language, result.data), result.message)


def get_style(command: Command, run: Run) -> Plan[str]:
    """How a layer is drawn."""
    layer = one_layer(run, command.words["layer"])
    result = yield from run.do("get_style", layer_id=layer["layer_id"])
    return answers.style(run.language, layer["name"], result.data)


def zoom(command: Command, run: Run) -> Plan[str]:
    """To a layer when the words name one exactly, else to a place among the features of all layers."""
    place = command.words["place"]
    layers = match_layers(place, run.layers, loose=strip_phrase(place) != place.strip())
    if layers and not _SELECTION.match(place):
        layer = one_layer(run, place)
        where = where_of(command, run, layer)
        result = yield from run.do("zoom_to", layer_id=layer["layer_id"], **({"where": where} if where else {}))
        return with_remark(
            say(run.language, "The map shows {name}.", "地图已定位到{name}。", name=layer["name"]), result.message
        )
    found = yield from resolve(run, place)
    result = yield from run.do("zoom_to", **features_of(found))
    names = found.get("names") or [place]
    shown = answers.listed(run.language, (str(each) for each in names[: answers.MAX_LINES]))
    return with_remark(say(run.language, "The map shows {name}.", "地图已定位到{name}。", name=shown), result.message)


def resolve(run: Run, place: str) -> Plan[dict[str, Any]]:
    """The data of resolve_place. "这三个", "these", "the selection" mean what is selected on the map."""
    pointed = is_pointed(place)
    result = yield from run.do("resolve_place", text=place, **({"use_selection": True} if pointed else {}))
    return result.data


def is_pointed(place: str) -> bool:
    """Whether words point at what is selected instead of naming it."""
    return bool(
        _SELECTION.match(place)
        or re.match(r"^(?:这|那|these\b|those\b|(?:the )?selected\b|选中|所选)", place, re.IGNORECASE)
    )


def features_of(found: dict[str, Any]) -> dict[str, Any]:
    """Arguments that mean the features that resolve_place found. A list that was cut short is shown by its box."""
    where = where_of_place(found)
    if where is None and found.get("bbox"):
        return {"bbox": found["bbox"]}
    return {"layer_id": found["layer_id"], "where": where or []}


def where_of_place(found: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The condition for the features that resolve_place found; None when its list of values is not complete."""
    values = found.get("values") or []
    if len(values) < int(found.get("count") or len(values)):
        return None
    return [{"field": found["field"], "op": "in", "value": list(values)}]


def where_of(command: Command, run: Run, layer: CatalogueLayer) -> list[dict[str, Any]]:
    """The condition of a command for a layer. Raises Stop when it cannot be read."""
    where = parse_where(command.where, layer)
    if where is None:
        text = say(
            run.language,
            "I cannot read the condition “{condition}”. Write it like “kind = 小学” or “pupils > 500”.",
            "无法理解条件“{condition}”。请写成“类型=小学”或“学生数大于500”这样的形式。",
            condition=command.where,
        )
        raise Stop(text)
    return where


def show(command: Command, run: Run) -> Plan[str]:
    """Switch layers on."""
    return (yield from _toggle(command, run, True))


def hide(command: Command, run: Run) -> Plan[str]:
    """Switch layers off."""
    return (yield from _toggle(command, run, False))


def look(command: Command, run: Run) -> Plan[str]:
    """ "Show me …": a layer when the words name one, else a place."""
    place = command.words["place"]
    parts = [each for each in _SEVERAL.split(place) if each.strip()]
    if _EVERYTHING.match(place) or all(match_layers(each, run.layers) for each in parts):
        return (yield from _toggle(replace(command, words={"layers": place}), run, True))
    return (yield from zoom(command, run))


def _toggle(command: Command, run: Run, visible: bool) -> Plan[str]:
    wanted = _layers_of(command.words["layers"], run)
    settled = yield [Planned("toggle_layer", {"layer_id": each["layer_id"], "visible": visible}) for each in wanted]
    names: list[str] = []
    remarks: list[str] = []
    problem: ToolFailed | None = None
    for layer, call in zip(wanted, settled, strict=True):
        try:
            result = succeeded(call)
        except ToolFailed as error:
            problem = problem or error
            continue
        names.append(layer["name"])
        remarks.append(result.message)
    done = say(run.language, "Shown: {names}.", "已显示：{names}。", names=answers.listed(run.language, names))
    if not visible:
        done = say(run.language, "Hidden: {names}.", "已隐藏：{names}。", names=answers.listed(run.language, names))
    if problem is not None:
        if names:
            run.said.append(done)
        raise problem
    return with_remark(done, " ".join(dict.fromkeys(each for each in remarks if each)))


def _layers_of(phrase: str, run: Run) -> list[CatalogueLayer]:
    """The layers of "schools and hospitals", 学校和医院, "all layers"."""
    if _EVERYTHING.match(phrase.strip()):
        if not run.layers:
            raise Stop(answers.no_layer(run.language, phrase, run.layers))
        if len(run.layers) > MAX_TOGGLES:
            raise Stop(
                say(
                    run.language,
                    "That are too many layers at once. Name the ones you mean.",
                    "一次涉及的图层太多，请说出具体的图层。",
                )
            )
        return run.layers
    parts = [each for each in _SEVERAL.split(phrase) if each.strip()]
    if len(parts) < 2 or match_layers(phrase, run.layers):
        return [one_layer(run, phrase)]
    chosen = [one_layer(run, each) for each in parts]
    return list({each["layer_id"]: each for each in chosen}.values())


def single(command: Command, run: Run) -> Plan[str]:
    """One colour."""
    layer = one_layer(run, command.words["layer"])
    said = command.words["colour"]
    colour = said if said.startswith("#") else COLOURS[said.casefold()]
    result = yield from run.do(
        "set_render_rule", layer_id=layer["layer_id"], method="single", options={"color": colour}
    )
    text = say(
        run.language, "{name} is drawn in {colour} now.", "{name}已改为{colour}。", name=layer["name"], colour=said
    )
    return with_remark(text, result.message)


def colour_by(command: Command, run: Run) -> Plan[str]:
    """Classes of a number field, categories of others; by area and by density also where there is no such field."""
    layer = one_layer(run, command.words["layer"], ("polygon", "line", "point"))
    said = command.words["field"]
    field = one_field(run, said, layer)
    if field is not None:
        categories = "categories" in command.words or field["type"] not in ("integer", "number")
        return (yield from _render(command, run, layer["layer_id"], layer["name"], field["name"], categories, said))
    if layer["kind"] == "polygon" and same_concept(said, AREA_WORDS):
        label = say(run.language, "area (km²)", "面积（平方公里）")
        return (yield from _render(command, run, layer["layer_id"], layer["name"], AREA_FIELD, False, label))
    density = _DENSITY.match(said)
    if density is not None and not _PLAIN_DENSITY.match(said):
        points = one_layer(run, next(each for each in density.groups() if each), ("point",))
        return (yield from _density(command, run, layer, points))
    # The tool knows the fields as they are now, and answers with the nearest names.
    return (
        yield from _render(
            command, run, layer["layer_id"], layer["name"], strip_phrase(said), "categories" in command.words, said
        )
    )


def _density(command: Command, run: Run, layer: CatalogueLayer, points: CatalogueLayer) -> Plan[str]:
    counted = yield from run.do("stat_by_polygon", polygon_layer_id=layer["layer_id"], layer_id=points["layer_id"])
    run.said.append(with_remark(answers.polygons(run.language, points["name"], counted.data), counted.message))
    remember_density(run, counted.data)
    return (yield from _colour_density(command, run))


def remember_density(run: Run, data: dict[str, Any]) -> None:
    """Keep the layer that stat_by_polygon made for a later clause ("colour it by density")."""
    run.density_layer = str(data.get("layer_id") or "")
    run.density_polygons = int(data.get("polygons") or len(data.get("rows") or ()))


def colour_last(command: Command, run: Run) -> Plan[str]:
    """Colour the layer that the same sentence has just made."""
    said = command.words["field"]
    if not run.density_layer or not (_PLAIN_DENSITY.match(said) or _DENSITY.match(said)):
        raise Stop(
            say(
                run.language,
                "Say which layer to colour, for example “colour the streets by area”.",
                "请说明给哪个图层着色，例如“街道按面积分5级设色”。",
            )
        )
    return (yield from _colour_density(command, run))


def _colour_density(command: Command, run: Run) -> Plan[str]:
    label = say(run.language, "density (per km²)", "密度（个/平方公里）")
    few = None if run.density_polygons >= 5 else max(run.density_polygons, 2)
    name = say(run.language, "The new layer", "新图层")
    return (yield from _render(command, run, run.density_layer, name, DENSITY_FIELD, False, label, few))


def _render(
    command: Command,
    run: Run,
    layer_id: str,
    name: str,
    field: str,
    categories: bool,
    label: str,
    classes: int | None = None,
) -> Plan[str]:
    modifiers = command.modifiers
    options: dict[str, Any] = {}
    arguments: dict[str, Any] = {
        "layer_id": layer_id,
        "method": "categorized" if categories else "graduated",
        "field": field,
    }
    if not categories:
        number = modifiers.classes or classes
        arguments.update({"classes": number} if number else {})
        options.update({"classification": modifiers.classification} if modifiers.classification else {})
    if modifiers.reverse:
        options["reverse"] = True
    if label != field:
        options["legend_title"] = label[:80]
    arguments.update({"palette": modifiers.palette} if modifiers.palette else {})
    arguments.update({"options": options} if options else {})
    result = yield from run.do("set_render_rule", **arguments)
    return answers.rendered(run.language, name, label, result)


MAP_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "help": help_,
    "list_layers": list_layers,
    "describe": describe,
    "get_style": get_style,
    "zoom": zoom,
    "show": show,
    "hide": hide,
    "look": look,
    "single": single,
    "colour_by": colour_by,
    "colour_last": colour_last,
}
