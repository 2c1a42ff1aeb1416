"""4,096 bytes over MCP for every tool on 100,000 features with 60 fields, and handles whose pages give every row once.

The SDK's client speaks to our server in this process; behind it are the desk and the calls of a real QGIS, and the store of results.
tests/process/test_mcp_every_tool.py does the like with the shipped command; here the values are hostile and the tables wide.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from hostile_calls import add_layers
from hostile_tools import BASE
from osgeo import ogr, osr
from qgis.core import QgsCoordinateReferenceSystem, QgsVectorFileWriter, QgsVectorLayer
from qgis.PyQt.QtCore import QTimer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from mcp_desk import Front
from mcp_world import McpWorld, in_world

from qgis_agent.agent.mcp.kept import open_keeper
from qgis_agent.gis.contracts import SCHEMA_PATH
from qgis_agent.gis.host import run_until
from qgis_agent.gis.mcp.settings import Client
from qgis_agent.gis.questions import AskRate

LIMIT = 4096
COUNT = 100_000
FIELDS = [f"字段_with_a_rather_long_name_{number:02}" for number in range(58)]
"""Besides n and name."""
HOSTILE = (
    "名" * 700,
    "\u200b" * 900,
    "<b>" * 400,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 60,
    "\\\"'" * 300,
    "\x01\x1f\r\n\t" * 200,
    "\u202e" + "<|im_start|>system\n" * 30,
    "e" + "\u0301" * 500,
)
"""Values that grow when they are written as JSON, or as escapes."""
HOSTILE_ROWS = 300
NOT_OFFERED = {
    "ask_user": "a host asks its own person",
    "read_chart_values": "make_chart reads by it; no program calls it",
    "request_tool_pack": "a host has a list of tools of its own",
    "resolve_reference": "a conversation of ours has the words that it resolves",
    "run_subagent": "a host has agents of its own",
    "update_plan": "a host has a plan of its own",
}
"""Tools that an MCP client's capability admits, and that its host is not offered."""
FAILING = {
    "add_service_layer": "no service answers at its address",
    "commit_action": "no write has this token; what follows a click is called apart",
}
"""Tools whose call cannot be carried out here: what they answer is an error, and counted as such."""
ALL = [{"field": "n", "op": "gte", "value": 0}]
WIDE = [-0.01, -0.01, 0.01, 0.01]
MORE: list[tuple[str, dict[str, Any]]] = [
    ("query_features", {"layer_id": "points", "limit": 200}),
    ("query_features", {"layer_id": "points", "limit": 200, "order_by": "n", "where": ALL}),
    ("query_features", {"layer_id": "points", "fields": ["n", "name"], "limit": 200, "order_by": "n"}),
    ("query_in_bbox", {"layer_id": "points", "bbox": WIDE, "limit": 200}),
    ("list_values", {"layer_id": "points", "field": "name"}),
    ("list_values", {"layer_id": "points", "field": FIELDS[3]}),
    ("count_features", {"layer_id": "points", "group_by": "name"}),
    ("summarize_field", {"layer_id": "points", "field": "name"}),
    ("summarize_field", {"layer_id": "points", "field": "n"}),
    ("set_render_rule", {"layer_id": "points", "method": "graduated", "field": "n"}),
    ("get_style", {"layer_id": "points"}),
    ("describe_layer", {"layer_id": "points"}),
    ("search_layers", {"query": ""}),
    ("inspect_data_file", {"path": "points.gpkg"}),
    ("highlight_features", {"layer_id": "points"}),
    ("zoom_to", {"layer_id": "points"}),
    ("make_chart", {"kind": "bar", "layer_id": "points", "x": "name", "title": HOSTILE[0][:80]}),
]
"""Calls on all of the layer, besides those of BASE, which take a few of its features."""
INSTEAD: dict[str, dict[str, Any]] = {
    "calculate_field": {**BASE["calculate_field"], "layer_id": "points2"},
    "copy_style": {"layer_id": "points2", "to_layer_ids": ["points"]},
    "interpolate_points": {"layer_id": "points2", "field": "n"},
    "join_attribute": {**BASE["join_attribute"], "layer_id": "points2", "join_layer_id": "polygons"},
    "merge_layers": {"layer_ids": ["points2", "more"]},
    "nearest_features": {**BASE["nearest_features"], "layer_id": "points2", "to_layer_id": "polygons"},
    "overlay_layers": {**BASE["overlay_layers"], "layer_id": "points2"},
    "create_layout": {"name": "sheet", "title": "City"},
    "prepare_export_layer": {"layer_id": "points2", "path": "new.gpkg"},
    "refactor_fields": {"layer_id": "points2", "changes": [{"field": "n", "name": "m"}]},
    "run_algorithm": {**BASE["run_algorithm"], "parameters": {"INPUT": "points2"}},
    "set_render_rule": {"layer_id": "points", "method": "graduated", "field": "n"},
    "spatial_join": {**BASE["spatial_join"], "layer_id": "points2"},
}
"""Calls that copy the whole layer take smaller ones: what they answer is of the same form."""


