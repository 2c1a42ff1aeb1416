"""Ends without another model call: only where the whole request is done and said, and when an analysis has its answer."""

from __future__ import annotations

from typing import Any

import pytest

from qgis_agent.agent.llm.types import SettledCall, ToolCall
from qgis_agent.agent.loop import closing
from qgis_agent.agent.loop.closing import MAP_AND_STYLE, AnalysisReadiness, confirmation, single_intent
from qgis_agent.agent.loop.runtime_control import RuntimeControl
from qgis_agent.bridge.envelope import failure, success

NAMES = {"hospitals": "医院", "schools": "Schools 2023", "streets": "街道"}
EFFECTS = {
    **dict.fromkeys(MAP_AND_STYLE, "view"), "search_layers": "read", "buffer_layer": "create", "stat_by_polygon": "create",
}  # fmt: skip


def settled(tool: str, envelope: dict[str, Any] | None = None, **arguments: Any) -> SettledCall:
    return SettledCall(ToolCall("c", tool, "{}"), arguments, envelope or success({"changed": True}))


def close(
    text: str, *calls: SettledCall, language: str = "zh", actions: Any = (), before: tuple[SettledCall, ...] = ()
) -> str:
    """The local answer after a batch, with what ran before it in the same run."""
    control = RuntimeControl(text, language, EFFECTS, names=lambda: NAMES)
    for each in (*before, *calls):
        control.observe(each.call.name, each.arguments, each.envelope)
    return control.after_batch(list(calls), actions).auto_final


SHOW = settled("toggle_layer", layer_id="hospitals", visible=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("显示医院", "show"),
        ("把医院关掉", "hide"),
        ("turn off the schools layer", "hide"),
        ("turn the schools layer on", "show"),
        ("Zoom to the streets, please", ""),
        ("zoom to the streets", "zoom"),
        ("放大到余杭区", "zoom"),
        ("colour streets by pop", "style"),
        ("给街道标注名称", "label"),
        ("select the parcels", "select"),
        ("高亮医院", "highlight"),
        ("rename schools to x", "rename"),
        ("置顶医院", "order"),
        ("revert the streets", "revert"),
        ("清除选择", ""),
        ("clear it", "clear"),
        # chains
        ("显示医院然后放大", ""),
        ("show the hospitals, then zoom in", ""),
        ("先显示医院", ""),
        ("再叠加医院", ""),
        ("显示医院并标注", ""),
        ("show and label the hospitals", ""),
        ("show the schools and hospitals", ""),
        ("显示学校和医院", ""),
        ("show all layers", ""),
        ("只显示医院", ""),
        ("show hospitals. Colour them red", ""),
        ("show hospitals\nhide schools", ""),
        ("zoom to the streets if they are visible", ""),
        # questions and numbers
        ("显示医院了吗", ""),
        ("how many schools are shown", ""),
        ("show the hospitals?", ""),
        ("显示有多少医院", ""),
        ("count and show", ""),
        # negations, nothing, too long
        ("不要显示医院", ""),
        ("don't hide the roads", ""),
        ("hello", ""),
        ("", ""),
        ("show " + "x" * 200, ""),
    ],
)
def test_single_intent(text: str, kind: str) -> None:
    """One step of one kind, or nothing."""
    assert single_intent(text) == kind


@pytest.mark.parametrize(
    ("text", "language", "call", "expected"),
    [
        ("显示医院", "zh", SHOW, "已显示图层“医院”。"),
        ("请把医院图层打开一下", "zh", SHOW, "已显示图层“医院”。"),
        ("show the hospitals layer", "en", SHOW, 'The layer "医院" is shown.'),
        ("隐藏医院", "zh", settled("toggle_layer", layer_id="hospitals", visible=False), "已隐藏图层“医院”。"),
        ("turn schools 2023 off", "en", settled("toggle_layer", layer_id="schools", visible=False), 'The layer "Schools 2023" is hidden.'),
        ("zoom to the streets", "en", settled("zoom_to", layer_id="streets"), 'The map shows "街道".'),
        ("colour the streets by pop", "en", settled("set_render_rule", layer_id="streets", method="graduated", field="pop"),
         'The layer "街道" is drawn in a new style.'),
        ("置顶医院", "zh", settled("reorder_layer", layer_id="hospitals"), "已调整图层“医院”的顺序。"),
    ],
)  # fmt: skip
def test_a_request_of_one_step_is_confirmed_locally(text: str, language: str, call: SettledCall, expected: str) -> None:
    """In the person's language, with the layer's name."""
    assert close(text, call, language=language) == expected


def test_the_tools_own_message_is_the_evidence() -> None:
    """What the tool said comes along; control characters do not."""
    said = success({"changed": False}, "It was so\u202e already.")
    assert (
        close("show the hospitals", settled("toggle_layer", said, layer_id="hospitals", visible=True), language="en")
        == 'The layer "医院" is shown. It was so already.'
    )


