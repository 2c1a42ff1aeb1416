"""Resources and prompts of the MCP server: what is listed, read, completed, in which order and in how many bytes."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference
from mcp_world import LAYERS, McpWorld, ScriptedQgis, failure, in_world

from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.mcp.instructions import instructions
from qgis_agent.agent.mcp.prompts import ARGUMENTS, PROMPTS
from qgis_agent.bridge import messages
from qgis_agent.bridge.envelope import success

MODES = ("legacy", "auto")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


async def _all_resources(client: Any) -> list[Any]:
    found, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("mode", MODES)
def test_the_catalogue_the_map_its_picture_and_each_layer_are_resources(tmp_path: Path, mode: str) -> None:
    async def script(world: McpWorld) -> Any:
        async with world.client(mode) as client:
            return await _all_resources(client), (await client.list_resource_templates()).resource_templates

    resources, templates = in_world(tmp_path, script)
    assert [each.uri for each in resources] == [
        "qgis://layers",
        "qgis://map",
        "qgis://map.png",
        "qgis://layers/schools",
        "qgis://layers/districts",
        "qgis://layers/%E8%A1%97%E9%81%93",
    ]
    assert [each.mime_type for each in resources[:3]] == ["application/json", "application/json", "image/png"]
    assert [each.uri_template for each in templates] == ["qgis://layers/{layer_id}", "qgis://styles/{layer_id}"]


def _many(count: int) -> list[dict[str, Any]]:
    return [{**LAYERS[0], "layer_id": f"layer-{n}", "name": f"Layer {n} " + "x" * 60} for n in range(count)]


def test_many_layers_come_in_pages_each_once_and_in_order(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.runs.catalogue.replace(_many(730), "p")
        async with world.client() as client:
            listed = await _all_resources(client)
            with pytest.raises(MCPError) as caught:
                await client.list_resources(cursor="17")
            return listed, caught.value.error.code

    listed, code = in_world(tmp_path, script)
    assert [each.uri for each in listed[3:]] == [f"qgis://layers/layer-{n}" for n in range(730)]
    assert code == -32602


def test_the_catalogue_is_read_in_pages_of_at_most_4096_bytes(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.runs.catalogue.replace(_many(120), "p")
        seen, uri, sizes = [], "qgis://layers", []
        async with world.client() as client:
            while uri:
                (content,) = (await client.read_resource(uri)).contents
                data = json.loads(content.text)["data"]
                assert content.uri == uri and data["total"] == 120
                seen += [each["layer_id"] for each in data["layers"]]
                sizes.append(len(content.text.encode()))
                uri = data.get("next", "")
        return seen, sizes

    seen, sizes = in_world(tmp_path, script)
    assert seen == [f"layer-{n}" for n in range(120)]
    assert max(sizes) <= 4096 and len(sizes) > 1


@pytest.mark.parametrize(
    ("uri", "tool", "arguments"),
    [
        ("qgis://map", "get_map_state", {}),
        ("qgis://layers/schools", "describe_layer", {"layer_id": "schools"}),
        ("qgis://layers/%E8%A1%97%E9%81%93", "describe_layer", {"layer_id": "街道"}),
        ("qgis://layers/a%2Fb", "describe_layer", {"layer_id": "a/b"}),
        ("qgis://styles/schools", "get_style", {"layer_id": "schools"}),
    ],
)
def test_a_read_is_a_tool_call_in_the_clients_name(
    tmp_path: Path, uri: str, tool: str, arguments: dict[str, Any]
) -> None:
    async def script(world: McpWorld) -> Any:
        async with world.client() as client:
            return (await client.read_resource(uri)).contents, world.qgis.of(messages.TOOLS_CALL)

    (content,), (called,) = in_world(tmp_path, script)
    assert (called["name"], called["arguments"], called["caller"]) == (tool, arguments, "mcp")
    assert content.uri == uri and json.loads(content.text)["data"] == {"tool": tool}


@pytest.mark.parametrize("mode", MODES)
def test_the_picture_of_the_map(tmp_path: Path, mode: str) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.replies[messages.MAP_PICTURE] = {
            "media_type": "image/png",
            "data": PNG,
            "width": 1024,
            "height": 768,
            "bbox": [1.0, 2.0, 3.0, 4.0],
            "crs": "EPSG:4326",
        }
        async with world.client(mode) as client:
            return (await client.read_resource("qgis://map.png")).contents, world.qgis.of(messages.MAP_PICTURE)

    (content,), (asked,) = in_world(tmp_path, script)
    assert content.mime_type == "image/png" and content.blob == PNG
    assert content.meta["qgis-agent/view"]["bbox"] == [1.0, 2.0, 3.0, 4.0]
    assert asked["capability"] == "cap-1"


@pytest.mark.parametrize(
    "uri",
    [
        "qgis://nothing",
        "qgis://layers/",
        "qgis://layers/a/b",
        "qgis://styles/a?b=c",
        "qgis://layers?cursor=x",
        "file:///etc/passwd",
        "",
        "qgis://map.png/../map",
    ],
)
def test_there_is_no_other_resource(tmp_path: Path, uri: str) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        await host.initialize()
        older = await host.ask("resources/read", {"uri": uri})
        return older, await host.modern("resources/read", {"uri": uri}), world.qgis.calls()

    older, newer, called = in_world(tmp_path, script)
    assert newer["error"]["code"] == -32602 and called == []
    assert older["error"]["code"] == -32002  # the code of that era


def test_what_qgis_refuses_is_no_resource(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        no = failure("FORBIDDEN", "Attribute values stay in QGIS.", hint="Ask for counts.", reason="values_at_home")
        world.qgis.replies[messages.MAP_PICTURE] = {"envelope": no}
        world.qgis.tools["describe_layer"] = failure("NOT_FOUND", "There is no layer 'x'.", reason="layer")
        host = await world.host()
        picture = await host.modern("resources/read", {"uri": "qgis://map.png"})
        return picture["error"], (await host.modern("resources/read", {"uri": "qgis://layers/x"}))["error"]

    picture, missing = in_world(tmp_path, script)
    assert picture["data"] == {"code": "FORBIDDEN"} and "stay in QGIS" in picture["message"]
    assert missing["code"] == -32602 and missing["data"] == {"uri": "qgis://layers/x"}


def test_lists_of_the_newer_era_say_how_long_they_keep_and_for_whom(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        host = await world.host()
        reads = {"resources/read": {"uri": "qgis://map"}}
        methods = ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read")
        return {each: (await host.modern(each, reads.get(each)))["result"] for each in methods}

    results = in_world(tmp_path, script)
    assert {each["cacheScope"] for each in results.values()} == {"private"}  # what is listed depends on who asks
    kept = {method: each["ttlMs"] for method, each in results.items()}
    assert kept["resources/read"] == 0  # the map changes at any time
    assert kept["resources/list"] < kept["tools/list"] < kept["prompts/list"] == kept["resources/templates/list"]


# prompts


@pytest.mark.parametrize("mode", MODES)
def test_prompts_are_listed_by_name_and_filled_in(tmp_path: Path, mode: str) -> None:
    async def script(world: McpWorld) -> Any:
        async with world.client(mode) as client:
            listed = (await client.list_prompts()).prompts
            filled = await client.get_prompt(
                "within_distance", {"layer_id": "schools", "place": "Park {layer_id}", "distance_m": "500"}
            )
            return listed, filled

    listed, filled = in_world(tmp_path, script)
    names = [each.name for each in listed]
    assert names == sorted(names) and 5 <= len(names) <= 8
    assert [each.name for each in next(each for each in listed if each.name == "within_distance").arguments] == [
        "place",
        "layer_id",
        "distance_m",
    ]
    (message,) = filled.messages
    assert message.role == "user" and "500 metres" in message.content.text
    assert "Park {layer_id}" in message.content.text  # what a person fills in is not filled in again


def test_prompts_and_instructions_speak_the_language_of_qgis(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        async with world.client() as client:
            prompt = await client.get_prompt("count_and_show", {"layer_id": "街道", "field": "名称"})
            return (await client.list_prompts()).prompts, prompt, client.instructions, await _all_resources(client)

    listed, prompt, said, resources = in_world(tmp_path, script, locale="zh_CN")
    assert all(re.search("[一-鿿]", each.title) for each in [*listed, *resources[:3]])
    assert "按字段 名称 统计图层 街道" in prompt.messages[0].content.text
    assert said == instructions("zh") and said != instructions("en")


def test_both_languages_of_a_prompt_have_the_same_parts_and_name_tools_that_there_are() -> None:
    tools = {each.name for each in ToolRegistry.load().list_registered()}
    for prompt in PROMPTS:
        english, chinese = (set(re.findall(r"{(\w+)}", text)) for text in prompt.text)
        assert english == chinese <= set(ARGUMENTS), prompt.name
        named = {each for text in prompt.text for each in re.findall(r"\b([a-z]+_[a-z_]+)\b", text)} - set(ARGUMENTS)
        assert named <= tools, prompt.name
    for language in ("en", "zh"):
        named = set(re.findall(r"(?<![\w{])([a-z]+_[a-z]+)(?![\w…])", instructions(language)))
        words = {"layer_id", "result_ref", "confirm_token", "not_armed", "prepare_"}
        assert {each for each in named if not each.startswith("prepare_")} - words <= tools


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("no_such_prompt", {}),
        ("classify_layer", {}),
        ("classify_layer", {"layer_id": "schools"}),
        ("classify_layer", {"layer_id": "schools", "field": "  "}),
        ("classify_layer", {"layer_id": "schools", "field": "pupils", "colour": "red"}),
    ],
)
def test_a_prompt_that_cannot_be_filled_in_is_an_error(tmp_path: Path, name: str, arguments: dict[str, str]) -> None:
    async def script(world: McpWorld) -> Any:
        async with world.client() as client:
            with pytest.raises(MCPError) as caught:
                await client.get_prompt(name, arguments)
            return caught.value.error.code

    assert in_world(tmp_path, script) == -32602


def test_layers_and_fields_complete_arguments(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        layer, style = (ResourceTemplateReference(uri=f"qgis://{each}/{{layer_id}}") for each in ("layers", "styles"))
        classify = PromptReference(name="classify_layer")
        polygons = PromptReference(name="points_by_polygon")
        asked = [
            (layer, {"name": "layer_id", "value": "sch"}, None),
            (style, {"name": "layer_id", "value": ""}, None),
            (classify, {"name": "field", "value": "PUP"}, {"layer_id": "schools"}),
            (classify, {"name": "field", "value": ""}, None),
            (polygons, {"name": "polygons", "value": ""}, None),
            (PromptReference(name="export_layer"), {"name": "path", "value": "a"}, None),
        ]
        async with world.client() as client:
            return [(await client.complete(*each)).completion.values for each in asked]

    assert in_world(tmp_path, script) == [
        ["schools"],
        ["schools", "districts", "街道"],
        ["pupils"],
        [],
        ["districts", "街道"],
        [],
    ]


def test_completions_are_at_most_a_hundred_and_say_how_many_there_are(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.runs.catalogue.replace(_many(130), "p")
        async with world.client() as client:
            ref = ResourceTemplateReference(uri="qgis://layers/{layer_id}")
            return (await client.complete(ref, {"name": "layer_id", "value": "lay"})).completion

    found = in_world(tmp_path, script)
    assert (len(found.values), found.total, found.has_more) == (100, 130, True)


def test_the_catalogue_is_shown_to_nobody_whom_qgis_refuses(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.replies[messages.MCP_CLIENT] = {"envelope": failure("FORBIDDEN", "Not allowed.", reason="client")}
        host = await world.host()
        complete = {
            "ref": {"type": "ref/prompt", "name": "classify_layer"},
            "argument": {"name": "layer_id", "value": ""},
        }
        return [
            await host.modern("resources/list"),
            await host.modern("resources/read", {"uri": "qgis://layers"}),
            await host.modern("completion/complete", complete),
        ]

    for answer in in_world(tmp_path, script, ScriptedQgis()):
        assert "error" in answer and "schools" not in json.dumps(answer)


def test_a_success_without_data_is_still_a_resource(tmp_path: Path) -> None:
    async def script(world: McpWorld) -> Any:
        world.qgis.tools["get_map_state"] = success(None, "")
        async with world.client() as client:
            return (await client.read_resource("qgis://map")).contents[0].text

    assert json.loads(in_world(tmp_path, script)) == {"ok": True, "data": None, "message": ""}
