"""150 sentences as people type them, written before the grammar: which tool calls each must give, or that it is refused.

``offline_sentences.jsonl``: ``calls`` are the calls in order (without those for packs), ``ask`` the names that the buttons
must offer, ``refuse`` "any" for not understood or a clear no, "cannot" for a clear no. "*" stands for any value. What the
grammar may choose freely (the title of a legend, the columns of a list, how many rows where no number was said) is compared
only where the list names it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from qgis_agent.agent.llm.types import ProviderRequest, SettledCall, ToolCall
from qgis_agent.agent.offline.client import plan_turn
from qgis_agent.agent.offline.coming import COMING, PACK_OF, schema_of
from qgis_agent.agent.offline.steps import Turn
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.messages import CatalogueLayer

HERE = Path(__file__).resolve().parent
SENTENCES = [json.loads(line) for line in (HERE / "offline_sentences.jsonl").read_text("utf-8").splitlines()]
CONTRACTS: dict[str, Any] = {
    each["name"]: each["parameters"]
    for each in json.loads((HERE.parents[1] / "resources" / "tools.schema.json").read_text("utf-8"))["tools"]
}
CONTRACTS = {name: schema_of(name) for name in COMING} | CONTRACTS
CONTRACTS["request_tool_pack"] = {
    "type": "object",
    "properties": {"pack": {"enum": ["arrange", "vector", "write"]}},
    "required": ["pack"],
}
GOAL = 0.95


def layer(layer_id: str, name: str, kind: str, fields: str = "", visible: bool = False) -> CatalogueLayer:
    """``fields`` is "name:type:alias …"."""
    parsed = [each.split(":") + [""] for each in fields.split()]
    return {
        "layer_id": layer_id,
        "name": name,
        "kind": kind,
        "group": "",
        "abstract": "",
        "visible": visible,
        "crs": "EPSG:4326",
        "fields": [{"name": each[0], "type": each[1], "alias": each[2]} for each in parsed],
    }


CATALOGUE = [
    layer("streets", "街道", "polygon", "code:text:代码 name:text:名称 pop:integer:人口", True),
    layer(
        "schools",
        "schools",
        "point",
        "name:text:名称 kind:text:类别 level:text students:integer:学生数 built:integer:建成年份",
    ),
    layer("hospitals", "医院", "point", "name:text:名称 beds:integer:床位数 grade:text:等级"),
    layer("roads", "roads", "line", "name:text:名称 class:text:道路等级 lanes:integer:车道数", True),
    layer("bus_stops_2023", "bus stops 2023", "point", "name:text lines:integer shelter:boolean", True),
    layer("dem", "DEM 30m", "raster", "", True),
    layer("parks_north", "parks north", "polygon", "name:text"),
    layer("parks_south", "parks south", "polygon", "name:text"),
    layer("show_rooms", "show rooms", "point", "name:text brand:text"),
    layer("关闭道路", "关闭道路", "line", "reason:text:原因", True),
]
PLACES = {"街道A": ("streets", "name", ["街道A"]), "街道B": ("streets", "name", ["街道B"])}
SELECTED = ("streets", "code", ["330110001", "330110002", "330110003"])


def settle(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the fixed little world answers."""
    if name == "resolve_place":
        found = SELECTED if arguments.get("use_selection") else PLACES.get(arguments["text"])
        if found is None:
            return failure("NOT_FOUND", f"No feature is called '{arguments['text']}'.", hint="Try the full name.")
        layer_id, field, values = found
        return success({"layer_id": layer_id, "field": field, "values": values, "count": len(values), "names": values})
    if name == "stat_by_polygon":
        return success({"layer_id": "made", "name": "made", "rows": [], "total_count": 25, "polygons": 3})
    if name == "prepare_export_layer":
        return success({"written": True, "path": arguments["path"], "feature_count": 3})
    return success({})