def test_words_that_were_looked_up_are_accounted_for() -> None:
    """The model searched for the words of the request and switched what it found."""
    found = settled("search_layers", success({"layers": []}), query="诊所")
    assert close("显示诊所", SHOW) == ""
    assert close("显示诊所", SHOW, before=(found,)) == "已显示图层“医院”。"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("显示小医院", SHOW),
        ("显示 2023 年的医院", SHOW),
        ("显示三个医院", SHOW),
        ("显示医院", settled("toggle_layer", layer_id="hospitals", visible=False)),
        ("显示医院", settled("set_layer_filter", layer_id="hospitals")),
        ("显示医院", settled("toggle_layer", failure("NOT_FOUND", "no"), layer_id="hospitals", visible=True)),
        ("显示医院", settled("toggle_layer", success("shown"), layer_id="hospitals", visible=True)),
        ("显示医院", settled("search_layers", layer_id="hospitals")),
        ("显示医院然后放大", SHOW),
        ("显示医院的数量", SHOW),
        ("统计医院并显示", SHOW),
        ("把街道分成 5 级设色", settled("set_render_rule", layer_id="streets", classes=4)),
        ("colour the streets red", settled("set_render_rule", layer_id="streets", method="single")),
        ("hello", SHOW),
    ],
)  # fmt: skip
def test_anything_left_over_goes_back_to_the_model(text: str, call: SettledCall) -> None:
    """A qualifier, another kind, a failure, a result that is no data, a number: no local end."""
    assert close(text, call) == ""


def test_every_call_and_every_map_action_must_have_succeeded() -> None:
    """One that failed, or one of another kind in the batch, is enough."""
    assert close("显示医院", SHOW, actions=[{"op": "layer", "ok": True}]) == "已显示图层“医院”。"
    assert close("显示医院", SHOW, actions=[{"op": "layer", "ok": True}, {"op": "zoom_to", "ok": False}]) == ""
    assert close("显示医院", SHOW, settled("buffer_layer", layer_id="hospitals")) == ""
    assert close("显示医院", SHOW, settled("zoom_to", layer_id="hospitals")) == "已显示图层“医院”。地图已定位到“医院”。"
    assert close("显示医院") == ""


def test_a_run_with_a_failure_or_an_analysis_is_reported_by_the_model() -> None:
    """What happened before the batch counts too."""
    failed = settled("zoom_to", failure("NOT_FOUND", "no"), layer_id="x")
    made = settled("stat_by_polygon", layer_id="hospitals")
    assert close("显示医院", SHOW, before=(failed,)) == ""
    assert close("显示医院", SHOW, before=(made,)) == ""
    assert close("显示医院", SHOW, before=(settled("search_layers", query="医院"),)) != ""


def test_a_tool_that_is_more_than_a_view_closes_nothing() -> None:
    """The contract's effect decides."""
    control = RuntimeControl("显示医院", "zh", {"toggle_layer": "write"}, names=lambda: NAMES)
    control.observe("toggle_layer", SHOW.arguments, SHOW.envelope)
    assert control.after_batch([SHOW]).auto_final == ""


def test_the_list_is_17_tools_and_each_has_its_words() -> None:
    """O-250: 17 map and style tools; every one can be confirmed in two languages, with and without a name."""
    assert len(MAP_AND_STYLE) == 17
    assert all(tools <= MAP_AND_STYLE for tools in closing._CLOSES.values())
    assert set(closing._CLOSES) == set(closing._VERBS)
    for tool in MAP_AND_STYLE:
        for language in ("en", "zh"):
            assert confirmation(settled(tool, layer_id="other"), language, NAMES)
    assert confirmation(settled("zoom_to", bbox=[1, 2, 3, 4]), "en", NAMES) == "The map was moved."
    assert confirmation(settled("toggle_layer", layer_id="other", visible=True), "zh", {}) == "已显示图层“other”。"


RATED = success({"score": 4, "rating": "B", "count": 12, "mean": 3.5}, "覆盖率和距离见表。" * 20)


def analysed(
    *envelopes: dict[str, Any], text: str = "综合评价各街道的教育资源", **options: Any
) -> tuple[str, list[str]]:
    control = RuntimeControl(text, effects=EFFECTS, readiness=AnalysisReadiness(**options))
    decision = ""
    for at, envelope in enumerate(envelopes):
        call = settled("stat_by_polygon", envelope, layer_id=f"l{at}")
        control.observe(call.call.name, call.arguments, call.envelope)
        decision = control.after_batch([call]).force_final or decision
    return decision, control.take_corrections()


def test_results_that_suffice_are_said_once_or_end_the_run() -> None:
    """O-244 ff.: two analysis tools in a row, two conclusion words, two evidence words, more than 160 characters."""
    assert analysed(RATED, RATED, force=True) == ("analysis_answer_ready", [])
    ended, said = analysed(RATED, RATED, RATED)
    assert ended == ""
    assert [each for each in said if "seem to answer" in each] == said[:1]
    assert len(said) == 1


@pytest.mark.parametrize(
    ("envelopes", "options"),
    [
        ((RATED,), {}),
        ((RATED, failure("TIMEOUT", "t"), RATED), {}),
        ((RATED, RATED), {"runs": 3}),
        ((RATED, RATED), {"chars": 5000}),
        ((RATED, RATED), {"conclusions": 5}),
        ((RATED, RATED), {"evidence": 50}),
        ((success({"count": 3}), success({"count": 4})), {}),
        ((RATED, RATED), {"text": "综合评价各街道的教育资源并上图"}),
        ((RATED, RATED), {"text": "显示学校"}),
    ],
)
def test_results_that_do_not_suffice(envelopes: tuple[dict[str, Any], ...], options: dict[str, Any]) -> None:
    """Each condition is needed, and only an analysis without a wish for the map ends so."""
    text = options.pop("text", "综合评价各街道的教育资源")
    ended, said = analysed(*envelopes, text=text, force=True, **options)
    assert ended == ""
    assert not any("seem to answer" in each for each in said)
