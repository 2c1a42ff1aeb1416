"""4,096 bytes over MCP: every tool that a client can be offered, called on a layer of 100,000 features by a real server.

Both content forms count: a result may have text and structured content, and hosts differ in which of them their model reads.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from scope_calls import CALLS

REPO = Path(__file__).resolve().parents[2]
PYTHON = str(REPO / ".venv" / "bin" / "python")
COUNT, LIMIT = 100_000, 4096
POINT = [{"wkt": "POINT(0.5 0.5)", "label": "a"}]
OTHERS: dict[str, dict[str, Any]] = {
    "add_raster_layer": {"path": "dem.tif"},
    "add_service_layer": {"kind": "wfs", "url": "http://127.0.0.1:1/wfs", "layer": "stops"},
    "add_table_layer": {"path": "table.csv"},
    "add_temp_layer": {"name": "drawn", "features": POINT},
    "add_vector_layer": {"path": "people.gpkg"},
    "clear_temp_layers": {},
    "commit_action": {"confirm_token": "A" * 32},
    "create_layout": {"name": "sheet", "title": "City"},
    "describe_algorithm": {"algorithm": "native:buffer"},
    "describe_layout": {"layout": "sheet"},
    "get_map_state": {},
    "inspect_data_file": {"path": "people.gpkg"},
    "list_data_files": {"folder": ""},
    "make_chart": {"kind": "bar", "layer_id": "zones", "x": "kind", "y": "salary", "title": "Chart"},
    "prepare_bookmark": {"name": "here"},
    "prepare_export_layout": {"layout": "sheet", "path": "sheet.pdf"},
    "prepare_export_table": {"path": "new.csv", "rows": [{"n": 1}]},
    "prepare_save_project": {"path": "copy.qgz"},
    "search_algorithms": {"query": "buffer"},
    "search_layers": {"query": ""},
    "set_map_view": {"method": "zoom_in"},
}
"""A call of each tool that takes no layer of the project, or is not in ``scope_calls``."""
FIRST = ("create_layout", "query_features")
"""What others need: a layout, a handle."""
LAST = (
    "prepare_edit_features",
    "prepare_remove_layer",
    "refactor_fields",
    "rename_layer",
    "set_layer_filter",
    "set_layer_crs",
)
"""What takes the layer from the others. Writes are prepared and not committed."""
INSTEAD: dict[str, dict[str, Any]] = {
    "aggregate_layer": {
        "layer_id": "zones",
        "fields": ["kind"],
        "aggregates": [{"field": "salary", "function": "sum"}],
    },
    "derive_geometry": {"layer_id": "zones", "kind": "centroid"},
    "heatmap_raster": {"layer_id": "plain", "radius_m": 20_000, "cell_size_m": 3_000},
    "interpolate_points": {"layer_id": "plain", "field": "salary", "cell_size_m": 5_000},
    "join_attribute": {"layer_id": "plain", "field": "id", "join_layer_id": "zones", "join_field": "id"},
    "measure": {"layer_id": "zones", "method": "area"},
    "nearest_features": {"layer_id": "zones", "to_layer_id": "plain"},
    "refactor_fields": {"layer_id": "plain", "changes": [{"field": "kind", "name": "sort"}]},
    "sample_raster": {"layer_id": "dem", "from_layer_id": "plain"},
    "set_render_rule": {"layer_id": "people", "method": "graduated", "field": "salary"},
    "spatial_join": {"layer_id": "plain", "join_layer_id": "zones", "fields": ["kind"]},
}
"""Calls in place of those of ``scope_calls`` that take long on so many features (what they tell is of the same form), or fail."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, and a profile beside it."""
    folder = tmp_path_factory.mktemp("budget")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    script = REPO / "tests" / "support" / "mcp_budget_world.py"
    subprocess.run([PYTHON, str(script), str(folder), str(COUNT)], env=environment, check=True, timeout=120)
    (folder / "profile" / "tmp").mkdir(parents=True)
    return folder / "budget.qgz"


def _order(names: list[str]) -> list[str]:
    return sorted(names, key=lambda each: (each not in FIRST, each in LAST, each))


async def _all_calls(project: Path) -> tuple[set[str], dict[str, Any]]:
    """The names that are offered, and the result of each call by name."""
    profile = project.parent / "profile"
    environment = {
        **os.environ,
        "QGIS_AGENT_PROFILE": str(profile),
        "QT_QPA_PLATFORM": "offscreen",
        "TMPDIR": str(profile / "tmp"),
    }
    environment.pop("QGIS_CUSTOM_CONFIG_PATH", None)
    arguments = ["-m", "qgis_agent", "mcp", "--project", str(project), "--approve", "all"]
    server = StdioServerParameters(
        command=PYTHON, args=[*arguments, "--allow-write", str(project.parent)], env=environment, cwd=REPO
    )
    results: dict[str, Any] = {}
    async with Client(server, read_timeout_seconds=240) as client:
        names = [each.name for each in (await client.list_tools()).tools]
        ref = ""
        for name in _order(names):
            if name == "fetch_result":
                assert ref
                results[name] = await client.call_tool(name, {"result_ref": ref, "page_size": 200})
                continue
            results[name] = await client.call_tool(name, _call(name))
            ref = ref or _ref(results[name])
        for uri in ("qgis://layers", "qgis://map", "qgis://layers/people", "qgis://styles/people"):
            (content,) = (await client.read_resource(uri)).contents
            results[uri] = content.text
        chart = json.loads(results["make_chart"].content[0].text)["data"]["chart"]
        for uri in (chart, "qgis://map.png"):
            (content,) = (await client.read_resource(uri)).contents
            assert base64.b64decode(content.blob).startswith(b"\x89PNG"), uri
    return set(names), results


def _call(name: str) -> dict[str, Any]:
    for table in (INSTEAD, OTHERS):
        if name in table:
            return table[name]
    assert name in CALLS, f"no call of {name}: put one into OTHERS"
    return CALLS[name][0]


def _ref(result: Any) -> str:
    data = json.loads(result.content[0].text).get("data")
    return str(data.get("result_ref", "")) if isinstance(data, dict) else ""


def test_every_tool_and_resource_keeps_to_4096_bytes_in_both_content_forms(project: Path) -> None:
    names, results = asyncio.run(_all_calls(project))
    assert len(names) > 70 and names <= set(results)
    failed: dict[str, str] = {}
    for name, result in results.items():
        if isinstance(result, str):
            assert len(result.encode()) <= LIMIT, name
            continue
        dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        text = "".join(each.get("text", "") for each in dumped["content"])
        structured = dumped.get("structuredContent")
        both = len(text.encode()) + (len(json.dumps(structured, ensure_ascii=False).encode()) if structured else 0)
        assert both <= LIMIT, (name, both)
        envelope = json.loads(text)
        if not envelope["ok"]:
            failed[name] = f"{envelope['code']}/{envelope.get('reason', '')}: {envelope['message'][:200]}"
    # A call that fails tells little: all but these were carried out.
    assert set(failed) <= {"add_service_layer", "commit_action", "resolve_place", "set_layer_encoding"}, failed
    counted = json.loads(results["query_features"].content[0].text)["data"]
    assert counted["total"] == COUNT
