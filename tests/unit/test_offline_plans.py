"""Whole runs of the offline commands against a stand-in for the tools: which calls, in which order, and what is said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.llm.types import LLMResponse, ProviderRequest, SettledCall
from qgis_agent.agent.offline.client import PLANS, OfflineClient
from qgis_agent.agent.offline.coming import COMING, PACK_OF, schema_of
from qgis_agent.agent.offline.rules import EXAMPLES, RULES
from qgis_agent.agent.records.provenance import (
    sources_of_arguments,
    sources_of_request,
    sources_of_result,
    trace_numbers,
)
from qgis_agent.bridge import schema
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.messages import CatalogueLayer

CONTRACTS = {
    each["name"]: each
    for each in json.loads(
        (Path(__file__).resolve().parents[2] / "resources" / "tools.schema.json").read_text("utf-8")
    )["tools"]
    if not each.get("internal")
}
CONTRACTS = {name: {"parameters": schema_of(name)} for name in COMING} | CONTRACTS
CONTRACTS["request_tool_pack"] = {
    "parameters": {
        "properties": {"pack": {"enum": ["arrange", "data", "inspect", "join", "layout", "vector", "write"]}}
    }
}
GOLDEN = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"
Answer = Callable[[dict[str, Any]], dict[str, Any]]


def layer(layer_id: str, kind: str, name: str = "", fields: str = "") -> CatalogueLayer:
    parsed = [each.split(":") + [""] for each in fields.split()]
    return {
        "layer_id": layer_id,
        "name": name or layer_id,
        "kind": kind,
        "group": "",
        "abstract": "",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [{"name": each[0], "type": each[1], "alias": each[2]} for each in parsed],
    }


CITY = [
    layer("schools", "point", fields="name:text:学校名称 kind:text:类别 pupils:integer:学生数 year:integer"),
    layer("hospitals", "point", fields="name:text beds:integer:床位数"),
    layer("bus_stops", "point", fields="name:text lines:text"),
    layer("streets", "polygon", fields="code:text:代码 name:text:街道名称 pop:integer:人口"),
    layer("districts", "polygon", fields="code:text name:text pop:integer"),
    layer("roads", "line", fields="name:text lanes:integer"),
    layer("dem", "raster"),
    layer("Countries", "polygon", "World Map", fields="NAME:text ISO_A3:text"),
]


def resolve_place(arguments: dict[str, Any]) -> dict[str, Any]:
    if arguments.get("use_selection"):
        codes = ["330110001", "330110002", "330110003"]
        return success(_place("streets", "code", codes, ["街道A", "街道B", "街道C"]))
    known = {
        "街道B": _place("streets", "name", ["街道B"], ["街道B"]),
        "街道A": _place("streets", "name", ["街道A"], ["街道A"]),
        "France": _place("Countries", "NAME", ["France"], ["France"]),
        "城关区 (330103)": _place("districts", "code", ["330103"], ["城关区"]),
        "文苑小学": _place("schools", "name", ["文苑小学"], ["文苑小学"]),
        "everywhere": {**_place("districts", "name", ["a"] * 5, ["a"] * 5), "count": 70},
    }
    if arguments["text"] not in known:
        return failure("NOT_FOUND", f"No feature is called '{arguments['text']}'.", hint="Try the full name.")
    return success(known[arguments["text"]])


def _place(layer_id: str, field: str, values: list[str], names: list[str]) -> dict[str, Any]:
    return {
        "layer_id": layer_id,
        "field": field,
        "values": values,
        "names": names,
        "count": len(values),
        "bbox": [1.0, 2.0, 3.0, 4.0],
    }


ROWS = {
    "街道A": {"name": "街道A", "count": 12, "area_km2": 1.85, "density_per_km2": 6.486486},
    "街道B": {"name": "街道B", "count": 8, "area_km2": 1.02, "density_per_km2": 7.843137},
    "街道C": {"name": "街道C", "count": 5, "area_km2": 2.1, "density_per_km2": 2.380952},
}


def stat_by_polygon(arguments: dict[str, Any]) -> dict[str, Any]:
    wanted = (arguments.get("polygon_where") or [{"value": list(ROWS)}])[0]["value"]
    rows = [ROWS[each] for each in wanted if each in ROWS] or list(ROWS.values())
    total = sum(int(row["count"]) for row in rows)  # type: ignore[call-overload]
    data = {"layer_id": "schools_per_streets", "name": "schools per streets", "rows": rows, "total_count": total}
    return success({**data, "polygons": len(rows), "outside": 6})


def set_render_rule(arguments: dict[str, Any]) -> dict[str, Any]:
    classes = [
        {"label": "2.38 – 6.49", "lower": 2.38, "upper": 6.49, "color": "#fee8c8", "count": 2},
        {"label": "6.49 – 7.84", "lower": 6.49, "upper": 7.84, "color": "#e34a33", "count": 1},
    ]
    return success({**arguments, "rule_id": "r1", "classes": classes, "not_drawn": 0})


TOOLS: dict[str, Answer] = {
    "resolve_place": resolve_place,
    "stat_by_polygon": stat_by_polygon,
    "set_render_rule": set_render_rule,
    "zoom_to": lambda _: success({"bbox": [1.0, 2.0, 3.0, 4.0], "crs": "EPSG:4326"}),
    "toggle_layer": lambda a: success({"layer_id": a["layer_id"], "visible": a["visible"]}),
    "count_features": lambda a: success(
        {"layer_id": a["layer_id"], "count": 31, "count_kind": "exact"}
        | ({"groups": [{"value": "小学", "count": 16}, {"value": None, "count": 15}]} if "group_by" in a else {})
    ),
    "query_features": lambda a: success({"rows": [{"name": "文苑小学", "pupils": 842}], "total": 16, "returned": 1}),
    "describe_layer": lambda a: success(
        {"layer_id": a["layer_id"], "name": "schools", "kind": "point", "crs": "EPSG:4326", "feature_count": 31,
         "fields": [{"name": "kind", "type": "text", "alias": "类别"}], "warnings": ["a filter is in force"]}
    ),
    "get_style": lambda a: success({"renderer": {"type": "categorized", "field": "kind", "classes": {"c1": {"label": "小学"}}}}),
    "buffer_layer": lambda a: success(
        {"layer_id": "b1", "name": "schools 500 m", "feature_count": 31, "distance_m": a["distance_m"], "crs_used": "EPSG:32650"}
    ),
    "search_layers": lambda _: success(
        {"layers": [{"layer_id": "schools", "name": "schools", "kind": "point", "visible": False}], "total": 7}
    ),
    "prepare_export_layer": lambda a: success({"written": True, "path": "/data/" + a["path"], "feature_count": 31}),
    "ask_user": lambda a: success({"asked": a["question"]}),
}  # fmt: skip
TOOLS = {name: lambda _: success({}) for name in CONTRACTS} | TOOLS
TOOLS["measure"] = lambda a: success({"value": 1234.5, "unit": "m"}, "")
TOOLS["list_values"] = lambda a: success({"values": [{"value": "小学", "count": 16}, "中学"]})
TOOLS["summarize_field"] = lambda a: success({"count": 31, "mean": 512.5, "max": 842})
TOOLS["get_map_state"] = lambda a: success({"scale": 25000})
TOOLS["set_layer_filter"] = lambda a: success({"count": 16}, "Other layers are not filtered.")
ADDED = {"layer_id": "roads2", "name": "roads2", "feature_count": 120, "count_kind": "exact"}
TOOLS |= {name: lambda _: success(ADDED) for name in ("add_vector_layer", "add_raster_layer", "add_table_layer")}
TOOLS["inspect_data_file"] = lambda a: success(
    {"path": a["path"], "fields": [{"name": "code", "type": "text"}], "rows": 12, "encoding": "GBK", "crs": "EPSG:4326"}
)
TOOLS["list_data_files"] = lambda _: success(
    {"files": [{"path": "data/a.csv", "kind": "table", "bytes": 99}], "total": 1}
)
TOOLS["create_layout"] = lambda a: success({"layout": a["name"] + "-2", "pages": 1, "items": []}, "The name is taken.")
TOOLS["prepare_export_layout"] = lambda a: success(
    {"written": True, "path": "/data/" + a["path"], "format": a["format"]}
)
TOOLS["prepare_bookmark"] = TOOLS["prepare_save_project"] = lambda _: success({"written": True})
TOOLS["nearest_features"] = lambda _: success({"layer_id": "near1", "name": "near", "feature_count": 9})
TOOLS["select_by_location"] = lambda _: success({"layer_id": "schools", "selected": 9, "matched": 9})


class Person:
    """Plays the loop: shows packs when they are asked for, checks every call against its contract, settles it."""

    def __init__(self, catalogue: list[CatalogueLayer] | None = None, tools: dict[str, Answer] | None = None) -> None:
        self.catalogue = list(CITY if catalogue is None else catalogue)
        self.tools = {**TOOLS, **(tools or {})}
        self.enabled = {"vector", "arrange", "data", "inspect", "join", "layout"}
        self.shown: set[str] = set()
        self.client = OfflineClient(lambda: self.catalogue)
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.ids: list[str] = []
        self.settled: list[SettledCall] = []
        self.tool_free = False

    def say(self, text: str, limit: int = 12) -> LLMResponse:
        """One run; the closing answer (or the one with ask_user, which ends a run)."""
        settled: list[SettledCall] = []
        streamed: list[str] = []
        self.calls, self.ids, self.settled = [], [], settled
        for _ in range(limit):
            request = ProviderRequest([{"role": "user", "content": text}], self._offered(), text, tuple(settled))
            answer = asyncio.run(self.client.complete(request, streamed.append))
            if not answer.tool_calls:
                assert "".join(streamed) == answer.content
                return answer
            assert answer.finish_reason == "tool_calls" and not answer.content
            for call in answer.tool_calls:
                arguments = json.loads(call.arguments)
                problem = schema.check(arguments, CONTRACTS[call.name]["parameters"])
                assert problem is None, (call.name, arguments, problem)
                self.calls.append((call.name, arguments))
                self.ids.append(call.id)
                settled.append(SettledCall(call, arguments, self._settle(call.name, arguments)))
            if answer.tool_calls[-1].name == "ask_user":
                return answer
        raise AssertionError("the run does not end")

    def _settle(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == "request_tool_pack":
            if arguments["pack"] not in self.enabled:
                return failure("FORBIDDEN", "Writing files is switched off.", hint="Switch it on in the settings.")
            self.shown.add(arguments["pack"])
            return success({"pack": arguments["pack"]})
        assert PACK_OF.get(name) is None or PACK_OF[name] in self.shown, f"{name} is not shown yet"
        envelope = self.tools[name](arguments)
        if name in ("stat_by_polygon", "buffer_layer") and envelope["ok"]:
            self.catalogue.append(layer(envelope["data"]["layer_id"], "polygon", envelope["data"]["name"]))
        return envelope

    def _offered(self) -> list[dict[str, Any]]:
        names = (
            []
            if self.tool_free
            else [each for each in CONTRACTS if PACK_OF.get(each, "default") in {"default"} | self.shown]
        )
        return [
            {"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]["parameters"]}}
            for each in names
        ]


@pytest.fixture
def person() -> Person:
    return Person()


def work(person: Person) -> list[tuple[str, dict[str, Any]]]:
    """The calls without those for packs."""
    return [each for each in person.calls if each[0] != "request_tool_pack"]


def test_every_intent_of_the_grammar_has_a_plan() -> None:
    assert {rule.intent for rule in RULES} == set(PLANS)


@pytest.mark.parametrize("rule", RULES, ids=[f"{each.intent}-{each.language}-{each.example}" for each in RULES])
def test_every_example_works_on_the_sample_layers(person: Person, rule: Any) -> None:
    person.enabled.add("write")
    answer = person.say(rule.example)
    # It does not say which layer; undo is a button; the biggest by what is asked.
    special = {"colour_last": "not_understood", "undo": "tool_failed", "biggest": "tool_calls"}
    expected = special.get(rule.intent, "stop")
    assert answer.finish_reason == expected, answer
    assert len(set(person.ids)) == len(person.ids)


@pytest.mark.parametrize("sentence", [*EXAMPLES["en"], *EXAMPLES["zh"], GOLDEN])
def test_every_number_of_an_answer_has_a_source(person: Person, sentence: str) -> None:
    person.enabled.add("write")
    answer = person.say(sentence)
    sources = sources_of_request(sentence)
    for step, each in enumerate(person.settled, 1):
        sources += sources_of_arguments(step, each.call.name, each.arguments)
        sources += sources_of_result(step, each.call.name, each.envelope)
    numbers = trace_numbers(answer.content, sources)
    assert [each["text"] for each in numbers if each["source"] is None] == []


def test_zoom_to_a_place(person: Person) -> None:
    answer = person.say("zoom to France")
    assert person.calls == [
        ("resolve_place", {"text": "France"}),
        ("zoom_to", {"layer_id": "Countries", "where": [{"field": "NAME", "op": "in", "value": ["France"]}]}),
    ]
    assert answer.content == "The map shows France."


def test_zoom_to_a_layer_and_with_a_condition(person: Person) -> None:
    person.say("放大到学校图层")
    assert person.calls == [("zoom_to", {"layer_id": "schools"})]
    person.say("zoom to schools where pupils > 500")
    assert person.calls == [
        ("zoom_to", {"layer_id": "schools", "where": [{"field": "pupils", "op": "gt", "value": 500}]})
    ]


def test_zoom_to_many_places_uses_their_box(person: Person) -> None:
    person.say("zoom to everywhere")
    assert person.calls[-1] == ("zoom_to", {"bbox": [1.0, 2.0, 3.0, 4.0]})


def test_a_remark_of_the_tool_is_passed_on() -> None:
    person = Person(tools={"zoom_to": lambda _: success({}, "The main part is shown; 8 parts are not.")})
    assert person.say("zoom to France").content.endswith("The main part is shown; 8 parts are not.")


def test_an_option_of_an_ambiguous_place_is_understood(person: Person) -> None:
    answer = person.say("放大到 城关区 (330103)")
    assert person.calls[0] == ("resolve_place", {"text": "城关区 (330103)"})
    assert person.calls[1][1]["where"] == [{"field": "code", "op": "in", "value": ["330103"]}]
    assert answer.content == "地图已定位到城关区 (330103)。"


def test_show_me_prefers_a_layer_to_a_place(person: Person) -> None:
    person.say("show me schools")
    assert person.calls == [("toggle_layer", {"layer_id": "schools", "visible": True})]
    person.say("show me France")
    assert [name for name, _ in person.calls] == ["resolve_place", "zoom_to"]


def test_hide_and_show(person: Person) -> None:
    answer = person.say("把学校关掉")
    assert person.calls == [("toggle_layer", {"layer_id": "schools", "visible": False})]
    assert answer.content == "已隐藏：schools。" and answer.finish_reason == "stop"
    person.say("show schools and the hospitals")
    assert person.calls == [("toggle_layer", {"layer_id": each, "visible": True}) for each in ("schools", "hospitals")]
    person.say("hide all layers")
    assert {arguments["layer_id"] for _, arguments in person.calls} == {each["layer_id"] for each in CITY}


def test_a_part_that_failed_is_not_called_done() -> None:
    def toggle(arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["layer_id"] == "hospitals":
            return failure("UNSUPPORTED", "It is not in the layer tree.", hint="Add it.")
        return success(arguments)

    answer = Person(tools={"toggle_layer": toggle}).say("hide schools and hospitals")
    assert answer.finish_reason == "tool_failed"
    assert answer.content == "Hidden: schools.\nThat did not work. It is not in the layer tree. Add it."


def test_how_many_in_a_street(person: Person) -> None:
    answer = person.say("how many schools are in 街道B")
    assert work(person) == [
        ("resolve_place", {"text": "街道B"}),
        (
            "stat_by_polygon",
            {
                "polygon_layer_id": "streets",
                "layer_id": "schools",
                "polygon_where": [{"field": "name", "op": "in", "value": ["街道B"]}],
            },
        ),
    ]
    assert ("request_tool_pack", {"pack": "vector"}) in person.calls
    assert answer.content == (
        "schools: 街道B has 8 (7.84 per km² on 1.02 km²). The layer “schools per streets” was added."
    )
    again = person.say("街道B有多少学校")
    assert "街道B有 8 个（面积 1.02 平方公里，每平方公里 7.84 个）" in again.content
    assert "已添加图层" in again.content and ("request_tool_pack", {"pack": "vector"}) not in person.calls


def test_how_many_in_the_selected_ones_and_in_a_whole_layer(person: Person) -> None:
    answer = person.say("这三个街道有多少学校")
    assert work(person)[0] == ("resolve_place", {"text": "这三个街道", "use_selection": True})
    assert "3 个区域内共 25 个" in answer.content
    person.say("how many schools are in the streets")
    assert work(person) == [("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"})]


def test_nothing_lies_inside_a_point(person: Person) -> None:
    answer = person.say("how many hospitals are in 文苑小学")
    assert answer.finish_reason == "tool_failed" and [name for name, _ in person.calls] == ["resolve_place"]


def test_counts(person: Person) -> None:
    assert person.say("how many schools are there").content == "schools: 31 features."
    assert person.calls == [("count_features", {"layer_id": "schools"})]
    assert person.say("类型为小学的学校有多少").content == "schools共有 31 个要素。"
    where = [{"field": "kind", "op": "eq", "value": "小学"}]
    assert person.calls == [("count_features", {"layer_id": "schools", "where": where})]


def test_counts_by_area_or_by_field(person: Person) -> None:
    assert "25 in all 3 areas" in person.say("count schools per street").content
    assert work(person) == [("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"})]
    answer = person.say("count schools by kind")
    assert person.calls == [("count_features", {"layer_id": "schools", "group_by": "kind"})]
    assert answer.content == "schools: 31 features.\n- 小学: 16\n- (empty): 15"


def test_colour_by_area_uses_a_field_first_and_the_computed_area_else(person: Person) -> None:
    person.say("colour the streets by area, 5 classes, quantile")
    ((name, arguments),) = person.calls
    assert name == "set_render_rule"
    assert (arguments["layer_id"], arguments["method"], arguments["field"]) == ("streets", "graduated", "$area_km2")
    assert arguments["classes"] == 5 and arguments["options"]["classification"] == "quantile"
    other = Person([layer("plots", "polygon", fields="size_ha:number:面积")])
    other.say("地块按面积分级")
    assert other.calls[0][1]["field"] == "size_ha"


def test_colour_by_text_makes_categories_and_unknown_fields_go_to_the_tool(person: Person) -> None:
    person.say("colour schools by kind")
    assert person.calls[0][1] == {"layer_id": "schools", "method": "categorized", "field": "kind"}
    person.say("colour schools by pupils, 3 classes")
    assert person.calls[0][1]["method"] == "graduated" and person.calls[0][1]["classes"] == 3
    person.say("colour schools by happiness")
    assert person.calls[0][1]["field"] == "happiness"
    person.say("colour schools by area")  # points have none
    assert person.calls[0][1]["field"] == "area"


def test_colour_by_density_counts_first(person: Person) -> None:
    answer = person.say("街道按学校密度分色")
    assert [name for name, _ in work(person)] == ["stat_by_polygon", "set_render_rule"]
    arguments = person.calls[-1][1]
    assert (arguments["layer_id"], arguments["field"], arguments["classes"]) == (
        "schools_per_streets",
        "density_per_km2",
        3,
    )
    assert "7.84" in answer.content and "已添加图层" in answer.content


def test_the_golden_request_works_without_a_model(person: Person) -> None:
    answer = person.say(GOLDEN)
    assert [name for name, _ in work(person)] == ["resolve_place", "stat_by_polygon", "set_render_rule", "toggle_layer"]
    assert work(person)[2][1]["layer_id"] == "schools_per_streets"
    assert work(person)[3][1] == {"layer_id": "hospitals", "visible": True}
    assert all(each in answer.content for each in ("6.49", "7.84", "2.38", "25"))
    assert answer.finish_reason == "stop"


def test_single_colour(person: Person) -> None:
    person.say("把学校改成红色")
    ((_, arguments),) = person.calls
    assert arguments == {"layer_id": "schools", "method": "single", "options": {"color": "#e31a1c"}}


@pytest.mark.parametrize(
    ("sentence", "metres"),
    [
        ("buffer schools 500 m", 500.0),
        ("buffer schools by 1.5 km", 1500.0),
        ("buffer schools 500 feet", 152.4),
        ("给学校做五百米缓冲区", 500.0),
        ("给学校做2公里缓冲区", 2000.0),
        ("create a 1 mile buffer around schools", 1609.344),
    ],
)
def test_buffers_in_metres(person: Person, sentence: str, metres: float) -> None:
    answer = person.say(sentence)
    assert work(person) == [("buffer_layer", {"layer_id": "schools", "distance_m": metres})]
    assert "31" in answer.content and "EPSG:32650" in answer.content


def test_a_buffer_without_a_unit_is_asked_about(person: Person) -> None:
    person.say("buffer schools 500")
    ((name, arguments),) = person.calls
    assert name == "ask_user"
    assert arguments["options"] == ["buffer schools 500 m", "buffer schools 500 km", "buffer schools 500 ft"]
    person.say(arguments["options"][2])
    assert work(person) == [("buffer_layer", {"layer_id": "schools", "distance_m": 152.4})]


def test_rows(person: Person) -> None:
    answer = person.say("list the first 10 schools where kind = 小学")
    assert person.calls == [
        (
            "query_features",
            {"layer_id": "schools", "limit": 10, "where": [{"field": "kind", "op": "eq", "value": "小学"}]},
        )
    ]
    assert answer.content == "schools: 16 features match; 1 are listed.\n- name = 文苑小学, pupils = 842"
    person.say("top 3 streets by population")
    assert person.calls == [
        ("query_features", {"layer_id": "streets", "limit": 3, "order_by": "pop", "descending": True})
    ]


def test_a_condition_that_cannot_be_read_is_said(person: Person) -> None:
    answer = person.say("count schools where big = ")
    assert answer.finish_reason == "not_understood" and person.calls == []


def test_wide_layers_are_read_by_few_fields() -> None:
    wide = layer("wide", "point", fields=" ".join(f"f{each}:text" for each in range(60)) + " name:text")
    person = Person([wide])
    person.say("list wide where f40 = x")
    assert person.calls[0][1]["fields"] == ["name", "f40", "f0", "f1", "f2", "f3"]


@pytest.mark.parametrize(
    ("sentence", "path", "format_name"),
    [
        ("export schools to out/schools.geojson", "out/schools.geojson", "GeoJSON"),
        ("export schools as csv", "schools.csv", "CSV"),
        ("导出学校", "schools.gpkg", "GPKG"),
        ("把学校保存为学校.shp", "学校.shp", "ESRI Shapefile"),
    ],
)
def test_export(person: Person, sentence: str, path: str, format_name: str) -> None:
    person.enabled.add("write")
    answer = person.say(sentence)
    assert work(person) == [("prepare_export_layer", {"layer_id": "schools", "path": path, "format": format_name})]
    assert "/data/" + path in answer.content and answer.finish_reason == "stop"


def test_export_that_is_not_enabled_or_not_agreed_to_is_not_done(person: Person) -> None:
    answer = person.say("export schools to schools.geojson")
    assert answer.finish_reason == "tool_failed" and "switched off" in answer.content
    assert [name for name, _ in person.calls] == ["request_tool_pack"]
    waiting = Person(tools={"prepare_export_layer": lambda _: success({"written": False}, "Nothing is written yet.")})
    waiting.enabled.add("write")
    answer = waiting.say("export schools to schools.geojson")
    assert answer.finish_reason == "tool_failed" and answer.content == "Nothing is written yet."


def test_reading(person: Person) -> None:
    assert person.say("list the layers").content == "The project has 7 layers:\n- schools (points, hidden)"
    answer = person.say("学校有哪些字段")
    assert "kind（类别）" in answer.content and "31" in answer.content and "a filter is in force" in answer.content
    assert person.say("how is schools drawn").content == "schools is drawn with categories of kind: 小学."


def test_an_unknown_sentence_says_what_can_be_said(person: Person) -> None:
    for sentence, example in (("draw me a sheep", "zoom to schools"), ("今天天气怎么样", "放大到schools")):
        answer = person.say(sentence)
        assert answer.finish_reason == "not_understood" and person.calls == []
        assert example in answer.content
    assert "list the layers" in Person([]).say("draw me a sheep").content


def test_a_failed_tool_is_the_answer(person: Person) -> None:
    answer = person.say("zoom to Atlantis")
    assert answer.finish_reason == "tool_failed"
    assert answer.content == "That did not work. No feature is called 'Atlantis'. Try the full name."
    assert [name for name, _ in person.calls] == ["resolve_place"]


def test_several_layers_are_asked_about_with_whole_sentences() -> None:
    person = Person([layer("roads", "line"), layer("roads-2", "line", "roads")])
    person.say("hide roads")
    ((name, arguments),) = person.calls
    assert name == "ask_user" and arguments["options"] == ["hide [roads]", "hide roads-2"]
    person.say(arguments["options"][0])
    assert person.calls == [("toggle_layer", {"layer_id": "roads", "visible": False})]
    person.say(arguments["options"][1])
    assert person.calls == [("toggle_layer", {"layer_id": "roads-2", "visible": False})]


def test_a_near_miss_is_asked_about_never_guessed(person: Person) -> None:
    person.say("hide schols")
    ((name, arguments),) = person.calls
    assert name == "ask_user" and "hide schools" in arguments["options"]


def test_several_fields_are_asked_about() -> None:
    person = Person([layer("plots", "polygon", fields="pop_2010:integer pop_2020:integer")])
    person.say("colour plots by population")
    ((name, arguments),) = person.calls
    assert name == "ask_user" and arguments["options"] == ["colour plots by pop_2010", "colour plots by pop_2020"]


def test_no_layer_at_all() -> None:
    answer = Person([]).say("hide schools")
    assert answer.finish_reason == "not_understood" and answer.content == "The project has no layers."


def test_a_turn_without_tools_ends_the_run(person: Person) -> None:
    person.tool_free = True
    answer = person.say("hide schools")
    assert answer.finish_reason == "tool_failed" and person.calls == []


def test_a_layer_added_in_the_run_does_not_change_what_words_mean() -> None:
    """The new layer is called almost like the one that was asked about."""
    person = Person([layer("city_schools", "point"), layer("streets", "polygon")])
    answer = person.say("街道按学校密度分色，再显示学校")
    assert [name for name, _ in work(person)] == ["stat_by_polygon", "set_render_rule", "toggle_layer"]
    assert work(person)[-1][1]["layer_id"] == "city_schools" and answer.finish_reason == "stop"


def test_call_ids_do_not_repeat_those_of_the_conversation() -> None:
    history = [{"role": "assistant", "tool_calls": [{"id": "call_2", "function": {"name": "x", "arguments": "{}"}}]}]
    request = ProviderRequest(history, [{"function": {"name": "toggle_layer"}}], "hide schools and hospitals")
    client = OfflineClient(lambda: CITY)
    answer = asyncio.run(client.complete(request, lambda _text: None))
    ids = [each.id for each in answer.tool_calls]
    assert len(set(ids)) == 2 and "call_2" not in ids
    assert asyncio.run(client.complete(request, lambda _text: None)).tool_calls == answer.tool_calls
