"""resolve_reference: what "that layer", 刚才那个图层, "the result" … mean, from what is known only; several become a question."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.context.blackboard import Blackboard
from qgis_agent.agent.context.catalogue import CatalogueStore
from qgis_agent.agent.context.references import Known, resolve
from qgis_agent.agent.execution.agent_tools import resolve_reference
from qgis_agent.agent.execution.context import CallRequest
from qgis_agent.agent.loop.recovery import choices
from qgis_agent.bridge.envelope import success

SAMPLE = json.loads((Path(__file__).resolve().parents[1] / "support" / "sample_catalogue.json").read_text("utf-8"))
RECENT = [{"layer_id": "hospitals", "what": "hidden"}, {"layer_id": "streets", "what": "render"}]
SNAPSHOT = {"recent": RECENT, "active": "dem", "selection": {"schools": 3}, "visible": ["schools", "streets"]}
HANDLE = "3f2b8c1e-9d4a-4b6e-8a51-0c2d3e4f5a6b"


def result(name: str, group: str = "Agent results") -> dict[str, Any]:
    return {**SAMPLE[4], "layer_id": name, "name": name, "group": group}


def known(
    snapshot: dict[str, Any] | None = None, board: Blackboard | None = None, layers: list[dict[str, Any]] | None = None
) -> Known:
    store = CatalogueStore()
    store.replace(SAMPLE if layers is None else layers, "p")
    return Known(store.layers(), SNAPSHOT if snapshot is None else snapshot, board, store.search)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("that layer", ["hospitals"]),
        ("that", ["hospitals"]),
        ("it", ["hospitals"]),
        ("the last one", ["hospitals"]),
        ("the same layer", ["hospitals"]),
        ("刚才那个图层", ["hospitals"]),
        ("剛才那個圖層", ["hospitals"]),
        ("刚才的图层", ["hospitals"]),
        ("上一个图层", ["hospitals"]),
        ("它", ["hospitals"]),
        ("该图层", ["hospitals"]),
        ("「它」", ["hospitals"]),
        ("the layer I just hid", ["hospitals"]),
        ("刚才上色的那个图层", ["streets"]),
        ("the layer that I coloured", ["streets"]),
        ("that polygon layer", ["streets"]),
        ("那个面图层", ["streets"]),
        ("the other one", ["streets"]),
        ("另一个图层", ["streets"]),
        ("当前图层", ["dem"]),
        ("the active layer", ["dem"]),
        ("current layer", ["dem"]),
        ("the top layer", ["schools"]),
        ("最上面的图层", ["schools"]),
        ("最上层", ["schools"]),
        ("the bottom layer", ["dem"]),
        ("最底下的图层", ["dem"]),
        ("the raster", ["dem"]),
        ("栅格图层", ["dem"]),
        ("the second layer", ["hospitals"]),
        ("第三个图层", ["公共设施"]),
        ("that school layer", ["schools"]),
        ("刚才那个医院图层", ["hospitals"]),
    ],
)
def test_one_layer_is_meant(text: str, meant: list[str]) -> None:
    """By what was touched last, the layer panel, the tree, the kind, or words beside those that point."""
    assert resolve(text, known()).layer_ids == meant


@pytest.mark.parametrize("text", ["the two layers", "both layers", "那两个图层", "这两个", "these layers", "这些图层"])
def test_two_layers_are_meant_together(text: str) -> None:
    """The two that were touched; no question."""
    meant = resolve(text, known())
    assert (meant.layer_ids, meant.together) == (["hospitals", "streets"], True)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("the point layer", ["schools", "hospitals", "公共设施", "bus_stops"]),
        ("点图层", ["schools", "hospitals", "公共设施", "bus_stops"]),
        ("the polygon layer", ["streets", "districts"]),
        ("the selected layer", ["schools", "dem"]),
        ("选中的图层", ["schools", "dem"]),
    ],
)
def test_several_are_never_chosen_from(text: str, options: list[str]) -> None:
    """All that it can be; also where a selection and the layer panel say different things."""
    meant = resolve(text, known())
    assert (meant.layer_ids, meant.together) == (options, False)


@pytest.mark.parametrize(
    "text", ["the volcano", "那条河", "兴趣点", "the line layer", "the ninth layer", "?", "...", "the layer"]
)
def test_nothing_known_fits(text: str) -> None:
    """No layer of that name, kind or place; and "the layer" of several."""
    meant = resolve(text, known())
    assert (meant.layer_ids, meant.result_ref) == ([], "")


@pytest.mark.parametrize("text", ["the result", "上一个结果", "结果图层", "the last result", "the output layer"])
def test_the_result_is_what_the_conversation_made_last(text: str) -> None:
    """A layer, or a handle; without a conversation the only layer of the results' group; of several, all."""
    layers = [*SAMPLE, result("buffer"), result("counts")]
    board = Blackboard()
    assert resolve(text, known()).layer_ids == []
    assert resolve(text, known({}, None, layers)).layer_ids == ["buffer", "counts"]
    assert resolve(text, known({}, None, layers[:-1])).layer_ids == ["buffer"]
    touched = {"recent": [{"layer_id": "schools", "what": "hidden"}, {"layer_id": "buffer", "what": "added"}]}
    assert resolve(text, known(touched, None, layers)).layer_ids == ["buffer"]
    board.record("buffer_layer", {"layer_id": "schools"}, {"ok": True, "data": {"layer_id": "counts"}})
    assert resolve(text, known({}, board, layers)).layer_ids == ["counts"]
    board.record("query_features", {"layer_id": "schools"}, {"ok": True, "data": {"result_ref": HANDLE}})
    assert resolve(text, known({}, board, layers)).result_ref == HANDLE


