"""A filter that is in force is said in offline answers; values hidden by it are no layers; files of exports; choices of areas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from offline_world import CATALOGUE, CONTRACTS, run

from qgis_agent.agent.llm.types import ProviderRequest, SettledCall, ToolCall
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.steps import Turn
from qgis_agent.bridge.envelope import failure, success

ROWS = [{"name": "云溪区", "count": 2, "area_km2": 20.0, "density_per_km2": 0.1}]
COUNTED = {"layer_id": "n", "name": "n", "rows": ROWS, "total_count": 2, "polygons": 1, "points": 2, "outside": 0}
ANSWERS: dict[str, dict[str, Any]] = {
    "stat_by_polygon": success(COUNTED, message="The filter of 'schools' is in force."),
    "make_chart": success({"used": 2, "left_out": 0}),
    "count_features": success({"count": 2, "groups": []}, message="The layer's filter is in force."),
    "summarize_field": success({"count": 2, "sum": 9}, message="The layer's filter is in force."),
    "set_layer_filter": success({"features_after": 2}),
}


def answer(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the tools give; only 云溪区 is known as a place."""
    if name != "resolve_place":
        return ANSWERS.get(name, success({}))
    if arguments["text"] != "云溪区":
        return failure("NOT_FOUND", f"No feature of the project is called '{arguments['text']}'.", reason="place")
    return success({"layer_id": "streets", "field": "name", "values": ["云溪区"], "count": 1})


