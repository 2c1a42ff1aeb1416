"""The two golden requests of the seed through the whole loop on recorded tool results: guards, packs and permissions on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls
from tokenizer import o200k

from qgis_agent.agent.execution.tool_materializer import canonical
from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.llm.scripted import ScriptedClient, parse_turns
from qgis_agent.agent.llm.types import ProviderRequest
from qgis_agent.bridge.envelope import success
from qgis_agent.bridge.messages import MAX_RESULT_BYTES

GOLDEN_1 = "查一下这三个街道的学校分布，按每平方公里密度分色，再叠加医院"
GOLDEN_2 = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"
SCRIPT_1 = Path(__file__).resolve().parents[1] / "support" / "golden_1.json"


def layer(alias: str, name: str, kind: str) -> dict[str, Any]:
    fields = [{"name": "name", "alias": "名称", "type": "text"}, {"name": "code", "alias": "", "type": "text"}]
    return {
        "layer_id": alias, "name": name, "kind": kind, "group": "", "abstract": "", "visible": True, "crs": "EPSG:4490",
        "fields": fields,
    }  # fmt: skip


LAYERS = [
    layer("streets", "街道", "polygon"),
    layer("schools", "学校", "point"),
    layer("hospitals", "医院", "point"),
    layer("bus_stops", "公交站", "point"),
]
STREETS = [
    {"name": "街道A", "count": 12, "area_km2": 1.849, "density_per_km2": 6.49},
    {"name": "街道B", "count": 8, "area_km2": 1.02, "density_per_km2": 7.84},
    {"name": "街道C", "count": 5, "area_km2": 2.1, "density_per_km2": 2.38},
]
RECORDED_1 = {
    "resolve_place": success(
        {"matches": [{"layer_id": "streets", "names": ["街道A", "街道B", "街道C"], "bbox": [120.1, 30.2, 120.3, 30.4]}]}
    ),
    "stat_by_polygon": success(
        {"layer_id": "schools_per_streets", "rows": STREETS, "count_total": 25}, "25 features counted."
    ),
    "set_render_rule": success({"layer_id": "schools_per_streets", "classes": 3, "limits": [2.38, 5.118, 6.939, 7.84]}),
    "toggle_layer": success({"layer_id": "hospitals", "visible": True}, "Shown."),
    "zoom_to": success({"bbox": [120.1, 30.2, 120.3, 30.4]}),
}
RECORDED_2 = {
    "buffer_layer": success({"layer_id": "schools_buffer", "features": 25, "distance_m": 500.0}, "25 features."),
    "stat_by_polygon": success(
        {
            "layer_id": "bus_stops_per_schools_buffer",
            "rows": [{"name": f"学校{at}", "count": at % 7} for at in range(10)],
            "polygons": 25,
            "count_total": 105,
            "mean": 4.2,
            "result_ref": "stat:0f8e2a11",
        }
    ),
    "set_render_rule": success(
        {"layer_id": "bus_stops_per_schools_buffer", "classes": 4, "limits": [0, 3, 6, 10, 14], "rule_id": "rr-1"}
    ),
}


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path, snapshot={"project": "city", "visible": ["streets"], "selection": {"streets": 3}})
    made.catalogue.replace(LAYERS, "p1")
    return made


class Counting:
    """A client that keeps its requests."""

    def __init__(self, inner: Any) -> None:
        self.kind, self.label, self._inner = "script", "script", inner
        self.requests: list[ProviderRequest] = []

    async def complete(self, request: ProviderRequest, on_text: Any) -> Any:
        self.requests.append(request)
        return await self._inner.complete(request, on_text)


def test_golden_request_1_with_guards_packs_and_permissions(bench: Bench) -> None:
    """The scripted solution of the command line's test: every call is let through, every number has a source."""
    script = ScriptedClient(parse_turns(json.loads(SCRIPT_1.read_text(encoding="utf-8"))))
    client, events = Counting(script), ListEvents()
    bridge = FakeBridge(**RECORDED_1)
    report = bench.run(GOLDEN_1, client, bridge, events=events)
    assert (report["termination"], script.remaining) == ("completed", 0)
    assert bridge.names() == ["resolve_place", "stat_by_polygon", "set_render_rule", "toggle_layer", "zoom_to"]
    assert all(each["ok"] for each in report["steps"])
    assert all(each["source"] for each in report["numbers"])
    assert {each["text"] for each in report["numbers"]} >= {"6.49", "7.84", "2.38", "25"}
    bodies = [canonical({"messages": each.messages, "tools": each.tools}) for each in client.requests]
    assert sum(o200k(bodies)) < 25_000
    assert [kind for kind, _ in events.seen if kind == "notice"] == []


def test_golden_request_2_on_recorded_results(bench: Bench) -> None:
    """Analysis and a map in one request: find, buffer, count, classify; the average is the tool's, not the model's."""
    client = FakeClient(
        calls(("search_layers", {"query": "学校"}), ("search_layers", {"query": "公交站"})),
        calls(("buffer_layer", {"layer_id": "schools", "distance_m": 500})),
        calls(("stat_by_polygon", {"layer_id": "bus_stops", "polygon_layer_id": "schools_buffer"})),
        calls(
            (
                "set_render_rule",
                {"layer_id": "bus_stops_per_schools_buffer", "method": "graduated", "field": "count", "classes": 4},
            )
        ),
        answer("25 个学校周边 500 米内共有公交站 105 个，平均每个学校 4.2 个；已按数量分四级上图。"),
    )
    bridge = FakeBridge(**RECORDED_2)
    report = bench.run(GOLDEN_2, client, bridge, options=RunOptions())
    assert (report["termination"], report["ok"]) == ("completed", True)
    assert bridge.names() == ["buffer_layer", "stat_by_polygon", "set_render_rule"]
    assert [each["code"] for each in report["steps"]] == [""] * 5
    sources = {each["text"]: each["source"] for each in report["numbers"]}
    assert sources["4.2"]["tool"] == "stat_by_polygon"
    assert sources["105"]["path"] == "data.count_total"
    assert all(sources.values())
    # the tail works the steps off: after buffer and statistics only the map is open
    tail = client.requests[-1].messages[-1]["content"]
    assert "1. done (analysis)" in tail
    assert "2. done (analysis)" in tail
    assert "3. done (render)" in tail
    assert "vector" not in json.loads(tail.splitlines()[2])["working_state"].get("hidden_packs", [])
    for message in client.requests[-1].messages:
        if message["role"] == "tool":
            assert len(message["content"].encode()) <= MAX_RESULT_BYTES
    assert bench.session.blackboard.handles()[-3:] == (
        "schools_buffer",
        "stat:0f8e2a11",
        "bus_stops_per_schools_buffer",
    )


def test_golden_request_2_with_an_invented_average_is_marked(bench: Bench) -> None:
    """The model divides by itself and gets it wrong: the number has no source."""
    client = FakeClient(
        calls(("buffer_layer", {"layer_id": "schools", "distance_m": 500})), answer("平均每个学校 3.87 个公交站。")
    )
    report = bench.run(GOLDEN_2, client, FakeBridge(**RECORDED_2))
    assert {each["text"]: each["source"] for each in report["numbers"]}["3.87"] is None
