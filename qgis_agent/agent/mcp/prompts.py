"""Prompts: common requests with their parts to fill in, in English or Chinese. What they say is what works with our tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ...bridge.envelope import hint_for_name
from ..context.catalogue import CatalogueStore
from ..context.untrusted import clean
from .resources import matching_fields, matching_layers

MAX_VALUE = 200
"""Characters of one argument."""
Pair = tuple[str, str]
"""English, Chinese."""

ARGUMENTS: Mapping[str, Pair] = {
    "layer_id": ("The layer", "图层"),
    "polygons": ("The layer of polygons", "面图层"),
    "field": ("A field of the layer", "图层的一个字段"),
    "place": ("A place", "地点"),
    "distance_m": ("Distance in metres", "距离（米）"),
    "path": ("Path of the new file", "新文件的路径"),
    "title": ("Title of the sheet", "图幅标题"),
}


@dataclass(frozen=True)
class Prompt:
    """A request with ``{argument}`` in it; every argument is needed."""

    name: str
    title: Pair
    said: Pair
    text: Pair

    @property
    def arguments(self) -> list[str]:
        """In the order of the English sentence."""
        return list(dict.fromkeys(re.findall(r"{(\w+)}", self.text[0])))


PROMPTS = (
    Prompt(
        "describe_project",
        ("Describe the project", "介绍工程"),
        ("What is in the open project, layer by layer.", "逐层说明当前工程的内容。"),
        (
            "Describe the project that is open in QGIS: list its layers (search_layers with an empty query), describe the visible ones, "
            "and say in a few sentences what the map shows, where, and what stands out. Name numbers only from tool results.",
            "介绍 QGIS 中打开的工程：列出图层（search_layers，查询留空），逐一描述可见图层，再用几句话"
            "说明地图表现的内容、地点和值得注意之处。"
            "数字只引用工具返回的结果。",
        ),
    ),
    Prompt(
        "count_and_show",
        ("Count by a field", "按字段统计"),
        (
            "How many features a layer has for each value of a field, on the map in categories.",
            "按字段值统计要素数量，并在地图上分类显示。",
        ),
        (
            "Count the features of the layer {layer_id} by {field} (count_features), colour the layer by {field} in categories "
            "(set_render_rule), and report the total and the largest groups.",
            "按字段 {field} 统计图层 {layer_id} 的要素数量（count_features），"
            "用 {field} 对该图层分类设色（set_render_rule），并报告总数和最大的几类。",
        ),
    ),
    Prompt(
        "classify_layer",
        ("Colour in classes", "分级设色"),
        ("A graduated map of a number field, with its classes explained.", "按数值字段分级设色，并说明分级。"),
        (
            "Look at the values of {field} in {layer_id} (summarize_field), choose a classification that suits them, colour the layer in "
            "5 classes (set_render_rule, graduated), and say which limits came out and how many features are drawn by no class.",
            "查看图层 {layer_id} 中字段 {field} 的数值（summarize_field），选择合适的分级方法，分 5 级设色（set_render_rule，graduated），"
            "并说明分级界限以及未被任何级别绘制的要素数量。",
        ),
    ),
    Prompt(
        "points_by_polygon",
        ("Points by polygon", "按面统计点"),
        ("How many points lie in each polygon, as a density per km².", "统计每个面内的点数和每平方公里密度。"),
        (
            "Count the points of {layer_id} inside each polygon of {polygons} with their density per km² (stat_by_polygon), colour the "
            "result by the density, and report the highest and lowest polygons and the points that lie in none.",
            "统计 {polygons} 每个面内 {layer_id} 的点数和每平方公里密度（stat_by_polygon），"
            "按密度对结果设色，并报告最高和最低的面以及不在任何面内的点数。",
        ),
    ),
    Prompt(
        "within_distance",
        ("What is near a place", "周边查询"),
        ("Features of a layer within a distance of a place.", "查询某地点一定距离内的要素。"),
        (
            "Find {place} on the map (resolve_place), find the features of {layer_id} within {distance_m} metres of it, show them "
            "(highlight_features or select_features) and zoom there; report how many there are and name a few.",
            "在地图上找到 {place}（resolve_place），查询图层 {layer_id} 中距其 {distance_m} 米以内的要素，显示出来（highlight_features 或 "
            "select_features）并缩放到该处；报告数量并举例。",
        ),
    ),
    Prompt(
        "check_data",
        ("Check a layer", "检查数据"),
        (
            "What is wrong with a layer's data: geometry, missing values, CRS.",
            "检查图层数据的问题：几何、缺失值、坐标系。",
        ),
        (
            "Check the layer {layer_id}: describe it, look for invalid geometries (check_geometries), for fields with missing values "
            "(summarize_field) and for a doubtful CRS. Report each problem with its number of features; repair nothing.",
            "检查图层 {layer_id}：先描述它，再查找无效几何（check_geometries）、"
            "有缺失值的字段（summarize_field）和可疑的坐标系。逐项报告问题及要素数量；不要修复。",
        ),
    ),
    Prompt(
        "make_map_sheet",
        ("Make a map sheet", "制作图幅"),
        ("A print layout of the present map with legend and scale bar.", "为当前地图制作带图例和比例尺的打印布局。"),
        (
            "Make a print layout of the present map titled “{title}” (create_layout), with legend, scale bar and north arrow, and describe "
            "what is on it. Export nothing.",
            "为当前地图制作标题为“{title}”的打印布局（create_layout），带图例、比例尺和指北针，并说明其中的内容。不要导出。",
        ),
    ),
    Prompt(
        "export_layer",
        ("Export a layer", "导出图层"),
        ("A layer as a new file; a person confirms it in QGIS.", "把图层导出为新文件；由用户在 QGIS 中确认。"),
        (
            "Export the layer {layer_id} to {path} (prepare_export_layer). Tell me what will be written, wait for my decision in QGIS, "
            "then carry it out (commit_action) and report what was written.",
            "把图层 {layer_id} 导出到 {path}（prepare_export_layer）。"
            "告诉我将写入什么，等我在 QGIS 中决定后再执行（commit_action），并报告写入结果。",
        ),
    ),
)
_BY_NAME = {each.name: each for each in PROMPTS}


class Prompts:
    """The prompts in one language; layers and fields of the open project complete their arguments."""

    def __init__(self, catalogue: CatalogueStore, language: str) -> None:
        self._catalogue = catalogue
        self._chinese = language == "zh"

    def listed(self) -> types.ListPromptsResult:
        """All, by name."""
        return types.ListPromptsResult(prompts=[self._shown(_BY_NAME[name]) for name in sorted(_BY_NAME)])

    def _shown(self, prompt: Prompt) -> types.Prompt:
        return types.Prompt(
            name=prompt.name,
            title=prompt.title[self._chinese],
            description=prompt.said[self._chinese],
            arguments=[
                types.PromptArgument(name=each, description=ARGUMENTS[each][self._chinese], required=True)
                for each in prompt.arguments
            ],
        )

    def get(self, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
        """The request with its parts filled in. -32602 for an unknown prompt or argument, and for one that is missing."""
        prompt = _found(name)
        wanted = prompt.arguments
        for each in arguments:
            if each not in wanted:
                raise MCPError(
                    types.INVALID_PARAMS,
                    f"{name} has no argument {each[:80]!r}. {hint_for_name(each, wanted, 'arguments')}",
                )
        missing = [each for each in wanted if not arguments.get(each, "").strip()]
        if missing:
            raise MCPError(types.INVALID_PARAMS, f"{name} needs {', '.join(missing)}.")
        values = {key: clean(value, MAX_VALUE) for key, value in arguments.items()}
        text = re.sub(r"{(\w+)}", lambda found: values[found[1]], prompt.text[self._chinese])
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.said[self._chinese], messages=[message])

    def complete(self, name: str, argument: str, value: str, chosen: Mapping[str, str]) -> list[str]:
        """Values for an argument that begin as it does: layers, fields of the chosen layer; nothing for free text."""
        if argument not in _found(name).arguments:
            raise MCPError(types.INVALID_PARAMS, f"{name} has no argument {argument[:80]!r}.")
        if argument in ("layer_id", "polygons"):
            kinds = {"polygons": "polygon"}
            found = matching_layers(self._catalogue, value)
            kind = kinds.get(argument)
            of_kind = {each["layer_id"] for each in self._catalogue.layers() if kind in (None, each["kind"])}
            return [each for each in found if each in of_kind]
        if argument == "field":
            return matching_fields(self._catalogue, chosen.get("layer_id", ""), value)
        return []


def _found(name: str) -> Prompt:
    if name not in _BY_NAME:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name[:80]}")
    return _BY_NAME[name]
