"""AT2: of an answer that its length limit cut off no call is run; the model is told so, and the run goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls
from llm_bench import play
from model_server import ModelServer

from qgis_agent.agent.llm.types import ProviderRequest

VALID = ("zoom_to", {"layer_id": "streets"})
OPEN = ("zoom_to", '{"layer_id":"streets","where":[{"field"')


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def results(request: ProviderRequest) -> list[dict[str, Any]]:
    """The tool results in a request, each right behind its call."""
    found = []
    for at, message in enumerate(request.messages):
        ids = [call["id"] for call in message.get("tool_calls", [])]
        behind = request.messages[at + 1 : at + 1 + len(ids)]
        assert [each.get("tool_call_id") for each in behind] == ids
        found += [json.loads(each["content"]) for each in behind]
    return found


def test_at02_no_call_of_a_cut_off_answer_is_run_and_the_loop_goes_on(bench: Bench) -> None:
    client = FakeClient(calls(VALID, OPEN, finish_reason="length"), calls(VALID), answer("Done."))
    bridge = FakeBridge()
    report = bench.run("zoom to the streets", client, bridge)
    assert report["termination"] == "completed"
    first = results(client.requests[1])
    assert [each["reason"] for each in first] == ["truncated_call"] * 2
    assert all(each["ok"] is False and each["hint"] for each in first)
    assert bridge.names() == ["zoom_to"]  # the one of the second answer


def test_at02_arguments_that_never_close_are_refused_under_any_finish_reason(bench: Bench) -> None:
    """Routers rewrite "length"."""
    for finish in ("tool_calls", "stop"):
        client = FakeClient(calls(OPEN, finish_reason=finish), answer("I could not."))
        bridge = FakeBridge()
        bench.run("zoom to the streets", client, bridge)
        assert bridge.names() == []
        assert [each["ok"] for each in results(client.requests[-1])][-1] is False


def test_at02_the_client_says_length_and_keeps_both_calls() -> None:
    with ModelServer() as server:
        cut = play(server, "lentwo")
    assert cut["finish"] == "length"
    assert [name for _, name, _ in cut["calls"]] == ["count_features", "zoom_to"]
    with pytest.raises(ValueError, match=r"(?i)expecting"):
        json.loads(cut["calls"][1][2])  # as it came: nothing was added to close it
