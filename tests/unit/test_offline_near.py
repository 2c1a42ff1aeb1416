"""Offline sentences on distance, on what lies in a place, on the biggest, on saving; and how answers are put together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, calls
from offline_world import CATALOGUE, run

from qgis_agent.agent.llm.types import LLMResponse, ProviderRequest
from qgis_agent.agent.offline.answers import failed, polygons
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.hints import hint_text
from qgis_agent.agent.offline.prose import and_then, in_lines
from qgis_agent.agent.texts import say
from qgis_agent.bridge.envelope import failure, hint_for_name

COUNTED = {
    "layer_id": "schools",
    "to_layer_id": "hospitals",
    "max_distance_m": 500.0,
    "options": {"keep_unmatched": False},
}
WITHIN = {"layer_id": "schools", "by_layer_id": "hospitals", "predicate": "within_distance", "distance_m": 500.0}


@pytest.mark.parametrize(
    "sentence",
    [
        "how many schools are within 500 m of a hospital",
        "how many schools are there within 0.5 km of the hospitals",
        "医院500米内有多少所学校",
        "医院周围500米范围内的学校有多少",
    ],
)
def test_near_is_counted_without_touching_the_selection(sentence: str) -> None:
    calls, turn = run(sentence)
    assert calls == [("nearest_features", COUNTED)]
    assert turn.finish_reason == "stop" and ("500 m of" in turn.text or "500 米以内" in turn.text)


@pytest.mark.parametrize("sentence", ["select all schools within 500 m of a hospital", "选中医院附近500米以内的学校"])
def test_near_is_selected(sentence: str) -> None:
    calls, turn = run(sentence)
    assert calls == [("select_by_location", WITHIN)]
    assert turn.finish_reason == "stop" and ("500 m of" in turn.text or "500 米以内" in turn.text)


def test_a_distance_without_a_unit_is_asked_about() -> None:
    calls, _ = run("how many schools are within 500 of a hospital")
    assert [name for name, _ in calls] == ["ask_user"]
    assert calls[0][1]["options"][0] == "how many schools are within 500 m of a hospital"


@pytest.mark.parametrize("sentence", ["select the schools in 街道B", "选中街道B内的学校"])
def test_select_in_a_place(sentence: str) -> None:
    calls, turn = run(sentence)
    where = [{"field": "name", "op": "in", "value": ["街道B"]}]
    wanted = {"layer_id": "schools", "by_layer_id": "streets", "predicate": "within", "options": {"by_where": where}}
    assert calls[-1] == ("select_by_location", wanted) and turn.finish_reason == "stop"


@pytest.mark.parametrize(
    ("sentence", "option"),
    [("what is the biggest street?", "the 街道 with the biggest pop"), ("最小的街道是哪个", "pop最小的街道")],
)
def test_the_biggest_by_what_is_asked_and_the_answer_works(sentence: str, option: str) -> None:
    calls, _ = run(sentence)
    assert calls[-1][0] == "ask_user" and option in calls[-1][1]["options"]
    calls, _ = run(option)
    assert calls[-1][0] == "query_features" and calls[-1][1]["order_by"] == "pop"
    assert calls[-1][1].get("descending", False) is ("biggest" in option)


@pytest.mark.parametrize("sentence", ["save the project", "保存工程", "把项目保存一下"])
def test_the_project_is_saved(sentence: str) -> None:
    calls, _ = run(sentence)
    assert calls == [("prepare_save_project", {})]


def test_classes_make_it_a_colouring() -> None:
    calls, _ = run("show the streets by population in 5 classes")
    name, arguments = calls[-1]
    assert (name, arguments["field"], arguments["classes"]) == ("set_render_rule", "pop", 5)


def told(sentence: str) -> str:
    return plan_turn(ProviderRequest([], [], sentence, ()), CATALOGUE).text


def test_a_refusal_is_one_answer() -> None:
    text = told("delete the schools")
    assert "never delete" in text and "understand" not in text and "\n" not in text


def test_the_words_of_the_person_are_quoted() -> None:
    """Not the sentence with "it" replaced by the layer of the run before; a layer without its article."""
    earlier: list[Any] = [
        {"role": "user", "content": "zoom to roads"},
        {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "zoom_to", "arguments": '{"layer_id": "roads"}'}}]},
        {"role": "tool", "tool_call_id": "a", "content": '{"ok": true, "data": {"layer_id": "roads"}}'},
    ]  # fmt: skip
    turn = plan_turn(ProviderRequest(earlier, [], "make it nicer", ()), CATALOGUE)
    assert "“make it nicer”" in turn.text
    assert "“xyzzy”" in told("buffer the xyzzy 200 m")


def test_what_follows_a_list_is_no_part_of_it() -> None:
    """CommonMark: a line right below a bullet continues it; an empty line ends the list."""
    assert in_lines(["All:", "- a", "- b", "Added."]) == "All:\n- a\n- b\n\nAdded."
    assert and_then("All:\n- a", "A remark.") == "All:\n- a\n\nA remark."
    assert and_then("Done.", "A remark.") == "Done. A remark." and and_then("好。", "注意。") == "好。注意。"
    assert and_then("", "b") == "b" and and_then("a", "") == "a"
    rows = [{"name": "a", "count": 1}, {"name": "b", "count": 2}]
    data = {"rows": rows, "total_count": 3, "polygons": 2, "name": "n"}
    assert "\n\n已添加图层" in polygons("zh", "学校", data)


def test_failures_are_in_the_language_of_the_request() -> None:
    """The hint of the bridge is English for the model, and what a model shall say is no advice for a person."""
    envelope = failure("NOT_FOUND", "没有图层“a”。", hint=hint_for_name("schol", ["schools", "roads"], "layers"))
    assert failed("zh", envelope) == "没有成功。没有图层“a”。是否指“schools”？"
    assert hint_text("zh", hint_for_name("zzz", ["a", "b"], "layers")) == "可用的有：a、b。"
    many = hint_for_name("zzz", [f"n{each:02d}" for each in range(20)], "layers")
    assert hint_text("zh", many).endswith("等 20 项。")
    assert hint_text("zh", "Give another.") == "" and hint_text("en", "Give another.") == "Give another."
    assert hint_text("en", "Say that this profile cannot do it.") == ""


@pytest.mark.parametrize("caller", ["chat", "cli"])
def test_writing_switched_off_is_said_for_the_caller(caller: str) -> None:
    hint = say(f"write_on_{caller}", "en")
    text = failed("zh", failure("FORBIDDEN", say("write_off", "en"), hint=hint, reason="pack_not_enabled"))
    assert ("--allow-write" in text) is (caller == "cli") and ("允许导出文件" in text) is (caller == "chat")
    assert text.startswith("没有成功。写文件和修改数据尚未开启。请")


def test_the_error_of_a_refused_write_is_in_the_language_too(tmp_path: Path) -> None:
    """The card under the answer; the record of the call keeps the words that a model reads."""
    bench = Bench(tmp_path)
    client = FakeClient(calls(("request_tool_pack", {"pack": "write"})), LLMResponse("没有成功。", (), "tool_failed"))
    client.kind = "offline"
    report = bench.run("保存工程", client, FakeBridge())
    error = report["error"]
    assert error is not None
    assert (error["message"], error["hint"]) == (say("write_off", "zh"), say("write_on_chat", "zh"))
    (kept,) = [json.loads(each["content"]) for each in bench.session.messages if each["role"] == "tool"]
    assert kept["message"] == say("write_off", "en")
