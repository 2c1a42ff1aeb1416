"""Plans that make something to show: print layouts, exported maps, charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...bridge.messages import CatalogueLayer
from .answers import failed, num, say, with_remark
from .choose import no_raster, one_field, one_layer
from .filters import joined, remark_of
from .grammar import Command
from .naming import match_fields, spelled
from .steps import Ask, Plan, Run, Stop, ToolFailed
from .talk import last_layer, last_layout

_QUOTES = "\"'“”‘’「」《》 "
_CHARTS = {
    "bar": "bar", "column": "bar", "柱状图": "bar", "条形图": "bar", "柱形图": "bar", "line": "line", "折线图": "line",
    "histogram": "histogram", "直方图": "histogram", "scatter": "scatter", "散点图": "scatter", "box": "box", "箱线图": "box",
    "箱形图": "box",
}  # fmt: skip
_FORMATS = {"picture": "png", "image": "png", "图片": "png", "图像": "png"}
_ENDINGS = (".pdf", ".png", ".svg")
_TWO_FIELDS = ("scatter", "line")
_KINDS = {
    "bar": ("bar chart", "柱状图"),
    "line": ("line chart", "折线图"),
    "histogram": ("histogram", "直方图"),
    "scatter": ("scatter plot", "散点图"),
    "box": ("box plot", "箱线图"),
}


def layout(command: Command, run: Run) -> Plan[str]:
    """A print layout of the present view."""
    made = yield from _made(command, run)
    text = say(run.language, "The layout “{name}” is made.", "已制作布局“{name}”。", name=made["name"])
    if isinstance(made.get("scale"), (int, float)):
        text += say(run.language, " Its scale is one to {n}.", "比例尺分母为 {n}。", n=num(round(made["scale"])))
    return with_remark(text, made["remark"])


def export_map(command: Command, run: Run) -> Plan[str]:
    """A layout of the present view, and its file. The person sees and clicks the preview; without that nothing is written."""
    yield from run.ensure("prepare_export_layer")  # where no file may be written, no layout is made for one
    made = yield from _made(command, run)
    return (yield from _export_made(command, run, made["name"]))


def export_layout(command: Command, run: Run) -> Plan[str]:
    """The file of a layout that is there: the one named, the one of this conversation, the only one. One is made where none is."""
    yield from run.ensure("prepare_export_layer")
    said = command.words.get("layout", "").strip(_QUOTES)
    name = said or last_layout(run.messages, run.settled)
    if not name:
        result = yield from run.do("describe_layout")
        names = [str(each.get("layout")) for each in result.data.get("layouts") or [] if isinstance(each, dict)]
        if len(names) > 1:
            question = say(run.language, "Which layout?", "导出哪个布局？")
            raise Ask(question, [_sentence_for(command, run, each) for each in names])
        if not names:
            made = yield from _made(command, run)
            return (yield from _export_made(command, run, made["name"]))
        name = names[0]
    return (yield from _export(command, run, name))


def _sentence_for(command: Command, run: Run, name: str) -> str:
    target = _path(command, run)
    pattern = "导出布局“{name}”为{target}" if run.language == "zh" else "export the layout “{name}” to {target}"
    return pattern.format(name=name, target=target)


def _export_made(command: Command, run: Run, layout: str) -> Plan[str]:
    """The file of a layout that was made for it. Where the export is refused, that the layout is still there is said too."""
    try:
        return (yield from _export(command, run, layout))
    except (ToolFailed, Stop) as failure:
        text = failed(run.language, failure.envelope) if isinstance(failure, ToolFailed) else failure.text
        stays = say(
            run.language,
            "The layout “{name}” that was made for it stays in the project.",
            "为此制作的布局“{name}”仍保留在工程中。",
            name=layout,
        )
        reason = "" if isinstance(failure, ToolFailed) else failure.reason
        raise Stop(joined(text, stays), "tool_failed", reason) from None


def _export(command: Command, run: Run, layout: str) -> Plan[str]:
    path = _path(command, run)
    ending = path.rpartition(".")[2].casefold()
    result = yield from run.do("prepare_export_layout", layout=layout, path=path, format=ending)
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was written.", "没有写入任何文件。"), "tool_failed")
    return say(
        run.language,
        "The map was written to {path}. Its layout is “{name}”.",
        "地图已导出到 {path}，布局名为“{name}”。",
        path=result.data.get("path", path),
        name=layout,
    )


def _path(command: Command, run: Run) -> str:
    """The file that was named, with the ending of the format where it has none; else "map", a PDF where nothing was said."""
    path = command.words.get("path", "").strip(_QUOTES)
    said = command.words.get("format", "pdf").casefold()
    ending = f".{_FORMATS.get(said, said)}"
    if path.casefold().endswith(_ENDINGS):
        return path
    if path and not path.endswith(("/", "\\")):
        return path + ending
    return f"{path}{say(run.language, 'map', '地图')}{ending}"


def _made(command: Command, run: Run) -> Plan[dict[str, Any]]:
    """``name``, ``scale`` and ``remark`` of a new layout."""
    words = command.words
    title = words.get("name", "").strip(_QUOTES)
    paper = (words.get("paper") or words.get("paper2") or "a4").casefold()
    turn = (words.get("turn") or words.get("turn2") or "").casefold()
    upright = turn.startswith(("portrait", "竖", "纵"))
    arguments: dict[str, Any] = {"name": title[:80] or say(run.language, "Map", "地图")}
    arguments["template"] = f"{paper}_{'portrait' if upright else 'landscape'}"
    arguments.update({"title": title} if title else {})
    result = yield from run.do("create_layout", **arguments)
    name = result.data.get("layout") or result.data.get("name") or arguments["name"]
    return {"name": str(name), "scale": result.data.get("scale"), "remark": result.message}


def chart(command: Command, run: Run) -> Plan[str]:
    """A chart of one field or two of a layer."""
    layer = one_layer(run, command.words["layer"]) if "layer" in command.words else _with_field(command, run)
    no_raster(run, layer, "draw a chart of", "绘制其图表：")
    names = {}
    for place, said in (("x", command.words["field"]), ("y", command.words.get("y", ""))):
        found = one_field(run, said, layer) if said else None
        if said and found is None:
            raise Stop(_no_field(run, said, [each["name"] for each in layer["fields"]], layer["name"]), "tool_failed")
        if found is not None:
            names[place] = found["name"]
    kind = _CHARTS.get(command.words["chart"].casefold()) or _fitting_chart(layer, names)
    if kind in _TWO_FIELDS and "y" not in names:
        text = say(
            run.language,
            "Such a chart needs two fields, for example “scatter plot of a by b of {layer}”.",
            "这种图需要两个字段，请用完整的句子说明{layer}的两个字段。",
            layer=layer["name"],
        )
        raise Stop(text, "tool_failed", "fields")
    result = yield from run.do("make_chart", kind=kind, layer_id=layer["layer_id"], **names)
    drawn = _drawn(run, layer["name"], kind, result.data)
    return joined(drawn, remark_of(run, (layer["layer_id"],), result.message))


def _with_field(command: Command, run: Run) -> CatalogueLayer:
    """The layer whose field is meant: that of the conversation where it has it, the only one that has it, or the person's choice."""
    said = command.words["field"]
    having = [each for each in run.layers if match_fields(said, each)]
    last = last_layer(run.messages, run.settled, having)
    if last is not None or len(having) == 1:
        return last or having[0]
    if not having:
        raise Stop(say(run.language, "No layer has a field “{said}”.", "没有图层含有字段“{said}”。", said=said))
    kind = command.words["chart"]
    pattern = "画{name}的{said}的{kind}" if run.language == "zh" else "draw a {kind} of {said} of {name}"
    names = [spelled(each, run.layers) for each in having]
    question = say(run.language, "Of which layer?", "是哪个图层？")
    raise Ask(question, [pattern.format(name=each, said=said, kind=kind) for each in names])


