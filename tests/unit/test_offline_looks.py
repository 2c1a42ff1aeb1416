"""What the offline commands answer about looks, views, names and charts, and which layer a sentence without a name means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from offline_world import CATALOGUE, CONTRACTS, layer, run

from qgis_agent.agent.llm.types import ProviderRequest, SettledCall, ToolCall
from qgis_agent.agent.loop.closing import confirmation
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.finding import near_layers, sure_layers
from qgis_agent.agent.offline.steps import Turn
from qgis_agent.bridge.envelope import success

Earlier = tuple[str, dict[str, Any], dict[str, Any]]
TOOLS = [{"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]}} for each in CONTRACTS]
LABELLED: Earlier = ("set_layer_label", {"layer_id": "streets"}, {"layer_id": "streets"})
ZOOMED: Earlier = ("zoom_to", {"layer_id": "schools"}, {})
COLOURED: Earlier = ("set_raster_style", {"layer_id": "dem"}, {"layer_id": "dem"})


def history(*calls: Earlier) -> list[dict[str, Any]]:
    """An earlier run with these calls, as the model gets it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "before"}]
    for at, (name, arguments, data) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"e{at}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"e{at}", "content": json.dumps(success(data))})
    return messages


def turn_after(sentence: str, *calls: Earlier) -> Turn:
    return plan_turn(ProviderRequest(history(*calls), TOOLS, sentence), CATALOGUE)


def answer(sentence: str, data: dict[str, Any], message: str = "", layers: list[Any] | None = None) -> str:
    """The answer of a sentence with one call, which gave ``data`` and the tool's remark ``message``."""
    catalogue = CATALOGUE if layers is None else layers
    (call,) = plan_turn(ProviderRequest([], TOOLS, sentence), catalogue).calls
    settled = SettledCall(ToolCall("c", call.name, json.dumps(call.arguments)), call.arguments, success(data, message))
    return plan_turn(ProviderRequest([], TOOLS, sentence, (settled,)), catalogue).text


@pytest.mark.parametrize(
    ("sentence", "earlier", "tool", "layer_id"),
    [
        ("关掉标注", (LABELLED, ZOOMED), "set_layer_label", "streets"),
        ("turn off the labels", (LABELLED, COLOURED), "set_layer_label", "streets"),
        ("恢复样式", (LABELLED, COLOURED, ZOOMED), "revert_style", "dem"),
        ("undo the last style change", (COLOURED, LABELLED), "revert_style", "streets"),
        ("图例标题改为人口", (LABELLED,), "set_legend", "streets"),
        ("标注字号设为12", (LABELLED,), "set_layer_label", "streets"),
        ("再显示出来", (LABELLED, ZOOMED), "toggle_layer", "schools"),
    ],
)
def test_without_a_name_the_layer_is_that_of_the_conversation(
    sentence: str, earlier: tuple[Earlier, ...], tool: str, layer_id: str
) -> None:
    """For looks the one whose look was changed last, not the one that was only zoomed to; of a kind that can have it."""
    (call,) = turn_after(sentence, *earlier).calls
    assert (call.name, call.arguments["layer_id"]) == (tool, layer_id)


@pytest.mark.parametrize("sentence", ["恢复样式", "turn off the labels", "图例标题改为人口", "再显示出来"])
def test_without_a_conversation_it_is_asked_with_sentences_that_work(sentence: str) -> None:
    (call,) = turn_after(sentence).calls
    assert call.name == "ask_user"
    for option in call.arguments["options"]:
        assert len(run(option)[0]) == 1, option


def test_a_layer_may_be_called_like_a_word_of_the_grammar() -> None:
    """A layer called 标注 is switched off by its name."""
    calls, _ = run("关掉标注", layers=[*CATALOGUE, layer("标注", "标注", "point")])
    assert calls == [("toggle_layer", {"layer_id": "标注", "visible": False})]


