"""Tools that the grammar plans calls of, with the parameters that it uses: one table to check parity against the contracts.

Tools that are in ``resources/tools.schema.json`` are bound by their contract there; ``COMING`` lists those of later parts.
A call is only sent when the tool is offered in the request, or its pack can be asked for; else the person is told so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..governance.profile import PROFILES
from .text import Language


@dataclass(frozen=True)
class Coming:
    """A tool of a later part: its pack, its parameters as JSON schemas, those that are always given, what it does."""

    pack: str
    parameters: dict[str, Any]
    required: tuple[str, ...]
    english: str
    chinese: str


COMING: dict[str, Coming] = {}
"""None now: every tool that the grammar plans has its contract."""

PACK_OF: dict[str, str] = {
    "buffer_layer": "vector", "select_by_location": "join", "nearest_features": "join", "prepare_save_project": "write", "stat_by_polygon": "vector", "prepare_export_layer": "write",
    "prepare_bookmark": "write", "clear_selection": "arrange", "set_map_view": "arrange", "reorder_layer": "arrange", "rename_layer": "arrange",
    "group_layers": "arrange", "revert_style": "arrange", "copy_style": "arrange", "set_legend": "arrange",
    "clear_temp_layers": "arrange", "set_layer_crs": "arrange", "set_layer_encoding": "arrange",
    "add_vector_layer": "data", "add_raster_layer": "data", "add_table_layer": "data", "inspect_data_file": "data",
    "list_data_files": "data", "make_chart": "inspect", "set_raster_style": "inspect", "describe_layout": "layout", "create_layout": "layout", "prepare_export_layout": "layout",
} | {name: each.pack for name, each in COMING.items() if each.pack not in ("default", "mcp")}  # fmt: skip
"""Packs of the tools that are not always shown."""

_OF_TODAY = {
    "buffer_layer": ("make buffers", "做缓冲区"),
    "stat_by_polygon": ("count by areas", "按面统计"),
    "prepare_export_layer": ("write files", "写入文件"),
    "prepare_bookmark": ("store bookmarks", "保存书签"),
    "prepare_save_project": ("save the project", "保存工程"),
    "nearest_features": ("look for what lies near", "查找附近的要素"),
    "select_by_location": ("select by place or distance", "按位置或距离选择"),
    "set_render_rule": ("colour layers", "给图层着色"),
    "toggle_layer": ("show or hide layers", "显示或隐藏图层"),
    "zoom_to": ("move the map", "移动地图"),
    "describe_layer": ("describe layers", "介绍图层"),
    "get_style": ("read how a layer is drawn", "读取图层的样式"),
    "count_features": ("count features", "统计要素个数"),
    "query_features": ("list features", "列出要素"),
    "resolve_place": ("look for places", "查找地点"),
    "search_layers": ("list layers", "列出图层"),
    "select_features": ("select features", "选择要素"),
    "clear_selection": ("clear a selection", "取消选择"),
    "set_layer_filter": ("filter layers", "筛选图层"),
    "highlight_features": ("highlight features", "高亮要素"),
    "list_values": ("list the values of a field", "列出字段的取值"),
    "summarize_field": ("summarise a field", "统计字段"),
    "measure": ("measure lengths, areas and distances", "测量长度、面积和距离"),
    "set_layer_label": ("label layers", "设置标注"),
    "patch_style": ("change how layers are drawn", "更改图层的样式"),
    "set_raster_style": ("draw rasters", "设置栅格的样式"),
    "describe_layout": ("list layouts", "列出布局"),
    "set_map_view": ("set the map view", "设置地图视图"),
    "get_map_state": ("read the state of the map view", "读取地图视图的状态"),
    "reorder_layer": ("reorder layers", "调整图层顺序"),
    "rename_layer": ("rename layers", "重命名图层"),
    "group_layers": ("group layers", "将图层分组"),
    "revert_style": ("put a style back", "还原样式"),
    "copy_style": ("copy styles", "复制样式"),
    "set_legend": ("set legends", "设置图例"),
    "clear_temp_layers": ("clear temporary layers", "清理临时图层"),
    "set_layer_crs": ("set the CRS of a layer", "设置图层的坐标系"),
    "set_layer_encoding": ("set the encoding of a layer", "设置图层的编码"),
    "add_vector_layer": ("add files", "添加文件"),
    "add_raster_layer": ("add files", "添加文件"),
    "add_table_layer": ("add tables", "添加表格"),
    "inspect_data_file": ("look into files", "查看文件内容"),
    "list_data_files": ("list files", "列出文件"),
    "make_chart": ("draw charts", "绘制图表"),
    "create_layout": ("make layouts", "制作布局"),
    "prepare_export_layout": ("export maps", "导出地图"),
}
"""What tools that exist do, for a request in which they are not offered."""
_READING = frozenset(
    (
        "describe_layer", "get_style", "count_features", "query_features", "resolve_place", "search_layers", "measure",
        "list_values", "summarize_field",
        "get_map_state", "inspect_data_file", "list_data_files", "make_chart", "describe_layout",
    )
)  # fmt: skip
_CHANGING = frozenset(_OF_TODAY) - _READING
"""Those of them that change the map or write: a level that only reads does not offer them."""


def schema_of(name: str) -> dict[str, Any]:
    """The parameters of a coming tool as an object schema, closed."""
    tool = COMING[name]
    return {
        "type": "object",
        "properties": tool.parameters,
        "required": list(tool.required),
        "additionalProperties": False,
    }


def cannot(name: str, language: Language, profile: str = "", level: str = "") -> str:
    """What the person is told when a tool is not there, with the true reason where the profile is the reason."""
    tool = COMING.get(name)
    english, chinese = (tool.english, tool.chinese) if tool else _OF_TODAY.get(name, ("do this", "执行这个操作"))
    why = "" if tool else _why(name, language, profile, level)
    if why and language == "zh":
        return f"不能{chinese}：{why}这一步没有执行。"
    if why:
        return f"I cannot {english} now: {why} This was not done."
    if language == "zh":
        return f"这个 QGIS 智能体还不能{chinese}：这里没有工具 {name}。这一步没有执行。"
    return f"This QGIS Agent cannot {english} yet: the tool {name} is not available here. This was not done."


def _why(name: str, language: Language, profile: str, level: str) -> str:
    """Why a tool that exists is not offered; "" where it is not known."""
    built_in = PROFILES.get(profile)
    own = built_in.level if built_in is not None else level
    lacking = built_in is not None and PACK_OF.get(name, "default") not in built_in.packs
    if built_in is not None and built_in.mode == "plan" and name in _CHANGING:
        english = "the profile {profile} only plans and changes nothing. Choose another profile to carry it out."
        chinese = "配置“{profile}”只做计划，不做任何更改。要执行，请选择其他配置。"
    elif level == "read_only" and own != "read_only" and name in _CHANGING:
        english = "the project's settings lower the level to reading only ({level})."
        chinese = "工程的设置把权限降为只读（{level}）。"
    elif level == "read_only" and name in _CHANGING:
        english = "the profile {profile} only reads. Choose another profile to change the map."
        chinese = "配置“{profile}”只能读取。要更改地图，请选择其他配置。"
    elif built_in is not None and built_in.tools is not None and name not in built_in.tools:
        english = "the profile {profile} has few tools, and {name} is none of them. Choose another profile for it."
        chinese = "配置“{profile}”只有少数工具，其中没有 {name}。请选择其他配置。"
    elif profile and lacking:
        english = "the profile {profile} has no tools for it. Choose another profile."
        chinese = "配置“{profile}”没有这类工具。请选择其他配置。"
    elif profile:
        english = "the profile {profile} as it is set here does not offer the tool {name}."
        chinese = "当前设置下的配置“{profile}”不提供工具 {name}。"
    else:
        return ""
    return (chinese if language == "zh" else english).format(profile=profile, level=level, name=name)