def _fitting_chart(layer: CatalogueLayer, names: Mapping[str, str]) -> str:
    """What suits a field where no kind of chart was said: a histogram for numbers, bars of counts for all else."""
    types = {each["name"]: each["type"] for each in layer["fields"]}
    return "histogram" if types.get(names["x"]) in ("integer", "number") else "bar"


def _drawn(run: Run, layer: str, kind: str, data: Mapping[str, Any]) -> str:
    """What the chart shows, from its data: the tool's own remark is for a model."""
    english, chinese = _KINDS[kind]
    done = say(
        run.language,
        "The {kind} of {layer} is drawn under this answer.",
        "已绘制{layer}的{kind}，显示在回答下方。",
        layer=layer,
        kind=chinese if run.language == "zh" else english,
    )
    used, left_out = data.get("used"), data.get("left_out")
    if isinstance(used, int) and isinstance(left_out, int) and left_out:
        done += say(
            run.language,
            " Values shown: {used}. Left out because they have no value: {left_out}.",
            "使用了 {used} 个值；另有 {left_out} 个要素没有值，未计入。",
            used=num(used),
            left_out=num(left_out),
        )
    return done


def _no_field(run: Run, said: str, names: list[str], layer: str) -> str:
    shown = ("、" if run.language == "zh" else ", ").join(names[:12])
    return say(
        run.language,
        "{layer} has no field “{said}”. Fields: {names}.",
        "{layer}没有字段“{said}”。可用字段：{names}。",
        layer=layer,
        said=said,
        names=shown,
    )


LAYOUT_PLANS: dict[str, Callable[[Command, Run], Plan[str]]] = {
    "layout": layout,
    "export_map": export_map,
    "export_layout": export_layout,
    "chart": chart,
}