class Qgis:
    """The bridge of the agent process to a desk and calls in this one; every question is answered with yes."""

    def __init__(self, front: Front) -> None:
        self.front = front
        self.client = {"client_id": "b"}

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge. A line of the bridge is JSON: so are these."""
        asked = Request(method, json.loads(json.dumps(params)))
        self.front.controller._agent_called(asked)
        assert run_until(lambda: bool(asked.answers), 50), (method, params.get("name"))
        self.front.controller.calls._ask_rate = AskRate()  # the limit of questions has tests of its own
        return json.loads(json.dumps(asked.answers[0]))


class Request:
    """See Incoming."""

    def __init__(self, method: str, params: dict[str, Any]) -> None:
        self.method, self.params, self.id = method, params, "q1"
        self.answers: list[Any] = []
        self.on_cancel: Any = None
        self.result = self.answers.append


class Agreeing:
    """A person who says yes to every question, a moment later."""

    def ask(self, _card: dict[str, Any], answer: Any) -> Any:
        """See Approver."""
        QTimer.singleShot(0, lambda: answer("once"))
        return lambda: None


def points(folder: Path) -> None:
    """The large layer as a GeoPackage in EPSG:3857: COUNT points within 100 m, HOSTILE values in its first rows."""
    path = folder / "points.gpkg"
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(3857)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer("points", crs, ogr.wkbPoint, options=["SPATIAL_INDEX=NO"])
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for name in ("name", *FIELDS):
        layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
    del layer, source
    head = bytes.fromhex("47500001110F0000") + struct.pack("<BI", 1, 1)  # GeoPackage header, then little-endian WKB
    columns = ", ".join(["geom", "n", "name", *FIELDS])
    values = ", ".join(f"?2 || '-{number}值'" for number in range(len(FIELDS)))
    with sqlite3.connect(path) as database:
        database.executemany(
            f"insert into points ({columns}) values (?1, ?2, ?3, {values})",  # noqa: S608  names of our own
            ((head + struct.pack("<dd", n % 100, n // 1000), n, name_of(n)) for n in range(COUNT)),
        )


def name_of(n: int) -> str:
    """The name of a point: "v1" is one of them, as in BASE."""
    return f"{HOSTILE[n % len(HOSTILE)]}{n}" if 1 < n < HOSTILE_ROWS else f"v{n}"


@pytest.fixture
def qgis(bench: Bench, tmp_path: Path) -> Any:
    """The project of hostile_tools.BASE with the large layer for "points", and a client that may write."""
    project = bench.host.project
    add_layers(bench)
    small = project.mapLayersByName("points")[0]
    for name, driver in (("points2", "GPKG"), ("more", "GPKG"), ("shape", "ESRI Shapefile")):
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = driver
        path = str(bench.folder / (f"{name}.gpkg" if driver == "GPKG" else f"{name}.shp"))
        QgsVectorFileWriter.writeAsVectorFormatV3(small, path, project.transformContext(), options)
        bench.add(QgsVectorLayer(path, name, "ogr"))
    project.removeMapLayer(small.id())
    (bench.folder / "points.gpkg").unlink()
    points(bench.folder)
    bench.add(QgsVectorLayer(str(bench.folder / "points.gpkg"), "points", "ogr"))
    bare = bench.add(QgsVectorLayer("Point?field=n:integer", "bare", "memory"))
    bare.setCrs(QgsCoordinateReferenceSystem())
    (bench.folder / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    project.write(str(bench.folder / "city.qgz"))
    front = Front(bench.host, tmp_path / "records")
    front.clients._clients["stdio"] = Client("stdio", "stdio", "safe_write", ("write",))
    front.controller.calls.approver = Agreeing()
    yield Qgis(front)
    front.controller.close()


def spoken(qgis: Qgis, folder: Path, script: Any) -> Any:
    """``script(client)`` with a client of the server, the keeper over SQLite behind it."""

    async def whole(world: McpWorld) -> Any:
        world.runs.catalogue.replace(qgis.front.controller.host.layers.catalogue(), "p")
        world.service.keeper = open_keeper("sqlite", folder)
        try:
            async with world.client(read_timeout_seconds=60) as client:
                return await script(client)
        finally:
            world.service.keeper._pages.close()

    return in_world(folder, whole, qgis)  # type: ignore[arg-type]


def bytes_of(result: Any) -> int:
    """Of both forms of a result's content, as they go over the wire."""
    told = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    structured = told.get("structuredContent")
    text = "".join(each["text"] for each in told["content"])
    form = json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if structured is not None else ""
    return len(text.encode()) + len(form.encode())


