"""Sentences that were misread: values for layers, two places, years, amounts and units, long phrases, the CRS of a layer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from offline_world import CATALOGUE, CONTRACTS, layer, run

from qgis_agent.agent.llm.types import ProviderRequest, SettledCall, ToolCall
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.conditions import parse_where
from qgis_agent.agent.offline.plans_values import spellings
from qgis_agent.agent.offline.steps import Turn
from qgis_agent.agent.offline.units import in_unit_of
from qgis_agent.bridge.envelope import failure, success

POI = layer("POI_Paris_(OSM)_2023", "POI Paris (OSM) 2023", "point", "amenity_class:text name:text")
Settle = Callable[[str, dict[str, Any]], dict[str, Any]]


def said(
    sentence: str, settle: Settle, layers: list[Any] | None = None
) -> tuple[list[tuple[str, dict[str, Any]]], Turn]:
    """A run against ``settle``: the calls and the last turn."""
    settled: list[SettledCall] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    names = [each for each in CONTRACTS if each not in ("summarize_field", "list_values")]
    tools = [{"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]}} for each in names]
    for _ in range(20):
        turn = plan_turn(ProviderRequest([], tools, sentence, tuple(settled)), CATALOGUE if layers is None else layers)
        for call in turn.calls:
            calls.append((call.name, call.arguments))
            made = ToolCall(f"c{len(settled)}", call.name, json.dumps(call.arguments))
            settled.append(SettledCall(made, call.arguments, settle(call.name, call.arguments)))
        if not turn.calls or turn.calls[-1].name == "ask_user":
            return calls, turn
    raise AssertionError("the run does not end")


def values(**there: tuple[str, int]) -> Settle:
    """Counts by value: for a layer the value that it has and how often."""

    def settle(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name != "count_features" or "where" not in arguments:
            return success({})
        value, count = there.get(arguments["layer_id"].split("_")[0], ("", 0))
        hit = value in arguments["where"][0]["value"]
        return success({"count": count if hit else 0, "groups": [{"value": value, "count": count}] if hit else []})

    return settle


@pytest.mark.parametrize(
    ("sentence", "layer_id", "field", "there", "answer"),
    [
        ("三甲医院有几个", "hospitals", "grade", {"hospitals": ("三甲", 3)}, "医院中grade为“三甲”的要素有 3 个。"),
        ("how many 三甲 hospitals are there", "hospitals", "grade", {"hospitals": ("三甲", 3)}, "医院: 3 features where grade is “三甲”."),
        ("幼儿园有几个", "schools", "kind", {"schools": ("幼儿园", 7)}, "schools中kind为“幼儿园”的要素有 7 个。"),
        ("how many kindergartens are there", "schools", "kind", {"schools": ("幼儿园", 7)}, "schools: 7 features where kind is “幼儿园”."),
    ],
)  # fmt: skip
def test_a_word_that_is_no_layer_may_be_a_value(
    sentence: str, layer_id: str, field: str, there: dict[str, tuple[str, int]], answer: str
) -> None:
    def settle(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return (
            values(**there)(name, arguments) if arguments.get("group_by") in (field, None) else success({"groups": []})
        )

    calls, turn = said(sentence, settle)
    assert turn.text == answer
    assert (layer_id, field) in [(arguments["layer_id"], arguments["group_by"]) for _, arguments in calls]


def test_a_value_of_a_layer_that_is_named() -> None:
    calls, turn = said("how many cafes are in POI Paris (OSM) 2023", values(POI=("cafe", 20)), [*CATALOGUE, POI])
    assert turn.text == "POI Paris (OSM) 2023: 20 features where amenity_class is “cafe”."
    assert [name for name, _ in calls] == ["count_features"]


def test_a_value_in_two_layers_is_asked_about_and_one_in_none_is_no_layer() -> None:
    both = {"schools": ("x", 1), "hospitals": ("x", 2)}

    def settle(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return values(**both)(name, arguments) if arguments.get("group_by") in ("kind", "grade") else success({})

    calls, _ = said("how many x are there", settle)
    assert calls[-1][0] == "ask_user"
    assert calls[-1][1]["options"] == ["how many schools where kind = x", "how many 医院 where grade = x"]
    for option in calls[-1][1]["options"]:
        assert run(option)[0][-1][0] == "count_features"
    _, turn = said("how many unicorns are there", values())
    assert "no layer" in turn.text and turn.finish_reason == "not_understood"


def test_results_of_the_agent_are_not_looked_at_for_values() -> None:
    copy = {**layer("schools_buffer", "schools buffer", "polygon", "kind:text"), "group": "Agent results"}
    schools = layer("schools", "schools", "point", "name:text kind:text")
    calls, turn = said("幼儿园有几个", values(schools=("幼儿园", 7)), [schools, copy])
    assert "7" in turn.text and {arguments["layer_id"] for _, arguments in calls} == {"schools"}


def test_spellings_of_a_word() -> None:
    assert {"cafes", "cafe", "Cafe"} <= set(spellings("cafes"))
    assert {"幼儿园", "kindergarten"} <= set(spellings("kindergartens"))


def two_places(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Single places are known, two at once are not."""
    if name == "resolve_place":
        text = arguments["text"]
        if text not in ("街道A", "街道B", "江"):
            return failure("NOT_FOUND", f"No feature is called '{text}'.", reason="place")
        layer_id = "parks_north" if text == "江" else "streets"
        return success(
            {"layer_id": layer_id, "field": "name", "values": [text], "names": [text], "count": 1, "bbox": [1, 2, 3, 4]}
        )
    return success({"rows": [], "total_count": 0})


