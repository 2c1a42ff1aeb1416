"""Plans about looks beyond colours: heatmaps, clusters, sizes, rasters, palettes, the look of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...bridge.messages import CatalogueLayer
from .answers import kind_name, num, say, with_remark
from .choose import DRAWN, one_field, one_layer
from .grammar import Command
from .naming import strip_phrase
from .steps import Plan, Run, Stop
from .targets import target
from .text import number
from .words import COLOURS, PALETTES

_PALETTES_ZH = {
    "红": "Reds",
    "蓝": "Blues",
    "绿": "Greens",
    "紫": "Purples",
    "橙": "Oranges",
    "橘": "Oranges",
    "灰": "Greys",
}
_NUMBERS = ("integer", "number")
FEWEST, MOST = 2, 20
_MOST_POINTS = 200


def heatmap(command: Command, run: Run) -> Plan[str]:
    """Points as a heatmap, weighted by a number field where one is named."""
    layer = target(command, run, "show {name} as a heatmap", "{name}做热力图", ("point",))
    _require(run, layer, ("point",), "as a heatmap", "画成热力图")
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "method": "heatmap"}
    said = command.words.get("field", "")
    field = _number_field(run, said, layer) if said else ""
    arguments.update({"field": field} if field else {})
    arguments.update(_palette_of(command))
    result = yield from run.do("set_render_rule", **arguments)
    done = say(run.language, "{name} is drawn as a heatmap.", "{name}已显示为热力图。", name=layer["name"])
    if field:
        done += say(run.language, " The weight is {field}.", "权重字段为{field}。", field=said)
    return with_remark(done, result.message)


def cluster(command: Command, run: Run) -> Plan[str]:
    """Points that lie close together as one with their number."""
    layer = one_layer(run, command.words["layer"], ("point",))
    _require(run, layer, ("point",), "as clusters", "聚合显示")
    result = yield from run.do("set_render_rule", layer_id=layer["layer_id"], method="cluster")
    done = say(
        run.language,
        "Points of {name} that lie close together are drawn as one, with their number.",
        "{name}中距离很近的点已聚合显示，并标出数量。",
        name=layer["name"],
    )
    return with_remark(done, result.message)


_RASTER_LOOKS = {
    "hillshade": ("hillshade", "as a hillshade", "画成山体阴影"),
    "tint": ("pseudocolor", "in colours by value", "分层设色"),
    "gray": ("gray", "in grayscale", "用灰度显示"),
}


def raster_look(command: Command, run: Run) -> Plan[str]:
    """A raster as hillshade, in colours by value, or in shades of gray."""
    return (yield from draw_raster(command, run, one_layer(run, command.words["layer"], ("raster",)), command.intent))


def draw_raster(command: Command, run: Run, layer: CatalogueLayer, look: str) -> Plan[str]:
    """``look`` is "hillshade", "tint" or "gray"."""
    method, english, chinese = _RASTER_LOOKS[look]
    _require(run, layer, ("raster",), english, chinese)
    arguments: dict[str, Any] = {"layer_id": layer["layer_id"], "method": method}
    if look == "tint":
        arguments.update(_tint_settings(command, run))
    result = yield from run.do("set_raster_style", **arguments)
    done = say(
        run.language,
        "{name} is drawn {how}.",
        "{name}已{how}。",
        name=layer["name"],
        how=chinese if run.language == "zh" else english,
    )
    low, high = result.data.get("min"), result.data.get("max")
    if look != "hillshade" and isinstance(low, (int, float)) and isinstance(high, (int, float)):
        done += say(
            run.language, " Values: {low} to {high}.", "取值范围：{low} 到 {high}。", low=num(low), high=num(high)
        )
    return with_remark(done, result.message)


def _tint_settings(command: Command, run: Run) -> dict[str, Any]:
    modifiers = command.modifiers
    if modifiers.classes is not None and not FEWEST <= modifiers.classes <= MOST:
        text = say(run.language, "A layer can have 2 to 20 classes.", "分级数须在 2 到 20 之间。")
        raise Stop(text, "tool_failed", "out_of_range")
    options: dict[str, Any] = {"reverse": True} if modifiers.reverse else {}
    options.update({"classification": modifiers.classification} if modifiers.classification else {})
    found: dict[str, Any] = {"classes": modifiers.classes} if modifiers.classes else {}
    if modifiers.classification and not modifiers.classes:
        found["classes"] = 5
    return found | _palette_of(command) | ({"options": options} if options else {})


def size_by(command: Command, run: Run) -> Plan[str]:
    """The size of symbols by a number field."""
    layer = one_layer(run, command.words["layer"], DRAWN)
    _require(run, layer, DRAWN, "with sizes", "设置符号大小")
    said = command.words["field"]
    field = _number_field(run, said, layer)
    result = yield from run.do("set_render_rule", layer_id=layer["layer_id"], method="single", options={"size": field})
    done = say(
        run.language,
        "The size of the symbols of {name} shows {field}.",
        "{name}的符号大小已按{field}设置。",
        name=layer["name"],
        field=said,
    )
    return with_remark(done, result.message)


def palette(command: Command, run: Run) -> Plan[str]:
    """Other colours for the classes that a layer has."""
    layer = one_layer(run, command.words["layer"])
    said = command.words.get("palette") or command.words["palette2"]
    name = _palette_named(said)
    if not name:
        text = say(run.language, "I do not know the palette “{said}”.", "没有名为“{said}”的配色。", said=said)
        raise Stop(text, "tool_failed", "palette")
    result = yield from run.do("patch_style", layer_id=layer["layer_id"], patch={"renderer": {"palette": name}})
    done = say(
        run.language, "{name} has the palette {said} now.", "{name}的配色已换成{said}。", name=layer["name"], said=said
    )
    return with_remark(done, result.message)


def _palette_named(said: str) -> str:
    known = {each[0].casefold(): each[0] for each in PALETTES} | {
        each.casefold(): each for each in _PALETTES_ZH.values()
    }
    return known.get(said.casefold()) or _PALETTES_ZH.get(said.strip("深浅")[:1], "")


def _palette_of(command: Command) -> dict[str, Any]:
    return {"palette": command.modifiers.palette} if command.modifiers.palette else {}


def label_look(command: Command, run: Run) -> Plan[str]:
    """Colour or size of a layer's labels; what they say stays."""
    if "how" in command.words:
        text = say(
            run.language,
            "Say the size in points, for example “set the label size of {name} to 12”.",
            "请说出字号，例如“{name}的标注字号设为12”。",
            name=command.words.get("layer") or (run.layers[0]["name"] if run.layers else "?"),
        )
        raise Stop(text)
    said = command.words.get("colour", "")
    size = number(command.words.get("n", ""))
    layer = target(command, run, *_label_sentences(said, size), DRAWN)
    _require(run, layer, DRAWN, "with labels", "设置标注")
    options: dict[str, Any] = {"color": said if said.startswith("#") else COLOURS[said.casefold()]} if said else {}
    if not said:
        if size is None or not 1 <= size <= _MOST_POINTS:
            raise Stop(say(run.language, "A size is 1 to 200 points.", "字号须在 1 到 200 之间。"), "tool_failed")
        options["size"] = size
    result = yield from run.do("set_layer_label", layer_id=layer["layer_id"], visible=True, options=options)
    what = ("colour", "颜色") if said else ("size", "字号")
    done = say(
        run.language,
        "The {what} of the labels of {name} is {value} now.",
        "{name}的标注{what}已改为{value}。",
        what=what[run.language == "zh"],
        name=layer["name"],
        value=said or num(size),
    )
    return with_remark(done, result.message)