def test_the_conversation_says_more_than_the_map_where_it_is_newer() -> None:
    """A layer that was only asked about is "that layer", too; the calls of this very request do not count."""
    board = Blackboard()
    board.begin("hide hospitals, colour streets, then: how many schools?")
    for name in ("streets", "hospitals", "schools"):
        board.record("count_features", {"layer_id": name}, {"ok": True, "data": {}})
    board.begin("hide that layer")
    assert resolve("that layer", known(None, board)).layer_ids == ["schools"]
    board.record("describe_layer", {"layer_id": "dem"}, {"ok": True, "data": {}})
    assert resolve("that layer", known(None, board)).layer_ids == ["schools"]
    person = {"recent": [{"layer_id": "bus_stops", "what": "added"}, *RECENT]}
    assert resolve("that layer", known(person, board)).layer_ids == ["bus_stops", "schools"]
    made = [*SAMPLE, result("buffer")]
    board.record("buffer_layer", {"layer_id": "hospitals"}, {"ok": True, "data": {"layer_id": "buffer"}})
    added = {"recent": [{"layer_id": "buffer", "what": "added"}]}
    assert resolve("that layer", known(added, board, made)).layer_ids == ["buffer"]


def asked(board: Blackboard, tool: str, **arguments: Any) -> None:
    """A call of a run of its own, which gave nothing new."""
    board.begin("a message")
    board.record(tool, arguments, success({}))


def test_that_layer_is_the_one_touched_last_whether_made_or_only_asked_about() -> None:
    """A result was added, then another layer was asked about; then the result was looked at again."""
    layers = [*SAMPLE, result("buffer")]
    board = Blackboard()
    board.begin("buffer hospitals")
    board.record("buffer_layer", {"layer_id": "hospitals"}, success({"layer_id": "buffer"}))
    added = {"recent": [{"layer_id": "buffer", "what": "added"}]}
    asked(board, "count_features", layer_id="schools")
    board.begin("hide that layer")
    assert resolve("that layer", known(added, board, layers)).layer_ids == ["schools"]
    assert resolve("the result", known(added, board, layers)).layer_ids == ["buffer"]
    assert resolve("the other one", known(added, board, layers)).layer_ids == ["buffer", "hospitals"]
    asked(board, "describe_layer", layer_id="buffer")
    board.begin("hide that layer")
    board.record("describe_layer", {"layer_id": "dem"}, success({}))
    assert resolve("that layer", known(added, board, layers)).layer_ids == ["buffer"]
    assert resolve("the two layers", known(added, board, layers)).layer_ids == ["buffer", "schools", "hospitals"]


def test_a_layer_named_again_in_this_very_run_is_still_that_layer() -> None:
    """The call that looks at it before it asks what was meant takes nothing away."""
    board = Blackboard()
    asked(board, "count_features", layer_id="schools")
    asked(board, "count_features", layer_id="hospitals")
    board.begin("hide that layer")
    board.record("describe_layer", {"layer_id": "hospitals"}, success({}))
    assert resolve("that layer", known({}, board)).layer_ids == ["hospitals"]


def test_layers_that_are_gone_and_a_broken_snapshot_mean_nothing() -> None:
    """What a snapshot or blackboard names is believed only where the catalogue has it."""
    board = Blackboard()
    board.record("buffer_layer", {"layer_id": "gone"}, {"ok": True, "data": {"layer_id": "gone2"}})
    for snapshot in ({"recent": [{"layer_id": "gone"}, 3], "active": "x", "selection": ["y"]}, {"recent": "z"}, {}):
        for text in ("that layer", "the result", "the active layer", "the selected layer", "the two layers"):
            assert resolve(text, known(snapshot, board)).layer_ids == [], (text, snapshot)
    assert resolve("it", known({}, None, SAMPLE[:1])).layer_ids == ["schools"]
    assert resolve("that layer", known({}, None, [])).layer_ids == []
    assert resolve("the two layers", known({}, None, SAMPLE[:2])).layer_ids == ["schools", "hospitals"]


