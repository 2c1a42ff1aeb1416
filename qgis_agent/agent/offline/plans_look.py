"""Plans about how layers look: colours, classes, opacity, labels, styles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...bridge.messages import CatalogueLayer
from . import answers
from .answers import num, say, with_remark
from .choose import DRAWN, no_raster, one_field, one_layer
from .filters import told
from .grammar import Command
from .naming import is_key_field, same_concept, strip_phrase
from .plans_style import draw_raster
from .remarks import counted_by_area
from .steps import Ask, Plan, Run, Stop
from .targets import target
from .text import number
from .words import AREA_FIELD, AREA_WORDS, COLOURS

_DENSITY = re.compile(
    r"^(?:the )?density of (?P<a>.+?)(?: per .+)?$|^(?:the )?(?P<b>.+?) density(?: per .+)?$|"
    r"^(?P<c>.+?) per (?:square kilomet(?:re|er)|sq\.? ?km|km2)$|^(?:每平方公里|每平方千米)的?(?P<d>.+?)(?:的?(?:分布)?密度|数量|个数|数)?$|"
    r"^(?P<e>.+?)的?(?:分布)?密度$",
    re.IGNORECASE,
)
_PLAIN_DENSITY = re.compile(
    r"^(?:the )?density(?: per .+)?$|^(?:每平方公里|每平方千米)?的?(?:分布)?密度$", re.IGNORECASE
)
FEWEST_CLASSES, MOST_CLASSES = 2, 20
"""What set_render_rule takes."""
DENSITY_FIELD = "density_per_km2"
_GRAYS = ("grey", "gray", "灰色")


def get_style(command: Command, run: Run) -> Plan[str]:
    """How a layer is drawn."""
    layer = one_layer(run, command.words["layer"])
    result = yield from run.do("get_style", layer_id=layer["layer_id"])
    return answers.style(run.language, layer["name"], result.data)


def single(command: Command, run: Run) -> Plan[str]:
    """One colour."""
    layer = one_layer(run, command.words["layer"])
    said = command.words["colour"]
    if layer["kind"] == "raster" and said.casefold() in _GRAYS:
        return (yield from draw_raster(command, run, layer, "gray"))
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
    if layer["kind"] == "raster":
        return (yield from draw_raster(command, run, layer, "tint"))
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
    remark = counted_by_area(run.language, counted.data, (), counted.message)
    text = answers.polygons(run.language, points["name"], counted.data)
    run.said.append(told(run, text, (layer["layer_id"], points["layer_id"]), remark, counted.message))
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
        wanted = modifiers.classes or classes
        if wanted and not FEWEST_CLASSES <= wanted <= MOST_CLASSES:
            raise Stop(
                say(run.language, "A layer can have 2 to 20 classes.", "分级数须在 2 到 20 之间。"),
                "tool_failed",
                "out_of_range",
            )
        arguments.update({"classes": wanted} if wanted else {})
        options.update({"classification": modifiers.classification} if modifiers.classification else {})
    if modifiers.reverse:
        options["reverse"] = True
    if label != field:
        options["legend_title"] = label[:80]
    arguments.update({"palette": modifiers.palette} if modifiers.palette else {})
    arguments.update({"options": options} if options else {})
    result = yield from run.do("set_render_rule", **arguments)
    return answers.rendered(run.language, name, label, result)


def opacity(command: Command, run: Run) -> Plan[str]:
    """Opacity from 0 to 1; "30% transparent" is an opacity of 0.7, and a number up to 1 is a share."""
    layer = one_layer(run, command.words["layer"])
    how = command.words["how"].casefold()
    said = command.words.get("n", "50")
    value = number(said)
    share = None if value is None else value / 100 if "percent" in command.words or value > 1 else value
    if how.startswith(("半", "semi", "half")):
        share = 0.5
    if share is None or not 0 <= share <= 1:
        text = say(
            run.language,
            "“{said}” is no share between 0 and 100%.",
            "“{said}”不是 0 到 100% 之间的数值。",
            said=said,
        )
        raise Stop(text)
    see_through = how.startswith(("transparen", "透明"))
    opaque = round(1 - share if see_through else share, 4)
    result = yield from run.do("patch_style", layer_id=layer["layer_id"], patch={"opacity": opaque})
    words = ("{name} is {n}% transparent now.", "{name}的透明度已设为 {n}%。")
    if not see_through:
        words = ("The opacity of {name} is {n}% now.", "{name}的不透明度已设为 {n}%。")
    if how.startswith(("半", "semi", "half")):
        words = ("{name} is half transparent now.", "{name}已设为半透明。")
    done = say(run.language, *words, name=layer["name"], n=num(round(share * 100, 2)))
    return with_remark(done, result.message)


def label(command: Command, run: Run) -> Plan[str]:
    """Labels from a field; without a field the name field where there is one."""
    layer = one_layer(run, command.words["layer"], DRAWN)
    no_raster(run, layer, "label", "标注")
    said = command.words.get("field", "")
    field = one_field(run, said or "name", layer)
    if field is None and not said:
        options = [each["name"] for each in layer["fields"] if not is_key_field(each["name"])]
        question = say(run.language, "Label {layer} by which field?", "用{layer}的哪个字段标注？", layer=layer["name"])
        pattern = "用{field}标注{layer}" if run.language == "zh" else "label {layer} by {field}"
        raise Ask(question, [pattern.format(layer=layer["name"], field=each) for each in options])
    name = field["name"] if field is not None else strip_phrase(said)
    result = yield from run.do("set_layer_label", layer_id=layer["layer_id"], field=name, visible=True)
    done = say(
        run.language, "{layer} is labelled by {field}.", "{layer}已用{field}标注。", layer=layer["name"], field=name
    )
    return with_remark(done, result.message)


def label_off(command: Command, run: Run) -> Plan[str]:
    """No labels."""
    layer = target(command, run, "turn off the labels of {name}", "关闭{name}的标注", DRAWN)
    result = yield from run.do("set_layer_label", layer_id=layer["layer_id"], visible=False)
    done = say(run.language, "The labels of {layer} are off.", "已关闭{layer}的标注。", layer=layer["name"])
    return with_remark(done, result.message)


def revert_style(command: Command, run: Run) -> Plan[str]:
    """The last change of a layer's look is taken back; changes before it stay."""
    layer = target(command, run, "restore the style of {name}", "恢复{name}的样式")
    result = yield from run.do("revert_style", layer_id=layer["layer_id"])
    done = say(
        run.language,
        "The last change of the style of {layer} is taken back.",
        "已撤销{layer}最近一次的样式更改。",
        layer=layer["name"],
    )
    earlier = result.data.get("earlier_changes")
    if isinstance(earlier, int) and earlier:
        done += say(
            run.language,
            " Earlier changes that can be taken back too: {n}.",
            "更早的样式更改还有 {n} 次，也可以撤销。",
            n=num(earlier),
        )
    return with_remark(done, result.message)


LOOK_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "get_style": get_style,
    "single": single,
    "colour_by": colour_by,
    "colour_last": colour_last,
    "opacity": opacity,
    "label": label,
    "label_off": label_off,
    "revert_style": revert_style,
}