def _label_sentences(colour: str, size: float | None) -> tuple[str, str]:
    if colour:
        return f"make the labels of {{name}} {colour}", f"{{name}}的标注改成{colour}"
    return f"set the label size of {{name}} to {num(size)}", f"{{name}}的标注字号设为{num(size)}"


def _number_field(run: Run, said: str, layer: CatalogueLayer) -> str:
    """A number field by its words; words that name none are passed on: the tool answers with the nearest names. Raises Stop."""
    field = one_field(run, said, layer)
    if field is not None and field["type"] not in _NUMBERS:
        text = say(
            run.language,
            "The field “{field}” of {layer} holds no numbers.",
            "{layer}的字段“{field}”不是数值。",
            field=said,
            layer=layer["name"],
        )
        raise Stop(text, "tool_failed", "field_type")
    return strip_phrase(said) if field is None else field["name"]


def _require(run: Run, layer: CatalogueLayer, kinds: tuple[str, ...], english: str, chinese: str) -> None:
    """Raise Stop for a layer that cannot be drawn so."""
    if layer["kind"] in kinds:
        return
    text = say(
        run.language,
        "I cannot draw “{layer}” {how}: it is a layer of kind {kind}.",
        "无法将“{layer}”{how}：它的类型是{kind}。",
        layer=layer["name"],
        how=chinese if run.language == "zh" else english,
        kind=kind_name(run.language, layer["kind"]),
    )
    raise Stop(text, "tool_failed", "layer_kind")


STYLE_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "heatmap": heatmap,
    "cluster": cluster,
    "hillshade": raster_look,
    "tint": raster_look,
    "gray": raster_look,
    "size_by": size_by,
    "palette": palette,
    "label_look": label_look,
}