def test_a_hidden_top_layer_and_the_topmost_drawn_one_are_both_possible() -> None:
    """Neither is picked."""
    layers = [{**SAMPLE[0], "visible": False}, *SAMPLE[2:]]
    assert resolve("the top layer", known({}, None, layers)).layer_ids == ["schools", "公共设施"]


class Desk:
    """A desk with a blackboard."""

    def __init__(self, board: Blackboard | None = None) -> None:
        self.board = board


def called(tmp_path: Path, text: str, snapshot: dict[str, Any], desk: Desk | None = None) -> dict[str, Any]:
    bench = Bench(tmp_path, snapshot=snapshot)
    bench.catalogue.replace(SAMPLE, "p")
    request = CallRequest("c1", "resolve_reference", {"text": text}, "model")
    outcome = asyncio.run(resolve_reference(bench.context(FakeBridge()), desk or Desk(), request))  # type: ignore[arg-type]
    return dict(outcome["envelope"])


def test_the_envelopes(tmp_path: Path) -> None:
    """One: layer_id and why. Two together: layer_ids. Several: AMBIGUOUS with buttons that fit the sentence. None: NOT_FOUND."""
    assert called(tmp_path, "that layer", SNAPSHOT)["data"] == {"layer_id": "hospitals", "why": "touched last (hidden)"}
    assert called(tmp_path, "那两个图层", SNAPSHOT)["data"]["layer_ids"] == ["hospitals", "streets"]
    many = called(tmp_path, "the polygon layer", SNAPSHOT)
    assert (many["ok"], many["code"], many["retryable"]) == (False, "AMBIGUOUS", False)
    wanted = [{"label": each, "layer_id": each, "replaces": "the polygon layer"} for each in ("streets", "districts")]
    assert many["data"]["options"] == wanted
    question = choices(many, "hide the polygon layer", "en")
    assert question is not None
    assert [each["send"] for each in question["options"]] == ["hide streets", "hide districts"]
    none = called(tmp_path, "the volcano", SNAPSHOT)
    assert (none["code"], none["reason"]) == ("NOT_FOUND", "reference")
    assert "search_layers" in none["hint"]
    board = Blackboard()
    board.record("query_features", {"layer_id": "schools"}, {"ok": True, "data": {"result_ref": HANDLE}})
    assert called(tmp_path, "the result", {}, Desk(board))["data"]["result_ref"] == HANDLE


def test_an_answer_is_no_vehicle_for_text(tmp_path: Path) -> None:
    """Control characters do not come back; at most six buttons."""
    envelope = called(tmp_path, "the \u202epoint\x07 layer", SNAPSHOT)
    assert not any(each in json.dumps(envelope["message"]) for each in ("\u202e", "\\u202e", "\\u0007"))
    bench = Bench(tmp_path, snapshot={})
    bench.catalogue.replace([{**SAMPLE[0], "layer_id": f"p{each}", "name": f"p{each}"} for each in range(40)], "p")
    request = CallRequest("c1", "resolve_reference", {"text": "the point layer"}, "model")
    outcome = asyncio.run(resolve_reference(bench.context(FakeBridge()), Desk(), request))  # type: ignore[arg-type]
    assert len(outcome["envelope"]["data"]["options"]) == 6


def test_the_tool_is_offered_and_runs_in_this_process(tmp_path: Path) -> None:
    """Through the whole runtime: nothing crosses the bridge."""
    from qgis_agent.agent.governance.factory import build_single_call_runtime
    from qgis_agent.agent.governance.profile import PROFILES
    from qgis_agent.agent.llm.types import ToolCall

    bench, bridge = Bench(tmp_path, snapshot=SNAPSHOT), FakeBridge()
    bench.catalogue.replace(SAMPLE, "p")
    runtime = build_single_call_runtime(REGISTRY, bench.context(bridge), PROFILES["gis-build"])
    execution = asyncio.run(runtime.execute(ToolCall("c1", "resolve_reference", '{"text": "刚才那个图层"}'), "c1"))
    assert execution.envelope["data"]["layer_id"] == "hospitals"
    assert bridge.requests == []


def test_a_run_knows_what_the_conversation_made(tmp_path: Path) -> None:
    """The handle of the first run is "the result" in the second, through the whole loop."""
    bench = Bench(tmp_path, snapshot={})
    rows = {"layer_id": "streets", "rows": [], "total": 300, "result_ref": HANDLE}
    bench.run(
        "list the streets",
        FakeClient(calls(("query_features", {"layer_id": "streets"})), answer("There are 300.")),
        FakeBridge(query_features=success(rows)),
    )
    client = FakeClient(calls(("resolve_reference", {"text": "the result"})), answer("It has 300 rows."))
    bench.run("what is in the result?", client)
    said = [each["content"] for each in client.requests[-1].messages if each["role"] == "tool"]
    assert HANDLE in said[-1]