def test_the_layout_of_the_conversation_is_exported_and_several_are_asked_about() -> None:
    made: Earlier = ("create_layout", {"name": "A"}, {"layout": "A-2"})
    (call,) = turn_after("导出刚才的布局为PDF", made, ZOOMED).calls
    assert (call.name, call.arguments) == (
        "prepare_export_layout",
        {"layout": "A-2", "path": "地图.pdf", "format": "pdf"},
    )
    (call,) = turn_after("export the layout to a.png").calls
    assert call.name == "describe_layout"
    listed = SettledCall(
        ToolCall("c", call.name, "{}"), call.arguments, success({"layouts": [{"layout": "A"}, {"layout": "B"}]})
    )
    (call,) = plan_turn(ProviderRequest([], TOOLS, "export the layout to a.png", (listed,)), CATALOGUE).calls
    assert call.arguments["options"] == ["export the layout “A” to a.png", "export the layout “B” to a.png"]


OFFERED = {"offered": True, "bbox": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    "sentence",
    ["zoom to schools", "zoom in", "set the scale to 1:5000", "go back to the previous view", "rotate the map 30"],
)
def test_a_view_that_was_only_offered_is_not_said_to_be_shown(sentence: str) -> None:
    """The person moved the map meanwhile: it stays there, whatever the tool's remark."""
    said = answer(sentence, OFFERED, "You moved the map meanwhile.")
    assert said == "You moved the map meanwhile, so it stays there. Click “Zoom to result” to go to it."
    assert answer(sentence, {}) != said


def test_an_offered_view_closes_a_run_in_true_words() -> None:
    call = ToolCall("c", "zoom_to", "{}")
    settled = SettledCall(call, {"layer_id": "schools"}, success(OFFERED))
    assert "保持原处" in confirmation(settled, "zh", {}) and "已定位" not in confirmation(settled, "zh", {})
    assert "stays there" in confirmation(settled, "en", {})
    assert confirmation(SettledCall(call, {"layer_id": "schools"}, success({})), "en", {}) == 'The map shows "schools".'


@pytest.mark.parametrize(
    ("sentence", "data", "message", "said"),
    [
        ("把学校置顶", {"changed": False}, "It was so already.", "本来就在最上面：schools。"),
        ("把学校置顶", {"changed": True}, "", "已移动schools。"),
        ("把学校重命名为学校", {"changed": False}, "It was so already.", "学校本来就是这个名称。"),
        ("街道透明度设为30%", {}, "", "街道的透明度已设为 30%。"),
        ("set the opacity of roads to 0.4", {}, "", "The opacity of roads is 40% now."),
        ("恢复街道的样式", {"earlier_changes": 2}, "", "已撤销街道最近一次的样式更改。更早的样式更改还有 2 次，也可以撤销。"),
        ("恢复街道的样式", {"earlier_changes": 0}, "", "已撤销街道最近一次的样式更改。"),
        ("dem做山体阴影", {}, "", "DEM 30m已画成山体阴影。"),
        ("dem分层设色", {"min": 2.0, "max": 368.2}, "", "DEM 30m已分层设色。取值范围：2 到 368.20。"),
    ],
)  # fmt: skip
def test_answers_say_what_was_done(sentence: str, data: dict[str, Any], message: str, said: str) -> None:
    assert answer(sentence, data, message) == said


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "画学校学生数的直方图",
            "已绘制schools的直方图，显示在回答下方。使用了 27 个值；另有 4 个要素没有值，未计入。",
        ),
        (
            "draw a histogram of students of schools",
            "The histogram of schools is drawn under this answer. "
            "Values shown: 27. Left out because they have no value: 4.",
        ),
    ],
)
def test_a_chart_is_told_to_the_person_in_their_language(sentence: str, said: str) -> None:
    """The tool's own remark is for a model and English only."""
    remark = "The person sees the chart under the answer. 4 of 31 rows have no value and are left out."
    assert answer(sentence, {"kind": "histogram", "used": 27, "left_out": 4}, remark) == said