def said(sentence: str, filters: dict[str, str]) -> tuple[list[tuple[str, dict[str, Any]]], Turn]:
    """A run with the filters that the state of the map tells: the calls and the last turn."""
    state = json.dumps({"snapshot": {"filters": filters}})
    content = f"State of the map now\n<state ab>\n{state}\n</state ab>\n{sentence}"
    messages = [{"role": "user", "content": content}]
    tools = [{"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]}} for each in CONTRACTS]
    settled: list[SettledCall] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    for _ in range(12):
        turn = plan_turn(ProviderRequest(messages, tools, sentence, tuple(settled)), CATALOGUE)
        for call in turn.calls:
            calls.append((call.name, call.arguments))
            made = ToolCall(f"c{len(settled)}", call.name, json.dumps(call.arguments))
            settled.append(SettledCall(made, call.arguments, answer(call.name, call.arguments)))
        if not turn.calls or turn.calls[-1].name == "ask_user":
            return calls, turn
    raise AssertionError("the run does not end")


ZH = "schools正被筛选，被筛掉的要素不计在内。"
EN = "schools is filtered: what the filter hides is not included."


@pytest.mark.parametrize(
    ("sentence", "remark"),
    [
        ("云溪区有多少学校", ZH),
        ("统计每个街道的学校数量", ZH),
        ("有多少学校", ZH),
        ("学校的平均学生数", ZH),
        ("画schools按kind的柱状图", ZH),
        ("how many schools are in 云溪区", EN),
        ("how many schools are there", EN),
        ("draw a histogram of students of schools", EN),
    ],
)
def test_a_filter_in_force_is_said_once_in_the_language_of_the_answer(sentence: str, remark: str) -> None:
    _, turn = said(sentence, {"schools": '"year" = 2021'})
    assert turn.finish_reason == "stop" and turn.text.count(remark) == 1
    assert "in force" not in turn.text


def test_without_a_filter_nothing_is_said_of_one_and_that_of_another_layer_does_not_count() -> None:
    for filters in ({}, {"hospitals": "beds > 5"}):
        _, turn = said("画schools按kind的柱状图", filters)
        assert turn.finish_reason == "stop" and "筛" not in turn.text


def test_a_remark_of_the_tool_alone_is_enough() -> None:
    """The state of the map names only some filters."""
    _, turn = said("云溪区有多少学校", {})
    assert ZH in turn.text


def test_a_filter_of_an_earlier_clause_counts() -> None:
    _, turn = said("筛选 built = 2021 的学校，然后画schools按kind的柱状图", {})
    assert turn.text.count(ZH) == 1 and turn.text.endswith(ZH)


@pytest.mark.parametrize("sentence", ["schools 里有多少个中学", "中学有多少", "how many 中学 are in schools"])
def test_a_value_that_the_filter_may_hide_is_no_layer(sentence: str) -> None:
    calls, turn = said(sentence, {"schools": '"year" = 2021'})
    assert "ask_user" not in [name for name, _ in calls]
    assert "中学" in turn.text and (ZH in turn.text or EN in turn.text)
    assert turn.finish_reason == ("stop" if "schools" in sentence else "not_understood")


def test_a_value_that_the_named_points_do_not_have_is_no_layer() -> None:
    calls, turn = said("schools 里有多少个中学", {})
    assert "ask_user" not in [name for name, _ in calls]
    assert "图层" not in turn.text and "kind" in turn.text and turn.finish_reason == "not_understood"


def test_a_place_that_is_not_found_while_a_filter_is_in_force() -> None:
    _, turn = said("放大到学林中学", {"schools": '"year" = 2021'})
    assert "学林中学" in turn.text and ZH in turn.text
    _, turn = said("放大到学林中学", {})
    assert "筛" not in turn.text


@pytest.mark.parametrize(
    ("sentence", "path", "ending"),
    [
        ("export the map as PDF to /tmp/out/q.pdf", "/tmp/out/q.pdf", "pdf"),
        ("save the map as a png to /tmp/out/q.png", "/tmp/out/q.png", "png"),
        ("export the map as PDF to out/q", "out/q.pdf", "pdf"),
        ("export the map to out/q.svg as SVG", "out/q.svg", "svg"),
        ("export the layout Plan as PDF to /tmp/out/q.pdf", "/tmp/out/q.pdf", "pdf"),
        ("导出布局Plan为 PDF 到 /tmp/out/q.pdf", "/tmp/out/q.pdf", "pdf"),
        ("把布局Plan导出为PDF到/tmp/out/q.pdf", "/tmp/out/q.pdf", "pdf"),
        ("导出地图为PNG图片到 out/q.png", "out/q.png", "png"),
        ("把地图导出为 PDF 文件，保存到 /tmp/out/q.pdf", "/tmp/out/q.pdf", "pdf"),
        ("把地图导出为PDF到out/q", "out/q.pdf", "pdf"),
        ("把地图导出为map.pdf", "map.pdf", "pdf"),
        ("export the map to map.pdf", "map.pdf", "pdf"),
    ],
)
def test_the_file_of_an_export_is_its_path_and_no_other_words(sentence: str, path: str, ending: str) -> None:
    calls, _ = run(sentence)
    assert (calls[-1][0], calls[-1][1].get("path"), calls[-1][1].get("format")) == (
        "prepare_export_layout",
        path,
        ending,
    )


@pytest.mark.parametrize(
    ("sentence", "option"),
    [
        ("哪个街道学校最多", "统计每个街道的schools数量"),
        ("which street has the most schools", "count schools per 街道"),
    ],
)
def test_the_area_with_most_points_is_offered_as_a_count(sentence: str, option: str) -> None:
    calls, _ = run(sentence)
    assert calls[-1][0] == "ask_user" and calls[-1][1]["options"] == [option]
    then, _ = run(option)
    assert then[-1][0] == "stat_by_polygon" and then[-1][1]["layer_id"] == "schools"


def test_a_refused_export_says_that_its_layout_stays() -> None:
    ANSWERS["create_layout"] = success({"layout": "Map 2"})
    ANSWERS["prepare_export_layout"] = failure("FORBIDDEN", "It is outside.", reason="path_outside")
    try:
        _, made = said("export the map to q.pdf", {})
        _, found = said("export the layout Plan to q.pdf", {})
    finally:
        del ANSWERS["create_layout"], ANSWERS["prepare_export_layout"]
    assert made.finish_reason == "tool_failed" and "outside" in made.text and "“Map 2”" in made.text
    assert found.finish_reason == "tool_failed" and "stays" not in found.text


@pytest.mark.parametrize("sentence", ["选中学林中学", "高亮学林中学"])
def test_a_hidden_place_to_pick_is_no_layer(sentence: str) -> None:
    _, turn = said(sentence, {"schools": '"year" = 2021'})
    assert ZH in turn.text and "图层" not in turn.text


def test_a_place_in_traditional_characters_is_looked_for_in_simplified_ones_too() -> None:
    calls, turn = said("放大到雲溪區", {})
    assert [arguments.get("text") for _, arguments in calls[:2]] == ["雲溪區", "云溪区"]
    assert turn.finish_reason == "stop" and calls[-1][0] == "zoom_to"
    _, turn = said("放大到學林中學", {})
    assert "學林中學" in turn.text and turn.finish_reason == "tool_failed"