def run(sentence: str, without: frozenset[str] = frozenset()) -> tuple[list[tuple[str, dict[str, Any]]], Turn]:
    """One run of the planner against the little world: the calls, each checked against its schema, and the last turn."""
    settled: list[SettledCall] = []
    calls: list[tuple[str, dict[str, Any]]] = []
    packs = {"default", "mcp"}
    for _ in range(20):
        offered = [each for each in CONTRACTS if PACK_OF.get(each, "default") in packs and each not in without]
        tools = [{"type": "function", "function": {"name": each, "parameters": CONTRACTS[each]}} for each in offered]
        turn = plan_turn(ProviderRequest([], tools, sentence, tuple(settled)), CATALOGUE)
        if not turn.calls:
            return calls, turn
        for call in turn.calls:
            assert call.name in offered, f"{call.name} is not offered"
            jsonschema.validate(call.arguments, CONTRACTS[call.name])
            if call.name == "request_tool_pack":
                packs.add(call.arguments["pack"])
            else:
                calls.append((call.name, call.arguments))
            made = ToolCall(f"c{len(settled)}", call.name, json.dumps(call.arguments))
            settled.append(SettledCall(made, call.arguments, settle(call.name, call.arguments)))
        if turn.calls[-1].name == "ask_user":
            return calls, turn
    raise AssertionError("the run does not end")


def same(wanted: Any, got: Any) -> bool:
    """Whether ``got`` is what is wanted, "*" being anything."""
    if wanted == "*":
        return True
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(same(value, got[name]) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(same(*pair) for pair in zip(wanted, got, strict=True))
    return (type(wanted) is type(got) and wanted == got) or (wanted == got and not isinstance(wanted, bool))


def without_free_choices(arguments: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """The arguments without what the grammar may choose and the list does not name."""
    kept = {name: value for name, value in arguments.items() if name in wanted or name not in ("fields", "limit")}
    if "options" in kept:
        options = {name: value for name, value in kept["options"].items() if name != "legend_title"}
        kept.pop("options")
        kept.update({"options": options} if options else {})
    return kept


def problem_of(case: dict[str, Any]) -> str:
    """What is wrong with the answer to a sentence; "" when it is right."""
    calls, turn = run(case["say"])
    if "refuse" in case:
        wanted = ("tool_failed",) if case["refuse"] == "cannot" else ("not_understood", "tool_failed")
        good = not calls and turn.finish_reason in wanted and turn.text
        return "" if good else f"not refused: {calls} {turn}"
    if "ask" in case:
        options = calls[-1][1].get("options", []) if calls and calls[-1][0] == "ask_user" else []
        missing = [each for each in case["ask"] if not any(each in option for option in options)]
        return f"buttons {options} lack {missing}: {calls} {turn}" if missing else ""
    if len(calls) != len(case["calls"]):
        return f"calls {calls} {turn}"
    for (name, arguments), (wanted_name, wanted) in zip(calls, case["calls"], strict=True):
        if name != wanted_name or not same(wanted, without_free_choices(arguments, wanted)):
            return f"{name} {arguments} in place of {wanted_name} {wanted}"
    return "" if turn.finish_reason == "stop" else f"ends with {turn}"


def test_at_least_95_of_100_sentences_are_planned_right() -> None:
    problems = {case["say"]: problem_of(case) for case in SENTENCES}
    wrong = {sentence: problem for sentence, problem in problems.items() if problem}
    assert len(wrong) <= (1 - GOAL) * len(SENTENCES), json.dumps(wrong, ensure_ascii=False, indent=1)


def test_nothing_that_must_be_refused_is_carried_out() -> None:
    refused = [case for case in SENTENCES if "refuse" in case]
    assert {case["say"]: problem_of(case) for case in refused} == {case["say"]: "" for case in refused}


def test_the_list_is_what_was_asked_for() -> None:
    assert len(SENTENCES) == len({case["say"] for case in SENTENCES}) == 150
    assert sum("refuse" in case for case in SENTENCES) == 30
    assert 65 <= sum(case["lang"] == "zh" for case in SENTENCES) <= 85
    assert all(sum(key in case for key in ("calls", "ask", "refuse")) == 1 for case in SENTENCES)


@pytest.mark.parametrize("name", sorted(COMING))
def test_every_coming_tool_is_planned_by_some_sentence(name: str) -> None:
    planned = {call[0] for case in SENTENCES for call in case.get("calls", [])}
    others = {"get_map_state": "what is the map scale", "prepare_bookmark": "bookmark this view as Centre"}
    if name in others:
        planned |= {call[0] for call in run(others[name])[0]}
    assert name in planned