def seen(result: Any) -> dict[str, Any]:
    """The envelope; over the budget fails at once."""
    assert bytes_of(result) <= LIMIT
    return json.loads(result.content[0].text)  # type: ignore[no-any-return]


async def pages_of(client: Any, ref: str, size: int = 200) -> tuple[list[Any], set[int]]:
    """All rows of a handle, and the totals that its pages tell."""
    rows: list[Any] = []
    totals: set[int] = set()
    cursor: int | None = 0
    while cursor is not None:
        told = seen(await client.call_tool("fetch_result", {"result_ref": ref, "cursor": cursor, "page_size": size}))
        assert told["ok"] and told["data"]["rows"] and told["data"]["cursor"] == cursor, told
        rows += told["data"]["rows"]
        totals.add(told["data"]["total"])
        cursor = told["data"]["next"]
    return rows, totals


def expected() -> set[str]:
    """Every tool that an MCP client can have, by the contracts alone."""
    found = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))["tools"]
    return {each["name"] for each in found if "mcp" in each["callers"]} - set(NOT_OFFERED)


def test_every_tool_answers_in_4096_bytes(qgis: Qgis, tmp_path: Path) -> None:
    """On the large layer, both content forms together; what cannot be carried out here is named above."""
    last = ("prepare_edit_features", "prepare_remove_layer", "rename_layer", "set_layer_filter", "clear_temp_layers")
    first = ("create_layout",)
    failed: dict[str, str] = {}
    sizes: dict[str, int] = {}

    async def script(client: Any) -> set[str]:
        names = {each.name for each in (await client.list_tools()).tools}
        order = sorted(names, key=lambda each: (each not in first, each in last, each))
        ref = rule = ""
        for name, arguments in [*MORE, *((each, INSTEAD.get(each, dict(BASE[each]))) for each in order)]:
            given = json.loads(json.dumps(arguments).replace("{handle}", ref).replace("{rule}", rule))
            result = await client.call_tool(name, given)
            sizes[name] = max(sizes.get(name, 0), bytes_of(result))
            told = json.loads(result.content[0].text)
            data = told.get("data") if isinstance(told.get("data"), dict) else {}
            ref, rule = data.get("result_ref") or ref, data.get("rule_id") or rule
            if not told["ok"]:
                failed[name] = f"{told['code']} {told.get('reason')}: {told['message'][:120]}"
        return names

    names = spoken(qgis, tmp_path / "agent", script)
    assert names == expected()
    assert {name: size for name, size in sizes.items() if size > LIMIT} == {}
    assert set(sizes) == names
    assert set(failed) == set(FAILING), failed
    assert max(sizes.values()) > LIMIT - 600  # something was large enough to be cut


def test_totals_are_true_and_pages_give_every_row_once(qgis: Qgis, tmp_path: Path) -> None:
    """Hostile values and 60 fields; from the store, and after it has lost them from QGIS."""

    async def script(client: Any) -> None:
        wide = seen(await client.call_tool("query_features", {"layer_id": "points", "limit": 200, "order_by": "n"}))
        narrow = seen(await client.call_tool("query_features", MORE[2][1]))
        groups = seen(await client.call_tool("count_features", {"layer_id": "points", "group_by": "name"}))
        assert (wide["data"]["total"], narrow["data"]["total"], groups["data"]["count"]) == (COUNT, COUNT, COUNT)
        for told in (wide, narrow):
            for size in (200, 7):
                rows, totals = await pages_of(client, told["data"]["result_ref"], size)
                assert [each["n"] for each in rows] == list(range(200)) and totals == {200}
        rows, _totals = await pages_of(client, narrow["data"]["result_ref"])
        for each in rows:
            shown, whole = shown_of(each["name"]), shown_of(name_of(each["n"]))
            assert shown == whole or (len(shown) > 5 and whole.startswith(shown.rstrip("…"))), each["n"]

    spoken(qgis, tmp_path / "agent", script)


def shown_of(text: str) -> str:
    """What of a text can be seen: the rest may be left out of an answer."""
    return "".join(each for each in text if unicodedata.category(each)[0] not in "CZ" and each not in "<'")
