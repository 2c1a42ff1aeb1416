"""A fixed little project for the offline commands: its layers, its places, and what its tools answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import jsonschema

from qgis_agent.agent.llm.types import ProviderRequest, SettledCall, ToolCall
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.coming import COMING, PACK_OF, schema_of
from qgis_agent.agent.offline.steps import Turn
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.messages import CatalogueLayer

ROOT = Path(__file__).resolve().parents[2]
CONTRACTS: dict[str, Any] = {
    each["name"]: each["parameters"]
    for each in json.loads((ROOT / "resources" / "tools.schema.json").read_text("utf-8"))["tools"]
    if not each.get("internal")
}
CONTRACTS = {name: schema_of(name) for name in COMING} | CONTRACTS
CONTRACTS["request_tool_pack"] = {
    "type": "object",
    "properties": {"pack": {"enum": ["arrange", "data", "inspect", "join", "layout", "vector", "write"]}},
    "required": ["pack"],
}


def layer(layer_id: str, name: str, kind: str, fields: str = "", visible: bool = False) -> CatalogueLayer:
    """``fields`` is "name:type:alias …"."""
    parsed = [each.split(":") + [""] for each in fields.split()]
    return {
        "layer_id": layer_id,
        "name": name,
        "kind": kind,
        "group": "",
        "abstract": "",
        "visible": visible,
        "crs": "EPSG:4326",
        "fields": [{"name": each[0], "type": each[1], "alias": each[2]} for each in parsed],
    }


CATALOGUE = [
    layer("streets", "街道", "polygon", "code:text:代码 name:text:名称 pop:integer:人口", True),
    layer(
        "schools",
        "schools",
        "point",
        "name:text:名称 kind:text:类别 level:text students:integer:学生数 built:integer:建成年份",
    ),
    layer("hospitals", "医院", "point", "name:text:名称 beds:integer:床位数 grade:text:等级"),
    layer("roads", "roads", "line", "name:text:名称 class:text:道路等级 lanes:integer:车道数", True),
    layer("bus_stops_2023", "bus stops 2023", "point", "name:text lines:integer shelter:boolean", True),
    layer("dem", "DEM 30m", "raster", "", True),
    layer("parks_north", "parks north", "polygon", "name:text"),
    layer("parks_south", "parks south", "polygon", "name:text"),
    layer("show_rooms", "show rooms", "point", "name:text brand:text"),
    layer("关闭道路", "关闭道路", "line", "reason:text:原因", True),
]
PLACES = {"街道A": ("streets", "name", ["街道A"]), "街道B": ("streets", "name", ["街道B"])}
SELECTED = ("streets", "code", ["330110001", "330110002", "330110003"])


def settle(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the fixed little world answers."""
    if name == "resolve_place":
        found = SELECTED if arguments.get("use_selection") else PLACES.get(arguments["text"])
        if found is None:
            return failure("NOT_FOUND", f"No feature is called '{arguments['text']}'.", hint="Try the full name.")
        layer_id, field, values = found
        return success({"layer_id": layer_id, "field": field, "values": values, "count": len(values), "names": values})
    if name == "stat_by_polygon":
        return success({"layer_id": "made", "name": "made", "rows": [], "total_count": 25, "polygons": 3})
    if name in ("prepare_export_layer", "prepare_export_layout"):
        return success({"written": True, "path": arguments["path"], "feature_count": 3})
    if name == "create_layout":
        return success({"layout": arguments["name"]})
    return success({})


def run(
    sentence: str, without: Collection[str] = (), layers: Sequence[CatalogueLayer] | None = None
) -> tuple[list[tuple[str, dict[str, Any]]], Turn]:
    """One run of the planner against the little world: the calls, each checked against its schema, and the last turn."""
    settled: list[SettledCall] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    packs = {"default", "mcp"}
    for _ in range(20):
        offered = [each for each in CONTRACTS if PACK_OF.get(each, "default") in packs and each not in without]
        tools = [{"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]}} for each in offered]
        turn = plan_turn(ProviderRequest([], tools, sentence, tuple(settled)), CATALOGUE if layers is None else layers)
        if not turn.calls:
            return calls, turn
        for call in turn.calls:
            assert call.name in offered, f"{call.name} is not offered"
            jsonschema.validate(call.arguments, CONTRACTS[call.name])
            if call.name == "request_tool_pack":
                packs.add(call.arguments["pack"])
            else:
                calls.append((call.name, call.arguments))
            made = ToolCall(f"c{len(settled)}", call.name, json.dumps(call.arguments))
            settled.append(SettledCall(made, call.arguments, settle(call.name, call.arguments)))
        if turn.calls[-1].name == "ask_user":
            return calls, turn
    raise AssertionError("the run does not end")