def test_a_renamed_layer_keeps_its_old_name_in_the_answer() -> None:
    """The catalogue has the new name when the answer is made, and the words of the sentence may fit it no more."""
    before = [layer("a1", "old roads", "line")]
    after = [layer("a1", "Streets 2024", "line")]
    sentence = "rename old roads to Streets 2024, then zoom to old roads"
    (call,) = plan_turn(ProviderRequest([], TOOLS, sentence), before).calls
    assert call.arguments == {"layer_id": "a1", "name": "Streets 2024"}
    data = {"layer_id": "a1", "name": "Streets 2024", "before": "old roads", "changed": True}
    settled = SettledCall(ToolCall("c", call.name, "{}"), call.arguments, success(data))
    (call,) = plan_turn(ProviderRequest([], TOOLS, sentence, (settled,)), after).calls
    assert (call.name, call.arguments) == ("zoom_to", {"layer_id": "a1"})
    zoomed = SettledCall(ToolCall("d", call.name, "{}"), call.arguments, success({}))
    text = plan_turn(ProviderRequest([], TOOLS, sentence, (settled, zoomed)), after).text
    assert text.startswith("old roads is called Streets 2024 now.")


@pytest.mark.parametrize(
    ("phrase", "sure", "near"),
    [
        ("xuexiao", ["schools"], ["schools"]),
        ("yiyuan", ["hospitals"], ["hospitals"]),
        ("guanbidaolu", ["关闭道路"], ["关闭道路"]),
        ("gongyuan", ["parks_north", "parks_south"], ["parks_north", "parks_south"]),
        ("小学", [], ["schools"]),
        ("private schools", [], ["schools"]),
        ("学效", [], ["schools"]),
        ("学生数", [], []),
        ("beds", [], []),
        ("街道A", [], []),
        ("关闭学校", [], []),
        ("show schools", [], []),
        ("volcanoes", [], []),
    ],
)
def test_layers_by_sound_and_meaning_are_named_narrower_ones_and_slips_only_near(
    phrase: str, sure: list[str], near: list[str]
) -> None:
    """Never a guess: a part of a kind, a slip, a field's name or a word of command names no layer."""
    assert sorted(each["layer_id"] for each in sure_layers(phrase, CATALOGUE)) == sorted(sure)
    assert sorted(each["layer_id"] for each in near_layers(phrase, CATALOGUE)) == sorted(near)


@pytest.mark.parametrize(
    ("sentence", "name", "layer_id"),
    [
        ("放大到yiyuan", "zoom_to", "hospitals"),
        ("选中xuexiao", "select_features", "schools"),
        ("measure jiedao", "measure", "streets"),
        ("给yiyuan做500米缓冲区", "buffer_layer", "hospitals"),
        ("xuexiao按students分5级", "set_render_rule", "schools"),
        ("街道A有多少xuexiao", "stat_by_polygon", "schools"),
    ],
)
def test_pinyin_in_all_kinds_of_sentences(sentence: str, name: str, layer_id: str) -> None:
    calls, turn = run(sentence)
    assert (calls[-1][0], calls[-1][1]["layer_id"]) == (name, layer_id)
    assert turn.finish_reason == "stop"


@pytest.mark.parametrize(
    "sentence", ["把学校导出为Excel", "export schools as kml", "给dem做热力图", "按name设置学校符号大小"]
)
def test_what_cannot_be_done_is_said_and_not_done_in_another_way(sentence: str) -> None:
    calls, turn = run(sentence)
    assert calls == [] and turn.finish_reason in ("tool_failed", "not_understood") and turn.text


@pytest.mark.parametrize(
    ("sentence", "where"),
    [
        ("学生数大于500的学校有哪些", {"field": "students", "op": "gt", "value": 500}),
        ("list schools where 类别 = 小学", {"field": "kind", "op": "eq", "value": "小学"}),
    ],
)
def test_the_alias_of_a_field_is_its_name(sentence: str, where: dict[str, Any]) -> None:
    """What a person sees in QGIS, in conditions, orders, labels and lists."""
    assert run(sentence)[0][0][1]["where"] == [where]
    assert run("label schools by 类别")[0][0][1]["field"] == "kind"
    assert run("top 3 schools by 学生数")[0][0][1]["order_by"] == "students"
    assert run("列出学校的类别")[0][0][1]["fields"] == ["kind"]
