"""A short yes, and "go on": what they refer to, and that they never confirm a write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qgis_agent.agent.llm.types import ToolCall
from qgis_agent.agent.loop.pending import NO_WRITE, Offer, is_affirmation, offer_sentence, resolve_pending
from qgis_agent.agent.loop.runtime_control import RuntimeControl
from qgis_agent.bridge.envelope import success

YES = (
    "好的", "好", "好啊", "可以", "行", "继续", "嗯", "是的", "对", "没问题", "确认", "加载吧", "好的,继续", "好的。", "请继续",
    "那就加载吧",
    "繼續", "確認",
    "ok", "OK!", "yes", "Yes please", "sure", "go ahead", "continue", "ok, go ahead", "Please continue", "yeah sure", "do it", "keep going",
)  # fmt: skip
NO = (
    "好的医院有哪些", "可以吗", "不行", "不", "no", "nope",
    "yes?", "继续统计学校", "ok show the schools", "continue with step 2", "好看",
    "行政区", "",
    "please", "谢谢", "对比两个街道", "sure thing is wrong", "可以显示医院", "是否", "the",
    "好的好的好的好的好的好的好的好的好的好的好的好的好的好的好的好的",
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [(each, True) for each in YES] + [(each, False) for each in NO])
def test_affirmations(text: str, expected: bool) -> None:
    """The whole message is a short yes, not its beginning."""
    assert is_affirmation(text) is expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("已统计 25 所学校。要不要把结果加载到地图上?", "要不要把结果加载到地图上?"),
        ("There are 4.2 stops. Would you like me to colour them? They are many.", "Would you like me to colour them?"),
        ("Done.\nShall I export it", "Shall I export it"),
        ("需要我继续统计吗", "需要我继续统计吗"),
        ("如果需要，我可以帮您导出。", "如果需要，我可以帮您导出。"),
        ("There are 25 schools.", ""),
        ("学校共 25 所。", ""),
        ("", ""),
    ],
)
def test_the_sentence_that_offers(text: str, sentence: str) -> None:
    """The last one that offers something."""
    assert offer_sentence(text) == sentence


def test_a_yes_to_an_offer_to_load() -> None:
    """C-1: the offer is quoted as data, layer tools first, no side tools until one of them ran, no write confirmed."""
    offer = Offer('统计完成。要不要把"结果"加载到地图上?', request="统计学校")
    control = RuntimeControl("好的", "zh", {"toggle_layer": "view"}, offer, packs={"buffer_layer": "vector"})
    assert control.pending is not None
    assert (control.pending.kind, control.mode) == ("confirm_map_load", "general")
    first = control.objective()[0]
    assert "\"要不要把'结果'加载到地图上?\"" in first
    assert "as data" in first
    assert control.objective()[-1] == NO_WRITE
    side = ToolCall("c", "bash", json.dumps({"command": "ls"}))
    blocked = control.check(side)
    assert blocked is not None
    assert "toggle_layer" in blocked["hint"]
    assert control.check(ToolCall("c", "toggle_layer", "{}")) is None
    control.observe("toggle_layer", {"layer_id": "a", "visible": True}, success({}))
    assert control.check(side) is None


def test_a_yes_to_another_offer() -> None:
    """No tools are preferred; packs follow the words of the offer, where they are offered."""
    offer = Offer("25 schools. Do you want me to buffer them by 500 m?", request="count schools")
    control = RuntimeControl("yes", "en", {}, offer, packs={"buffer_layer": "vector", "x": "raster"})
    assert control.pending is not None
    assert (control.pending.kind, control.pending.preferred) == ("confirm_offer", ())
    assert control.required_packs() == ["vector"]
    assert control.check(ToolCall("c", "bash", "{}")) is None


@pytest.mark.parametrize("termination", ["budget_exceeded", "forced_final", "interrupted", "failed", "halted"])
@pytest.mark.parametrize("text", ["继续", "continue", "好的"])
def test_go_on_after_a_run_that_did_not_end(termination: str, text: str) -> None:
    """The earlier request is taken up: its mode, its packs, its words as data, its last report."""
    request = "以每个学校为中心做 500 米缓冲区,按数量分级上图"
    offer = Offer("已完成:缓冲区。未完成:分级。", termination, None, request)
    control = RuntimeControl(text, "zh", {}, offer, packs={"buffer_layer": "vector"})
    assert control.pending is not None
    assert (control.pending.kind, control.mode, control.task.visual) == ("resume", "data_analysis", True)
    lines = control.objective()
    assert f'"{request}"' in lines[0]
    assert termination in lines[0]
    assert "still open" in lines[0]
    assert "未完成:分级" in lines[1]
    assert NO_WRITE in lines
    assert control.required_packs() == ["vector"]


def test_go_on_after_an_answer_without_an_offer() -> None:
    """ "Continue" takes the last request up; a mere yes refers to nothing."""
    offer = Offer("There are 25 schools.", request="count the schools")
    going_on = resolve_pending("continue", offer)
    assert going_on is not None
    assert going_on.kind == "resume"
    assert "It ended as" not in going_on.objective[0]
    assert resolve_pending("yes", offer) is None
    assert resolve_pending("continue", Offer("Hello.")) is None
    assert resolve_pending("continue", None) is None
    assert resolve_pending("show the schools", offer) is None
    assert len(resolve_pending("continue", Offer("", "failed", None, "x")).objective) == 2  # type: ignore[union-attr]


def question(*options: Any) -> dict[str, Any]:
    return {"text": "Which year?", "options": list(options)}


def test_a_yes_to_a_question() -> None:
    """One option is taken; of several none is; without options it is a yes; the request stays the earlier one."""
    asked = {
        "one": question({"label": "2023", "send": "show 2023"}),
        "two": question({"label": "2022"}, {"label": "2023"}),
        "none": question(),
    }
    said = {
        key: resolve_pending("好的", Offer("x", "awaiting_user", each, "show the schools"))
        for key, each in asked.items()
    }
    assert {key: each.kind for key, each in said.items() if each} == dict.fromkeys(asked, "choose_option")
    first = {key: each.objective[0] for key, each in said.items() if each}
    assert 'only option, as data: "show 2023"' in first["one"]
    assert '"2022", "2023"' in first["two"]
    assert "choose none of them" in first["two"]
    assert "says yes to it" in first["none"]
    assert all(each.request == "show the schools" and each.objective[-1] == NO_WRITE for each in said.values() if each)


@pytest.mark.parametrize("text", ["确认", "yes", "ok", "同意"])
def test_typed_words_only_reopen_a_permission_question(text: str) -> None:
    """X-7: the tool is called again, so that a new card is shown; nothing is confirmed."""
    asked = {
        "text": "prepare_export_layer was not answered.",
        "options": [{"label": "Ask again", "send": "export the schools"}],
    }
    for offer in (
        Offer("x", "awaiting_user", asked, "export the schools"),
        Offer("x", "awaiting_user", {"text": "x", "options": []}, "export the schools", reason="no_answer"),
    ):
        pending = resolve_pending(text, offer)
        assert pending is not None
        assert (pending.kind, pending.request) == ("ask_again", "export the schools")
        assert "only re-open it" in pending.objective[0]
        assert pending.objective[-1] == NO_WRITE


def test_a_quote_is_data() -> None:
    """Control characters out, one line, clipped, no quotation mark that ends it early."""
    offer = Offer('Shall I "do\u202e it"' + " very" * 200 + "?", request="x")
    pending = resolve_pending("yes", offer)
    assert pending is not None
    quote = pending.objective[0].split("as data: ")[1]
    assert quote.startswith("\"Shall I 'do it' very")
    assert quote.count('"') == 2
    assert len(pending.objective[0]) < 500
