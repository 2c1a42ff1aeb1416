"""Two agent processes one after the other on one records folder: a run that waited for a person goes on in the second (X-7)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_agent_process import Parent, parents  # noqa: F401  (a fixture)

from qgis_agent.bridge.envelope import failure, success

EXPORT = {"name": "prepare_export_layer", "arguments": {"layer_id": "schools", "path": "schools.gpkg"}}
ASKED = {"name": "ask_user", "arguments": {"question": "Which schools?", "options": ["primary", "secondary"]}}
NO_ANSWER = failure("PERMISSION_DENIED", "Nobody answered.", reason="no_answer")
REQUEST = "export the schools"


def first_process(parents: Any, turn: dict[str, Any], how: str) -> dict[str, Any]:  # noqa: F811
    """A run that ends as it waits for the person, and the end of its process; the report."""
    parent: Parent = parents(prepare_export_layer=NO_ANSWER)
    parent.ready([turn])
    report: dict[str, Any] = parent.wait(parent.start_run(REQUEST, enabled_packs=["write"]))["result"]
    if how == "killed":
        parent.process.kill()
        parent.process.wait(5)
    else:
        assert parent.end() == 0
    assert report["termination"] == "awaiting_user"
    return report


def records(folder: Path, kind: str) -> list[dict[str, Any]]:
    lines = (folder / "sessions" / "s1.jsonl").read_text(encoding="utf-8").splitlines()
    return [each for each in map(json.loads, lines) if each["t"] == kind]


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_permission_that_nobody_gave_is_asked_for_anew_after_a_restart(
    parents: Any,  # noqa: F811
    tmp_path: Path,
    how: str,
) -> None:
    first_process(parents, {"tool_calls": [EXPORT]}, how)
    second: Parent = parents(prepare_export_layer=success({"written": True}, "Written."))
    second.ready([{"tool_calls": [EXPORT]}, {"text": "The schools are exported."}])
    opened = second.request("session/runs", {"session_id": "s1", "own": True})["result"]
    (past,) = opened["runs"]
    assert (past["text"], past["ended"], past["report"]["termination"]) == (REQUEST, True, "awaiting_user")
    assert past["report"]["question"]["options"] and opened["reason"] == ""
    report = second.wait(second.start_run("yes", run_id="r2", enabled_packs=["write"]))["result"]
    assert report["ok"] and report["answer"] == "The schools are exported."
    (call,) = second.calls
    assert call["params"]["name"] == "prepare_export_layer" and call["params"]["run_id"] == "r2"
    assert [each["content"] for each in records(tmp_path, "user")] == [REQUEST, "yes"], "the person's words, unchanged"
    assert [each["request"] for each in records(tmp_path, "run_end")] == [REQUEST, REQUEST], (
        "it is still the same request"
    )
    assert second.asked == [], "the outcome of the first call was known: there is nothing to ask QGIS for"


def test_a_question_is_answered_after_a_restart(parents: Any, tmp_path: Path) -> None:  # noqa: F811
    report = first_process(parents, {"tool_calls": [ASKED]}, "killed")
    assert [each["label"] for each in report["question"]["options"]] == ["primary", "secondary"]
    second: Parent = parents(count_features=success({"count": 12}))
    count = {"name": "count_features", "arguments": {"layer_id": "schools"}}
    second.ready([{"tool_calls": [count]}, {"text": "There are 12 primary schools."}])
    assert second.request("session/runs", {"session_id": "s1", "own": True})["result"]["reason"] == ""
    report = second.wait(second.start_run("primary", run_id="r2"))["result"]
    assert report["termination"] == "completed" and report["numbers"][0]["source"]["tool"] == "count_features"
    assert [each["termination"] for each in records(tmp_path, "run_end")] == ["awaiting_user", "completed"]


def test_while_the_first_lives_the_second_does_not_go_on(parents: Any) -> None:  # noqa: F811
    first: Parent = parents()
    first.ready([{"text": "Hello."}, {"text": "Still here."}])
    assert first.wait(first.start_run("hello"))["result"]["ok"]
    second: Parent = parents()
    second.ready([{"text": "Hello, too."}])
    assert second.request("session/runs", {"session_id": "s1", "own": True})["result"]["reason"] == "in_use"
    looked = second.request("session/runs", {"session_id": "s1"})["result"]
    assert [each["report"]["answer"] for each in looked["runs"]] == ["Hello."], "it can be looked at"
    assert second.wait(second.start_run("hello", run_id="r2"))["result"]["error"]["code"] == "FORBIDDEN"
    assert first.wait(first.start_run("again", run_id="r3"))["result"]["answer"] == "Still here."
