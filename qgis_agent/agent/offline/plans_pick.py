"""Plans that pick features: filter, select, highlight, measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...bridge.envelope import NOT_FOUND
from . import answers
from .answers import num, say, with_remark
from .choose import DRAWN, no_raster, one_layer
from .filters import hidden_place
from .finding import is_no_layer, sure_layers
from .grammar import Command
from .naming import match_layers
from .places import is_pointed, resolve, where_of, where_of_place
from .plans_data import query
from .steps import Ask, Plan, Result, Run, Stop, ToolFailed

_METHODS = {"area": "area", "size": "area", "面积": "area", "多大": "area", "big": "area", "large": "area"} | {
    "length": "length", "long": "length", "长度": "length", "多长": "length", "perimeter": "perimeter", "周长": "perimeter",
}  # fmt: skip
_COUNTS = ("features_after", "selected", "count")
"""Where a result says how many features it is about now."""
_FITTING = {"area": ("polygon",), "perimeter": ("polygon",), "length": ("line",)}
_OF_KIND = {"polygon": "area", "line": "length"}


def filter_(command: Command, run: Run) -> Plan[str]:
    """Show only the features that meet a condition; "show … where" lists them where no filter can be set."""
    if command.words.get("shown") and not run.has("set_layer_filter"):
        return (yield from query(command, run))
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "filter", "筛选")
    where = where_of(command, run, layer)
    result = yield from run.do("set_layer_filter", layer_id=layer["layer_id"], where=where)
    done = say(run.language, "{layer} is filtered.", "已筛选{layer}。", layer=layer["name"])
    return _told(run, done, result)


def clear_filter(command: Command, run: Run) -> Plan[str]:
    """All features again."""
    if "layer" not in command.words:
        raise Ask(say(run.language, "The filter of which layer?", "取消哪个图层的筛选？"), _filtered(run))
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "filter", "筛选")
    result = yield from run.do("set_layer_filter", layer_id=layer["layer_id"], where=[])
    done = say(run.language, "The filter of {layer} is cleared.", "已取消{layer}的筛选。", layer=layer["name"])
    return _told(run, done, result)


def _filtered(run: Run) -> list[str]:
    """A sentence for each layer that could have a filter; which ones have one is not known here."""
    words = say(run.language, "clear the filter on {name}", "取消{name}的筛选", name="{name}")
    return [words.format(name=each["name"]) for each in run.layers if each["kind"] in DRAWN]


def select(command: Command, run: Run) -> Plan[str]:
    """Select features: those that meet a condition, those of a place, or all of a layer."""
    layer, arguments = yield from _features(command, run, "select features of", "选择其要素：")
    result = yield from run.do("select_features", **arguments)
    done = say(run.language, "Features of {layer} are selected.", "已选中{layer}的要素。", layer=layer)
    return _told(run, done, result)


def _features(command: Command, run: Run, english: str, chinese: str) -> Plan[tuple[str, dict[str, Any]]]:
    """The name of what is meant, and ``layer_id`` and ``where``: a layer, with a condition or not, or else a place."""
    phrase = command.words["layer"]
    if not command.where and not _named(phrase, run):
        try:
            target = yield from _place(run, phrase)
        except ToolFailed as failure:
            hidden = hidden_place(run, failure.envelope) and is_no_layer(phrase, run.layers)
            if failure.envelope.get("code") != NOT_FOUND or hidden:
                raise
        else:
            return phrase, target
    layer = one_layer(run, phrase)
    no_raster(run, layer, english, chinese)
    where = where_of(command, run, layer)
    return layer["name"], {"layer_id": layer["layer_id"], **({"where": where} if where else {})}


def invert_selection(command: Command, run: Run) -> Plan[str]:
    """What was selected no more, all else."""
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "select features of", "选择其要素：")
    result = yield from run.do("select_features", layer_id=layer["layer_id"], mode="invert")
    done = say(run.language, "The selection of {layer} is inverted.", "已反选{layer}。", layer=layer["name"])
    return _told(run, done, result)


def clear_selection(command: Command, run: Run) -> Plan[str]:
    """Nothing selected, in one layer or in all."""
    named = command.words.get("layer", "")
    arguments = {"layer_id": one_layer(run, named)["layer_id"]} if named else {}
    result = yield from run.do("clear_selection", **arguments)
    return _told(run, say(run.language, "The selection is cleared.", "已取消选择。"), result)


def highlight(command: Command, run: Run) -> Plan[str]:
    """Make features stand out for a while."""
    layer, arguments = yield from _features(command, run, "highlight features of", "高亮其要素：")
    result = yield from run.do("highlight_features", **arguments)
    done = say(run.language, "Features of {layer} are highlighted.", "已高亮{layer}的要素。", layer=layer)
    return _told(run, done, result)


def measure(command: Command, run: Run) -> Plan[str]:
    """Length, area or perimeter of a layer, of its features that meet a condition, or of a place."""
    phrase = command.words["place"]
    target: dict[str, Any]
    if is_pointed(phrase):
        method = _METHODS.get(command.words.get("kind", "").casefold(), "")
        if not method:
            raise Stop(_which_measure(run))
        target, name = {"use_selection": True}, phrase
    elif command.where or _named(phrase, run):
        layer = one_layer(run, phrase, _kinds(command))
        method = _method(command, run, layer["kind"], layer["name"])
        where = where_of(command, run, layer)
        target, name = {"layer_id": layer["layer_id"], **({"where": where} if where else {})}, layer["name"]
    else:
        target = yield from _place(run, phrase)
        kind = next((each["kind"] for each in run.layers if each["layer_id"] == target["layer_id"]), "")
        method, name = _method(command, run, kind, phrase), phrase
    result = yield from run.do("measure", method=method, **target)
    return _measured(run, name, method, result)


def distance(command: Command, run: Run) -> Plan[str]:
    """Distance between two places, two layers, or the features that are selected."""
    first, second = command.words["place"], command.words.get("place2")
    if second is None:
        result = yield from run.do("measure", method="distance", use_selection=True)
        return _measured(run, first, "distance", result)
    one = yield from _place(run, first)
    two = yield from _place(run, second)
    others = {f"other_{key}": value for key, value in two.items()}
    result = yield from run.do("measure", method="distance", **one, **others)
    return _measured(run, f"{first} – {second}", "distance", result)


def _place(run: Run, phrase: str) -> Plan[dict[str, Any]]:
    """``layer_id`` and ``where`` of a layer or a place. Raises Stop where the place has too many values to name."""
    if match_layers(phrase, run.layers, loose=False) or sure_layers(phrase, run.layers):
        return {"layer_id": one_layer(run, phrase)["layer_id"]}
    found = yield from resolve(run, phrase)
    where = where_of_place(found)
    if where is None:
        text = say(run.language, "“{place}” means too many features.", "“{place}”包含的要素太多。", place=phrase)
        raise Stop(text, "tool_failed")
    return {"layer_id": str(found["layer_id"]), "where": where}


def _named(phrase: str, run: Run) -> bool:
    """Whether words name a layer, in any letters."""
    return bool(match_layers(phrase, run.layers) or sure_layers(phrase, run.layers))


def _kinds(command: Command) -> tuple[str, ...]:
    return _FITTING.get(_METHODS.get(command.words.get("kind", "").casefold(), ""), ("polygon", "line"))


def _method(command: Command, run: Run, kind: str, name: str) -> str:
    """What is measured. Raises Stop for a layer that has no such measure: points have none, lines have no area."""
    method = _METHODS.get(command.words.get("kind", "").casefold()) or _OF_KIND.get(kind, "")
    if kind in _FITTING.get(method, ()) or (method == "length" and kind == "polygon"):
        return "perimeter" if method == "length" and kind == "polygon" else method
    text = say(
        run.language,
        "I cannot measure that of “{name}”: it is a layer of kind {kind}.",
        "无法测量“{name}”：它的类型是{kind}。",
        name=name,
        kind=answers.kind_name(run.language, kind),
    )
    raise Stop(text, "tool_failed", "layer_kind")


def _which_measure(run: Run) -> str:
    return say(
        run.language,
        "Say what to measure: length, area or distance.",
        "请说明要测量什么：长度、面积还是距离。",
    )


def _measured(run: Run, name: str, method: str, result: Result) -> str:
    """The number of the tool with its unit; without one, what the tool said."""
    value, unit = result.data.get("value"), str(result.data.get("unit") or "")
    words = {
        "area": ("area", "面积"),
        "length": ("length", "长度"),
        "perimeter": ("perimeter", "周长"),
        "distance": ("distance", "距离"),
    }
    if value is None:
        return result.message or say(run.language, "Measured.", "已测量。")
    text = say(
        run.language,
        "{name}: {what} {n} {unit}.",
        "{name}：{what} {n} {unit}。",
        name=name,
        what=words[method][run.language == "zh"],
        n=num(value),
        unit=unit,
    )
    return with_remark(text, result.message)


def _told(run: Run, done: str, result: Result) -> str:
    """What was done, how many features it was where the tool says so, and its remark."""
    count = next((result.data[each] for each in _COUNTS if result.data.get(each) is not None), None)
    if count is not None:
        done += say(run.language, " Features: {n}.", "要素：{n} 个。", n=num(count))
    return with_remark(done, result.message)


PICK_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "filter": filter_,
    "clear_filter": clear_filter,
    "select": select,
    "invert_selection": invert_selection,
    "clear_selection": clear_selection,
    "highlight": highlight,
    "measure": measure,
    "distance": distance,
}
