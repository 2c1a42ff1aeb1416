"""The blackboard says in 1,200 characters what a conversation is about and what it made."""

from __future__ import annotations

import json

from qgis_agent.agent.context.blackboard import SNAPSHOT_CHARS, Blackboard, made_by, target_of
from qgis_agent.bridge.envelope import encode, failure, success


def test_last_action_and_artifacts_outlive_the_next_message() -> None:
    """ "Turn off that layer" refers to the last action of an earlier message."""
    board = Blackboard()
    board.begin("show the hospitals")
    board.record("toggle_layer", {"layer_id": "hospitals", "visible": True}, success({"visible": True}))
    board.record("buffer_layer", {"layer_id": "schools", "distance_m": 500}, success({"layer_id": "schools_buffer"}))
    board.begin("关掉刚才那个图层")
    state = board.snapshot()
    assert state["goal"] == "关掉刚才那个图层"
    assert state["last_action"] == "buffer_layer schools"
    assert state["artifacts"] == {"schools_buffer": "buffer_layer"}
    assert state["entities"] == {"hospitals": "layer_id", "schools": "layer_id"}
    assert "steps" not in state


def test_a_failure_is_a_step_and_nothing_else() -> None:
    board = Blackboard()
    board.begin("zoom")
    board.record("zoom_to", {"layer_id": "nowhere"}, failure("NOT_FOUND", "no such layer"))
    assert board.last_action == ""
    assert board.entities == {}
    assert board.state()["steps"] == ["zoom_to nowhere: NOT_FOUND"]


def test_the_snapshot_keeps_to_its_size_whatever_names_come() -> None:
    """1,200 characters with 200 long names, control characters included; it stays JSON."""
    board = Blackboard()
    board.begin("x" * 5000)
    for at in range(200):
        name = f"层\u202e{'长' * 70}{at}"
        board.record("query_features", {"layer_id": name, "field": name}, success({"result_ref": f"{at:036d}"}))
    text = encode(board.snapshot())
    assert len(text) <= SNAPSHOT_CHARS
    assert "\u202e" not in text
    assert json.loads(text)["last_action"].startswith("query_features")
    assert len(encode(board.snapshot(120))) <= 120


def test_the_newest_names_stay() -> None:
    board = Blackboard()
    for at in range(40):
        board.record("describe_layer", {"layer_id": f"layer{at}"}, success({}))
    assert list(board.entities) == [f"layer{at}" for at in range(28, 40)]
    board.record("describe_layer", {"layer_id": "layer30"}, success({}))
    assert list(board.entities)[-1] == "layer30"


def test_what_a_call_made_and_what_it_was_about() -> None:
    assert list(made_by({"layer_id": "a"}, {"layer_id": "b", "result_ref": "r"})) == ["r", "b"]
    assert list(made_by({"layer_id": "a"}, {"layer_id": "a"})) == []
    assert target_of({"text": "France"}) == "France"
    assert target_of({"limit": 3}) == ""