@pytest.mark.parametrize("sentence", ["how many schools are in 街道A and 街道B", "街道A和街道B有多少学校"])
def test_two_places_are_counted_in_together(sentence: str) -> None:
    calls, turn = said(sentence, two_places)
    assert calls[-1][1]["polygon_where"] == [{"field": "name", "op": "in", "value": ["街道A", "街道B"]}]
    assert turn.finish_reason == "stop"


def test_two_places_on_the_map_and_of_two_layers() -> None:
    calls, _ = said("zoom to 街道A and 街道B", two_places)
    assert calls[-1][1]["where"][0]["value"] == ["街道A", "街道B"]
    _, turn = said("zoom to 街道A and 江", two_places)
    assert turn.finish_reason == "tool_failed" and "several layers" in turn.text
    calls, turn = said("zoom to 大和", two_places)
    assert len(calls) == 1 and turn.finish_reason == "tool_failed"


@pytest.mark.parametrize(
    ("sentence", "op"),
    [
        ("2010年之后建的学校有多少", "gt"),
        ("2010年以后建成的学校有多少", "gte"),
        ("2010年之前建的学校有多少", "lt"),
        ("how many schools built after 2010", "gt"),
        ("how many schools built before 2010", "lt"),
        ("how many schools built since 2010", "gte"),
    ],
)
def test_a_year_and_what_is_after_it(sentence: str, op: str) -> None:
    calls, turn = run(sentence)
    assert calls == [
        ("count_features", {"layer_id": "schools", "where": [{"field": "built", "op": op, "value": 2010}]})
    ]
    assert turn.finish_reason == "stop"


@pytest.mark.parametrize("sentence", ["2010年之前建成的学校有哪些", "2010年之前建的学校列一下"])
def test_which_ones_there_are(sentence: str) -> None:
    ((name, arguments),) = run(sentence)[0]
    assert name == "query_features"
    assert arguments["where"] == [{"field": "built", "op": "lt", "value": 2010}]
    assert run("学校类别有哪些")[0] == [("list_values", {"layer_id": "schools", "field": "kind"})]


def test_afterwards_still_parts_a_sentence() -> None:
    calls, _ = run("打开学校之后关闭道路")
    assert [arguments["layer_id"] for _, arguments in calls] == ["schools", "roads"]


def test_an_amount_with_its_measure_word() -> None:
    calls, _ = run("床位数在500张以上的医院有几家")
    assert calls[0][1]["where"] == [{"field": "beds", "op": "gte", "value": 500}]


PLOTS = layer("plots", "plots", "polygon", "area_km2:number size:number:面积（平方米） area:number height_m:number")


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("area_km2 > 2000 m2", 0.002),
        ("area_km2大于3公顷", 0.03),
        ("height_m > 1.5 km", 1500),
        ("size大于2000平方米", 2000),
    ],
)
def test_a_value_with_a_unit_is_taken_into_the_unit_of_the_field(condition: str, value: float) -> None:
    (where,) = parse_where(condition, PLOTS) or []
    assert where["op"] == "gt" and where["value"] == pytest.approx(value)


def test_a_unit_is_not_guessed() -> None:
    assert in_unit_of("2000 m2", PLOTS["fields"][2]) is None
    assert in_unit_of("2000 m", PLOTS["fields"][0]) is None
    calls, turn = run("列出area大于2000平方米的plots", layers=[PLOTS])
    assert calls == [] and "单位" in turn.text


@pytest.mark.parametrize(
    ("sentence", "option"),
    [
        ("how many schools lie beyond 500 m of a hospital", "how many schools"),
        ("describe the schools that everybody around here likes", "describe the schools"),
    ],
)
def test_a_long_phrase_is_not_understood_and_offers_the_layer_in_it(sentence: str, option: str) -> None:
    calls, _ = run(sentence)
    assert calls[-1][0] == "ask_user" and calls[-1][1]["question"].startswith("I did not understand")
    assert any(each.startswith(option.split(" the ")[0]) and "schools" in each for each in calls[-1][1]["options"])


def test_a_long_phrase_without_a_layer_is_refused() -> None:
    calls, turn = run("describe what nobody ever saw here before")
    assert calls == [] and "did not understand" in turn.text


@pytest.mark.parametrize(
    "sentence",
    [
        "what is the CRS of the schools layer",
        "which projection does schools use",
        "学校图层的坐标系是什么",
        "学校是什么坐标系",
    ],
)
def test_the_crs_of_a_layer(sentence: str) -> None:
    assert run(sentence)[0] == [("describe_layer", {"layer_id": "schools"})]
