"""Tools that the grammar plans calls of, with the parameters that it uses: one table to check parity against the contracts.

Tools that are in ``resources/tools.schema.json`` are bound by their contract there; ``COMING`` lists those of later parts.
A call is only sent when the tool is offered in the request, or its pack can be asked for; else the person is told so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .text import Language


@dataclass(frozen=True)
class Coming:
    """A tool of a later part: its pack, its parameters as JSON schemas, those that are always given, what it does."""

    pack: str
    parameters: dict[str, Any]
    required: tuple[str, ...]
    english: str
    chinese: str


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_WHERE: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
_LAYER: dict[str, Any] = {"layer_id": _TEXT}


def _one_of(*values: str) -> dict[str, Any]:
    return {"enum": list(values)}


COMING: dict[str, Coming] = {
    "select_features": Coming(
        "default", {**_LAYER, "where": _WHERE, "mode": _one_of("replace", "add", "remove", "invert")}, ("layer_id",),
        "select features", "选择要素",
    ),
    "clear_selection": Coming("arrange", _LAYER, (), "clear a selection", "取消选择"),
    "set_layer_filter": Coming("default", {**_LAYER, "where": _WHERE}, ("layer_id", "where"), "filter layers", "筛选图层"),
    "highlight_features": Coming("default", {**_LAYER, "where": _WHERE}, ("layer_id",), "highlight features", "高亮要素"),
    "measure": Coming(
        "default",
        {
            "method": _one_of("length", "area", "perimeter", "distance"), **_LAYER, "where": _WHERE,
            "other_layer_id": _TEXT, "other_where": _WHERE, "use_selection": {"const": True},
        },
        ("method",), "measure lengths, areas and distances", "测量长度、面积和距离",
    ),
    "list_values": Coming("default", {**_LAYER, "field": _TEXT}, ("layer_id", "field"), "list the values of a field", "列出字段的取值"),
    "summarize_field": Coming(
        "default", {**_LAYER, "field": _TEXT, "where": _WHERE}, ("layer_id", "field"), "summarise a field", "统计字段"
    ),
    "set_layer_label": Coming(
        "default", {**_LAYER, "field": _TEXT, "visible": {"type": "boolean"}}, ("layer_id", "visible"),
        "label layers", "设置标注",
    ),
    "patch_style": Coming(
        "default",
        {**_LAYER, "patch": {"type": "object", "properties": {"opacity": {"type": "number", "minimum": 0, "maximum": 1}}}},
        ("layer_id", "patch"), "set the opacity of a layer", "设置图层透明度",
    ),
    "set_map_view": Coming(
        "arrange",
        {"method": _one_of("zoom_in", "zoom_out", "full_extent"), "scale": {"type": "number", "exclusiveMinimum": 0}},
        (), "set the map view", "设置地图视图",
    ),
    "get_map_state": Coming("mcp", {}, (), "read the state of the map view", "读取地图视图的状态"),
    "reorder_layer": Coming(
        "arrange", {**_LAYER, "position": _one_of("top", "bottom", "above", "below"), "other_layer_id": _TEXT},
        ("layer_id", "position"), "reorder layers", "调整图层顺序",
    ),
    "rename_layer": Coming("arrange", {**_LAYER, "name": _TEXT}, ("layer_id", "name"), "rename layers", "重命名图层"),
    "group_layers": Coming(
        "arrange", {"layer_ids": {"type": "array", "items": _TEXT, "minItems": 1}, "name": _TEXT}, ("layer_ids", "name"),
        "group layers", "将图层分组",
    ),
    "revert_style": Coming("arrange", _LAYER, ("layer_id",), "put a style back", "还原样式"),
    "prepare_bookmark": Coming("write", {"name": _TEXT}, ("name",), "store bookmarks", "保存书签"),
}  # fmt: skip

PACK_OF: dict[str, str] = {
    "buffer_layer": "vector", "stat_by_polygon": "vector", "prepare_export_layer": "write",
} | {name: each.pack for name, each in COMING.items() if each.pack not in ("default", "mcp")}  # fmt: skip
"""Packs of the tools that are not always shown."""

_OF_TODAY = {
    "buffer_layer": ("make buffers", "做缓冲区"),
    "stat_by_polygon": ("count by areas", "按面统计"),
    "prepare_export_layer": ("write files", "写入文件"),
}
"""What tools that exist do, for a request in which they are not offered."""


def schema_of(name: str) -> dict[str, Any]:
    """The parameters of a coming tool as an object schema, closed."""
    tool = COMING[name]
    return {
        "type": "object",
        "properties": tool.parameters,
        "required": list(tool.required),
        "additionalProperties": False,
    }


def cannot(name: str, language: Language) -> str:
    """What the person is told when a tool is not there."""
    tool = COMING.get(name)
    english, chinese = (tool.english, tool.chinese) if tool else _OF_TODAY.get(name, ("do this", "执行这个操作"))
    if language == "zh":
        return f"这个 QGIS 智能体还不能{chinese}：这里没有工具 {name}。这一步没有执行。"
    return f"This QGIS Agent cannot {english} yet: the tool {name} is not available here. This was not done."
