"""Plans that make something to show: print layouts, exported maps, charts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .answers import num, say, with_remark
from .choose import no_raster, one_field, one_layer
from .grammar import Command
from .steps import Plan, Run, Stop

_QUOTES = "\"'“”‘’「」《》 "
_CHARTS = {
    "bar": "bar", "column": "bar", "柱状图": "bar", "条形图": "bar", "柱形图": "bar", "line": "line", "折线图": "line",
    "histogram": "histogram", "直方图": "histogram", "scatter": "scatter", "散点图": "scatter", "box": "box", "箱线图": "box",
    "箱形图": "box",
}  # fmt: skip
_TWO_FIELDS = ("scatter", "line")


def layout(command: Command, run: Run) -> Plan[str]:
    """A print layout of the present view."""
    made = yield from _made(command, run)
    text = say(run.language, "The layout “{name}” is made.", "已制作布局“{name}”。", name=made["name"])
    if isinstance(made.get("scale"), (int, float)):
        text += say(run.language, " Its scale is one to {n}.", "比例尺分母为 {n}。", n=num(round(made["scale"])))
    return with_remark(text, made["remark"])


def export_map(command: Command, run: Run) -> Plan[str]:
    """A layout of the present view, and its file. The person sees and clicks the preview; without that nothing is written."""
    path = command.words["path"].strip(_QUOTES)
    made = yield from _made(command, run)
    ending = path.rpartition(".")[2].casefold()
    result = yield from run.do("prepare_export_layout", layout=made["name"], path=path, format=ending)
    if not result.data.get("written"):
        raise Stop(result.message or say(run.language, "Nothing was written.", "没有写入任何文件。"), "tool_failed")
    return say(
        run.language,
        "The map was written to {path}. Its layout is “{name}”.",
        "地图已导出到 {path}，布局名为“{name}”。",
        path=result.data.get("path", path),
        name=made["name"],
    )


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
    kind = _CHARTS[command.words["chart"].casefold()]
    layer = one_layer(run, command.words["layer"])
    no_raster(run, layer, "draw a chart of", "绘制其图表：")
    names = {}
    for place, said in (("x", command.words["field"]), ("y", command.words.get("y", ""))):
        found = one_field(run, said, layer) if said else None
        if said and found is None:
            raise Stop(_no_field(run, said, [each["name"] for each in layer["fields"]], layer["name"]), "tool_failed")
        if found is not None:
            names[place] = found["name"]
    if kind in _TWO_FIELDS and "y" not in names:
        text = say(
            run.language,
            "Such a chart needs two fields, for example “scatter plot of a by b of {layer}”.",
            "这种图需要两个字段，请用完整的句子说明{layer}的两个字段。",
            layer=layer["name"],
        )
        raise Stop(text, "tool_failed", "fields")
    result = yield from run.do("make_chart", kind=kind, layer_id=layer["layer_id"], **names)
    done = say(run.language, "The chart of {layer} is drawn.", "已绘制{layer}的图表。", layer=layer["name"])
    return with_remark(done, result.message)


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
    "chart": chart,
}
