"""T23: whatever a reading tool finds, what is told stays under 4,096 bytes, and the pages behind the handle are the whole.

100,000 features, the first 1,000 with a text of 10,000 characters, which a virtual field makes: a gigabyte says no more.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr, osr
from qgis.core import QgsField, QgsRectangle, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType
from scope_calls import CALLS
from test_scope_everywhere import dem

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.results import MAX_HANDLES, TTL_S, ResultStore
from qgis_agent.gis.tools.registry import load_all

COUNT, LONG = 100_000, 10_000
READS = sorted(name for name, tool in load_all().items() if tool.effect == "read" and name in CALLS)
OWNER = {"project_id": "p", "caller": "chat", "session_id": "s"}
ZONES = [(f"POLYGON(({n} 0, {n + 1} 0, {n + 1} 1, {n} 1, {n} 0))", [n, f"zone {n}", float(n)]) for n in range(3)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GeoPackage of points with id, kind (every one another) and salary."""
    path = tmp_path_factory.mktemp("at23") / "people.gpkg"
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer("people", crs, ogr.wkbPoint, options=["SPATIAL_INDEX=NO"])
    for name, kind in (("id", ogr.OFTInteger), ("kind", ogr.OFTString), ("salary", ogr.OFTReal)):
        layer.CreateField(ogr.FieldDefn(name, kind))
    del layer, source
    numbers = f"with recursive t(n) as (select 0 union all select n + 1 from t where n < {COUNT - 1})"  # noqa: S608
    # The bytes of POINT(0.5 0.5): the header of a GeoPackage geometry, then little-endian WKB.
    point = "X'47500001E61000000101000000000000000000E03F000000000000E03F'"
    with sqlite3.connect(path) as database:
        database.execute(
            f"insert into people (geom, id, kind, salary) {numbers} select {point}, n, 'k' || n, n / 7.0 from t"  # noqa: S608
        )
    return path


@pytest.fixture()
def world(bench: Bench, file: Path, tmp_path: Path) -> Bench:
    """The project for the calls of ``scope_calls``."""
    people = bench.add(QgsVectorLayer(f"{file}|layername=people", "people", "ogr"))
    people.setDisplayExpression('"kind"')
    people.addExpressionField(
        f'if("id" < 1000, rpad("kind", {LONG}, \'名\'), "kind")', QgsField("long", QMetaType.Type.QString)
    )
    fields = "crs=EPSG:4326&field=id:integer&field=kind:string&field=salary:double"
    bench.add(memory_layer(f"Polygon?{fields}", ZONES, "zones"))
    bench.host.project.addMapLayer(dem(tmp_path / "dem.tif"))
    bench.host.set_extent(QgsRectangle(0, 0, 1.2, 1.2), people.crs())
    return bench


def pages(bench: Bench, ref: str) -> tuple[list[Any], int]:
    """All rows behind a handle, page by page, and the total that every page tells."""
    rows: list[Any] = []
    totals: set[int] = set()
    cursor: int | None = 0
    while cursor is not None:
        envelope = bench.call("fetch_result", result_ref=ref, cursor=cursor, page_size=200)
        assert envelope["ok"] and size_bytes(envelope) <= 4096, envelope
        page = envelope["data"]
        assert page["rows"] and page["returned"] == len(page["rows"])
        rows += page["rows"]
        totals.add(page["total"])
        cursor = page["next"]
    assert len(totals) == 1
    return rows, totals.pop()


@pytest.mark.parametrize("name", READS)
def test_at23_a_reading_tool_keeps_to_the_budget_and_its_pages_are_the_whole(world: Bench, name: str) -> None:
    for arguments in CALLS[name]:
        outcome = world.outcome(name, **arguments)
        envelope = outcome["envelope"]
        assert size_bytes(envelope) <= 4096
        assert envelope["ok"] or (name, envelope["code"]) == ("resolve_place", "NOT_FOUND"), envelope
        assert json.loads(json.dumps(envelope, allow_nan=False)) == envelope
        ref = (envelope.get("data") or {}).get("result_ref")
        if ref:
            rows, total = pages(world, ref)
            assert len(rows) == total
            assert len({json.dumps(each, sort_keys=True) for each in rows}) == total


def test_at23_there_are_tools_with_pages() -> None:
    """Else the test above would test little."""
    assert {"query_features", "list_values", "query_in_bbox", "describe_layer"} <= set(READS)


def test_at23_long_texts_are_cut_in_samples_and_pages_and_the_rows_stay_whole_in_number(world: Bench) -> None:
    envelope = world.call("query_features", layer_id="people", fields=["id", "long"], limit=200)
    assert size_bytes(envelope) <= 4096
    assert envelope["data"]["total"] == COUNT
    rows, total = pages(world, envelope["data"]["result_ref"])
    assert [each["id"] for each in rows] == list(range(200)) and total == 200
    assert all(str(each["long"]).startswith(f"k{each['id']}") for each in rows)


def test_at23_a_page_stays_as_it_was_while_the_data_is_edited(world: Bench) -> None:
    ref = world.host.results.put([{"n": n} for n in range(500)], tool="t", **owner(world))
    first = world.ok("query_features", layer_id="people", fields=["id", "long"], limit=200)["result_ref"]
    before = pages(world, first)
    people = world.host.layers.by_alias("people")
    assert people is not None and people.startEditing() and people.deleteFeatures([1, 2, 3])
    assert pages(world, first) == before
    people.rollBack()
    assert pages(world, ref) == ([{"n": n} for n in range(500)], 500)


def owner(bench: Bench) -> dict[str, str]:
    capability = bench.capability
    return {
        "project_id": capability.project_id,
        "caller": capability.caller,
        "session_id": capability.session_id,
    }


def refused(store: ResultStore, ref: str, **other: str) -> str:
    with pytest.raises(ToolError) as caught:
        store.rows(ref, **{**OWNER, **other})
    assert caught.value.envelope["hint"]
    return str(caught.value.envelope["code"])


def test_at23_handles_are_unguessable_end_and_belong_to_one_session() -> None:
    now = [0.0]
    store = ResultStore(lambda: now[0])
    refs = [store.put([1], tool="t", **OWNER) for _ in range(100)]
    assert all(uuid.UUID(each.split(":")[1]).version == 4 for each in refs) and len(set(refs)) == 100
    assert refused(store, "t:1") == refused(store, f"t:{uuid.uuid4()}") == "NOT_FOUND"
    for key in OWNER:
        assert refused(store, refs[0], **{key: "other"}) == "NOT_FOUND"
    now[0] = TTL_S - 1
    assert store.rows(refs[0], **OWNER) == [1]
    now[0] = TTL_S + 1
    assert refused(store, refs[0]) == "NOT_FOUND"
    assert TTL_S >= 30 * 60


def test_at23_the_oldest_handles_go_when_there_are_too_many() -> None:
    store = ResultStore()
    refs = [store.put([at], tool="t", **OWNER) for at in range(MAX_HANDLES + 5)]
    assert [refused(store, each) for each in refs[:5]] == ["NOT_FOUND"] * 5
    assert [store.rows(each, **OWNER) for each in refs[5:]] == [[at] for at in range(5, MAX_HANDLES + 5)]
